// Stages or steps: every stage projected, each accepted step only, or nothing, at equal tolerance: error, time, and
// whether the run comes to its end. Prints the tables of docs/decisions/0006 and 0046.
//
//     stages_bench [--method NAME]
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lang/model.hpp"
#include "support/compiled_problem.hpp"

namespace {

using namespace vessiot;

// A rotation on the unit circle that is unstable off it: errors normal to the circle grow like exp(40 t).
constexpr const char* unstable = R"(
parameter k = 20
unknown x, y
x' = -y + k*(x^2 + y^2 - 1)*x
y' =  x + k*(x^2 + y^2 - 1)*y
invariant x^2 + y^2 = 1
start x = 1, y = 0
solve t = 0 .. 20
)";

struct Case {
    std::string name, model;
    std::vector<std::pair<std::string, std::string>> set{};
    double to;
    std::string formulation = "auto";
};

System load(const Case& c) {
    lang::Settings settings;
    settings.set = c.set;
    if (c.model == "unstable") return lang::read_model(lang::Source("unstable.ves", unstable), settings);
    System system = lang::load_model(VESSIOT_SOURCE_DIR "/gallery/" + c.model + ".ves", settings);
    system.events.clear();
    system.outputs.clear();
    return system;
}

} // namespace

int main(int argc, char** argv) {
    std::string method = "dopri54";
    if (argc == 3 && std::string(argv[1]) == "--method") method = argv[2];
    const std::vector<Case> cases{
        {.name = "pendulum", .model = "pendulum", .set = {{"g", "1"}}, .to = 100},
        {.name = "four bars", .model = "four_bar", .to = 10},
        {.name = "chain, n = 24", .model = "mech", .set = {{"n", "24"}}, .to = 1},
        {.name = "Kepler, e = 0.6", .model = "kepler", .to = 100},
        {.name = "Henon-Heiles", .model = "henon_heiles", .to = 200},
        {.name = "magnetic, in J_2", .model = "magnetic", .to = 20, .formulation = "general"},
        {.name = "unstable off M", .model = "unstable", .to = 20},
    };
    fmt::print(
        "| problem | rtol | none: error, time | steps: error, time | stages: error, time |\n|---|---|---|---|---|\n");
    for (const Case& c : cases) {
        SolveOptions options{.method = "dop853", .rtol = 1e-14, .atol = 1e-14, .formulation = c.formulation};
        bench::CompiledProblem problem(load(c), c.to, options);
        options.method = method;
        for (const double tol : {1e-5, 1e-7, 1e-9}) {
            options.rtol = options.atol = tol;
            std::string line = fmt::format("| {} | {:.0e} |", c.name, tol);
            for (const std::string word : {"none", "steps", "stages"}) {
                options.projection = word == "none" ? "none" : "simplified";
                options.project = word == "none" ? "steps" : word;
                try {
                    const bench::TimedRun run = problem.best(options);
                    line += fmt::format(" {:.1e}, {:.0f} us |", run.error, 1e6 * run.seconds);
                } catch (const std::exception&) {
                    line += " the run ends early |";
                }
            }
            fmt::print("{}\n", line);
            std::fflush(stdout);
        }
    }
    return 0;
}
