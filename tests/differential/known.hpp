// What is left out with --known skip, as in CI: findings that are known and not yet mended, each with its cause. An
// empty list is the aim.
#pragma once

#include <string_view>
#include <vector>

#include "differential/run.hpp"

namespace vessiot::differential {

struct Known {
    std::string_view class_name;                                        // "": any
    std::vector<std::pair<std::string_view, std::string_view>> options; // all of them; a value "mfeagin*" begins so
    std::string_view why;
};

const std::vector<Known>& known_problems();
// The first that the run falls under; null: none.
const Known* known_problem(const System& system, const RunOptions& run);

} // namespace vessiot::differential
