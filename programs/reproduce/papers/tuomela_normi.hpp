// J. Tuomela, T. Arponen, V. Normi: On the numerical solution of involutive ordinary differential systems: enhanced
// linear algebra. Tables 1 to 15.
#pragma once

#include "reproduce/paper.hpp"

namespace vessiot::reproduce {

Paper tuomela_normi();

} // namespace vessiot::reproduce
