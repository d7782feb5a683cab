#include "method/implicit/implicit_rk.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "linalg/small.hpp"
#include "linalg/transform.hpp"
#include "method/cubic_hermite.hpp"
#include "method/implicit/implicit_parts.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

namespace {

using linalg::absolute;
using linalg::all_finite;

constexpr int most_iterations = 10;           // with a tolerance
constexpr int most_round_off_iterations = 60; // without
constexpr double keep_dear = 0.05;            // of theta, where factors cost far more than iterations
constexpr double dear = 30;                   // the work of factors over that of an iteration
constexpr double look_ahead_ratio = 1.5;      // of the step to the last one
constexpr int trouble_of_failure = 5;         // an iteration that failed; steps take it away, one by one
constexpr int most_trouble = 15;

// The tolerances that the estimate, of a lower order, is measured in.
template <class S> StepperOptions<S> internal_tolerances(const MethodInfo& info, StepperOptions<S> options) {
    if (info.embedded_order == 0) return options;
    const auto s = static_cast<double>(info.n_stages);
    const double rtol = 0.1 * std::pow(static_cast<double>(options.rtol), (s + 1) / (2 * s));
    options.atol = options.atol * (S(rtol) / options.rtol);
    options.rtol = S(rtol);
    return options;
}

// Those of the iteration: the same, or the last digits.
template <class S> StepperOptions<S> stage_tolerances(const MethodInfo& info, StepperOptions<S> options) {
    options.only_first_block = false; // what is not converged is no stage, whether its error counts or not
    if (!options.to_round_off) return internal_tolerances(info, options);
    options.rtol = linalg::epsilon<S>();
    options.atol = options.rtol * S(1e-6);
    return options;
}

template <class S> S newton_tolerance(const MethodInfo& info, const StepperOptions<S>& options) {
    const auto rtol = static_cast<double>(internal_tolerances(info, options).rtol);
    const auto epsilon = static_cast<double>(linalg::epsilon<S>());
    return S(std::max(10 * epsilon / rtol, std::min(0.03, std::sqrt(rtol))));
}

// Of index 1 stages are not projected, and A would be factorised at each.
template <class S> bool starts_with_tops(const Parts<S>& parts) {
    return parts.prolongation.is_raised || parts.prolongation.is_general;
}

bool wants_hermite(const TableauView& t) {
    const bool ends_with_stage = t.c[t.n_stages - 1] == 1;
    return !ends_with_stage && t.n_stages < 4;
}

} // namespace

template <class S>
ImplicitRk<S>::ImplicitRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                          const StepperOptions<S>& options)
    : TwoPoints<S>(field, projection), project_(projection ? options.project : Project::nothing),
      has_estimate_(options.estimate != Estimate::none && info.embedded_order > 0), to_round_off_(options.to_round_off),
      numbers_(info.tableau), r_(numbers_.exact.n_implicit),
      dense_degree_(wants_hermite(info.tableau) ? 0 : static_cast<int>(numbers_.exact.n_stages)),
      norm_(n_, internal_tolerances(info, options)),
      increments_(n_, stage_tolerances(info, options), newton_tolerance(info, options)),
      first_(parts_of(info, options, true), project_, goes_by_levels(),
             !to_round_off_ && starts_with_tops(*options.parts), numbers_),
      linear_(&first_) {
    if (has_estimate_) places_ = places_of_collocation(numbers_.exact);
    const auto work = first_.solvers.work();
    const double iteration = static_cast<double>(r_) * linear_->jacobian.direction_operations() + 2 * work.solve;
    if (2 * work.factor > dear * iteration) kept_.keep = S(keep_dear);
    take_memory();
}

template <class S> void ImplicitRk<S>::take_memory() {
    memory_ = linalg::Vector<S>(n_padded_ * static_cast<std::int64_t>(4 * r_ + 7));
    S* next = memory_.data();
    const auto take = [&] { return std::exchange(next, next + n_padded_); };
    for (std::vector<S*>* list : {&z_, &w_, &v_, &transformed_})
        for (std::size_t i = 0; i < r_; ++i) list->push_back(take());
    for (S** place : {&start_, &end_, &k_start_, &k_end_, &work_, &error_, &trial_}) *place = take();
    polynomial_ = linalg::Vector<S>(n_padded_ * static_cast<std::int64_t>(numbers_.exact.n_stages));
    if (!numbers_.pairs.empty()) complex_ = linalg::Vector<C>(n_);
}

