#include "method/lie.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/lie_coefficients.hpp"

namespace vessiot::method {

namespace {

std::size_t stages_of(const MethodInfo& info) {
    switch (info.family) {
    case Family::magnus: return static_cast<std::size_t>(info.order / 2);
    default: return info.tableau.n_stages;
    }
}

} // namespace

template <class S>
LieStepper<S>::LieStepper(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                          const StepperOptions<S>& options)
    : info_(info), field_(field), projection_(projection), projects_(options.project != Project::nothing),
      estimates_(options.estimate == Estimate::by_weights && !info.tableau.b_hat.empty()),
      group_(*options.parts, field), norm_(field.size(), options), n_(field.size()), n_padded_(linalg::padded(n_)),
      n_stages_(stages_of(info)), start_(n_), end_(n_), stage_(n_), k_0_(n_), k_1_(n_), failed_(n_), error_(n_),
      k_(static_cast<std::int64_t>(n_stages_) * group_.size()), omega_(group_.size()), work_1_(group_.size()),
      work_2_(group_.size()), work_3_(group_.size()) {
    if (options.continue_low)
        throw InvalidInput("continuation = low, but the method \"" + std::string(info.name) +
                           "\" goes on with its own point");
    if (options.parts->is_arclength)
        throw InvalidInput("methods for Lie groups step in time: leave --parametrisation arclength out");
    has_other_invariants_ = options.parts->manifold.n_constraints() != group_.n_group_equations();
    const TableauView& t = info.tableau;
    for (std::size_t i = 0; i < t.n_stages; ++i) {
        for (std::size_t j = 0; j < t.n_stages; ++j) a_.push_back(static_cast<S>(t.a[i * t.n_total + j]));
        b_.push_back(static_cast<S>(t.b[i]));
        c_.push_back(static_cast<S>(t.c[i]));
        if (estimates_) e_.push_back(static_cast<S>(t.b[i] - t.b_hat[i]));
    }
}

template <class S> void LieStepper<S>::begin(S tau, const S* x) {
    std::copy_n(x, n_, start_.data());
    tau_ = tau;
    has_candidate_ = is_accepted_ = false;
    at_start_ = at_end_ = {};
    if (info_.family == Family::magnus && !is_checked_) check_is_linear(tau);
    is_checked_ = true;
}

// A at the start point, and at another point of the group
template <class S> void LieStepper<S>::check_is_linear(S tau) {
    if (group_.slope(tau, start_.data(), work_1_.data()) != PointStatus::good) return; // the first step says why
    group_.example(omega_.data());
    group_.move(omega_.data(), start_.data(), stage_.data());
    if (group_.slope(tau, stage_.data(), work_2_.data()) != PointStatus::good) return;
    S difference = 0, size = 1;
    for (std::int64_t e = 0; e < group_.size(); ++e) {
        difference = std::max(difference, linalg::absolute(work_1_[e] - work_2_[e]));
        size = std::max(size, linalg::absolute(work_1_[e]));
    }
    if (difference <= S(1e-10) * size) return;
    throw InvalidInput("the method " + std::string(info_.name) +
                       " needs Y' = A(t)*Y with a matrix A that does not depend on Y, but this one does. Use "
                       "\"rkmk_rk4\", \"rkmk_dopri54\", \"cg3\" or \"cg4\".");
}

template <class S>
typename LieStepper<S>::Evaluation LieStepper<S>::evaluate(S tau, const linalg::Vector<S>& x,
                                                           linalg::Vector<S>& direction) {
    Evaluation e{true, field_.direction(tau, x.data(), direction.data())};
    if (e.status == PointStatus::good && !linalg::all_finite(direction.data(), n_)) e.status = PointStatus::not_finite;
    if (e.status != PointStatus::good) {
        failed_tau_ = tau;
        std::copy_n(x.data(), n_, failed_.data());
    }
    return e;
}

template <class S> const S* LieStepper<S>::direction() {
    Evaluation& e = is_accepted_ ? at_end_ : at_start_;
    linalg::Vector<S>& k = is_accepted_ ? k_1_ : k_0_;
    if (!e.is_done) e = evaluate(tau(), is_accepted_ ? end_ : start_, k);
    return e.status == PointStatus::good ? k.data() : nullptr;
}

template <class S>
bool LieStepper<S>::fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, S tau, const S* x) {
    report.outcome = outcome;
    report.why = why;
    failed_tau_ = tau;
    std::copy_n(x, n_, failed_.data());
    return false;
}

