// Conditions are numbers of the graph, 1 and 0. These make them simple where one side is known.
#pragma once

#include "expr/graph/graph.hpp"

namespace vessiot::modelica {

expr::NodeId both(expr::Graph& g, expr::NodeId a, expr::NodeId b);
expr::NodeId either(expr::Graph& g, expr::NodeId a, expr::NodeId b);
expr::NodeId negation(expr::Graph& g, expr::NodeId a);
// if(c, a, b) where a and b are conditions or numbers
expr::NodeId choose(expr::Graph& g, expr::NodeId c, expr::NodeId a, expr::NodeId b);
// less, less_equal, equal, not_equal; of choices between numbers: a choice between conditions.
expr::NodeId compare(expr::Graph& g, expr::Op op, expr::NodeId a, expr::NodeId b);
// A node made again of other operands, with the rules above.
expr::NodeId rebuilt(expr::Graph& g, const expr::Node& n, expr::NodeId a, expr::NodeId b, expr::NodeId c);

} // namespace vessiot::modelica
