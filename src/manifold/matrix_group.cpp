#include "manifold/matrix_group.hpp"

#include <algorithm>
#include <type_traits>

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
    if (is_orthogonal() || group_ == MatrixGroup::se) {
        const std::int64_t r = is_orthogonal() ? n : n - 1;
        for (std::int64_t i = 0; i < r; ++i)
            for (std::int64_t j = 0; j <= i; ++j) {
                const S part = (a[i * n + j] - a[j * n + i]) / S(2);
                a[i * n + j] = part;
                a[j * n + i] = -part;
            }
        for (std::int64_t j = 0; r < n && j < n; ++j) a[r * n + j] = 0;
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

// W = F_R R^T and its skew part, v = F_p - W p
template <class S> void MatrixGroupNumbers<S>::motion_algebra(const S* f, const S* y, S* a) const {
    const std::int64_t n = rows_, r = n - 1;
    for (std::int64_t i = 0; i < r; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            S here = 0, there = 0;
            for (std::int64_t l = 0; l < r; ++l) {
                here += f[i * n + l] * y[j * n + l];
                there += f[j * n + l] * y[i * n + l];
            }
            a[i * n + j] = (here - there) / S(2);
            a[j * n + i] = -a[i * n + j];
        }
    for (std::int64_t i = 0; i < r; ++i) {
        S v = f[i * n + r];
        for (std::int64_t l = 0; l < r; ++l) v -= a[i * n + l] * y[l * n + r];
        a[i * n + r] = v;
    }
    std::fill_n(a + r * n, n, S(0));
}

template <class S> bool MatrixGroupNumbers<S>::algebra(const S* f, const S* y, S* a) {
    const std::int64_t n = rows_, k = columns_;
    if (group_ == MatrixGroup::se) {
        motion_algebra(f, y, a);
        return linalg::all_finite(a, n * n);
    }
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

namespace {

// Of the leading n x k part of a matrix with rows of `stride`: E = Y^T Y - 1 (k x k), its largest entry.
template <class S, class Size> inline S orthogonality_of(Size n, Size k, std::int64_t stride, const S* y, S* e) {
    S largest = 0;
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            S sum = S(i == j) * S(-1);
            for (std::int64_t l = 0; l < n; ++l) sum += y[l * stride + i] * y[l * stride + j];
            e[i * k + j] = e[j * k + i] = sum;
            if (!(absolute(sum) <= largest)) largest = absolute(sum); // NaN stays
        }
    return largest;
}

// Y <- Y (1 - E/2)
template <class S, class Size>
inline void multiply_by_correction(Size n, Size k, std::int64_t stride, const S* e, S* work, S* y) {
    for (std::int64_t i = 0; i < n; ++i) {
        S* row = y + i * stride;
        for (std::int64_t j = 0; j < k; ++j) {
            S sum = 0;
            for (std::int64_t l = 0; l < k; ++l) sum += row[l] * e[l * k + j];
            work[j] = row[j] - sum / S(2);
        }
        for (std::int64_t j = 0; j < k; ++j) row[j] = work[j];
    }
}

} // namespace

template <class S>
S MatrixGroupNumbers<S>::orthogonality(std::int64_t n, std::int64_t k, std::int64_t stride, const S* y) {
    return orthogonality_of(n, k, stride, y, inverse_.data());
}

template <class S> S MatrixGroupNumbers<S>::to_polar_factor(std::int64_t n, std::int64_t k, std::int64_t stride, S* y) {
    if (n == 3 && k == 3) { // with a size known to the compiler
        constexpr std::integral_constant<std::int64_t, 3> three;
        S e[9], work[3];
        const S defect = orthogonality_of(three, three, stride, y, e);
        multiply_by_correction(three, three, stride, e, work, y);
        return defect;
    }
    const S defect = orthogonality_of(n, k, stride, y, inverse_.data());
    multiply_by_correction(n, k, stride, inverse_.data(), product_.data(), y);
    return defect;
}

template <class S> S MatrixGroupNumbers<S>::symplecticity(const S* y) {
    const std::int64_t n = rows_;
    symplectic_inverse(y, inverse_.data());
    multiply(n, n, n, inverse_.data(), y, work_.data());
    S largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        work_[at(i * n + i)] -= S(1);
        for (std::int64_t j = 0; j < n; ++j) {
            const S size = absolute(work_[at(i * n + j)]);
            if (!(size <= largest)) largest = size;
        }
    }
    return largest;
}

template <class S> S MatrixGroupNumbers<S>::last_row_defect(const S* y) const {
    const std::int64_t n = rows_;
    S largest = 0;
    for (std::int64_t j = 0; j < n; ++j) largest = std::max(largest, absolute(y[(n - 1) * n + j] - S(j == n - 1)));
    return largest;
}

template <class S> S MatrixGroupNumbers<S>::correct(S* y, bool goes_on) {
    const std::int64_t n = rows_, k = columns_;
    switch (group_) {
    case MatrixGroup::o:
    case MatrixGroup::so:
    case MatrixGroup::stiefel: return to_polar_factor(n, k, k, y);
    case MatrixGroup::se: {
        const S last = last_row_defect(y), defect = std::max(to_polar_factor(n - 1, n - 1, n, y), last);
        std::fill_n(y + (n - 1) * n, n - 1, S(0));
        y[n * n - 1] = 1;
        return defect;
    }
    case MatrixGroup::sl: {
        std::copy_n(y, n * n, work_.data());
        const S determinant = linalg::invert(n, work_.data(), inverse_.data());
        if (determinant == S(0)) return 1;
        for (std::int64_t i = 0; i < n && !goes_on; ++i)
            for (std::int64_t j = 0; j < n; ++j) product_[at(i * n + j)] = inverse_[at(j * n + i)];
        S rate = 0; // of log det along W: trace(Y^-1 W)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) rate += inverse_[at(i * n + j)] * product_[at(j * n + i)];
        const S mu = (S(1) / determinant - S(1)) / rate;
        for (std::int64_t e = 0; e < n * n; ++e) y[e] += mu * product_[at(e)];
        return absolute(determinant - S(1));
    }
    case MatrixGroup::sp: {
        // Y (1 + J E/2) = Y (1 - (Y' Y - 1)/2) with Y' = -J Y^T J: the same formula as for orthogonal ones
        const S defect = symplecticity(y);
        multiply(n, n, n, y, work_.data(), product_.data());
        for (std::int64_t e = 0; e < n * n; ++e) y[e] -= product_[at(e)] / S(2);
        return defect;
    }
    case MatrixGroup::none:
    case MatrixGroup::gl: break;
    }
    return 0;
}

template <class S> S MatrixGroupNumbers<S>::defect(const S* y) {
    const std::int64_t n = rows_, k = columns_;
    switch (group_) {
    case MatrixGroup::o:
    case MatrixGroup::so:
    case MatrixGroup::stiefel: return orthogonality(n, k, k, y);
    case MatrixGroup::se: return std::max(orthogonality(n - 1, n - 1, n, y), last_row_defect(y));
    case MatrixGroup::sl:
        std::copy_n(y, n * n, work_.data());
        return absolute(linalg::invert<S>(n, work_.data(), nullptr) - S(1));
    case MatrixGroup::sp: return symplecticity(y);
    case MatrixGroup::none:
    case MatrixGroup::gl: break;
    }
    return 0;
}

template class MatrixGroupNumbers<double>;
template class MatrixGroupNumbers<Quad>;

} // namespace vessiot
