// `if` on loop indices: the condition is known for every instance, so the domain is cut instead of testing at run time.
#pragma once

#include <vector>

#include "expr/graph.hpp"

namespace vessiot::expr {

struct Piece {
    DomainId domain = 0;
    NodeId body = 0;
};

// Pieces of the domain on which no `if` of the body depends on indices alone.
std::vector<Piece> split_by_index_conditions(Graph& g, DomainId domain, NodeId body);

} // namespace vessiot::expr
