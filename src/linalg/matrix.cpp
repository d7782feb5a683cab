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

namespace {

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
template <class S> inline AngleFunctions<S> angle_functions(S square) {
    constexpr bool is_double = std::is_same_v<S, double>;
    if constexpr (is_double)
        if (square < 1.0 / 64) return {short_series<1>(square), short_series<2>(square), short_series<3>(square)};
    if (square < S(1) / S(4)) return series<is_double ? 7 : 14>(square);
    const S theta = square_root(square);
    S s = 0, c = 0;
    sine_cosine(theta / S(2), s, c);
    const S p = S(2) * s * c / theta;
    return {p, S(2) * s * s / square, (S(1) - p) / square}; // 1 - cos(theta) = 2 sin(theta/2)^2
}

// 1 + p W + q W^2 for the skew matrix of (x, y, z), W^2 = w w^T - theta^2, with rows of `stride`
template <class S> void rotation(S x, S y, S z, S p, S q, std::int64_t stride, S* result) {
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

} // namespace

template <class S> void rodrigues(const S* w, S* result) {
    const S x = w[0], y = w[1], z = w[2];
    const AngleFunctions<S> f = angle_functions(x * x + y * y + z * z);
    rotation(x, y, z, f.p, f.q, 3, result);
}

template <class S> void cayley_rotation(const S* w, S* result) {
    const S x = w[0], y = w[1], z = w[2];
    const S p = S(1) / (S(1) + (x * x + y * y + z * z) / S(4));
    rotation(x, y, z, p, p / S(2), 3, result);
}

template <class S> void rigid_motion(const S* a, S* result) {
    const S x = a[9], y = a[2], z = a[4];
    const AngleFunctions<S> f = angle_functions(x * x + y * y + z * z);
    S V[9];
    rotation(x, y, z, f.q, f.r, 3, V);
    rotation(x, y, z, f.p, f.q, 4, result);
    for (int i = 0; i < 3; ++i) {
        result[4 * i + 3] = V[3 * i] * a[3] + V[3 * i + 1] * a[7] + V[3 * i + 2] * a[11];
        result[12 + i] = 0;
    }
    result[15] = 1;
}

template <class S> bool Cayley<S>::operator()(const S* a, Algebra kind, S* result) {
    if (kind == Algebra::skew && n_ == 3) {
        const S w[3] = {a[7], a[2], a[3]};
        cayley_rotation(w, result);
        return all_finite(w, 3);
    }
    for (std::int64_t e = 0; e < n_ * n_; ++e) work_[at(e)] = -a[e] / S(2);
    for (std::int64_t i = 0; i < n_; ++i) work_[at(i * n_ + i)] += S(1);
    if (invert(n_, work_.data(), result) == S(0)) return false;
    for (std::int64_t e = 0; e < n_ * n_; ++e) result[e] *= S(2);
    for (std::int64_t i = 0; i < n_; ++i) result[i * n_ + i] -= S(1);
    return true;
}

template <class S> void Exponential<S>::operator()(const S* a, Algebra kind, S* result) {
    if (kind == Algebra::skew && n_ == 3) {
        const S w[3] = {a[7], a[2], a[3]};
        return rodrigues(w, result);
    }
    if (kind == Algebra::motion && n_ == 4) return rigid_motion(a, result);
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
template void cayley_rotation(const double*, double*);
template void cayley_rotation(const float128*, float128*);
template void rodrigues(const double*, double*);
template void rodrigues(const float128*, float128*);
template void rigid_motion(const double*, double*);
template void rigid_motion(const float128*, float128*);
template class Cayley<double>;
template class Cayley<float128>;
template class Exponential<double>;
template class Exponential<float128>;

} // namespace vessiot::linalg
