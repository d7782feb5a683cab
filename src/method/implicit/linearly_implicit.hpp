// Methods that solve linear systems with the derivative of the field, I - h/2 V'.
//
// Kahan's method, for fields V of degree 2 at most. [Kah93; San94; CMOQ13] In each product of V one factor is that of
// the old point and one that of the new, symmetrised, which makes the new point the solution of a linear system:
//
//   x_1 = x + h (1 - h/2 V'(x))^-1 V(x)
//
// Order 2, its own inverse with -h, symplectic in another structure for Lotka and Volterra's equations. One
// factorisation a step.
//
// The projected midpoint rule. [AP91] With G = df of the constraints g = 0 and multipliers mu:
//
//   Y = x + h/2 V(Y) + G(Y)^T mu,   g(Y) = 0,   x_1 = 2 Y - x = x + h V(Y) + 2 G(Y)^T mu
//
// and x_1 is projected. Y and mu are found together, the residual r = Y - x - h/2 V(Y) - G^T mu by
// Newton's method with V' at x, the constraints with G G^T in place of G (1 - h/2 V')^-1 G^T:
//
//   a = -(1 - h/2 V')^-1 r,   G G^T dmu = -g - G a,   dY = a + G^T dmu
//
// which converges with a factor O(h), to round-off.
#pragma once

#include <memory>

#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/shifted_solver.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "method/one_step.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

template <class S> class LinearlyImplicit : public OneStep<S> {
protected:
    LinearlyImplicit(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    // Factorises 1 - gamma V' at the start of the step.
    bool factor(S gamma, StepReport<S>& report);
    void solve(S* b) { solver_.solve(b); }

    Parts<S>& parts_;

private:
    Linearised<S> linearised_;
    ShiftedSolver<S> solver_;
    linalg::Vector<S> w_;
};

template <class S> class Kahan final : public LinearlyImplicit<S> {
public:
    Kahan(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
        : LinearlyImplicit<S>(field, projection, options), d_(field.size()) {}

private:
    bool advance(S h, StepReport<S>& report) override;

    linalg::Vector<S> d_;
};

template <class S> class ProjectedMidpoint final : public LinearlyImplicit<S> {
public:
    ProjectedMidpoint(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

private:
    bool advance(S h, StepReport<S>& report) override;
    void add_transposed(const S* mu, S* y) const; // y += G^T mu

    linalg::NormalSolver<S> normal_;
    linalg::Vector<S> v_, r_, d_, y_, f_, df_, mu_, b_, work_;
};

extern template class Kahan<double>;
extern template class Kahan<Quad>;
extern template class ProjectedMidpoint<double>;
extern template class ProjectedMidpoint<Quad>;

extern const Family kahan_family;

extern const Family projected_midpoint_family;

} // namespace vessiot::method
