// L U of a band matrix: `lower` diagonals below the main one, `upper` above it.
//
// Without pivoting, for symmetric positive definite matrices, possibly with scaled columns: rank loss is a pivot that
// is not a finite number above 100 eps times the original diagonal entry of its row. A tridiagonal matrix is eliminated
// from both ends to the middle, two independent recurrences side by side, with one division a row. With pivoting (rows
// scaled implicitly as in dense_lu.hpp) rows are exchanged and the upper band grows to lower + upper.
//
// Storage by rows: row i holds the columns i - lower .. i + upper (+ lower), so that the innermost loop runs along a
// row.
#pragma once

#include <cstdint>
#include <vector>

#include "core/quad.hpp"
#include "linalg/complex.hpp"

namespace vessiot::linalg {

template <class S> class BandLu {
public:
    BandLu(std::int64_t n, std::int64_t lower, std::int64_t upper, bool pivot);

    std::int64_t size() const { return n_; }
    // The entry (i, j), -upper <= i - j <= lower.
    S& at(std::int64_t i, std::int64_t j) { return a_[static_cast<std::size_t>(position(i, j))]; }
    // Where (i, j) lies in data().
    std::int64_t position(std::int64_t i, std::int64_t j) const { return i * width_ + (j - i + lower_); }
    S* data() { return a_.data(); }
    void set_zero();
    // False where the matrix is singular. Does not allocate.
    bool factor();
    // A x = b, in place. Does not allocate.
    void solve(S* b) const;
    // With pivoting the smallest pivot over the largest, rows scaled; without it the smallest share of a diagonal entry
    // that is left as the pivot. 0 where A is singular.
    Real<S> pivot_ratio() const { return ratio_; }

private:
    bool factor_tridiagonal();
    bool factor_plain();
    bool factor_pivoted();
    bool scale();
    void swap_rows(std::int64_t k, std::int64_t p);
    bool is_pivot(std::int64_t k, S pivot, S diagonal);
    void solve_tridiagonal(S* b) const;

    std::int64_t n_, lower_, upper_; // upper_ with the fill of pivoting
    std::int64_t width_;             // of a row
    bool pivots_;
    std::vector<S> a_;
    std::vector<S> inverse_;             // 1 / u_kk
    std::vector<Real<S>> weight_;        // pivoting: 1 / r_i
    std::vector<Real<S>> column_;        // pivoting: largest scaled entry of the original columns
    std::vector<std::int32_t> row_;      // pivoting: the row exchanged with k
    Real<S> smallest_ = 1, largest_ = 1; // whose quotient is the pivot ratio so far
    Real<S> ratio_ = 0;
};

extern template class BandLu<double>;
extern template class BandLu<Quad>;
extern template class BandLu<Complex<double>>;
extern template class BandLu<Complex<Quad>>;

} // namespace vessiot::linalg
