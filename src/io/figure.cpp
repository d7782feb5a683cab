// Notation: a main unknown is one without primes that is no multiplier; a group is an array x[1], x[2], … of them, or a
// scalar.
#include "io/figure.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/element_name.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/sampling.hpp"
#include "lang/syntax/number_text.hpp"

namespace vessiot::io {

namespace {

constexpr std::size_t most_lines = 8;
constexpr std::size_t few_points = 40;
constexpr std::size_t most_path_points = 20'000; // of all lines of a trajectory

struct Range {
    double low = INFINITY, high = -INFINITY;

    void add(const std::vector<double>& values) {
        for (const double v : values) {
            if (!std::isfinite(v)) continue;
            low = std::min(low, v);
            high = std::max(high, v);
        }
    }
    double size() const { return high > low ? high - low : 0; }
    double magnitude() const { return high >= low ? std::max(std::abs(low), std::abs(high)) : 0; }
};

struct Group {
    std::string base;                 // x of x[3]
    std::vector<std::size_t> columns; // of its elements
};

std::vector<Group> main_groups(const Solution& sol) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> known;
    for (std::size_t j = 0; j < sol.names.size(); ++j) {
        const std::string& name = sol.names[j];
        if (name.ends_with('\'')) continue;
        const std::string base = array_name(name);
        const auto [it, is_new] = known.try_emplace(base, groups.size());
        if (is_new) groups.push_back({base, {}});
        groups[it->second].columns.push_back(j);
    }
    const auto is_multiplier = [](const Group& g) { return g.base == "lambda" || g.base == "λ"; };
    if (!std::ranges::all_of(groups, is_multiplier)) std::erase_if(groups, is_multiplier);
    return groups;
}

// n of them, the first and the last included.
std::vector<std::size_t> spread(const std::vector<std::size_t>& columns, std::size_t n) {
    if (columns.size() <= n) return columns;
    std::vector<std::size_t> chosen;
    chosen.reserve(n);
    for (std::size_t k = 0; k < n; ++k) chosen.push_back(columns[n == 1 ? 0 : k * (columns.size() - 1) / (n - 1)]);
    return chosen;
}

// Times that grow by orders of magnitude, as in chemistry: half of the steps lie in the first thousandth.
bool is_logarithmic(const std::vector<double>& t) {
    if (t.size() < 10 || t.front() < 0 || !(t.back() > t.front())) return false;
    return t[t.size() / 2] - t.front() < 1e-3 * (t.back() - t.front());
}

// "10^4 y", where a curve would lie on the axis beside the others.
std::string superscript(int n) {
    static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text;
    for (const char c : std::to_string(n)) text += c == '-' ? "⁻" : digits[c - '0'];
    return text;
}

void enlarge_small(std::vector<Line>& lines) {
    double largest = 0;
    std::vector<double> sizes;
    for (const Line& line : lines) {
        Range range;
        range.add(line.y);
        sizes.push_back(range.magnitude());
        largest = std::max(largest, sizes.back());
    }
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (sizes[k] == 0 || sizes[k] > 0.01 * largest) continue;
        const int power = static_cast<int>(std::floor(std::log10(largest / sizes[k])));
        if (power > 300) continue;
        for (double& y : lines[k].y) y *= std::pow(10.0, power);
        lines[k].title = fmt::format("{} · 10{}", lines[k].title, superscript(power));
    }
}

Panel over_time(const Solution& sol, const Table& table, const std::vector<Group>& groups) {
    Panel panel{.kind = PanelKind::over_time, .x_label = sol.independent, .y_label = ""};
    const std::size_t n_groups = std::min(groups.size(), most_lines);
    std::size_t n_all = 0;
    for (const Group& g : groups) n_all += g.columns.size();
    for (std::size_t g = 0; g < n_groups; ++g)
        for (const std::size_t j : spread(groups[g].columns, most_lines / n_groups)) {
            Line line{.title = sol.names[j], .x = table.t, .y = table.column(j)};
            thin_out_peaks(line.x, line.y);
            panel.lines.push_back(std::move(line));
        }
    if (panel.lines.size() < n_all)
        panel.y_label = fmt::format("{} of {} unknowns", panel.lines.size(), n_all);
    else if (n_all == 1)
        panel.y_label = panel.lines[0].title;
    if (n_all == 1) panel.lines[0].title.clear();
    enlarge_small(panel.lines);
    panel.is_log_x = is_logarithmic(table.t);
    panel.has_points = table.t.size() <= few_points;
    return panel;
}

