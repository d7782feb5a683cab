#include "system/jet_columns.hpp"

#include <numeric>

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

std::vector<char> varying_entries(const Graph& graph, const SparseMatrix& m) {
    std::vector<char> varies(m.row.size(), 0);
    if (m.values == none) return varies;
    for (const Contribution& c : graph.array(m.values).definition) {
        if (!graph.node(c.body).varies) continue;
        graph.index().for_each(c.domain, [&](const Env& env) {
            const std::int64_t local = graph.address(m.values, c.target, env);
            const std::int32_t position = m.position[static_cast<std::size_t>(local)];
            if (position >= 0) varies[static_cast<std::size_t>(position)] = 1;
            return true;
        });
    }
    return varies;
}

} // namespace vessiot
