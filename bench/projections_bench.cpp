// The projections side by side: what the first step in closed form, the reduced formulation and inexact Newton save,
// and what a step of the chain costs with each of them. Prints the tables of docs/projections.md.
//
//     projections_bench [--quick]
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lang/model.hpp"
#include "support/compiled_problem.hpp"

namespace {

using namespace vessiot;

System load(const std::string& model, const std::vector<std::pair<std::string, std::string>>& set = {}) {
    lang::Settings settings;
    settings.set = set;
    System system = lang::load_model(VESSIOT_SOURCE_DIR "/gallery/" + model + ".ves", settings);
    system.events.clear();
    system.outputs.clear();
    return system;
}

// Constant steps of arclength, every stage projected, as in the papers.
SolveOptions published(double step) {
    SolveOptions o{.method = "dopri54", .step = step};
    o.parametrisation = "arclength";
    o.project = "stages";
    o.projection = "newton";
    o.newton_stop = "printed";
    return o;
}

double seconds(const System& system, double to, const SolveOptions& options) {
    bench::CompiledProblem problem(system, to, options);
    return problem.best(options).seconds;
}

// Each as a ratio of times in one run.
void findings() {
    struct Case {
        std::string model;
        double to, step;
    };
    fmt::print(
        "| problem | no closed first step / with | general / invariants | inexact / exact |\n|---|---|---|---|\n");
    for (const Case& c : {Case{"rigid_body", 100, 0.2}, Case{"magnetic", 20, 0.01}, Case{"mhd", 1.5, 0.05}}) {
        const System system = load(c.model);
        SolveOptions exact = published(c.step);
        const double base = seconds(system, c.to, exact);
        SolveOptions plain = exact, general = exact, inexact = exact;
        plain.init = "off";
        general.formulation = "general";
        inexact.projection = "inexact";
        fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |\n", c.model, seconds(system, c.to, plain) / base,
                   seconds(system, c.to, general) / base, seconds(system, c.to, inexact) / base);
        std::fflush(stdout);
    }
}

// Time per step and iterations of the chain, Euler steps that move it off the manifold.
void chains(bool is_quick) {
    const std::vector<std::string> words{"newton", "chord", "inexact", "simplified"};
    fmt::print(
        "\n| chain, n | newton | chord | inexact | simplified | newton / simplified |\n|---|---|---|---|---|---|\n");
    for (const std::string model : {"mech_table", "mech_table_energy"})
        for (const int n : {50, 1000, 10000, 100000}) {
            if (is_quick && n > 1000) continue;
            // the energy that makes the chain turn as fast at every n
            const double inertia = [n] {
                double sum = 0;
                for (int i = 0; i < n; ++i) sum += 0.25 * i * i + 0.75 * (i % 2);
                return sum;
            }();
            const double energy = 5.0 * (n - 2) + 0.5 * inertia * 2.3 * 2.3;
            const System system = load(model, {{"n", std::to_string(n)}, {"E", fmt::format("{:.17g}", energy)}});
            std::string line = fmt::format("| {}{} |", n, model == "mech_table" ? "" : ", with energy");
            double newton = 0, simplified = 0;
            for (const std::string& word : words) {
                const double h = 0.2 / n;
                SolveOptions o{.method = "euler", .step = h};
                o.projection = word;
                bench::CompiledProblem problem(system, 20 * h, o);
                const bench::TimedRun run = n < 10000 ? problem.best(o) : problem.run(o);
                const double per_step = run.seconds / static_cast<double>(run.solution.stats.steps);
                line += fmt::format(" {:.3g} us ({:.1f}) |", 1e6 * per_step, run.solution.stats.newton_mean());
                if (word == "newton") newton = per_step;
                if (word == "simplified") simplified = per_step;
            }
            fmt::print("{} {:.2g} |\n", line, newton / simplified);
            std::fflush(stdout);
        }
}

} // namespace

int main(int argc, char** argv) {
    findings();
    chains(argc > 1 && std::string(argv[1]) == "--quick");
    return 0;
}
