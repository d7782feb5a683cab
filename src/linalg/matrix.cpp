#include "linalg/matrix.hpp"

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

template <class S> void sine_cosine(S x, S& s, S& c) {
    if constexpr (std::is_same_v<S, float128>) {
        sincosq(x, &s, &c);
    } else {
        s = std::sin(x);
        c = std::cos(x);
    }
}

} // namespace

template <class S> S row_norm(std::int64_t n, const S* a) {
    S largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        S sum = 0;
        for (std::int64_t j = 0; j < n; ++j) sum += absolute(a[i * n + j]);
        if (!(sum <= largest)) largest = sum; // NaN stays
    }
    return largest;
}

template <class S> S invert(std::int64_t n, S* a, S* inverse) {
    if (inverse)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) inverse[i * n + j] = S(i == j);
    S determinant = 1;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t pivot = k;
        for (std::int64_t i = k + 1; i < n; ++i)
            if (absolute(a[i * n + k]) > absolute(a[pivot * n + k])) pivot = i;
        if (!(absolute(a[pivot * n + k]) > S(0))) return 0;
        if (pivot != k) {
            for (std::int64_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
            if (inverse)
                for (std::int64_t j = 0; j < n; ++j) std::swap(inverse[k * n + j], inverse[pivot * n + j]);
            determinant = -determinant;
        }
        const S diagonal = a[k * n + k];
        determinant *= diagonal;
        for (std::int64_t i = 0; i < n; ++i) {
            if (i == k || (i < k && !inverse)) continue;
            const S factor = a[i * n + k] / diagonal;
            if (factor == S(0)) continue;
            for (std::int64_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            if (inverse)
                for (std::int64_t j = 0; j < n; ++j) inverse[i * n + j] -= factor * inverse[k * n + j];
        }
        if (!inverse) continue;
        for (std::int64_t j = k; j < n; ++j) a[k * n + j] /= diagonal;
        for (std::int64_t j = 0; j < n; ++j) inverse[k * n + j] /= diagonal;
    }
    return determinant;
}

template <class S> void rodrigues(const S* a, S* result) {
    const S x = a[7], y = a[2], z = a[3];
    const S square = x * x + y * y + z * z;
    S p = 0, q = 0; // sin(theta)/theta, (1 - cos(theta))/theta^2
    if (square < S(1e-4)) {
        // series in theta^2, to round-off
        S term_p = 1, term_q = S(1) / S(2);
        for (int k = 1; k < 12; ++k) {
            p += term_p;
            q += term_q;
            term_p *= -square / S((2 * k) * (2 * k + 1));
            term_q *= -square / S((2 * k + 1) * (2 * k + 2));
            if (absolute(term_p) < epsilon<S>() / S(16)) break;
        }
        p += term_p;
        q += term_q;
    } else {
        const S theta = square_root(square);
        S s = 0, c = 0;
        sine_cosine(theta / S(2), s, c);
        p = S(2) * s * c / theta;
        q = S(2) * s * s / square; // 1 - cos(theta) = 2 sin(theta/2)^2
    }
    // A^2 = a a^T - theta^2
    result[0] = S(1) - q * (y * y + z * z);
    result[1] = q * x * y - p * z;
    result[2] = q * x * z + p * y;
    result[3] = q * x * y + p * z;
    result[4] = S(1) - q * (x * x + z * z);
    result[5] = q * y * z - p * x;
    result[6] = q * x * z - p * y;
    result[7] = q * y * z + p * x;
    result[8] = S(1) - q * (x * x + y * y);
}

template <class S> void Exponential<S>::operator()(const S* a, bool is_skew, S* result) {
    if (is_skew && n_ == 3) return rodrigues(a, result);
    const std::int64_t size = n_ * n_;
    const S norm = row_norm(n_, a);
    int squarings = 0;
    S scale = 1;
    for (S left = norm; left > S(1) / S(2) && squarings < 1000; left /= S(2), ++squarings) scale /= S(2);
    for (std::int64_t e = 0; e < size; ++e) {
        scaled_[at(e)] = term_[at(e)] = scale * a[e];
        result[e] = scaled_[at(e)];
    }
    for (std::int64_t i = 0; i < n_; ++i) result[i * n_ + i] += S(1);
    for (int k = 2; k < 40; ++k) {
        multiply(n_, n_, n_, term_.data(), scaled_.data(), next_.data());
        for (std::int64_t e = 0; e < size; ++e) {
            term_[at(e)] = next_[at(e)] / S(k);
            result[e] += term_[at(e)];
        }
        if (!(row_norm(n_, term_.data()) > epsilon<S>() / S(16))) break;
    }
    for (int k = 0; k < squarings; ++k) {
        multiply(n_, n_, n_, result, result, next_.data());
        std::copy(next_.begin(), next_.end(), result);
    }
}

template double row_norm(std::int64_t, const double*);
template float128 row_norm(std::int64_t, const float128*);
template double invert(std::int64_t, double*, double*);
template float128 invert(std::int64_t, float128*, float128*);
template void rodrigues(const double*, double*);
template void rodrigues(const float128*, float128*);
template class Exponential<double>;
template class Exponential<float128>;

} // namespace vessiot::linalg
