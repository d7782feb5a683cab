#include "expr/graph/jacobian.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "expr/graph/derivative.hpp"
#include "expr/graph/split.hpp"
#include "expr/kernel/gather.hpp"
#include "expr/kernel/layout.hpp"

namespace vessiot::expr {

namespace {

// One local value: entry (row, column) of a matrix, stored at `source` in an array of values.
struct Entry {
    std::int64_t row = 0, column = 0, source = 0;
};

// A matrix under construction: contributions to its local values, and their places.
struct Local {
    std::vector<Contribution> contributions;
    std::vector<Entry> entries;
    std::int64_t size = 0;
};

// d(defined array)/d(columns), entries sorted by row.
struct Inner {
    ArrayId values = none;
    std::vector<Entry> entries;
    std::vector<std::size_t> row_start;
};

// Bodies that depend on inputs as directly as they can.
std::vector<Contribution> unfolded(Graph& g, const std::vector<Contribution>& contributions) {
    return inline_families(g, unfold_sums(g, inline_families(g, contributions, true)), true);
}

class JacobianBuilder {
public:
    JacobianBuilder(Graph& g, const std::vector<ArrayId>& columns, Triangle triangle) : graph_(g), triangle_(triangle) {
        for (ArrayId a : columns) {
            first_column_[a] = n_columns_;
            n_columns_ += g.array(a).size();
        }
    }

    std::int64_t n_columns() const { return n_columns_; }

    Local rows(const std::vector<RowBlock>& blocks) {
        Local out;
        for (const RowBlock& b : blocks) add_block(b, out);
        if (triangle_ == Triangle::lower) std::erase_if(out.entries, [](const Entry& e) { return e.row < e.column; });
        return out;
    }

private:
    // Only the lower triangle is wanted of the matrix itself; its factors are needed whole.
    bool is_cut() const { return triangle_ == Triangle::lower && is_output_row_; }

    bool is_active(ArrayId a) {
        if (first_column_.contains(a)) return true;
        if (graph_.array(a).role != ArrayRole::defined) return false;
        auto it = active_.find(a);
        if (it != active_.end()) return it->second;
        std::vector<NodeId> bodies;
        for (const Contribution& c : graph_.array(a).definition) bodies.push_back(c.body);
        bool result = false;
        for (NodeId n : graph_.cone(bodies))
            if (graph_.node(n).op == Op::read && is_active(graph_.node(n).a)) {
                result = true;
                break;
            }
        return active_[a] = result;
    }

    void add_block(const RowBlock& block, Local& out) {
        const ArrayId shape = graph_.define("rows", block.lo, block.extent, {});
        std::map<ArrayId, Local> through; // derivatives with respect to defined arrays
        for (const Contribution& c : without_conditions(graph_, unfolded(graph_, block.contributions)))
            for (const Partial& p : local_gradient(graph_, c.body, [&](ArrayId a) { return is_active(a); })) {
                const Node r = graph_.node(p.read);
                const auto column = first_column_.find(r.a);
                Local& local = column != first_column_.end() ? out : through[r.a];
                const std::int64_t base = column != first_column_.end() ? column->second : 0;
                add_partial(c, p.value, shape, block.first, r, base, local);
            }
        for (auto& [a, outer] : through) add_product(a, outer, out);
    }

    // The values of one partial derivative over its domain: a template and its places.
    void add_partial(const Contribution& c, NodeId value, ArrayId shape, std::int64_t first_row, const Node& read,
                     std::int64_t first_column, Local& out) {
        IndexSpace& index = graph_.index();
        std::vector<std::int64_t> lo, hi;
        if (!index.bounding_box(c.domain, lo, hi)) return;
        const std::vector<VarId> vars = index.domain(c.domain).vars;
        std::int64_t size = 1;
        for (std::size_t k = 0; k < lo.size(); ++k) size *= hi[k] - lo[k] + 1;
        const FormId slot = index.add(index.position_in_box(vars, lo, hi), index.constant(out.size));
        // entries below the diagonal only: a family that lies above it altogether is not computed
        const std::size_t n_before = out.entries.size();
        bool is_needed = !is_cut() || !first_column_.contains(read.a);
        Loop places; // only its addresses are used
        lay_out(index, c.domain,
                {{0, index.add(graph_.address_form(shape, c.target), index.constant(first_row))},
                 {1, index.add(graph_.address_form(read.a, read.b), index.constant(first_column))},
                 {2, slot}},
                {}, 3, places);
        std::size_t instance = 0;
        for (std::size_t s = 0; s < places.lengths.size(); ++s)
            for (std::int64_t i = 0; i < places.lengths[s]; ++i, ++instance) {
                std::int64_t at[3] = {};
                for (std::size_t k = 0; k < 3; ++k) {
                    const Address& a = places.addresses[k];
                    at[k] = a.table >= 0 ? places.tables[static_cast<std::size_t>(a.table)][instance]
                                         : places.starts[3 * s + k] + a.stride * i;
                }
                is_needed |= at[0] >= at[1];
                out.entries.push_back({at[0], at[1], at[2]});
            }
        if (!is_needed) {
            out.entries.resize(n_before);
            return;
        }
        out.contributions.push_back({c.domain, index.list({slot}), value});
        out.size += size;
    }

