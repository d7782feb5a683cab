// A sign change of a function, located to round-off.
#pragma once

#include "linalg/scalar.hpp"

namespace vessiot {

// The zero of g between lo and hi, where its signs differ, g(lo) = at_lo: secants (the Illinois rule), and halves where
// three of these have not made the bracket four times smaller, until it is of the size of round-off. A value that is
// not finite counts as that of lo.
template <class S, class G> S locate(const G& g, S lo, S at_lo, S hi, S at_hi) {
    const S tolerance = S(4) * linalg::epsilon<S>();
    int side = 0;
    S before = hi - lo; // three steps ago
    bool is_slow = false;
    for (int k = 0; k < 200 && hi - lo > tolerance * (S(1) + linalg::absolute(hi)); ++k) {
        S mid = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
        if (k % 3 == 2) {
            is_slow = hi - lo > before / S(4);
            before = hi - lo;
        }
        if (!(mid > lo && mid < hi) || is_slow) mid = (lo + hi) / S(2);
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
