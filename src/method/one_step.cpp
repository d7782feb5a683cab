#include "method/one_step.hpp"

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"
#include "method/cubic_hermite.hpp"

namespace vessiot::method {

template <class S>
OneStep<S>::OneStep(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
    : TwoPoints<S>(field, options.project == Project::nothing ? nullptr : projection), norm_(n_, options),
      points_{linalg::Vector<S>(n_), linalg::Vector<S>(n_)}, k_start_(n_), k_end_(n_), work_(n_) {
    start_ = points_[0].data();
    end_ = points_[1].data();
}

template <class S> void OneStep<S>::begin(S tau, const S* x) {
    this->begin_at(tau, x);
}

template <class S> void OneStep<S>::look(Evaluation& at, S tau, const S* x, S* dx) {
    if (at.is_done) return;
    if (counts_directions()) count_stage();
    at = {.is_done = true, .status = this->checked_direction(tau, x, dx)};
}

template <class S> const S* OneStep<S>::direction() {
    Evaluation& at = is_accepted_ ? at_end_ : at_start_;
    linalg::Vector<S>& k = is_accepted_ ? k_end_ : k_start_;
    look(at, this->tau(), this->point(), k.data());
    return at.status == PointStatus::good ? k.data() : nullptr;
}

template <class S> bool OneStep<S>::evaluate(S tau, const S* x, S* dx, StepReport<S>& report) {
    count_stage();
    const PointStatus status = this->checked_direction(tau, x, dx);
    return status == PointStatus::good || this->fail(report, StepOutcome::no_direction, status);
}

template <class S> StepReport<S> OneStep<S>::attempt(S h) {
    if (is_accepted_) {
        this->go_on();
        swap(k_start_, k_end_);
    }
    this->begin_attempt(h);
    StepReport<S> report;
    if (needs_first() && !direction()) {
        this->fail(report, StepOutcome::no_direction_here, at_start_.status);
        return report;
    }
    if (!linalg::is_finite(h)) {
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_, start_);
        return report;
    }
    if (projection_) this->begin_projections();
    if (!advance(h, report)) return report;
    if (!linalg::all_finite(end_, n_)) {
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_end_, end_);
        return report;
    }
    has_candidate_ = !projection_ || project_result(report);
    return report;
}

template <class S> bool OneStep<S>::project_result(StepReport<S>& report) {
    if (!this->project_end(report, work_.data())) return false;
    for (std::int64_t i = 0; i < n_; ++i) work_[i] -= end_[i];
    report.distance = norm(work_.data());
    return true;
}

template <class S> PointStatus OneStep<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    look(at_start_, tau_, start_, k_start_.data());
    look(at_end_, tau_end_, end_, k_end_.data());
    for (const Evaluation& e : {at_start_, at_end_})
        if (e.status != PointStatus::good) return e.status;
    std::fill_n(coefficients, 4 * n_padded_, S(0));
    cubic_hermite<S>(n_, n_padded_, h_, start_, k_start_.data(), end_, k_end_.data(), coefficients);
    return PointStatus::good;
}

template class OneStep<double>;
template class OneStep<Quad>;

} // namespace vessiot::method
