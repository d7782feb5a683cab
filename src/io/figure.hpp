// What a plot of a solution shows, apart from how it is drawn.
#pragma once

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

enum class PanelKind {
    over_time,  // the unknowns over t
    trajectory, // in the plane or in space, or a phase plot
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
    std::vector<Line> lines{};
};

struct Figure {
    std::string title;
    std::vector<Panel> panels; // each kind at most once, in the order of PanelKind
};

// Of what is interesting about a solution: its main unknowns over t, at most eight of them; the trajectory of points
// (x, y), (x, y, z) or (x[i], y[i], …), or a phase plot; the residual of the constraints and the step sizes. Long runs
// are thinned out such that no peak gets lost. Of a section: its points alone.
// `axes`: two or three names of unknowns or outputs, which the trajectory or the section is drawn in; none: chosen.
// Throws InvalidInput for another number of names, and for one that there is not.
Figure make_figure(const Solution& solution, const std::vector<std::string>& axes = {});

} // namespace vessiot::io
