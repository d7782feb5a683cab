// Taylor methods beside an integrator written by hand for each problem, and beside dopri54 and dop853. Prints the
// tables of docs/decisions/0014 and 0045; heyoka_taylor has the same problems by another program.
//
//     taylor_bench
//
// Errors are maxima over coordinates at the end of |y - ref| / max(1, |ref|); times those of the steps, the least of
// several runs in turns, compiling apart.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lang/model.hpp"
#include "support/compiled_problem.hpp"
#include "support/taylor_by_hand.hpp"

namespace {

using namespace vessiot;
using Clock = std::chrono::steady_clock;

System load(const std::string& name) {
    System system = lang::load_model(VESSIOT_SOURCE_DIR "/gallery/" + name + ".ves", {});
    system.events.clear();
    system.outputs.clear();
    system.options.clear();
    return system;
}

struct Measured {
    double error = 0, seconds = 1e300;
    std::int64_t steps = 0;
};

void take(Measured& m, const bench::TimedRun& run) {
    m.error = run.error;
    m.steps = run.solution.stats.steps;
    m.seconds = std::min(m.seconds, run.solution.stats.seconds.integrate);
}

struct Case {
    std::string name, model;
    double to;
    std::function<bench::HandSeries(int, double)> by_hand;
    std::vector<std::size_t> column; // in `values`, of each number of the hand-written one
};

std::string text(const Measured& m) {
    return fmt::format("{:.1e}, {:.0f} us, {}", m.error, 1e6 * m.seconds, m.steps);
}

// The same orders and about the same steps: what generality costs.
void compare_by_hand(const Case& c) {
    const SolveOptions exact{.method = "taylor", .rtol = 1e-16, .atol = 1e-16, .order = 26};
    bench::CompiledProblem problem(load(c.model), c.to, exact);
    const std::vector<double> reference = problem.run(exact).solution.numbers;
    for (const int order : {12, 16, 20, 24}) {
        const double eps = std::max(1e-16, std::exp(-2.0 * (order - 1)));
        SolveOptions options{.method = "taylor", .rtol = eps, .atol = eps, .order = order};
        Measured hand, plain, projected;
        for (int round = 0; round < 21; ++round) {
            const auto begin = Clock::now();
            const bench::HandSeries s = c.by_hand(order, c.to);
            hand.seconds = std::min(hand.seconds, std::chrono::duration<double>(Clock::now() - begin).count());
            hand.steps = s.steps;
            hand.error = 0;
            for (std::size_t i = 0; i < s.end.size(); ++i) {
                const double value = reference[c.column[i]];
                hand.error = std::max(hand.error, std::fabs(s.end[i] - value) / std::max(1.0, std::fabs(value)));
            }
            options.projection = "none";
            take(plain, problem.run(options));
            options.projection = "simplified";
            take(projected, problem.run(options));
        }
        const auto per_step = [](const Measured& m) { return m.seconds / static_cast<double>(m.steps); };
        fmt::print("| {} | {} | {} | {} | {} | {:.2f} | {:.2f} |\n", c.name, order, text(hand), text(plain),
                   text(projected), per_step(plain) / per_step(hand), per_step(projected) / per_step(hand));
        std::fflush(stdout);
    }
}

// How errors grow, each method at the tolerance at which it takes the time that the power series takes.
void compare_growth() {
    const double period = 2 * M_PI;
    const System kepler = load("kepler");
    fmt::print("\n| method | tolerance | 10 revolutions | 100 | 1000 | time of 1000 |\n|---|---|---|---|---|---|\n");
    std::vector<std::unique_ptr<bench::CompiledProblem>> problems;
    const SolveOptions exact{.method = "taylor", .rtol = 1e-16, .atol = 1e-16, .order = 26};
    for (const double n : {10.0, 100.0, 1000.0})
        problems.push_back(std::make_unique<bench::CompiledProblem>(kepler, n * period, exact));
    double aim = 0;
    for (const std::string method : {"taylor", "dop853", "dopri54"}) {
        SolveOptions best;
        double best_time = 0;
        for (double tolerance = method == "taylor" ? 1e-16 : 1e-9; tolerance > 1e-17; tolerance /= std::sqrt(10.0)) {
            SolveOptions o{.method = method, .rtol = tolerance, .atol = tolerance};
            if (method == "taylor") o.order = 22;
            double seconds = 1e300;
            try {
                for (int k = 0; k < 2; ++k)
                    seconds = std::min(seconds, problems[2]->run(o).solution.stats.seconds.integrate);
            } catch (const std::exception&) {
                break;
            }
            if (best_time == 0 || std::fabs(std::log(seconds / aim)) < std::fabs(std::log(best_time / aim)))
                best = o, best_time = seconds;
            if (method == "taylor") break;
            if (seconds > 1.5 * aim) break;
        }
        if (method == "taylor") aim = best_time;
        std::string line = fmt::format("| {} | {:.0e} |", method, best.rtol.value_or(0));
        for (const auto& p : problems) line += fmt::format(" {:.1e} |", p->run(best).error);
        fmt::print("{} {:.0f} ms |\n", line, 1e3 * best_time);
        std::fflush(stdout);
    }
}

} // namespace

int main() {
    fmt::print("| problem | order | by hand: error, time, steps | taylor, not projected | taylor, projected | ratio of "
               "a step, "
               "not projected | projected |\n|---|---|---|---|---|---|---|\n");
    for (const Case& c : {Case{"Kepler, e = 0.6", "kepler", 100 * M_PI, bench::kepler_series, {0, 2, 1, 3}},
                          Case{"Euler top", "euler_top", 1000, bench::top_series, {0, 1, 2}},
                          Case{"Henon-Heiles", "henon_heiles", 1100, bench::henon_heiles_series, {0, 2, 1, 3}}})
        compare_by_hand(c);
    compare_growth();
    return 0;
}
