// Which points of a run are drawn: enough to look smooth, and not too many.
#pragma once

#include <cstddef>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot::io {

constexpr std::size_t most_points = 4000; // of a line

// Rows of values at some t: those of the solution, or taken from its curve.
struct Table {
    std::vector<double> t;
    std::vector<double> values;
    std::size_t width = 0;

    std::vector<double> column(std::size_t j) const;
};

// With points between the steps where the solution has its curve.
Table table_of(const Solution& solution);

// For plots over t: of each piece the lowest and the highest point, in their order, or only the highest one.
void thin_out_peaks(std::vector<double>& x, std::vector<double>& y, bool is_upper_only = false);

// For curves: leaves out points that are hardly apart from the last one, in parts of the whole extent of the curve, and
// more of them until at most `most` are left. Returns the distance of those that stay.
double thin_out_path(std::vector<double>& x, std::vector<double>& y, std::vector<double>& z, std::size_t most);

} // namespace vessiot::io
