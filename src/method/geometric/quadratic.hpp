// Is a field quadratic? Of what degree polynomials are, by their formulas.
#pragma once

#include <string>

#include "completion/prolongation.hpp"
#include "system/system.hpp"

namespace vessiot::method {

// Why the direction field is no polynomial of degree 2 at most with numbers as coefficients, "x' contains sin(x*y)":
// empty where it is one. Looked for in formulas as they are written: what only simplifies to degree 2 is not seen.
std::string quadratic_misfit(const System& system, const Prolongation& prolongation);

} // namespace vessiot::method
