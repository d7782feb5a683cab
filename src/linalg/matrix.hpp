// Small dense matrices, by rows: products, commutators, inverse, exponential.
#pragma once

#include <cstdint>
#include <vector>

#include "core/float128.hpp"

namespace vessiot::linalg {

// C = A B, A of rows x inner, B of inner x columns. C is neither A nor B.
template <class S>
void multiply(std::int64_t rows, std::int64_t inner, std::int64_t columns, const S* a, const S* b, S* c) {
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            S sum = 0;
            for (std::int64_t k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
            c[i * columns + j] = sum;
        }
}

// C = [A, B] = A B - B A, all n x n. C is neither A nor B.
template <class S> void commutator(std::int64_t n, const S* a, const S* b, S* c) {
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

// exp(A), n x n. For n = 3 and A skew the formula of Rodrigues; else scaling and squaring of the Taylor series, as many
// terms as round-off asks for.
template <class S> class Exponential {
public:
    explicit Exponential(std::int64_t n) : n_(n), scaled_(n * n), term_(n * n), next_(n * n) {}
    void operator()(const S* a, bool is_skew, S* result);

private:
    std::int64_t n_;
    std::vector<S> scaled_, term_, next_;
};

// 1 + sin(theta)/theta A + (1 - cos(theta))/theta^2 A^2 for the skew matrix of a vector of length theta.
template <class S> void rodrigues(const S* a, S* result);

extern template class Exponential<double>;
extern template class Exponential<float128>;

} // namespace vessiot::linalg
