// What a group preserving scheme does in Minkowski space, as outputs of a run. [Liu06, (1) to (15)]
//
//   X = (x, |x|) is on the cone X^T g X = 0, g = diag(1, ..., 1, -1); a step of size h is X_1 = G X_0,
//
//   G = (1 + (a - 1) f f^T/|f|^2   b f/|f|)    a = cosh(h |f|/|x|),  b = sinh(h |f|/|x|)
//       (b f^T/|f|                 a      )
//
// an element of the proper orthochronous Lorentz group: G^T g G = g (13), det G = 1 (14), G_00 = a >= 1 (15).
//
// Outputs X0 = |x|, and G[i,j], i, j = 1 .. n+1 with the length last: the element that leads from the point where it is
// reported to the next.
#pragma once

#include "system/system.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

// Throws InvalidInput where the method is no group preserving scheme of one set, its steps are not constant, or the
// unknowns are too many.
void add_cone_outputs(System& system, const SolveOptions& options);

} // namespace vessiot
