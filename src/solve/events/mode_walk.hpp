// Modes that agree with what follows from them, where setting them in turn goes round in a circle: equations of straight
// pieces (limiters, ideal diodes) that determine what their own conditions read.
//
// A continuous function of straight pieces is solved by going straight to the solution of the present pieces, as far as
// these reach: where a surface is met, its mode switches there, and the way goes on from that point (Katzenelson).
#pragma once

#include <functional>

#include "linalg/vector.hpp"
#include "solve/events/surfaces.hpp"

namespace vessiot {

// A point and the tops there.
template <class S> struct ModePoint {
    linalg::Vector<S> u;
    std::vector<S> w;
};

// Where the equations are solved with the modes as they are; false: nowhere.
template <class S> using SolvedWithModes = std::function<bool(ModePoint<S>&)>;

// From this point to one at which the modes fit, and sets these. False where none was met.
template <class S> bool walk_to_modes(Surfaces<S>& surfaces, S t, ModePoint<S>& point, const SolvedWithModes<S>& solved);

// The way without a change of u.
template <class S> bool walk_to_modes(Compiled<S>& problem, Surfaces<S>& surfaces, S t, const linalg::Vector<S>& u);

// Where a branch of solutions ends at the surface of `function`: the only other modes of what depends on tops that fit
// at this point, away from that surface. False, and no change, where there are none, several, or too many to be tried.
template <class S>
bool take_other_modes(Compiled<S>& problem, Surfaces<S>& surfaces, S t, const linalg::Vector<S>& u,
                      std::size_t function);

#define VESSIOT_MODE_WALK(S)                                                                                          \
    extern template bool walk_to_modes(Surfaces<S>&, S, ModePoint<S>&, const SolvedWithModes<S>&);                    \
    extern template bool walk_to_modes(Compiled<S>&, Surfaces<S>&, S, const linalg::Vector<S>&);                      \
    extern template bool take_other_modes(Compiled<S>&, Surfaces<S>&, S, const linalg::Vector<S>&, std::size_t);
VESSIOT_MODE_WALK(double)
VESSIOT_MODE_WALK(Quad)
#undef VESSIOT_MODE_WALK

} // namespace vessiot
