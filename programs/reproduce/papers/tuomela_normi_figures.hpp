// Figures 1 to 11 of the paper by Tuomela, Arponen and Normi.
#pragma once

#include <vector>

#include "reproduce/paper.hpp"

namespace vessiot::reproduce::normi {

std::vector<Drawing> drawings();

// The run of figure 6.
RunSetting free_chain();

} // namespace vessiot::reproduce::normi
