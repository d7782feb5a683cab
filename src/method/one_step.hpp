// What methods share whose step is a map from one point to the next: the two points and directions there, projection of
// the result, the cubic polynomial between. A method says how to get from one to the other.
#pragma once

#include <cstdint>

#include "linalg/vector.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

template <class S> class OneStep : public Stepper<S> {
public:
    OneStep(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    const S* direction() final;
    PointStatus status() const final { return (is_accepted_ ? at_end_ : at_start_).status; }
    StepReport<S> attempt(S h) final;
    const S* candidate() const final { return end_.data(); }
    void accept() override { is_accepted_ = has_candidate_; }
    S tau() const final { return is_accepted_ ? tau_end_ : tau_; }
    const S* point() const final { return is_accepted_ ? end_.data() : start_.data(); }
    int dense_degree() const final { return 3; }
    PointStatus dense(S* coefficients) final;
    std::span<const double> dense_places() const final { return places_; }
    S failed_tau() const final { return failed_tau_; }
    const S* failed_point() const final { return failed_.data(); }
    const StepperCounts& counts() const override { return counts_; }
    void renew() override { counts_ = {}; }

protected:
    // A step of h from (from_tau(), from()), where V is first(), to to(); false after fail(), or where evaluate() is.
    virtual bool advance(S h, StepReport<S>& report) = 0;
    // Does advance() read first()?
    virtual bool needs_first() const { return true; }
    // Are directions at the ends of a step counted as stages?
    virtual bool counts_directions() const { return true; }

    std::int64_t size() const { return n_; }
    S from_tau() const { return tau_; }
    S to_tau() const { return tau_end_; }
    const S* from() const { return start_.data(); }
    const S* first() const { return k_start_.data(); }
    S* to() { return end_.data(); }
    Projection<S>* projection() { return projection_; }
    Field<S>& field() { return field_; }

    // V at a point of the step; false, with the reason in the report, where it has no value.
    bool evaluate(S tau, const S* x, S* dx, StepReport<S>& report);
    bool fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, S tau, const S* x);
    // A difference of points, measured in the tolerances at from() and to().
    S norm(const S* d) const { return norm_(d, start_.data(), end_.data()); }
    void count_stage(std::int64_t n = 1) { counts_.stages += n; }
    void count_projection(std::int64_t iterations);

private:
    static constexpr double places_[] = {0, 0, 1, 1};

    struct Evaluation {
        bool is_done = false;
        PointStatus status = PointStatus::good;
    };
    Evaluation evaluated(S tau, const S* x, S* dx);
    void look(Evaluation& at, S tau, const S* x, S* dx); // at an end of the step, once
    bool project_result(StepReport<S>& report);

    Field<S>& field_;
    Projection<S>* projection_;
    std::int64_t n_;
    ErrorNorm<S> norm_;
    linalg::Vector<S> start_, end_, k_start_, k_end_, work_, failed_;
    S tau_ = 0, h_ = 0, tau_end_ = 0, failed_tau_ = 0;
    bool has_candidate_ = false; // the last attempt reached end_
    bool is_accepted_ = false;   // and it is the current point
    Evaluation at_start_, at_end_;
    StepperCounts counts_;
};

extern template class OneStep<double>;
extern template class OneStep<float128>;

} // namespace vessiot::method