    // outer (rows x a) times inner (a x columns): a loop over pairs of entries, with tables of places.
    void add_product(ArrayId a, const Local& outer, Local& out) {
        const Inner& in = inner(a);
        if (in.values == none || outer.entries.empty()) return;
        IndexSpace& index = graph_.index();
        const ArrayId outer_values = graph_.define("partials", {0}, {outer.size}, outer.contributions, true);
        IndexTable left{"left", {}, {}}, right{"right", {}, {}};
        std::int64_t n = 0;
        for (const Entry& e : outer.entries)
            for (std::size_t k = in.row_start[static_cast<std::size_t>(e.column)];
                 k < in.row_start[static_cast<std::size_t>(e.column) + 1]; ++k) {
                if (is_cut() && e.row < in.entries[k].column) continue;
                left.values.push_back(e.source);
                right.values.push_back(in.entries[k].source);
                out.entries.push_back({e.row, in.entries[k].column, out.size + n++});
            }
        if (n == 0) return;
        left.extent = right.extent = {n};
        const VarId m = index.loop_var("m", 0, index.constant(1), index.constant(n));
        const FormId var = index.var(m);
        const ListId at = index.list({var});
        const FormId i = index.lookup(index.table(std::move(left)), at),
                     j = index.lookup(index.table(std::move(right)), at);
        const NodeId body =
            graph_.mul(graph_.read(outer_values, index.list({i})), graph_.read(in.values, index.list({j})));
        const FormId slot = index.add(var, index.constant(out.size - 1));
        out.contributions.push_back({index.domain(std::vector{m}), index.list({slot}), body});
        out.size += n;
    }

    const Inner& inner(ArrayId a) {
        auto it = inner_.find(a);
        if (it != inner_.end()) return it->second;
        const Array x = graph_.array(a);
        Local local;
        const bool kept = std::exchange(is_output_row_, false);
        add_block({x.definition, x.lo, x.extent, 0}, local);
        is_output_row_ = kept;
        Inner result;
        if (!local.entries.empty()) {
            result.values = graph_.define("partials", {0}, {local.size}, local.contributions, true);
            sum_duplicates(local.entries, result);
            result.row_start.assign(static_cast<std::size_t>(x.size()) + 1, 0);
            for (const Entry& e : result.entries) ++result.row_start[static_cast<std::size_t>(e.row) + 1];
            std::partial_sum(result.row_start.begin(), result.row_start.end(), result.row_start.begin());
        }
        return inner_.emplace(a, std::move(result)).first->second;
    }

    // Entries sorted by row and column; where several local values make one entry, they are added up first.
    void sum_duplicates(std::vector<Entry>& entries, Inner& out) {
        std::stable_sort(entries.begin(), entries.end(), [](const Entry& e, const Entry& f) {
            return std::pair(e.row, e.column) < std::pair(f.row, f.column);
        });
        const auto is_same = [](const Entry& e, const Entry& f) { return e.row == f.row && e.column == f.column; };
        if (std::adjacent_find(entries.begin(), entries.end(), is_same) == entries.end()) {
            out.entries = entries;
            return;
        }
        IndexSpace& index = graph_.index();
        IndexTable from{"from", {}, {}}, to{"to", {}, {}};
        for (const Entry& e : entries) {
            if (out.entries.empty() || !is_same(out.entries.back(), e))
                out.entries.push_back({e.row, e.column, static_cast<std::int64_t>(out.entries.size())});
            from.values.push_back(e.source);
            to.values.push_back(out.entries.back().source);
        }
        const auto n = static_cast<std::int64_t>(entries.size());
        from.extent = to.extent = {n};
        const VarId m = index.loop_var("m", 0, index.constant(1), index.constant(n));
        const ListId at = index.list({index.var(m)});
        const FormId i = index.lookup(index.table(std::move(from)), at),
                     j = index.lookup(index.table(std::move(to)), at);
        const Contribution c{index.domain(std::vector{m}), index.list({j}), graph_.read(out.values, index.list({i}))};
        out.values = graph_.define("partials", {0}, {static_cast<std::int64_t>(out.entries.size())}, {c});
    }

