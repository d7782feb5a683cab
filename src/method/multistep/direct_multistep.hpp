// Linear multistep methods for a system as it stands, F(t, u, w) = 0 (direct_rk.hpp), with steps of any size: M u' =
// F(u) with constant M, possibly singular, among them. [Hairer, Solving Differential Equations on Manifolds, (1.3) and
// section V.2; HW96, VI.2, VII.3]
//
//     u - h b (S u + E w) = -sum_j a_j u_j + h sum_j b_j u_j',   F(t, u, w) = 0           (grid_formula.hpp)
//
// Only implicit formulas make sense. The equation itself holds at every point, and not a sum of it over the past ones;
// u_j' is the direction at the past point, so that algebraic unknowns of index 1 follow from the others whatever sigma
// is. In index 2 and 3 the zeros of sigma must lie inside of the unit circle, as those of BDF (all of them 0) do, and
// in index 3 steps must be constant: a change of the step would be an error of the multipliers that does not fall with
// h.
//
// The first steps after begin() are made by dae_radau5 (dae_radau9 above order 3). Errors of coordinates of index i
// count h^(i-1) times.
#pragma once

#include <vector>

#include "method/dae/direct_rk.hpp"
#include "method/multistep/multistep.hpp"

namespace vessiot::method {

template <class S> class DirectMultistep final : public DirectStepper<S> {
public:
    DirectMultistep(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options);
    void begin(S tau, const S* x) override;
    StepReport<S> attempt(S h) override;
    void accept() override;
    S suggest(S h) override;
    int dense_degree() const override { return std::max(order_, starter_.dense_degree()); }
    PointStatus dense(S* coefficients) override;
    void scale_error(S h, S* e) const override { this->system_.scale(h, e); }
    const StepperCounts& counts() const override;
    void renew() override {
        DirectStepper<S>::renew();
        starter_.renew();
    }

private:
    void take_accepted();
    bool prepare(StepReport<S>& report);
    StepReport<S> start_step(S h);
    void begin_iteration(S h);
    bool factor(S gamma, StepReport<S>& report);
    bool iterate(S gamma, StepReport<S>& report);
    void estimate(StepReport<S>& report);

    int order_;
    bool has_estimate_, has_slopes_; // some b_j is not 0
    GridFormula<S> formula_;
    StepMemory<S> memory_;
    PastPoints<S> past_;
    DirectRk<S> starter_;
    ShiftedSolver<S> solver_;
    bool is_starting_ = false; // the starting method is at the current point
    bool by_starter_ = false;  // it made the last attempt
    std::vector<S> theta_;
    linalg::Vector<S> w_, b_, rows_, sum_, predicted_, v_end_;
    ErrorNorm<S> norm_, iteration_norm_;
    mutable StepperCounts all_counts_;
};

extern template class DirectMultistep<double>;
extern template class DirectMultistep<Quad>;

extern const Family direct_multistep_family;

} // namespace vessiot::method