const Group* find_group(const std::vector<Group>& groups, std::string_view base, std::size_t size) {
    const auto it = std::ranges::find(groups, base, &Group::base);
    return it != groups.end() && (size == 0 || it->columns.size() == size) ? &*it : nullptr;
}

// The columns to draw against each other, for each line; in the plane `z` is missing.
struct Axes {
    std::string x, y, z;
    std::vector<std::vector<std::size_t>> lines;
    bool is_space = false; // real space: lengths in all directions compare
};

std::optional<Axes> axes_of(const Solution& sol, const std::vector<Group>& groups) {
    const Group* x = find_group(groups, "x", 0);
    const Group* y = x ? find_group(groups, "y", x->columns.size()) : nullptr;
    const Group* z = y ? find_group(groups, "z", x->columns.size()) : nullptr;
    if (y) {
        Axes axes{.x = "x", .y = "y", .z = z ? "z" : "", .lines = {}, .is_space = true};
        std::vector<std::size_t> all(x->columns.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
        for (const std::size_t k : spread(all, most_lines)) {
            axes.lines.push_back({x->columns[k], y->columns[k]});
            if (z) axes.lines.back().push_back(z->columns[k]);
        }
        return axes;
    }
    if (groups.empty()) return std::nullopt;
    if (groups[0].columns.size() == 3 && (groups[0].base == "x" || groups[0].base == "q")) { // one point, as a vector
        const std::vector<std::size_t>& c = groups[0].columns;
        return Axes{.x = sol.names[c[0]], .y = sol.names[c[1]], .z = sol.names[c[2]], .lines = {c}, .is_space = true};
    }
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
    return Axes{.x = sol.names[first], .y = sol.names[*second], .z = "", .lines = {{first, *second}}};
}

std::optional<Panel> trajectory(const Solution& sol, const Table& table, const std::vector<Group>& groups) {
    const auto axes = axes_of(sol, groups);
    if (!axes) return std::nullopt;
    Panel panel{.kind = PanelKind::trajectory, .x_label = axes->x, .y_label = axes->y, .z_label = axes->z};
    Range x, y;
    for (const std::vector<std::size_t>& columns : axes->lines) {
        const std::string& name = sol.names[columns[0]];
        Line line{.title = axes->lines.size() == 1 ? "" : name.substr(name.find('['))};
        line.x = table.column(columns[0]);
        line.y = table.column(columns[1]);
        if (columns.size() > 2) line.z = table.column(columns[2]);
        const double distance = thin_out_path(line.x, line.y, line.z, most_path_points / axes->lines.size());
        panel.is_scatter |= distance > 0.03; // lines between them would be chords
        x.add(line.x);
        y.add(line.y);
        panel.lines.push_back(std::move(line));
    }
    // Populations are called x and y, too: only where it can be seen well.
    panel.has_equal_axes = axes->is_space && x.size() < 5 * y.size() && y.size() < 5 * x.size();
    panel.has_points = table.t.size() <= few_points;
    return panel;
}

// The reported points in the axes asked for: of a section as points, else as a line.
Panel drawn_in(const Solution& sol, const std::vector<std::string>& axes) {
    if (axes.size() < 2 || axes.size() > 3)
        throw InvalidInput(fmt::format("a plot has two axes or three, but {} were named", axes.size()));
    const bool is_section = !sol.section.empty();
    Panel panel{.kind = PanelKind::trajectory,
                .x_label = axes[0],
                .y_label = axes[1],
                .z_label = axes.size() > 2 ? axes[2] : ""};
    Line line{.title = "", .x = sol.column(axes[0]), .y = sol.column(axes[1])};
    if (axes.size() > 2) line.z = sol.column(axes[2]);
    if (!is_section) thin_out_path(line.x, line.y, line.z, most_path_points);
    panel.is_scatter = is_section;
    panel.has_room = true;
    panel.has_points = sol.t.size() <= few_points;
    panel.lines.push_back(std::move(line));
    return panel;
}

// Of a section: the first unknown that changes from crossing to crossing, and its derivative, or else the next one.
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

bool has_point(const Line& line) {
    for (std::size_t k = 0; k < line.x.size(); ++k)
        if (std::isfinite(line.x[k]) && std::isfinite(line.y[k])) return true;
    return false;
}

// Residual or step size of every step; nothing where there is nothing to see.
std::optional<Panel> over_steps(const Solution& sol, PanelKind kind, double StepTrace::* member, const char* label,
                                bool is_log_x) {
    Panel panel{.kind = kind, .x_label = sol.independent, .y_label = label};
    Line line{.title = ""};
    Range range;
    for (const StepTrace& step : sol.trace) {
        const double value = std::abs(step.*member);
        line.x.push_back(step.t);
        line.y.push_back(value > 0 ? value : NAN);
    }
    range.add(line.y);
    if (!(range.magnitude() > 0) || line.x.size() < 2) return std::nullopt;
    panel.has_points = line.x.size() <= few_points;
    panel.is_scatter = kind == PanelKind::residual; // it jumps from step to step
    thin_out_peaks(line.x, line.y, kind == PanelKind::residual);
    panel.is_log_x = is_log_x;
    panel.is_log_y = true;
    panel.lines.push_back(std::move(line));
    return panel;
}

} // namespace

