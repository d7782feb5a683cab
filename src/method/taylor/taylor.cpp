#include "method/taylor/taylor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/near_power.hpp"
#include "distribution/series/arclength_series.hpp"
#include "linalg/scalar.hpp"
#include "method/make_family.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

namespace {

using linalg::absolute;

constexpr double most_growth = 100; // of a step over the one before, or over the first guess

// log2 x, of which a step of this order follows from a small part: roughly at high orders.
double size_log2(double x, int order) {
    constexpr int high = 8;
    return order >= high && x > 0 && x < INFINITY ? rough_log2(x) : near_log2(x);
}

// No tolerance below round-off: the defect of a step is not known any better, and shorter steps would not help.
template <class S> StepperOptions<S> within_round_off(StepperOptions<S> options) {
    options.rtol = std::max(options.rtol, linalg::epsilon<S>() / 2);
    return options;
}

} // namespace

template <class S> S taylor_scale(S h) {
    const auto size = static_cast<double>(absolute(h));
    if (!(size > 0) || !std::isfinite(size)) return S(1);
    constexpr std::uint64_t exponent = 0x7ff0000000000000U;
    return S(std::bit_cast<double>(std::bit_cast<std::uint64_t>(std::clamp(size, 0x1p-1000, 0x1p1000) * M_SQRT2) &
                                   exponent));
}

int taylor_order(double eps) {
    return std::clamp(static_cast<int>(std::ceil(1 - std::log(eps) / 2)), 2, largest_taylor_order);
}

template <class S>
TaylorStepper<S>::TaylorStepper(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                const StepperOptions<S>& options)
    : TwoPoints<S>(field, options.project == Project::nothing ? nullptr : projection),
      stride_(static_cast<std::size_t>(linalg::padded(n_))), norm_(n_, within_round_off(options)),
      tolerances_{within_round_off(options).rtol, options.atol,
                  taylor_order(static_cast<double>(within_round_off(options).rtol)),
                  taylor_order(static_cast<double>(options.atol))},
      estimates_(options.estimate != Estimate::none), has_fixed_order_(!estimates_ || options.has_fixed_order),
      order_(info.order), max_order_(info.order) {
    if (!options.parts) throw InvalidInput("the method \"taylor\" needs the equations, not their field alone");
    if (!has_fixed_order_) max_order_ = std::max(tolerances_.rtol_order, tolerances_.atol_order);
    const Parts<S>& parts = *options.parts;
    const int most = std::max(max_order_, 1);
    series_ = parts.is_arclength ? make_arclength_series<S>(parts.system, parts.prolongation, parts.jets,
                                                            parts.distribution, field, parts.evaluator, most)
                                 : make_solution_series<S>(parts.system, parts.prolongation, parts.jets,
                                                           parts.distribution, parts.evaluator, most);
    powers_ = linalg::Vector<S>(max_order_ + 1);
    coefficients_ = linalg::Vector<S>(static_cast<std::int64_t>(stride_) * (max_order_ + 1));
    for (linalg::Vector<S>* v : {&points_[0], &points_[1], &work_, &velocity_, &shift_}) *v = linalg::Vector<S>(n_);
    start_ = points_[0].data();
    end_ = points_[1].data();
    make_fused(options);
}

template <class S> void TaylorStepper<S>::begin(S tau, const S* x) {
    this->begin_at(tau, x);
    has_coefficients_ = is_at_start_ = is_at_end_ = false;
    status_ = PointStatus::good;
    series_scale_ = suggested_ = 0; // nothing is left of what was learned elsewhere
    scale_ = correction_ = 1;
    is_forward_ = true;
    fused_.is_refused = false;
    fused_.suggested = 0;
    if (fused_.kernels) fused_.kernels->prepare(order_here());
}

template <class S> void TaylorStepper<S>::take_accepted() {
    if (!is_accepted_) return;
    fused_.is_refused = false;
    this->go_on();
    is_at_start_ = std::exchange(is_at_end_, false);
    has_candidate_ = has_coefficients_ = false;
}

template <class S> PointStatus TaylorStepper<S>::begin_series(S tau, const S* x, S h) {
    ++counts_.stages;
    series_scale_ = taylor_scale(h);
    is_at_start_ = is_at_end_ = false;
    status_ = series_->begin(tau, x, series_scale_, is_forward_);
    if (status_ == PointStatus::good) {
        const S* x1 = series_->coefficient(1);
        for (std::int64_t i = 0; i < n_; ++i) velocity_[i] = x1[i] / series_scale_;
        return status_;
    }
    this->keep_place(tau, x);
    return status_;
}

