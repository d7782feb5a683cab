// Fehlberg 4(5): the step is taken by the method of order 4, as Fehlberg designed it; the one of order 5 serves the
// error estimate. [Feh69]
#pragma once

#include "method/tableau.hpp"

namespace vessiot::method {

inline constexpr Tableau<6> rkf45{.name = "rkf45",
                                  .cite = "Feh69",
                                  .order = 4,
                                  .embedded_order = 5,
                                  .a = {{{0},
                                         {1_q / 4},
                                         {3_q / 32, 9_q / 32},
                                         {1932_q / 2197, -7200_q / 2197, 7296_q / 2197},
                                         {439_q / 216, -8, 3680_q / 513, -845_q / 4104},
                                         {-8_q / 27, 2, -3544_q / 2565, 1859_q / 4104, -11_q / 40}}},
                                  .b = {25_q / 216, 0, 1408_q / 2565, 2197_q / 4104, -1_q / 5, 0},
                                  .b_hat = {16_q / 135, 0, 6656_q / 12825, 28561_q / 56430, -9_q / 50, 2_q / 55},
                                  .c = {0, 1_q / 4, 3_q / 8, 12_q / 13, 1, 1_q / 2}};
static_assert(is_consistent(rkf45) && is_explicit(rkf45));

} // namespace vessiot::method
