#include "solve/problem/in_parts.hpp"

#include <utility>

namespace vessiot {

bool SolveInParts::fits(const ProblemCore& core) {
    const Settings& o = core.options();
    return !core.system().has_ends() && o.precision != Precision::quad && !o.is_arclength() && o.homotopy.empty() &&
           o.sensitivity.empty() && !method::is_direct(core.method());
}

SolveInParts::SolveInParts(ProblemCore& core, const RunOptions& run) : options_(core.with(run)) {
    const auto begin = [&](const System& system) {
        solution_ = new_solution(system);
        const auto [span, from] = span_of<double>(system, options_, true, solution_);
        made_.emplace(begin_solve(core, system, options_, span, from, solution_));
    };
    if (run.parameters.empty())
        begin(core.system());
    else
        begin(core.with_parameters(run));
    const expr::CodeCache::Scope scope = code();
    made_->run->start();
}

std::optional<Solution> SolveInParts::finish() {
    made_->run->finish();
    if (solution_.status != Status::success || solution_.error || made_->run->was_blind()) return std::nullopt;
    return std::move(solution_);
}

} // namespace vessiot
