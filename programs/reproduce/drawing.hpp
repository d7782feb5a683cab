// Pieces of figures, and their files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/figure.hpp"
#include "vessiot/solution.hpp"

namespace vessiot::reproduce {

// Some unknowns or outputs over the independent variable.
io::Panel over_time(const Solution& solution, const std::vector<std::string>& names, const std::string& y_label);

// One of them over another one, or in space.
io::Panel trajectory(const Solution& solution, const std::vector<std::string>& names);
// Its shadow on the plane of the first two, to be drawn beside it.
io::Panel shadow(const Solution& solution, const std::vector<std::string>& names);

// The sizes of the steps over the independent variable.
io::Panel step_sizes(const Solution& solution);

// Chains: the places (x[i], y[i]) at one point of the solution.
io::Panel configuration(const Solution& solution, std::size_t point);

// Draws it with gnuplot into an .svg or .png file. Throws OutputFailed.
void write_figure(const io::Figure& figure, const std::string& path);

} // namespace vessiot::reproduce
