#include "method/explicit/explicit_rk.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
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

// The first stage from `from` on that is V at the result: a_ij = b_j, c_i = 1. n_total where there is none.
std::size_t stage_at_result(const TableauView& t, std::size_t from) {
    for (std::size_t i = from; i < t.n_total; ++i) {
        const auto row = t.a.subspan(i * t.n_total, t.n_total);
        const bool is_b = std::equal(t.b.begin(), t.b.end(), row.begin());
        const bool is_rest_0 = std::all_of(row.begin() + t.b.size(), row.end(), [](float128 a) { return a == 0; });
        if (t.c[i] == 1 && is_b && is_rest_0) return i;
    }
    return t.n_total;
}

// Enters why a step failed, if it did.
template <class S> bool is_good(PointStatus status, StepOutcome failure, StepReport<S>& report) {
    if (status == PointStatus::good) return true;
    report.outcome = failure;
    report.why = status;
    return false;
}

// A tableau's dense output of a lower degree would be no better than the Hermite interpolant.
bool has_own_dense(const TableauView& tableau) {
    return tableau.degree >= 3;
}

// The degree of the Hermite interpolant: cubic, or one below the order.
int hermite_degree(const MethodInfo& info) {
    return std::max(3, info.order - 1);
}

void check_continuation(const MethodInfo& info, bool continue_embedded) {
    if (!continue_embedded || !info.tableau.b_hat.empty()) return;
    throw InvalidInput("the method \"" + std::string(info.name) +
                       "\" has no embedded method whose point could go on. Take a method with an error estimate, such "
                       "as \"dopri54\".");
}

} // namespace

template <class S>
ExplicitRk<S>::ExplicitRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                          const StepperOptions<S>& options)
    : field_(field), projection_(projection), project_(projection ? options.project : Project::nothing),
      estimate_(options.estimate), n_(field.size()), n_padded_(linalg::padded(n_)),
      n_blocks_(std::is_same_v<S, double> ? n_padded_ : n_), norm_(n_, options), n_stages_(info.tableau.n_stages),
      n_total_(info.tableau.n_total), is_fsal_(info.is_fsal && !options.continue_embedded),
      has_own_dense_(has_own_dense(info.tableau)), order_(info.order),
      estimate_order_(std::min(info.order, info.embedded_order)),
      dense_degree_(has_own_dense_ ? static_cast<int>(info.tableau.degree) : hermite_degree(info)),
      quadrature_(info.tableau, info.order) {
    check_continuation(info, options.continue_embedded);
    if (!has_own_dense_ && dense_degree_ > 3) {
        raised_.emplace(n_, dense_degree_);
        curve_ = linalg::Vector<S>(n_padded_ * (dense_degree_ + 1));
    }
    // Without a projection the two are the same, and differences of weights lose no digits.
    if (!projects() && estimate_ == Estimate::by_projected_points) estimate_ = Estimate::by_weights;
    n_inner_ = is_fsal_ ? n_stages_ - 1 : n_stages_;
    end_stage_ = stage_at_result(info.tableau, n_inner_);
    for (const float128 c : info.tableau.c) c_.push_back(static_cast<S>(c));
    add_rows(info.tableau);
    if (estimate_ != Estimate::none) add_estimates(info.tableau, options.continue_embedded);
    result_ = sums_.add(options.continue_embedded ? info.tableau.b_hat : info.tableau.b);
    add_dense_sums(info.tableau);
    take_memory();
    sums_.link(k_, end_stage_);
    if (project_ == Project::stages || options.continue_embedded) return;
    make_fused(info, options);
    if (fused_) return;
    stages_ = field.stages({n_inner_, n_total_, info.tableau.a, info.tableau.b, info.tableau.c});
    places_.resize(n_inner_);
}

