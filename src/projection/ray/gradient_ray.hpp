// The projection `gradient-ray`: along a ray of the gradient. [Liu06, section 5]
//
//   a            the point to be projected, n = grad rho(a) / |grad rho(a)|
//   grad rho(x) = X n,   rho(x) = 0       solved for x and the length X, from x = a, X = |grad rho(a)|
//
// by Newton's method. With r = grad rho(x) - X n, H = rho''(x), u = H^-1 r, v = H^-1 n:
//
//   dX = (grad rho.u - rho) / (grad rho.v),   dx = dX v - u
//
// grad rho.v = X n.H^-1 n is not 0 for a convex or concave rho, so that these rays are never tangent to a level set, as
// those of `ray` may be. For one constraint. The rules that end it, and what is done where it fails, are those of
// ray.hpp. Cost: df, the second derivatives and a factorisation an iteration.
#pragma once

#include <memory>
#include <string>

#include "projection/convergence.hpp"
#include "projection/ray/gradient_map.hpp"
#include "projection/ray/ray.hpp"

namespace vessiot {

template <class S> class GradientRayProjection final : public Projection<S> {
public:
    GradientRayProjection(Manifold<S>& manifold, const RayOptions& options);

    std::string_view name() const override { return "gradient-ray"; }
    void begin_step(S tau, const S* x) override;
    void retry() override;
    void forget() override;
    ProjectionReport<S> project(S tau, S* x) override;
    std::string failure() const override;
    std::string note(const ProjectionCounts& counts, std::int64_t n_projections,
                     std::string_view independent) const override {
        return note_of_fallbacks(counts, n_projections, independent);
    }

private:
    using Projection<S>::counts_;

    bool is_done(S r, int iteration) const;
    PointStatus iterate(S tau, S* x, ProjectionReport<S>& report);

    Manifold<S>& manifold_;
    RayOptions options_;
    S tolerance_;
    GradientMap<S> map_;
    Convergence<S> convergence_;
    linalg::Vector<S> a_, n_, y_, u_, v_;
    std::unique_ptr<Projection<S>> nearest_; // the fallback
    S increment_ = 0;
    bool has_failed_ = false;
};

extern template class GradientRayProjection<double>;
extern template class GradientRayProjection<Quad>;

struct ProjectionKind;
extern const ProjectionKind gradient_ray_projection; // kind.hpp

} // namespace vessiot
