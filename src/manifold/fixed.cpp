#include "manifold/fixed.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "completion/assignment.hpp"
#include "expr/graph/op.hpp"
#include "linalg/scalar.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

using namespace expr;
using linalg::at;

namespace {

// x' of x' = 0, -x' = 0, c*x' = 0.
std::optional<Node> derivative_alone(const Graph& g, NodeId residual) {
    Node x = g.node(residual);
    while (x.op == Op::neg || x.op == Op::mul || x.op == Op::div) {
        if (x.op == Op::mul && !g.node(x.a).varies)
            x = g.node(x.b);
        else if (x.op == Op::neg || !g.node(x.b).varies)
            x = g.node(x.a);
        else
            return std::nullopt;
    }
    const bool is_derivative = x.op == Op::read && g.array(x.a).role == ArrayRole::unknown && g.array(x.a).order > 0;
    return is_derivative ? std::optional(x) : std::nullopt;
}

class FixedSearch {
public:
    FixedSearch(const System& system, const Prolongation& p, const std::vector<ConstraintRow>& rows,
                std::int64_t n_columns)
        : g_(*system.graph), p_(p), rows_(rows), n_columns_(n_columns) {
        for (std::size_t e = 0; e < system.equations.size(); ++e)
            if (const auto derivative = derivative_alone(g_, system.equations[e].residual))
                search(system.equations[e].domain, e, *derivative);
    }

    bool is_empty() const { return is_fixed_.empty(); }
    std::vector<char> take() { return std::move(is_fixed_); }
    // Does a projection see the entry?
    bool stays(std::int64_t row, std::int64_t column) const {
        return !is_fixed_[at(column)] || own_row_[at(column)] == row;
    }

private:
    void prepare() {
        is_fixed_.assign(at(n_columns_), 0);
        own_row_.assign(at(n_columns_), -1);
        coordinate_.assign(at(p_.z.size), -1);
        for (std::size_t k = 0; k < p_.state.size(); ++k) coordinate_[at(p_.state[k])] = static_cast<std::int64_t>(k);
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            const ConstraintRow& r = rows_[k];
            if (r.kind != ConstraintKind::invariant)
                row_of_[{r.source, r.order, r.instance}] = static_cast<std::int64_t>(k);
        }
    }

    void search(DomainId domain, std::size_t equation, const Node& derivative) {
        const auto below =
            std::ranges::find_if(p_.z.jets, [&](ArrayId jet) { return g_.array(jet).derivative == derivative.a; });
        if (below == p_.z.jets.end()) return;
        if (is_empty()) prepare();
        std::int64_t instance = 0;
        g_.index().for_each(domain, [&](const Env& env) {
            const std::int64_t element = g_.address(derivative.a, derivative.b, env);
            fix(*below, element, -1);
            int order = 0;
            for (ArrayId jet = derivative.a; jet != none; jet = g_.array(jet).derivative, ++order) {
                const auto row = row_of_.find({equation, order, instance});
                if (row == row_of_.end()) break;
                fix(jet, element, row->second);
            }
            ++instance;
            return true;
        });
    }

    void fix(ArrayId jet, std::int64_t element, std::int64_t row) {
        const auto number = std::ranges::find(p_.z.jets, jet);
        if (number == p_.z.jets.end()) return;
        const std::int64_t k = coordinate_[at(p_.z.first[at(number - p_.z.jets.begin())] + element)];
        if (k < 0) return;
        is_fixed_[at(k)] = 1;
        if (row >= 0) own_row_[at(k)] = row;
    }

    const Graph& g_;
    const Prolongation& p_;
    const std::vector<ConstraintRow>& rows_;
    std::int64_t n_columns_;
    std::vector<char> is_fixed_;
    std::vector<std::int64_t> own_row_;    // by coordinate, the row that says that it is 0; -1: none
    std::vector<std::int64_t> coordinate_; // by position in z; -1: none
    std::map<std::tuple<std::size_t, int, std::int64_t>, std::int64_t> row_of_; // by equation, order and instance
};

} // namespace

FixedCoordinates find_fixed(const System& system, const Prolongation& p, const std::vector<ConstraintRow>& rows,
                            const std::vector<int>& levels, bool has_levels, const linalg::Pattern& df) {
    FixedSearch search(system, p, rows, df.columns);
    if (search.is_empty()) return {};
    std::vector<std::vector<std::int32_t>> columns(rows.size()); // that a row may be satisfied by
    for (std::int64_t j = 0; j < df.columns; ++j)
        for (std::int64_t e = df.column_start[at(j)]; e < df.column_start[at(j + 1)]; ++e) {
            const std::int32_t i = df.row[at(e)];
            const ConstraintRow& row = rows[at(i)];
            const bool may_be_any = !has_levels || row.kind == ConstraintKind::invariant;
            if (search.stays(i, j) && (may_be_any || levels[at(j)] == row.level))
                columns[at(i)].push_back(static_cast<std::int32_t>(j));
        }
    Signature pairs{.n_equations = static_cast<std::int32_t>(rows.size()),
                    .n_unknowns = static_cast<std::int32_t>(df.columns)};
    for (const auto& row : columns) {
        pairs.unknown.insert(pairs.unknown.end(), row.begin(), row.end());
        pairs.start.push_back(std::ssize(pairs.unknown));
    }
    pairs.order.assign(pairs.unknown.size(), 0);
    const Assignment found = highest_transversal(pairs);
    FixedCoordinates result;
    for (std::int64_t j = 0; j < df.columns; ++j)
        for (std::int64_t e = df.column_start[at(j)]; e < df.column_start[at(j + 1)]; ++e)
            if (!search.stays(df.row[at(e)], j) && found.unknown_of[at(df.row[at(e)])] >= 0)
                result.left_out.push_back(e);
    result.is_fixed = search.take();
    return result;
}

} // namespace vessiot
