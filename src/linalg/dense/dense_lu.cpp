#include "linalg/dense/dense_lu.hpp"

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

// The same as in scalar.hpp, by parts, which become vector code.
template <class S>
inline void subtract_multiple(std::int64_t n, Complex<S> factor, const Complex<S>* __restrict b,
                              Complex<S>* __restrict a) {
    const S re = factor.re, im = factor.im;
    for (std::int64_t i = 0; i < n; ++i) {
        const S b_re = b[i].re, b_im = b[i].im;
        a[i].re -= re * b_re - im * b_im;
        a[i].im -= re * b_im + im * b_re;
    }
}

} // namespace

template <class S>
DenseLu<S>::DenseLu(int n)
    : n_(n), a_(at(n) * at(n)), weight_(at(n)), column_(at(n)), inverse_(at(n)), work_(at(n)), order_(at(n)) {}

template <class S> bool DenseLu<S>::scale() {
    const S* a = a_.data();
    if (n_ <= 8) { // NOTE: along rows in registers while the matrix is small, else along columns
        for (int i = 0; i < n_; ++i) {
            Real<S> largest = 0;
            for (int j = 0; j < n_; ++j) largest = std::max(largest, absolute(a[j * n_ + i]));
            weight_[at(i)] = largest;
        }
    } else {
        std::fill(weight_.begin(), weight_.end(), Real<S>(0));
        for (std::ptrdiff_t j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i) weight_[at(i)] = std::max(weight_[at(i)], absolute(a[j * n_ + i]));
    }
    for (Real<S>& weight : weight_) {
        weight = 1 / weight;
        if (!is_finite(weight) || weight == 0) return false;
    }
    for (int j = 0; j < n_; ++j, a += n_) {
        Real<S> largest = 0;
        for (int i = 0; i < n_; ++i) largest = std::max(largest, absolute(a[i]) * weight_[at(i)]);
        column_[at(j)] = largest;
    }
    return true;
}

template <class S> int DenseLu<S>::find_pivot(int k) const {
    const S* a = a_.data() + std::ptrdiff_t(k) * n_;
    int p = k;
    Real<S> largest = absolute(a[k]) * weight_[at(k)];
    for (int i = k + 1; i < n_; ++i) {
        const Real<S> candidate = absolute(a[i]) * weight_[at(i)];
        if (candidate > largest) {
            largest = candidate;
            p = i;
        }
    }
    return p;
}

template <class S> void DenseLu<S>::swap_rows(int k, int p) {
    S* a = a_.data();
    for (int j = 0; j < n_; ++j, a += n_) std::swap(a[k], a[p]);
    std::swap(weight_[at(k)], weight_[at(p)]);
    std::swap(order_[at(k)], order_[at(p)]);
    sign_ = -sign_;
}

template <class S> bool DenseLu<S>::factor() {
    ratio_ = 0;
    sign_ = 0;
    if (!scale()) return false;
    for (int i = 0; i < n_; ++i) order_[at(i)] = i;
    sign_ = 1;
    const Real<S> tolerance = Real<S>(16 * n_) * epsilon<Real<S>>();
    Real<S> smallest = 1, largest = 0;
    for (int k = 0; k < n_; ++k) {
        if (const int p = find_pivot(k); p != k) swap_rows(k, p);
        S* l = a_.data() + std::ptrdiff_t(k) * n_;
        const Real<S> size = absolute(l[k]) * weight_[at(k)];
        // NOTE: written so that a NaN fails too
        if (!(size > tolerance * column_[at(k)]) || !is_finite(size)) {
            sign_ = 0;
            return false;
        }
        smallest = k == 0 ? size : std::min(smallest, size);
        largest = std::max(largest, size);
        if constexpr (!is_complex<S>)
            if (l[k] < 0) sign_ = -sign_;
        const S inverse = inverse_[at(k)] = S(1) / l[k];
        for (int i = k + 1; i < n_; ++i) l[i] *= inverse;
        S* a = l + n_;
        for (int j = k + 1; j < n_; ++j, a += n_) subtract_multiple(n_ - k - 1, a[k], l + k + 1, a + k + 1);
    }
    ratio_ = n_ > 0 ? smallest / largest : Real<S>(1);
    return true;
}

template <class S> void DenseLu<S>::solve(S* b) const {
    S* x = work_.data();
    for (int i = 0; i < n_; ++i) x[i] = b[order_[at(i)]];
    const S* a = a_.data();
    if constexpr (is_complex<S>) {
        if (n_ <= 16) { // NOTE: along rows, sums in registers: columns would be stored and read again at each pivot
            for (int k = 1; k < n_; ++k) {
                Real<S> re = x[k].re, im = x[k].im;
                for (int i = 0; i < k; ++i) {
                    const S l = a[i * n_ + k], y = x[i];
                    re -= l.re * y.re - l.im * y.im;
                    im -= l.re * y.im + l.im * y.re;
                }
                x[k] = {re, im};
            }
            for (int k = n_ - 1; k >= 0; --k) {
                Real<S> re = x[k].re, im = x[k].im;
                for (int i = n_ - 1; i > k; --i) {
                    const S u = a[i * n_ + k], y = x[i];
                    re -= u.re * y.re - u.im * y.im;
                    im -= u.re * y.im + u.im * y.re;
                }
                x[k] = S(re, im) * inverse_[at(k)];
            }
            std::copy_n(x, n_, b);
            return;
        }
    }
    for (int k = 0; k < n_; ++k, a += n_) subtract_multiple(n_ - k - 1, x[k], a + k + 1, x + k + 1);
    for (int k = n_ - 1; k >= 0; --k) {
        a -= n_;
        x[k] *= inverse_[at(k)];
        subtract_multiple(k, x[k], a, x);
    }
    std::copy_n(x, n_, b);
}

// A^T = U^T L^T P
template <class S> void DenseLu<S>::solve_transposed(S* b) const {
    S* x = work_.data();
    const S* a = a_.data();
    for (int k = 0; k < n_; ++k, a += n_) {
        S sum = b[k];
        for (int i = 0; i < k; ++i) sum -= a[i] * x[i];
        x[k] = sum * inverse_[at(k)];
    }
    for (int k = n_ - 1; k >= 0; --k) {
        a -= n_;
        for (int i = k + 1; i < n_; ++i) x[k] -= a[i] * x[i];
    }
    for (int i = 0; i < n_; ++i) b[order_[at(i)]] = x[i];
}

template class DenseLu<double>;
template class DenseLu<Quad>;
template class DenseLu<Complex<double>>;
template class DenseLu<Complex<Quad>>;

} // namespace vessiot::linalg
