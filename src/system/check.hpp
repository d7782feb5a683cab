// What can be said about a system from its structure alone, before any number is computed.
#pragma once

#include <optional>
#include <string>

#include "system/system.hpp"

namespace vessiot {

struct Mistake {
    Location where; // line 0: the model as a whole
    std::string message;
};

// Sets Unknown::order: the highest derivative of each unknown in the equations.
void determine_orders(System& system);

// The first of: no unknowns, no equations, a constraint without forces, an unknown that no equation uses, too few
// equations ("3 unknowns, but only 2 independent equations: nothing determines 'lambda'"), an event that sets what
// follows from the equations, a section of an event that there is not.
std::optional<Mistake> check_structure(System& system);

} // namespace vessiot
