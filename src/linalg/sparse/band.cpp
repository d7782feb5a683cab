#include "linalg/sparse/band.hpp"

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

// The pivot as a part of the diagonal entry that it came from, times the size of that: negative where the sign changed.
template <class S> Real<S> signed_size(S pivot, S diagonal) {
    if constexpr (is_complex<S>)
        return absolute(pivot);
    else
        return diagonal < 0 ? -pivot : pivot;
}

} // namespace

template <class S>
BandLu<S>::BandLu(std::int64_t n, std::int64_t lower, std::int64_t upper, bool pivot)
    : n_(n), lower_(lower), upper_(pivot ? lower + upper : upper), width_(lower_ + upper_ + 1), pivots_(pivot),
      a_(linalg::at(n * width_)), inverse_(linalg::at(n)) {
    if (!pivot) return;
    weight_.resize(linalg::at(n));
    column_.resize(linalg::at(n));
    row_.resize(linalg::at(n));
}

template <class S> void BandLu<S>::set_zero() {
    std::fill(a_.begin(), a_.end(), S(0));
}

template <class S> bool BandLu<S>::factor() {
    ratio_ = 0;
    smallest_ = largest_ = 1;
    const bool is_regular = pivots_                      ? factor_pivoted()
                            : lower_ == 1 && upper_ == 1 ? factor_tridiagonal()
                                                         : factor_plain();
    if (is_regular) ratio_ = smallest_ / largest_;
    return is_regular;
}

// Takes note of the pivot of row k, whose diagonal entry was `diagonal`; false where the rank is lost.
template <class S> bool BandLu<S>::is_pivot(std::int64_t k, S pivot, S diagonal) {
    const S inverse = inverse_[linalg::at(k)] = S(1) / pivot;
    const Real<S> size = signed_size(pivot, diagonal);
    // NOTE: written so that a NaN fails too; for a pivot that is not finite 1 / pivot is 0 or NaN
    if (!(size > rank_tolerance<S> * absolute(diagonal)) || !(absolute(inverse) > 0)) return false;
    if (size * largest_ < smallest_ * absolute(diagonal)) {
        smallest_ = size;
        largest_ = absolute(diagonal);
    }
    return true;
}

// From the top: d_i' = d_i - l_i u_i-1 / d_i-1', from the bottom d_i' = d_i - u_i l_i+1 / d_i+1'; both meet in the
// middle. Kept are l_i / d_i-1' and u_i / d_i' above it, u_i / d_i+1' and l_i / d_i' below it.
// NOTE: a pivot waits for one division and one difference of the pivot before it.
template <class S> bool BandLu<S>::factor_tridiagonal() {
    S* a = a_.data();
    const auto l = [a](std::int64_t i) -> S& { return a[3 * i]; };
    const auto d = [a](std::int64_t i) -> S& { return a[3 * i + 1]; };
    const auto u = [a](std::int64_t i) -> S& { return a[3 * i + 2]; };
    if (n_ == 0) return true;
    const std::int64_t middle = n_ / 2, last = n_ - 1;
    S top = 0, bottom = 0; // the pivots found last
    for (std::int64_t i = 0, k = last; i < middle || k > middle; ++i, --k) {
        if (i < middle) {
            top = i == 0 ? d(0) : d(i) - l(i) * u(i - 1) / top;
            if (!is_pivot(i, top, d(i))) return false;
        }
        if (k > middle) {
            bottom = k == last ? d(k) : d(k) - u(k) * l(k + 1) / bottom;
            if (!is_pivot(k, bottom, d(k))) return false;
        }
    }
    S pivot = d(middle);
    if (middle > 0) pivot -= l(middle) * u(middle - 1) / top;
    if (middle < last) pivot -= u(middle) * l(middle + 1) / bottom;
    if (!is_pivot(middle, pivot, d(middle))) return false;
    const S* inverse = inverse_.data();
    for (std::int64_t i = middle; i > 0; --i) {
        l(i) *= inverse[i - 1];
        u(i - 1) *= inverse[i - 1];
    }
    for (std::int64_t k = middle; k < last; ++k) {
        u(k) *= inverse[k + 1];
        l(k + 1) *= inverse[k + 1];
    }
    return true;
}

// NOTE: the numbers found last, x from the top and y from the bottom, come from registers, not by way of memory.
template <class S> void BandLu<S>::solve_tridiagonal(S* b) const {
    const S *a = a_.data(), *inverse = inverse_.data();
    const std::int64_t middle = n_ / 2, last = n_ - 1, below = last - middle; // middle - 1 or middle rows below it
    if (n_ == 0) return;
    S x = 0, y = 0;
    for (std::int64_t i = 0, k = last; i < below; ++i, --k) {
        x = b[i] - (i > 0 ? a[3 * i] * x : S(0));
        y = b[k] - (i > 0 ? a[3 * k + 2] * y : S(0));
        b[i] = x * inverse[i];
        b[k] = y * inverse[k];
    }
    if (below < middle) {
        x = b[below] - (below > 0 ? a[3 * below] * x : S(0));
        b[below] = x * inverse[below];
    }
    S sum = b[middle];
    if (middle > 0) sum -= a[3 * middle] * x;
    if (below > 0) sum -= a[3 * middle + 2] * y;
    b[middle] = x = y = sum * inverse[middle];
    std::int64_t i = middle - 1;
    for (std::int64_t k = middle + 1; k <= last; --i, ++k) {
        b[i] = x = b[i] - a[3 * i + 2] * x;
        b[k] = y = b[k] - a[3 * k] * y;
    }
    if (i == 0) b[0] -= a[2] * x;
}

