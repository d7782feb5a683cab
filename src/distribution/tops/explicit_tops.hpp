// The tops as formulas: r(t, u) + A(t, u) w = 0 solved for w in the graph, once, so that a direction is one call of a
// compiled function.
//
//   1. Small systems, written out: block after block of the triangular form. A block of one is a division. A larger one
//      is eliminated without pivoting if that is stable: mechanical systems [E B; G C], E symmetric positive definite,
//      coordinates first, then the multipliers with their Schur complement. [HW96, VII.1]
//   2. Families: every equation contains one top, x[i]'' = ..., and is solved for it as a family.
//
//   3. Families with multipliers (KktTops): equations of motion with one coordinate each, solved for it with the
//      multipliers l left in; put into the constraints' second derivatives they leave a system for l alone,
//      r(t, u) + S(t, u) l = 0, S = -G E^-1 B: sparse, computed as families and solved with numbers.
//
// Other systems are solved with numbers at every point (solve.hpp).
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

struct KktTops {
    std::vector<RowTemplate> rows;            // r + S l, for the tops with offset 0
    std::vector<expr::ArrayId> multipliers;   // the arrays l, in order
    std::vector<std::int64_t> first;          // the top that each begins with
    std::vector<expr::Contribution> tops;     // the others, of an array with an element for each top; l is read
    std::vector<expr::Contribution> velocity; // u'; l is read
};

std::optional<KktTops> kkt_tops(const System& system, const Prolongation& p);

// `is_mechanical`: elimination without pivoting is stable.
std::optional<ExplicitTops> explicit_tops(const System& system, const Structure& structure, const Prolongation& p,
                                          bool is_mechanical);

} // namespace vessiot
