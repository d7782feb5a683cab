#include "io/figure.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/text.hpp"
#include "io/pictures/columns.hpp"
#include "io/pictures/maps.hpp"
#include "io/pictures/paths.hpp"
#include "io/sampling.hpp"
#include "lang/syntax/number_text.hpp"

namespace vessiot::io {

namespace {

constexpr std::size_t most_marked_names = 4; // of events
constexpr std::size_t most_marks = 400;

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

// Round-off is not enlarged: what is smaller than `noise`, or than the last digits of the others.
void enlarge_small(std::vector<Line>& lines, double noise) {
    double largest = 0;
    std::vector<double> sizes;
    for (const Line& line : lines) {
        Range range;
        range.add(line.y);
        sizes.push_back(range.magnitude());
        largest = std::max(largest, sizes.back());
    }
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (sizes[k] <= std::max(noise, 1e-12 * largest) || sizes[k] > 0.01 * largest) continue;
        const int power = static_cast<int>(std::floor(std::log10(largest / sizes[k])));
        for (double& y : lines[k].y) y *= std::pow(10.0, power);
        lines[k].title = fmt::format("{} · 10{}", lines[k].title, superscript(power));
    }
}

double noise_of(const Solution& sol) {
    return sol.method.step > 0 ? 0 : sol.method.atol;
}

// A line of marks for each name of an event, those of contacts and of samples included.
std::vector<Line> event_marks(const Solution& sol) {
    std::vector<Line> marks;
    for (const EventPoint& e : sol.events) {
        auto it = std::ranges::find(marks, e.name, &Line::title);
        if (it == marks.end()) {
            if (marks.size() == most_marked_names) continue;
            it = marks.insert(marks.end(), Line{.title = e.name});
        }
        if (it->x.size() < most_marks) it->x.push_back(e.t);
    }
    return marks;
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
    enlarge_small(panel.lines, noise_of(sol));
    panel.noise = noise_of(sol);
    panel.marks = event_marks(sol);
    panel.is_log_x = is_logarithmic(table.t);
    panel.has_points = table.t.size() <= few_points;
    return panel;
}

// The outputs at the reported points; those that are a constant number are no curve.
std::optional<Panel> outputs_over_time(const Solution& sol, bool is_log_x) {
    Panel panel{.kind = PanelKind::output, .x_label = sol.independent, .y_label = "", .is_log_x = is_log_x};
    for (const std::string& name : sol.output_names) {
        if (panel.lines.size() == most_lines) break;
        Line line{.title = name, .x = sol.t, .y = sol.column(name)};
        thin_out_peaks(line.x, line.y);
        panel.lines.push_back(std::move(line));
    }
    if (panel.lines.empty() || sol.t.size() < 2) return std::nullopt;
    panel.y_label = panel.lines.size() < sol.output_names.size()
                        ? fmt::format("{} of {} outputs", panel.lines.size(), sol.output_names.size())
                    : panel.lines.size() == 1 ? panel.lines[0].title
                                              : "outputs";
    if (sol.output_names.size() == 1) panel.lines[0].title.clear();
    enlarge_small(panel.lines, noise_of(sol));
    panel.noise = noise_of(sol);
    panel.has_points = sol.t.size() <= few_points;
    return panel;
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

Figure make_figure(const Solution& sol, const std::vector<AxisNames>& axes, const std::vector<Bar>& bars) {
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
        if (sol.t.empty()) return figure;
        if (axes.empty()) figure.panels.push_back(drawn_in(sol, section_axes(sol, groups)));
        for (const AxisNames& names : axes) figure.panels.push_back(drawn_in(sol, names));
        return figure;
    }
    const Table table = table_of(sol);
    const auto add = [&](std::optional<Panel> panel) {
        if (!panel) return;
        std::erase_if(panel->lines, [](const Line& line) { return !has_point(line); });
        panel->has_room = panel->kind == PanelKind::trajectory || !sol.s.empty();
        if (!panel->lines.empty() || !panel->maps.empty()) figure.panels.push_back(std::move(*panel));
    };
    if (!groups.empty() && !table.t.empty()) {
        add(over_time(sol, table, groups));
        for (const AxisNames& names : axes) add(drawn_in(sol, names));
        auto map = axes.empty() ? field_map(sol, table) : std::nullopt;
        if (axes.empty()) add(map ? std::move(map) : trajectory(sol, table, groups, bars));
    }
    const bool is_log = !figure.panels.empty() && figure.panels[0].is_log_x;
    add(outputs_over_time(sol, is_log));
    add(over_steps(sol, PanelKind::residual, &StepTrace::residual, "constraint residual", is_log));
    if (sol.method.step == 0)
        add(over_steps(sol, PanelKind::step, &StepTrace::h, sol.s.empty() ? "step size" : "step of arclength", is_log));
    return figure;
}

} // namespace vessiot::io
