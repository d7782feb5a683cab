#include "method/one_step.hpp"

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::method {

template <class S>
OneStep<S>::OneStep(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
    : field_(field), projection_(options.project == Project::nothing ? nullptr : projection), n_(field.size()),
      norm_(n_, options), start_(n_), end_(n_), k_start_(n_), k_end_(n_), work_(n_), failed_(n_) {}

template <class S> void OneStep<S>::begin(S tau, const S* x) {
    std::copy_n(x, n_, start_.data());
    tau_ = tau;
    has_candidate_ = is_accepted_ = false;
    at_start_ = at_end_ = {};
}

template <class S> typename OneStep<S>::Evaluation OneStep<S>::evaluated(S tau, const S* x, S* dx) {
    PointStatus status = field_.direction(tau, x, dx);
    if (status == PointStatus::good && !linalg::all_finite(dx, n_)) status = PointStatus::not_finite;
    if (status != PointStatus::good) {
        failed_tau_ = tau;
        std::copy_n(x, n_, failed_.data());
    }
    return {true, status};
}

template <class S> void OneStep<S>::look(Evaluation& at, S tau, const S* x, S* dx) {
    if (at.is_done) return;
    if (counts_directions()) count_stage();
    at = evaluated(tau, x, dx);
}

template <class S> const S* OneStep<S>::direction() {
    Evaluation& at = is_accepted_ ? at_end_ : at_start_;
    linalg::Vector<S>& k = is_accepted_ ? k_end_ : k_start_;
    look(at, tau(), point(), k.data());
    return at.status == PointStatus::good ? k.data() : nullptr;
}

template <class S>
bool OneStep<S>::fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, S tau, const S* x) {
    report.outcome = outcome;
    report.why = why;
    failed_tau_ = tau;
    if (x != failed_.data()) std::copy_n(x, n_, failed_.data());
    return false;
}

template <class S> bool OneStep<S>::evaluate(S tau, const S* x, S* dx, StepReport<S>& report) {
    count_stage();
    const Evaluation e = evaluated(tau, x, dx);
    return e.status == PointStatus::good || fail(report, StepOutcome::no_direction, e.status, tau, failed_.data());
}

template <class S> StepReport<S> OneStep<S>::attempt(S h) {
    if (is_accepted_) { // the accepted point becomes the start of the next step
        swap(start_, end_);
        swap(k_start_, k_end_);
        tau_ = tau_end_;
        at_start_ = at_end_;
        is_accepted_ = false;
    }
    has_candidate_ = false;
    at_end_ = {};
    h_ = h;
    tau_end_ = tau_ + h;
    StepReport<S> report;
    if (needs_first() && !direction()) {
        report.outcome = StepOutcome::no_direction_here;
        report.why = at_start_.status;
        return report;
    }
    if (!linalg::is_finite(h)) {
        fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_, start_.data());
        return report;
    }
    if (projection_) projection_->begin_step(tau_, start_.data());
    if (!advance(h, report)) return report;
    if (!linalg::all_finite(end_.data(), n_)) {
        fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_end_, end_.data());
        return report;
    }
    has_candidate_ = !projection_ || project_result(report);
    return report;
}

template <class S> void OneStep<S>::count_projection(std::int64_t iterations) {
    ++counts_.projections;
    counts_.newton_iterations += iterations;
    counts_.newton_max = std::max(counts_.newton_max, iterations);
}

template <class S> bool OneStep<S>::project_result(StepReport<S>& report) {
    std::copy_n(end_.data(), n_, work_.data());
    const ProjectionReport<S> projected = projection_->project(tau_end_, end_.data());
    count_projection(projected.iterations);
    report.residual = projected.residual;
    if (projected.status != PointStatus::good)
        return fail(report, StepOutcome::no_projection, projected.status, tau_end_, work_.data());
    if (!linalg::all_finite(end_.data(), n_))
        return fail(report, StepOutcome::no_projection, PointStatus::not_finite, tau_end_, work_.data());
    for (std::int64_t i = 0; i < n_; ++i) work_[i] -= end_[i];
    report.distance = norm(work_.data());
    return true;
}

// d_1 = h k_0,  d_2 = 3 (p - x) - h (2 k_0 + k_1),  d_3 = h (k_0 + k_1) - 2 (p - x)
template <class S> PointStatus OneStep<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    look(at_start_, tau_, start_.data(), k_start_.data());
    look(at_end_, tau_end_, end_.data(), k_end_.data());
    for (const Evaluation& e : {at_start_, at_end_})
        if (e.status != PointStatus::good) return e.status;
    const std::int64_t stride = linalg::padded(n_);
    std::fill_n(coefficients, 4 * stride, S(0));
    for (std::int64_t i = 0; i < n_; ++i) {
        const S move = end_[i] - start_[i], v_0 = h_ * k_start_[i], v_1 = h_ * k_end_[i];
        coefficients[i] = start_[i];
        coefficients[stride + i] = v_0;
        coefficients[2 * stride + i] = 3 * move - (2 * v_0 + v_1);
        coefficients[3 * stride + i] = (v_0 + v_1) - 2 * move;
    }
    return PointStatus::good;
}

template class OneStep<double>;
template class OneStep<float128>;

} // namespace vessiot::method
