// The size of the next step from the error of the last one. [HNW93, II.4, II.10]
//
//     after an accepted step     h_new = h safety err^-(k - 3/4 beta) err_old^beta
//     after a rejected step      h_new = h safety err^-k
//
// Notation: err the norm of the error estimate, 1 where it just meets the tolerance; k = 1 / order of the estimate, the
// power of h with which err falls; err_old the error of the accepted step before; beta > 0 damps oscillations of h
// where stability and not accuracy limits it ("PI control"); beta = 0 is elementary control. h_new / h stays between
// factor_min and factor_max, and not above 1 where the step before was rejected.
#pragma once

#include "method/registry.hpp"
#include "method/stepper.hpp"

namespace vessiot {

struct ControllerOptions {
    double safety = 0.9;     // aims below the tolerance, so that few steps are rejected; 0 < safety < 1
    double factor_min = 0.2; // a step shrinks at most to this part; 0 < factor_min < 1
    double factor_max = 10;  // and grows at most by this factor; > 1
    double beta = 0.04;      // 0: elementary control; up to 0.4 / order of the estimate, more damps more
    double exponent = 0.2;   // k; > 3/4 beta
};

// Those of the method: k from its embedded method, which leads to Hairer and Wanner's settings for dopri54 and dop853,
// or from its order if steps are doubled.
ControllerOptions controller_options(const method::MethodInfo& info, Estimate estimate = Estimate::by_weights);

// The beta of PI control for an estimate with this k.
double usual_beta(double exponent);

template <class S> class Controller {
public:
    explicit Controller(const ControllerOptions& options) : options_(options) {}

    // The step to try next, of the sign of h, after one of h with this error. A rejected step shrinks, whatever its
    // error (it may have failed for another reason: the error is NaN then, or not known).
    S next(S error, S h, bool accepted);
    // The step to try after one of h that failed without an estimate: that part of it. Counts as a rejection.
    S failed(S h, double factor);
    // Forgets the past: at the start, and after a jump.
    void reset() { *this = Controller(options_); }

private:
    double after_accepted(double error);
    double after_rejected(double error);

    ControllerOptions options_;
    double error_old_ = 1e-4; // as if steps had been good so far
    bool was_rejected_ = false;
};

} // namespace vessiot
