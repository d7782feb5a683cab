// Equations of motion from a lagrangian or a hamiltonian.
//
//   lagrangian L:      d/dt L_q' - L_q + G^T lambda = force
//   hamiltonian H:     q' = H_p,   p' = -H_q - G^T lambda + force
//
// with g = lhs - rhs of the constraints as written, G = dg/dq where g is of positions alone, and G = dg/dq' where it
// contains velocities (velocity_jets.hpp). A constraint and its derivative thus act by the same forces.
//
// Multipliers are the elements of one unknown array `lambda`, in the order of the constraint statements and then of
// their loops. Everything is derived in families: the equations of a chain of n links are the same few templates for
// every n.
#pragma once

#include <vector>

#include "system/system.hpp"

namespace vessiot {

// Adds the multipliers and the equations of motion to a system with a lagrangian or hamiltonian; otherwise nothing.
void derive_motion(System& system);

// The two parts of the equations of motion of a lagrangian, P' + R = 0, for methods that work with momenta:
//   P = L_q',   R = -L_q + G^T lambda - force
// in families of rows; that of an element of a position is where the target says. Rows that are zero may be missing.
struct LagrangianRow {
    expr::ArrayId position;
    expr::Contribution row;
};
struct LagrangianRows {
    std::vector<LagrangianRow> momenta, forces;
};
// `penalty` r: of L + r/2 sum_i (dg_i/dt)^2 over the constraints of positions, which moves as L does, with the same
// multipliers, since dg_i/dt and its derivatives vanish; its masses L_q'q' + r G^T G are regular where those of L are
// singular across the constraints.
LagrangianRows lagrangian_rows(const System& system, double penalty = 0);

} // namespace vessiot
