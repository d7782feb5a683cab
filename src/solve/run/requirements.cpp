#include "solve/run/requirements.hpp"

#include <fmt/format.h>

#include "solve/run/recorder.hpp"
#include "system/requirement.hpp"

namespace vessiot {

template <class S> Requirements<S>::Requirements(RunState<S>& run) : run_(run), w_(run.problem().n_tops()) {
    const System& system = run.problem().system();
    if (system.requirements.empty()) return;
    expr::Graph& g = *system.graph;
    std::vector<RowTemplate> rows;
    for (const Requirement& r : system.requirements) {
        const bool is_held = run.problem().analysis().conditions != nullptr; // then it is relaxed already
        rows.push_back({g.index().scalar_domain(), is_held ? r.condition : relaxed(g, r.condition)});
        needs_tops_ |= reads_tops(run.problem().analysis(), r.condition, "an assertion");
    }
    std::int64_t n = 0;
    const std::vector<expr::RowBlock> blocks = row_blocks(g, rows, n);
    const expr::ArrayId array = row_array(g, "requirements", blocks, n);
    function_.emplace(g, run.problem().jets().inputs(), std::vector<expr::BufferSpec>{{"requirements", {array}}},
                      run.problem().evaluator());
    run.problem().jets().prepare(*function_);
    values_.resize(static_cast<std::size_t>(n));
    is_noted_.resize(static_cast<std::size_t>(n));
}

template <class S> bool Requirements<S>::are_met(S t, const S* x) {
    if (is_empty()) return true;
    if (needs_tops_ && run_.problem().distribution().tops(t, x, w_.data()) != PointStatus::good) return true;
    S* outputs[] = {values_.data()};
    (*function_)(run_.problem().jets().at(t, x, w_.data()), outputs);
    for (std::size_t k = 0; k < values_.size(); ++k) {
        if (values_[k] != S(0)) continue;
        const Requirement& r = run_.problem().system().requirements[k];
        const std::string place = r.where.line > 0 ? fmt::format(" (line {})", r.where.line) : "";
        if (r.is_error) {
            run_.fail(fmt::format("the run ended at {} = {}: an assertion of the model fails{}: {}",
                                  run_.solution.independent, run_.show(t), place, r.message));
            return false;
        }
        if (!is_noted_[k])
            run_.solution.notes.push_back(fmt::format("warning: from {} = {} on an assertion of the model fails{}: {}",
                                                      run_.solution.independent, run_.show(t), place, r.message));
        is_noted_[k] = 1;
    }
    return true;
}

template class Requirements<double>;
template class Requirements<Quad>;

} // namespace vessiot
