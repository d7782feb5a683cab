// What the paper by Tuomela, Arponen and Normi says in words, judged by runs of its tables.
#pragma once

#include <vector>

#include "reproduce/paper.hpp"

namespace vessiot::reproduce::normi {

std::vector<Claim> claims();

} // namespace vessiot::reproduce::normi
