#include "solve/watch/requirement_values.hpp"

#include "solve/run/recorder.hpp"
#include "system/requirement.hpp"

namespace vessiot {

template <class S>
RequirementValues<S>::RequirementValues(Compiled<S>& problem) : problem_(problem), w_(problem.n_tops()) {
    const System& system = problem.system();
    if (system.requirements.empty()) return;
    expr::Graph& g = *system.graph;
    std::vector<RowTemplate> rows;
    for (const Requirement& r : system.requirements) {
        const bool is_held = problem.analysis().conditions != nullptr; // then it is relaxed already
        rows.push_back({g.index().scalar_domain(), is_held ? r.condition : relaxed(g, r.condition)});
        needs_tops_ |= reads_tops(problem.analysis(), r.condition, "an assertion");
    }
    std::int64_t n = 0;
    const std::vector<expr::RowBlock> blocks = row_blocks(g, rows, n);
    const expr::ArrayId array = row_array(g, "requirements", blocks, n);
    function_.emplace(g, problem.jets().inputs(), std::vector<expr::BufferSpec>{{"requirements", {array}}},
                      problem.evaluator());
    problem.jets().prepare(*function_);
    values_.resize(static_cast<std::size_t>(n));
}

template <class S> const S* RequirementValues<S>::operator()(S t, const S* x) {
    if (needs_tops_ && problem_.distribution().tops(t, x, w_.data()) != PointStatus::good) return nullptr;
    S* outputs[] = {values_.data()};
    (*function_)(problem_.jets().at(t, x, w_.data()), outputs);
    return values_.data();
}

template class RequirementValues<double>;
template class RequirementValues<Quad>;

} // namespace vessiot
