#include "manifold/matrix_group.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::absolute;
using linalg::at;
using linalg::multiply;

template <class S>
MatrixGroupNumbers<S>::MatrixGroupNumbers(MatrixGroup group, std::int64_t rows, std::int64_t columns)
    : group_(group), rows_(rows), columns_(columns), work_(at(rows * rows)), inverse_(at(rows * rows)),
      product_(at(rows * rows)) {}

// (Y^-1)_ij = sigma Y_j'i', i' the other half: -J Y^T J = [D^T -B^T; -C^T A^T] for Y = [A B; C D]
template <class S> void MatrixGroupNumbers<S>::symplectic_inverse(const S* y, S* inverse) const {
    const std::int64_t n = rows_, half = n / 2;
    for (std::int64_t i = 0; i < half; ++i)
        for (std::int64_t j = 0; j < half; ++j) {
            inverse[i * n + j] = y[(half + j) * n + half + i];
            inverse[i * n + half + j] = -y[j * n + half + i];
            inverse[(half + i) * n + j] = -y[(half + j) * n + i];
            inverse[(half + i) * n + half + j] = y[j * n + i];
        }
}

template <class S> void MatrixGroupNumbers<S>::to_algebra(S* a) {
    const std::int64_t n = rows_, half = n / 2;
    if (is_orthogonal()) {
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j <= i; ++j) {
                const S part = (a[i * n + j] - a[j * n + i]) / S(2);
                a[i * n + j] = part;
                a[j * n + i] = -part;
            }
    } else if (group_ == MatrixGroup::sl) {
        S trace = 0;
        for (std::int64_t i = 0; i < n; ++i) trace += a[i * n + i];
        for (std::int64_t i = 0; i < n; ++i) a[i * n + i] -= trace / S(n);
    } else if (group_ == MatrixGroup::sp) {
        // [P Q; R -P^T] with Q and R symmetric
        for (std::int64_t i = 0; i < half; ++i)
            for (std::int64_t j = 0; j < half; ++j) {
                const S p = (a[i * n + j] - a[(half + j) * n + half + i]) / S(2);
                a[i * n + j] = p;
                a[(half + j) * n + half + i] = -p;
                if (j > i) continue;
                const S q = (a[i * n + half + j] + a[j * n + half + i]) / S(2);
                a[i * n + half + j] = a[j * n + half + i] = q;
                const S r = (a[(half + i) * n + j] + a[(half + j) * n + i]) / S(2);
                a[(half + i) * n + j] = a[(half + j) * n + i] = r;
            }
    }
}

template <class S> bool MatrixGroupNumbers<S>::algebra(const S* f, const S* y, S* a) {
    const std::int64_t n = rows_, k = columns_;
    if (is_orthogonal()) {
        // F Y^T
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                S sum = 0;
                for (std::int64_t l = 0; l < k; ++l) sum += f[i * k + l] * y[j * k + l];
                a[i * n + j] = sum;
            }
        if (k < n) {
            // A = F Y^T - Y F^T + Y (F^T Y) Y^T
            for (std::int64_t i = 0; i < k; ++i)
                for (std::int64_t j = 0; j < k; ++j) {
                    S sum = 0;
                    for (std::int64_t l = 0; l < n; ++l) sum += f[l * k + i] * y[l * k + j];
                    inverse_[at(i * k + j)] = sum;
                }
            multiply(n, k, k, y, inverse_.data(), product_.data());
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    S sum = a[i * n + j];
                    for (std::int64_t l = 0; l < k; ++l)
                        sum += product_[at(i * k + l)] * y[j * k + l] - y[i * k + l] * f[j * k + l];
                    work_[at(i * n + j)] = sum;
                }
            std::copy(work_.begin(), work_.end(), a);
        }
    } else {
        if (group_ == MatrixGroup::sp) {
            symplectic_inverse(y, inverse_.data());
        } else {
            std::copy_n(y, n * n, work_.data());
            if (linalg::invert(n, work_.data(), inverse_.data()) == S(0)) return false;
        }
        multiply(n, n, n, f, inverse_.data(), a);
    }
    to_algebra(a);
    return linalg::all_finite(a, n * n);
}

template <class S> void MatrixGroupNumbers<S>::correct(S* y) {
    const std::int64_t n = rows_, k = columns_;
    if (is_orthogonal()) {
        // X = (3 - Y^T Y)/2, k x k
        for (std::int64_t i = 0; i < k; ++i)
            for (std::int64_t j = 0; j <= i; ++j) {
                S sum = 0;
                for (std::int64_t l = 0; l < n; ++l) sum += y[l * k + i] * y[l * k + j];
                inverse_[at(i * k + j)] = inverse_[at(j * k + i)] = (S(i == j) * S(3) - sum) / S(2);
            }
        multiply(n, k, k, y, inverse_.data(), product_.data());
        std::copy_n(product_.data(), n * k, y);
    } else if (group_ == MatrixGroup::sl) {
        std::copy_n(y, n * n, work_.data());
        const S determinant = linalg::invert(n, work_.data(), inverse_.data());
        if (determinant == S(0)) return;
        S trace = 0; // of (Y^T Y)^-1: the squares of Y^-1
        for (std::int64_t e = 0; e < n * n; ++e) trace += inverse_[at(e)] * inverse_[at(e)];
        const S mu = (S(1) / determinant - S(1)) / trace;
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) y[i * n + j] += mu * inverse_[at(j * n + i)];
    } else if (group_ == MatrixGroup::sp) {
        // Y (1 + J E/2) = Y (3 - Y^-1' Y)/2 with Y^-1' = -J Y^T J: the same formula as for orthogonal ones
        symplectic_inverse(y, inverse_.data());
        multiply(n, n, n, inverse_.data(), y, work_.data());
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                work_[at(i * n + j)] = (S(i == j) * S(3) - work_[at(i * n + j)]) / S(2);
        multiply(n, n, n, y, work_.data(), product_.data());
        std::copy(product_.begin(), product_.end(), y);
    }
}

template <class S> S MatrixGroupNumbers<S>::defect(const S* y) {
    const std::int64_t n = rows_, k = columns_;
    S largest = 0;
    if (is_orthogonal()) {
        for (std::int64_t i = 0; i < k; ++i)
            for (std::int64_t j = 0; j <= i; ++j) {
                S sum = S(i == j) * S(-1);
                for (std::int64_t l = 0; l < n; ++l) sum += y[l * k + i] * y[l * k + j];
                largest = std::max(largest, absolute(sum));
            }
    } else if (group_ == MatrixGroup::sl) {
        std::copy_n(y, n * n, work_.data());
        largest = absolute(linalg::invert<S>(n, work_.data(), nullptr) - S(1));
    } else if (group_ == MatrixGroup::sp) {
        symplectic_inverse(y, inverse_.data());
        multiply(n, n, n, inverse_.data(), y, work_.data());
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                largest = std::max(largest, absolute(work_[at(i * n + j)] - S(i == j)));
    }
    return largest;
}

template class MatrixGroupNumbers<double>;
template class MatrixGroupNumbers<float128>;

} // namespace vessiot
