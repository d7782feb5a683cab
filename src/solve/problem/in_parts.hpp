// A solve of a problem that can be left between steps, so that one thread has several under way. It ends as
// ProblemCore::solve does where it reaches the end of the interval; whoever needs to know how another one ends solves
// again.
#pragma once

#include <optional>

#include "solve/problem/problem.hpp"
#include "solve/problem/solving.hpp"

namespace vessiot {

// What solves of a problem are told that differ in numbers only: in parameters and start values of the same names.
class Told {
public:
    explicit Told(const ProblemCore& core) : core_(core) {}

    // Throws InvalidInput. What follows is valid until the next call.
    void tell(const RunOptions& run);
    const System& system() const { return *system_; }
    const Settings& options() const { return options_; }

private:
    const ProblemCore& core_;
    std::optional<System> system_;
    Settings options_;
};

class SolveInParts {
public:
    // Can solves of this problem be left? Not with values at both ends, in quadruple precision or in arclength.
    static bool fits(const ProblemCore& core);

    // Finds the start point. Throws InvalidInput.
    SolveInParts(ProblemCore& core, const Told& told);
    SolveInParts(const SolveInParts&) = delete;
    SolveInParts& operator=(const SolveInParts&) = delete;

    // While anything is done with the run: factorisations that it makes are its own.
    linalg::PivotsInUse pivots() { return made_->loan->engine().pivots_in_use(); }
    Run<double>& run() { return *made_->run; }
    Workspace<double>& workspace() { return *made_->loan; }
    const std::shared_ptr<expr::CodeCache>& code_cache() { return made_->loan.pool()->code(); }
    expr::CodeCache::Scope code() { return expr::CodeCache::Scope(made_->loan.pool()->code()); }
    // After the last step. None where it did not simply reach its end.
    std::optional<Solution> finish();

private:
    Solution solution_;
    std::optional<RunToMake<double>> made_;
};

} // namespace vessiot
