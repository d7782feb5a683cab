// What steppers share that go from one point to the next: the two points, which of them is the current one, whether
// directions there were evaluated, the place that failed, and what is counted.
//
//     begin()                    start_, the current point
//     attempt(): begin_attempt() end_ is in the making; has_candidate_ where it was reached
//     accept()                   end_ is the current point; it becomes start_ in the next attempt: go_on()
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "linalg/scalar.hpp"
#include "linalg/vector.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

// Enters why a step failed, if it did.
template <class S> bool is_good(PointStatus status, StepOutcome failure, StepReport<S>& report) {
    if (status == PointStatus::good) return true;
    report.outcome = failure;
    report.why = status;
    return false;
}

template <class S> class TwoPoints : public Stepper<S> {
public:
    const S* candidate() const final { return end_; }
    void accept() override { is_accepted_ = has_candidate_; }
    S tau() const final { return is_accepted_ ? tau_end_ : tau_; }
    const S* point() const final { return is_accepted_ ? end_ : start_; }
    PointStatus status() const override { return (is_accepted_ ? at_end_ : at_start_).status; }
    const StepperCounts& counts() const override { return counts_; }
    void renew() override { counts_ = {}; }

protected:
    // A direction that is evaluated when it is first needed.
    struct Evaluation {
        bool is_done = false;
        PointStatus status = PointStatus::good;
    };

    // Whoever derives from it says where start_ and end_ are. Nothing is projected where there is no projection.
    TwoPoints(Field<S>& field, Projection<S>* projection)
        : field_(field), projection_(projection), n_(field.size()), n_padded_(linalg::padded(n_)), failed_(n_) {}

    void begin_at(S tau, const S* x) {
        std::copy_n(x, n_, start_);
        tau_ = tau;
        has_candidate_ = is_accepted_ = is_tried_ = false;
        at_start_ = at_end_ = {};
    }
    // The accepted point becomes the start of the next step.
    void go_on() {
        std::swap(start_, end_);
        tau_ = tau_end_;
        at_start_ = at_end_;
        is_accepted_ = is_tried_ = false;
    }
    void begin_attempt(S h) {
        has_candidate_ = false;
        at_end_ = {};
        h_ = h;
        tau_end_ = tau_ + h;
    }

    // V at a point, all of it finite; where it is not, the place is kept. Not counted.
    PointStatus checked_direction(S tau, const S* x, S* direction) {
        PointStatus status = field_.direction(tau, x, direction);
        if (status == PointStatus::good && !linalg::all_finite(direction, n_)) status = PointStatus::not_finite;
        if (status != PointStatus::good) keep_place(tau, x);
        return status;
    }
    // The projections of an attempt begin.
    void begin_projections() {
        if (is_tried_) projection_->retry();
        is_tried_ = true;
        projection_->begin_step(tau_, start_);
    }
    ProjectionReport<S> project(S tau, S* x) {
        const ProjectionReport<S> report = projection_->project(tau, x);
        counts_.add_projection(report.iterations);
        return report;
    }

    // The end of a step onto the manifold; `before` is where it was. False: the report says why.
    bool project_end(StepReport<S>& report, S* before) {
        std::copy_n(end_, n_, before);
        const ProjectionReport<S> projected = project(tau_end_, end_);
        report.residual = projected.residual;
        if (projected.status != PointStatus::good)
            return fail(report, StepOutcome::no_projection, projected.status, tau_end_, before);
        return linalg::all_finite(end_, n_) ||
               fail(report, StepOutcome::no_projection, PointStatus::not_finite, tau_end_, before);
    }

    // ---- what failed ----
    void keep_place(S tau, const S* x) {
        failed_tau_ = tau;
        if (x != failed_.data()) std::copy_n(x, n_, failed_.data());
    }
    // At the place that was kept last.
    bool fail(StepReport<S>& report, StepOutcome outcome, PointStatus why) {
        report.outcome = outcome;
        report.why = why;
        report.failed.tau = failed_tau_;
        report.failed.point = failed_.data();
        return false;
    }
    bool fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, S tau, const S* x) {
        keep_place(tau, x);
        return fail(report, outcome, why);
    }

    Field<S>& field_;
    Projection<S>* projection_;
    std::int64_t n_, n_padded_;
    S *start_ = nullptr, *end_ = nullptr;
    S tau_ = 0, h_ = 0, tau_end_ = 0;
    bool has_candidate_ = false; // the last attempt reached end_
    bool is_accepted_ = false;   // and it is the current point
    bool is_tried_ = false;      // projections of an attempt from start_ have begun
    Evaluation at_start_, at_end_;
    StepperCounts counts_;

private:
    S failed_tau_ = 0;
    linalg::Vector<S> failed_;
};

} // namespace vessiot::method
