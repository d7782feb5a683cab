// Why a run ended early, in words: what was found, what was needed, where, what to try.
#pragma once

#include <string>

#include "solve/run/parts/state.hpp"

namespace vessiot {

// Each ends the run.
template <class S> class FailureTexts {
public:
    explicit FailureTexts(RunState<S>& run) : run_(run) {}

    void small_step(S h, const StepReport<S>& report);
    void max_steps(S t);
    void memory();
    void output(const std::string& why);
    void exception(); // the one that is handled now

private:
    void large(S t);
    std::string cause(const StepReport<S>& report);
    std::string error_cause(const StepReport<S>& report);
    std::string not_finite_cause(const StepReport<S>& report);
    std::string singular_cause() const;
    std::string derivative_cause(const StepReport<S>& report) const;
    std::string convergence_cause(const StepReport<S>& report) const;
    std::string impasse_advice() const;
    std::string end_advice() const;
    std::string fastest();

    RunState<S>& run_;
};

extern template class FailureTexts<double>;
extern template class FailureTexts<Quad>;

} // namespace vessiot
