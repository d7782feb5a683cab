// Pictures of a solution, drawn by gnuplot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot::io {

struct Figure;

// .svg or .png
bool is_plot_name(std::string_view path);

// Throws InvalidInput for another ending, and where the axes do not fit (figure.hpp); OutputFailed where gnuplot is
// missing or the file cannot be written.
void write_plot(const Solution& solution, const std::string& path, const std::vector<std::string>& axes = {});

// What gnuplot is told; the picture goes to the file `output`.
std::string plot_script(const Figure& figure, bool is_svg, const std::string& output);

} // namespace vessiot::io
