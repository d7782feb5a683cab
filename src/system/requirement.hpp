// What has to be true all along a run, allowing for round-off.
#pragma once

#include "expr/graph/graph.hpp"

namespace vessiot {

// Where a value lies at its limit round-off is no violation: a <= b becomes a <= b + 1e-9 |b|, with sqrt(a^2 + b^2) in
// place of |b| where both vary.
expr::NodeId relaxed(expr::Graph& g, expr::NodeId condition);

} // namespace vessiot
