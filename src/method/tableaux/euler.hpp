// The explicit Euler method, order 1: x + h V(x). [HNW93, I.7]
#pragma once

#include "method/tableau.hpp"

namespace vessiot::method {

inline constexpr Tableau<1> euler{.name = "euler", .cite = "HNW93", .order = 1, .a = {{{0}}}, .b = {1}, .c = {0}};
static_assert(is_consistent(euler) && is_explicit(euler));

} // namespace vessiot::method
