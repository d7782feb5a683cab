// What Liu's paper says in words and shows in figures.
#pragma once

#include <vector>

#include "reproduce/paper.hpp"

namespace vessiot::reproduce::liu_runs {

std::vector<Claim> claims();
std::vector<Drawing> drawings();

} // namespace vessiot::reproduce::liu_runs
