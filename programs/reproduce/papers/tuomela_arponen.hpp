// J. Tuomela, T. Arponen: On the numerical solution of involutive ordinary differential systems: higher order methods
// (BIT 2001), and the report A409 that it grew from, which has the same tables.
#pragma once

#include "reproduce/paper.hpp"

namespace vessiot::reproduce {

Paper tuomela_arponen();

} // namespace vessiot::reproduce
