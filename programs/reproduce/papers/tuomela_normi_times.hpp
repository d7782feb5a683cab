// The CPU times that Tables 1 to 15 print, as ratios.
#pragma once

#include "reproduce/paper.hpp"

namespace vessiot::reproduce::normi {

Table times_table();

} // namespace vessiot::reproduce::normi
