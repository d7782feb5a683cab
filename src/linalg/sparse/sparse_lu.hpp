// P R A Q = L U of a general square sparse matrix, column by column. [GP88]
//
// Notation: R = diag(1 / r_i) scales the rows to largest entry 1; a matching of rows and columns with large entries
// gives every column its preferred row; the columns come in the order of minimum degree of the matched A + A^T. First
// call of factor(): column k is L x = R A q_k, solved along the paths that its pattern reaches in the graph of L; the
// pivot is the preferred row where that has at least 1/10 of the largest candidate, else the largest. Later calls keep
// P, Q and the patterns and do arithmetic only, unless a pivot is below 1/1000 of its column: then all is found anew.
// Cost: in proportion to the number of multiplications.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/quad.hpp"
#include "linalg/complex.hpp"
#include "linalg/sparse/pivots.hpp"
#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

template <class S> class SparseLu {
public:
    explicit SparseLu(Pattern a);

    std::int64_t size() const { return n_; }
    // The entries are in the order of the pattern. False where A is singular; then solve() gives nothing of use.
    bool factor(const S* entries);
    // A x = b, in place. Does not allocate.
    void solve(S* b) const;
    // The smallest pivot over the largest, rows scaled; 0 where A is singular.
    Real<S> pivot_ratio() const { return ratio_; }
    // Entries of L and U together.
    std::int64_t fill() const;

private:
    struct Triangle { // columns of L or U without the diagonal
        std::vector<std::int64_t> start;
        std::vector<std::int32_t> row;
        std::vector<S> value;
    };
    class Search;

    bool scale(const S* entries);
    bool refactor(const S* entries);
    bool refactor_column(std::int64_t k, const S* entries);

    Pattern a_;
    std::int64_t n_;
    bool has_pivots_ = false;
    std::shared_ptr<const Pivots> pivots_; // what it belongs to
    std::uint64_t epoch_ = 0;              // of it when they were chosen
    Triangle l_, u_;                       // rows numbered by pivots; those of U in the order of elimination
    std::vector<S> inverse_;               // 1 / u_kk
    std::vector<Real<S>> weight_;          // 1 / r_i
    std::vector<std::int32_t> column_;     // Q: the column that is k-th
    std::vector<std::int32_t> place_;      // P: row i is the pivot row of place_[i]
    std::vector<S> x_;                     // a column on its way; zeros between columns
    mutable std::vector<S> work_;
    Real<S> smallest_ = 0, largest_ = 0; // pivots so far
    Real<S> ratio_ = 0;
};

extern template class SparseLu<double>;
extern template class SparseLu<Quad>;
extern template class SparseLu<Complex<double>>;
extern template class SparseLu<Complex<Quad>>;

} // namespace vessiot::linalg
