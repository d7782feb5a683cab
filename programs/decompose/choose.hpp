// Which component is meant: a number, an equation that stands in it, or a word.
//
//   auto          the one that the start point is on, and moves along
//   other         begin on that one, and change to the other one where they meet
//   2             by its number, from 1
//   y2 - y4 = 0   the one that has this equation
//   2,1           begin on 2, and change to 1 where they meet
#pragma once

#include <optional>
#include <string>

#include "decompose/answer.hpp"
#include "decompose/start_point.hpp"

namespace vessiot::decompose {

struct Choice {
    std::optional<std::size_t> first{}; // from 0; nothing: the start point does not tell
    std::optional<std::size_t> then{};  // where the run changes to, at a meeting
};

// Throws InvalidInput where there is no such component, or where two that never meet are asked for.
Choice choose(const std::string& wanted, const Answer& answer, const PolynomialSystem& polynomials,
              const StartPlace& start);

} // namespace vessiot::decompose
