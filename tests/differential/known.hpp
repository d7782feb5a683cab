// Findings that are known and not yet mended, each with its cause: with --known count, as in CI, they are counted and
// make no failure. An empty list is the aim.
#pragma once

#include <string_view>
#include <vector>

#include "differential/judge.hpp"

namespace vessiot::differential {

struct Known {
    std::string_view class_name;                                        // "": any
    std::vector<std::pair<std::string_view, std::string_view>> options; // all of them; "gauss*" begins so
    std::vector<std::string_view> reasons;                              // kinds of findings (judge.hpp); empty: any
    std::string_view why;
};

const std::vector<Known>& known_problems();
// The first that the outcome of a run falls under; null: none.
const Known* known_problem(const System& system, const RunOptions& run, const Outcome& outcome);

} // namespace vessiot::differential
