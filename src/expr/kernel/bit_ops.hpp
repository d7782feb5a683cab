// Operations on the bits of numbers, for lists that are made below the algebra of the graph (straight.hpp), which does
// not know them: logarithms and powers of step sizes. Integer operations only, so that every machine has the same bits:
//
//   exponent      of a normal a > 0: e,  2^e <= a < 2^(e + 1)
//   mantissa      a 2^-e, in 1 .. 2
//   power_of_two  2^a of an integer -1022 <= a <= 1023
//   word          of a >= 0: its bits as an integer, over 2^12 and cut, + 2^52; about 2^40 (log2 a + 1023) + 2^52
//   of_word       of 2^52 <= a < 2^53: the number with these bits
#pragma once

#include <bit>
#include <cstdint>

#include "expr/graph/op.hpp"

namespace vessiot::expr {

inline constexpr Op exponent_op = static_cast<Op>(n_all_ops), mantissa_op = static_cast<Op>(n_all_ops + 1),
                    power_of_two_op = static_cast<Op>(n_all_ops + 2), word_op = static_cast<Op>(n_all_ops + 3),
                    of_word_op = static_cast<Op>(n_all_ops + 4);
inline constexpr int n_list_ops = n_all_ops + 5; // that a list may have

constexpr bool is_of_bits(Op op) {
    return static_cast<int>(op) >= n_all_ops && static_cast<int>(op) < n_list_ops;
}

namespace bits {

inline constexpr std::uint64_t of_two_to_52 = 0x4330000000000000U, of_one = 0x3ff0000000000000U,
                               of_fraction = 0x000fffffffffffffU;
inline constexpr double bias = 4503599627371519.0;            // 2^52 + 1023
inline constexpr double round_with_bias = 6755399441056767.0; // 1.5 2^52 + 1023

constexpr double exponent(double a) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) >> 52U) | of_two_to_52) - bias;
}
constexpr double mantissa(double a) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) & of_fraction) | of_one);
}
constexpr double power_of_two(double a) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a + round_with_bias) << 52U);
}
constexpr double word(double a) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) >> 12U) | of_two_to_52);
}
constexpr double of_word(double a) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) << 12U);
}

} // namespace bits

} // namespace vessiot::expr
