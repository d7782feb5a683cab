// A second look at steps whose error is estimated by doubling.
//
// On x' = l x a step multiplies an error by R(z), z = h l, two halves by R(z/2)^2. Where both are the same, the
// estimate sees nothing: 1 + z + z^2/2 at z = -8, where an error becomes 25 times as large in every step. Step sizes
// are drawn to such places, since nowhere near them the estimate is as small. That matters where |R| > 1 is possible:
// of explicit methods, and of implicit ones that are not A-stable. Their points get a second estimate, of the points
// and directions at hand: by Simpson's rule
//
//     d = p - x - (v_0 + 4 v_m + v_1)/6,     v = h V at the beginning, the middle and the end,
//
// which is h^5 x^(5)/2880 along a solution, and z/6 times the error where there is one; or, where this is of too low
// an order, the estimate of the method itself. It counts where it is far from the tolerance: errors grow fast there.
#pragma once

#include "method/registry.hpp"

namespace vessiot::method {

enum class SecondLook { none, simpson, own };

SecondLook second_look(const MethodInfo& info);

// The second estimate counts where this part of it exceeds the tolerance, and then with this part.
inline constexpr double second_look_part = 0.1;

} // namespace vessiot::method
