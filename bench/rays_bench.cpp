// Example 8 of Liu's paper, the Kepler problem of eccentricity 0.6, eps = 0, up to t = 20 pi: rk4 along rays with
// constant steps against dopri54 with orthogonal projection on energy and momentum; error of the end point against
// time, in one run. Prints the table of docs/group_preserving.md.
//
//     rays_bench
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lang/model.hpp"
#include "support/compiled_problem.hpp"

namespace {

using namespace vessiot;

constexpr double end = 20 * std::numbers::pi;

struct Result {
    double error = 0, seconds = 0;
    std::int64_t steps = 0;
};

Result measure(bench::CompiledProblem& problem, const SolveOptions& o) {
    const bench::TimedRun best = problem.best(o);
    return {best.error, best.seconds, best.solution.stats.steps};
}

// The time at an error, by interpolation of logarithms between the two nearest; NaN outside.
double time_at(const std::vector<Result>& list, double error) {
    for (std::size_t k = 1; k < list.size(); ++k) {
        const Result &a = list[k - 1], &b = list[k];
        if (!(a.error >= error && b.error <= error)) continue;
        const double part = std::log(a.error / error) / std::log(a.error / b.error);
        return a.seconds * std::pow(b.seconds / a.seconds, part);
    }
    return std::nan("");
}

} // namespace

int main() {
    lang::Settings settings;
    settings.set = {{"eps", "0"}};
    const System system = lang::load_model(VESSIOT_SOURCE_DIR "/gallery/modified_kepler.ves", settings);
    struct Kind {
        std::string name;
        SolveOptions options;
        bool is_adaptive;
    };
    SolveOptions rays{.method = "mrk4", .projection = "ray"};
    const SolveOptions chosen = rays, nearest{.method = "rk4", .projection = "newton"};
    rays.partition = "[[q], [p]]";
    const SolveOptions dopri{.method = "dopri54", .projection = "newton"};
    const SolveOptions mdopri{.method = "mdopri54", .projection = "ray"};
    bench::CompiledProblem problem(system, end,
                                   {.method = "dop853", .rtol = 1e-14, .atol = 1e-14, .projection = "newton"});
    const std::vector<Kind> kinds{{"mrk4, sets q and p", rays, false},
                                  {"mrk4, sets chosen", chosen, false},
                                  {"rk4, newton", nearest, false},
                                  {"mdopri54, sets chosen", mdopri, true},
                                  {"dopri54, newton", dopri, true}};
    fmt::print("| method | steps | error | time |\n|---|---|---|---|\n");
    std::vector<std::vector<Result>> all;
    for (const Kind& kind : kinds) {
        std::vector<Result>& list = all.emplace_back();
        for (int k = 0; k < 4; ++k) {
            SolveOptions o = kind.options;
            if (kind.is_adaptive)
                o.rtol = o.atol = std::pow(10.0, -6 - 2 * k);
            else
                o.step = 0.02 * std::numbers::pi / (1 << (2 * k));
            list.push_back(measure(problem, o));
            fmt::print("| {} | {} | {:.1e} | {:.2f} ms |\n", kind.name, list.back().steps, list.back().error,
                       1e3 * list.back().seconds);
            std::fflush(stdout);
        }
    }
    const double error = 1e-6;
    fmt::print("\nTime for the error {:.0e}, over that of dopri54 with newton:", error);
    for (std::size_t k = 0; k + 1 < kinds.size(); ++k)
        fmt::print(" {} {:.1f}{}", kinds[k].name, time_at(all[k], error) / time_at(all.back(), error),
                   k + 2 < kinds.size() ? ";" : "\n");
    return 0;
}
