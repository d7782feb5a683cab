// Curves of points in the plane and in space, and of names against each other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/figure.hpp"
#include "io/pictures/columns.hpp"
#include "io/sampling.hpp"

namespace vessiot::io {

// The trajectories of moving points, with bars between some of them at a few times, or else a phase plot.
std::optional<Panel> trajectory(const Solution& solution, const Table& table, const std::vector<Group>& groups,
                                const std::vector<Bar>& bars);

// The reported points in these axes: of a section as points, else as a line. Throws InvalidInput as make_figure.
Panel drawn_in(const Solution& solution, const std::vector<std::string>& axes);

// Of a section: the first unknown that changes from crossing to crossing, and its derivative, or else the next one.
std::vector<std::string> section_axes(const Solution& solution, const std::vector<Group>& groups);

} // namespace vessiot::io
