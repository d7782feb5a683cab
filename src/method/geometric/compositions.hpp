// Symmetric compositions of a symmetric method of order 2: steps of size g_1 h, g_2 h, .., g_s h, with g_k = g_(s+1-k).
//
// Of each only the first half and the middle are written. Order 4: [Suz90]; 6 and 8: [KL97], all of whose order
// conditions hold with 38 digits (tests/order/compositions_test.cpp). They have smaller error constants than the
// compositions with the fewest parts. [HLW06, V.3.2]
#pragma once

#include <array>

#include "method/geometric/palindrome.hpp"
#include "method/number.hpp"

namespace vessiot::method {

// 1 / (4 - 4^(1/3)), and 1 - 4 of them
inline constexpr std::array suzuki4{0.41449077179437573714235406286076149571_q,
                                    0.41449077179437573714235406286076149571_q,
                                    -0.65796308717750294856941625144304598285_q};

inline constexpr std::array kahan_li6{
    0.3921614440073141392792505574226714038_q, 0.33259913678935943859974863750004964688_q,
    -0.7062461725576393598099648195492564594_q, 0.082213596293550800231490448102056331103_q,
    0.79854399093482996339895035304895815521_q};

inline constexpr std::array kahan_li8{
    0.13020248308889008087881763209670052236_q,  0.56116298177510838456196440770015056727_q,
    -0.38947496264484728640807859823524838884_q, 0.15884190655515560089621074570715248141_q,
    -0.39590389413323757733623153934793893603_q, 0.18453964097831570709183254153337546282_q,
    0.25837438768632204729397910999493947181_q,  0.29501172360931029887096624021822811298_q,
    -0.60550853383003451169892107933471858756_q};

inline constexpr std::array no_composition{Quad(1)};

inline constexpr auto rattle_parts = mirrored(no_composition);
inline constexpr auto rattle4_parts = mirrored(suzuki4);
inline constexpr auto rattle6_parts = mirrored(kahan_li6);
inline constexpr auto rattle8_parts = mirrored(kahan_li8);

} // namespace vessiot::method
