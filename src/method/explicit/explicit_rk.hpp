// Explicit Runge-Kutta methods on a manifold, for any tableau. [HNW93, II.1, II.4, II.6]
//
// With P the projection (the identity where there is none) and a, b, c of the tableau (tableau.hpp):
//
//     x_i = x + h sum_j a_ij k_j             or P of it, if stages are projected
//     k_i = V(tau + c_i h, x_i)              i = 1 .. S, x_1 = x
//     p   = P(x + h sum_i b_i k_i)           the new point
//     e   = h sum_i (b_i - b_hat_i) k_i      the estimate of its error
//       or  P(x + h sum_i b_hat_i k_i) - p   from projected points [Tuomela, Arponen, Normi, section 6.1]
//
// in a norm of error_norm.hpp. The second estimate leaves out what is normal to the manifold, which the projection
// takes away: it is the tangential part of the first, to first order, if P is orthogonal.
//
// Where that vanishes for quadratures (feagin108), the larger one of |e| and the estimate of quadrature_estimate.hpp.
// Of other pairs that one must be below 1000 in the first step from a point, at the start or where a condition
// switches: |e| may be small by accident (it changes its sign as h grows), and nothing else is known about that step.
//
// With a second embedded method (dop853) |e|^2 / sqrt(|e|^2 + 0.01 |e_low|^2) takes the place of |e|. [HNW93, II.10]
//
// First same as last: the last stage is V(tau + h, p), at the projected point, and the first stage of the next step;
// it enters e and the dense output. That changes both by h (V(p) - V(a)), a the point before its projection: as small
// as the projection's move, O(h^(order + 1)), times h. Other methods evaluate V(p) when it is asked for first.
//
// Between the points: the tableau's dense output x_0 + sum_k theta^k d_k, or the Hermite interpolant through both
// points and directions, raised to one order below that of the method where a cubic is of less (raised_hermite.hpp).
// The former ends at a; (3 theta^2 - 2 theta^3) (p - a) is added to it, so that the curve goes through p and keeps the
// directions of both ends.
//
// A curve that is read, and has stages of its own (dop853, feagin108), is good only where its polynomial converges: the
// last term is at most 2^(1 - 2 D) |d_D| off what lower degrees can do, and that must be below 30 tolerances. It is far
// above where h times the fastest rate is large: a point on a stiff curve may be right in such a step, but not stages
// that are computed from it.
//
// Projection keeps the order: P is smooth and leaves the exact solution where it is, hence p is as near to it as a, and
// a method with projected stages is the method for x' = V(P(x)), which has the same solution. [HLW06, IV.4] Kernels
// project stages by one correction with df of the middle of the step (attempt_blocks.hpp), which is such a P.
//
// Cost of a step: n_effective_stages evaluations, S^2 / 2 vector operations or fewer. All memory is taken by the
// constructor: (S + X + 4) n numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/vector.hpp"
#include "method/attempt/fused_attempt.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/estimate/quadrature_estimate.hpp"
#include "method/estimate/raised_hermite.hpp"
#include "method/explicit/explicit_plan.hpp"
#include "method/two_points.hpp"

namespace vessiot::method {

template <class S> class ExplicitRk final : public TwoPoints<S> {
public:
    // Throws InvalidInput where options ask for an embedded point that the method does not have.
    ExplicitRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    const S* direction() override;
    StepReport<S> attempt(S h) override;
    void run_on(Stretch<S>& stretch) override; // explicit_fused.cpp
    FusedAttempt* lend(Stretch<S>& stretch) override;
    void take_back(const Stretch<S>& stretch, const S* x, const S* v) override;
    S error_with_curve(S error) override;
    void accept() override {
        TwoPoints<S>::accept();
        is_first_ = false;
    }
    int dense_degree() const override { return dense_degree_; }
    PointStatus dense(S* coefficients) override;
    std::span<const double> dense_places() const override;

private:
    using Base = TwoPoints<S>;
    using Base::at_end_, Base::at_start_, Base::counts_, Base::end_, Base::field_, Base::h_, Base::has_candidate_;
    using Base::is_accepted_, Base::n_, Base::n_padded_, Base::projection_, Base::start_, Base::tau_, Base::tau_end_;

    bool projects() const { return project_ != Project::nothing; }
    S* k(std::size_t stage) const; // the place of the stage in this step

    PointStatus finite(const S* x) const;

    void take_memory();
    void go_on();
    void begin_parts(); // of an attempt: projections that are no kernels
    void attempt_by_parts(StepReport<S>& report);
    // By the kernels of an attempt: explicit_fused.cpp.
    void make_fused(const MethodInfo& info, const StepperOptions<S>& options);
    bool can_run_on() const {
        return is_fused() && is_accepted_ && !is_first_ && at_end_.is_done && at_end_.status == PointStatus::good &&
               !quadrature_.is_needed();
    }
    bool is_fused() const { return fused_.kernels && fused_.n_unclear <= 8 + fused_.n / 4; }
    bool attempt_fused(StepReport<S>& report); // false: it is not clear what happens
    void count_fused();
    void count_projected_stages(std::int64_t n_attempts);
    FusedAttempt::Places places();
    void complete_stages(); // those that the kernels left out
    void compute(std::size_t which, std::int64_t n, const S* from, S* to) const;
    // Whether a direction is finite: now, or where the result of the step shows it.
    enum class Look : std::uint8_t { now, later };

    PointStatus evaluate(S tau, const S* x, S* direction, Look look = Look::now);
    PointStatus evaluate_end();
    bool stage(std::size_t i, Look look, StepReport<S>& report);
    void blame(StepReport<S>& report);
    bool result(StepReport<S>& report);
    bool project_result(StepReport<S>& report);
    bool measure(std::size_t sum, S& square, StepReport<S>& report);
    bool estimate_error(StepReport<S>& report);
    S quadrature_error();
    void look_twice(StepReport<S>& report);
    bool take_last_term();
    PointStatus extra_stages();
    PointStatus hermite(S* coefficients);
    void end_at_result(S* coefficients) const;

    Project project_;
    Estimate estimate_;
    ExplicitPlan<S> plan_;
    std::int64_t n_blocks_; // length of sums: whole blocks in double; in quad those would only cost time
    ErrorNorm<S> norm_;
    std::optional<RaisedHermite<S>> raised_;
    int order_, estimate_order_, dense_degree_;
    QuadratureEstimate<S> quadrature_;
    linalg::Vector<S> curve_; // of raised_

    struct {
        std::unique_ptr<FusedAttempt> kernels{}; // the whole attempt, where that can be had
        int n = 0, n_unclear = 0;                // attempts since begin(), and those that were left to the parts
        bool lacks_stages = false;               // of the last one: complete_stages() makes them
    } fused_;
    Stages<S>* stages_ = nullptr; // those before the result in one call, where the field has that
    std::vector<S*> places_;      // of these stages

    linalg::Vector<S> memory_;
    std::vector<S*> k_; // places of the stages
    S* work_;           // a point or estimate in the making

    bool is_first_ = true;    // no step was accepted since begin()
    bool is_changed_ = false; // the places of the first stage and of the one at the result
    bool has_extra_ = false;  // the stages of the dense output are there
    bool has_curve_ = false;  // curve_ is
};

// The order of ExplicitRk's dense output: between the points the curve is off by O(h^(order + 1)) in a step.
int dense_order_of_explicit_rk(const MethodInfo& info);

extern const Family explicit_rk_family;

} // namespace vessiot::method
