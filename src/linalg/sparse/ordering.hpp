// Orders of elimination for sparse matrices. A result `order` names the row that comes k-th: order[k].
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

// Reverse Cuthill-McKee: a narrow band. Breadth first from a row far out, neighbours by ascending degree, all reversed.
std::vector<std::int32_t> reverse_cuthill_mckee(const Pattern& symmetric);

// Approximate minimum degree: little fill. Always the row with the fewest neighbours in the graph that elimination
// leaves.
std::vector<std::int32_t> minimum_degree(const Pattern& symmetric);

// max |k - l| over the entries (order[k], order[l]). An empty order means 0, 1, 2, ...
std::int64_t bandwidth(const Pattern& pattern, const std::vector<std::int32_t>& order);

} // namespace vessiot::linalg
