// Numbers of a C++ model.
#pragma once

#include "core/float128.hpp"

namespace vessiot {

// The number that the shortest decimal text of a finite double says, nearest in quadruple precision: 0.1 is one tenth,
// as it is in a text model.
float128 decimal_value(double value);

} // namespace vessiot
