// The map x -> y = grad rho(x) of one constraint rho, its derivative, and its inverse. [Liu06, (57)-(59)]
//
// y' = rho''(x) x'. Where rho'' is regular, for convex and concave functions everywhere, y are coordinates as good as
// x. Only those coordinates take part that rho contains; the others stay.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/solver/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

template <class S> class GradientMap {
public:
    // A manifold of one constraint.
    explicit GradientMap(Manifold<S>& manifold);

    // The coordinates that take part.
    const std::vector<std::int32_t>& columns() const { return columns_; }
    std::int64_t size() const { return std::ssize(columns_); }

    // grad rho into y; the value is rho. Does not allocate, nor do the others.
    S gradient(S t, const S* x, S* y);
    // rho'' at x, for the next ones.
    void find_second(S t, const S* x);
    // rho'' v, both with size() numbers.
    void multiply(const S* v, S* product) const;
    // False where rho'' is singular.
    bool factor();
    // In place.
    void solve(S* b) { solver_->solve(b); }
    // Moves x, from where it is, to where grad rho = y. False where that does not converge.
    bool invert(S t, const S* y, S* x);
    // The size of rho that round-off is measured by, after gradient() at the point.
    S size_of_rho(S t, const S* x, S floor);

private:
    Manifold<S>& manifold_;
    std::vector<std::int32_t> columns_;
    std::vector<std::int32_t> source_; // by entry of rho'': the entry of the curvature
    linalg::Pattern pattern_;          // of rho''
    std::unique_ptr<linalg::SquareSolver<S>> solver_;
    linalg::Vector<S> rho_, df_, curvature_, second_, y_, d_;
};

extern template class GradientMap<double>;
extern template class GradientMap<Quad>;

} // namespace vessiot
