// Some rows F of a manifold solved for some of its coordinates z, the others x given: by Newton's method, or by
// following the solution z(s) of F(x(s), z) = 0 from s = 0, where it is known, to s = 1.
//
// Steps are damped by the natural test: the simplified correction at the new point is shorter than the correction that
// led there [Deu04, 3.3]. A solution that is followed stays on its branch: a step in s is taken where already the first
// simplified correction is at most a quarter of the correction before it, and halved where not; where that does not end
// (a fold: two solutions meet and vanish) the branch is lost. Where F itself jumps at some s, it is the residual that
// is taken back in steps.
//
// Lengths are relative to the sizes that the coordinates have had, so that a coordinate may become zero.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "linalg/solver/normal_solver.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

template <class S> class RowSolver {
public:
    // As many rows as columns, or fewer (then corrections are the shortest), or more that depend on each other. `from`
    // is a point that says how large coordinates are.
    RowSolver(Manifold<S>& manifold, std::vector<std::int32_t> rows, std::vector<std::int32_t> columns,
              const linalg::Vector<S>& from);

    // Moves the columns of u until the rows hold. False where that fails; u is then as it was. Takes memory.
    bool solve(S t, linalg::Vector<S>& u);

    // `place` puts x(s) into u, and what else depends on s where it belongs. u is the point at s = 0, where the rows
    // hold, and then the last one that was reached. Returns its s: 1, or less where the branch is lost.
    using Place = std::function<void(S, linalg::Vector<S>&)>;
    S follow(S t, linalg::Vector<S>& u, const Place& place);

    // Where F has jumped at u: F(z) = (1 - r) F(u), with r from 0 to 1. False where the branch is lost; u is then as it
    // was.
    bool take_back(S t, linalg::Vector<S>& u);

private:
    bool correct(S t, const S* u, bool is_new, linalg::Vector<S>& d); // d with A d = f; false where there is none
    bool advance(S t, S to, const Place& place, linalg::Vector<S>& u, S& ratio);
    bool cross(S t, S to, const Place& place, linalg::Vector<S>& u);
    S length(const linalg::Vector<S>& d) const;
    S contraction(const linalg::Vector<S>& next, const linalg::Vector<S>& d) const; // how much shorter it is
    void grow(const S* u);
    void move(const linalg::Vector<S>& d, S damping, linalg::Vector<S>& u) const;

    Manifold<S>& manifold_;
    std::vector<std::int32_t> rows_, columns_;
    linalg::SubPattern part_;
    std::optional<linalg::SquareSolver<S>> square_;
    std::optional<linalg::NormalSolver<S>> normal_;
    linalg::Vector<S> size_; // by coordinate of the manifold
    linalg::Vector<S> f_, df_, entries_, b_, lifted_;
    S lift_ = 0; // rows are F - lift * lifted
    bool is_crossing_ = false;
};

// The largest |f_i| of some rows over their sizes (Manifold::sizes), where coordinates count as large as they are at
// `from` or at u. Takes memory.
template <class S>
S relative_residual(Manifold<S>& manifold, const std::vector<std::int32_t>& rows, S t, const linalg::Vector<S>& from,
                    const linalg::Vector<S>& u);

extern template class RowSolver<double>;
extern template class RowSolver<Quad>;

} // namespace vessiot
