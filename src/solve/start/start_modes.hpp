// The start point of a system with conditions: it depends on their modes, and they on it.
#pragma once

#include "solve/start/start.hpp"

namespace vessiot {

// Modes are looked for that agree with the start point which follows from them, from what is given or guessed. Where
// conditions depend on what the equations determine and nobody guessed, other modes may have a point of their own
// (abs(z) = 2): then the model has to choose. What is discrete and set by events that are looked at always agrees with
// the point as well. Throws as make_start does.
template <class S> StartPoint<S> start_with_modes(Compiled<S>& problem, const Settings& options, Quad t);

extern template StartPoint<double> start_with_modes(Compiled<double>&, const Settings&, Quad);
extern template StartPoint<Quad> start_with_modes(Compiled<Quad>&, const Settings&, Quad);

} // namespace vessiot
