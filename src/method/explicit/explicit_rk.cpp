#include "method/explicit/explicit_rk.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/cubic_hermite.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {
namespace {

using linalg::is_finite;
using linalg::square_root;

constexpr double allowance = 30;   // tolerances, of the curve between points
constexpr double rough = 1000;     // tolerances, of a second look at a first step
constexpr double most_seen = 1e30; // an error that need not be known better

template <class S> bool all_finite(std::int64_t n, const S* x) {
    std::int64_t i = 0;
    double sum[8] = {};
    // 0 x is 0 or not a number. Eight sums side by side become vector code.
    // NOTE: not for short vectors: reading two numbers at once that were just written one by one makes the machine
    // wait.
    if constexpr (std::is_same_v<S, double>)
        for (; n >= 32 && i + 8 <= n; i += 8)
            for (std::int64_t j = 0; j < 8; ++j) sum[j] += 0 * x[i + j];
    bool is_finite_so_far = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) == 0;
    for (; i < n; ++i) is_finite_so_far &= is_finite(x[i]);
    return is_finite_so_far;
}

// The degree of the Hermite interpolant: cubic, or one below the order.
int hermite_degree(const MethodInfo& info) {
    return std::max(3, info.order - 1);
}

template <class S> const MethodInfo& checked(const MethodInfo& info, const StepperOptions<S>& options) {
    if (!options.continue_embedded || !info.tableau.b_hat.empty()) return info;
    throw InvalidInput("the method \"" + std::string(info.name) +
                       "\" has no embedded method whose point could go on. Take a method with an error estimate, such "
                       "as \"dopri54\".");
}

} // namespace

template <class S>
ExplicitRk<S>::ExplicitRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                          const StepperOptions<S>& options)
    : TwoPoints<S>(field, projection), project_(projection ? options.project : Project::nothing),
      // without a projection the two are the same, and differences of weights lose no digits
      estimate_(!projects() && options.estimate == Estimate::by_projected_points ? Estimate::by_weights
                                                                                 : options.estimate),
      plan_(checked(info, options), estimate_, options.continue_embedded),
      n_blocks_(std::is_same_v<S, double> ? n_padded_ : n_), norm_(n_, options), order_(info.order),
      estimate_order_(std::min(info.order, info.embedded_order)),
      dense_degree_(plan_.has_own_dense ? static_cast<int>(info.tableau.degree) : hermite_degree(info)),
      quadrature_(info.tableau, info.order) {
    if (!plan_.has_own_dense && dense_degree_ > 3) {
        raised_.emplace(n_, dense_degree_);
        curve_ = linalg::Vector<S>(n_padded_ * (dense_degree_ + 1));
    }
    take_memory();
    plan_.sums.link(k_, plan_.end_stage);
    if (options.continue_embedded) return;
    make_fused(info, options);
    if (fused_.kernels || project_ == Project::stages) return;
    stages_ = field.stages({plan_.n_inner, plan_.n_total, info.tableau.a, info.tableau.b, info.tableau.c});
    places_.resize(plan_.n_inner);
}

template <class S> void ExplicitRk<S>::take_memory() {
    // NOTE: a sum reads all stages side by side. At a distance of whole pages they would share few lines of the cache.
    const std::int64_t distance = n_padded_ % 512 == 0 ? n_padded_ + 8 : n_padded_;
    const std::size_t n_places = plan_.n_places();
    memory_ = linalg::Vector<S>(distance * static_cast<std::int64_t>(n_places + 3));
    S* next = memory_.data();
    const auto take = [&] { return std::exchange(next, next + distance); };
    for (std::size_t i = 0; i < n_places; ++i) k_.push_back(take());
    start_ = take();
    end_ = take();
    work_ = take();
}

template <class S> inline void ExplicitRk<S>::compute(std::size_t which, std::int64_t n, const S* from, S* to) const {
    plan_.sums.compute(which, is_changed_, n, from, h_, to);
}