template <class S> bool LieStepper<S>::slope(S tau, const S* x, S* g, StepReport<S>& report) {
    ++counts_.stages;
    const PointStatus status = group_.slope(tau, x, g);
    if (status == PointStatus::good) return true;
    const bool is_here = tau == tau_ && x == start_.data();
    return fail(report, is_here ? StepOutcome::no_direction_here : StepOutcome::no_direction, status, tau, x);
}

template <class S> void LieStepper<S>::combine(const S* weights, std::size_t n, S h, S* out) {
    std::fill_n(out, group_.size(), S(0));
    for (std::size_t j = 0; j < n; ++j) {
        if (weights[j] == S(0)) continue;
        const S factor = h * weights[j];
        const S* slope = k(j);
        for (std::int64_t e = 0; e < group_.size(); ++e) out[e] += factor * slope[e];
    }
}

template <class S> void LieStepper<S>::go_on() {
    std::swap(start_, end_);
    std::swap(k_0_, k_1_);
    tau_ = tau_end_;
    at_start_ = at_end_;
    is_accepted_ = false;
}

template <class S> StepReport<S> LieStepper<S>::attempt(S h) {
    if (is_accepted_) go_on();
    has_candidate_ = false;
    at_end_ = {};
    h_ = h;
    tau_end_ = tau_ + h;
    StepReport<S> report;
    const bool is_done = info_.family == Family::magnus ? magnus(h, report)
                         : info_.family == Family::rkmk ? munthe_kaas(h, report)
                                                        : crouch_grossman(h, report);
    if (!is_done) return report;
    if (projects_ && !project(report)) return report;
    if (!linalg::all_finite(end_.data(), n_)) {
        fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_end_, end_.data());
        return report;
    }
    has_candidate_ = true;
    return report;
}

template <class S> bool LieStepper<S>::project(StepReport<S>& report) {
    group_.correct(end_.data());
    if (!has_other_invariants_ || !projection_) return true;
    projection_->begin_step(tau_, start_.data());
    const ProjectionReport<S> projected = projection_->project(tau_end_, end_.data());
    ++counts_.projections;
    counts_.newton_iterations += projected.iterations;
    counts_.newton_max = std::max<std::int64_t>(counts_.newton_max, projected.iterations);
    if (projected.status == PointStatus::good) return true;
    return fail(report, StepOutcome::no_projection, projected.status, tau_end_, end_.data());
}

// ---- Magnus ----

template <class S> bool LieStepper<S>::magnus(S h, StepReport<S>& report) {
    const std::int64_t size = group_.size();
    const S half = S(1) / S(2);
    const auto node = [&](std::size_t i, S c) { return slope(tau_ + c * h, start_.data(), k(i), report); };
    if (info_.order == 2) {
        if (!node(0, half)) return false;
        for (std::int64_t e = 0; e < size; ++e) omega_[e] = h * k(0)[e];
    } else if (info_.order == 4) {
        const S root = static_cast<S>(sqrt3);
        if (!node(0, half - root / S(6)) || !node(1, half + root / S(6))) return false;
        group_.commutator(k(1), k(0), work_1_.data());
        for (std::int64_t e = 0; e < size; ++e)
            omega_[e] = h / S(2) * (k(0)[e] + k(1)[e]) + root * h * h / S(12) * work_1_[e];
    } else {
        // alpha_1 = h A_2, alpha_2 = sqrt(15) h/3 (A_3 - A_1), alpha_3 = 10 h/3 (A_3 - 2 A_2 + A_1),
        // C_1 = [alpha_1, alpha_2], C_2 = -1/60 [alpha_1, 2 alpha_3 + C_1],
        // Omega = alpha_1 + alpha_3/12 + 1/240 [-20 alpha_1 - alpha_3 + C_1, alpha_2 + C_2]
        const S root = static_cast<S>(sqrt15);
        if (!node(0, half - root / S(10)) || !node(1, half) || !node(2, half + root / S(10))) return false;
        for (std::int64_t e = 0; e < size; ++e) {
            const S a_1 = k(0)[e], a_2 = k(1)[e], a_3 = k(2)[e];
            k(0)[e] = h * a_2;
            k(1)[e] = root * h / S(3) * (a_3 - a_1);
            k(2)[e] = S(10) * h / S(3) * (a_3 - S(2) * a_2 + a_1);
        }
        group_.commutator(k(0), k(1), work_1_.data());
        for (std::int64_t e = 0; e < size; ++e) work_2_[e] = S(2) * k(2)[e] + work_1_[e];
        group_.commutator(k(0), work_2_.data(), work_3_.data());
        for (std::int64_t e = 0; e < size; ++e) {
            work_2_[e] = work_1_[e] - S(20) * k(0)[e] - k(2)[e];
            work_3_[e] = k(1)[e] - work_3_[e] / S(60);
        }
        group_.commutator(work_2_.data(), work_3_.data(), work_1_.data());
        for (std::int64_t e = 0; e < size; ++e) omega_[e] = k(0)[e] + k(2)[e] / S(12) + work_1_[e] / S(240);
    }
    group_.move(omega_.data(), start_.data(), end_.data());
    return true;
}

