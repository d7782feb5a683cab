// The cubic through two points with the directions there, in powers of theta = 0 .. 1:
//
//     d_0 = x,  d_1 = h k_0,  d_2 = 3 (p - x) - h (2 k_0 + k_1),  d_3 = h (k_0 + k_1) - 2 (p - x)
#pragma once

#include <cstdint>

namespace vessiot::method {

// Of n coordinates; x and p the points, k_0 and k_1 the directions; d_k is at d + k stride.
template <class S>
void cubic_hermite(std::int64_t n, std::int64_t stride, S h, const S* x, const S* k_0, const S* p, const S* k_1, S* d) {
    S *d_1 = d + stride, *d_2 = d_1 + stride, *d_3 = d_2 + stride;
    for (std::int64_t i = 0; i < n; ++i) {
        const S move = p[i] - x[i], v_0 = h * k_0[i], v_1 = h * k_1[i];
        d[i] = x[i];
        d_1[i] = v_0;
        d_2[i] = 3 * move - (2 * v_0 + v_1);
        d_3[i] = (v_0 + v_1) - 2 * move;
    }
}

} // namespace vessiot::method
