// The element Omega of Magnus methods, Y_1 = exp(Omega) Y_0, from A at the nodes of Gauss in ascending order.
// [Hai11, III.4, with (4.6) corrected; BCR00]
#pragma once

#include <cstdint>

#include "core/quad.hpp"
#include "method/lie/lie_coefficients.hpp"

namespace vessiot::method {

// A_i begins at a[i * size], i = 0 .. order/2 - 1, and is overwritten; `work` has 3 * size numbers;
// bracket(x, y, z): z = [x, y].
//
//   2   Omega = h A_1
//   4   Omega = h/2 (A_1 + A_2) + sqrt(3) h^2/12 [A_2, A_1]
//   6   alpha_1 = h A_2,  alpha_2 = sqrt(15) h/3 (A_3 - A_1),  alpha_3 = 10 h/3 (A_3 - 2 A_2 + A_1),
//       C_1 = [alpha_1, alpha_2],  C_2 = -1/60 [alpha_1, 2 alpha_3 + C_1],
//       Omega = alpha_1 + alpha_3/12 + 1/240 [-20 alpha_1 - alpha_3 + C_1, alpha_2 + C_2]
template <class S, class Size, class Bracket>
inline void magnus_element(int order, S h, Size size, S* a, S* work, S* omega, const Bracket& bracket) {
    const std::int64_t n = size;
    if (order == 2) {
        for (std::int64_t e = 0; e < n; ++e) omega[e] = h * a[e];
        return;
    }
    S *first = a, *second = a + n, *third = a + 2 * n;
    if (order == 4) {
        const S half = h / S(2), factor = static_cast<S>(sqrt3) * h * h / S(12);
        bracket(second, first, work);
        for (std::int64_t e = 0; e < n; ++e) omega[e] = half * (first[e] + second[e]) + factor * work[e];
        return;
    }
    const S root = static_cast<S>(sqrt15);
    for (std::int64_t e = 0; e < n; ++e) {
        const S a_1 = first[e], a_2 = second[e], a_3 = third[e];
        first[e] = h * a_2;
        second[e] = root * h / S(3) * (a_3 - a_1);
        third[e] = S(10) * h / S(3) * (a_3 - S(2) * a_2 + a_1);
    }
    S *c_1 = work, *left = work + n, *right = work + 2 * n;
    bracket(first, second, c_1);
    for (std::int64_t e = 0; e < n; ++e) left[e] = S(2) * third[e] + c_1[e];
    bracket(first, left, right);
    for (std::int64_t e = 0; e < n; ++e) {
        left[e] = c_1[e] - S(20) * first[e] - third[e];
        right[e] = second[e] - right[e] / S(60);
    }
    bracket(left, right, c_1);
    for (std::int64_t e = 0; e < n; ++e) omega[e] = first[e] + third[e] / S(12) + c_1[e] / S(240);
}

} // namespace vessiot::method
