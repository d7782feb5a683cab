#include "model/decimal.hpp"

#include <cmath>

#include <fmt/format.h>

namespace vessiot {

float128 decimal_value(double value) {
    constexpr double largest_exact = 9007199254740992; // 2^53: integers up to here
    if (std::abs(value) <= largest_exact && value == std::floor(value)) return static_cast<float128>(value);
    const float128 magnitude = to_float128(fmt::format("{}", std::abs(value)));
    return value < 0 ? -magnitude : magnitude;
}

} // namespace vessiot
