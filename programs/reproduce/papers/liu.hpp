// C.-S. Liu: Preserving constraints of differential equations by numerical methods based on integrating factors
// (CMES 2006). Tables 1 and 2, figures 2 to 13.
#pragma once

#include "reproduce/paper.hpp"

namespace vessiot::reproduce {

Paper liu();

} // namespace vessiot::reproduce
