// A System that was read from Base Modelica, as a model text (.ves).
#pragma once

#include <string>

#include "system/system.hpp"

namespace vessiot::modelica {

// All quantities are scalars, and stand in the order of the system, so that results have the same columns. Names become
// names of the language, with the original ones in comments. Throws InvalidInput where a formula is too large to be
// written.
std::string to_ves(const System& system);

} // namespace vessiot::modelica
