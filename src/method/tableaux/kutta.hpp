// The methods of Kutta: constant step, no embedded method.
#pragma once

#include "method/tableau.hpp"

namespace vessiot::method {

// Kutta's method of order 3: on a quadrature it is Simpson's rule. (Not Heun's of order 3, which has c = 0, 1/3, 2/3.)
// [Kut01]
inline constexpr Tableau<3> rk3{.name = "rk3",
                                .cite = "Kut01",
                                .order = 3,
                                .a = {{{0, 0, 0}, {1_q / 2, 0, 0}, {-1, 2, 0}}},
                                .b = {1_q / 6, 2_q / 3, 1_q / 6},
                                .c = {0, 1_q / 2, 1}};
static_assert(is_consistent(rk3) && is_explicit(rk3));

// The classical method of order 4. [Kut01]
inline constexpr Tableau<4> rk4{.name = "rk4",
                                .cite = "Kut01",
                                .order = 4,
                                .a = {{{0, 0, 0, 0}, {1_q / 2, 0, 0, 0}, {0, 1_q / 2, 0, 0}, {0, 0, 1, 0}}},
                                .b = {1_q / 6, 1_q / 3, 1_q / 3, 1_q / 6},
                                .c = {0, 1_q / 2, 1_q / 2, 1}};
static_assert(is_consistent(rk4) && is_explicit(rk4));

} // namespace vessiot::method
