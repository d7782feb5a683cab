// What a plot of a solution shows, apart from how it is drawn.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot::io {

struct Line {
    std::string title; // in the legend; empty: not there
    std::vector<double> x{}, y{};
    std::vector<double> z{}; // empty: in the plane
    bool has_gaps = false;   // where numbers are not finite
    bool is_faint = false;   // thin and grey: what the others are seen on
};

// Values over a rectangle, row after row from below (of snapshots from above), in n_x columns.
struct Map {
    std::string title; // of a snapshot
    std::size_t n_x = 0, n_y = 0;
    double x_low = 0, x_high = 0;
    std::vector<double> values{};
};

// A point keeps its distance to another one, or to a place, as a constraint of the model says.
struct Bar {
    std::size_t a = 0; // number of the point (shapes.hpp)
    std::optional<std::size_t> b{};
    std::array<double, 3> place{};
};

enum class PanelKind {
    over_time,  // the unknowns over t
    trajectory, // in the plane or in space, or a phase plot
    field,      // over indices, in colours
    output,     // the outputs over t
    residual,   // of the constraints
    step,       // step sizes
};

struct Panel {
    PanelKind kind;
    std::string x_label, y_label;
    std::string z_label{};
    bool is_log_x = false, is_log_y = false;
    bool has_equal_axes = false;
    bool has_room = false;   // beside the lines, too: t can turn back
    bool has_points = false; // few points are marked
    bool is_scatter = false; // points only
    bool is_space = false;   // lengths in all directions compare
    double noise = 0;        // what is smaller is round-off, and not enlarged
    std::vector<Line> lines{};
    std::vector<Line> marks{}; // events: over t at the lower border, y is not read; on curves where they are
    std::vector<Line> bars{};  // at some times, the last ones at the end
    std::vector<Map> maps{};   // one over t, or snapshots
    std::string map_title{};
};

struct Figure {
    std::string title;
    std::vector<Panel> panels; // in the order of PanelKind; trajectories may be several
};

// Names of unknowns or outputs, or the independent variable, two or three of them.
using AxisNames = std::vector<std::string>;

// Of what is interesting about a solution: its main unknowns over t, at most eight of them, with the events; the
// trajectory of points (shapes.hpp) with their bars, a field in colours, or a phase plot; the outputs over t; the
// residual of the constraints and the step sizes. Long runs are thinned out such that no peak gets lost. Of a section:
// its points alone.
// `axes`: what is drawn against each other, a panel each, in the place of the trajectory; none: chosen.
// Throws InvalidInput for another number of names, and for one that there is not.
Figure make_figure(const Solution& solution, const std::vector<AxisNames>& axes = {},
                   const std::vector<Bar>& bars = {});

} // namespace vessiot::io
