#include "linalg/matrix.hpp"

#include <algorithm>
#include <utility>

#include "linalg/dense/rotation.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::linalg {

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
template Quad row_norm(std::int64_t, const Quad*);
template double invert(std::int64_t, double*, double*);
template Quad invert(std::int64_t, Quad*, Quad*);
template void rigid_motion(const double*, double*);
template void rigid_motion(const Quad*, Quad*);
template class Cayley<double>;
template class Cayley<Quad>;
template class Exponential<double>;
template class Exponential<Quad>;

} // namespace vessiot::linalg