template <class S> S* ExplicitRk<S>::k(std::size_t stage) const {
    if (!is_changed_) return k_[stage];
    return k_[stage == 0 ? plan_.end_stage : stage == plan_.end_stage ? 0 : stage];
}

template <class S> PointStatus ExplicitRk<S>::finite(const S* x) const {
    return all_finite(n_, x) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> void ExplicitRk<S>::begin(S tau, const S* x) {
    this->begin_at(tau, x);
    fused_.n = fused_.n_unclear = 0;
    is_first_ = true;
}

template <class S> const S* ExplicitRk<S>::direction() {
    if (is_accepted_) return evaluate_end() == PointStatus::good ? k(plan_.end_stage) : nullptr;
    if (!at_start_.is_done) at_start_ = {.is_done = true, .status = evaluate(tau_, start_, k(0))};
    return at_start_.status == PointStatus::good ? k(0) : nullptr;
}

template <class S> StepReport<S> ExplicitRk<S>::attempt(S h) {
    if (is_accepted_) go_on();
    this->begin_attempt(h);
    has_extra_ = has_curve_ = false;
    StepReport<S> report; // NOTE: all ways out return it, so that it is never copied
    direction();
    if (at_start_.status != PointStatus::good) {
        this->fail(report, StepOutcome::no_direction_here, at_start_.status);
        return report;
    }
    if (!is_good(is_finite(h) ? PointStatus::good : PointStatus::not_finite, StepOutcome::no_direction, report))
        return report;
    if (!is_fused() || !attempt_fused(report)) attempt_by_parts(report);
    return report;
}

template <class S> void ExplicitRk<S>::begin_parts() {
    if (fused_.kernels) projection_->forget(); // what it knows is of a point long past
    this->begin_projections();
}

template <class S> void ExplicitRk<S>::attempt_by_parts(StepReport<S>& report) {
    fused_.lacks_stages = false;
    if (projects()) begin_parts();
    if (stages_ && stages_->is_ready()) {
        for (std::size_t i = 0; i < plan_.n_inner; ++i) places_[i] = k(i);
        (*stages_)(tau_, h_, start_, places_.data(), end_);
        counts_.stages += static_cast<std::int64_t>(plan_.n_inner) - 1;
    } else {
        for (std::size_t i = 1; i < plan_.n_inner; ++i)
            if (!stage(i, Look::later, report)) return;
        compute(plan_.result, n_blocks_, start_, end_);
    }
    if (!result(report)) return;
    has_candidate_ = estimate_error(report);
}

// The accepted point becomes the start of the next step, and V there its first stage.
template <class S> void ExplicitRk<S>::go_on() {
    Base::go_on();
    is_changed_ = !is_changed_;
}

template <class S> PointStatus ExplicitRk<S>::evaluate(S tau, const S* x, S* direction, Look look) {
    ++counts_.stages;
    PointStatus status = field_.direction(tau, x, direction);
    if (status == PointStatus::good && look == Look::now) status = finite(direction);
    if (status != PointStatus::good) this->keep_place(tau, x);
    return status;
}

template <class S> PointStatus ExplicitRk<S>::evaluate_end() {
    if (!at_end_.is_done) at_end_ = {.is_done = true, .status = evaluate(tau_end_, end_, k(plan_.end_stage))};
    return at_end_.status;
}

// k_i = V(tau + c_i h, x + h sum_j a_ij k_j); false, with the reason in the report, where it fails.
template <class S> bool ExplicitRk<S>::stage(std::size_t i, Look look, StepReport<S>& report) {
    const S tau = tau_ + plan_.c[i] * h_;
    compute(i, n_blocks_, start_, work_);
    if (project_ == Project::stages && !is_good(this->project(tau, work_).status, StepOutcome::no_projection, report))
        return false;
    const PointStatus status = evaluate(tau, work_, k(i), look);
    return status == PointStatus::good || this->fail(report, StepOutcome::no_direction, status);
}

// The result is not finite: the first stage that is not either, and the point where V was asked for.
template <class S> void ExplicitRk<S>::blame(StepReport<S>& report) {
    this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_end_, end_);
    for (std::size_t i = 1; i < plan_.n_inner; ++i) {
        if (finite(k(i)) == PointStatus::good) continue;
        const S tau = tau_ + plan_.c[i] * h_;
        compute(i, n_blocks_, start_, work_);
        if (project_ == Project::stages) this->project(tau, work_);
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau, work_);
        return;
    }
}

