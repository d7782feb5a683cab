// Consequences that say nothing about the unknowns.
#pragma once

#include <algorithm>

#include "expr/graph/derivative.hpp"
#include "system/system.hpp"

namespace vessiot {

// Does an equation, lhs - rhs = residual, contain no unknown? 9.81 = 9.81 is true, and no constraint.
inline bool is_trivial(const System& system, expr::NodeId residual) {
    return std::ranges::none_of(expr::dependencies(*system.graph, {residual}), [&](expr::ArrayId a) {
        return system.graph->array(a).role == expr::ArrayRole::unknown;
    });
}

} // namespace vessiot
