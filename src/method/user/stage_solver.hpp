// The linear systems of the stages of any Runge-Kutta method,
//
//     (I - h A (x) J) dZ = r
//
// by Schur's form A = Q R Q^H: from the last row of R to the first,
//
//     (I - h r_ii J) x_i = (Q^H r)_i + sum_(j > i) r_ij h J x_j,        dZ = Q x
//
// where h J x_j is known from the row of x_j: (x_j - right side) / r_jj. A matrix A that is lower triangular
// (diagonally implicit methods) is in that form already, its rows taken backwards. Where r_jj = 0 (explicit stages
// among them) a small number takes its place, which the iteration for the stages does not notice. Equal r_jj share
// their factors; where all are real, so is everything.
#pragma once

#include <memory>
#include <vector>

#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/shifted_solver.hpp"
#include "method/registry.hpp"

namespace vessiot::method {

template <class S> class StageSolver {
public:
    StageSolver() = default;
    StageSolver(const StageSolver&) = delete;
    StageSolver& operator=(const StageSolver&) = delete;
    virtual ~StageSolver() = default;

    // At the point that the field has now. False where a matrix is singular.
    virtual bool factor(S h) = 0;
    // dZ in the place of r, a vector for each stage. Does not allocate.
    virtual void solve(const std::vector<S*>& r) = 0;
    // The real part of (I - h r_ii J)^-1 e for the first r_ii that is not 0.
    virtual void filter(S* e) = 0;
    virtual std::int64_t n_factors() const = 0;
};

// For vectors of n numbers; the field, and the coupling of several blocks, if there is one, must outlive it.
template <class S>
std::unique_ptr<StageSolver<S>> make_stage_solver(const TableauView& tableau, std::int64_t n,
                                                  const Linearised<S>& field, Coupling<S>* coupling);

extern template std::unique_ptr<StageSolver<double>> make_stage_solver(const TableauView&, std::int64_t,
                                                                       const Linearised<double>&, Coupling<double>*);
extern template std::unique_ptr<StageSolver<Quad>> make_stage_solver(const TableauView&, std::int64_t,
                                                                     const Linearised<Quad>&, Coupling<Quad>*);

} // namespace vessiot::method
