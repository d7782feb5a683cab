// The solutions of one interval after another as one.
#pragma once

#include "vessiot/solution.hpp"

namespace vessiot {

// Appends a solution that begins where the first one ends. `has_start`: its first point is the last one of the other.
void append(Solution& solution, Solution&& next, bool has_start);

} // namespace vessiot