template <class S> const S* TaylorStepper<S>::direction() {
    bool& is_there = is_accepted_ ? is_at_end_ : is_at_start_;
    if (!is_there) {
        const S scale = series_scale_ == S(0) ? S(1) : series_scale_;
        const bool is_good = begin_series(this->tau(), this->point(), scale) == PointStatus::good;
        is_there = is_good;
        if (!is_good) return nullptr;
    }
    return velocity_.data();
}

// Jorba and Zou: the relative tolerance, or the absolute one where it is the larger.
template <class S> int TaylorStepper<S>::order_here() const {
    if (has_fixed_order_) return max_order_;
    S largest = 0;
    for (std::int64_t i = 0; i < n_; ++i) largest = std::max(largest, absolute(start_[i]));
    return tolerances_.rtol * largest > tolerances_.atol ? tolerances_.rtol_order : tolerances_.atol_order;
}

template <class S> bool TaylorStepper<S>::make_series(S h) {
    const bool is_forward = h >= S(0);
    if (has_coefficients_ && is_forward == is_forward_) return true;
    if (is_forward != is_forward_) is_at_start_ = false;
    is_forward_ = is_forward;
    order_ = order_here();
    if (make_series_fused(h)) return true;
    // NOTE: where the scale is so far off that coefficients overflow, smaller ones do.
    S aim = absolute(h);
    for (int attempt = 0; attempt < 4; ++attempt, aim *= S(0x1p-12)) {
        const S ratio = series_scale_ / taylor_scale(aim);
        if (!is_at_start_ || attempt > 0 || ratio > S(64) || ratio < S(1) / S(64)) {
            if (begin_series(tau_, start_, aim) != PointStatus::good) return false;
            is_at_start_ = true;
        }
        status_ = series_->extend(order_);
        if (status_ != PointStatus::not_finite) break;
        is_at_start_ = false;
    }
    if (status_ != PointStatus::good) return false;
    scale_ = series_scale_;
    for (int k = 0; k <= order_; ++k) std::copy_n(series_->coefficient(k), n_, coefficient(k));
    has_coefficients_ = true;
    return true;
}

// Weighed by the sizes that coordinates reach in such a step.
template <class S> TaylorStepper<S>::Sizes TaylorStepper<S>::sizes() {
    if (fused_.is_used) return {fused_.kernels->largest(), fused_.kernels->before_last(), fused_.kernels->last()};
    for (std::int64_t i = 0; i < n_; ++i) work_[i] = absolute(start_[i]) + absolute(coefficient(1)[i]);
    const auto size = [&](int k) {
        return static_cast<double>(norm_.square(coefficient(k), start_, work_.data()) / norm_.count());
    };
    double largest = size(0);
    for (int k = 1; k <= std::min(order_, 2); ++k) largest = std::max(largest, size(k));
    return {largest, size(std::max(1, order_ - 1)), size(order_)};
}

// In logarithms to base 2: products and sums in a fixed order, so that every machine takes the same steps.
template <class S> S TaylorStepper<S>::suggest(S h) {
    if (fused_.suggested != S(0)) return std::exchange(fused_.suggested, S(0));
    take_accepted();
    if (!estimates_ || !direction() || !make_series(h)) return h;
    const Sizes n = sizes();
    const double p = order_, largest = size_log2(n.largest, order_) / 2;
    double radius = INFINITY; // in units of T
    if (n.before_last > 0) radius = (largest - size_log2(n.before_last, order_) / 2) / std::max(1.0, p - 1);
    if (n.last > 0) radius = std::min(radius, (largest - size_log2(n.last, order_) / 2) / p);
    const double aim = near_exp2(radius - largest / (p + 1) - 0.7 / p * M_LOG2E) * static_cast<double>(correction_);
    const double most = most_growth * std::max(1.0, static_cast<double>(absolute(h) / scale_));
    const S size_of_step = scale_ * S(std::isnan(aim) ? most : std::min(aim, most));
    suggested_ = h < S(0) ? -size_of_step : size_of_step;
    return suggested_;
}

// What the error says about the next prediction: aims at a fifth of the tolerance.
template <class S> void TaylorStepper<S>::learn(S error) {
    const double ratio = 0.2 / std::max(static_cast<double>(error), 1e-10);
    const double factor = near_exp2(size_log2(ratio, order_) / (order_ + 1));
    if (!(factor > 0)) return; // no number
    correction_ = std::clamp(correction_ * S(std::clamp(factor, 0.5, 1.25)), S(0.02), S(5));
}

