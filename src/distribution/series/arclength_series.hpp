// The power series of the solution in its arclength s, through impasse points as well: x = (u, t), |x'| = 1.
//
// With l the unit tangent at the point, the curve is first followed in sigma = l . (x - x_0), for which all is linear:
//
//     r theta + A w = 0,   l . x' = 1,   t' = theta,   u' = (theta * shift of u, w)           ' by sigma
//
// Coefficient k of (w, theta) solves a system with the matrix (A r; l) at the point, which is regular where (r, A) has
// full rank, also where A has not (kernel.hpp):
//
//     A_0 w_k + r_0 theta_k = -([F]_k - [r]_k + sum_(j<k) theta_j r_(k-j))     F = r + A w, evaluated with w_k = 0
//
// r and F by the recurrences of their formulas (jet_series.hpp), in which t is a series like all others. Then, order by
// order, arclength: with xi = sigma / T, eta = s / T and q = |x'|^2,
//
//     d xi / d eta = q(xi)^(-1/2),   x(eta) = sum_m X_m xi(eta)^m
//
// Dense: cost n^3 a point, n^2 p + n p^2 for order p beside the recurrences. Nothing is allocated after the
// constructor.
#pragma once

#include <memory>

#include "distribution/series/solution_series.hpp"
#include "manifold/field.hpp"

namespace vessiot {

// Its points and coefficients are those of the field, (u, t), its parameter is arclength; the field, whose sign it
// follows, and all others must outlive it.
template <class S>
std::unique_ptr<SolutionSeries<S>> make_arclength_series(const System& system, const Prolongation& p, Jets<S>& jets,
                                                         Distribution<S>& distribution, Field<S>& field,
                                                         const expr::EvaluatorOptions& evaluator, int max_order);

} // namespace vessiot
