// The momenta p = L_q' of a lagrangian, for methods that are symplectic in (q, p) while the coordinates of a run are
// (q, q'):
//
//   p' = L_q - G^T lambda + force,     q' = v with L_q'(t, q, v) = p
//
// Where masses are constant, and L has no term that is linear in q' with coefficients that vary, p is M q' and nothing
// is gained: then there is no such object. Where L leaves velocities out that the constraints determine (quaternions,
// along q), its masses are singular: L + r/2 (dg/dt)^2 moves the same way and has regular ones.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/row_function.hpp"
#include "method/mechanical/system/mechanical_shape.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

template <class S> class LagrangianMomenta {
public:
    // Null where momenta are not needed, or where L does not give one for each position. Positions are numbered as in
    // the shape.
    static std::unique_ptr<LagrangianMomenta> make(const Parts<S>& parts, const MechanicalShape& shape,
                                                   bool has_constant_masses);

    const linalg::Pattern& mass_pattern() const { return momenta_.pattern(); } // M = L_q'q', n x n
    const linalg::Pattern& B_pattern() const { return forces_.pattern(); }     // B = G^T, n x m

    // None of these allocates. u holds (q, q').
    // p of a point.
    void momenta(S t, const S* u, S* p);
    // q' of the point with momenta p and the positions of u, by Newton's method from those of u; not numbers where
    // there is none.
    void velocities(S t, const S* p, S* u);
    // -L_q - force, and the entries of M and B
    void evaluate(S t, const S* u, S* minus_force, S* M, S* B);

private:
    static double penalty(const Parts<S>& parts, const MechanicalShape& shape);
    LagrangianMomenta(const Parts<S>& parts, const MechanicalShape& shape, RowFunction<S>&& momenta,
                      RowFunction<S>&& forces);

    Jets<S>& jets_;
    std::vector<std::int32_t> y_; // q' by position
    RowFunction<S> momenta_, forces_;
    bool is_linear_; // p is linear in q'
    linalg::SquareSolver<S> mass_;
    linalg::Vector<S> residual_, entries_;
};

extern template class LagrangianMomenta<double>;
extern template class LagrangianMomenta<Quad>;

} // namespace vessiot::method
