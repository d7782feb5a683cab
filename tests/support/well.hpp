// A ball in a well of two slopes.
#pragma once

#include <cmath>

namespace vessiot::test {

// x'' = -sign(x): parabolas; a quarter of the period is sqrt(2).
inline double well(double t) {
    const double quarter = std::sqrt(2.0);
    t = std::fmod(t, 4 * quarter);
    const double side = t < quarter || t > 3 * quarter ? 1 : -1;
    const double s = t < quarter ? t : t > 3 * quarter ? t - 4 * quarter : t - 2 * quarter;
    return side * (1 - s * s / 2);
}

} // namespace vessiot::test