// Where all is as usual: points of steps are projected, and errors are rms of the embedded estimate.
template <class S>
void ExplicitRk<S>::make_fused([[maybe_unused]] const MethodInfo& info,
                               [[maybe_unused]] const StepperOptions<S>& options) {
    if constexpr (std::is_same_v<S, double>) {
        const bool is_usual = (estimate_ == Estimate::none || estimate_ == Estimate::by_weights) &&
                              options.norm == NormKind::rms && options.block == 0;
        if (!is_usual || !options.parts) return;
        AttemptPlan plan{n_inner_, n_total_, info.tableau.a, info.tableau.b, info.tableau.c, {}, {}, is_fsal_, 0};
        const auto difference = [&](std::span<const float128> w) {
            std::vector<float128> e(info.tableau.b.begin(), info.tableau.b.end());
            for (std::size_t i = 0; i < e.size(); ++i) e[i] -= w[i];
            return e;
        };
        if (error_ > 0) plan.error = difference(info.tableau.b_hat);
        if (error_low_ > 0) plan.error_low = difference(info.tableau.b_low);
        plan.distance = k_[1] - k_[0];
        fused_ = Attempt::make(*options.parts, plan, projects() ? projection_ : nullptr, options.rtol, options.atol);
    }
}

template <class S> void ExplicitRk<S>::add_rows(const TableauView& t) {
    for (std::size_t i = 0; i < t.n_total; ++i) sums_.add(t.a.subspan(i * t.n_total, t.n_total));
}

// b - b_hat and b - b_low, or the weights of the points that the result is compared with.
template <class S> void ExplicitRk<S>::add_estimates(const TableauView& t, bool continue_embedded) {
    if (estimate_ == Estimate::by_projected_points) {
        if (!t.b_hat.empty()) error_ = sums_.add(continue_embedded ? t.b : t.b_hat);
        if (!t.b_low.empty()) error_low_ = sums_.add(t.b_low);
        return;
    }
    // NOTE: in quad precision, so that the small differences have all their digits in double.
    const auto difference = [&](std::span<const float128> w) {
        std::vector<float128> e(t.b.begin(), t.b.end());
        for (std::size_t i = 0; i < e.size(); ++i) e[i] -= w[i];
        return e;
    };
    if (!t.b_hat.empty()) error_ = sums_.add(difference(t.b_hat));
    if (!t.b_low.empty()) error_low_ = sums_.add(difference(t.b_low));
}

// For each power of theta the column of its coefficients.
template <class S> void ExplicitRk<S>::add_dense_sums(const TableauView& t) {
    if (!has_own_dense_) return;
    for (std::size_t power = 0; power < t.degree; ++power) {
        const std::size_t sum = sums_.add(t.dense.subspan(power), t.degree);
        if (power == 0) dense_ = sum;
    }
}

template <class S> void ExplicitRk<S>::take_memory() {
    // NOTE: a sum reads all stages side by side. At a distance of whole pages they would share few lines of the cache.
    const std::int64_t distance = n_padded_ % 512 == 0 ? n_padded_ + 8 : n_padded_;
    const std::size_t n_places = std::max(n_total_, end_stage_ + 1);
    memory_ = linalg::Vector<S>(distance * static_cast<std::int64_t>(n_places + 3));
    S* next = memory_.data();
    const auto take = [&] { return std::exchange(next, next + distance); };
    for (std::size_t i = 0; i < n_places; ++i) k_.push_back(take());
    start_ = take();
    end_ = take();
    work_ = take();
}

template <class S> S* ExplicitRk<S>::k(std::size_t stage) const {
    if (!is_changed_) return k_[stage];
    return k_[stage == 0 ? end_stage_ : stage == end_stage_ ? 0 : stage];
}

