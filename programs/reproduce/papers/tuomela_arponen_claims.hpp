// What [BIT 2001] says in words and shows in figures.
#pragma once

#include <vector>

#include "reproduce/paper.hpp"

namespace vessiot::reproduce::arponen {

// The first example with constant steps of 2^-k up to an arclength, in quadruple precision; its output `error` is that
// of y against the right solution.
RunSetting order_setting(int k, double length);

// The four bar linkage from rest, with the torque T, and perhaps with its energy (6.7) imposed.
RunSetting four_bar_setting(const std::string& torque, bool has_energy);

std::vector<Claim> claims();
std::vector<Drawing> drawings();

} // namespace vessiot::reproduce::arponen
