// Pictures of a solution, drawn by gnuplot.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot::io {

struct Figure;
struct Bar;

// .svg or .png
bool is_plot_name(std::string_view path);

// Throws InvalidInput for another ending, and where the axes do not fit (figure.hpp); OutputFailed where gnuplot is
// missing or the file cannot be written.
void write_plot(const Solution& solution, const std::string& path,
                const std::vector<std::vector<std::string>>& axes = {}, const std::vector<Bar>& bars = {});

// The words of gnuplot for a picture that goes to the file `output`.
using PlotScript = std::function<std::string(bool is_svg, const std::string& output)>;
// Draws it into the file `path`. Throws as write_plot.
void draw(const PlotScript& make_script, const std::string& path);
// How every script begins: the size of the picture, where it goes, lines and labels.
std::string plot_head(bool is_svg, const std::string& output);
// A name as a string of gnuplot: nothing in it ends the string or the line, and control characters are written out.
std::string plot_text(std::string_view text);

// What gnuplot is told; the picture goes to the file `output`.
std::string plot_script(const Figure& figure, bool is_svg, const std::string& output);

} // namespace vessiot::io
