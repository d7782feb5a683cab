// The tops as formulas: r(t, u) + A(t, u) w = 0 solved for w in the graph, once, so that a direction is one call of a
// compiled function.
//
//   1. Small systems, written out: block after block of the triangular form. A block of one is a division. A larger one
//      is eliminated without pivoting if that is stable: mechanical systems [E B; G C], E symmetric positive definite,
//      coordinates first, then the multipliers with their Schur complement. [HW96, VII.1]
//   2. Families: every equation contains one top, x[i]'' = ..., and is solved for it as a family.
//
// Other systems are solved with numbers at every point (solve.hpp, kkt.hpp).
#pragma once

#include <optional>
#include <vector>

#include "completion/prolongation.hpp"
#include "completion/structure.hpp"
#include "system/system.hpp"

namespace vessiot {

struct ExplicitTops {
    std::vector<expr::Contribution> tops;     // of an array with an element for each top
    std::vector<expr::Contribution> velocity; // of one for each coordinate: u'
    bool is_eliminated = false;               // some block was larger than one
};

// `is_mechanical`: elimination without pivoting is stable.
std::optional<ExplicitTops> explicit_tops(const System& system, const Structure& structure, const Prolongation& p,
                                          bool is_mechanical);

} // namespace vessiot
