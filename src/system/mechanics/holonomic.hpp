// Recognises mechanical systems with position constraints, however they were written:
//
//     E(q, q') q'' + B(q) lambda = K(t, q, q'),   g(t, q) = 0,   D B = G^T S   with G = dg/dq, D and S diagonal, D
//     constant.
//
// S says that a multiplier may be scaled: `x'' = -lambda*x` with `x^2 + y^2 = l^2` (S = 1/2); D, that equations may
// have been divided by their masses.
#pragma once

#include <vector>

#include "system/functions.hpp"
#include "system/jet_columns.hpp"
#include "system/system.hpp"

namespace vessiot {

// `columns` and `rows` are those of functions.df(). A lagrangian makes B = G^T by itself; else, and where masses depend
// on velocities, the condition is tested with numbers, at random points in quad precision. D E must be symmetric with a
// positive diagonal.
bool is_holonomic(const System& system, const SystemFunctions<double>& functions, const std::vector<JetColumn>& columns,
                  const Rows& rows);

} // namespace vessiot