// ---- Runge-Kutta-Munthe-Kaas ----

template <class S> bool LieStepper<S>::munthe_kaas(S h, StepReport<S>& report) {
    const S pi = S(3.14159265358979323846);
    const int q = std::max(info_.order - 2, 0);
    for (std::size_t i = 0; i < n_stages_; ++i) {
        const S t = tau_ + c_[i] * h;
        if (i == 0) {
            if (!slope(t, start_.data(), k(0), report)) return false;
            continue;
        }
        combine(a_.data() + i * n_stages_, i, h, omega_.data());
        if (!(group_.norm(omega_.data()) < pi))
            return fail(report, StepOutcome::no_chart, PointStatus::not_converged, t, start_.data());
        group_.move(omega_.data(), start_.data(), stage_.data());
        if (!slope(t, stage_.data(), k(i), report)) return false;
        group_.dexpinv(omega_.data(), q, k(i));
    }
    combine(b_.data(), n_stages_, h, omega_.data());
    if (!(group_.norm(omega_.data()) < pi))
        return fail(report, StepOutcome::no_chart, PointStatus::not_converged, tau_end_, start_.data());
    group_.move(omega_.data(), start_.data(), end_.data());
    if (!estimates_) return true;
    combine(e_.data(), n_stages_, h, work_1_.data());
    group_.tangent(work_1_.data(), end_.data(), error_.data());
    report.error = norm_(error_.data(), start_.data(), end_.data());
    if (!(report.error == report.error))
        return fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_end_, end_.data());
    return true;
}

// ---- Crouch-Grossman ----

template <class S> bool LieStepper<S>::crouch_grossman(S h, StepReport<S>& report) {
    const auto advance = [&](const S* weights, std::size_t n, linalg::Vector<S>& to) {
        std::copy_n(start_.data(), n_, to.data());
        for (std::size_t j = 0; j < n; ++j) {
            if (weights[j] == S(0)) continue;
            for (std::int64_t e = 0; e < group_.size(); ++e) omega_[e] = h * weights[j] * k(j)[e];
            group_.move(omega_.data(), to.data(), to.data());
        }
    };
    for (std::size_t i = 0; i < n_stages_; ++i) {
        if (i > 0) advance(a_.data() + i * n_stages_, i, stage_);
        if (!slope(tau_ + c_[i] * h, i > 0 ? stage_.data() : start_.data(), k(i), report)) return false;
    }
    advance(b_.data(), n_stages_, end_);
    return true;
}

// d_1 = h k_0,  d_2 = 3 (p - x) - h (2 k_0 + k_1),  d_3 = h (k_0 + k_1) - 2 (p - x)
template <class S> PointStatus LieStepper<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    if (!at_start_.is_done) at_start_ = evaluate(tau_, start_, k_0_);
    if (!at_end_.is_done) at_end_ = evaluate(tau_end_, end_, k_1_);
    for (const Evaluation& e : {at_start_, at_end_})
        if (e.status != PointStatus::good) return e.status;
    std::fill_n(coefficients, 4 * n_padded_, S(0));
    S *d_0 = coefficients, *d_1 = d_0 + n_padded_, *d_2 = d_1 + n_padded_, *d_3 = d_2 + n_padded_;
    for (std::int64_t i = 0; i < n_; ++i) {
        const S move = end_[i] - start_[i], v_0 = h_ * k_0_[i], v_1 = h_ * k_1_[i];
        d_0[i] = start_[i];
        d_1[i] = v_0;
        d_2[i] = 3 * move - (2 * v_0 + v_1);
        d_3[i] = (v_0 + v_1) - 2 * move;
    }
    return PointStatus::good;
}

template class LieStepper<double>;
template class LieStepper<float128>;

} // namespace vessiot::method
