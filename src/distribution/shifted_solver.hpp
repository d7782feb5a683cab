// (I - gamma J) x = b for the derivative J of a direction field (linearised.hpp), gamma real or complex; dense, banded
// or sparse, as the pattern is.
#pragma once

#include <cstdint>

#include "distribution/linearised.hpp"
#include "linalg/complex.hpp"
#include "linalg/square_solver.hpp"

namespace vessiot {

// S: double, float128 or Complex of them.
template <class S> class ShiftedSolver {
public:
    using R = linalg::Real<S>;
    // The field must outlive it.
    explicit ShiftedSolver(const Linearised<R>& field);

    // At the point that the field has now. False where the matrix is singular. Does not allocate after the first call.
    bool factor(S gamma);
    // In place, n_state() numbers. Does not allocate.
    void solve(S* b);
    // x - gamma (S x + E dw) = b,  B x + A dw = -r: x in the place of b, dw in that of r. For a direct field.
    void solve(S* b, S* r);
    // "dense", "band" or "sparse".
    std::string_view kind() const { return solver_.kind(); }

private:
    const Linearised<R>& field_;
    S gamma_ = 0;
    linalg::SquareSolver<S> solver_;
    linalg::Vector<S> entries_, work_;
};

extern template class ShiftedSolver<double>;
extern template class ShiftedSolver<expr::Quad>;
extern template class ShiftedSolver<linalg::Complex<double>>;
extern template class ShiftedSolver<linalg::Complex<expr::Quad>>;

} // namespace vessiot
