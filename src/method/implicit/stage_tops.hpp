// The highest derivatives w at the stages of an implicit step as unknowns of its iteration, beside Z:
//
//     Z_i = h sum_j a_ij (S (x + Z_j) + E W_j),   F(t_i, x + Z_i, W_i) = 0          u' = S u + E w, linearised.hpp
//
// With w(u) put in, V = S u + E w(u), these are the equations of implicit_rk.hpp, with the same solution; but the
// iteration is another one. A stiff force beside constraints, -k v, acts along the tangent only: eliminated, it turns
// with the point, which one J for all stages does not know, and the iteration contracts like h k |dx|^2. With
// multipliers among the unknowns k enters linearly, and no bound on h is left. Nor is A, F = r + A w, factorised at
// every stage.
//
// A block of the simplified Newton iteration, in the variables T^-1 Z and Omega = T^-1 W, phi = T^-1 F, gamma =
// h/lambda:
//
//     x - gamma (S x + E dw) = b,   B x + A dw = -phi
//
// either by way of the matrix A + sum_k gamma^p_k B_k (shifted_matrix.hpp: reduced), or, with more equations than tops,
// where J = S - E A^-1 B is formed:
//
//     (I - gamma J) x = b - gamma E A^-1 phi,   dw = -A^-1 (phi + B x)
//
// Start: W of the last step as a polynomial in t through the stages, continued; w of the start point where there is
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/shifted_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/row_function.hpp"
#include "method/implicit/implicit_numbers.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

template <class S> class StageTops {
public:
    using C = linalg::Complex<S>;

    // All must outlive it.
    StageTops(Parts<S>& parts, Linearised<S>& linearised, const ImplicitNumbers<S>& numbers);

    // W of the last iteration belong to an accepted step.
    void go_on();
    // A start of the iteration: w of the point in all stages, or what the step before says, `ratio` of which this one
    // is.
    void start_at(S t, const S* u);
    void predict(S ratio);
    const S* predict_stage(std::size_t i, S ratio);

    void to_stages(); // W = T Omega
    // F, and V = S u + E W, at the point of a stage; false where F is not finite.
    bool evaluate(std::size_t i, S t, const S* u, S* v);
    void transform_rows(); // phi = T^-1 F
    // x in the place of b, for a real eigenvalue, and for the pair in the rows i and i + 1; Omega += dw.
    void solve(ShiftedSolver<S>& solver, S gamma, std::size_t i, S* b);
    void solve(ShiftedSolver<C>& solver, C gamma, std::size_t i, C* b);

    // The error of implicit_rk.hpp with F in the place of V, and w of the last stage before: with e = sum_i e_i Z_i
    //     x - gamma (S x + E dw) = e + gamma (S u + E w),   B x + A dw = -F(t, u, w)
    // x in the place of e; false where F is not finite. Where w is off by k times the round-off of u, V would be.
    bool filter(ShiftedSolver<S>& solver, S gamma, S t, const S* u, S* e);
    bool filter(ShiftedSolver<C>& solver, C gamma, S factor, S t, const S* u, S* e, C* work);

private:
    bool evaluate_start(S factor, S t, const S* u, S* e);
    void transform(const std::vector<S>& matrix, const std::vector<S*>& in, const std::vector<S*>& out) const;
    const S* particular(S* rows); // -A^-1 rows in their place; E of that

    Parts<S>& parts_;
    Linearised<S>& linearised_;
    const ImplicitNumbers<S>& numbers_;
    RowFunction<S> function_;
    bool is_reduced_;
    std::size_t r_;
    std::int64_t n_, n_tops_, n_rows_, n_padded_;
    linalg::Vector<S> memory_;
    std::vector<S*> w_, omega_, f_, phi_, old_; // phi, f: rows; the others: tops
    linalg::Vector<S> rows_, zero_, part_, start_;
    linalg::Vector<C> complex_rows_;
};

extern template class StageTops<double>;
extern template class StageTops<Quad>;

} // namespace vessiot::method
