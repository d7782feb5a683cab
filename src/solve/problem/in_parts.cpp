#include "solve/problem/in_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vessiot {

bool SolveInParts::fits(const ProblemCore& core) {
    const Settings& o = core.options();
    return !core.system().has_ends() && o.precision != Precision::quad && !o.is_arclength() && o.homotopy.empty() &&
           o.sensitivity.empty() && !method::is_direct(core.method());
}

void Told::tell(const RunOptions& run) {
    const bool are_finite =
        std::ranges::all_of(run.start, [](const auto& value) { return std::isfinite(value.second); });
    if (!system_ || !are_finite) { // all is looked at
        options_ = core_.with(run);
        system_ = core_.with_parameters(run);
        return;
    }
    const std::size_t first = core_.options().start.size();
    for (std::size_t k = 0; k < run.start.size(); ++k) options_.start[first + k].second = run.start[k].second;
    ProblemCore::set_parameters(run, *system_);
}

SolveInParts::SolveInParts(ProblemCore& core, const Told& told) : solution_(new_solution(told.system())) {
    const auto [span, from] = span_of<double>(told.system(), told.options(), true, solution_);
    made_.emplace(begin_solve(core, told.system(), told.options(), span, from, solution_));
    const expr::CodeCache::Scope scope = code();
    made_->run->start();
}

std::optional<Solution> SolveInParts::finish() {
    made_->run->finish();
    if (solution_.status != Status::success || solution_.error || made_->run->was_blind()) return std::nullopt;
    return std::move(solution_);
}

} // namespace vessiot