Figure make_figure(const Solution& sol, const std::vector<std::string>& axes) {
    Figure figure;
    const std::string accuracy =
        sol.method.step > 0
            ? "step " + lang::number_text(sol.method.step)
            : fmt::format("rtol {}, atol {}", lang::number_text(sol.method.rtol), lang::number_text(sol.method.atol));
    figure.title = fmt::format("{}: {}, {}{}", sol.model, sol.method.name, accuracy,
                               sol.status == Status::success ? "" : fmt::format(" ({})", name(sol.status)));
    const std::vector<Group> groups = main_groups(sol);
    if (!sol.section.empty()) {
        figure.title = fmt::format("{}: {} of {}, {}, {}", sol.model,
                                   plural(std::max(sol.t.size(), static_cast<std::size_t>(sol.n_points)), "crossing"),
                                   sol.section, sol.method.name, accuracy);
        if (!sol.t.empty()) figure.panels.push_back(drawn_in(sol, axes.empty() ? section_axes(sol, groups) : axes));
        return figure;
    }
    const Table table = table_of(sol);
    const auto add = [&](std::optional<Panel> panel) {
        if (!panel) return;
        std::erase_if(panel->lines, [](const Line& line) { return !has_point(line); });
        panel->has_room = panel->kind == PanelKind::trajectory || !sol.s.empty();
        if (!panel->lines.empty()) figure.panels.push_back(std::move(*panel));
    };
    if (!groups.empty() && !table.t.empty()) {
        add(over_time(sol, table, groups));
        add(axes.empty() ? trajectory(sol, table, groups) : drawn_in(sol, axes));
    }
    const bool is_log = !figure.panels.empty() && figure.panels[0].is_log_x;
    add(over_steps(sol, PanelKind::residual, &StepTrace::residual, "constraint residual", is_log));
    if (sol.method.step == 0)
        add(over_steps(sol, PanelKind::step, &StepTrace::h, sol.s.empty() ? "step size" : "step of arclength", is_log));
    return figure;
}

} // namespace vessiot::io
