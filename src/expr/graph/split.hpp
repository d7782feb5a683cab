// `if` on loop indices: the condition is known for every instance, so the domain is cut instead of testing at run time.
#pragma once

#include <vector>

#include "expr/graph/graph.hpp"

namespace vessiot::expr {

struct Piece {
    DomainId domain = 0;
    NodeId body = 0;
};

// Pieces of the domain on which no `if` of the body depends on indices alone.
std::vector<Piece> split_by_index_conditions(Graph& g, DomainId domain, NodeId body);

// The same for contributions. In a branch that an instance does not take, indices may be out of range (x[i-1] where
// i = 1): whoever asks for the place of every element that is read has to cut first.
std::vector<Contribution> without_conditions(Graph& g, const std::vector<Contribution>& contributions);

} // namespace vessiot::expr
