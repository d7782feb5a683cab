// Floquet's multipliers of a periodic solution: the eigenvalues of the derivative of the flow over one period, on the
// manifold. One is 1 for the direction of the flow where the equations do not contain t, and one more for every
// quantity that is conserved: these are named.
#pragma once

#include "solve/ends/flow.hpp"
#include "vessiot/solution.hpp"

namespace vessiot {

std::vector<EndsSummary::Multiplier> multipliers(const System& system, const Dense& monodromy);

// Do its equations contain the independent variable?
bool is_autonomous(const System& system);

} // namespace vessiot