    Graph& graph_;
    Triangle triangle_;
    bool is_output_row_ = true;
    std::int64_t n_columns_ = 0;
    std::map<ArrayId, std::int64_t> first_column_;
    std::map<ArrayId, bool> active_;
    std::map<ArrayId, Inner> inner_;
};

// The entries by column, and by row within a column; entries with one place keep their order. Two counting sorts.
std::vector<std::size_t> column_order(const std::vector<Entry>& entries, std::int64_t n_rows, std::int64_t n_columns) {
    std::vector<std::size_t> order(entries.size()), sorted(entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto sort_by = [&](auto key, std::int64_t n_keys) {
        std::vector<std::size_t> next(static_cast<std::size_t>(n_keys) + 1, 0);
        for (const Entry& e : entries) ++next[static_cast<std::size_t>(e.*key) + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t k : order) sorted[next[static_cast<std::size_t>(entries[k].*key)]++] = k;
        order.swap(sorted);
    };
    sort_by(&Entry::row, n_rows);
    sort_by(&Entry::column, n_columns);
    return order;
}

// Local values that are scalars are reordered to the order of the entries, so that nothing needs to be assembled.
bool make_direct(Graph& g, Local& local, const std::vector<std::size_t>& order) {
    IndexSpace& index = g.index();
    if (local.contributions.size() != local.entries.size()) return false;
    if (static_cast<std::int64_t>(local.entries.size()) != local.size) return false;
    for (const Contribution& c : local.contributions)
        if (c.domain != index.scalar_domain()) return false;
    std::vector<Contribution> sorted(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        sorted[k] = local.contributions[static_cast<std::size_t>(local.entries[order[k]].source)];
        sorted[k].target = index.list({index.constant(static_cast<std::int64_t>(k))});
    }
    local.contributions = std::move(sorted);
    return true;
}

} // namespace

SparseMatrix jacobian(Graph& g, const std::vector<RowBlock>& rows, std::int64_t n_rows,
                      const std::vector<ArrayId>& columns, Triangle triangle) {
    JacobianBuilder builder(g, columns, triangle);
    Local local = builder.rows(rows);
    SparseMatrix m;
    m.rows = n_rows;
    m.columns = builder.n_columns();
    m.column_start.assign(static_cast<std::size_t>(m.columns) + 1, 0);
    if (local.entries.empty()) return m;

    const std::vector<std::size_t> order = column_order(local.entries, m.rows, m.columns);
    const auto key = [&](std::size_t k) { return std::pair(local.entries[k].column, local.entries[k].row); };
    m.position.assign(static_cast<std::size_t>(local.size), -1);
    bool has_duplicates = false;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const Entry& e = local.entries[order[k]];
        if (k > 0 && key(order[k]) == key(order[k - 1])) {
            has_duplicates = true;
        } else {
            m.row.push_back(static_cast<std::int32_t>(e.row));
            ++m.column_start[static_cast<std::size_t>(e.column) + 1];
        }
        m.position[static_cast<std::size_t>(e.source)] = static_cast<std::int32_t>(m.row.size() - 1);
    }
    std::partial_sum(m.column_start.begin(), m.column_start.end(), m.column_start.begin());
    if (!has_duplicates && make_direct(g, local, order)) std::iota(m.position.begin(), m.position.end(), 0);
    m.is_direct = !has_duplicates && local.size == m.n_entries();
    for (std::size_t k = 0; k < m.position.size() && m.is_direct; ++k)
        m.is_direct = m.position[k] == static_cast<std::int32_t>(k);
    m.values = g.define("values", {0}, {local.size}, std::move(local.contributions), true);
    return m;
}

SparseMatrix hessian(Graph& g, const std::vector<RowBlock>& rows, ArrayId weight, const std::vector<ArrayId>& columns,
                     Triangle triangle) {
    IndexSpace& index = g.index();
    // the weights of a block, as contributions to one number: weight[row] * f[row]
    std::vector<Weighted> roots;
    for (const RowBlock& b : rows) {
        const ArrayId shape = g.define("rows", b.lo, b.extent, {});
        Weighted w{{}, weight, none};
        for (const Contribution& c : b.contributions) {
            const FormId row =
                index.add(g.address_form(shape, c.target),
                          index.constant(b.first + (g.array(weight).lo.empty() ? 0 : g.array(weight).lo[0])));
            w.contributions.push_back({c.domain, index.list({row}), c.body});
        }
        roots.push_back(std::move(w));
    }
    const std::set<ArrayId> wanted(columns.begin(), columns.end());
    auto bar = adjoint(g, roots, [&](ArrayId a) { return wanted.contains(a); });
    std::vector<RowBlock> gradient;
    std::int64_t first = 0;
    for (ArrayId a : columns) {
        if (bar.contains(a)) {
            // elements without loops are added up, so that each entry is one value
            auto& contributions = bar.at(a);
            const bool is_scalar = std::ranges::all_of(
                contributions, [&](const Contribution& c) { return c.domain == index.scalar_domain(); });
            gradient.push_back(
                {is_scalar ? gather(g, contributions) : contributions, g.array(a).lo, g.array(a).extent, first});
        }
        first += g.array(a).size();
    }
    return jacobian(g, gradient, first, columns, triangle);
}

} // namespace vessiot::expr
