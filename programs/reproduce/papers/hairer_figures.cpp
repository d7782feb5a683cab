// Figures I.2 and V.1.
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

Drawing height(const std::string& name, const std::string& title, const RunSetting& run) {
    return {name, title,
            [=](Runner& runner) { return io::Figure{title, {over_time(runner.run(run), {"q[3]"}, "q[3]")}}; }};
}

} // namespace

std::vector<Drawing> drawings() {
    return {on_sphere("figI.2-euler", "Rigid body, explicit Euler, h = 0.025",
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