template <class S> bool BandLu<S>::factor_plain() {
    // NOTE: row i is finished when all rows before it were taken away, so its diagonal is still the original one
    // before.
    for (std::int64_t i = 0; i < n_; ++i) {
        S* row = a_.data() + position(i, i); // row[j - i]
        const S diagonal = row[0];
        for (std::int64_t k = std::max<std::int64_t>(0, i - lower_); k < i; ++k) {
            S& l = row[k - i];
            if (l == S(0)) continue;
            l *= inverse_[linalg::at(k)];
            const S factor = l;
            const S* above = a_.data() + position(k, k);
            S* here = row + (k - i);
            const std::int64_t count = std::min(upper_, n_ - 1 - k);
            subtract_multiple(count, factor, above + 1, here + 1);
        }
        if (!is_pivot(i, row[0], diagonal)) return false;
    }
    return true;
}

template <class S> bool BandLu<S>::scale() {
    if (!all_finite(a_.data(), std::ssize(a_))) return false;
    std::fill(column_.begin(), column_.end(), Real<S>(0));
    const std::int64_t filled = upper_ - lower_;
    for (std::int64_t i = 0; i < n_; ++i) {
        const S* row = a_.data() + position(i, i);
        const std::int64_t first = -std::min(lower_, i), last = std::min(filled, n_ - 1 - i);
        Real<S> largest = 0;
        for (std::int64_t j = first; j <= last; ++j) largest = std::max(largest, absolute(row[j]));
        const Real<S> weight = weight_[linalg::at(i)] = 1 / largest;
        if (!is_finite(weight) || weight == 0) return false;
        for (std::int64_t j = first; j <= last; ++j) {
            Real<S>& column = column_[linalg::at(i + j)];
            column = std::max(column, absolute(row[j]) * weight);
        }
    }
    return true;
}

template <class S> void BandLu<S>::swap_rows(std::int64_t k, std::int64_t p) {
    S* a = a_.data() + position(k, k);
    S* b = a_.data() + position(p, k);
    const std::int64_t count = std::min(upper_, n_ - 1 - k);
    // NOTE: row p ends lower_ columns before its storage does, so that column k + upper_ exists in both
    for (std::int64_t j = 0; j <= count; ++j) std::swap(a[j], b[j]);
    std::swap(weight_[linalg::at(k)], weight_[linalg::at(p)]);
}

template <class S> bool BandLu<S>::factor_pivoted() {
    if (!scale()) return false;
    for (std::int64_t k = 0; k < n_; ++k) {
        const std::int64_t last = std::min(n_ - 1, k + lower_);
        std::int64_t p = k;
        Real<S> size = absolute(a_[linalg::at(position(k, k))]) * weight_[linalg::at(k)];
        for (std::int64_t i = k + 1; i <= last; ++i) {
            const Real<S> candidate = absolute(a_[linalg::at(position(i, k))]) * weight_[linalg::at(i)];
            if (candidate > size) {
                size = candidate;
                p = i;
            }
        }
        row_[linalg::at(k)] = static_cast<std::int32_t>(p);
        if (p != k) swap_rows(k, p);
        if (!(size > rank_tolerance<S> * column_[linalg::at(k)]) || !is_finite(size)) return false;
        smallest_ = k == 0 ? size : std::min(smallest_, size);
        largest_ = k == 0 ? size : std::max(largest_, size);
        const S* above = a_.data() + position(k, k);
        const S inverse = inverse_[linalg::at(k)] = S(1) / above[0];
        const std::int64_t count = std::min(upper_, n_ - 1 - k);
        for (std::int64_t i = k + 1; i <= last; ++i) {
            S* here = a_.data() + position(i, k);
            if (here[0] == S(0)) continue;
            const S factor = here[0] *= inverse;
            subtract_multiple(count, factor, above + 1, here + 1);
        }
    }
    return true;
}

template <class S> void BandLu<S>::solve(S* b) const {
    if (!pivots_ && lower_ == 1 && upper_ == 1) {
        solve_tridiagonal(b);
        return;
    }
    for (std::int64_t k = 0; k < n_ && pivots_; ++k) {
        std::swap(b[k], b[row_[linalg::at(k)]]);
        const S value = b[k];
        const std::int64_t count = std::min(lower_, n_ - 1 - k);
        const S* a = a_.data() + position(k, k);
        for (std::int64_t i = 1; i <= count; ++i) b[k + i] -= a[i * (width_ - 1)] * value;
    }
    S last = 0; // NOTE: the number found last comes from a register, not by way of memory
    for (std::int64_t i = 0; i < n_ && !pivots_ && lower_ > 0; ++i) {
        const S* a = a_.data() + position(i, i);
        S sum = b[i];
        for (std::int64_t k = -std::min(lower_, i); k < -1; ++k) sum -= a[k] * b[i + k];
        b[i] = last = i > 0 ? sum - a[-1] * last : sum;
    }
    for (std::int64_t k = n_ - 1; k >= 0; --k) {
        const S* a = a_.data() + position(k, k);
        const std::int64_t count = std::min(upper_, n_ - 1 - k);
        S sum = b[k];
        for (std::int64_t j = count; j > 1; --j) sum -= a[j] * b[k + j];
        if (count > 0) sum -= a[1] * last;
        b[k] = last = sum * inverse_[linalg::at(k)];
    }
}

template class BandLu<double>;
template class BandLu<Quad>;
template class BandLu<Complex<double>>;
template class BandLu<Complex<Quad>>;

} // namespace vessiot::linalg
