// Sizes g_1 .. g_s of the parts of symmetric compositions, g_k = g_(s+1-k). Only the first half and the middle are
// written.
//
// Order 4: the triple jump, g_1 = 1/(2 - 2^(1/3)). [FR90; Yos90] Order 6: Yoshida's solution A. [Yos90] Order 8 with 15
// parts. [SU93; HLW06, V.3] Those of order 6 and 8 satisfy their order conditions with 37 digits; a test has them.
#pragma once

#include <array>

#include "method/geometric/palindrome.hpp"
#include "method/number.hpp"

namespace vessiot::method {

inline constexpr std::array verlet_half{Quad(1)};

inline constexpr std::array triple_jump_half{1.351207191959657634047687808971460827_q,
                                             -1.702414383919315268095375617942921654_q};

inline constexpr std::array yoshida6_half{
    0.7845136104775572638194976338663498758_q, 0.2355732133593581336847931829785346017_q,
    -1.177679984178871006946415680964315735_q, 1.315186320683911218884249728238862514_q};

inline constexpr std::array yoshida8_half{
    0.7416703643506129534482278017838063156_q, -0.4091008258000315939973000958935634173_q,
    0.1907547102962383799538762564503716627_q, -0.5738624711160822666563877266355357422_q,
    0.2990641813036559238444635406886029882_q, 0.3346249182452981837849579798821822886_q,
    0.3152930923967665966320566638110024310_q, -0.7968879393529163540197888401737330534_q};

inline constexpr auto verlet_parts = mirrored(verlet_half);
inline constexpr auto triple_jump_parts = mirrored(triple_jump_half);
inline constexpr auto yoshida6_parts = mirrored(yoshida6_half);
inline constexpr auto yoshida8_parts = mirrored(yoshida8_half);

} // namespace vessiot::method
