// Fields as coloured maps.
#pragma once

#include <optional>

#include "io/figure.hpp"
#include "io/sampling.hpp"

namespace vessiot::io {

// The first field of a solution: u[n] over t and its index, or u[n,m] over both indices at four times. None where there
// is no field, or where t turns back.
std::optional<Panel> field_map(const Solution& solution, const Table& table);

} // namespace vessiot::io