template <class S> PointStatus ExplicitRk<S>::finite(const S* x) const {
    return all_finite(n_, x) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> void ExplicitRk<S>::begin(S tau, const S* x) {
    std::copy_n(x, n_, start_);
    tau_ = tau;
    n_fused_ = n_unclear_ = 0;
    is_first_ = true;
    has_candidate_ = is_accepted_ = false;
    at_start_ = at_end_ = {};
}

template <class S> const S* ExplicitRk<S>::direction() {
    if (is_accepted_) return evaluate_end() == PointStatus::good ? k(end_stage_) : nullptr;
    if (!at_start_.is_done) at_start_ = {.is_done = true, .status = evaluate(tau_, start_, k(0))};
    return at_start_.status == PointStatus::good ? k(0) : nullptr;
}

template <class S> StepReport<S> ExplicitRk<S>::attempt(S h) {
    if (is_accepted_) go_on();
    has_candidate_ = has_extra_ = has_curve_ = false;
    at_end_ = {};
    h_ = h;
    tau_end_ = tau_ + h;
    StepReport<S> report; // NOTE: all ways out return it, so that it is never copied
    direction();
    if (!is_good(at_start_.status, StepOutcome::no_direction_here, report)) return report;
    if (!is_good(is_finite(h) ? PointStatus::good : PointStatus::not_finite, StepOutcome::no_direction, report))
        return report;
    if (is_fused() && attempt_fused(report)) return report;
    attempt_by_parts(report);
    return report;
}

template <class S> bool ExplicitRk<S>::attempt_fused([[maybe_unused]] StepReport<S>& report) {
    if constexpr (std::is_same_v<S, double>) {
        ++n_fused_;
        const auto result = (*fused_)(tau_, h_, {start_, k(0), k_[1], end_, work_, k(end_stage_)});
        lacks_stages_ = true;
        count_fused();
        if (result == Attempt::Result::unclear) {
            ++n_unclear_;
            return false;
        }
        report.error = fused_->error();
        if (result == Attempt::Result::rejected) return true;
        if (fused_->point() != end_) std::swap(end_, work_);
        report.residual = fused_->residual();
        at_end_ = {.is_done = true, .status = PointStatus::good};
        look_twice(report);
        has_candidate_ = true;
        return true;
    }
    return false;
}

template <class S> void ExplicitRk<S>::count_fused() {
    counts_.stages += static_cast<std::int64_t>(n_inner_) - (fused_->has_landed() ? 0 : 1);
    if (!fused_->has_landed() || !fused_->projects()) return;
    const std::int64_t n = fused_->n_sets() * fused_->n_corrections();
    ++counts_.projections;
    counts_.newton_iterations += n;
    counts_.newton_max = std::max(counts_.newton_max, n);
    ++counts_.jacobians;
    counts_.factorisations += fused_->n_sets();
}

// As attempt() and accept() in turn.
template <class S> void ExplicitRk<S>::run_on([[maybe_unused]] Stretch<S>& s) {
    s.n = 0;
    s.n_attempts = s.n_rejected = 0;
    if constexpr (std::is_same_v<S, double>) {
        if (!is_fused() || is_first_ || !is_accepted_ || at_end_.status != PointStatus::good || !at_end_.is_done ||
            quadrature_.is_needed())
            return;
        fused_->sample(s.samples);
        while (s.n < s.n_wanted && s.n_attempts < s.n_allowed) {
            const S size = std::abs(s.h), tau = this->tau(), scale = std::max(std::abs(tau), std::abs(tau + s.h));
            if (!(std::abs(s.end - tau) > 1.01 * size) || !(std::abs(s.report - tau) > size)) break;
            if (size < s.h_floor || size <= 8 * linalg::epsilon<S>() * scale || size < s.slow * s.longest) break;
            if (is_accepted_) go_on();
            const auto result = (*fused_)(tau_, s.h, {start_, k(0), k_[1], end_, work_, k(end_stage_)});
            if (result == Attempt::Result::unclear) break; // the loop tries it again
            ++s.n_attempts;
            ++n_fused_;
            count_fused();
            fused_->sample(false);
            s.error = fused_->error();
            if (result == Attempt::Result::rejected) {
                ++s.n_rejected;
                s.h = s.next(s.loop, s.error, s.h, false);
                continue;
            }
            if (fused_->point() != end_) std::swap(end_, work_);
            tau_end_ = tau_ + s.h;
            h_ = s.h;
            is_accepted_ = true;
            at_end_ = {.is_done = true, .status = PointStatus::good};
            const S* const v = k(end_stage_);
            s.steps[static_cast<std::size_t>(s.n)] = {tau_end_, tau_end_ - tau_, fused_->residual()};
            for (std::int64_t i = 0; i < n_; ++i) {
                s.points[s.n * n_padded_ + i] = end_[i];
                s.directions[s.n * n_padded_ + i] = v[i];
            }
            ++s.n;
            s.longest = std::max(s.longest, size);
            s.h = s.next(s.loop, s.error, s.h, true);
            if (std::abs(s.h) > s.h_max) s.h = s.h < 0 ? -s.h_max : s.h_max;
        }
        fused_->sample(true);
        has_candidate_ = is_accepted_; // of the last step, unless another was tried since
        has_extra_ = has_curve_ = false;
        lacks_stages_ = true;
    }
}

template <class S> void ExplicitRk<S>::complete_stages() {
    if constexpr (std::is_same_v<S, double>) {
        if (lacks_stages_) fused_->complete({start_, k(0), k_[1], end_, work_, k(end_stage_)});
        lacks_stages_ = false;
    }
}

template <class S> void ExplicitRk<S>::attempt_by_parts(StepReport<S>& report) {
    lacks_stages_ = false;
    if (projects()) {
        if (fused_) projection_->forget(); // what it knows is of a point long past
        projection_->begin_step(tau_, start_);
    }
    if (stages_ && stages_->is_ready()) {
        for (std::size_t i = 0; i < n_inner_; ++i) places_[i] = k(i);
        (*stages_)(tau_, h_, start_, places_.data(), end_);
        counts_.stages += static_cast<std::int64_t>(n_inner_) - 1;
    } else {
        for (std::size_t i = 1; i < n_inner_; ++i)
            if (!stage(i, Look::later, report)) return;
        sums_.compute(result_, is_changed_, n_blocks_, start_, h_, end_);
    }
    if (!result(report)) return;
    has_candidate_ = estimate_error(report);
}

// The accepted point becomes the start of the next step, and V there its first stage.
template <class S> void ExplicitRk<S>::go_on() {
    std::swap(start_, end_);
    tau_ = tau_end_;
    at_start_ = at_end_;
    is_changed_ = !is_changed_;
    is_accepted_ = false;
}

template <class S> PointStatus ExplicitRk<S>::evaluate(S tau, const S* x, S* direction, Look look) {
    ++counts_.stages;
    PointStatus status = field_.direction(tau, x, direction);
    if (status == PointStatus::good && look == Look::now) status = finite(direction);
    if (status != PointStatus::good) {
        failed_tau_ = tau;
        failed_ = x;
    }
    return status;
}

template <class S> PointStatus ExplicitRk<S>::evaluate_end() {
    if (!at_end_.is_done) at_end_ = {.is_done = true, .status = evaluate(tau_end_, end_, k(end_stage_))};
    return at_end_.status;
}

template <class S> ProjectionReport<S> ExplicitRk<S>::project(S tau, S* x) {
    const ProjectionReport<S> report = projection_->project(tau, x);
    ++counts_.projections;
    counts_.newton_iterations += report.iterations;
    counts_.newton_max = std::max<std::int64_t>(counts_.newton_max, report.iterations);
    return report;
}

// k_i = V(tau + c_i h, x + h sum_j a_ij k_j); false, with the reason in the report, where it fails.
template <class S> bool ExplicitRk<S>::stage(std::size_t i, Look look, StepReport<S>& report) {
    const S tau = tau_ + c_[i] * h_;
    sums_.compute(i, is_changed_, n_blocks_, start_, h_, work_);
    if (project_ == Project::stages && !is_good(project(tau, work_).status, StepOutcome::no_projection, report))
        return false;
    return is_good(evaluate(tau, work_, k(i), look), StepOutcome::no_direction, report);
}

// The result is not finite: the first stage that is not either, and the point where V was asked for.
template <class S> void ExplicitRk<S>::blame(StepReport<S>& report) {
    report.outcome = StepOutcome::no_direction;
    report.why = PointStatus::not_finite;
    failed_tau_ = tau_end_;
    failed_ = end_;
    for (std::size_t i = 1; i < n_inner_; ++i) {
        if (finite(k(i)) == PointStatus::good) continue;
        failed_tau_ = tau_ + c_[i] * h_;
        sums_.compute(i, is_changed_, n_blocks_, start_, h_, work_);
        if (project_ == Project::stages) project(failed_tau_, work_);
        failed_ = work_;
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
    return !is_fsal_ || is_good(evaluate_end(), StepOutcome::no_direction, report);
}

template <class S> bool ExplicitRk<S>::project_result(StepReport<S>& report) {
    std::copy_n(end_, n_padded_, work_);
    const ProjectionReport<S> projected = project(tau_end_, end_);
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
    sums_.compute(sum, is_changed_, n_blocks_, is_point ? start_ : nullptr, h_, work_);
    if (is_point) {
        if (!is_good(project(tau_end_, work_).status, StepOutcome::no_projection, report)) return false;
        for (std::int64_t i = 0; i < n_; ++i) work_[i] -= end_[i];
    }
    square = norm_.square(work_, start_, end_);
    return true;
}

template <class S> bool ExplicitRk<S>::estimate_error(StepReport<S>& report) {
    if (error_ == 0) return true;
    S square = 0, low = 0;
    if (!measure(error_, square, report)) return false;
    if (error_low_ == 0) {
        report.error = norm_.root(square);
        look_twice(report);
        return true;
    }
    // |e|^2 / sqrt(|e|^2 + 0.01 |e_low|^2), where |e|^2 = square / count
    if (!measure(error_low_, low, report)) return false;
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
    if (has_own_dense_) {
        if (n_total_ == n_stages_ || extra_stages() != PointStatus::good) return false;
        sums_.compute(dense_ + static_cast<std::size_t>(dense_degree_ - 1), is_changed_, n_padded_, nullptr, h_, work_);
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
    if (!has_own_dense_) return hermite(coefficients);
    complete_stages();
    if (const PointStatus status = extra_stages(); status != PointStatus::good) return status;
    std::copy_n(start_, n_padded_, coefficients);
    for (int power = 1; power <= dense_degree_; ++power)
        sums_.compute(dense_ + static_cast<std::size_t>(power - 1), is_changed_, n_padded_, nullptr, h_,
                      coefficients + power * n_padded_);
    end_at_result(coefficients);
    return PointStatus::good;
}

// The estimate speaks for a polynomial of its order.
template <class S> std::span<const double> ExplicitRk<S>::dense_places() const {
    static constexpr double places[] = {0, 0, 1, 1};
    return has_own_dense_ || raised_ || order_ <= 3 ? std::span<const double>() : places;
}

// The stages that only the dense output needs; the one at the result among them serves the next step too.
template <class S> PointStatus ExplicitRk<S>::extra_stages() {
    if (has_extra_) return PointStatus::good;
    StepReport<S> report;
    for (std::size_t i = n_stages_; i < n_total_ && report.why == PointStatus::good; ++i) {
        if (i == end_stage_)
            report.why = evaluate_end();
        else
            stage(i, Look::now, report);
    }
    has_extra_ = report.why == PointStatus::good;
    return report.why;
}

// d_1 = h k_0,  d_2 = 3 (p - x) - h (2 k_0 + k_1),  d_3 = h (k_0 + k_1) - 2 (p - x),  k_0 and k_1 the directions at the
// ends
template <class S> PointStatus ExplicitRk<S>::hermite(S* coefficients) {
    if (const PointStatus status = evaluate_end(); status != PointStatus::good) return status;
    const S *k_0 = k(0), *k_1 = k(end_stage_);
    if (raised_) {
        const auto direction = [&](S tau, const S* x, S* dx) { return evaluate(tau, x, dx); };
        return (*raised_)({tau_, h_, start_, k_0, end_, k_1}, direction, coefficients);
    }
    S *d_0 = coefficients, *d_1 = d_0 + n_padded_, *d_2 = d_1 + n_padded_, *d_3 = d_2 + n_padded_;
    for (std::int64_t i = 0; i < n_padded_; ++i) {
        const S move = end_[i] - start_[i], v_0 = h_ * k_0[i], v_1 = h_ * k_1[i];
        d_0[i] = start_[i];
        d_1[i] = v_0;
        d_2[i] = 3 * move - (2 * v_0 + v_1);
        d_3[i] = (v_0 + v_1) - 2 * move;
    }
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
template class ExplicitRk<float128>;

const Family explicit_rk_family{.name = "explicit Runge-Kutta",
                                .make_double = make_as<ExplicitRk, double>,
                                .make_quad = make_as<ExplicitRk, float128>,
                                .dense_order = dense_order_of_explicit_rk,
                                .is_explicit = true,
                                .has_stages = true,
                                .has_arclength = true,
                                .can_amplify = true,
                                .carries_derivatives = true};

} // namespace vessiot::method
