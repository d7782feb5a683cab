// sin and cos of numbers and of vectors of numbers, by the same operations for every width: none is fused, so the bits
// are the same on all of them. Error below 0.8 ulp.
//
//   n = round(2 x / pi),   x - n pi/2 = y + y_1,   |y| <= pi/4, y_1 below half an ulp of y
//   sin(y + y_1), cos(y + y_1) by polynomials; n says which of them is which, and the signs
//
// pi/2 has four parts; products of n with the first three, of 33 bits, are exact for |n| < 2^20. Polynomials: minimax
// on
// [-pi/4, pi/4] [fdlibm 5.3].
//
// NOTE: compiled several times, with flags for machines that not every user has: what is not in an unnamed namespace,
// or made from a template of the standard library, could end up in the program for all.
#pragma once

#include <cstdint>

namespace vessiot::expr::trig {

constexpr double limit = 0x1p20; // of |x|

namespace {

// V: double, or a vector of numbers; I: integers of the same size.
template <class V, class I> inline __attribute__((always_inline)) void sine_and_cosine(const V& x, V& sine, V& cosine) {
    constexpr double magic = 0x1.8p52; // added to a number, its integer part is in the last bits
    constexpr double half_pi_1 = 1.57079632673412561417e+00, half_pi_2 = 6.07710050630396597660e-11,
                     half_pi_3 = 2.02226624871116645580e-21, half_pi_4 = 8.47842766036889956997e-32;
    const V shifted = x * 6.36619772367581382433e-01 + magic, n = shifted - magic;
    I quadrant;
    __builtin_memcpy(&quadrant, &shifted, sizeof quadrant);
    // x - n pi/2: the first difference is exact, the next two have their errors
    const V r = x - n * half_pi_1, p_2 = n * half_pi_2, p_3 = n * half_pi_3;
    const V s = r - p_2, b = s - r, error_1 = (r - (s - b)) - (p_2 + b);
    const V u = s - p_3, c = u - s, error_2 = (s - (u - c)) - (p_3 + c);
    const V rest = n * half_pi_4 - (error_1 + error_2);
    const V y = u - rest, y_1 = (u - y) - rest;

    const V z = y * y, zz = z * z, cube = z * y;
    const V p = (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)) +
                z * zz * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
    const V sin_y = y - ((z * (0.5 * y_1 - cube * p) - y_1) - cube * -1.66666666666666324348e-01);
    const V q =
        z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
        zz * zz * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
    const V half = 0.5 * z, one = 1.0 - half;
    const V cos_y = one + (((1.0 - one) - half) + (z * q - y * y_1));

    I sin_bits, cos_bits;
    __builtin_memcpy(&sin_bits, &sin_y, sizeof sin_bits);
    __builtin_memcpy(&cos_bits, &cos_y, sizeof cos_bits);
    const I is_odd = -(quadrant & 1);
    const I first = ((sin_bits & ~is_odd) | (cos_bits & is_odd)) ^ ((quadrant & 2) << 62);
    const I second = ((cos_bits & ~is_odd) | (sin_bits & is_odd)) ^ (((quadrant + 1) & 2) << 62);
    __builtin_memcpy(&sine, &first, sizeof sine);
    __builtin_memcpy(&cosine, &second, sizeof cosine);
}

} // namespace

} // namespace vessiot::expr::trig
