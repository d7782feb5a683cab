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
// a method with projected stages is the method for x' = V(P(x)), which has the same solution. [HLW06, IV.4]
//
// Cost of a step: n_effective_stages evaluations, S^2 / 2 vector operations or fewer. All memory is taken by the
// constructor: (S + X + 4) n numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "linalg/vector.hpp"
#include "method/attempt/attempt.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/estimate/quadrature_estimate.hpp"
#include "method/estimate/raised_hermite.hpp"
#include "method/explicit/stage_sums.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

template <class S> class ExplicitRk final : public Stepper<S> {
public:
    // Throws InvalidInput where options ask for an embedded point that the method does not have.
    ExplicitRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    const S* direction() override;
    PointStatus status() const override { return (is_accepted_ ? at_end_ : at_start_).status; }
    StepReport<S> attempt(S h) override;
    void run_on(Stretch<S>& stretch) override;
    S error_with_curve(S error) override;
    const S* candidate() const override { return end_; }
    void accept() override {
        is_accepted_ = has_candidate_;
        is_first_ = false;
    }
    S tau() const override { return is_accepted_ ? tau_end_ : tau_; }
    const S* point() const override { return is_accepted_ ? end_ : start_; }
    int dense_degree() const override { return dense_degree_; }
    PointStatus dense(S* coefficients) override;
    std::span<const double> dense_places() const override;
    S failed_tau() const override { return failed_tau_; }
    const S* failed_point() const override { return failed_; }
    const StepperCounts& counts() const override { return counts_; }
    void renew() override { counts_ = {}; }

private:
    // A direction that is evaluated when it is first needed.
    struct Evaluation {
        bool is_done = false;
        PointStatus status = PointStatus::good;
    };

    bool projects() const { return project_ != Project::nothing; }
    S* k(std::size_t stage) const; // the place of the stage in this step

    PointStatus finite(const S* x) const;

    void add_rows(const TableauView& tableau);
    void add_estimates(const TableauView& tableau, bool continue_embedded);
    void add_dense_sums(const TableauView& tableau);
    void take_memory();
    void make_fused(const MethodInfo& info, const StepperOptions<S>& options);
    bool is_fused() const { return fused_ && n_unclear_ <= 8 + n_fused_ / 4; }
    bool attempt_fused(StepReport<S>& report); // false: it is not clear what happens
    void count_fused();
    void complete_stages(); // those that the kernels left out
    void attempt_by_parts(StepReport<S>& report);
    void go_on();
    // Whether a direction is finite: now, or where the result of the step shows it.
    enum class Look : std::uint8_t { now, later };

    PointStatus evaluate(S tau, const S* x, S* direction, Look look = Look::now);
    PointStatus evaluate_end();
    ProjectionReport<S> project(S tau, S* x);
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

    Field<S>& field_;
    Projection<S>* projection_;
    Project project_;
    Estimate estimate_;
    std::int64_t n_, n_padded_;
    std::int64_t n_blocks_; // length of sums: whole blocks in double; in quad those would only cost time
    ErrorNorm<S> norm_;

    std::size_t n_stages_, n_total_;
    std::size_t n_inner_;   // stages before the result: S, or S - 1 if the last one is at the result
    std::size_t end_stage_; // the stage at the result; a place of its own behind all others if the tableau has none
    bool is_fsal_;
    bool has_own_dense_;
    std::optional<RaisedHermite<S>> raised_;
    int order_, estimate_order_, dense_degree_;
    std::vector<S> c_;
    StageSums<S> sums_;                                  // 0 .. n_total - 1: the rows of a
    std::size_t result_ = 0, error_ = 0, error_low_ = 0; // sums; 0 is no sum that these could be
    std::size_t dense_ = 0;                              // the first of dense_degree_ sums
    QuadratureEstimate<S> quadrature_;
    linalg::Vector<S> curve_; // of raised_

    std::unique_ptr<Attempt> fused_;  // the whole attempt by kernels, where that can be had
    int n_fused_ = 0, n_unclear_ = 0; // attempts of it since begin(), and those that it left to the parts
    Stages<S>* stages_ = nullptr;     // those before the result in one call, where the field has that
    std::vector<S*> places_;          // of these stages

    linalg::Vector<S> memory_;
    std::vector<S*> k_;       // places of the stages
    S *start_, *end_, *work_; // x, p, and a point or estimate in the making

    S tau_ = 0, h_ = 0, tau_end_ = 0;
    bool is_first_ = true;       // no step was accepted since begin()
    bool is_changed_ = false;    // the places of the first stage and of the one at the result
    bool has_candidate_ = false; // the last attempt reached end_
    bool is_accepted_ = false;   // and it is the current point
    bool lacks_stages_ = false;  // complete_stages() has to be asked for them
    bool has_extra_ = false;     // the stages of the dense output are there
    bool has_curve_ = false;     // curve_ is
    Evaluation at_start_, at_end_;
    S failed_tau_ = 0;
    const S* failed_ = nullptr;
    StepperCounts counts_;
};

// The order of ExplicitRk's dense output: between the points the curve is off by O(h^(order + 1)) in a step.
int dense_order_of_explicit_rk(const MethodInfo& info);

extern const Family explicit_rk_family;

} // namespace vessiot::method
