// dw = -A^-1 r, A the derivative of the equations by the tops at a point.
//
// With more equations than tops as many independent rows as there are tops are chosen at the point, by pivoted QR of
// A^T. Where A is singular, of a known rank, dw is the shortest solution, by QR with column pivoting.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "distribution/derivative/top_derivatives.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"

namespace vessiot {

template <class S> class TopSolver {
public:
    // `equations` must outlive it; `rank`: of A, where that is less than the number of tops.
    TopSolver(const TopDerivatives<S>& equations, std::optional<std::int64_t> rank)
        : equations_(equations), rank_(rank) {}

    bool has_rank() const { return rank_.has_value(); }
    void forget() { is_factored_ = false; } // the equations are at another point
    // A at the point, unless that was done; takes memory when first called. False where it is singular.
    bool factor();
    // In the place of the rows, which have room for as many tops.
    void solve(S* rows);

private:
    bool factor_dependent();
    void choose_rows();

    const TopDerivatives<S>& equations_;
    std::optional<std::int64_t> rank_;
    std::unique_ptr<linalg::SquareSolver<S>> solver_; // of A, or of the chosen rows of it
    std::vector<std::int32_t> chosen_, place_;        // rows of A, where there are more of them than tops
    linalg::Vector<S> chosen_entries_, size_;
    std::unique_ptr<linalg::PivotedQr<S>> qr_; // where A is singular
    linalg::Vector<S> scale_, shortest_;
    bool is_factored_ = false;
};

extern template class TopSolver<double>;
extern template class TopSolver<Quad>;

} // namespace vessiot
