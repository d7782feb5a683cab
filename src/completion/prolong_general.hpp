// The general formulation of a system with hidden constraints, which is completed first: these are among its
// constraints, and so are the equations for the highest derivatives, which are coordinates. [Tuomela, Arponen,
// Normi, 3.1]
//
//   u: y_j^(0 .. d_j),   w: y_j^(d_j+1),   F_i^(0 .. c_i) = 0 constraints,   F_i^(c_i+1) = 0 for w
//
// (Where all that follows is written, prolong_general of prolongation.hpp does the same with c = 0, d = q.)
#pragma once

#include "completion/prolongation.hpp"

namespace vessiot {

// Do the derivatives of the equations, each taken once, contain the y_j^(q_j+1) in a way that can determine them all?
bool determines_highest(const Signature& signature);

// With the offsets of a regular structure.
Prolongation prolong_general(const System& system, const Structure& structure);

// With the offsets of prolong_written: for a system whose consequences are written (involution/).
Prolongation prolong_completed(const System& system, const Signature& signature);

} // namespace vessiot
