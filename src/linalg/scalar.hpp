// The few functions of a scalar that linear algebra needs, for double and Quad alike.
// NOTE: without GNU extensions the standard library has neither limits nor functions of Quad.
#pragma once

#include <quadmath.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/quad.hpp"
#include "linalg/complex.hpp"

namespace vessiot::linalg {

// Distance from 1 to the next number.
template <class S> constexpr S epsilon() {
    if constexpr (std::is_same_v<S, Quad>)
        return S(0x1p-112);
    else
        return std::numeric_limits<S>::epsilon();
}

// A pivot below this part of what it came from is none.
template <class S> inline constexpr Real<S> rank_tolerance = 100 * epsilon<Real<S>>();

template <class S> constexpr S absolute(S x) {
    if constexpr (std::is_same_v<S, Quad>)
        return x < 0 ? -x : x;
    else
        return std::fabs(x);
}

// A size of a complex number that costs no root: |re| + |im|.
template <class S> constexpr S absolute(Complex<S> x) {
    return absolute(x.re) + absolute(x.im);
}

template <class S> S square_root(S x) {
    if constexpr (std::is_same_v<S, Quad>)
        return sqrtq(x);
    else
        return std::sqrt(x);
}

template <class S> constexpr bool is_finite(S x) {
    return x - x == S(0);
}

bool all_finite_of_many(const double* x, std::int64_t n); // compiled for several vector units (vector.cpp)

template <class S> bool all_finite(const S* x, std::int64_t n) {
    if constexpr (std::is_same_v<S, double>)
        if (n >= 32) return all_finite_of_many(x, n);
    S even = 0, odd = 0; // 0, or not a number: x - x is
    std::int64_t i = 0;
    for (; i + 1 < n; i += 2) {
        even += x[i] - x[i];
        odd += x[i + 1] - x[i + 1];
        asm volatile(""); // NOTE: keeps vector instructions out of a few numbers: getting them together costs more
    }
    if (i < n) even += x[i] - x[i];
    return even + odd == S(0);
}

// a_i -= factor b_i.
template <class S> inline void subtract_multiple(std::int64_t n, S factor, const S* __restrict b, S* __restrict a) {
    if (n >= 8) {
        for (std::int64_t i = 0; i < n; ++i) a[i] -= factor * b[i];
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        a[i] -= factor * b[i];
        // NOTE: keeps vector instructions out of short rows: they would wait for numbers just stored one by one
        asm volatile("");
    }
}

// Subscripts of standard containers.
constexpr std::size_t at(std::int64_t k) {
    return static_cast<std::size_t>(k);
}

} // namespace vessiot::linalg
