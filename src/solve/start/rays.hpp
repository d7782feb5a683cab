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
std::shared_ptr<Partition> make_partition(Compiled<S>& problem, const Settings& options, const StartPoint<S>& start);

// What the options say of projections along rays.
RayRules ray_rules(const Settings& options);

// The names of coordinates. The analysis has to outlive them.
CoordinateName coordinate_names_of(const Analysis& analysis);

extern template std::shared_ptr<Partition> make_partition(Compiled<double>&, const Settings&,
                                                          const StartPoint<double>&);
extern template std::shared_ptr<Partition> make_partition(Compiled<Quad>&, const Settings&, const StartPoint<Quad>&);

} // namespace vessiot
