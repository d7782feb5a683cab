// Symmetric projection around any one-step method. [HLW06, V.4.1]
//
// With Phi_h the method without projections, f the constraints and A = df:
//
//     x~ = x + A(x)^T mu,   p~ = Phi_h(x~),   p = p~ + A(p)^T mu,   f(p) = 0        the same mu twice
//
// The result is as symmetric as the method: projected back with -h, it leads to where it came from, which the standard
// projection does not. mu is found by simplified Newton steps, 2 A(x) A(x)^T d = -f(p), mu += d, each with a step of
// the method and A(p) anew; it is of the size of the error of a step. Order and error estimate are those of the method.
//
// Between points: the cubic polynomial through both ends and directions.
//
// Cost of a step: a few steps of the method, one factorisation.
#pragma once

#include <memory>

#include "linalg/solver/normal_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "method/one_step.hpp"

namespace vessiot::method {

template <class S> class SymmetricProjection final : public OneStep<S> {
public:
    // Throws InvalidInput for methods that keep to the constraints by themselves.
    SymmetricProjection(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    void accept() override;
    const StepperCounts& counts() const override;
    void renew() override {
        OneStep<S>::renew();
        inner_->renew();
    }

private:
    bool advance(S h, StepReport<S>& report) override;
    bool needs_first() const override { return false; }
    bool factor_start(StepReport<S>& report);
    // mu and p, with k corrections of mu.
    bool solve(S h, int& k, StepReport<S>& report);
    S relative_residual() const; // of f_
    void polish(S r, S noise);
    // x += factor A^T mu
    void add_normal(const linalg::Vector<S>& entries, const linalg::Vector<S>& mu, S factor, S* x) const;
    S time(S tau, const S* x) const;

    Manifold<S>& manifold_;
    std::unique_ptr<Stepper<S>> inner_;
    linalg::NormalSolver<S> solver_;
    linalg::Vector<S> moved_, entries_, end_entries_, f_, size_, mu_, b_;
    bool has_factor_ = false;
    mutable StepperCounts counts_; // those of the method, and projections
};

extern template class SymmetricProjection<double>;
extern template class SymmetricProjection<Quad>;

} // namespace vessiot::method
