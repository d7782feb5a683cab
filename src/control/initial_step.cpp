#include "control/initial_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/near_power.hpp"
#include "core/quad.hpp"
#include "linalg/scalar.hpp"
#include "linalg/vector.hpp"

namespace vessiot {
namespace {

// The weighted norm at x. A double will do for all of this.
template <class S> class Norm {
public:
    Norm(std::int64_t n, const S* x, const InitialStep<S>& options) : n_(n), x_(x), options_(options) {}
    double operator()(const S* v) const {
        const S sum = linalg::weighted_sum_of_squares(n_, v, x_, x_, options_.atol, options_.rtol);
        return n_ > 0 ? std::sqrt(static_cast<double>(sum) / static_cast<double>(n_)) : 0;
    }

private:
    std::int64_t n_;
    const S* x_;
    const InitialStep<S>& options_;
};

// d_2, or NaN where V fails at the trial point.
template <class S> double second_derivative(Stepper<S>& stepper, Field<S>& field, const Norm<S>& norm, S h) {
    const std::int64_t n = field.size();
    const S *x = stepper.point(), *v = stepper.direction();
    linalg::Vector<S> trial(n), difference(n);
    for (std::int64_t i = 0; i < n; ++i) trial[i] = x[i] + h * v[i];
    if (field.direction(stepper.tau() + h, trial.data(), difference.data()) != PointStatus::good) return NAN;
    for (std::int64_t i = 0; i < n; ++i) difference[i] -= v[i];
    return norm(difference.data()) / std::abs(static_cast<double>(h));
}

} // namespace

template <class S> S initial_step(Stepper<S>& stepper, Field<S>& field, const InitialStep<S>& options) {
    const double h_max = static_cast<double>(options.h_max);
    const double sign = options.is_backward ? -1 : 1;
    const double small = std::isfinite(h_max) ? 1e-6 * h_max : 1e-6;
    const S* v = stepper.direction();
    // The first attempt will say what is wrong.
    if (!v) return S(sign * small);
    const Norm<S> norm(field.size(), stepper.point(), options);
    const double d_0 = norm(stepper.point()), d_1 = norm(v);
    double h_0 = d_0 >= 1e-5 && d_1 >= 1e-5 ? std::min(0.01 * (d_0 / d_1), h_max) : small;
    // NOTE: norms may overflow; the comparison is false for NaN, too.
    if (!(h_0 > 0)) h_0 = small;
    const double d_2 = second_derivative(stepper, field, norm, S(sign * h_0));
    if (!(d_1 + d_2 < INFINITY)) return S(sign * 0.01 * h_0);
    const double d = std::max(d_1, d_2);
    const double h_1 = d <= 1e-15 ? INFINITY : near_power(0.01 / d, 1.0 / (options.order + 1));
    return S(sign * std::min({100 * h_0, h_1, h_max}));
}

template double initial_step(Stepper<double>&, Field<double>&, const InitialStep<double>&);
template Quad initial_step(Stepper<Quad>&, Field<Quad>&, const InitialStep<Quad>&);

} // namespace vessiot
