#include "method/implicit/implicit_rk.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "linalg/transform.hpp"
#include "method/implicit/implicit_parts.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

namespace {

using linalg::absolute;
using linalg::all_finite;

constexpr int most_iterations = 10;           // with a tolerance
constexpr int most_round_off_iterations = 60; // without
constexpr double theta_keep = 1e-3;           // J serves the next step too
constexpr double look_ahead_ratio = 1.5;      // of the step to the last one

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

template <class S> bool is_good(PointStatus status, StepOutcome failure, StepReport<S>& report) {
    if (status == PointStatus::good) return true;
    report.outcome = failure;
    report.why = status;
    return false;
}

template <class S> Parts<S>& base_of(Parts<S>& parts) {
    return parts.base ? *parts.base : parts;
}

// The projection that J has to know of: that of the stages. Large systems whose V makes sense off the manifold as well
// do without it, which costs a few iterations and saves much in the factors.
template <class S> Manifold<S>* manifold_of(Parts<S>& parts, Project project) {
    const Prolongation& p = parts.prolongation;
    const bool is_needed = p.is_raised || p.is_general || p.n_state() <= 60;
    return project == Project::stages && is_needed ? &parts.manifold : nullptr;
}

bool wants_hermite(const TableauView& t) {
    const bool ends_with_stage = t.c[t.n_stages - 1] == 1;
    return !ends_with_stage && t.n_stages < 4;
}

} // namespace

template <class S>
ImplicitRk<S>::ImplicitRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                          const StepperOptions<S>& options)
    : field_(field), projection_(projection), parts_(parts_of(info, options, true)),
      project_(projection ? options.project : Project::nothing),
      has_estimate_(options.estimate != Estimate::none && info.embedded_order > 0), to_round_off_(options.to_round_off),
      n_(field.size()), n_padded_(linalg::padded(n_)), exact_(info.tableau), r_(exact_.n_implicit),
      is_hermite_(wants_hermite(info.tableau)), dense_degree_(is_hermite_ ? 3 : static_cast<int>(exact_.n_stages)),
      norm_(n_, internal_tolerances(info, options)), stage_norm_(n_, stage_tolerances(info, options)),
      kappa_(newton_tolerance(info, options)), c_(cast<S>(exact_.c)), t_(cast<S>(exact_.t)),
      t_inverse_(cast<S>(exact_.t_inverse)), g_(cast<S>(exact_.g)), d_(cast<S>(exact_.d)),
      dense_(cast<S>(exact_.dense)), dense_0_(cast<S>(exact_.dense_0)), e_(cast<S>(exact_.e)),
      real_(cast<S>(exact_.real)), d_0_(static_cast<S>(exact_.d_0)), gamma_0_(static_cast<S>(exact_.gamma_0)),
      linearised_(base_of(parts_).system, base_of(parts_).prolongation, base_of(parts_).jets, parts_.evaluator,
                  manifold_of(base_of(parts_), project_), projection && projection->goes_by_stages(),
                  parts_.is_arclength ? LinearisedForm::tangent : LinearisedForm::small,
                  base_of(parts_).distribution.deficient_rank()) {
    if (parts_.base)
        coupling_ =
            std::make_unique<BlockCoupling<S>>(linearised_, parts_.system, parts_.prolongation, parts_.jets,
                                               parts_.evaluator, manifold_of(*parts_.base, project_), &parts_.manifold);
    for (const auto& p : exact_.pairs) pairs_.push_back({static_cast<S>(p.re), static_cast<S>(p.im)});
    for (std::size_t k = 0; k < real_.size(); ++k)
        real_solvers_.push_back(std::make_unique<ShiftedSolver<S>>(linearised_, coupling_.get()));
    for (std::size_t k = 0; k < pairs_.size(); ++k)
        pair_solvers_.push_back(std::make_unique<ShiftedSolver<C>>(linearised_, coupling_.get()));
    if (has_estimate_) places_ = places_of_collocation(exact_);
    take_memory();
}

