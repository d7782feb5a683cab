// The projection `newton`: the nearest point of the manifold (nearest.hpp) by Newton's method with the matrix of second
// derivatives, factorised anew in each iteration (lagrange_matrix.hpp; of the first step in closed form df df^T alone).
// Quadratic convergence.
//
// Under the printed stopping rule the first step is found by conjugate gradients, unscaled, until
// |f(a) - B B^T mu| <= 0.01 |f(a)|. [Tuomela, Arponen, Normi, 6.1]
//
// On a sphere the nearest point is found by scaling, in place of the iteration (sphere.hpp); not with the printed
// stopping rule, whose results are not the nearest point.
#pragma once

#include <optional>

#include "linalg/iterative/conjugate_gradient.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "projection/lagrange_matrix.hpp"
#include "projection/local/sphere.hpp"
#include "projection/nearest.hpp"

namespace vessiot {

template <class S> class NewtonProjection : public NearestProjection<S> {
public:
    NewtonProjection(Manifold<S>& manifold, const ProjectionOptions& options)
        : NewtonProjection(manifold, options, 1) {}

    std::string_view name() const override { return "newton"; }

protected:
    // A matrix serves `renewal` iterations.
    NewtonProjection(Manifold<S>& manifold, const ProjectionOptions& options, int renewal);

    bool solve_normal(const S* df, const S* b, S* mu) override;
    bool solve_first(const S* df, const S* b, S* mu) override;
    bool find_step(S t, const S* x, int k) override;
    bool move_at_once(S* x) override;

private:
    using Base = NearestProjection<S>;
    using Base::counts_, Base::df_, Base::dmu_, Base::dp_, Base::f_, Base::gradient_, Base::k_, Base::m_,
        Base::manifold_, Base::mu_;

    bool factor(S t, const S* x);
    void solve_matrix();
    void solve_by_normal();

    int renewal_;
    bool is_normal_ = false; // what was factorised last
    LagrangeMatrix<S> matrix_;
    linalg::NormalSolver<S> normal_;
    std::optional<Sphere<S>> sphere_;
    std::optional<linalg::ConjugateGradient<S>> by_iteration_; // of the first step
    linalg::Vector<S> curvature_, b_, frozen_;                 // frozen_: df of normal_
};

extern template class NewtonProjection<double>;
extern template class NewtonProjection<Quad>;

struct ProjectionKind;
extern const ProjectionKind newton_projection; // kind.hpp

} // namespace vessiot
