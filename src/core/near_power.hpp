// x^a to eight digits, for sizes of steps: products, sums and bits in a fixed order, so that every machine and every
// tier gets the same number. (pow of the C library picks other code on other processors.)
//
//   x = 2^k m,  1/sqrt(2) <= m < sqrt(2):   log2 x = k + 2/ln 2 (s + s^3/3 + s^5/5 + ..),   s = (m - 1)/(m + 1)
//   x^a = 2^(n + f) = 2^n (1 + f ln 2 + (f ln 2)^2/2 + ..),   n an integer, |f| <= 1/2
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace vessiot {

// log2 x to nine digits. -infinity for 0; NaN for NaN and x < 0.
inline double near_log2(double x) {
    if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    if (x > std::numeric_limits<double>::max()) return x;
    double k = -1023;
    if (x < std::numeric_limits<double>::min()) {
        x *= 0x1p54;
        k -= 54;
    }
    const auto bits = std::bit_cast<std::uint64_t>(x);
    k += static_cast<double>(static_cast<std::int64_t>(bits >> 52));
    double m = std::bit_cast<double>((bits & 0xfffffffffffffU) | 0x3ff0000000000000U);
    const bool is_large = m > 1.4142135623730951;
    m = is_large ? 0.5 * m : m;
    k = is_large ? k + 1 : k;
    const double s = (m - 1) / (m + 1), q = s * s;
    const double series = (2.8853900817779268 + q * 0.96179669392597560) +
                          (q * q) * ((0.57707801635558537 + q * 0.41219858311113240) + (q * q) * 0.32059889797532520);
    return k + s * series;
}

// 2^y to eight digits.
inline double near_exp2(double y) {
    if (!(y < 1023)) return y == y ? std::numeric_limits<double>::infinity() : y;
    if (!(y > -1022)) return 0;
    constexpr double magic = 6755399441055744.0; // 1.5 2^52: adding it rounds to an integer
    const double n = (y + magic) - magic, f = y - n, g = f * f;
    const double p = ((1.0 + f * 0.69314718055994531) + g * (0.24022650695910071 + f * 0.055504108664821580)) +
                     (g * g) * ((0.0096181291076284772 + f * 0.0013333558146428443) +
                                g * (0.00015403530393381609 + f * 0.000015252733804059840));
    return p * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023) << 52);
}

// a != 0
inline double near_power(double x, double a) {
    return near_exp2(a * near_log2(x));
}

// log2 x to 0.09 in a third of the time: the bits of a number, read as an integer, are its logarithm, about. x > 0 and
// finite.
inline double rough_log2(double x) {
    return static_cast<double>(std::bit_cast<std::int64_t>(x) - 0x3ff0000000000000) * 0x1p-52;
}

// For sizes that everything waits for: logarithms and powers by one operation on bits each
// (expr/kernel/bit_ops.hpp), in units of word_unit.
inline constexpr double word_unit = 0x1p40;

// 2^52 + word_unit (1023 + log2 x), about, of x >= 0: differences of two of them are logarithms of quotients.
inline double as_word(double x) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) >> 12U) | 0x4330000000000000U);
}

// 2^a of y = begin_of_power + word_unit a, |a| < 500: a straight line between 2^(n - 1/2) and 2^(n + 1/2), which
// meets the power at n, to 1.4 % where |a| < 0.2, and is at most 6 % too small.
inline constexpr double begin_of_power = 0x1p52 + 1023.5 * word_unit;
inline double rough_power(double y) {
    return (1 / 1.5) * std::bit_cast<double>(std::bit_cast<std::uint64_t>(y) << 12U);
}

// The same for powers times a factor below 1, which are exact where the product is 1.
inline double begin_of_power_times(double factor) {
    return begin_of_power + word_unit * near_log2(factor);
}

} // namespace vessiot
