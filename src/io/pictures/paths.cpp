#include "io/pictures/paths.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/pictures/shapes.hpp"

namespace vessiot::io {

namespace {

constexpr std::size_t most_path_points = 20'000; // of all lines of a trajectory
constexpr std::size_t n_bar_times = 5;

// The first main unknown and its derivative, or the next unknown.
std::optional<MovingPoints> phase_plot(const Solution& sol, const std::vector<Group>& groups) {
    if (groups.empty()) return std::nullopt;
    const std::size_t first = groups[0].columns[0];
    const auto derivative = std::ranges::find(sol.names, sol.names[first] + "'");
    std::optional<std::size_t> second;
    if (derivative != sol.names.end())
        second = static_cast<std::size_t>(derivative - sol.names.begin());
    else if (groups.size() > 1)
        second = groups[1].columns[0];
    else if (groups[0].columns.size() > 1)
        second = groups[0].columns[1];
    if (!second) return std::nullopt;
    return MovingPoints{.axes = {sol.names[first], sol.names[*second]}, .titles = {""}, .columns = {{first, *second}}};
}

// Where the events are on a curve.
void mark_events(const Solution& sol, const std::vector<std::size_t>& columns, Line& marks) {
    for (const EventPoint& e : sol.events) {
        if (columns.back() >= e.values.size()) continue;
        marks.x.push_back(e.values[columns[0]]);
        marks.y.push_back(e.values[columns[1]]);
        if (columns.size() > 2) marks.z.push_back(e.values[columns[2]]);
    }
}

// All bars at n_bar_times places of the run, the last one at its end; numbers that are none part them.
Line bars_at(const Table& table, const MovingPoints& points, const std::vector<Bar>& bars, std::size_t row) {
    Line line;
    const auto value = [&](std::size_t column) { return table.values[row * table.width + column]; };
    for (const Bar& bar : bars) {
        const std::vector<std::size_t>& a = points.columns[bar.a];
        for (int end = 0; end < 3; ++end) {
            const auto coordinate = [&](std::size_t d) {
                if (end == 2) return static_cast<double>(NAN);
                if (end == 0) return value(a[d]);
                return bar.b ? value(points.columns[*bar.b][d]) : bar.place[d];
            };
            line.x.push_back(coordinate(0));
            line.y.push_back(coordinate(1));
            if (a.size() > 2) line.z.push_back(coordinate(2));
        }
    }
    return line;
}

} // namespace

std::optional<Panel> trajectory(const Solution& sol, const Table& table, const std::vector<Group>& groups,
                                const std::vector<Bar>& bars) {
    const auto places = moving_points(sol);
    const auto points = places ? places : phase_plot(sol, groups);
    if (!points) return std::nullopt;
    Panel panel{.kind = PanelKind::trajectory, .x_label = points->axes[0], .y_label = points->axes[1]};
    if (points->axes.size() > 2) panel.z_label = points->axes[2];
    std::vector<std::size_t> all(points->columns.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
    const std::vector<std::size_t> drawn = spread(all, most_lines);
    Range x, y;
    Line marks;
    for (const std::size_t k : drawn) {
        const std::vector<std::size_t>& columns = points->columns[k];
        Line line{.title = drawn.size() == 1 ? "" : points->titles[k]};
        line.x = table.column(columns[0]);
        line.y = table.column(columns[1]);
        if (columns.size() > 2) line.z = table.column(columns[2]);
        const double distance = thin_out_path(line.x, line.y, line.z, most_path_points / drawn.size());
        panel.is_scatter |= distance > 0.03; // lines between them would be chords
        x.add(line.x);
        y.add(line.y);
        mark_events(sol, columns, marks);
        panel.lines.push_back(std::move(line));
    }
    if (!marks.x.empty()) panel.marks.push_back(std::move(marks));
    if (places && !bars.empty() && !table.t.empty())
        for (std::size_t k = 0; k < n_bar_times; ++k)
            panel.bars.push_back(bars_at(table, *points, bars, k * (table.t.size() - 1) / (n_bar_times - 1)));
    // Populations are called x and y, too: only where it can be seen well.
    panel.has_equal_axes = places && x.size() < 5 * y.size() && y.size() < 5 * x.size();
    panel.is_space = places.has_value();
    panel.has_points = table.t.size() <= few_points;
    return panel;
}

Panel drawn_in(const Solution& sol, const std::vector<std::string>& axes) {
    if (axes.size() < 2 || axes.size() > 3)
        throw InvalidInput(fmt::format("a plot has two axes or three, but {} were named", axes.size()));
    const bool is_section = !sol.section.empty();
    Panel panel{.kind = PanelKind::trajectory,
                .x_label = axes[0],
                .y_label = axes[1],
                .z_label = axes.size() > 2 ? axes[2] : ""};
    const auto values = [&](const std::string& name) { return name == sol.independent ? sol.t : sol.column(name); };
    Line line{.title = "", .x = values(axes[0]), .y = values(axes[1])};
    if (axes.size() > 2) line.z = values(axes[2]);
    if (!is_section) thin_out_path(line.x, line.y, line.z, most_path_points);
    panel.is_scatter = is_section;
    panel.has_room = true;
    panel.has_points = sol.t.size() <= few_points;
    panel.lines.push_back(std::move(line));
    return panel;
}

std::vector<std::string> section_axes(const Solution& sol, const std::vector<Group>& groups) {
    double largest = 0;
    const auto size_of = [&](std::size_t j) {
        Range range;
        range.add(sol.column(sol.names[j]));
        return range.size();
    };
    for (std::size_t j = 0; j < sol.names.size(); ++j) largest = std::max(largest, size_of(j));
    const auto changes = [&](std::size_t j) { return size_of(j) > 1e-9 * largest; };
    std::vector<std::string> axes;
    for (const Group& g : groups)
        for (const std::size_t j : g.columns) {
            if (axes.size() == 2 || !changes(j)) continue;
            axes.push_back(sol.names[j]);
            const auto derivative = std::ranges::find(sol.names, sol.names[j] + "'");
            if (axes.size() == 1 && derivative != sol.names.end()) axes.push_back(*derivative);
        }
    for (std::size_t j = 0; j < sol.names.size() && axes.size() < 2; ++j)
        if (std::ranges::find(axes, sol.names[j]) == axes.end()) axes.push_back(sol.names[j]);
    if (axes.size() < 2) axes.push_back(axes[0]);
    return axes;
}

} // namespace vessiot::io
