// The power series of the solution through a point,
//
//   u(t + s T) = sum_k u_k s^k,   w(t + s T) = sum_k w_k s^k,     T a scale of time, so that coefficients stay of
//   moderate size
//
// Coefficients of u follow from those of u':  u_{k+1} = T (u')_k / (k + 1),  u' = (shift of u, w). The tops w solve
// F(t, u, w) = r(t, u) + A(t, u) w = 0, so that
//
//   explicit   u' is a function of t and u: its series by recurrences (expr/taylor_plan.hpp)
//   solved     A_0 w_k = -[F]_k, where [F]_k is coefficient k of F evaluated with w_k = 0: one matrix for all orders,
//              factorised once a point. Square: dense, banded or sparse; with more equations than tops, or of lower
//              rank: the shortest solution, dense. This is how DAEs of any index have series. [Pry98; NP05]
//   schur      the same for the multipliers of a mechanical system alone (kkt.hpp): r + S l = 0; then u' with l known
//
// Cost O(p^2) operations of the equations for order p, O(p) solves; memory O(p). Nothing is allocated after the
// constructor.
#pragma once

#include <cstdint>
#include <memory>

#include "completion/prolongation.hpp"
#include "distribution/distribution.hpp"
#include "manifold/jets.hpp"
#include "system/system.hpp"

namespace vessiot {

template <class S> class SolutionSeries {
public:
    SolutionSeries() = default;
    SolutionSeries(const SolutionSeries&) = delete;
    SolutionSeries& operator=(const SolutionSeries&) = delete;
    virtual ~SolutionSeries() = default;

    // Begins at a point, and finds u_1 = T V. `is_forward`: the curve is followed to s > 0 (which counts at kinks
    // only).
    virtual PointStatus begin(S t, const S* u, S scale, bool is_forward) = 0;
    // Finds the coefficients up to this order. Not finite: the equations have no derivatives there, or T is too large.
    virtual PointStatus extend(int order) = 0;
    // Coefficient k of u, padded with zeros; of those that were found.
    virtual const S* coefficient(int k) const = 0;
    virtual int max_order() const = 0;
};

// All must outlive it. The form follows the distribution.
template <class S>
std::unique_ptr<SolutionSeries<S>> make_solution_series(const System& system, const Prolongation& p, Jets<S>& jets,
                                                        Distribution<S>& distribution,
                                                        const expr::EvaluatorOptions& evaluator, int max_order);

} // namespace vessiot
