// Linear multistep methods on a manifold, explicit and implicit, with steps of any size: the past points lie on it, the
// new one is found in the space around and projected. [HNW93, III; HW96, V; Tuomela and Arponen, section 4, leave them
// as a question]
//
//     y = -sum_j a_j x_j + h (b V(y) + sum_j b_j V(x_j)),     x = P(y)             (grid_formula.hpp)
//
// Implicit ones by simplified Newton iteration, from the point that the polynomial through the past points leads to,
//
//     (I - h b J) dy = -y - sum_j a_j x_j + h (b V(y) + sum_j b_j V(x_j))
//
// with J of an earlier step for as long as it converges well. The first steps after begin(), which are all that follow
// a jump, a switch or a seam of checkpoints, are made by a Runge-Kutta method of high order: dop853 (feagin108 above
// order 8) or, for implicit formulas, radau9; so are those of less than a tenth of the step before. Steps grow at most
// by a factor of 2 and not before all of the past points are that far apart: variable coefficients are stable then.
//
// Cost of a step: one direction, of explicit formulas; of implicit ones one an iteration, usually two or three.
// Known limit: on M nothing is proved about their stability; measured are order and long runs (docs/multistep.md).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/shifted_solver.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/multistep/grid_formula.hpp"
#include "method/multistep/past_points.hpp"
#include "method/parts.hpp"
#include "method/two_points.hpp"
#include "sensitivity/block_coupling.hpp"

namespace vessiot::method {

// When a formula takes over from the starting method, and how its steps may grow.
template <class S> class StepMemory {
public:
    StepMemory(int n_steps, int order, bool is_adaptive)
        : n_needed_(is_adaptive ? std::max(n_steps, order + 1) : n_steps) {}
    int n_needed() const { return n_needed_; }
    // Must a step of h from these points be made by the starting method?
    bool must_start(const PastPoints<S>& past, S h) const;
    // The size of the next step, where the control wants h.
    S suggest(const PastPoints<S>& past, S h) const;

private:
    int n_needed_;
};

template <class S> class Multistep final : public TwoPoints<S> {
public:
    Multistep(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    const S* direction() override;
    StepReport<S> attempt(S h) override;
    void accept() override;
    S suggest(S h) override;
    int dense_degree() const override { return std::max(order_, starter_.method->dense_degree()); }
    PointStatus dense(S* coefficients) override;
    S error_with_curve(S error) override; // steps of the starting method may be long where a system is stiff
    const StepperCounts& counts() const override;
    void renew() override;

private:
    using typename TwoPoints<S>::Evaluation;
    using TwoPoints<S>::at_end_, TwoPoints<S>::at_start_, TwoPoints<S>::counts_, TwoPoints<S>::end_;
    using TwoPoints<S>::has_candidate_, TwoPoints<S>::is_accepted_, TwoPoints<S>::n_, TwoPoints<S>::start_;
    using TwoPoints<S>::tau_, TwoPoints<S>::tau_end_;

    void look(Evaluation& at, S tau, const S* x, S* v);
    void take_accepted();
    bool prepare(StepReport<S>& report);
    StepReport<S> start_step(S h);
    bool advance(S h, StepReport<S>& report);
    void predict();
    bool linearise(S h_beta, StepReport<S>& report);
    bool iterate(S h_beta, StepReport<S>& report);
    bool solve(S h_beta, StepReport<S>& report);
    bool is_unstable(StepReport<S>& report);
    bool project_result(StepReport<S>& report);
    void estimate(StepReport<S>& report);

    int order_;
    bool has_estimate_, to_round_off_;
    GridFormula<S> formula_;
    StepMemory<S> memory_;
    PastPoints<S> past_;
    ErrorNorm<S> norm_, iteration_norm_;
    Parts<S>* parts_;
    std::unique_ptr<Linearised<S>> linearised_; // of implicit formulas
    std::unique_ptr<BlockCoupling<S>> coupling_;
    std::unique_ptr<ShiftedSolver<S>> solver_;
    struct Starter {
        std::unique_ptr<Stepper<S>> method;
        bool is_here = false;   // it is at the current point
        bool made_last = false; // it made the last attempt
    } starter_;
    struct Stability {
        S length = 0;        // of h times the rate, where formulas have a bound; else 0
        linalg::Vector<S> v; // at the predicted point
    } stability_;
    S factored_ = 0;        // h b of the factors; 0: there are none
    bool is_fresh_ = false; // J is that of the current point
    std::vector<S> theta_;
    std::array<linalg::Vector<S>, 2> points_;
    linalg::Vector<S> v_start_, v_end_, sum_, predicted_, work_, tops_;
    mutable StepperCounts all_counts_;
};

extern template class Multistep<double>;
extern template class Multistep<Quad>;
extern template class StepMemory<double>;
extern template class StepMemory<Quad>;

extern const Family explicit_multistep_family, implicit_multistep_family;

} // namespace vessiot::method