// p = P(end), end = x + h sum_i b_i k_i, and V there if that is the last stage.
template <class S> bool ExplicitRk<S>::result(StepReport<S>& report) {
    if (finite(end_) != PointStatus::good) { // whatever a stage has that is not finite gets there
        blame(report);
        return false;
    }
    if (projects() && !project_result(report)) return false;
    if (!plan_.is_fsal || evaluate_end() == PointStatus::good) return true;
    return this->fail(report, StepOutcome::no_direction, at_end_.status);
}

template <class S> bool ExplicitRk<S>::project_result(StepReport<S>& report) {
    std::copy_n(end_, n_padded_, work_);
    const ProjectionReport<S> projected = this->project(tau_end_, end_);
    report.residual = projected.residual;
    if (!is_good(projected.status, StepOutcome::no_projection, report)) return false;
    if (!is_good(finite(end_), StepOutcome::no_projection, report)) return false;
    for (std::int64_t i = 0; i < n_; ++i) work_[i] -= end_[i];
    report.distance = norm_(work_, start_, end_);
    return true;
}

// |e|^2 (times the count of the norm) of an estimate; false, with the reason in the report, where the point that it
// compares with p cannot be projected.
template <class S> bool ExplicitRk<S>::measure(std::size_t sum, S& square, StepReport<S>& report) {
    const bool is_point = estimate_ == Estimate::by_projected_points;
    compute(sum, n_blocks_, is_point ? start_ : nullptr, work_);
    if (is_point) {
        if (!is_good(this->project(tau_end_, work_).status, StepOutcome::no_projection, report)) return false;
        for (std::int64_t i = 0; i < n_; ++i) work_[i] -= end_[i];
    }
    square = norm_.square(work_, start_, end_);
    return true;
}

template <class S> bool ExplicitRk<S>::estimate_error(StepReport<S>& report) {
    if (plan_.error == 0) return true;
    S square = 0, low = 0;
    if (!measure(plan_.error, square, report)) return false;
    if (plan_.error_low == 0) {
        report.error = norm_.root(square);
        look_twice(report);
        return true;
    }
    // |e|^2 / sqrt(|e|^2 + 0.01 |e_low|^2), where |e|^2 = square / count
    if (!measure(plan_.error_low, low, report)) return false;
    const S denominator = norm_.count() * (square + low / 100);
    report.error = denominator == 0 ? S(0) : square / square_root(denominator);
    look_twice(report);
    return true;
}

template <class S> void ExplicitRk<S>::look_twice(StepReport<S>& report) {
    if (quadrature_.is_needed()) {
        report.error = std::max(report.error, quadrature_error());
    } else if (is_first_ && quadrature_.is_second_look() && report.error <= S(1)) {
        const S other = quadrature_error() / S(rough);
        if (other > S(1)) report.error = other;
    }
}

template <class S> S ExplicitRk<S>::quadrature_error() {
    complete_stages();
    quadrature_([&](std::size_t i) { return k(i); }, n_, h_, work_);
    return norm_(work_, start_, end_);
}

// 2^(1 - 2 D) |d_D|, where that is too much as an error that falls with the power of h that estimates do.
template <class S> S ExplicitRk<S>::error_with_curve(S error) {
    if (!take_last_term()) return error;
    const S last = norm_(work_, start_, end_) * S(std::ldexp(1.0, 1 - 2 * dense_degree_)) / S(allowance);
    if (last <= S(1)) return error;
    const double seen = last < S(most_seen) ? static_cast<double>(last) : most_seen; // NaN too
    return std::max(error, S(std::pow(seen, (estimate_order_ + 1.0) / dense_degree_)));
}

