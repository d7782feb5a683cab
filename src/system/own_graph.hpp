// Analysis and compilation add to the graph of a system: whoever does that with a system that others use works on a
// copy.
#pragma once

#include <memory>

#include "system/system.hpp"

namespace vessiot {

// The same system over a graph of its own, in which nodes and arrays have the same numbers.
inline System with_own_graph(const System& system) {
    System copy = system;
    copy.graph = std::make_shared<expr::Graph>(*system.graph);
    return copy;
}

} // namespace vessiot
