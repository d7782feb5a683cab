// (I - gamma J) x = b for the derivative J of a direction field (linearised.hpp), gamma real or complex; dense, banded
// or sparse, as the pattern is.
#pragma once

#include <cstdint>

#include "distribution/derivative/linearised.hpp"
#include "linalg/complex.hpp"
#include "linalg/solver/square_solver.hpp"

namespace vessiot {

// What makes a field one of several blocks, with the lower triangular Jacobian
//
//     J
//     K_1  J
//     K_m      J
template <class S> class Coupling {
public:
    Coupling() = default;
    Coupling(const Coupling&) = delete;
    Coupling& operator=(const Coupling&) = delete;
    virtual ~Coupling() = default;

    virtual std::int64_t n_blocks() const = 0;
    // dx = K_1 x, .., K_m x, one after the other. Does not allocate after the first call.
    virtual void apply(const S* x, S* dx) = 0;
};

// S: double, Quad or Complex of them.
template <class S> class ShiftedSolver {
public:
    using R = linalg::Real<S>;
    // The field, and the coupling of several blocks, if there is one, must outlive it.
    explicit ShiftedSolver(const Linearised<R>& field, Coupling<R>* coupling = nullptr);

    // At the point that the field has now. False where the matrix is singular. Does not allocate after the first call.
    bool factor(S gamma);
    // In place, n_state() numbers; of several blocks as many of each. Does not allocate.
    void solve(S* b);
    // x - gamma (S x + E dw) = b,  B x + A dw = -r: x in the place of b, dw in that of r. For a direct field.
    void solve(S* b, S* r);
    // "dense", "band" or "sparse".
    std::string_view kind() const { return solver_.kind(); }
    // Multiplications of real numbers in factor() and solve(), about.
    typename linalg::SquareSolver<S>::Work work() const {
        constexpr double real = linalg::is_complex<S> ? 4 : 1;
        return {real * solver_.work().factor, real * solver_.work().solve};
    }

private:
    void solve_block(S* b);
    void couple(S* b); // b_j += gamma K_j b_0

    const Linearised<R>& field_;
    Coupling<R>* coupling_;
    S gamma_ = 0;
    linalg::SquareSolver<S> solver_;
    linalg::Vector<S> entries_, work_;
    linalg::Vector<R> part_, products_; // of a coupling
};

extern template class ShiftedSolver<double>;
extern template class ShiftedSolver<Quad>;
extern template class ShiftedSolver<linalg::Complex<double>>;
extern template class ShiftedSolver<linalg::Complex<Quad>>;

} // namespace vessiot
