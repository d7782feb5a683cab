// Figures 6.1 to 6.10 of [BIT 2001].
#include <cmath>

#include <fmt/format.h>

#include "reproduce/drawing.hpp"
#include "reproduce/papers/tuomela_arponen_claims.hpp"

namespace vessiot::reproduce::arponen {

namespace {

Drawing orders() {
    const std::string title = "Error of dopri54 over the step, first example";
    return {"fig6.1", title, [=](Runner& runner) {
                io::Panel panel{.kind = io::PanelKind::trajectory, .x_label = "h", .y_label = "error"};
                panel.is_log_x = panel.is_log_y = panel.has_points = true;
                for (const int multiple : {2, 12}) {
                    io::Line line{multiple == 2 ? "x = 0.002" : "x = 0.01", {}, {}};
                    for (int k = 6; k <= 13; ++k) {
                        const Solution& s = runner.run(order_setting(k, multiple / 64.0));
                        line.x.push_back(std::ldexp(1.0, -k));
                        line.y.push_back(std::abs(s.column("error").back()));
                    }
                    panel.lines.push_back(std::move(line));
                }
                return io::Figure{title, {panel}};
            }};
}

// With the steps of the paper: those of the projected method, errors controlled in arclength.
Drawing section(const std::string& name, const std::string& shown, const std::string& method,
                const std::string& tolerance, const std::string& continuation) {
    const std::string title = "Hénon-Heiles: section y1 = 0, " + shown;
    RunSetting run{.model = "henon_heiles",
                   .options = {{"method", method},
                               {"control", "tuomela"},
                               {"rtol", tolerance},
                               {"atol", tolerance},
                               {"continue", continuation},
                               {"at", "0"}}};
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                io::Panel panel{.kind = io::PanelKind::trajectory, .x_label = "y2", .y_label = "y2'"};
                panel.is_scatter = panel.has_room = true;
                io::Line line{"", {}, {}};
                for (const EventPoint& e : s.events) {
                    line.x.push_back(e.values[s.column_of("y2")]);
                    line.y.push_back(e.values[s.column_of("y2'")]);
                }
                panel.lines.push_back(std::move(line));
                return io::Figure{title, {panel}};
            }};
}

// The stiff pendulum in the plane, with the steps of the tables.
struct Swing {
    std::string method, tolerance, eps, end;
};

Drawing pendulum(const std::string& name, const Swing& swing) {
    const std::string title = fmt::format("Stiff pendulum, eps = {}, {}, tol {}, x up to {}", swing.eps, swing.method,
                                          swing.tolerance, swing.end);
    // the error of RK4 is the distance itself of its two points, not a 15th part of it
    const std::string tolerance = swing.method == "rk4" ? swing.tolerance + "/15" : swing.tolerance;
    const RunSetting run{.model = "stiff_pendulum_reduced",
                         .set = {{"eps", swing.eps}},
                         .options = {{"method", swing.method},
                                     {"control", "tuomela"},
                                     {"rtol", tolerance},
                                     {"atol", tolerance},
                                     {"start", swing.eps == "0.1" ? "y3=-17.65" : "y3=-1765"},
                                     {"to", swing.end}}};
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return io::Figure{title, {trajectory(s, {"y1", "y2"}), step_sizes(s)}};
            }};
}

// The bars from the fixed joint in the origin over both moving ones to the fixed joint (d, 0).
io::Line bars(const Solution& s, std::size_t point, double d) {
    const auto at = [&](const char* name) { return s.column(name)[point]; };
    return {fmt::format("x = {:.2f}", s.t[point]), {0, at("y1"), at("y3"), d}, {0, at("y2"), at("y4"), 0}};
}

Drawing configurations(const std::string& name, const std::string& title, const RunSetting& run, std::size_t n,
                       double d) {
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                io::Panel panel{.kind = io::PanelKind::trajectory, .x_label = "y1, y3", .y_label = "y2, y4"};
                panel.has_equal_axes = panel.has_room = panel.has_points = true;
                for (std::size_t k = 0; k < n; ++k)
                    panel.lines.push_back(bars(s, n == 1 ? 0 : k * (s.t.size() - 1) / (n - 1), d));
                return io::Figure{title, {panel}};
            }};
}

Drawing linkage() {
    const std::string title = "Four bar linkage: y4 without and with the energy equation";
    return {"fig6.7", title, [=](Runner& runner) {
                const Solution& right = runner.run(four_bar_setting("0.8", false));
                io::Panel panel = over_time(right, {"y4"}, "y4");
                panel.lines[0].title = "without";
                panel.lines.push_back(over_time(runner.run(four_bar_setting("0.8", true)), {"y4"}, "y4").lines[0]);
                panel.lines[1].title = "with";
                return io::Figure{title, {panel}};
            }};
}

Drawing over_x(const std::string& name, const std::string& title, const RunSetting& run, const std::string& what) {
    return {name, title, [=](Runner& runner) { return io::Figure{title, {over_time(runner.run(run), {what}, what)}}; }};
}

} // namespace

std::vector<Drawing> drawings() {
    const RunSetting crossed{.model = "four_bar_crossed", .options = {{"every", "0.01"}}};
    const RunSetting folding{.model = "four_bar_crossed", .options = {{"to", "1.8"}, {"every", "0.02"}}};
    return {orders(),
            section("fig6.2-left", "dopri54, tol 5e-5, point of order 4", "dopri54", "5e-5", "low"),
            section("fig6.2-right", "RK4, tol 5e-4", "rk4", "5e-4/15", "auto"),
            pendulum("fig6.3", {"rkf45", "1e-4", "0.01", "1.5"}),
            pendulum("fig6.4-left", {"dopri54", "1e-4", "0.01", "1.5"}),
            pendulum("fig6.4-right", {"rk4", "1e-2", "0.01", "1.5"}),
            pendulum("fig6.5-left", {"dopri54", "1e-4", "0.1", "3.7"}),
            pendulum("fig6.5-right", {"dopri54", "1e-4", "0.1", "20"}),
            configurations("fig6.6", "Four bar linkage, at its start point", four_bar_setting("0.8", false), 1, 2),
            linkage(),
            over_x("fig6.8", "Four bar linkage: energy", four_bar_setting("0.8", false), "E"),
            over_x("fig6.9", "Crossed four bar linkage: y4", crossed, "y4"),
            configurations("fig6.10", "Crossed four bar linkage: configurations, through the flat position", folding, 6,
                           2)};
}

} // namespace vessiot::reproduce::arponen
