// The projection `newton`: the nearest point of the manifold, by Newton's method on the conditions of Lagrange.
//
//   F(p, mu) = (p - a + df(p)^T mu, f(p)) = 0
//   (1 + sum_i mu_i f_i''   df^T) (dp )      (p - a + df^T mu)
//   (df                     0   ) (dmu)  = - (f              )
//
// from p = a, mu = 0, where the first step is the one in closed form of Algorithm 4.6. The matrix is symmetric and
// indefinite; it is factorised anew in each iteration, dense or sparse. Quadratic convergence. Where it is singular
// (constraints that depend on each other) the simplified projection takes over, which knows what to leave out.
// [Tuomela, Arponen, Normi, section 4.1]
#pragma once

#include <vector>

#include "linalg/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "projection/projection.hpp"
#include "projection/simplified.hpp"

namespace vessiot {

template <class S> class NewtonProjection final : public Projection<S> {
public:
    NewtonProjection(Manifold<S>& manifold, const ProjectionOptions& options);

    std::string_view name() const override { return "newton"; }
    void begin_step(S tau, const S* x) override;
    ProjectionReport<S> project(S tau, S* x) override;
    const ProjectionCounts& counts() const { return counts_; }

private:
    void make_matrix();
    void fill_matrix();
    bool newton_step(S t, S* x);
    S residual() const;

    Manifold<S>& manifold_;
    SimplifiedProjection<S> fallback_;
    S tolerance_, acceptable_, floor_;
    int max_iterations_;
    std::int64_t m_, k_;
    // By entry of the matrix: which entry of df or of the curvature it gets, and whether it is on the diagonal of 1.
    struct Source {
        std::int32_t df = -1, curvature = -1;
        bool is_diagonal = false;
    };
    linalg::Pattern pattern_;
    std::vector<Source> source_;
    std::unique_ptr<linalg::SquareSolver<S>> solver_;
    linalg::Vector<S> a_, mu_, f_, df_, curvature_, entries_, b_, size_;
    ProjectionCounts counts_;
};

extern template class NewtonProjection<double>;
extern template class NewtonProjection<expr::Quad>;

} // namespace vessiot
