// What methods share whose step is a map from one point to the next: the two points and directions there, projection of
// the result, the cubic polynomial between. A method says how to get from one to the other.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "linalg/vector.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/two_points.hpp"

namespace vessiot::method {

template <class S> class OneStep : public TwoPoints<S> {
public:
    OneStep(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    const S* direction() final;
    StepReport<S> attempt(S h) final;
    int dense_degree() const final { return 3; }
    PointStatus dense(S* coefficients) final;
    std::span<const double> dense_places() const final { return places_; }

protected:
    // A step of h from (from_tau(), from()), where V is first(), to to(); false after fail(), or where evaluate() is.
    virtual bool advance(S h, StepReport<S>& report) = 0;
    // Does advance() read first()?
    virtual bool needs_first() const { return true; }
    // Are directions at the ends of a step counted as stages?
    virtual bool counts_directions() const { return true; }

    using Base = TwoPoints<S>;
    using typename Base::Evaluation;

    std::int64_t size() const { return n_; }
    S from_tau() const { return tau_; }
    S to_tau() const { return tau_end_; }
    const S* from() const { return start_; }
    const S* first() const { return k_start_.data(); }
    S* to() { return end_; }
    Projection<S>* projection() { return projection_; }
    Field<S>& field() { return field_; }

    // V at a point of the step; false, with the reason in the report, where it has no value.
    bool evaluate(S tau, const S* x, S* dx, StepReport<S>& report);
    // A difference of points, measured in the tolerances at from() and to().
    S norm(const S* d) const { return norm_(d, start_, end_); }
    void count_stage(std::int64_t n = 1) { counts_.stages += n; }
    void count_projection(std::int64_t iterations) { counts_.add_projection(iterations); }

private:
    static constexpr double places_[] = {0, 0, 1, 1};

    using Base::at_end_, Base::at_start_, Base::counts_, Base::end_, Base::field_, Base::h_, Base::has_candidate_;
    using Base::is_accepted_, Base::n_, Base::n_padded_, Base::projection_, Base::start_, Base::tau_, Base::tau_end_;

    void look(Evaluation& at, S tau, const S* x, S* dx); // at an end of the step, once
    bool project_result(StepReport<S>& report);

    ErrorNorm<S> norm_;
    std::array<linalg::Vector<S>, 2> points_; // start_ and end_, in turn
    linalg::Vector<S> k_start_, k_end_, work_;
};

extern template class OneStep<double>;
extern template class OneStep<Quad>;

} // namespace vessiot::method
