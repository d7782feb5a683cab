// The size of the next step from the error of the last one. [HNW93, II.4, II.10]
//
//     after an accepted step     h_new = h safety err^-(k - 3/4 beta) err_old^beta
//     after a rejected step      h_new = h safety err^-k
//
// Notation: err the norm of the error estimate, 1 where it just meets the tolerance; k = 1 / order of the estimate, the
// power of h with which err falls; err_old the error of the accepted step before; beta > 0 damps oscillations of h
// where stability and not accuracy limits it ("PI control"); beta = 0 is elementary control. h_new / h stays between
// factor_min and factor_max, and not above 1 where the step before was rejected.
//
// Predictive control, for implicit methods: the next error is taken to change as the last did [Gus94; HW96, IV.8],
//
//     h_new = min(h safety err^-k, h safety (h / h_old) (err_old / err^2)^k)
//
// with err_old at least 0.01, and h stays as it is, and with it what was factorised for it, where it would grow by less
// than `factor_keep`.
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
    bool is_predictive = false;
    bool is_rough = false;  // powers to one per cent do
    double factor_keep = 1; // steps that would grow by less stay as they are; >= 1
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
    // `caution`, at most 1, is a further factor of safety. Where the square of the error is known, its logarithm is
    // taken from that.
    S next(S error, S h, bool accepted, S caution = S(1), const ErrorSquare& square = {});
    // The step to try after one of h that failed without an estimate: that part of it. Counts as a rejection.
    S failed(S h, double factor);
    const ControllerOptions& options() const { return options_; }
    // What it remembers of steps before, but for predictive control: so that others can go on (src/lanes).
    struct Memory {
        double log_old = 0; // log2 of the error of the accepted step before
        bool was_rejected = false;
    };
    Memory memory() const { return {log_old_, was_rejected_}; }
    void remember(const Memory& memory) {
        log_old_ = memory.log_old;
        was_rejected_ = memory.was_rejected;
    }
    static constexpr double log_of_good = -13.287712379549449; // log2 1e-4: as if steps had been good so far
    // Forgets the past: at the start, and after a jump.
    void reset() { *this = Controller(options_); }

private:
    double after_accepted(double error, const ErrorSquare& square, double h, double safety);
    double predicted(double error, double h, double safety);
    double after_rejected(double error, const ErrorSquare& square, double safety);

    ControllerOptions options_;
    double log_old_ = log_of_good; // log2 of the error of the accepted step before
    double error_old_ = 1e-4;      // the same for predictive control
    bool was_rejected_ = false;
    double h_old_ = 0; // of the accepted step before; 0: there was none
};

} // namespace vessiot
