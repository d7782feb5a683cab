// Any implicit Runge-Kutta method, diagonally or fully, on a manifold: the tableau is all there is.
//
//     Z_i = h sum_j a_ij V(tau + c_j h, P(x + Z_j))        P the projection, where stages are projected
//     p   = P(x + sum_i d_i Z_i + h sum_i g_i k_i)         the new point
//
// with d = e_S, g = 0 where the last stage is the result; d = A^-T b, g = 0 where A is regular; else d = 0, g = b. The
// stages are found by simplified Newton iteration with J of the start of the step (stage_solver.hpp), from Z_i = h c_i
// V(x). The iteration ends where theta / (1 - theta) |dZ| is a hundredth of the tolerances, theta the ratio of two
// increments; with constant steps at round-off. With b_hat the error is
//
//     e = (I - h r J)^-1 (sum_i (d - d^)_i Z_i + h sum_i (g - g^)_i k_i)       r a diagonal entry of Schur's form
//
// which is bounded where the system is stiff. [HW96, IV.8]
#pragma once

#include <memory>
#include <vector>

#include "distribution/derivative/linearised.hpp"
#include "method/one_step.hpp"
#include "method/parts.hpp"
#include "method/user/stage_solver.hpp"
#include "sensitivity/block_coupling.hpp"

namespace vessiot::method {

template <class S> class GeneralRk final : public OneStep<S> {
public:
    GeneralRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    const StepperCounts& counts() const override;
    void renew() override;

private:
    // x + sum d_i Z_i + h sum g_i k_i
    struct Weights {
        std::vector<S> d, g;
    };
    bool advance(S h, StepReport<S>& report) override;
    bool linearise(S h, StepReport<S>& report);
    bool evaluate_stages(S h, StepReport<S>& report);
    void residual(S h);
    bool iterate(S h, StepReport<S>& report);
    S size_of_increment() const;
    bool give_up(S shrink, StepReport<S>& report);
    void estimate(S h, StepReport<S>& report);

    Parts<S>& parts_;
    bool projects_stages_, has_estimate_, to_round_off_;
    std::size_t s_;
    std::vector<S> a_, c_;
    Weights result_, error_;
    ErrorNorm<S> stage_norm_;
    Linearised<S> linearised_;
    std::unique_ptr<BlockCoupling<S>> coupling_; // of derivatives of the solution
    std::unique_ptr<StageSolver<S>> solver_;
    std::vector<linalg::Vector<S>> z_, v_, r_;
    std::vector<S*> increments_; // r_
    linalg::Vector<S> work_, tops_;
    StepperCounts own_; // of the iteration
    mutable StepperCounts all_;
};

extern template class GeneralRk<double>;
extern template class GeneralRk<Quad>;

extern const Family general_rk_family;

} // namespace vessiot::method
