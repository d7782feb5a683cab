#include "method/between.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/scalar.hpp"

namespace vessiot::method {

namespace {

constexpr double allowance = 10; // tolerances that p may be off
constexpr double safety = 0.9;   // of the controllers

double product(std::span<const double> places, double theta) {
    double result = 1;
    for (const double c : places) result *= theta - c;
    return result;
}

// max |M| over the step
double largest_product(std::span<const double> places) {
    constexpr int n = 64;
    double largest = 0;
    for (int k = 1; k < n; ++k) largest = std::max(largest, std::fabs(product(places, double(k) / n)));
    return largest;
}

} // namespace

template <class S>
Between<S>::Between(const MethodInfo& info, std::int64_t n, std::unique_ptr<Stepper<S>> inner,
                    const StepperOptions<S>& options)
    : info_(info), n_(n), n_padded_(linalg::padded(n)), inner_(std::move(inner)),
      is_doubling_(options.estimate == Estimate::by_doubling), norm_(n, options), before_(n), off_(n),
      coefficients_(n_padded_ * (inner_->dense_degree() + 1)) {}

template <class S> void Between<S>::forget() {
    has_before_ = false;
    h_refused_ = error_refused_ = 0;
}

template <class S> void Between<S>::begin(S tau, const S* x) {
    inner_->begin(tau, x);
    forget();
}

template <class S> void Between<S>::begin_as(int mode, S tau, const S* x) {
    inner_->begin_as(mode, tau, x);
    forget();
}

template <class S> void Between<S>::accept() {
    std::copy_n(inner_->point(), n_, before_.data());
    h_before_ = h_;
    inner_->accept();
    has_before_ = true;
    h_refused_ = error_refused_ = 0;
}

template <class S> StepReport<S> Between<S>::attempt(S h) {
    StepReport<S> report = inner_->attempt(h);
    h_ = h;
    if (report.outcome != StepOutcome::done || !(report.error <= S(1))) return report;
    const S error = curve_error(h);
    if (!linalg::is_finite(error) || is_noise(h, error)) return report;
    if (error > S(1)) {
        h_refused_ = h;
        error_refused_ = error;
    }
    const S seen = as_error_of_points(error);
    report.error = std::max(report.error, error > S(1) ? seen : std::min(seen, holding_error()));
    return report;
}

// e, in `allowance` tolerances.
template <class S> S Between<S>::curve_error(S h) {
    const std::span<const double> places = inner_->dense_places();
    const bool is_simple = std::ranges::count(places, 0.0) == 1;
    if (places.empty() || (!has_before_ && !is_simple)) return S(0);
    const auto degree = static_cast<int>(places.size()) - 1;
    S part = 0; // max |M| over |M(theta_0)|, or |M'(0)|
    if (has_before_) {
        if (inner_->dense(coefficients_.data()) != PointStatus::good) return S(0);
        const S theta = -h_before_ / h;
        part = S(largest_product(places)) / linalg::absolute(S(product(places, static_cast<double>(theta))));
        for (std::int64_t i = 0; i < n_; ++i) {
            S p = 0;
            for (int k = degree; k > 0; --k) p = theta * (p + coefficients_[k * n_padded_ + i]);
            off_[i] = (before_[i] - coefficients_[i]) - p;
        }
    } else {
        const S* v = inner_->direction();
        if (!v || inner_->dense(coefficients_.data()) != PointStatus::good) return S(0);
        part = S(largest_product(places)) / linalg::absolute(S(product(places.subspan(1), 0)));
        for (std::int64_t i = 0; i < n_; ++i) off_[i] = h * v[i] - coefficients_[n_padded_ + i];
    }
    return norm_(off_.data(), inner_->point(), inner_->candidate()) * part / S(allowance);
}

template <class S> bool Between<S>::is_noise(S h, S error) const {
    if (error_refused_ == S(0)) return false;
    const S ratio = h / h_refused_;
    return error > error_refused_ * ratio * ratio;
}

template <class S> int Between<S>::power_of_estimate() const {
    const MethodInfo& info = inner_->at_work() ? *inner_->at_work() : info_;
    return 1 + (is_doubling_ ? info.order : std::min(info.order, info.embedded_order));
}

template <class S> S Between<S>::as_error_of_points(S error) const {
    const double exponent = power_of_estimate() / static_cast<double>(inner_->dense_places().size());
    return S(std::pow(static_cast<double>(error), exponent));
}

template <class S> S Between<S>::holding_error() const {
    return S(std::pow(safety, power_of_estimate()));
}

template class Between<double>;
template class Between<float128>;

} // namespace vessiot::method
