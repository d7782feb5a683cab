// Figures 2 to 13 of Liu's paper.
#include <algorithm>
#include <cmath>

#include "io/sampling.hpp"
#include "reproduce/drawing.hpp"
#include "reproduce/papers/liu_claims.hpp"
#include "reproduce/papers/liu_settings.hpp"

namespace vessiot::reproduce::liu_runs {

namespace {

struct Curve {
    std::string label;
    RunSetting run;
    std::string output;
    bool is_change = false; // from its first value
};

// |output| of several runs over t, with a logarithmic scale; what is smaller than `least` is shown there.
io::Panel errors(Runner& runner, const std::vector<Curve>& curves, const std::string& y_label, double least = 1e-17) {
    io::Panel panel{.kind = io::PanelKind::over_time, .x_label = "t", .y_label = y_label};
    panel.is_log_y = true;
    for (const Curve& c : curves) {
        const Solution& s = runner.run(c.run);
        const std::vector<double> values = s.column(c.output);
        io::Line line{c.label, {}, {}};
        for (std::size_t k = 1; k < values.size(); ++k) {
            line.x.push_back(s.t[k]);
            line.y.push_back(std::max(std::abs(values[k] - (c.is_change ? values[0] : 0.0)), least));
        }
        io::thin_out_peaks(line.x, line.y);
        panel.lines.push_back(std::move(line));
    }
    return panel;
}

// x or y of both schemes over t.
Drawing history(const std::string& name, const std::string& unknown, const std::string& step,
                const std::string& tolerance) {
    const std::string title = "Example 1, h = " + step + ": time history of " + unknown;
    return {name, title, [=](Runner& runner) {
                io::Panel panel = over_time(runner.run(lotka_volterra("gps", step)), {unknown}, unknown);
                panel.lines[0].title = "GPS";
                panel.lines.push_back(
                    over_time(runner.run(lotka_volterra("mgps", step, "residual", tolerance)), {unknown}, unknown)
                        .lines[0]);
                panel.lines[1].title = "MGPS";
                return io::Figure{title, {panel}};
            }};
}

Drawing orbits(const std::string& name, const std::string& step, const std::string& tolerance) {
    const std::string title = "Example 1, h = " + step + ": GPS (left) and MGPS";
    return {name, title, [=](Runner& runner) {
                const Solution& free = runner.run(lotka_volterra("gps", step));
                const Solution& kept = runner.run(lotka_volterra("mgps", step, "residual", tolerance));
                return io::Figure{title, {shadow(free, {"x", "y"}), trajectory(kept, {"x", "y"})}};
            }};
}

Drawing invariants_1(const std::string& name, const std::string& step, const std::string& tolerance) {
    const std::string title = "Example 1, h = " + step + ": errors of the invariant";
    return {name, title, [=](Runner& runner) {
                return io::Figure{
                    title,
                    {errors(runner,
                            {{"GPS", lotka_volterra("gps", step), "H", true},
                             {"MGPS", lotka_volterra("mgps", step, "residual", tolerance), "H", true},
                             {"Kahan", lotka_volterra("kahan", step), "H", true},
                             {"Hamiltonian MGPS", lotka_volterra("hmgps", step, "increment", "1e-8"), "H", true}},
                            "|rho|")}};
            }};
}

Drawing invariant(const std::string& name, const std::string& title, const RunSetting& kept, const RunSetting& plain,
                  const std::string& output, const std::vector<std::string>& plane) {
    return {name, title, [=](Runner& runner) {
                io::Panel orbit = trajectory(runner.run(kept), plane);
                orbit.has_equal_axes = orbit.has_room = true;
                return io::Figure{
                    title,
                    {errors(runner, {{"MGPS", kept, output, true}, {"RK4", plain, output, true}}, "|rho|"), orbit}};
            }};
}

Drawing displacement(const std::string& name, const std::string& what, const std::vector<std::string>& plane) {
    const std::string title = "Example 3: " + what;
    return {name, title, [=](Runner& runner) {
                io::Panel panel = trajectory(runner.run(friction("mgps", "0.001")), plane);
                panel.has_room = true;
                return io::Figure{title, {panel}};
            }};
}

// One figure for each of the outputs e1, e2, e3: (a), (b), (c).
void add_errors(std::vector<Drawing>& list, const std::string& name, const std::string& example,
                const RunSetting& first, const RunSetting& fourth, const std::vector<std::string>& labels) {
    for (std::size_t k = 0; k < labels.size(); ++k) {
        const std::string title = example + ": error of " + labels[k], output = "e" + std::to_string(k + 1);
        list.push_back({name + static_cast<char>('a' + k), title, [=](Runner& runner) {
                            return io::Figure{
                                title, {errors(runner, {{"MGPS", first, output}, {"MRK4", fourth, output}}, "error")}};
                        }});
    }
}

Drawing top_invariant(const std::string& name, const std::string& output, const std::string& label) {
    const std::string title = "Example 6: error of the " + label;
    return {name, title, [=](Runner& runner) {
                return io::Figure{title,
                                  {errors(runner,
                                          {{"MGPS, energy alone", top("mgps", false), output, true},
                                           {"RK4", top("rk4", true), output, true},
                                           {"MGPS", top("mgps", true), output, true},
                                           {"MRK4", top("mrk4", true), output, true}},
                                          "error")}};
            }};
}

Drawing reactor_constraints() {
    const std::string title = "Example 7: errors of the four constraints, t in hours";
    return {"fig12", title, [=](Runner& runner) {
                const RunSetting run = reactor("0.001");
                return io::Figure{
                    title,
                    {errors(runner,
                            {{"(114)", run, "r1"}, {"(115)", run, "r2"}, {"(116)", run, "r3"}, {"(117)", run, "r4"}},
                            "error", 1e-28)}};
            }};
}

Drawing torus(const std::string& name, const std::string& shown, std::size_t method) {
    const std::string title = "Example 8, eps = 0.01, h = 0.1, up to t = 500: " + shown;
    return {name, title, [=](Runner& runner) {
                const KeplerMethod& m = kepler_methods()[method];
                RunSetting run = kepler(m.options, "0.01", m.invariants);
                run.options.emplace_back("step", "0.1");
                run.options.emplace_back("to", "500");
                io::Panel panel = trajectory(runner.run(run), {"q[1]", "q[2]"});
                panel.has_equal_axes = panel.has_room = true;
                return io::Figure{title, {panel}};
            }};
}

} // namespace

std::vector<Drawing> drawings() {
    std::vector<Drawing> list{
        history("fig2a", "x", "0.001", "1e-5"),
        history("fig2b", "y", "0.001", "1e-5"),
        orbits("fig2cd", "0.001", "1e-5"),
        history("fig3a", "x", "0.01", "1e-3"),
        history("fig3b", "y", "0.01", "1e-3"),
        orbits("fig3cd", "0.01", "1e-3"),
        invariants_1("fig4a", "0.001", "1e-5"),
        invariants_1("fig4b", "0.01", "1e-3"),
        invariant("fig5", "Example 2: errors of the invariant, and the orbit", planar("mgps"), planar("rk4"), "H",
                  {"x", "y"}),
        invariant("fig6", "Example 3: errors of |r|^2, and the orbit of r", friction("mgps", "0.001"),
                  friction("rk4", "0.001"), "R", {"r[1]", "r[2]"}),
        displacement("fig7a", "the path of the mass", {"x[1]", "x[2]"}),
        displacement("fig7b", "phase portrait of the first component", {"x[1]", "y[1]"}),
        displacement("fig7c", "phase portrait of the second component", {"x[2]", "y[2]"}),
    };
    add_errors(list, "fig8", "Example 4, h = 1e-4", index2("mgps", "1e-4"), index2("mrk4", "1e-4"), {"u1", "u2", "w"});
    add_errors(list, "fig9", "Example 5", index3("mgps"), index3("mrk4"), {"u1", "u2", "lambda"});
    list.push_back(top_invariant("fig10a", "H", "energy"));
    list.push_back(top_invariant("fig10b", "C", "momentum"));
    add_errors(list, "fig11", "Example 6", top("mgps", true), top("mrk4", true), {"P1", "P2", "P3"});
    list.push_back(reactor_constraints());
    list.push_back(torus("fig13a", "RK4", 5));
    list.push_back(torus("fig13b", "symplectic RK4", 6));
    list.push_back(torus("fig13c", "multi-constraint MRK4", 7));
    return list;
}

} // namespace vessiot::reproduce::liu_runs
