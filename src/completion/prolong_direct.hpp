// A system as it stands, without anything hidden: what methods for differential-algebraic equations work on. [HW96, VI]
//
//   u: y_j^(0 .. q_j-1), and y_j itself where q_j = 0      q_j the highest derivative of y_j in the equations
//   w: y_j^(q_j), and y_j' where q_j = 0
//   F(t, u, w) = 0       all equations, in the place of those for the tops; dF/dw may be singular
//
// Constraints are the equations without a w, as they are written.
#pragma once

#include "completion/prolongation.hpp"

namespace vessiot {

// As many equations as unknowns.
Prolongation prolong_direct(const System& system, const Signature& signature);

// The index of each coordinate, 1, 2, 3, ...: how far the method's errors are multiplied by 1/h. y_j^(k) has the index
// k - d_j + max c + 1, at least 1, with the offsets of the structure. [HW96, VII.4 for the meaning]
std::vector<int> variable_indices(const Prolongation& direct, const Signature& signature, const Offsets& offsets);

} // namespace vessiot
