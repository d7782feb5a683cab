// What a one-step method sees of a problem: a direction at every point, and a way back onto the manifold.
//
// The curve is x(tau): in time parametrisation tau = t and x = u, the coordinates of the manifold at that t; in
// arclength tau = s and x = (u, t). Vectors of x are aligned and padded with zeros (linalg/vector.hpp).
#pragma once

#include <cstdint>

namespace vessiot {

enum class PointStatus : std::uint8_t {
    good,
    not_finite,    // outside of the domain of a function, or overflow
    singular,      // no unique direction, or dependent constraints
    not_converged, // a projection that found no point of the manifold
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
};

} // namespace vessiot
