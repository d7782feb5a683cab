// Figures I.1, I.2 and V.1.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "reproduce/drawing.hpp"
#include "reproduce/papers/hairer.hpp"

namespace vessiot::reproduce::hairer_notes {

namespace {

using Vector3 = std::array<double, 3>;

void add_point(io::Line& line, const Vector3& p) {
    line.x.push_back(p[0]);
    line.y.push_back(p[1]);
    line.z.push_back(p[2]);
}

void add_gap(io::Line& line) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    add_point(line, {nan, nan, nan});
}

Vector3 on_unit_sphere(double longitude, double latitude) {
    return {std::cos(longitude) * std::cos(latitude), std::sin(longitude) * std::cos(latitude), std::sin(latitude)};
}

// Parallels and meridians of the unit sphere.
io::Line sphere() {
    constexpr double pi = std::numbers::pi;
    constexpr int n = 48, n_parallels = 9, n_meridians = 12;
    io::Line line{.title = "", .has_gaps = true, .is_faint = true};
    for (int i = 1; i < n_parallels; ++i) {
        for (int k = 0; k <= n; ++k) add_point(line, on_unit_sphere(2 * pi * k / n, pi * i / n_parallels - pi / 2));
        add_gap(line);
    }
    for (int i = 0; i < n_meridians; ++i) {
        for (int k = 0; k <= n / 2; ++k)
            add_point(line, on_unit_sphere(2 * pi * i / n_meridians, pi * k / (n / 2) - pi / 2));
        add_gap(line);
    }
    return line;
}

io::Panel curve_on_sphere(const Solution& s) {
    io::Panel panel = trajectory(s, {"y[1]", "y[2]", "y[3]"});
    panel.has_equal_axes = true;
    panel.lines.insert(panel.lines.begin(), sphere());
    return panel;
}

Drawing on_sphere(const std::string& name, const std::string& title, const RunSetting& run) {
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return io::Figure{title, {over_time(s, {"radius"}, "|y|"), curve_on_sphere(s)}};
            }};
}

// From p along v, with two lines for its head, which lie in the plane that touches the sphere at p.
void add_arrow(io::Line& line, const Vector3& p, const Vector3& v) {
    const Vector3 across{p[1] * v[2] - p[2] * v[1], p[2] * v[0] - p[0] * v[2], p[0] * v[1] - p[1] * v[0]};
    const auto moved = [&](double along, double aside) {
        Vector3 q{};
        for (std::size_t i = 0; i < 3; ++i) q[i] = p[i] + along * v[i] + aside * across[i];
        return q;
    };
    add_point(line, p);
    add_point(line, moved(1, 0));
    add_gap(line);
    for (const double side : {0.15, -0.15}) {
        add_point(line, moved(0.7, side));
        add_point(line, moved(1, 0));
        add_gap(line);
    }
}

// The vector f(y) at points of the sphere that are seen: its direction and length are those of a run of no length.
Drawing field() {
    const std::string title = "Rigid body: the vector field on the sphere";
    return {"figI.1-field", title, [=](Runner& runner) {
                constexpr double pi = std::numbers::pi, length = 0.25;
                io::Line arrows{.title = "", .has_gaps = true};
                for (int i = -3; i <= 3; ++i)
                    for (int k = 0; k < 12; ++k) {
                        const Vector3 p = on_unit_sphere(2 * pi * k / 12, pi * i / 8);
                        RunSetting run{.model = "hairer_sphere", .options = {{"to", "0.01"}, {"at", "0"}}};
                        for (std::size_t j = 0; j < 3; ++j)
                            run.options.emplace_back("start", fmt::format("y[{}]={}", j + 1, p[j]));
                        run.lines = "output f1 = y[1]'\noutput f2 = y[2]'\noutput f3 = y[3]'\n";
                        const Solution& s = runner.run(run);
                        add_arrow(arrows, p,
                                  {length * s.column("f1").front(), length * s.column("f2").front(),
                                   length * s.column("f3").front()});
                    }
                io::Panel panel{.kind = io::PanelKind::trajectory, .x_label = "y[1]", .y_label = "y[2]"};
                panel.z_label = "y[3]";
                panel.has_equal_axes = true;
                panel.lines = {sphere(), arrows};
                return io::Figure{title, {panel}};
            }};
}

// Solution curves around the three axes, and between them.
Drawing curves() {
    const std::string title = "Rigid body: solution curves on the sphere";
    return {"figI.1", title, [=](Runner& runner) {
                io::Panel panel;
                for (const auto& [angle, axis] : std::initializer_list<std::pair<const char*, int>>{
                         {"0.2", 0}, {"0.5", 0}, {"0.8", 0}, {"0.2", 1}, {"0.5", 1}, {"0.8", 1}})
                    for (const char* sign : {"", "-"}) {
                        RunSetting run{.model = "hairer_sphere", .options = {{"to", "40"}, {"every", "0.1"}}};
                        // beside the first axis, or beside the third
                        const std::string near = fmt::format("{}cos({})", sign, angle),
                                          far = fmt::format("sin({})", angle);
                        run.options.emplace_back("start", "y[1]=" + (axis == 0 ? near : far));
                        run.options.emplace_back("start", "y[2]=0");
                        run.options.emplace_back("start", "y[3]=" + (axis == 0 ? far : near));
                        io::Panel one = trajectory(runner.run(run), {"y[1]", "y[2]", "y[3]"});
                        one.lines[0].title.clear();
                        if (panel.lines.empty()) {
                            panel = one;
                            panel.has_equal_axes = true;
                            panel.lines.insert(panel.lines.begin(), sphere());
                        } else {
                            panel.lines.push_back(one.lines[0]);
                        }
                    }
                return io::Figure{title, {panel}};
            }};
}

Drawing height(const std::string& name, const std::string& title, const RunSetting& run) {
    return {name, title,
            [=](Runner& runner) { return io::Figure{title, {over_time(runner.run(run), {"q[3]"}, "q[3]")}}; }};
}

} // namespace

std::vector<Drawing> drawings() {
    return {field(),
            curves(),
            on_sphere("figI.2-euler", "Rigid body, explicit Euler, h = 0.025",
                      sphere_setting("euler", "none", "0.025", "200")),
            on_sphere("figI.2-projected", "Rigid body, explicit Euler with projection onto the sphere, h = 0.025",
                      sphere_setting("euler", "newton", "0.025", "200")),
            on_sphere("figI.2-trapezoidal", "Rigid body, trapezoidal rule with projection onto the sphere, h = 1",
                      sphere_setting("trapezoidal", "newton", "1", "200")),
            on_sphere("figI.2-midpoint", "Rigid body, implicit midpoint rule, h = 1",
                      sphere_setting("implicit_midpoint", "none", "1", "200")),
            height("figV.1-symplectic", "Spherical pendulum, symplectic Euler, h = 0.01",
                   pendulum_setting("symplectic_euler", "auto", "10")),
            height("figV.1-implicit", "Spherical pendulum, implicit Euler, h = 0.01",
                   pendulum_setting("constrained_euler", "auto", "10"))};
}

} // namespace vessiot::reproduce::hairer_notes
