// A point of a step, on the manifold.
#pragma once

#include <vector>

#include "projection/consistent.hpp"
#include "projection/projection.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/run/segment.hpp"

namespace vessiot {

// The point at theta = 0 .. 1 of the segment, projected; false where no point of the manifold was found near. Without a
// projection the polynomial itself. Takes memory only where the projection fails: inside of long steps the polynomial
// may be far from the constraints, and damped steps find back.
template <class S>
bool place_on_curve(Compiled<S>& problem, Projection<S>* projection, const Segment<S>& segment, S theta,
                    linalg::Vector<S>& x) {
    segment.at(theta, x.data());
    if (!projection) return true;
    const S tau = segment.tau_at(theta);
    projection->forget();
    projection->begin_step(tau, x.data());
    if (projection->project(tau, x.data()).status == PointStatus::good) return true;
    segment.at(theta, x.data());
    std::vector<Freedom> all(static_cast<std::size_t>(problem.n_state()), Freedom::free);
    for (std::size_t k = 0; k < all.size(); ++k)
        if (problem.manifold().is_fixed(static_cast<std::int64_t>(k))) all[k] = Freedom::held;
    const S t = problem.analysis().is_arclength ? x[problem.n_state()] : tau;
    return make_consistent(problem.manifold(), t, x, all, Freedom::free, false).is_consistent;
}

} // namespace vessiot
