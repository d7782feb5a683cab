// A prepared run for methods that work on the equations as they stand: other coordinates, the same start point.
#pragma once

#include "solve/problem/prepare.hpp"

namespace vessiot {

// All unknowns with their derivatives below the highest are coordinates then, also those that follow from hidden
// constraints. The start point is that of the completed system, so that it satisfies these. Throws InvalidInput where
// there are more equations than unknowns, or fewer.
template <class S> Prepared<S> as_written(const System& system, const Settings& options, const Prepared<S>& completed);

// How far the points of a run are off the constraints of the completed system, hidden ones included, at most: by the
// largest term of each. Infinite where no point of the manifold is near one of them. Takes memory.
struct HiddenResiduals {
    double largest = 0, last = 0; // of all points, and of the last one
};
template <class S> HiddenResiduals hidden_residuals(const Prepared<S>& completed, const Solution& solution);

extern template Prepared<double> as_written(const System&, const Settings&, const Prepared<double>&);
extern template Prepared<Quad> as_written(const System&, const Settings&, const Prepared<Quad>&);
extern template HiddenResiduals hidden_residuals(const Prepared<double>&, const Solution&);
extern template HiddenResiduals hidden_residuals(const Prepared<Quad>&, const Solution&);

} // namespace vessiot