template <class S> void ImplicitRk<S>::begin(S tau, const S* x) {
    this->begin_at(tau, x);
    kept_.begin();
    linear_ = &first_;
    linear_->solvers.forget();
}

template <class S> PointStatus ImplicitRk<S>::evaluate(S tau, const S* x, S* direction) {
    ++counts_.stages;
    return this->checked_direction(tau, x, direction);
}

template <class S> PointStatus ImplicitRk<S>::evaluate_end() {
    if (!at_end_.is_done) at_end_ = {.is_done = true, .status = evaluate(tau_end_, end_, k_end_)};
    return at_end_.status;
}

template <class S> const S* ImplicitRk<S>::direction() {
    if (is_accepted_) return evaluate_end() == PointStatus::good ? k_end_ : nullptr;
    if (!at_start_.is_done) at_start_ = {.is_done = true, .status = evaluate(tau_, start_, k_start_)};
    return at_start_.status == PointStatus::good ? k_start_ : nullptr;
}

// The accepted point becomes the start of the next step; the polynomial of this one is kept for the prediction.
template <class S> void ImplicitRk<S>::go_on() {
    polynomial(h_, z_.data(), k_start_, polynomial_.data());
    Base::go_on();
    if (linear_->tops) linear_->tops->go_on();
    std::swap(k_start_, k_end_);
    kept_.go_on(h_);
    kept_.trouble = std::max(0, kept_.trouble - 1);
    if (kept_.theta > kept_.keep || to_round_off_) kept_.has_jacobian = false;
}

template <class S> StepReport<S> ImplicitRk<S>::attempt(S h) {
    if (is_accepted_)
        go_on();
    else if (has_candidate_)
        kept_.is_rejected = true;
    this->begin_attempt(h);
    StepReport<S> report;
    if (has_estimate_ || numbers_.exact.has_explicit) {
        if (!direction()) {
            this->fail(report, StepOutcome::no_direction_here, at_start_.status);
            return report;
        }
    }
    if (!linalg::is_finite(h)) {
        is_good(PointStatus::not_finite, StepOutcome::no_direction, report);
        return report;
    }
    if (projects()) this->begin_projections();
    if (!solve_stages(report)) {
        kept_.is_rejected = true;
        return report;
    }
    has_candidate_ = result(report) && estimate_error(report);
    return report;
}

// J at a point, with the tops w, or null: they are found.
template <class S> bool ImplicitRk<S>::linearise(S tau, const S* x, const S* w, StepReport<S>& report) {
    linear_->solvers.forget();
    ++counts_.jacobians;
    const PointStatus status = linear_->jacobian.set(field_, tau, x, w, error_);
    kept_.has_jacobian = status == PointStatus::good;
    if (kept_.has_jacobian) return true;
    report.failed.derivative = linear_->jacobian.not_finite();
    const bool is_derivative = status == PointStatus::not_finite && report.failed.derivative.first >= 0;
    const StepOutcome outcome = is_derivative ? StepOutcome::no_derivative
                                : x == start_ ? StepOutcome::no_direction_here
                                              : StepOutcome::no_direction;
    return this->fail(report, outcome, status, tau, x);
}

// J where the middle stage is expected: the iteration then converges faster than with that of the start, since J
// changes half as much on the way to either end. False where that is not known, or not to be had.
template <class S> bool ImplicitRk<S>::linearise_ahead() {
    const std::size_t i = r_ / 2;
    predict_stage(i, trial_);
    for (std::int64_t k = 0; k < n_; ++k) trial_[k] += start_[k];
    const S tau = tau_ + numbers_.c[i] * h_;
    if (project_ == Project::stages && this->project(tau, trial_).status != PointStatus::good) return false;
    StepReport<S> ignored;
    return linearise(tau, trial_, linear_->tops ? linear_->tops->predict_stage(i, h_ / kept_.h_old) : nullptr, ignored);
}

