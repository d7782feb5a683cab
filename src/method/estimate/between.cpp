#include "method/estimate/between.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/scalar.hpp"

namespace vessiot::method {

namespace {

constexpr double allowance = 30;   // tolerances that p may be off
constexpr double safety = 0.9;     // of the controllers
constexpr double like = 0.4;       // and 1 / like: ratios of steps of which one tells what happens inside of the other
constexpr std::size_t n_tests = 2; // points at which p is seen to be good
constexpr double clear = 0.2;      // an e there that speaks for the rest of the step too
constexpr double most_seen = 1e30; // an e that need not be known better

// max |M / (theta - 1/2)| of equal parts
double largest_without_middle(int n_parts) {
    std::vector<double> places;
    for (int k = 0; k <= n_parts; ++k)
        if (2 * k != n_parts) places.push_back(double(k) / n_parts);
    return std::fabs(product_of(places, place_of_largest(places)));
}

// Are the directions at the points in it?
bool has_directions(std::span<const double> places) {
    return std::ranges::count(places, 0.0) > 1;
}

bool has_stages_to_solve(const MethodInfo& info) {
    return info.family->is_implicit || is_direct(info);
}

} // namespace

template <class S>
Between<S>::Between(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                    std::unique_ptr<Stepper<S>> inner, const StepperOptions<S>& options)
    : Forwarding<S>(inner.get()), info_(info), n_(field.size()), n_padded_(linalg::padded(n_)), own_(std::move(inner)),
      is_doubling_(options.estimate == Estimate::by_doubling), is_hermite_(has_directions(inner_->dense_places())),
      degree_(is_hermite_ ? std::max(n_parts, inner_->dense_degree()) : inner_->dense_degree()), norm_(n_, options),
      walk_(info, field, projection, options, is_hermite_), before_(n_), start_(n_), off_(n_),
      p_(n_padded_ * (degree_ + 1)) {}

template <class S> void Between<S>::forget() {
    has_step_ = is_accepted_ = is_looked_at_ = is_read_ = false;
    before_.forget();
    refusals_.forget();
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
    inner_->accept();
    is_accepted_ = has_step_;
    refusals_.forget();
}

template <class S> StepReport<S> Between<S>::attempt(S h) {
    if (is_accepted_) {
        is_read_ = false;
        before_.add(tau_, start_);
    }
    std::copy_n(inner_->point(), n_, start_.data());
    tau_ = inner_->tau();
    h_ = h;
    is_accepted_ = is_looked_at_ = false;
    const StepReport<S> report = inner_->attempt(h);
    has_step_ = report.outcome == StepOutcome::done;
    return report;
}

template <class S> S Between<S>::error_with_curve(S error) {
    is_read_ = true;
    look();
    if (dense_status_ != PointStatus::good) return error;
    const double exponent = power_of_estimate() / static_cast<double>(is_walked_ ? n_parts + 1 : places_.size());
    const S seen = S(std::pow(static_cast<double>(error_), exponent));
    if (error_ <= S(1)) {
        const bool may_grow = is_hermite_ && !is_walked_;
        return may_grow ? error : std::max(error, std::min(seen, S(std::pow(safety, power_of_estimate()))));
    }
    return refusals_.add(error_) ? error : std::max(error, seen);
}

template <class S> PointStatus Between<S>::dense(S* coefficients) {
    if (!has_step_) return PointStatus::not_finite;
    if (is_read_) look();
    if (!is_looked_at_) take_polynomial();
    std::ranges::copy(p_, coefficients);
    return dense_status_;
}

template <class S> void Between<S>::look() {
    if (is_looked_at_) return;
    is_looked_at_ = true;
    is_walked_ = false;
    if (!take_polynomial()) return;
    places_.look_at(inner_->dense_places());
    error_ = before_.size() > 0 ? error_by_points_before() : S(0);
    // NOTE: a step that was accepted without a look ends early, at a surface or at the end: it is a part of a good one.
    if (!is_like_before() && error_ <= S(1))
        error_ = !is_accepted_ ? std::max(error_, error_without_them()) : is_hermite_ ? S(most_seen) : error_;
    if (!(error_ <= S(most_seen))) error_ = S(most_seen);
    if (!is_hermite_ || error_ <= S(1)) return;
    // NOTE: where R(infinity) = -1, as in gauss2 and gauss6, points of stiff components lie on either side in turn;
    // every second one does not.
    const int most_each = has_stages_to_solve(info_) ? 2 : 1;
    for (int n_each = 1; n_each <= most_each; ++n_each)
        if (error_ > S(1) && walk(n_each)) error_ = interpolate();
}

template <class S> bool Between<S>::is_like_before() const {
    const S ratio = before_.size() > 0 ? (tau_ - before_.tau(0)) / h_ : S(0);
    return ratio >= S(like) && ratio <= S(1 / like);
}

template <class S> bool Between<S>::take_polynomial() {
    std::fill(p_.begin(), p_.end(), S(0));
    dense_status_ = inner_->dense(p_.data());
    return dense_status_ == PointStatus::good;
}

// p - x, without what is lost at x.
template <class S> S Between<S>::move(S theta, std::int64_t i) const {
    S sum = 0;
    for (int k = degree_; k > 0; --k) sum = theta * (sum + p_[k * n_padded_ + i]);
    return sum;
}

template <class S> S Between<S>::size(S* difference) {
    inner_->scale_error(h_, difference);
    return norm_(difference, start_.data(), end());
}

// NOTE: the points themselves are off by about a tolerance.
template <class S> S Between<S>::measured(S part) {
    return std::max(size(off_.data()) - S(1), S(0)) * part / S(allowance);
}

// NOTE: the larger of two, for the derivative that p lacks may pass zero.
template <class S> S Between<S>::error_by_points_before() {
    S error = 0;
    for (std::size_t b = 0; b < before_.size(); ++b) {
        const S theta = (before_.tau(b) - tau_) / h_;
        const auto at = static_cast<double>(theta);
        for (std::int64_t i = 0; i < n_; ++i) off_[i] = (before_[b][i] - start_[i]) - move(theta, i);
        double part = places_.largest() / std::fabs(places_.product(at));
        if (is_hermite_)
            part = std::max(part, places_.largest_of_directions() / std::fabs(places_.product_of_directions(at)));
        error = std::max(error, measured(S(part)));
    }
    return error;
}

template <class S> S Between<S>::error_without_them() {
    const bool has_stages_on_curve = !is_hermite_ && !is_direct(info_);
    const S error = has_stages_on_curve ? error_by_direction() : S(most_seen);
    return error <= S(1) ? error : error_by_shorter_step();
}

template <class S> S Between<S>::error_by_direction() {
    const S* v = inner_->direction();
    if (!v) return S(most_seen);
    for (std::int64_t i = 0; i < n_; ++i) off_[i] = h_ * v[i] - p_[n_padded_ + i];
    const S error = measured(S(places_.largest() / std::fabs(places_.product_of_directions(0))));
    return linalg::is_finite(error) ? error : S(most_seen);
}

template <class S> S Between<S>::error_by_shorter_step() {
    const S theta = S(places_.largest_at());
    const bool is_known = inner_->attempt(theta * h_).outcome == StepOutcome::done;
    if (is_known) std::copy_n(inner_->candidate(), n_, off_.data());
    has_step_ = inner_->attempt(h_).outcome == StepOutcome::done; // once more, for it is the one that goes on
    if (!has_step_ || !take_polynomial()) return S(most_seen);
    if (!is_known) return S(0);
    for (std::int64_t i = 0; i < n_; ++i) off_[i] = (off_[i] - start_[i]) - move(theta, i);
    return measured(S(1));
}

// By so many steps from one point to the next. False, with p as it was, where that proves to be good at the first ones,
// or where a step fails.
template <class S> bool Between<S>::walk(int n_each) {
    walk_.begin(tau_, start_.data());
    for (std::size_t k = 1; k < n_parts; ++k) {
        if (!walk_.go_to(k, n_each, h_)) return false;
        if (k == n_tests && !is_walked_ && is_good_at_first()) return false;
    }
    std::copy_n(end(), n_, walk_.point(n_parts));
    return true;
}

template <class S> bool Between<S>::is_good_at_first() {
    error_ = 0;
    for (std::size_t k = 1; k <= n_tests; ++k) {
        const S theta = S(k) / S(n_parts), *x = walk_.point(k);
        for (std::int64_t i = 0; i < n_; ++i) off_[i] = (x[i] - start_[i]) - move(theta, i);
        error_ =
            std::max(error_, measured(S(places_.largest() / std::fabs(places_.product(static_cast<double>(theta))))));
    }
    return error_ <= S(clear);
}

template <class S> S Between<S>::interpolate() {
    is_walked_ = true;
    walk_.interpolate(p_.data());
    static const double part = largest_without_middle(n_parts);
    const S last = size(walk_.point(n_parts)), before = size(walk_.point(n_parts - 1)),
            two_before = size(walk_.point(n_parts - 2));
    const S expected = two_before > S(0) ? before * before / two_before : S(0); // the last one may pass zero
    return std::max(last, expected) * S(part) * walk_.last_weight() / S(allowance);
}

template <class S> const S* Between<S>::end() const {
    return is_accepted_ ? inner_->point() : inner_->candidate();
}

template <class S> int Between<S>::power_of_estimate() const {
    const MethodInfo& info = inner_->at_work() ? *inner_->at_work() : info_;
    return 1 + (is_doubling_ ? info.order : std::min(info.order, info.embedded_order));
}

// NOTE: projections are those of steps, not of what is read between them.
template <class S> const StepperCounts& Between<S>::counts() const {
    const StepperCounts* more = walk_.counts();
    if (!more) return inner_->counts();
    counts_ = inner_->counts();
    counts_.add_stages(*more);
    return counts_;
}

template class Between<double>;
template class Between<Quad>;

} // namespace vessiot::method
