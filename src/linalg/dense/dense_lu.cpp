#include "linalg/dense/dense_lu.hpp"

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"
#include "linalg/small.hpp"

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

// NOTE: most matrices of implicit steps are tiny, and worth straight code (small.hpp).
template <class S> template <int N> bool DenseLu<S>::scale() {
    const int n = N > 0 ? N : n_;
    const S* a = a_.data();
    Real<S>* const w = weight_.data();
    if (n <= 8) { // NOTE: along rows in registers while the matrix is small, else along columns
        for (int i = 0; i < n; ++i) {
            Real<S> largest = 0;
            for (int j = 0; j < n; ++j) largest = std::max(largest, absolute(a[j * n + i]));
            w[i] = largest;
        }
    } else {
        std::fill(weight_.begin(), weight_.end(), Real<S>(0));
        for (std::ptrdiff_t j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) w[i] = std::max(w[i], absolute(a[j * n + i]));
    }
    for (int i = 0; i < n; ++i) {
        w[i] = 1 / w[i];
        if (!is_finite(w[i]) || w[i] == 0) return false;
    }
    for (int j = 0; j < n; ++j, a += n) {
        Real<S> largest = 0;
        for (int i = 0; i < n; ++i) largest = std::max(largest, absolute(a[i]) * w[i]);
        column_[at(j)] = largest;
    }
    return true;
}

template <class S> template <int N> void DenseLu<S>::swap_rows(int k, int p) {
    const int n = N > 0 ? N : n_;
    S* a = a_.data();
    for (int j = 0; j < n; ++j, a += n) std::swap(a[k], a[p]);
    std::swap(weight_[at(k)], weight_[at(p)]);
    std::swap(order_[at(k)], order_[at(p)]);
    sign_ = -sign_;
}

template <class S> template <int N> bool DenseLu<S>::factor_by_columns() {
    const int n = N > 0 ? N : n_;
    ratio_ = 0;
    sign_ = 0;
    if (!scale<N>()) return false;
    for (int i = 0; i < n; ++i) order_[at(i)] = i;
    sign_ = 1;
    const Real<S> tolerance = Real<S>(16 * n) * epsilon<Real<S>>();
    Real<S> smallest = 1, greatest = 0;
    for (int k = 0; k < n; ++k) {
        S* l = a_.data() + std::ptrdiff_t(k) * n;
        int p = k;
        Real<S> size = absolute(l[k]) * weight_[at(k)];
        for (int i = k + 1; i < n; ++i)
            if (const Real<S> candidate = absolute(l[i]) * weight_[at(i)]; candidate > size) {
                size = candidate;
                p = i;
            }
        if (p != k) swap_rows<N>(k, p);
        // NOTE: written so that a NaN fails too
        if (!(size > tolerance * column_[at(k)]) || !is_finite(size)) {
            sign_ = 0;
            return false;
        }
        smallest = k == 0 ? size : std::min(smallest, size);
        greatest = std::max(greatest, size);
        if constexpr (!is_complex<S>)
            if (l[k] < 0) sign_ = -sign_;
        const S inverse = inverse_[at(k)] = S(1) / l[k];
        for (int i = k + 1; i < n; ++i) l[i] *= inverse;
        S* a = l + n;
        for (int j = k + 1; j < n; ++j, a += n) subtract_multiple(n - k - 1, a[k], l + k + 1, a + k + 1);
    }
    ratio_ = n > 0 ? smallest / greatest : Real<S>(1);
    return true;
}

template <class S> bool DenseLu<S>::factor() {
    return by_size<S>(n_, [&]<int N>(std::integral_constant<int, N>) { return factor_by_columns<N>(); });
}

template <class S> template <int N> void DenseLu<S>::solve_of_size(S* b) const {
    const int n = N > 0 ? N : n_;
    S* x = work_.data();
    for (int i = 0; i < n; ++i) x[i] = b[order_[at(i)]];
    const S* a = a_.data();
    if constexpr (is_complex<S>) {
        if (n <= 16) { // NOTE: along rows, sums in registers: columns would be stored and read again at each pivot
            for (int k = 1; k < n; ++k) {
                Real<S> re = x[k].re, im = x[k].im;
                for (int i = 0; i < k; ++i) {
                    const S l = a[i * n + k], y = x[i];
                    re -= l.re * y.re - l.im * y.im;
                    im -= l.re * y.im + l.im * y.re;
                }
                x[k] = {re, im};
            }
            for (int k = n - 1; k >= 0; --k) {
                Real<S> re = x[k].re, im = x[k].im;
                for (int i = n - 1; i > k; --i) {
                    const S u = a[i * n + k], y = x[i];
                    re -= u.re * y.re - u.im * y.im;
                    im -= u.re * y.im + u.im * y.re;
                }
                x[k] = S(re, im) * inverse_[at(k)];
            }
            std::copy_n(x, n, b);
            return;
        }
    }
    for (int k = 0; k < n; ++k, a += n) subtract_multiple(n - k - 1, x[k], a + k + 1, x + k + 1);
    for (int k = n - 1; k >= 0; --k) {
        a -= n;
        x[k] *= inverse_[at(k)];
        subtract_multiple(k, x[k], a, x);
    }
    std::copy_n(x, n, b);
}

template <class S> void DenseLu<S>::solve(S* b) const {
    by_size<S>(n_, [&]<int N>(std::integral_constant<int, N>) { solve_of_size<N>(b); });
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
