// A prepared run for methods that work on the equations as they stand: other coordinates, the same start point.
#pragma once

#include "solve/prepare.hpp"

namespace vessiot {

// All unknowns with their derivatives below the highest are coordinates then, also those that follow from hidden
// constraints. The start point is that of the completed system, so that it satisfies these. Throws InvalidInput where
// there are more equations than unknowns, or fewer.
template <class S>
Prepared<S> as_written(const System& system, const SolveOptions& options, const Prepared<S>& completed);

// How far the last point of a run is off the constraints of the completed system, hidden ones included, by the largest
// term of each; negative where they contain more than is reported.
template <class S> double hidden_residual(const Prepared<S>& completed, const Solution& solution);

extern template Prepared<double> as_written(const System&, const SolveOptions&, const Prepared<double>&);
extern template Prepared<expr::Quad> as_written(const System&, const SolveOptions&, const Prepared<expr::Quad>&);
extern template double hidden_residual(const Prepared<double>&, const Solution&);
extern template double hidden_residual(const Prepared<expr::Quad>&, const Solution&);

} // namespace vessiot
