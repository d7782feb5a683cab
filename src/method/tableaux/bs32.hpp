// Bogacki-Shampine 3(2), first same as last. [BS89]
//
// Dense output: the cubic Hermite interpolant through both ends of the step, of order 3. Its slopes are the first and
// the last stage: b(theta) = theta^2 (3 - 2 theta) b + theta (1 - theta)^2 e_1 - theta^2 (1 - theta) e_4.
#pragma once

#include "method/tableau.hpp"

namespace vessiot::method {

inline constexpr Tableau<4, 0, 3> bs32 = with_result_as_stage(
    Tableau<4, 0, 3>{.name = "bs32",
                     .cite = "BS89",
                     .order = 3,
                     .embedded_order = 2,
                     .dense_order = 3,
                     .a = {{{0}, {1_q / 2}, {0, 3_q / 4}}},
                     .b = {2_q / 9, 1_q / 3, 4_q / 9, 0},
                     .b_hat = {7_q / 24, 1_q / 4, 1_q / 3, 1_q / 8},
                     .c = {0, 1_q / 2, 3_q / 4, 1},
                     .dense = {{{1, -4_q / 3, 5_q / 9}, {0, 1, -2_q / 3}, {0, 4_q / 3, -8_q / 9}, {0, -1, 1}}}},
    3);
static_assert(is_consistent(bs32) && is_explicit(bs32) && is_fsal(bs32) && dense_ends_at_step(bs32));

} // namespace vessiot::method