// As Segment does at the end of the polynomial that dense() gives, so that both have the same bits.
template <class S> void TaylorStepper<S>::evaluate(S r) {
    taylor_powers(r, order_, powers_.data());
    S* const x = end_;
    std::fill_n(x, n_, S(0));
    for (int k = order_; k >= 0; --k) {
        const S* const c = coefficient(k);
        const S power = powers_[k];
        for (std::int64_t i = 0; i < n_; ++i) x[i] = power * c[i] + x[i];
    }
}

template <class S> bool TaylorStepper<S>::project_result(StepReport<S>& report) {
    if (!this->project_end(report, work_.data())) return false;
    for (std::int64_t i = 0; i < n_; ++i) shift_[i] = end_[i] - work_[i];
    report.distance = norm_(shift_.data(), start_, end_);
    return true;
}

// |e|; V at the end is in velocity_.  h P'(tau + h) = sum_k k x_k r^k
template <class S> S TaylorStepper<S>::defect(S h, S r) {
    std::fill_n(work_.data(), n_, S(0));
    for (int k = order_; k >= 1; --k) {
        const S* const c = coefficient(k);
        for (std::int64_t i = 0; i < n_; ++i) work_[i] = (S(k) * c[i] + work_[i]) * r;
    }
    for (std::int64_t i = 0; i < n_; ++i) work_[i] = (h * velocity_[i] - work_[i]) / S(order_ + 1);
    return norm_(work_.data(), start_, end_);
}

template <class S> StepReport<S> TaylorStepper<S>::attempt(S h) {
    take_accepted();
    this->begin_attempt(h);
    StepReport<S> report;
    if (!has_coefficients_ && !direction()) {
        this->fail(report, StepOutcome::no_direction_here, status_, tau_, start_);
        return report;
    }
    if (!linalg::is_finite(h)) {
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_, start_);
        return report;
    }
    bool has_series = make_series(h);
    if (has_series && fused_.is_used) {
        if (attempt_fused(report)) return report;
        has_series = make_series(h);
    }
    if (!has_series) {
        this->fail(report, StepOutcome::no_derivative, status_, tau_, start_);
        return report;
    }
    if (projection_) this->begin_projections();
    const S r = h / scale_;
    evaluate(r);
    if (!linalg::all_finite(end_, n_)) {
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_end_, end_);
        return report;
    }
    if (projection_ && !project_result(report)) return report;
    if (estimates_) {
        if (const PointStatus there = begin_series(tau_end_, end_, h); there != PointStatus::good) {
            this->fail(report, StepOutcome::no_direction, there, tau_end_, end_);
            return report;
        }
        is_at_end_ = true;
        report.error = defect(h, r);
        if (absolute(h) > S(0.9) * absolute(suggested_)) learn(report.error);
    }
    has_candidate_ = true;
    return report;
}

// What the projection moved the end by goes into the highest term, so that pieces meet.
template <class S> PointStatus TaylorStepper<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    taylor_powers(h_ / scale_, order_, powers_.data());
    for (int k = 0; k <= max_order_; ++k) {
        S* const to = coefficients + static_cast<std::size_t>(k) * stride_;
        std::fill_n(to, stride_, S(0));
        if (k > order_) continue;
        const S* const c = coefficient(k);
        for (std::int64_t i = 0; i < n_; ++i) to[i] = powers_[k] * c[i];
        if (k == order_ && projection_)
            for (std::int64_t i = 0; i < n_; ++i) to[i] += shift_[i];
    }
    return PointStatus::good;
}

template class TaylorStepper<double>;
template class TaylorStepper<Quad>;
template double taylor_scale(double);
template Quad taylor_scale(Quad);

std::string series_misfit(const System& system, const Prolongation&) {
    const expr::Graph& g = *system.graph;
    if (!g.has_externals()) return "";
    for (const Equation& e : system.equations)
        for (const expr::NodeId n : g.cone({e.residual}))
            if (g.node(n).op == expr::Op::call)
                return fmt::format(
                    "formulas, of which it makes power series, but {} calls the function '{}', given as numbers",
                    system.name, g.external(g.node(n).b)->name());
    return "";
}

const Family taylor_family{.name = "Taylor",
                           .make_double = make_as<TaylorStepper, double>,
                           .make_quad = make_as<TaylorStepper, Quad>,
                           .dense_order = own_dense_order,
                           .reads_steps_from_series = true,
                           .has_arclength = true,
                           .can_amplify = true,
                           .carries_derivatives = true,
                           .misfit = series_misfit};

} // namespace vessiot::method
