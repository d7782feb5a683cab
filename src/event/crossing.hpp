// Sign changes of a function along one step, located to round-off.
#pragma once

#include <cmath>
#include <vector>

#include "linalg/scalar.hpp"
#include "system/system.hpp"

namespace vessiot {

// A crossing of event `event` at theta = 0 .. 1 of the step.
template <class S> struct EventCrossing {
    std::size_t event = 0;
    S theta = 0;
};

// Does going from a to b cross zero in this direction? A function that starts at zero leaves it, one that ends there
// arrives: a zero at a common end of two steps is met once.
template <class S> bool crosses(S a, S b, EventDirection direction) {
    const bool rises = a < S(0) && b >= S(0), falls = a > S(0) && b <= S(0);
    return (rises && direction != EventDirection::falling) || (falls && direction != EventDirection::rising);
}

// The zero of g between lo and hi, where its signs differ, g(lo) = at_lo: bisection with secants (the Illinois rule),
// until the bracket is of the size of round-off. A value that is not finite counts as that of lo.
template <class S, class G> S locate(const G& g, S lo, S at_lo, S hi, S at_hi) {
    const S tolerance = S(4) * linalg::epsilon<S>();
    int side = 0;
    for (int k = 0; k < 200 && hi - lo > tolerance * (S(1) + linalg::absolute(hi)); ++k) {
        S mid = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
        if (!(mid > lo && mid < hi) || k % 8 == 7) mid = (lo + hi) / S(2);
        const S at_mid = g(mid);
        if (at_mid == S(0)) return mid;
        if ((at_mid < S(0)) == (at_hi < S(0)) && at_mid == at_mid && at_hi != S(0)) {
            hi = mid;
            at_hi = at_mid;
            if (side == -1) at_lo /= S(2);
            side = -1;
        } else if (at_hi == S(0) && (at_mid < S(0)) != (at_lo < S(0))) {
            hi = mid;
            at_hi = at_mid;
            side = -1;
        } else {
            lo = mid;
            at_lo = at_mid;
            if (side == 1) at_hi /= S(2);
            side = 1;
        }
    }
    return hi;
}

} // namespace vessiot
