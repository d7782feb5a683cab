// What the iterative solvers of this folder share: a matrix is a callable product(x, y) that writes y = A x, the
// solution is sought until |b - A x| <= tolerance |b| in the norm of Euclid.
#pragma once

#include <cstdint>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

template <class S> struct KrylovReport {
    bool has_converged = false;
    int iterations = 0; // products with the matrix
    S residual = 0;     // |b - A x| / |b|, as the recurrence has it
};

// sum_i a_i b_i, in four interleaved partial sums.
template <class S> S dot(std::int64_t n, const S* a, const S* b) {
    S part[4] = {};
    const std::int64_t whole = n / 4 * 4;
    for (std::int64_t i = 0; i < whole; i += 4)
        for (std::int64_t l = 0; l < 4; ++l) part[l] += a[i + l] * b[i + l];
    for (std::int64_t i = whole; i < n; ++i) part[i - whole] += a[i] * b[i];
    return (part[0] + part[2]) + (part[1] + part[3]);
}

template <class S> S norm(std::int64_t n, const S* a) {
    return square_root(dot(n, a, a));
}

// y = y + factor x
template <class S> void add_multiple(std::int64_t n, S factor, const S* x, S* y) {
    for (std::int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

} // namespace vessiot::linalg
