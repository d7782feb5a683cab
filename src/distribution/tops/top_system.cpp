#include "distribution/tops/top_system.hpp"

namespace vessiot {

using namespace expr;

namespace {

std::vector<RowTemplate> templates(const Prolongation& p) {
    std::vector<RowTemplate> result;
    for (const RowFamily& f : p.tops.families) result.push_back({f.domain, f.residual});
    return result;
}

// Rows in the order of the equations, columns in that of the tops.
Selection selection(const Prolongation& p) {
    Selection s{p.n_equations(), p.n_tops(), {}, {}};
    s.row.assign(static_cast<std::size_t>(p.tops.n_rows), -1);
    for (std::size_t k = 0; k < p.tops.selected.size(); ++k)
        s.row[static_cast<std::size_t>(p.tops.selected[k])] = p.tops.equation[k];
    s.column.assign(static_cast<std::size_t>(p.z.size), -1);
    for (std::size_t k = 0; k < p.top.size(); ++k)
        s.column[static_cast<std::size_t>(p.top[k])] = static_cast<std::int32_t>(k);
    return s;
}

} // namespace

template <class S>
TopSystem<S>::TopSystem(const System& system, const Prolongation& p, Jets<S>& jets, const EvaluatorOptions& evaluator)
    : jets_(jets), function_(*system.graph, jets, templates(p), selection(p), {evaluator, true, p.z.jets}) {}

template class TopSystem<double>;
template class TopSystem<Quad>;

} // namespace vessiot
