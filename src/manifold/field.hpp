// What a one-step method sees of a problem: a direction at every point, and a way back onto the manifold.
//
// The curve is x(tau): in time parametrisation tau = t and x = u, the coordinates of the manifold at that t; in
// arclength tau = s and x = (u, t). Vectors of x are aligned and padded with zeros (linalg/vector.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/quad.hpp"

namespace vessiot {

enum class PointStatus : std::uint8_t {
    good,
    not_finite,    // outside of the domain of a function, or overflow
    singular,      // no unique direction, or dependent constraints
    not_converged, // a projection that found no point of the manifold
};

// The stages of an explicit Runge-Kutta step before its result is known, the first among them:
//   x_i = x + h sum_j a_ij k_j,   k_i = V(tau + c_i h, x_i),   end = x + h sum_j b_j k_j
struct StagePlan {
    std::size_t n = 0;      // stages
    std::size_t stride = 0; // row i of a begins at a[i * stride]
    std::span<const Quad> a, b, c;
    std::span<const Quad> x{}; // where given, the coordinates at which the field is known to be asked
};

// All of them in one call, with the same bits as one by one.
template <class S> class Stages {
public:
    Stages() = default;
    Stages(const Stages&) = delete;
    Stages& operator=(const Stages&) = delete;
    virtual ~Stages() = default;

    // It may take time until it is worth calling.
    virtual bool is_ready() const = 0;
    // k[0] is given; k[1] .. k[n-1] and end are written. Does not allocate.
    virtual void operator()(S tau, S h, const S* x, S* const* k, S* end) = 0;
};

// x' = V(tau, x).
template <class S> class Field {
public:
    Field() = default;
    Field(const Field&) = delete;
    Field& operator=(const Field&) = delete;
    virtual ~Field() = default;

    virtual std::int64_t size() const = 0;
    // Writes size() numbers of dx; the padding is left alone. `good` may be said of a direction that is not finite: the
    // caller looks. Does not allocate.
    virtual PointStatus direction(S tau, const S* x, S* dx) = 0;
    // The direction at the current point: one near it is not opposite to it.
    virtual void follow(const S* /*dx*/) {}
    // Null where the field cannot do that.
    virtual Stages<S>* stages(const StagePlan& /*plan*/) { return nullptr; }
};

} // namespace vessiot
