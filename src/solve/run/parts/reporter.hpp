// The points that a run reports inside of its steps: at the times asked for, in arclength at every passage of them.
#pragma once

#include "solve/run/parts/state.hpp"

namespace vessiot {

template <class S> class Reporter {
public:
    explicit Reporter(RunState<S>& run) : run_(run) {}

    // Is a point to be reported before the end of this step, or, in arclength, perhaps?
    bool reports_inside(S tau, S h) const;
    // Is one to be reported at the very end of the last step?
    bool reports_at_end() const;
    // Those of the last step, up to theta_end. One at theta_end itself is that after the jump, if there is one.
    void report_between(S theta_end, bool is_jump = false);

private:
    void report_at(S theta, S t);
    bool is_at_tick(S t) const;

    RunState<S>& run_;
};

extern template class Reporter<double>;
extern template class Reporter<Quad>;

} // namespace vessiot
