// A solve of a problem that can be left between steps, so that one thread has several under way. It ends as
// ProblemCore::solve does where it reaches the end of the interval; whoever needs to know how another one ends solves
// again.
#pragma once

#include <optional>

#include "solve/problem/problem.hpp"
#include "solve/problem/solving.hpp"

namespace vessiot {

class SolveInParts {
public:
    // Can solves of this problem be left? Not with values at both ends, in quadruple precision or in arclength.
    static bool fits(const ProblemCore& core);

    // Finds the start point. Throws InvalidInput.
    SolveInParts(ProblemCore& core, const RunOptions& run);
    SolveInParts(const SolveInParts&) = delete;
    SolveInParts& operator=(const SolveInParts&) = delete;

    // Before anything is done with the run, if another one was at work in this thread.
    void take_over() { made_->loan->engine().take_over(); }
    Run<double>& run() { return *made_->run; }
    expr::CodeCache::Scope code() { return expr::CodeCache::Scope(made_->loan.pool()->code()); }
    // After the last step. None where it did not simply reach its end.
    std::optional<Solution> finish();

private:
    Settings options_;
    Solution solution_;
    std::optional<RunToMake<double>> made_;
};

} // namespace vessiot