template <class S> void ImplicitRk<S>::take_memory() {
    memory_ = linalg::Vector<S>(n_padded_ * static_cast<std::int64_t>(5 * r_ + 10));
    S* next = memory_.data();
    const auto take = [&] { return std::exchange(next, next + n_padded_); };
    for (std::vector<S*>* list : {&z_, &z_old_, &w_, &v_, &transformed_})
        for (std::size_t i = 0; i < r_; ++i) list->push_back(take());
    for (S** place : {&start_, &end_, &k_start_, &k_end_, &k_old_, &work_, &error_, &trial_, &scale_, &weight_})
        *place = take();
    polynomial_ = linalg::Vector<S>(n_padded_ * static_cast<std::int64_t>(exact_.n_stages));
    tops_ = linalg::Vector<S>(parts_.distribution.n_tops());
    if (!pairs_.empty()) complex_ = linalg::Vector<C>(n_);
}

template <class S> void ImplicitRk<S>::begin(S tau, const S* x) {
    std::copy_n(x, n_, start_);
    tau_ = tau;
    has_candidate_ = is_accepted_ = has_old_ = has_jacobian_ = is_fresh_ = false;
    is_rejected_ = true;
    h_factored_ = h_old_ = theta_ = 0;
    rate_ = 1;
    at_start_ = at_end_ = {};
}

