// Numbers that depend on the parameters alone.
#pragma once

#include <vector>

#include "system/system.hpp"

namespace vessiot {

// The values of expressions without unknowns, t or loop indices.
std::vector<Quad> evaluate_constants(const System& system, const std::vector<expr::NodeId>& expressions);

} // namespace vessiot