// I - h / lambda J for all lambda.
template <class S> bool ImplicitRk<S>::factor(StepReport<S>& report) {
    if (linear_->solvers.is_for(h_)) return true;
    counts_.factorisations += linear_->solvers.size();
    if (linear_->solvers.factor(h_)) return true;
    report.outcome = StepOutcome::no_convergence;
    report.why = PointStatus::singular;
    report.shrink = 0.5;
    return false;
}

template <class S> void ImplicitRk<S>::start_at_zero() {
    for (std::size_t i = 0; i < r_; ++i) std::fill_n(w_[i], n_padded_, S(0));
    if (linear_->tops) linear_->tops->start_at(tau_, start_);
}

// sum_m d_m ((1 + rho c_i)^m - 1), d_m of the step before
template <class S> template <int N> void ImplicitRk<S>::predict_stage_of(std::size_t i, S* z) const {
    const std::int64_t n = N > 0 ? N : n_;
    const S theta = 1 + h_ / kept_.h_old * numbers_.c[i];
    S power = 1;
    std::fill_n(z, n, S(0));
    for (std::size_t m = 0; m < numbers_.exact.n_stages; ++m) {
        power *= theta;
        const S factor = power - 1;
        const S* d = polynomial_.data() + static_cast<std::int64_t>(m) * n_padded_;
        for (std::int64_t k = 0; k < n; ++k) z[k] += factor * d[k];
    }
}

template <class S> void ImplicitRk<S>::predict_stage(std::size_t i, S* z) const {
    linalg::by_size<S>(n_, [&]<int N>(std::integral_constant<int, N>) { predict_stage_of<N>(i, z); });
}

template <class S> void ImplicitRk<S>::predict() {
    for (std::size_t i = 0; i < r_; ++i) predict_stage(i, z_[i]);
    from_stages();
    if (linear_->tops) linear_->tops->predict(h_ / kept_.h_old);
}

// out = matrix in, stage by stage; straight code for few unknowns.
template <class S>
template <int N>
void ImplicitRk<S>::transform(const std::vector<S>& matrix, const std::vector<S*>& in,
                              const std::vector<S*>& out) const {
    if constexpr (N == 0) {
        linalg::transform(n_padded_, static_cast<int>(r_), matrix.data(), const_cast<const S* const*>(in.data()),
                          out.data());
    } else {
        const S* row = matrix.data();
        for (std::size_t i = 0; i < r_; ++i, row += r_) {
            S sum[N] = {};
            for (std::size_t j = 0; j < r_; ++j)
                for (int k = 0; k < N; ++k) sum[k] += row[j] * in[j][k];
            std::copy_n(sum, N, out[i]);
        }
    }
}

template <class S> void ImplicitRk<S>::to_stages() {
    linalg::by_size<S>(n_, [&]<int N>(std::integral_constant<int, N>) { transform<N>(numbers_.t, w_, z_); });
    if (linear_->tops) linear_->tops->to_stages();
}

template <class S> void ImplicitRk<S>::from_stages() {
    linalg::by_size<S>(n_, [&]<int N>(std::integral_constant<int, N>) { transform<N>(numbers_.t_inverse, z_, w_); });
}

// V at the stages.
template <class S> bool ImplicitRk<S>::evaluate_stages(StepReport<S>& report) {
    if (linear_->tops) return evaluate_equations(report);
    for (std::size_t i = 0; i < r_; ++i) {
        const S tau = tau_ + numbers_.c[i] * h_;
        for (std::int64_t k = 0; k < n_; ++k) work_[k] = start_[k] + z_[i][k];
        if (to_round_off_ && i + 1 == r_) increments_.set_scale(work_);
        if (project_ == Project::stages &&
            !is_good(this->project(tau, work_).status, StepOutcome::no_projection, report))
            return false;
        if (const PointStatus status = evaluate(tau, work_, v_[i]); status != PointStatus::good)
            return this->fail(report, StepOutcome::no_direction, status);
    }
    return true;
}

