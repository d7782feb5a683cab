// Numbers of a C++ model.
#pragma once

#include "core/quad.hpp"

namespace vessiot {

// The number that the shortest decimal text of a finite double says, nearest in quadruple precision: 0.1 is one tenth,
// as it is in a text model.
Quad decimal_value(double value);

} // namespace vessiot
