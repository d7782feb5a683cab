// Small dense matrices, by rows: products, commutators, inverse, exponential, Cayley's transform.
#pragma once

#include <cstdint>
#include <vector>

#include "core/quad.hpp"

namespace vessiot::linalg {

namespace fixed {

// The products below for sizes known to the compiler.
template <int N, class S> void multiply(const S* a, const S* b, S* c) {
    for (std::int64_t i = 0; i < N; ++i)
        for (std::int64_t j = 0; j < N; ++j) {
            S sum = a[i * N] * b[j];
            for (std::int64_t k = 1; k < N; ++k) sum += a[i * N + k] * b[k * N + j];
            c[i * N + j] = sum;
        }
}

template <int N, class S> void commutator(const S* a, const S* b, S* c) {
    for (std::int64_t i = 0; i < N; ++i)
        for (std::int64_t j = 0; j < N; ++j) {
            S sum = 0;
            for (std::int64_t k = 0; k < N; ++k) sum += a[i * N + k] * b[k * N + j] - b[i * N + k] * a[k * N + j];
            c[i * N + j] = sum;
        }
}

} // namespace fixed

// C = A B, A of rows x inner, B of inner x columns. C is neither A nor B.
template <class S>
void multiply(std::int64_t rows, std::int64_t inner, std::int64_t columns, const S* a, const S* b, S* c) {
    if (rows == inner && inner == columns && rows <= 4) {
        if (rows == 2) return fixed::multiply<2>(a, b, c);
        if (rows == 3) return fixed::multiply<3>(a, b, c);
        if (rows == 4) return fixed::multiply<4>(a, b, c);
    }
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            S sum = 0;
            for (std::int64_t k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
            c[i * columns + j] = sum;
        }
}

// C = [A, B] = A B - B A, all n x n. C is neither A nor B.
template <class S> void commutator(std::int64_t n, const S* a, const S* b, S* c) {
    if (n == 2) return fixed::commutator<2>(a, b, c);
    if (n == 3) return fixed::commutator<3>(a, b, c);
    if (n == 4) return fixed::commutator<4>(a, b, c);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            S sum = 0;
            for (std::int64_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j] - b[i * n + k] * a[k * n + j];
            c[i * n + j] = sum;
        }
}

// max_i sum_j |a_ij|
template <class S> S row_norm(std::int64_t n, const S* a);

// The determinant and the inverse by elimination with row pivoting; 0 where it is singular. `a` is overwritten.
// `inverse` may be null.
template <class S> S invert(std::int64_t n, S* a, S* inverse);

// What is known of a matrix of an algebra: skew, or [W v; 0 0] with W skew (of rigid motions).
enum class Algebra : std::uint8_t { general, skew, motion };

// exp(A), n x n: closed forms for skew matrices with n = 3 and motions with n = 4; else scaling and squaring of the
// Taylor series, as many terms as round-off asks for.
template <class S> class Exponential {
public:
    explicit Exponential(std::int64_t n) : n_(n), scaled_(n * n), term_(n * n), next_(n * n) {}
    void operator()(const S* a, Algebra kind, S* result);

private:
    std::int64_t n_;
    std::vector<S> scaled_, term_, next_;
};

// exp [W v; 0 0] = [R V v; 0 1], W 3 x 3, R = exp W, V = 1 + (1 - cos(theta))/theta^2 W + (theta - sin(theta))/theta^3
// W^2
template <class S> void rigid_motion(const S* a, S* result);

// cay(A) = (1 - A/2)^-1 (1 + A/2) = 2 (1 - A/2)^-1 - 1; of a skew matrix with n = 3, 1 + (A + A^2/2)/(1 + theta^2/4).
template <class S> class Cayley {
public:
    explicit Cayley(std::int64_t n) : n_(n), work_(n * n) {}
    // False where 1 - A/2 is singular.
    bool operator()(const S* a, Algebra kind, S* result);

private:
    std::int64_t n_;
    std::vector<S> work_;
};

extern template class Cayley<double>;
extern template class Cayley<Quad>;
extern template class Exponential<double>;
extern template class Exponential<Quad>;

} // namespace vessiot::linalg
