// The projection `chord`: the nearest point of the manifold (nearest.hpp) by Newton's method with a matrix that serves
// three iterations. [Tuomela, Arponen 2001, 5.3]
//
// F itself is new in each of them, so that the limit is that of `newton`. With the first step in closed form the first
// matrix is df df^T at the point to be projected, and usually the only one. Linear convergence, by a factor of about
// the distance from the manifold times its curvature; from the fourth iteration on its square.
#pragma once

#include "projection/newton.hpp"

namespace vessiot {

template <class S> class ChordProjection final : public NewtonProjection<S> {
public:
    ChordProjection(Manifold<S>& manifold, const ProjectionOptions& options)
        : NewtonProjection<S>(manifold, options, 3) {}

    std::string_view name() const override { return "chord"; }
};

struct ProjectionKind;
extern const ProjectionKind chord_projection; // kind.hpp

} // namespace vessiot
