// Elimination of constants, aliases and explicit definitions from a flat model, before anything else is done with it.
//
//   constants, aliases   v = c, v = ±w + c, 0 = v + w, in rounds until nothing changes
//   definitions          v = e, or v with a constant factor, where v is not in e: v becomes a name for e
//
// Of a class of aliases the one that stays is the one that says most about states: fixed, then by stateSelect, then
// with a start value, then the one with the shorter name. Of what is differentiated elsewhere only smooth definitions
// are taken, and none that would lead to derivatives above the second.
#pragma once

#include <optional>
#include <vector>

#include "modelica/flat.hpp"

namespace vessiot::modelica {

// v = sign*w + offset; without w (nothing): a constant.
struct Alias {
    std::size_t to = nothing;
    int sign = 1;
    expr::NodeId offset = 0;
};

struct Elimination {
    std::vector<std::optional<Alias>> alias;          // by variable
    std::vector<std::optional<expr::NodeId>> defined; // by variable: its formula, of variables that stay or are defined
    std::vector<std::size_t> order;                   // of what is defined: each behind what it reads
    std::vector<FlatEquation> equations;              // what remains
    std::size_t n_constants = 0, n_aliases = 0, n_definitions = 0;
};

// Throws lang::ModelError where equations contradict each other.
Elimination eliminate(FlatModel& flat, const Source& source);

} // namespace vessiot::modelica
