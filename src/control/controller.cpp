#include "control/controller.hpp"

#include <algorithm>
#include <cmath>

#include "core/near_power.hpp"
#include "core/quad.hpp"

namespace vessiot {

namespace {

// The power of h with which the estimate falls.
int power_of_estimate(const method::MethodInfo& info, Estimate estimate) {
    if (estimate == Estimate::by_doubling || info.family->reads_steps_from_series) return info.order + 1;
    // The estimate is b - b_hat: as good as the worse of the two. That of two embedded methods (dop853) behaves as
    // h^8 although the orders are 8, 5 and 3: |e_5|^2 / |e_3| = h^(2 * 6 - 4).
    const int lower = std::min(info.order, info.embedded_order);
    return info.low_order > 0 ? 2 * (lower + 1) - (info.low_order + 1) : lower + 1;
}

// word_unit log2 error^2, about
double words(double error, const ErrorSquare& square) {
    return square.is_known() ? as_word(square.above) - as_word(square.below) : 2 * (as_word(error) - as_word(1));
}

double near_log(double error, const ErrorSquare& square) {
    return square.is_known() ? 0.5 * near_log2(square.above / square.below) : near_log2(error);
}

} // namespace

double usual_beta(double exponent) {
    return 0.2 * exponent;
}

ControllerOptions controller_options(const method::MethodInfo& info, Estimate estimate) {
    const double k = 1.0 / power_of_estimate(info, estimate);
    if (info.family->is_implicit && estimate != Estimate::by_doubling)
        return {.factor_max = 8, .beta = 0, .exponent = k, .is_predictive = true, .factor_keep = 1.2};
    // NOTE: high orders change h more carefully: with 0.9 and no damping up to a third of the steps of dop853 are
    // rejected, and at equal errors it makes an eighth more of them.
    if (info.order >= 8)
        return {.safety = 0.85, .factor_min = 1.0 / 3, .factor_max = 6, .beta = 0.04, .exponent = k, .is_rough = true};
    return {.beta = usual_beta(k), .exponent = k};
}

template <class S> S Controller<S>::next(S error, S h, bool accepted, S caution, const ErrorSquare& square) {
    const auto err = static_cast<double>(error);
    const double safety = options_.safety * static_cast<double>(caution);
    return h * S(accepted ? after_accepted(err, square, std::abs(static_cast<double>(h)), safety)
                          : after_rejected(err, square, safety));
}

template <class S> S Controller<S>::failed(S h, double factor) {
    was_rejected_ = true;
    return h * S(factor);
}

template <class S>
double Controller<S>::after_accepted(double error, const ErrorSquare& square, double h, double safety) {
    const double factor_max = was_rejected_ ? 1 : options_.factor_max;
    was_rejected_ = false;
    // NOTE: the comparison is false for NaN, too.
    if (!(error >= 0)) return options_.factor_min;
    if (options_.is_predictive) {
        const double factor = std::clamp(predicted(error, h, safety), options_.factor_min, factor_max);
        return factor >= 1 && factor < options_.factor_keep ? 1 : factor;
    }
    const double alpha = options_.exponent - 0.75 * options_.beta;
    const auto bounded = [&](double factor) { // as lists of operations do it
        return std::max(factor_max < factor ? factor_max : factor, options_.factor_min);
    };
    if (options_.is_rough) {
        const double log = words(error, square);
        const double begin = begin_of_power_times(safety) + (options_.beta * word_unit) * log_old_;
        const double factor = rough_power(begin - (alpha / 2) * log);
        log_old_ = std::max((0.5 / word_unit) * log, log_of_good);
        return bounded(factor);
    }
    const double log = near_log(error, square);
    const double factor = safety * near_exp2(options_.beta * log_old_ - alpha * log); // infinite for error = 0
    log_old_ = std::max(log, log_of_good);
    return bounded(factor);
}

// The smaller one of what the error and what its change ask for.
template <class S> double Controller<S>::predicted(double error, double h, double safety) {
    double factor = safety * near_power(error, -options_.exponent);
    if (h_old_ > 0)
        factor = std::min(factor,
                          options_.safety * (h / h_old_) * near_power(error_old_ / (error * error), options_.exponent));
    h_old_ = h;
    error_old_ = std::max(error, 1e-2);
    return factor;
}

template <class S> double Controller<S>::after_rejected(double error, const ErrorSquare& square, double safety) {
    was_rejected_ = true;
    // NOTE: an error below 1, or none at all, says that the step failed for another reason.
    if (!(error > 1)) return options_.factor_min;
    if (options_.is_rough)
        return std::max(options_.factor_min,
                        rough_power(begin_of_power_times(safety) - (options_.exponent / 2) * words(error, square)));
    return std::max(options_.factor_min, safety * near_exp2(-options_.exponent * near_log(error, square)));
}

template class Controller<double>;
template class Controller<Quad>;

} // namespace vessiot