// d_D into work_; false where the step has none, or where it is made of no other stages than the estimate.
template <class S> bool ExplicitRk<S>::take_last_term() {
    if (!has_candidate_ || estimate_ == Estimate::none) return false;
    complete_stages();
    if (plan_.has_own_dense) {
        if (plan_.n_total == plan_.n_stages || extra_stages() != PointStatus::good) return false;
        compute(plan_.dense + static_cast<std::size_t>(dense_degree_ - 1), n_padded_, nullptr, work_);
        return true;
    }
    if (!raised_ || hermite(curve_.data()) != PointStatus::good) return false;
    has_curve_ = true;
    std::copy_n(curve_.data() + dense_degree_ * n_padded_, n_padded_, work_);
    return true;
}

template <class S> PointStatus ExplicitRk<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    if (has_curve_) {
        std::ranges::copy(curve_, coefficients);
        return PointStatus::good;
    }
    if (!plan_.has_own_dense) return hermite(coefficients);
    complete_stages();
    if (const PointStatus status = extra_stages(); status != PointStatus::good) return status;
    std::copy_n(start_, n_padded_, coefficients);
    for (int power = 1; power <= dense_degree_; ++power)
        compute(plan_.dense + static_cast<std::size_t>(power - 1), n_padded_, nullptr,
                coefficients + power * n_padded_);
    end_at_result(coefficients);
    return PointStatus::good;
}

// The estimate speaks for a polynomial of its order.
template <class S> std::span<const double> ExplicitRk<S>::dense_places() const {
    static constexpr double places[] = {0, 0, 1, 1};
    return plan_.has_own_dense || raised_ || order_ <= 3 ? std::span<const double>() : places;
}

// The stages that only the dense output needs; the one at the result among them serves the next step too.
template <class S> PointStatus ExplicitRk<S>::extra_stages() {
    if (has_extra_) return PointStatus::good;
    StepReport<S> report;
    for (std::size_t i = plan_.n_stages; i < plan_.n_total && report.why == PointStatus::good; ++i) {
        if (i == plan_.end_stage)
            report.why = evaluate_end();
        else
            stage(i, Look::now, report);
    }
    has_extra_ = report.why == PointStatus::good;
    return report.why;
}

template <class S> PointStatus ExplicitRk<S>::hermite(S* coefficients) {
    if (const PointStatus status = evaluate_end(); status != PointStatus::good) return status;
    const S *k_0 = k(0), *k_1 = k(plan_.end_stage);
    if (raised_) {
        const auto direction = [&](S tau, const S* x, S* dx) { return evaluate(tau, x, dx); };
        return (*raised_)({tau_, h_, start_, k_0, end_, k_1}, direction, coefficients);
    }
    cubic_hermite<S>(n_padded_, n_padded_, h_, start_, k_0, end_, k_1, coefficients);
    return PointStatus::good;
}

// Adds (3 theta^2 - 2 theta^3) (p - x(1)).
template <class S> void ExplicitRk<S>::end_at_result(S* coefficients) const {
    for (std::int64_t i = 0; i < n_padded_; ++i) {
        S sum = 0; // d_1 + .. + d_D
        for (int power = dense_degree_; power > 0; --power) sum += coefficients[power * n_padded_ + i];
        const S move = (end_[i] - start_[i]) - sum;
        coefficients[2 * n_padded_ + i] += 3 * move;
        coefficients[3 * n_padded_ + i] -= 2 * move;
    }
}

int dense_order_of_explicit_rk(const MethodInfo& info) {
    return has_own_dense(info.tableau) ? info.dense_order : std::min(info.order, hermite_degree(info));
}

template class ExplicitRk<double>;
template class ExplicitRk<Quad>;

const Family explicit_rk_family{.name = "explicit Runge-Kutta",
                                .make_double = make_as<ExplicitRk, double>,
                                .make_quad = make_as<ExplicitRk, Quad>,
                                .dense_order = dense_order_of_explicit_rk,
                                .is_explicit = true,
                                .has_stages = true,
                                .has_arclength = true,
                                .can_amplify = true,
                                .carries_derivatives = true};

} // namespace vessiot::method
