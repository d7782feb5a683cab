// How large the numbers are that are rounded on the way to a value: sin(y + pi) is 1e-16 at y = 0, and no better known.
#pragma once

#include "expr/graph/graph.hpp"

namespace vessiot {

// The largest of them, each times what a change of it makes of the value, as an expression.
expr::NodeId rounded_size(expr::Graph& g, expr::NodeId value);

} // namespace vessiot
