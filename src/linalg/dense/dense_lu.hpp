// P A = L U of a small dense matrix, by partial pivoting with implicitly scaled rows.
//
// Notation: r_i = max_j |a_ij| is the scale of row i. The pivot of column k is the entry with the largest |a_ik| / r_i;
// A counts as singular where that is at most 16 n eps max_i |a_ik| / r_i of the original column, or not finite. The
// test does not change when rows or columns are multiplied by numbers. Cost 2/3 n^3, and 2 n^2 a solve.
#pragma once

#include <vector>

#include "core/quad.hpp"
#include "linalg/complex.hpp"

namespace vessiot::linalg {

template <class S> class DenseLu {
public:
    explicit DenseLu(int n);

    int size() const { return n_; }
    // Column-major, n x n: to be filled before every factor(), which overwrites it.
    S* matrix() { return a_.data(); }
    // False where A is singular; then solve() gives nothing of use. Does not allocate.
    bool factor();
    // A x = b, in place. Does not allocate.
    void solve(S* b) const;
    // A^T x = b, in place. Does not allocate.
    void solve_transposed(S* b) const;
    // The smallest pivot over the largest, rows scaled; 0 where A is singular.
    Real<S> pivot_ratio() const { return ratio_; }
    // Of det A: -1, 0 (singular) or 1. Real matrices only.
    int determinant_sign() const { return sign_; }
    const std::vector<S>& inverse_pivots() const { return inverse_; }

private:
    // N: the size where it is small, else 0.
    template <int N> bool scale();
    template <int N> void swap_rows(int k, int p);
    template <int N> bool factor_by_columns();
    template <int N> void solve_of_size(S* b) const;

    int n_ = 0;
    std::vector<S> a_;
    std::vector<Real<S>> weight_; // 1 / r_i, in the order of the rows now
    std::vector<Real<S>> column_; // max_i |a_ik| / r_i of the original columns
    std::vector<S> inverse_;      // 1 / u_kk
    mutable std::vector<S> work_; // a right-hand side on its way
    std::vector<int> order_;      // row k of P A is row order_[k] of A
    Real<S> ratio_ = 0;
    int sign_ = 0;
};

extern template class DenseLu<double>;
extern template class DenseLu<Quad>;
extern template class DenseLu<Complex<double>>;
extern template class DenseLu<Complex<Quad>>;

} // namespace vessiot::linalg
