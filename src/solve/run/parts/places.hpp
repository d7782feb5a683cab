// Singular places that a run passes: where t turns, and where several curves cross.
#pragma once

#include <string>

#include "solve/run/parts/reporter.hpp"
#include "solve/run/parts/state.hpp"

namespace vessiot {

template <class S> class SingularPlaces {
public:
    SingularPlaces(RunState<S>& run, Reporter<S>& reporter) : run_(run), reporter_(reporter) {}

    void follow_curve(); // in arclength: which way is forward
    void note_turns();   // of t, in the last step
    // Does the step that was tried, and is not accepted yet, pass a place where t turns, or change branches?
    bool is_over_fold(S tau, S h);
    void look_for_crossing();                 // of several curves, in the last step
    void note_near_miss(S t);                 // of another curve
    void look_for_pole(std::int64_t divisor); // of the direction, in the last step, where this divisor vanishes

private:
    S crossing_exponent(S theta);
    S trace_at(S theta, S& t);
    S speed_at(S theta);
    bool cannot_turn() const;
    bool is_at_infinity(S theta); // and then it has failed
    void fail_open(S theta, const std::string& place);

    RunState<S>& run_;
    Reporter<S>& reporter_;
};

extern template class SingularPlaces<double>;
extern template class SingularPlaces<Quad>;

} // namespace vessiot
