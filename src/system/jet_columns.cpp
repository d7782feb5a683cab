#include "system/jet_columns.hpp"

#include <map>
#include <numeric>
#include <utility>

namespace vessiot {

using namespace expr;

std::vector<JetColumn> jet_columns(const System& system, const Coordinates& z) {
    std::vector<JetColumn> columns;
    columns.reserve(static_cast<std::size_t>(z.size));
    std::int64_t first = 0;
    for (std::size_t k = 0; k < system.unknowns.size(); ++k) {
        const Unknown& u = system.unknowns[k];
        const std::int64_t size = system.graph->array(u.array).size();
        for (int order = 0; order <= u.order; ++order)
            for (std::int64_t e = 0; e < size; ++e)
                columns.push_back({.unknown = static_cast<std::int32_t>(k),
                                   .order = order,
                                   .element = first + e,
                                   .is_top = order == u.order && order > 0});
        first += size;
    }
    return columns;
}

Rows by_rows(const SparseMatrix& m) {
    Rows rows;
    rows.start.assign(static_cast<std::size_t>(m.rows) + 1, 0);
    for (const std::int32_t r : m.row) ++rows.start[static_cast<std::size_t>(r) + 1];
    std::partial_sum(rows.start.begin(), rows.start.end(), rows.start.begin());
    rows.entries.resize(m.row.size());
    std::vector<std::int64_t> next(rows.start.begin(), rows.start.end() - 1);
    for (std::int64_t c = 0; c < m.columns; ++c)
        for (std::int64_t k = m.column_start[static_cast<std::size_t>(c)];
             k < m.column_start[static_cast<std::size_t>(c) + 1]; ++k) {
            const auto row = static_cast<std::size_t>(m.row[static_cast<std::size_t>(k)]);
            rows.entries[static_cast<std::size_t>(next[row]++)] = {static_cast<std::int32_t>(c),
                                                                   static_cast<std::int32_t>(k)};
        }
    return rows;
}

namespace {

// Does an element of a defined array depend on t or on an unknown? Asked element by element: the second derivatives in
// an assembled equation of motion may have constant factors while its other terms have not.
class Variation {
public:
    explicit Variation(const Graph& graph) : graph_(graph) {}

    // Calls visit(position) for the elements that a contribution makes vary.
    template <class Visit> void for_varying(ArrayId a, const Contribution& c, const Visit& visit) {
        if (!graph_.node(c.body).varies) return;
        const Reads& reads = reads_of(c.body);
        graph_.index().for_each(c.domain, [&](const Env& env) {
            bool varies = reads.is_direct;
            for (std::size_t k = 0; k < reads.defined.size() && !varies; ++k) {
                const auto& [array, list] = reads.defined[k];
                const std::int64_t address = graph_.address(array, list, env);
                varies = address >= 0 && elements_of(array)[static_cast<std::size_t>(address)];
            }
            if (varies) visit(static_cast<std::size_t>(graph_.address(a, c.target, env)));
            return true;
        });
    }

private:
    struct Reads {
        bool is_direct = false; // t or an unknown
        std::vector<std::pair<ArrayId, ListId>> defined;
    };

    const Reads& reads_of(NodeId body) {
        const auto [it, is_new] = reads_.try_emplace(body);
        if (!is_new) return it->second;
        for (const NodeId n : graph_.cone({body})) {
            const Node& x = graph_.node(n);
            if (x.op != Op::read || !graph_.array(x.a).varies) continue;
            if (graph_.array(x.a).role == ArrayRole::defined)
                it->second.defined.emplace_back(x.a, x.b);
            else
                it->second.is_direct = true;
        }
        return it->second;
    }

    const std::vector<char>& elements_of(ArrayId a) {
        if (const auto it = elements_.find(a); it != elements_.end()) return it->second;
        std::vector<char> varies(static_cast<std::size_t>(graph_.array(a).size()), 0);
        for (const Contribution& c : graph_.array(a).definition)
            for_varying(a, c, [&](std::size_t element) { varies[element] = 1; });
        return elements_.emplace(a, std::move(varies)).first->second;
    }

    const Graph& graph_;
    std::map<NodeId, Reads> reads_;
    std::map<ArrayId, std::vector<char>> elements_;
};

} // namespace

std::vector<char> varying_entries(const Graph& graph, const SparseMatrix& m) {
    std::vector<char> varies(m.row.size(), 0);
    if (m.values == none) return varies;
    Variation variation(graph);
    for (const Contribution& c : graph.array(m.values).definition)
        variation.for_varying(m.values, c, [&](std::size_t local) {
            if (m.position[local] >= 0) varies[static_cast<std::size_t>(m.position[local])] = 1;
        });
    return varies;
}

} // namespace vessiot
