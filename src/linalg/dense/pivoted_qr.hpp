// Householder QR with column pivoting of a small dense matrix, and the complete orthogonal decomposition for its rank
// r:
//
//   A P = Q [R11 R12; 0 0],     [R11 R12] = [T 0] Z^T,     T, R11 upper triangular r x r
//
// The minimum-norm least-squares solution of A x = b is x = P Z [T^-1 (Q^T b)_1..r; 0]. [GV13, 5.5]
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/quad.hpp"

namespace vessiot::linalg {

template <class S> class PivotedQr {
public:
    PivotedQr(int rows, int cols);

    // Column-major, rows x cols: to be filled before every factor(), which overwrites it.
    S* matrix() { return a_.data(); }
    // The rank is the number of leading |r_kk| > tolerance |r_00|. Does not allocate.
    void factor(S tolerance);
    int rank() const { return rank_; }
    // The shortest x with the smallest |A x - b|. Does not allocate.
    void solve_min_norm(const S* b, S* x);
    // A unit vector with A x = 0, for rank < cols (unique up to sign for rank == cols - 1); for rank == cols the vector
    // that R almost annihilates. Does not allocate.
    void kernel_vector(S* x);
    // Column k of A P is column column_order()[k] of A.
    std::span<const int> column_order() const { return order_; }

private:
    S* column(int j) { return a_.data() + static_cast<std::ptrdiff_t>(j) * rows_; }
    int widest(int k) const;
    void swap_columns(int k, int p);
    void reflect_column(int k);
    void update_norm(int k, int j);
    void reflect_row(int k);
    void apply_z(S* y);

    int rows_, cols_, rank_ = 0;
    std::vector<S> a_;                // R above the diagonal, reflectors of Q below it, those of Z in the place of R12
    std::vector<S> beta_;             // Q: 1 - beta v v^T, v_k = 1
    std::vector<S> gamma_;            // Z: the same
    std::vector<S> norm_, reference_; // of the columns: what remains, and when it was last computed afresh
    std::vector<S> work_;
    std::vector<int> order_;
};

extern template class PivotedQr<double>;
extern template class PivotedQr<Quad>;

// The rows of a column-major matrix that are combinations of earlier ones: what is left of them after taking away the
// directions of the earlier rows is at most tolerance times their length.
template <class S> std::vector<int> dependent_rows(const S* a, int rows, int cols, S tolerance);

extern template std::vector<int> dependent_rows(const double*, int, int, double);
extern template std::vector<int> dependent_rows(const Quad*, int, int, Quad);

} // namespace vessiot::linalg
