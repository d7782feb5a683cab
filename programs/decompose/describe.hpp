// A decomposition in words, and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "decompose/decompose.hpp"

namespace vessiot::decompose {

// `written`: the file that the model of the chosen component went to; empty: none. Without `full`, long formulas and
// lists are cut.
std::string to_text(const Decomposition& d, const std::string& written, bool full);
nlohmann::ordered_json to_json(const Decomposition& d, const std::string& written);

// Whether one of them plainly has none: terms of one sign, all powers even, and a constant among them.
bool has_no_real_points(const std::vector<Polynomial>& equations);

// One line: "2 components; the start point is on component 2".
std::string message(const Decomposition& d);

} // namespace vessiot::decompose
