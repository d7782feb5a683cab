// The projection `post`: one step of Newton's method towards the nearest point, and no more. [Asc97; AP91]
//
//   p = a - B^T (B B^T)^-1 f(a),   B = df(a)
//
// Post-stabilisation: what is left of f is of the order of its square, and falls with every step; the constraints are
// not met to round-off. Applied to the result of a step of any method it costs one df and one factorisation.
#pragma once

#include "linalg/solver/normal_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "projection/options.hpp"
#include "projection/projection.hpp"

namespace vessiot {

template <class S> class PostProjection final : public Projection<S> {
public:
    explicit PostProjection(Manifold<S>& manifold);

    std::string_view name() const override { return "post"; }
    void begin_step(S, const S*) override {}
    ProjectionReport<S> project(S tau, S* x) override;

private:
    using Projection<S>::counts_;

    Manifold<S>& manifold_;
    linalg::NormalSolver<S> solver_;
    linalg::Vector<S> f_, df_, d_;
};

extern template class PostProjection<double>;
extern template class PostProjection<Quad>;

struct ProjectionKind;
extern const ProjectionKind post_projection; // kind.hpp

} // namespace vessiot
