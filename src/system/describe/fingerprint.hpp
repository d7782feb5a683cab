// What a system computes, whatever its author called the parts: definitions, functions and numbers put in.
#pragma once

#include <cstdint>
#include <string>

#include "system/system.hpp"

namespace vessiot {

// Equations, invariants and the families that they use, a line each, as they are after `let` and functions were put
// in. For messages: long formulas are cut, numbers have the digits of double.
std::string formulas_text(const System& system);

// A number that agrees for two systems which compute the same: all formulas with all digits, loops, start values,
// events, outputs, values of parameters. Where a run ends is left out.
std::uint64_t fingerprint(const System& system);
// The same for what is left out: where a run ends, and which of its points are reported.
std::uint64_t fingerprint_of_end(const System& system);

} // namespace vessiot