template <class S> PointStatus ImplicitRk<S>::evaluate(S tau, const S* x, S* direction) {
    ++counts_.stages;
    PointStatus status = field_.direction(tau, x, direction);
    if (status == PointStatus::good && !all_finite(direction, n_)) status = PointStatus::not_finite;
    if (status != PointStatus::good) {
        failed_tau_ = tau;
        failed_ = x;
    }
    return status;
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

template <class S> ProjectionReport<S> ImplicitRk<S>::project(S tau, S* x) {
    const ProjectionReport<S> report = projection_->project(tau, x);
    ++counts_.projections;
    counts_.newton_iterations += report.iterations;
    counts_.newton_max = std::max<std::int64_t>(counts_.newton_max, report.iterations);
    return report;
}

// The accepted point becomes the start of the next step; its stages are kept for the prediction.
template <class S> void ImplicitRk<S>::go_on() {
    std::swap(start_, end_);
    std::swap(k_start_, k_old_); // the direction where the step began
    std::swap(k_start_, k_end_);
    std::swap(z_, z_old_);
    h_old_ = h_;
    has_old_ = true;
    tau_ = tau_end_;
    at_start_ = at_end_;
    is_accepted_ = is_rejected_ = false;
    is_fresh_ = false;
    if (theta_ > S(theta_keep) || to_round_off_) has_jacobian_ = false;
    polynomial(h_old_, z_old_.data(), k_old_, polynomial_.data());
}

template <class S> StepReport<S> ImplicitRk<S>::attempt(S h) {
    if (is_accepted_)
        go_on();
    else if (has_candidate_)
        is_rejected_ = true;
    has_candidate_ = false;
    at_end_ = {};
    h_ = h;
    tau_end_ = tau_ + h;
    StepReport<S> report;
    if (has_estimate_ || exact_.has_explicit) {
        direction();
        if (!is_good(at_start_.status, StepOutcome::no_direction_here, report)) return report;
    }
    if (!linalg::is_finite(h)) {
        is_good(PointStatus::not_finite, StepOutcome::no_direction, report);
        return report;
    }
    if (projects()) projection_->begin_step(tau_, start_);
    if (!solve_stages(report)) {
        is_rejected_ = true;
        return report;
    }
    has_candidate_ = result(report) && estimate_error(report);
    return report;
}

// J at a point.
template <class S> bool ImplicitRk<S>::linearise(S tau, const S* x, StepReport<S>& report) {
    h_factored_ = 0;
    ++counts_.jacobians;
    failed_derivative_ = {-1, -1};
    PointStatus status = PointStatus::good;
    if (parts_.is_arclength) {
        status = field_.direction(tau, x, error_);
        if (status == PointStatus::good) status = linearised_.set_tangent(x, error_);
    } else {
        status = parts_.distribution.tops(tau, x, tops_.data());
        if (status == PointStatus::good) status = linearised_.set(tau, x, tops_.data());
        if (status == PointStatus::good && coupling_) status = coupling_->set(tau, x, tops_.data());
    }
    has_jacobian_ = status == PointStatus::good;
    if (has_jacobian_) return true;
    failed_tau_ = tau;
    failed_ = x;
    failed_derivative_ = linearised_.not_finite();
    const bool is_derivative = status == PointStatus::not_finite && failed_derivative_.first >= 0;
    is_good(status, is_derivative ? StepOutcome::no_derivative : StepOutcome::no_direction, report);
    if (x == start_ && !is_derivative) report.outcome = StepOutcome::no_direction_here;
    return false;
}

// J where the middle stage is expected: the iteration then converges faster than with that of the start, since J
// changes half as much on the way to either end. False where that is not known, or not to be had.
template <class S> bool ImplicitRk<S>::linearise_ahead() {
    predict();
    const std::size_t i = r_ / 2;
    for (std::int64_t k = 0; k < n_; ++k) trial_[k] = start_[k] + z_[i][k];
    const S tau = tau_ + c_[i] * h_;
    if (project_ == Project::stages && project(tau, trial_).status != PointStatus::good) return false;
    StepReport<S> ignored;
    return linearise(tau, trial_, ignored);
}

// I - h / lambda J for all lambda.
template <class S> bool ImplicitRk<S>::factor(StepReport<S>& report) {
    if (h_factored_ == h_) return true;
    bool is_regular = true;
    for (std::size_t k = 0; k < real_.size() && is_regular; ++k) is_regular = real_solvers_[k]->factor(h_ / real_[k]);
    for (std::size_t k = 0; k < pairs_.size() && is_regular; ++k)
        is_regular = pair_solvers_[k]->factor(C(h_) / pairs_[k]);
    counts_.factorisations += static_cast<std::int64_t>(real_.size() + pairs_.size());
    h_factored_ = is_regular ? h_ : S(0);
    if (is_regular) return true;
    report.outcome = StepOutcome::no_convergence;
    report.why = PointStatus::singular;
    report.shrink = 0.5;
    return false;
}

template <class S> void ImplicitRk<S>::start_at_zero() {
    for (std::size_t i = 0; i < r_; ++i) std::fill_n(w_[i], n_padded_, S(0));
}

// sum_m d_m ((1 + rho c_i)^m - 1), d_m of the step before
template <class S> void ImplicitRk<S>::predict() {
    const S rho = h_ / h_old_;
    for (std::size_t i = 0; i < r_; ++i) {
        const S theta = 1 + rho * c_[i];
        S power = 1;
        std::fill_n(z_[i], n_padded_, S(0));
        for (std::size_t m = 0; m < exact_.n_stages; ++m) {
            power *= theta;
            const S factor = power - 1;
            const S* d = polynomial_.data() + static_cast<std::int64_t>(m) * n_padded_;
            for (std::int64_t k = 0; k < n_; ++k) z_[i][k] += factor * d[k];
        }
    }
    from_stages();
}

template <class S> void ImplicitRk<S>::to_stages() {
    linalg::transform(n_padded_, static_cast<int>(r_), t_.data(), const_cast<const S* const*>(w_.data()), z_.data());
}

template <class S> void ImplicitRk<S>::from_stages() {
    linalg::transform(n_padded_, static_cast<int>(r_), t_inverse_.data(), const_cast<const S* const*>(z_.data()),
                      w_.data());
}

// V at the stages.
template <class S> bool ImplicitRk<S>::evaluate_stages(StepReport<S>& report) {
    for (std::size_t i = 0; i < r_; ++i) {
        const S tau = tau_ + c_[i] * h_;
        for (std::int64_t k = 0; k < n_; ++k) work_[k] = start_[k] + z_[i][k];
        if (to_round_off_ && i + 1 == r_) std::copy_n(work_, n_, scale_);
        if (project_ == Project::stages && !is_good(project(tau, work_).status, StepOutcome::no_projection, report))
            return false;
        if (!is_good(evaluate(tau, work_, v_[i]), StepOutcome::no_direction, report)) return false;
    }
    return true;
}

// Of an increment. With constant steps the sizes that it is measured by change from one iteration to the next.
template <class S> S ImplicitRk<S>::measure(const S* x) const {
    return to_round_off_ ? stage_norm_.square(x, start_, scale_) : stage_norm_.square(x, weight_);
}

// One iteration: W += dW. The norm of dW, rms over the stages.
template <class S> S ImplicitRk<S>::newton_step() {
    ++counts_.stage_iterations;
    S square = 0;
    linalg::transform(n_padded_, static_cast<int>(r_), t_inverse_.data(), const_cast<const S* const*>(v_.data()),
                      transformed_.data());
    if (exact_.has_explicit)
        for (std::size_t i = 0; i < r_; ++i)
            for (std::int64_t k = 0; k < n_; ++k) transformed_[i][k] += g_[i] * k_start_[k];
    for (std::size_t b = 0; b < real_.size(); ++b) {
        const S gamma = h_ / real_[b];
        S *x = transformed_[b], *w = w_[b];
        for (std::int64_t k = 0; k < n_; ++k) x[k] = gamma * x[k] - w[k];
        real_solvers_[b]->solve(x);
        for (std::int64_t k = 0; k < n_; ++k) w[k] += x[k];
        square += measure(x);
    }
    for (std::size_t b = 0; b < pairs_.size(); ++b) {
        const std::size_t i = real_.size() + 2 * b;
        const C gamma = C(h_) / pairs_[b];
        S *x = transformed_[i], *y = transformed_[i + 1], *w = w_[i], *u = w_[i + 1];
        for (std::int64_t k = 0; k < n_; ++k) complex_[k] = gamma * C(x[k], -y[k]) - C(w[k], -u[k]);
        pair_solvers_[b]->solve(complex_.data());
        for (std::int64_t k = 0; k < n_; ++k) {
            x[k] = complex_[k].re;
            y[k] = -complex_[k].im;
            w[k] += x[k];
            u[k] += y[k];
        }
        square += measure(x) + measure(y);
    }
    return stage_norm_.root(square / S(r_));
}

template <class S> typename ImplicitRk<S>::Iteration ImplicitRk<S>::iterate(StepReport<S>& report) {
    S before = 0, slowest = 0;
    const S root = linalg::square_root(std::max(rate_, S(1e-16)));
    // as if the last step went on, with less trust; from nowhere, the rate of another attempt says nothing
    rate_ = has_old_ ? root * linalg::square_root(root) : S(1);
    theta_ = S(theta_keep);
    stage_norm_.weights(start_, scale_, weight_);
    for (int k = 1; k <= most_iterations; ++k) {
        to_stages();
        if (!evaluate_stages(report)) return Iteration::failed;
        const S size = newton_step();
        if (!linalg::is_finite(size)) return Iteration::diverged;
        report.caution = S(2 * most_iterations + 1) / S(2 * most_iterations + k);
        if (k > 1) {
            const S ratio = size / before;
            slowest = std::max(slowest, ratio);
            theta_ = k == 2 ? ratio : linalg::square_root(ratio * theta_);
            if (theta_ >= S(0.99)) return Iteration::diverged;
            rate_ = theta_ / (1 - theta_);
            // |dW| after the iterations that are left
            auto last = static_cast<double>(rate_ * size);
            for (int left = most_iterations - 1 - k; left > 0; --left) last *= static_cast<double>(theta_);
            if (k < most_iterations && last >= static_cast<double>(kappa_)) {
                const double miss = std::clamp(last / static_cast<double>(kappa_), 1e-4, 20.0);
                report.shrink = S(0.8 * std::pow(miss, -1.0 / (4 + most_iterations - 1 - k)));
                return Iteration::slow;
            }
        }
        if (rate_ * size <= kappa_) {
            to_stages();
            // where increments vanish at last (w' = g(t, v), v' = f(t)) the first of the next step do not
            rate_ = std::max(rate_, slowest);
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
        theta_ = k > 1 ? size / before : S(0);
        if (k > 1 && theta_ >= S(0.3)) {
            if (is_small && theta_ >= S(0.5) && ++n_stuck == 2) break;
            if (theta_ >= S(2) && n_refreshed >= 3) return Iteration::diverged;
            if (!is_small && n_refreshed < 10 && theta_ < S(1e3)) { // J of the middle stage
                to_stages();
                const std::size_t i = r_ / 2;
                for (std::int64_t m = 0; m < n_; ++m) trial_[m] = start_[m] + z_[i][m];
                const S tau = tau_ + c_[i] * h_;
                if (project_ == Project::stages &&
                    !is_good(project(tau, trial_).status, StepOutcome::no_projection, report))
                    return Iteration::failed;
                if (!linearise(tau, trial_, report) || !factor(report)) return Iteration::failed;
                ++n_refreshed;
            }
        }
        before = size;
        if (k == most_round_off_iterations && !is_small) return Iteration::slow;
    }
    to_stages();
    return Iteration::converged;
}

template <class S> bool ImplicitRk<S>::solve_stages(StepReport<S>& report) {
    // NOTE: not where the polynomial of the last step is continued far
    bool may_look_ahead =
        has_old_ && !is_rejected_ && !to_round_off_ && absolute(h_) <= S(look_ahead_ratio) * absolute(h_old_);
    while (true) {
        if (!has_jacobian_ || (is_rejected_ && !is_fresh_)) {
            is_fresh_ = !may_look_ahead || !linearise_ahead();
            may_look_ahead = false;
            if (is_fresh_ && !linearise(tau_, start_, report)) return false;
        }
        if (!factor(report)) {
            if (is_fresh_) return false;
            has_jacobian_ = false;
            report = {};
            continue;
        }
        has_old_ ? predict() : start_at_zero();
        const Iteration end = to_round_off_ ? iterate_to_round_off(report) : iterate(report);
        if (end == Iteration::converged) return true;
        rate_ = 1;
        if (end == Iteration::failed && has_old_) { // V may have no value where the prediction went
            has_old_ = false;
            report = {};
            continue;
        }
        if (is_fresh_ && end == Iteration::failed) return false;
        if (is_fresh_) {
            if (end == Iteration::diverged) report.shrink = 0.25;
            if (report.shrink == S(0)) report.shrink = 0.5;
            report.outcome = StepOutcome::no_convergence;
            report.why = PointStatus::not_converged;
            return false;
        }
        report = {}; // once more, with J of this point
        has_jacobian_ = false;
    }
}

template <class S> bool ImplicitRk<S>::result(StepReport<S>& report) {
    linalg::combine(n_padded_, static_cast<const S*>(start_), S(1), static_cast<int>(r_), d_.data(),
                    const_cast<const S* const*>(z_.data()), end_);
    if (d_0_ != S(0))
        for (std::int64_t k = 0; k < n_; ++k) end_[k] += h_ * d_0_ * k_start_[k];
    if (!all_finite(end_, n_)) {
        failed_tau_ = tau_end_;
        failed_ = end_;
        return is_good(PointStatus::not_finite, StepOutcome::no_direction, report);
    }
    if (!projects()) return true;
    std::copy_n(end_, n_padded_, work_);
    const ProjectionReport<S> projected = project(tau_end_, end_);
    report.residual = projected.residual;
    if (!is_good(projected.status, StepOutcome::no_projection, report)) return false;
    if (!all_finite(end_, n_)) return is_good(PointStatus::not_finite, StepOutcome::no_projection, report);
    for (std::int64_t k = 0; k < n_; ++k) work_[k] -= end_[k];
    report.distance = norm_(work_, start_, end_);
    return true;
}

// sum_i e_i Z_i + h gamma_0 k
template <class S> void ImplicitRk<S>::raw_error(const S* direction) {
    linalg::combine(n_padded_, static_cast<const S*>(nullptr), S(1), static_cast<int>(r_), e_.data(),
                    const_cast<const S* const*>(z_.data()), error_);
    for (std::int64_t k = 0; k < n_; ++k) error_[k] += h_ * gamma_0_ * direction[k];
}

// (I - h gamma_0 J)^-1, or the real part of the same with a pair.
template <class S> void ImplicitRk<S>::filter_error() {
    if (!real_.empty()) {
        real_solvers_[0]->solve(error_);
        return;
    }
    for (std::int64_t k = 0; k < n_; ++k) complex_[k] = C(error_[k]);
    pair_solvers_[0]->solve(complex_.data());
    for (std::int64_t k = 0; k < n_; ++k) error_[k] = complex_[k].re;
}

template <class S> bool ImplicitRk<S>::estimate_error(StepReport<S>& report) {
    if (!has_estimate_) return true;
    raw_error(k_start_);
    filter_error();
    report.error = norm_(error_, start_, end_);
    if (report.error >= S(1) && is_rejected_) {
        for (std::int64_t k = 0; k < n_; ++k) trial_[k] = start_[k] + error_[k];
        if (evaluate(tau_, trial_, work_) == PointStatus::good) {
            raw_error(work_);
            filter_error();
            report.error = norm_(error_, start_, end_);
        }
    }
    return true;
}

// d_1, d_2, ... of the collocation polynomial.
template <class S> void ImplicitRk<S>::polynomial(S h, S* const* z, const S* k_1, S* coefficients) const {
    for (std::size_t m = 0; m < exact_.n_stages; ++m) {
        S* d = coefficients + static_cast<std::int64_t>(m) * n_padded_;
        linalg::combine(n_padded_, static_cast<const S*>(nullptr), S(1), static_cast<int>(r_), dense_.data() + m * r_,
                        const_cast<const S* const*>(z), d);
        if (exact_.has_explicit)
            for (std::int64_t k = 0; k < n_; ++k) d[k] += h * dense_0_[m] * k_1[k];
    }
}

template <class S> PointStatus ImplicitRk<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    if (is_hermite_) return hermite(coefficients);
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

// As in explicit_rk.cpp.
template <class S> PointStatus ImplicitRk<S>::hermite(S* coefficients) {
    if (!at_start_.is_done) at_start_ = {.is_done = true, .status = evaluate(tau_, start_, k_start_)};
    if (at_start_.status != PointStatus::good) return at_start_.status;
    if (const PointStatus status = evaluate_end(); status != PointStatus::good) return status;
    S *d_0 = coefficients, *d_1 = d_0 + n_padded_, *d_2 = d_1 + n_padded_, *d_3 = d_2 + n_padded_;
    for (std::int64_t i = 0; i < n_padded_; ++i) {
        const S move = end_[i] - start_[i], v_0 = h_ * k_start_[i], v_1 = h_ * k_end_[i];
        d_0[i] = start_[i];
        d_1[i] = v_0;
        d_2[i] = 3 * move - (2 * v_0 + v_1);
        d_3[i] = (v_0 + v_1) - 2 * move;
    }
    return PointStatus::good;
}

int dense_order_of_implicit_rk(const MethodInfo& info) {
    return wants_hermite(info.tableau) ? std::min(info.order, 3) : info.dense_order;
}

template class ImplicitRk<double>;
template class ImplicitRk<float128>;

const Family implicit_rk_family{.name = "implicit Runge-Kutta",
                                .make_double = make_as<ImplicitRk, double>,
                                .make_quad = make_as<ImplicitRk, float128>,
                                .dense_order = dense_order_of_implicit_rk,
                                .is_implicit = true,
                                .solves_equations = true,
                                .has_stages = true,
                                .has_arclength = true,
                                .carries_derivatives = true};

} // namespace vessiot::method
