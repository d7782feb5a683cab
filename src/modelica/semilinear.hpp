// Chains of semiLinear equations, which determine nothing at x = 0 as they are written (a flow that stands still):
//
//   y = semiLinear(x, a, s1), y = semiLinear(x, s1, s2), …, y = semiLinear(x, sn, b)
//
// are the same as y = semiLinear(x, a, b) and s1 = … = sn = if x >= 0 then a else b, by the rule of the Modelica
// specification. semiLinear(-x, a, b) = -semiLinear(x, b, a).
#pragma once

#include <utility>
#include <vector>

#include "expr/graph/graph.hpp"

namespace vessiot::modelica {

struct SemiLinearRow {
    std::size_t row;       // of the residuals
    expr::NodeId lhs, rhs; // what it becomes
};

// Of residuals in which every alias is written as what it stands for.
std::vector<SemiLinearRow> join_semilinear(expr::Graph& g, const std::vector<expr::NodeId>& residuals);

} // namespace vessiot::modelica
