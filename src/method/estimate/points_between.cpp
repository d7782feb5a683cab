#include "method/estimate/points_between.hpp"

#include <cmath>

namespace vessiot::method {

double product_of(std::span<const double> places, double theta) {
    double result = 1;
    for (const double c : places) result *= theta - c;
    return result;
}

double place_of_largest(std::span<const double> places) {
    constexpr int n = 64;
    double at = 0.5;
    for (int k = 1; k < n; ++k)
        if (const double theta = double(k) / n;
            std::fabs(product_of(places, theta)) > std::fabs(product_of(places, at)))
            at = theta;
    return at;
}

void AgreedPlaces::look_at(std::span<const double> places) {
    if (places.data() == places_.data()) return;
    places_ = places;
    largest_at_ = place_of_largest(places);
    largest_ = std::fabs(product_of(places, largest_at_));
    const std::span<const double> others = places.subspan(1);
    largest_direction_ = std::fabs(product_of(others, place_of_largest(others)));
}

double AgreedPlaces::product(double theta) const {
    return product_of(places_, theta);
}

double AgreedPlaces::product_of_directions(double at) const {
    return product_of(places_.subspan(1), at);
}

template <class S>
Walk<S>::Walk(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options,
              bool is_needed)
    : info_(info), field_(field), projection_(projection), options_(options), n_(field.size()),
      stride_(linalg::padded(n_)), points_(is_needed ? stride_ * (n_parts + 1) : 0) {
    options_.estimate = Estimate::none;
    options_.is_between = false;
    binomial_[0][0] = S(1);
    for (std::size_t k = 0; k < n_parts; ++k) // binomial(m, k + 1) = binomial(m, k) (m - k) / (k + 1)
        for (std::size_t m = 0; m <= k; ++m) {
            binomial_[k + 1][m] -= S(k) * binomial_[k][m] / S(k + 1);
            binomial_[k + 1][m + 1] += S(n_parts) * binomial_[k][m] / S(k + 1);
        }
}

template <class S> void Walk<S>::begin(S tau, const S* x) {
    if (!stepper_) stepper_ = make_stepper<S>(info_, field_, projection_, options_);
    stepper_->begin(tau, x);
    std::copy_n(x, n_, point(0));
}

template <class S> bool Walk<S>::go_to(std::size_t k, int n_each, S h) {
    for (int j = 0; j < n_each; ++j) {
        if (stepper_->attempt(h / S(n_each * n_parts)).outcome != StepOutcome::done) return false;
        stepper_->accept();
    }
    std::copy_n(stepper_->point(), n_, point(k));
    return true;
}

template <class S> void Walk<S>::interpolate(S* coefficients) {
    std::array<S, n_parts + 1> d;
    for (std::int64_t i = 0; i < n_; ++i) {
        for (std::size_t k = 0; k <= n_parts; ++k) d[k] = point(k)[i];
        for (std::size_t order = 1; order <= n_parts; ++order) // after that d[k] is D^k
            for (std::size_t k = n_parts; k >= order; --k) d[k] -= d[k - 1];
        for (std::size_t k = 0; k <= n_parts; ++k) point(k)[i] = d[k];
        for (std::size_t m = 0; m <= n_parts; ++m) {
            S sum = 0;
            for (std::size_t k = n_parts + 1; k-- > m;) sum += binomial_[k][m] * d[k];
            coefficients[static_cast<std::int64_t>(m) * stride_ + i] = sum;
        }
    }
}

template class Walk<double>;
template class Walk<Quad>;

} // namespace vessiot::method
