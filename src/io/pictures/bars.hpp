// Bars of a mechanism: where a constraint of a model fixes a distance.
#pragma once

#include <vector>

#include "io/figure.hpp"
#include "system/system.hpp"

namespace vessiot::io {

// An equation that contains the coordinates of one or of two points (shapes.hpp) and no other unknown, where the points
// keep their distance to a place, or to each other, all along the solution.
std::vector<Bar> find_bars(const Solution& solution, const System& system);

} // namespace vessiot::io