// The same with the tops that the iteration has, and the equations for them.
template <class S> bool ImplicitRk<S>::evaluate_equations(StepReport<S>& report) {
    for (std::size_t i = 0; i < r_; ++i) {
        const S tau = tau_ + numbers_.c[i] * h_;
        for (std::int64_t k = 0; k < n_; ++k) work_[k] = start_[k] + z_[i][k];
        ++counts_.stages;
        if (!linear_->tops->evaluate(i, tau, work_, v_[i]))
            return this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau, work_);
    }
    linear_->tops->transform_rows();
    return true;
}

template <class S> void ImplicitRk<S>::solve(std::size_t block, S* x) {
    if (linear_->tops)
        linear_->tops->solve(linear_->solvers.real(block), h_ / numbers_.real[block], block, x);
    else
        linear_->solvers.real(block).solve(x);
}

// complex_ holds the right-hand side, then the solution.
template <class S> void ImplicitRk<S>::solve_pair(std::size_t pair) {
    if (linear_->tops)
        linear_->tops->solve(linear_->solvers.pair(pair), C(h_) / numbers_.pairs[pair], numbers_.real.size() + 2 * pair,
                             complex_.data());
    else
        linear_->solvers.pair(pair).solve(complex_.data());
}

// One iteration: W += dW. The norm of dW, rms over the stages.
template <class S> template <int N> S ImplicitRk<S>::newton_step_of() {
    const std::int64_t n = N > 0 ? N : n_;
    ++counts_.stage_iterations;
    S square = 0;
    transform<N>(numbers_.t_inverse, v_, transformed_);
    if (numbers_.exact.has_explicit)
        for (std::size_t i = 0; i < r_; ++i)
            for (std::int64_t k = 0; k < n; ++k) transformed_[i][k] += numbers_.g[i] * k_start_[k];
    for (std::size_t b = 0; b < numbers_.real.size(); ++b) {
        const S gamma = h_ / numbers_.real[b];
        S *x = transformed_[b], *w = w_[b];
        for (std::int64_t k = 0; k < n; ++k) x[k] = gamma * x[k] - w[k];
        solve(b, x);
        for (std::int64_t k = 0; k < n; ++k) w[k] += x[k];
        square += increments_.square(x, start_);
    }
    for (std::size_t b = 0; b < numbers_.pairs.size(); ++b) {
        const std::size_t i = numbers_.real.size() + 2 * b;
        const C gamma = C(h_) / numbers_.pairs[b];
        S *x = transformed_[i], *y = transformed_[i + 1], *w = w_[i], *u = w_[i + 1];
        for (std::int64_t k = 0; k < n; ++k) complex_[k] = gamma * C(x[k], -y[k]) - C(w[k], -u[k]);
        solve_pair(b);
        for (std::int64_t k = 0; k < n; ++k) {
            x[k] = complex_[k].re;
            y[k] = -complex_[k].im;
            w[k] += x[k];
            u[k] += y[k];
        }
        square += increments_.square(x, start_) + increments_.square(y, start_);
    }
    return increments_.root(square / S(r_));
}

template <class S> S ImplicitRk<S>::newton_step() {
    return linalg::by_size<S>(n_, [&]<int N>(std::integral_constant<int, N>) { return newton_step_of<N>(); });
}

