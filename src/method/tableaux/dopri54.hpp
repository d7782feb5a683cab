// Dormand-Prince 5(4), first same as last. [DP80; HNW93, Table II.5.2]
//
// Dense output of order 4 by Shampine, continuous with its derivative. [Sha86; HNW93, II.6]
#pragma once

#include "method/tableau.hpp"

namespace vessiot::method {

inline constexpr Tableau<7, 0, 4> dopri54 = with_result_as_stage(
    Tableau<7, 0, 4>{
        .name = "dopri54",
        .cite = "DP80",
        .order = 5,
        .embedded_order = 4,
        .dense_order = 4,
        .a = {{{0},
               {1_q / 5},
               {3_q / 40, 9_q / 40},
               {44_q / 45, -56_q / 15, 32_q / 9},
               {19372_q / 6561, -25360_q / 2187, 64448_q / 6561, -212_q / 729},
               {9017_q / 3168, -355_q / 33, 46732_q / 5247, 49_q / 176, -5103_q / 18656}}},
        .b = {35_q / 384, 0, 500_q / 1113, 125_q / 192, -2187_q / 6784, 11_q / 84, 0},
        .b_hat = {5179_q / 57600, 0, 7571_q / 16695, 393_q / 640, -92097_q / 339200, 187_q / 2100, 1_q / 40},
        .c = {0, 1_q / 5, 3_q / 10, 4_q / 5, 8_q / 9, 1, 1},
        .dense = {{{1, -8048581381_q / 2820520608, 8663915743_q / 2820520608, -12715105075_q / 11282082432},
                   {},
                   {0, 131558114200_q / 32700410799, -68118460800_q / 10900136933, 87487479700_q / 32700410799},
                   {0, -1754552775_q / 470086768, 14199869525_q / 1410260304, -10690763975_q / 1880347072},
                   {0, 127303824393_q / 49829197408, -318862633887_q / 49829197408, 701980252875_q / 199316789632},
                   {0, -282668133_q / 205662961, 2019193451_q / 616988883, -1453857185_q / 822651844},
                   {0, 40617522_q / 29380423, -110615467_q / 29380423, 69997945_q / 29380423}}}},
    6);
static_assert(is_consistent(dopri54) && is_explicit(dopri54) && is_fsal(dopri54) && dense_ends_at_step(dopri54));

} // namespace vessiot::method
