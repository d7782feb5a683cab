// The numbers of the Cartan-Kuranishi theorem: how the equations of a system become involutive, near its start point.
//
//   J_q       t, y, y', ..., y^(q); q the order of the system, m unknowns: dimension 1 + m (q + 1)
//   R_q       where the equations f = 0 hold
//   R_{q+s}   where f = f' = ... = f^(s) = 0, in J_{q+s}
//   R_q^(s)   its projection to J_q
//   M_q^(s)   the symbol of R_q^(s): the directions of y^(q) alone that are tangent to it
//
// With one independent variable every symbol is involutive, so that R_q^(s) is as soon as R_q^(s+1) = R_q^(s): then all
// that follows from the equations is written in it. [Sei10, 4; Tuomela, Arponen, Normi, 3.1]
//
// Let D be the matrix of the derivatives of f, ..., f^(s) by y, ..., y^(q+s), at a point of R_{q+s}; B its columns
// beyond y^(q), Q those of y^(q). (t adds no rank: along a solution its column is a combination of the others.)
//
//   dim R_q^(s) = dim J_q - (rank D - rank B),      dim M_q^(s) = m - (rank [Q B] - rank B)
//
// D comes from power series: with y(t) = sum_j c_j t^j along the solution and A_l(t) = df/dy^(l), coefficient k of f
// has by c_j the derivative  sum_l j!/(j-l)! [A_l]_{k-j+l}. Series are in quadruple precision, and ranks the largest
// ones of a few points.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solve/options/settings.hpp"
#include "system/system.hpp"

namespace vessiot {

struct InvolutiveForm {
    struct Projection {
        std::int64_t dimension = 0, symbol = 0; // of R_q^(s), of M_q^(s)
    };
    int order = 0;                         // q
    std::int64_t jet_dimension = 0;        // of J_q
    std::vector<Projection> projections{}; // by s; the last one is involutive

    int differentiations() const { return static_cast<int>(projections.size()) - 1; } // s of the last one
};

// For a system that can be solved, `index` its index. Invariants do not count among the equations. Nothing where the
// matrices would be too large, or where the equations have no derivatives at the start point.
std::optional<InvolutiveForm> involutive_form(const System& system, const Settings& options, Quad t, int index);

} // namespace vessiot