template <class S> typename ImplicitRk<S>::Iteration ImplicitRk<S>::iterate(StepReport<S>& report) {
    S before = 0, slowest = 0;
    const S root = linalg::square_root(std::max(kept_.rate, S(1e-16)));
    // as if the last step went on, with less trust; from nowhere, the rate of another attempt says nothing
    kept_.rate = kept_.has_old && !linear_->tops ? root * linalg::square_root(root) : S(1);
    kept_.theta = kept_.keep;
    increments_.begin(start_);
    for (int k = 1; k <= most_iterations; ++k) {
        to_stages();
        if (!evaluate_stages(report)) return Iteration::failed;
        const S size = newton_step();
        if (!linalg::is_finite(size)) return Iteration::diverged;
        report.caution = S(2 * most_iterations + 1) / S(2 * most_iterations + k);
        if (k > 1) {
            const S ratio = size / before;
            slowest = std::max(slowest, ratio);
            kept_.theta = k == 2 ? ratio : linalg::square_root(ratio * kept_.theta);
            // NOTE: with tops the first increments are those of Z, and the second ones what follows from W: their ratio
            // says little, and that of the step before nothing
            const bool is_early = k == 2 && linear_->tops;
            if (is_early) kept_.theta = std::clamp(kept_.theta, S(0.05), S(0.5));
            if (kept_.theta >= S(0.99)) return Iteration::diverged;
            kept_.rate = kept_.theta / (1 - kept_.theta);
            // |dW| after the iterations that are left
            auto last = static_cast<double>(kept_.rate * size);
            for (int left = most_iterations - 1 - k; left > 0; --left) last *= static_cast<double>(kept_.theta);
            if (!is_early && k < most_iterations && last >= static_cast<double>(increments_.kappa())) {
                const double miss = std::clamp(last / static_cast<double>(increments_.kappa()), 1e-4, 20.0);
                report.shrink = S(0.8 * std::pow(miss, -1.0 / (4 + most_iterations - 1 - k)));
                return Iteration::slow;
            }
        }
        if (kept_.rate * size <= increments_.kappa()) {
            to_stages();
            // where increments vanish at last (w' = g(t, v), v' = f(t)) the first of the next step do not
            kept_.rate = std::max(kept_.rate, slowest);
            if (k == 2 && linear_->tops) kept_.theta = slowest;
            return Iteration::converged;
        }
        before = size;
    }
    return Iteration::slow;
}

// Until the increments are round-off: they are as large as the last ones, and small.
template <class S> typename ImplicitRk<S>::Iteration ImplicitRk<S>::iterate_to_round_off(StepReport<S>& report) {
    S before = 0, first = 0;
    int n_refreshed = 0, n_stuck = 0;
    for (int k = 1; k <= most_round_off_iterations; ++k) {
        to_stages();
        if (!evaluate_stages(report)) return Iteration::failed;
        const S size = newton_step();
        if (!linalg::is_finite(size)) return Iteration::diverged;
        if (size == S(0)) break;
        first = std::max(first, size);
        const bool is_small = size <= S(1e5) || size <= S(1e-9) * first; // in units of the last digit
        kept_.theta = k > 1 ? size / before : S(0);
        if (k > 1 && kept_.theta >= S(0.3)) {
            if (is_small && kept_.theta >= S(0.5) && ++n_stuck == 2) break;
            if (kept_.theta >= S(2) && n_refreshed >= 3) return Iteration::diverged;
            if (!is_small && n_refreshed < 10 && kept_.theta < S(1e3)) { // J of the middle stage
                to_stages();
                const std::size_t i = r_ / 2;
                for (std::int64_t m = 0; m < n_; ++m) trial_[m] = start_[m] + z_[i][m];
                const S tau = tau_ + numbers_.c[i] * h_;
                if (project_ == Project::stages &&
                    !is_good(this->project(tau, trial_).status, StepOutcome::no_projection, report))
                    return Iteration::failed;
                if (!linearise(tau, trial_, nullptr, report) || !factor(report)) return Iteration::failed;
                ++n_refreshed;
            }
        }
        before = size;
        if (k == most_round_off_iterations && !is_small) return Iteration::slow;
    }
    to_stages();
    return Iteration::converged;
}

// Where the iteration fails again and again, with V a function of the point, the tops become unknowns of it.
template <class S> bool ImplicitRk<S>::has_other_way() {
    kept_.trouble += trouble_of_failure;
    if (kept_.trouble < most_trouble || linear_ != &first_ || first_.tops || to_round_off_) return false;
    if (first_.jacobian.linearised().is_monomial()) return false;
    if (!second_)
        second_ = std::make_unique<StageLinear<S>>(first_.jacobian.parts(), project_, goes_by_levels(), true, numbers_);
    if (!second_->tops) return false;
    linear_ = second_.get();
    linear_->solvers.forget();
    kept_.has_jacobian = kept_.has_old = kept_.is_fresh = false;
    return true;
}

