// Sums in order: a + b - (a - 2*b) becomes 3*b.
#pragma once

#include "expr/graph/graph.hpp"

namespace vessiot::expr {

// The expression as a sum of terms with constant factors, equal terms put together. Brackets are opened as far as
// constant factors reach; terms that cancel to rounding (1e-14 of what was added up) are left out.
NodeId collect(Graph& g, NodeId body);

// The same for an equation body = 0, which may be multiplied by a number: so that its factors are whole numbers without
// a common divisor, where they can be, and the first one is positive.
NodeId collect_equation(Graph& g, NodeId body);

} // namespace vessiot::expr
