// The linear systems of a stabilised direction field, u' = V(t, u) - D^T mu, f(t, u) = 0 [GGL85]:
//
//     (I - gamma J) x + D^T m = b,   df x - delta m = r          J = dV/du (linearised.hpp)
//
// D is df, but for the constraints that determine algebraic unknowns, where there are as many of both: there mu sets
// the algebraic unknowns free, D^T = 1, and it is the constraints that say what they are. Round-off in an equation that
// determines them badly (a diode that blocks) does not move the others then, and no condition is squared.
//
// The matrix is dense, banded or sparse, as the pattern is; delta, tiny, and less so where that is singular, keeps it
// regular where constraints become dependent. Those that follow from others are left out: m_i = r_i in the place of
// their rows. mu vanishes along the solution, so that its product with the second derivatives of f has no place in it.
#pragma once

#include <cstdint>
#include <vector>

#include "distribution/derivative/linearised.hpp"
#include "linalg/solver/square_solver.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

template <class S> class StabilisedSolver {
public:
    // The manifold may be null: then there is no m, and what is solved is (I - gamma J) x = b. All must outlive it.
    StabilisedSolver(const System& system, const Prolongation& p, Jets<S>& jets,
                     const expr::EvaluatorOptions& evaluator, Manifold<S>* manifold);

    std::int64_t n_constraints() const { return manifold_ ? manifold_->n_constraints() : 0; }
    // Takes the derivatives at a point, w the tops there.
    PointStatus set(S t, const S* u, const S* w);
    const Linearised<S>& linearised() const { return linearised_; }
    // Leaves out constraints that depend on others at that point, in systems of moderate size.
    void choose_rows();
    const std::vector<int>& left_out() const { return left_out_; }
    // out += D^T m, with D of that point.
    void add_normal(const S* m, S* out) const;
    // At the point that was set last. False where the matrix is singular. Does not allocate after the first call.
    bool factor(S gamma);
    // x in the place of b, m in that of r. Does not allocate.
    void solve(S* b, S* r);

private:
    // By constraint: the algebraic unknown that its mu sets free, -1 for none.
    std::vector<std::int64_t> freed_coordinates(const std::vector<char>& is_algebraic) const;
    linalg::Pattern bordered();

    Manifold<S>* manifold_;
    Linearised<S> linearised_;
    std::int64_t n_, n_inner_; // coordinates; rows without those of the constraints
    std::vector<std::int64_t> freed_;
    std::vector<std::int64_t> inner_, rows_, columns_, ones_,
        diagonal_; // where entries of the parts stand in the matrix
    linalg::Vector<S> entries_;
    linalg::SquareSolver<S> solver_;
    std::vector<int> left_out_;
    std::vector<char> is_out_;
    linalg::Vector<S> inner_entries_, df_, f_, work_;
    S gamma_ = 0, delta_ = 0;
};

extern template class StabilisedSolver<double>;
extern template class StabilisedSolver<Quad>;

} // namespace vessiot