template <class S> bool ImplicitRk<S>::solve_stages(StepReport<S>& report) {
    // NOTE: not where the polynomial of the last step is continued far
    bool may_look_ahead = kept_.has_old && !kept_.is_rejected && !to_round_off_ &&
                          absolute(h_) <= S(look_ahead_ratio) * absolute(kept_.h_old);
    while (true) {
        if (!kept_.has_jacobian || (kept_.is_rejected && !kept_.is_fresh)) {
            kept_.is_fresh = !may_look_ahead || !linearise_ahead();
            may_look_ahead = false;
            if (kept_.is_fresh && !linearise(tau_, start_, nullptr, report)) return false;
        }
        if (!factor(report)) {
            if (kept_.is_fresh) return false;
            kept_.has_jacobian = false;
            report = {};
            continue;
        }
        kept_.has_old ? predict() : start_at_zero();
        const Iteration end = to_round_off_ ? iterate_to_round_off(report) : iterate(report);
        if (end == Iteration::converged) return true;
        kept_.rate = 1;
        if (end == Iteration::failed && kept_.has_old) { // V may have no value where the prediction went
            kept_.has_old = false;
            report = {};
            continue;
        }
        if (kept_.is_fresh && end == Iteration::failed) return false;
        if (kept_.is_fresh && has_other_way()) {
            report = {};
            continue;
        }
        if (kept_.is_fresh) {
            if (end == Iteration::diverged) report.shrink = 0.25;
            if (report.shrink == S(0)) report.shrink = 0.5;
            report.outcome = StepOutcome::no_convergence;
            report.why = PointStatus::not_converged;
            return false;
        }
        report = {}; // once more, with J of this point
        kept_.has_jacobian = false;
    }
}

template <class S> bool ImplicitRk<S>::result(StepReport<S>& report) {
    linalg::combine(n_padded_, static_cast<const S*>(start_), S(1), static_cast<int>(r_), numbers_.d.data(),
                    const_cast<const S* const*>(z_.data()), end_);
    if (numbers_.d_0 != S(0))
        for (std::int64_t k = 0; k < n_; ++k) end_[k] += h_ * numbers_.d_0 * k_start_[k];
    if (!all_finite(end_, n_))
        return this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_end_, end_);
    if (!projects()) return true;
    std::copy_n(end_, n_padded_, work_);
    const ProjectionReport<S> projected = this->project(tau_end_, end_);
    report.residual = projected.residual;
    if (!is_good(projected.status, StepOutcome::no_projection, report)) return false;
    if (!all_finite(end_, n_)) return is_good(PointStatus::not_finite, StepOutcome::no_projection, report);
    for (std::int64_t k = 0; k < n_; ++k) work_[k] -= end_[k];
    report.distance = norm_(work_, start_, end_);
    return true;
}

// (I - h gamma_0 J)^-1 (sum_i e_i Z_i + h gamma_0 k), or the real part of the same with a pair; with tops F at the
// point takes the place of k. False where that is not finite.
template <class S> bool ImplicitRk<S>::find_error(const S* x, const S* k) {
    linalg::combine(n_padded_, static_cast<const S*>(nullptr), S(1), static_cast<int>(r_), numbers_.e.data(),
                    const_cast<const S* const*>(z_.data()), error_);
    const S gamma = h_ * numbers_.gamma_0;
    const bool is_real = !numbers_.real.empty();
    StageSolvers<S>& solvers = linear_->solvers;
    if (StageTops<S>* tops = linear_->tops.get())
        return is_real
                   ? tops->filter(solvers.real(0), gamma, tau_, x, error_)
                   : tops->filter(solvers.pair(0), C(h_) / numbers_.pairs[0], gamma, tau_, x, error_, complex_.data());
    for (std::int64_t i = 0; i < n_; ++i) error_[i] += gamma * k[i];
    if (is_real) {
        solvers.real(0).solve(error_);
        return true;
    }
    for (std::int64_t i = 0; i < n_; ++i) complex_[i] = C(error_[i]);
    solvers.pair(0).solve(complex_.data());
    for (std::int64_t i = 0; i < n_; ++i) error_[i] = complex_[i].re;
    return true;
}

