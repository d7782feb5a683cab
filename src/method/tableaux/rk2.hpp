// Two-stage methods of order 2, each with the Euler step as its embedded method.
#pragma once

#include "method/tableau.hpp"

namespace vessiot::method {

// The explicit midpoint rule. [Run95]
inline constexpr Tableau<2> rk2{.name = "rk2",
                                .cite = "Run95",
                                .order = 2,
                                .embedded_order = 1,
                                .a = {{{0, 0}, {1_q / 2, 0}}},
                                .b = {0, 1},
                                .b_hat = {1, 0},
                                .c = {0, 1_q / 2}};
static_assert(is_consistent(rk2) && is_explicit(rk2));

// The explicit trapezoidal rule, also called improved Euler method. [Heu00]
inline constexpr Tableau<2> heun{.name = "heun",
                                 .cite = "Heu00",
                                 .order = 2,
                                 .embedded_order = 1,
                                 .a = {{{0, 0}, {1, 0}}},
                                 .b = {1_q / 2, 1_q / 2},
                                 .b_hat = {1, 0},
                                 .c = {0, 1}};
static_assert(is_consistent(heun) && is_explicit(heun));

} // namespace vessiot::method
