// Rotations of space and their vectors, in the header: a few operations whose numbers stay in registers.
#pragma once

#include <quadmath.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

// c = a x b
template <class S> inline void cross(const S* a, const S* b, S* c) {
    const S x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

// The vector of the skew part of a matrix.
template <class S> inline void skew_vector(const S* m, S* w) {
    w[0] = (m[7] - m[5]) / S(2);
    w[1] = (m[2] - m[6]) / S(2);
    w[2] = (m[3] - m[1]) / S(2);
}

template <class S> inline void sine_cosine(S x, S& s, S& c) {
    if constexpr (std::is_same_v<S, Quad>) {
        sincosq(x, &s, &c);
    } else {
        s = std::sin(x);
        c = std::cos(x);
    }
}

// sin(theta)/theta, (1 - cos(theta))/theta^2, (theta - sin(theta))/theta^3 as functions of theta^2
template <class S> struct AngleFunctions {
    S p, q, r;
};

// Taylor series in x = theta^2: the terms of sin and cos alternate,
//   p = 1 - x/(2 3) (1 - x/(4 5) (..)),  q = (1 - x/(3 4) (1 - x/(5 6) (..)))/2,  r = (1 - x/(4 5) (1 - x/(6 7)
//   (..)))/6
template <int terms, class S> inline AngleFunctions<S> series(S x) {
    S p = 1, q = 1, r = 1;
#pragma GCC unroll 16
    for (int k = terms; k >= 1; --k) {
        p = S(1) - (x * (S(1) / S(2 * k * (2 * k + 1)))) * p;
        q = S(1) - (x * (S(1) / S((2 * k + 1) * (2 * k + 2)))) * q;
        r = S(1) - (x * (S(1) / S((2 * k + 2) * (2 * k + 3)))) * r;
    }
    return {p, q / S(2), r / S(6)};
}

constexpr double inverse_factorial(int n) {
    double result = 1;
    for (int k = 2; k <= n; ++k) result /= k;
    return result;
}

// 1/n! - x/(n + 2)! + .. - x^5/(n + 10)!, even and odd powers side by side
template <int n> inline double short_series(double x) {
    constexpr double c_0 = inverse_factorial(n), c_1 = inverse_factorial(n + 2), c_2 = inverse_factorial(n + 4),
                     c_3 = inverse_factorial(n + 6), c_4 = inverse_factorial(n + 8), c_5 = inverse_factorial(n + 10);
    const double square = x * x;
    return (c_0 - c_1 * x) + square * ((c_2 - c_3 * x) + square * (c_4 - c_5 * x));
}

// As many terms as round-off asks for: the first left out is below x^(terms + 1) / (2 terms + 3)!.
template <class S> [[gnu::noinline]] AngleFunctions<S> functions_of_larger_angles(S square) {
    if (square < S(1) / S(4)) return series<std::is_same_v<S, double> ? 7 : 14>(square);
    const S theta = square_root(square);
    S s = 0, c = 0;
    sine_cosine(theta / S(2), s, c);
    const S p = S(2) * s * c / theta;
    return {p, S(2) * s * s / square, (S(1) - p) / square}; // 1 - cos(theta) = 2 sin(theta/2)^2
}

template <class S> inline AngleFunctions<S> angle_functions(S square) {
    if constexpr (std::is_same_v<S, double>)
        if (square < 1.0 / 64) return {short_series<1>(square), short_series<2>(square), short_series<3>(square)};
    return functions_of_larger_angles(square);
}

// 1 + p W + q W^2 for the skew matrix of (x, y, z), W^2 = w w^T - theta^2, with rows of `stride`
template <class S> inline void rotation(S x, S y, S z, S p, S q, std::int64_t stride, S* result) {
    S *a = result, *b = a + stride, *c = b + stride;
    a[0] = S(1) - q * (y * y + z * z);
    a[1] = q * x * y - p * z;
    a[2] = q * x * z + p * y;
    b[0] = q * x * y + p * z;
    b[1] = S(1) - q * (x * x + z * z);
    b[2] = q * y * z - p * x;
    c[0] = q * x * z - p * y;
    c[1] = q * y * z + p * x;
    c[2] = S(1) - q * (x * x + y * y);
}

// 1 + sin(theta)/theta W + (1 - cos(theta))/theta^2 W^2 for the skew matrix W of w, |w| = theta: W b = w x b.
template <class S> inline void rodrigues(const S* w, S* result) {
    const S x = w[0], y = w[1], z = w[2];
    const AngleFunctions<S> f = angle_functions(x * x + y * y + z * z);
    rotation(x, y, z, f.p, f.q, 3, result);
}

// 1 + (W + W^2/2)/(1 + theta^2/4)
template <class S> inline void cayley_rotation(const S* w, S* result) {
    const S x = w[0], y = w[1], z = w[2];
    const S p = S(1) / (S(1) + (x * x + y * y + z * z) / S(4));
    rotation(x, y, z, p, p / S(2), 3, result);
}

} // namespace vessiot::linalg
