#include "method/combined/doubling.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::method {
namespace {

// The method without an estimate of its own, or with it as a second look.
template <class S>
std::unique_ptr<Stepper<S>> make_part(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                      StepperOptions<S> options) {
    options.estimate = second_look(info) == SecondLook::own ? Estimate::by_weights : Estimate::none;
    options.has_fixed_order = true;
    return make_stepper<S>(info, field, projection, options);
}

template <class S> S power_of_2(int exponent) {
    S result = 1;
    for (int k = 0; k < exponent; ++k) result *= 2;
    return result;
}

} // namespace

template <class S>
Doubling<S>::Doubling(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                      const StepperOptions<S>& options)
    : Forwarding<S>(nullptr), n_(field.size()), n_padded_(linalg::padded(n_)), norm_(n_, options),
      divisor_(power_of_2<S>(info.order) - 1), first_(make_part(info, field, projection, options)),
      second_(make_part(info, field, projection, options)), work_(n_), middle_(n_), second_look_(second_look(info)) {
    inner_ = first_.get();
    if (options.continue_embedded)
        throw InvalidInput("with control = doubling the point of the two half steps goes on, not an embedded one: "
                           "leave one of them out");
}

template <class S> void Doubling<S>::begin(S tau, const S* x) {
    first_->begin(tau, x);
    inner_ = first_.get();
    has_candidate_ = is_accepted_ = has_middle_ = false;
}

// One of the three steps; false where it fails.
template <class S> bool Doubling<S>::part(Stepper<S>& stepper, S h, StepReport<S>& report) {
    report = stepper.attempt(h);
    return report.outcome == StepOutcome::done;
}

template <class S> StepReport<S> Doubling<S>::attempt(S h) {
    if (is_accepted_) std::swap(first_, second_);
    inner_ = first_.get();
    has_candidate_ = is_accepted_ = has_middle_ = false;
    h_ = h;
    StepReport<S> report;
    if (!part(*first_, h, report)) return report;
    std::copy_n(first_->candidate(), n_, work_.data());
    const S half = h / 2;
    if (!part(*first_, half, report)) return report;
    second_->begin(first_->tau() + half, first_->candidate());
    if (!part(*second_, half, report)) {
        // The middle is not the current point: a smaller step will not go there.
        if (report.outcome == StepOutcome::no_direction_here) report.outcome = StepOutcome::no_direction;
        return report;
    }
    const S own = report.error;
    report.error = error_estimate();
    has_candidate_ = true;
    if (second_look_ == SecondLook::none || !(report.error <= S(1))) return report;
    const S other = S(second_look_part) * (second_look_ == SecondLook::own ? own : simpson_error());
    if (other > S(1)) report.error = other;
    return report;
}

// |p - w| / (2^q - 1)
template <class S> S Doubling<S>::error_estimate() {
    const S* p = second_->candidate();
    for (std::int64_t i = 0; i < n_; ++i) work_[i] = p[i] - work_[i];
    return norm_(work_.data(), first_->point(), p) / divisor_;
}

// |p - x - (v_0 + 4 v_m + v_1)/6|, or what is enough where v_1 is not needed to see that p lies well: the distance of p
// from the cubic through the points and directions at x and m, p - (5 x - 4 m + v_0 + 2 v_m).
template <class S> S Doubling<S>::simpson_error() {
    const S *x = first_->point(), *m = first_->candidate(), *p = second_->candidate();
    const S *k_0 = first_->direction(), *k_m = second_->direction();
    if (!k_0 || !k_m) return S(0);
    for (std::int64_t i = 0; i < n_; ++i) work_[i] = (p[i] - x[i]) + 4 * (m[i] - x[i]) - h_ * (k_0[i] + 2 * k_m[i]);
    const S rough = norm_(work_.data(), x, p);
    if (!(S(second_look_part) * rough > S(1))) return rough;
    keep_middle();
    const S* k_1 = second_->direction();
    if (!k_1) return S(0); // the next step will say so
    p = second_->point();
    for (std::int64_t i = 0; i < n_; ++i) work_[i] = (p[i] - x[i]) - h_ * (k_0[i] + 4 * middle_[i] + k_1[i]) / 6;
    return norm_(work_.data(), x, p);
}

// After this second_ is at p.
template <class S> void Doubling<S>::keep_middle() {
    if (has_middle_) return;
    std::copy_n(second_->direction(), n_, middle_.data());
    second_->accept();
    has_middle_ = true;
}

template <class S> void Doubling<S>::accept() {
    if (!has_candidate_) return;
    keep_middle();
    is_accepted_ = true;
    inner_ = second_.get();
}

template <class S> PointStatus Doubling<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    keep_middle();
    const S *x = first_->point(), *m = first_->candidate(), *p = second_->point();
    const S *k_0 = first_->direction(), *k_m = middle_.data(), *k_1 = second_->direction();
    if (!k_1) return second_->status();
    std::fill_n(coefficients, 6 * n_padded_, S(0));
    S* d = coefficients;
    for (std::int64_t i = 0; i < n_; ++i, ++d) {
        const S a = m[i] - x[i], b = p[i] - m[i];
        const S v_0 = h_ * k_0[i], v_m = h_ * k_m[i], v_1 = h_ * k_1[i];
        d[0] = x[i];
        d[n_padded_] = v_0;
        d[2 * n_padded_] = (23 * a + 7 * b) - (6 * v_0 + 8 * v_m + v_1);
        d[3 * n_padded_] = (13 * v_0 + 32 * v_m + 5 * v_1) - (66 * a + 34 * b);
        d[4 * n_padded_] = (68 * a + 52 * b) - (12 * v_0 + 40 * v_m + 8 * v_1);
        d[5 * n_padded_] = (4 * v_0 + 16 * v_m + 4 * v_1) - (24 * a + 24 * b);
    }
    return PointStatus::good;
}

template <class S> const StepperCounts& Doubling<S>::counts() const {
    counts_ = first_->counts();
    counts_.add(second_->counts());
    return counts_;
}

int dense_order_of_doubling(const MethodInfo& info) {
    return std::min(info.order, 5);
}

template class Doubling<double>;
template class Doubling<Quad>;

} // namespace vessiot::method
