// An expression as a sum: constant + c_1 a_1 + c_2 a_2 + …, where the atoms a_k are no sums, and the constant may
// contain parameters.
#pragma once

#include <utility>
#include <vector>

#include "expr/graph/graph.hpp"

namespace vessiot::modelica {

struct LinearForm {
    expr::NodeId constant = 0;
    std::vector<std::pair<expr::NodeId, Quad>> terms; // atom, factor; each atom once

    // Terms that are round-off of what cancels are gone.
    void add(expr::NodeId atom, Quad factor);

    // nothing: more terms than `most`
    static bool make(expr::Graph& g, expr::NodeId node, std::size_t most, LinearForm& form);
};

} // namespace vessiot::modelica