template <class S> bool ImplicitRk<S>::estimate_error(StepReport<S>& report) {
    if (!has_estimate_) return true;
    if (!find_error(start_, k_start_))
        return this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_, start_);
    report.error = norm_(error_, start_, end_);
    if (report.error >= S(1) && kept_.is_rejected) {
        for (std::int64_t k = 0; k < n_; ++k) trial_[k] = start_[k] + error_[k];
        if ((linear_->tops || evaluate(tau_, trial_, work_) == PointStatus::good) && find_error(trial_, work_))
            report.error = norm_(error_, start_, end_);
    }
    return true;
}

// d_1, d_2, ... of the collocation polynomial.
template <class S> void ImplicitRk<S>::polynomial(S h, S* const* z, const S* k_1, S* coefficients) const {
    for (std::size_t m = 0; m < numbers_.exact.n_stages; ++m) {
        S* d = coefficients + static_cast<std::int64_t>(m) * n_padded_;
        linalg::combine(n_padded_, static_cast<const S*>(nullptr), S(1), static_cast<int>(r_),
                        numbers_.dense.data() + m * r_, const_cast<const S* const*>(z), d);
        if (numbers_.exact.has_explicit)
            for (std::int64_t k = 0; k < n_; ++k) d[k] += h * numbers_.dense_0[m] * k_1[k];
    }
}

template <class S> PointStatus ImplicitRk<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    if (is_hermite()) return hermite(coefficients);
    std::copy_n(start_, n_padded_, coefficients);
    polynomial(h_, z_.data(), k_start_, coefficients + n_padded_);
    if (!projects()) return PointStatus::good;
    for (std::int64_t k = 0; k < n_; ++k) { // it ends at p
        S sum = 0;
        for (int m = dense_degree_; m > 0; --m) sum += coefficients[m * n_padded_ + k];
        const S move = (end_[k] - start_[k]) - sum;
        if (dense_degree_ >= 3) {
            coefficients[2 * n_padded_ + k] += 3 * move;
            coefficients[3 * n_padded_ + k] -= 2 * move;
        } else {
            coefficients[dense_degree_ * n_padded_ + k] += move;
        }
    }
    return PointStatus::good;
}

template <class S> PointStatus ImplicitRk<S>::hermite(S* coefficients) {
    if (!at_start_.is_done) at_start_ = {.is_done = true, .status = evaluate(tau_, start_, k_start_)};
    if (at_start_.status != PointStatus::good) return at_start_.status;
    if (const PointStatus status = evaluate_end(); status != PointStatus::good) return status;
    cubic_hermite<S>(n_padded_, n_padded_, h_, start_, k_start_, end_, k_end_, coefficients);
    return PointStatus::good;
}

// Half of the steps have factors of their own, and four iterations.
template <class S> double ImplicitRk<S>::operations() const {
    constexpr double iterations = 4, factored = 0.5;
    const auto work = linear_->solvers.work();
    const double directions = static_cast<double>(r_) * linear_->jacobian.direction_operations();
    return 2 * factored * work.factor + iterations * (directions + 2 * work.solve);
}

int dense_order_of_implicit_rk(const MethodInfo& info) {
    return wants_hermite(info.tableau) ? std::min(info.order, 3) : info.dense_order;
}

template class ImplicitRk<double>;
template class ImplicitRk<Quad>;

const Family implicit_rk_family{.name = "implicit Runge-Kutta",
                                .make_double = make_as<ImplicitRk, double>,
                                .make_quad = make_as<ImplicitRk, Quad>,
                                .dense_order = dense_order_of_implicit_rk,
                                .is_implicit = true,
                                .solves_equations = true,
                                .has_stages = true,
                                .has_arclength = true,
                                .carries_derivatives = true};

} // namespace vessiot::method
