// Figures 6.1 to 6.9 of [BIT 2001], as far as they show curves.
#include <cmath>

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

Drawing section() {
    const std::string title = "Hénon-Heiles: section y1 = 0";
    const RunSetting run{.model = "henon_heiles", .options = {{"rtol", "1e-9"}, {"atol", "1e-12"}, {"at", "0"}}};
    return {"fig6.2", title, [=](Runner& runner) {
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
Drawing pendulum(const std::string& name, const std::string& title, const std::string& method, const std::string& eps,
                 const std::string& start, const std::string& end) {
    const RunSetting run{.model = "stiff_pendulum_reduced",
                         .set = {{"eps", eps}},
                         .options = {{"method", method},
                                     {"control", "tuomela"},
                                     {"rtol", "1e-4"},
                                     {"atol", "1e-4"},
                                     {"start", "y3=" + start},
                                     {"to", end}}};
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return io::Figure{title, {trajectory(s, {"y1", "y2"}), step_sizes(s)}};
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
    return {orders(),
            section(),
            pendulum("fig6.3", "Stiff pendulum, eps = 0.01, rkf45", "rkf45", "0.01", "-1765", "1.5"),
            pendulum("fig6.4", "Stiff pendulum, eps = 0.01, dopri54", "dopri54", "0.01", "-1765", "1.5"),
            pendulum("fig6.5", "Stiff pendulum, eps = 0.1, dopri54", "dopri54", "0.1", "-17.65", "20"),
            linkage(),
            over_x("fig6.8", "Four bar linkage: energy", four_bar_setting("0.8", false), "E"),
            over_x("fig6.9", "Crossed four bar linkage: y4", crossed, "y4")};
}

} // namespace vessiot::reproduce::arponen
