#include "reproduce/papers/tuomela_normi_figures.hpp"

#include "reproduce/drawing.hpp"

namespace vessiot::reproduce::normi {

namespace {

// The curve in space and its projection; the steps below them.
Drawing curve(const std::string& name, const std::string& title, const RunSetting& run,
              const std::vector<std::string>& names) {
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return io::Figure{title, {shadow(s, names), trajectory(s, names), step_sizes(s)}};
            }};
}

// In the conditions of Tables 13 and 14, with all steps.
RunSetting chain(bool has_energy, const std::string& n, const std::string& energy, const std::string& end) {
    RunSetting run;
    run.model = has_energy ? "mech_table_energy" : "mech_table";
    run.set = {{"n", n}, {"E", energy}};
    run.options = {{"control", "tuomela"},
                   {"rtol", "1e-6"},
                   {"atol", "1e-6"},
                   {"factor_max", "3"},
                   {"newton_stop", "sound"},
                   {"h_first", n == "6" ? "0.02" : "5"},
                   {"to", end}};
    run.lines = "output energy = sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2)"
                " + c/2*sum(i = 1..n-2, (x[i] - x[i+2])^2 + (y[i] - y[i+2])^2)";
    return run;
}

Drawing energy(const std::string& name, const std::string& title, const RunSetting& run) {
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                io::Panel panel = over_time(s, {"energy"}, "energy - its start value");
                std::vector<double>& e = panel.lines[0].y;
                const double first = e.empty() ? 0 : e.front();
                for (double& value : e) value -= first;
                return io::Figure{title, {panel}};
            }};
}

// Where the chain is at the start, or at the end.
Drawing state(const std::string& name, const std::string& title, const RunSetting& run, bool is_end) {
    return {name, title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return io::Figure{title, {configuration(s, is_end ? s.t.size() - 1 : 0)}};
            }};
}

// As far as it gets in x, with smaller and smaller steps.
Drawing singularity() {
    const std::string title = "Plug flow in its original variables: steps shrink at the impasse point";
    const RunSetting run{.model = "plug_flow_original",
                         .options = {{"parametrisation", "time"}, {"max_steps", "20000"}}};
    return {"fig2", title, [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return io::Figure{title, {over_time(s, {"u1", "u3"}, "u"), step_sizes(s)}};
            }};
}

Drawing through_impasse() {
    const std::string title = "Plug flow as a curve, through the impasse point";
    const RunSetting run{.model = "plug_flow", .options = {{"h_max", "0.1"}}};
    return {"fig3", title,
            [=](Runner& runner) { return io::Figure{title, {over_time(runner.run(run), {"y1", "y2", "y3"}, "y")}}; }};
}

Drawing chain_steps() {
    const std::string title = "Chain of 24 particles: steps of dopri54";
    return {"fig9", title, [=](Runner& runner) {
                return io::Figure{title, {step_sizes(runner.run(chain(true, "24", "3008.6", "1")))}};
            }};
}

} // namespace

RunSetting free_chain() {
    return chain(false, "6", "59.653", "1");
}

std::vector<Drawing> drawings() {
    const RunSetting body{.model = "rigid_body", .options = {{"to", "600"}, {"every", "0.1"}}};
    const RunSetting particle{.model = "magnetic", .options = {{"every", "0.02"}}};
    const RunSetting field{.model = "mhd", .options = {{"every", "0.002"}}};
    const RunSetting chain24 = chain(true, "24", "3008.6", "1");
    return {curve("fig1", "Rigid body and its projection", body, {"y[1]", "y[2]", "y[3]"}),
            singularity(),
            through_impasse(),
            curve("fig4", "Particle in a magnetic field and its projection", particle, {"y[1]", "y[2]", "y[3]"}),
            curve("fig5", "3D magnetohydrodynamics and its projection", field, {"y1", "y2", "y3"}),
            energy("fig6", "Energy of the chain of 6 particles, not imposed", free_chain()),
            state("fig7", "Chain of 24 particles at the start", chain24, false),
            energy("fig8", "Energy of the chain of 24 particles, imposed", chain24),
            chain_steps(),
            state("fig10", "Chain of 24 particles at x = 4.984, energy not imposed",
                  chain(false, "24", "3008.6", "4.984"), true),
            state("fig11", "Chain of 24 particles at x = 4.983, energy imposed", chain(true, "24", "3008.6", "4.983"),
                  true)};
}

} // namespace vessiot::reproduce::normi
