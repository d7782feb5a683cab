#include "distribution/tops/written_rows.hpp"

#include "expr/graph/derivative.hpp"
#include "expr/kernel/lower.hpp"
#include "system/functions.hpp"

namespace vessiot {

using namespace expr;

namespace {

// Which top an element of a jet is; -1 for none.
class TopNumbers {
public:
    TopNumbers(const Graph& g, const Prolongation& p) : graph_(g), number_(static_cast<std::size_t>(p.z.size), -1) {
        for (std::size_t k = 0; k < p.z.jets.size(); ++k) first_[p.z.jets[k]] = p.z.first[k];
        for (std::size_t k = 0; k < p.top.size(); ++k)
            number_[static_cast<std::size_t>(p.top[k])] = static_cast<std::int32_t>(k);
    }
    std::int32_t operator()(ArrayId jet, ListId indices) const {
        const auto it = first_.find(jet);
        if (it == first_.end()) return -1;
        const std::int64_t address = graph_.address(jet, indices, {});
        return address < 0 ? -1 : number_[static_cast<std::size_t>(it->second + address)];
    }
    bool has(ArrayId jet) const { return first_.contains(jet); }

private:
    const Graph& graph_;
    std::map<ArrayId, std::int64_t> first_;
    std::vector<std::int32_t> number_;
};

WrittenRow make_row(Graph& g, NodeId body, const TopNumbers& number) {
    WrittenRow row;
    const auto top = [&](const Node& read) { return number(read.a, read.b); };
    for (const Partial& d : local_gradient(g, body, [&](ArrayId a) { return number.has(a); }))
        if (const std::int32_t j = top(g.node(d.read)); j >= 0) row.a[j] = d.value;
    row.r = without(g, body, [&](const Node& read) { return top(read) >= 0; });
    return row;
}

} // namespace

std::optional<std::vector<WrittenRow>> write_rows(const System& system, const Prolongation& p, std::int64_t limit) {
    Graph& g = *system.graph;
    std::vector<RowTemplate> families;
    for (const RowFamily& f : p.tops.families) families.push_back({f.domain, f.residual});
    std::int64_t n = 0;
    const std::vector<RowBlock> blocks = row_blocks(g, families, n);
    std::vector<Contribution> all;
    for (const RowBlock& b : blocks) all.insert(all.end(), b.contributions.begin(), b.contributions.end());
    if (expanded_size(g, all, limit) > limit) return std::nullopt;
    std::vector<NodeId> bodies(static_cast<std::size_t>(n), none);
    for (const RowBlock& b : blocks) {
        const ArrayId shape = g.define("rows", b.lo, b.extent, {});
        for (const Contribution& c : expand(g, b.contributions))
            bodies[static_cast<std::size_t>(b.first + g.address(shape, c.target, {}))] = c.body;
    }
    std::vector<WrittenRow> rows(p.tops.selected.size());
    const TopNumbers number(g, p);
    for (std::size_t k = 0; k < p.tops.selected.size(); ++k)
        rows[static_cast<std::size_t>(p.tops.equation[k])] =
            make_row(g, bodies[static_cast<std::size_t>(p.tops.selected[k])], number);
    return rows;
}

} // namespace vessiot
