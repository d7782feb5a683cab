// Figures I.1, I.2 and V.1.
#include <fmt/format.h>

#include "reproduce/drawing.hpp"
#include "reproduce/papers/hairer.hpp"

namespace vessiot::reproduce::hairer_notes {

namespace {

Drawing on_sphere(const std::string& name, const std::string& title, const RunSetting& run) {
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return io::Figure{title, {over_time(s, {"radius"}, "|y|"), trajectory(s, {"y[1]", "y[2]", "y[3]"})}};
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
                        if (panel.lines.empty())
                            panel = one;
                        else
                            panel.lines.push_back(one.lines[0]);
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
    return {curves(),
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
