// The derivative of the unit tangent v = (du, dt) by x = (u, t), in arclength.
//
//   dt r(x) + A(x) z = 0,   du = dt S u + E z,   |v| = 1           F(t, u, w) = r + A w;  z = dt w, finite where w is
//   not
//
// z and dt follow from v; with (dx) on the right and (dz, ddt) unknown
//
//   A dz + r ddt = -(dt F_x|w=0 + F_x|w=z - F_x|w=0) dx           F_x is linear in w
//   v . dv = 0                                                    dv = (ddt S u + dt S dx + E dz, ddt)
//
// whose matrix is regular wherever the tangent is unique, at impasse points (dt = 0) too. Dense, for small systems.
#pragma once

#include "distribution/derivative/top_derivatives.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/vector.hpp"
#include "manifold/field.hpp"

namespace vessiot {

template <class S> class TangentDerivative {
public:
    // The equations must outlive it. Throws InvalidInput where the system is too large, or has not as many equations as
    // tops.
    explicit TangentDerivative(TopDerivatives<S>& equations);

    // -J at x = (u, t), v the unit tangent there, by columns; the equations are evaluated. Does not allocate.
    PointStatus find(const S* x, const S* v, S* minus_J);

private:
    bool factor(const S* x, const S* v);

    TopDerivatives<S>& equations_;
    linalg::DenseLu<S> bordered_;
    linalg::Vector<S> at_zero_, b_, top_; // F_(u, w, t) for w = 0; right-hand sides; z
};

extern template class TangentDerivative<double>;
extern template class TangentDerivative<Quad>;

} // namespace vessiot
