// The sets of unknowns whose lengths satisfy constraints (projection/ray.hpp): read from an option, or chosen; checked
// at the start point.
#pragma once

#include <memory>

#include "projection/ray/ray.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/start/start.hpp"

namespace vessiot {

// The sets that `options.partition` names; all coordinates where rays do not project. Throws InvalidInput where they do
// not fit the constraints, have no direction at the start point, or where the lengths cannot satisfy the constraints
// there or near.
template <class S>
std::shared_ptr<Partition> make_partition(Compiled<S>& problem, const SolveOptions& options,
                                          const StartPoint<S>& start);

// `ray` or `gradient-ray`, as the options say.
template <class S>
std::unique_ptr<Projection<S>> make_ray_projection(Compiled<S>& problem, const SolveOptions& options,
                                                   const ProjectionOptions& common,
                                                   std::shared_ptr<Partition> partition);

// Null where the projection is none along rays.
template <class S> const RayCounts* ray_counts(const Projection<S>* projection);

// Says how often, and where first, the nearest point was taken.
void note_fallbacks(Solution& solution, const RayCounts& counts);

extern template std::shared_ptr<Partition> make_partition(Compiled<double>&, const SolveOptions&,
                                                          const StartPoint<double>&);
extern template std::shared_ptr<Partition> make_partition(Compiled<expr::Quad>&, const SolveOptions&,
                                                          const StartPoint<expr::Quad>&);
extern template std::unique_ptr<Projection<double>>
make_ray_projection(Compiled<double>&, const SolveOptions&, const ProjectionOptions&, std::shared_ptr<Partition>);
extern template std::unique_ptr<Projection<expr::Quad>>
make_ray_projection(Compiled<expr::Quad>&, const SolveOptions&, const ProjectionOptions&, std::shared_ptr<Partition>);
extern template const RayCounts* ray_counts(const Projection<double>*);
extern template const RayCounts* ray_counts(const Projection<expr::Quad>*);

} // namespace vessiot
