#include "model/decimal.hpp"

#include <cmath>

#include <fmt/format.h>

namespace vessiot {

Quad decimal_value(double value) {
    constexpr double largest_exact = 9007199254740992; // 2^53: integers up to here
    if (std::abs(value) <= largest_exact && value == std::floor(value)) return static_cast<Quad>(value);
    const Quad magnitude = to_quad(fmt::format("{}", std::abs(value)));
    return value < 0 ? -magnitude : magnitude;
}

} // namespace vessiot
