#include "linalg/dense/pivoted_ldlt.hpp"

#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

template <class S> S PivotedLdlt<S>::tolerance() {
    return 4096 * epsilon<S>();
}

template <class S>
PivotedLdlt<S>::PivotedLdlt(int n)
    : n_(n), a_(at(n) * at(n)), reference_(at(n)), inverse_(at(n)), work_(at(n)), order_(at(n)) {}

template <class S> int PivotedLdlt<S>::find_pivot(int k) const {
    int p = -1;
    S largest = tolerance();
    for (int i = k; i < n_; ++i) {
        const S share = a_[at(i) * at(n_) + at(i)] * reference_[at(i)];
        if (share > largest && is_finite(share)) {
            largest = share;
            p = i;
        }
    }
    return p;
}

// Rows and columns k < p of what is stored of them, below the diagonal.
template <class S> void PivotedLdlt<S>::swap(int k, int p) {
    for (int j = 0; j < k; ++j) std::swap(entry(k, j), entry(p, j));
    for (int i = k + 1; i < p; ++i) std::swap(entry(i, k), entry(p, i));
    for (int i = p + 1; i < n_; ++i) std::swap(entry(i, k), entry(i, p));
    std::swap(entry(k, k), entry(p, p));
    std::swap(reference_[at(k)], reference_[at(p)]);
    std::swap(order_[at(k)], order_[at(p)]);
}

template <class S> int PivotedLdlt<S>::factor(const S* diagonal) {
    for (int i = 0; i < n_; ++i) {
        const S whole = diagonal ? diagonal[i] : entry(i, i);
        reference_[at(i)] = whole > 0 ? 1 / whole : S(0);
        order_[at(i)] = i;
    }
    for (rank_ = 0; rank_ < n_; ++rank_) {
        const int k = rank_, p = find_pivot(k);
        if (p < 0) break;
        if (p != k) swap(k, p);
        S* l = &entry(0, k);
        const S inverse = inverse_[at(k)] = 1 / l[k];
        for (int j = k + 1; j < n_; ++j) {
            const S factor = l[j] * inverse;
            subtract_multiple(n_ - j, factor, l + j, &entry(0, j) + j);
        }
        for (int i = k + 1; i < n_; ++i) l[i] *= inverse;
    }
    return rank_;
}

template <class S> void PivotedLdlt<S>::solve(S* b) {
    S* y = work_.data();
    for (int k = 0; k < rank_; ++k) y[k] = b[order_[at(k)]];
    for (int k = 0; k < rank_; ++k) {
        const S* l = &entry(0, k);
        subtract_multiple(rank_ - k - 1, y[k], l + k + 1, y + k + 1);
    }
    for (int k = rank_ - 1; k >= 0; --k) {
        const S* l = &entry(0, k);
        S sum = y[k] * inverse_[at(k)];
        for (int i = k + 1; i < rank_; ++i) sum -= l[i] * y[i];
        y[k] = sum;
    }
    for (int k = 0; k < n_; ++k) b[order_[at(k)]] = k < rank_ ? y[k] : S(0);
}

template class PivotedLdlt<double>;
template class PivotedLdlt<Quad>;

} // namespace vessiot::linalg
