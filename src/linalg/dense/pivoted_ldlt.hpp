// P N P^T = L D L^T of a small dense symmetric positive semidefinite matrix, with its rank.
//
// The next pivot is the row that has kept the largest share of its original diagonal entry, so that scaled rows and
// columns change nothing. Rows whose share is at most 4096 eps (1e-12 in double) are combinations of those before: they
// are left out.
#pragma once

#include <span>
#include <vector>

#include "core/quad.hpp"

namespace vessiot::linalg {

template <class S> class PivotedLdlt {
public:
    explicit PivotedLdlt(int n);

    // Column-major, n x n; the lower triangle is to be filled before every factor(), which overwrites it.
    S* matrix() { return a_.data(); }
    // The diagonal that the shares refer to is that of the matrix, or another one that is given. Does not allocate.
    int factor(const S* diagonal = nullptr);
    int rank() const { return rank_; }
    // N x = b, in place; x = 0 for the rows left out. Does not allocate.
    void solve(S* b);
    // The rows left out come last, from rank() on.
    std::span<const int> order() const { return order_; }

    static S tolerance();

private:
    int find_pivot(int k) const;
    void swap(int k, int p);
    S& entry(int i, int j) {
        return a_[static_cast<std::size_t>(j) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(i)];
    }

    int n_, rank_ = 0;
    std::vector<S> a_;         // L below the diagonal
    std::vector<S> reference_; // 1 / n_ii
    std::vector<S> inverse_;   // 1 / d_k
    std::vector<S> work_;
    std::vector<int> order_;
};

extern template class PivotedLdlt<double>;
extern template class PivotedLdlt<Quad>;

} // namespace vessiot::linalg
