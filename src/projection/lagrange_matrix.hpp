// The matrix of Newton's method for the nearest point, factorised:
//
//   K = (A  B^T)      A = 1 + sum_i mu_i f_i'',  B = df
//       (B  0  )
//
// symmetric and indefinite; dense, banded or sparse without the rows of B that have very many entries (an energy).
// Those, C, are a border, eliminated last:
//
//   (K0  C^T) (u)   (b)      Y = K0^-1 C^T,   S = C Y,   S v = C K0^-1 b - c,   u = K0^-1 b - Y v
//   (C   0  ) (v) = (c)
//
// Where K0 is singular, constraints depend on each other: then 0 is replaced by -delta diag(|df_i|^2), delta =
// eps^(5/8), which gives the shortest multipliers, and an iteration that converges by a factor of about delta. S is
// solved for the shortest v.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

template <class S> class LagrangeMatrix {
public:
    explicit LagrangeMatrix(Manifold<S>& manifold);

    // From the entries of df and of Manifold::curvature. False where K is singular all the same. Does not allocate
    // after the first call.
    bool factor(const S* df, const S* curvature);
    // b in place, m + k numbers. Does not allocate.
    void solve(S* b);

private:
    // By entry of K0: which entry of df or of the curvature it gets; on the diagonal, of which row of f.
    struct Source {
        std::int32_t df = -1, curvature = -1;
        bool is_one = false;
        std::int32_t constraint = -1;
    };
    struct Part {
        std::int32_t row, column;
        Source source;
    };
    void split_rows();
    std::vector<Part> parts() const;
    void make_matrix();
    void fill(const S* df, const S* curvature, S delta);
    bool factor_sparse(const S* df, const S* curvature);
    bool factor_border(const S* df);

    Manifold<S>& manifold_;
    std::int64_t m_, k_;
    std::vector<std::int32_t> number_;               // by constraint: its row in K0, from m; in C: -1 - row
    std::vector<std::int32_t> sparse_rows_, border_; // constraints in K0 and in C
    linalg::Pattern pattern_;                        // of K0
    std::vector<Source> source_;
    std::unique_ptr<linalg::SquareSolver<S>> solver_;
    std::unique_ptr<linalg::PivotedQr<S>> small_;     // S
    linalg::Vector<S> entries_, squares_, u_, c_, v_; // squares_: |df_i|^2
    std::vector<linalg::Vector<S>> dense_, y_;        // rows of C, columns of Y
};

extern template class LagrangeMatrix<double>;
extern template class LagrangeMatrix<Quad>;

} // namespace vessiot
