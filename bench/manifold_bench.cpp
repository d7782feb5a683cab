// Time to an error, on the manifold: dop853 with projection on the problems P1 .. P6, which hand-written programs solve
// too. The right-hand sides come from the models of the gallery; compile time is apart.
//
//     manifold_bench [P1 P2_50 P2_1000 ...] [--anchor PROGRAM] [--method NAME]
//
// Error: the maximum over positions and velocities at the end point of |y - ref| / max(1, |ref|). Time to error E:
// rtol = atol on a grid of half decades, the least of at least three runs (and 60 ms a point); between two points
// log(time) is linear in log(error), each point counting with the worst error of itself and all tighter ones. With
// --anchor the program given is run in between (it takes a problem name and --json, and prints a list of
// objects with `method` and `targets`: the `time_s` to each error), and the ratio of both is printed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lang/model.hpp"
#include "support/compiled_problem.hpp"

namespace {

using namespace vessiot;

struct Case {
    std::string name, model;
    std::vector<std::pair<std::string, std::string>> set;
    double to;
};

Case make_case(const std::string& name) {
    if (name == "P1") return {name, "pendulum", {{"g", "1"}}, 100};
    if (name.starts_with("P2_")) return {name, "mech", {{"n", name.substr(3)}}, 1};
    if (name == "P3") return {name, "andrews", {}, 0.03};
    if (name == "P4") return {name, "kepler", {}, 100 * M_PI};
    if (name == "P5") return {name, "bench_top", {}, 1000};
    if (name == "P6") return {name, "henon_heiles", {}, 1100};
    throw InvalidInput("no such problem: " + name);
}

// Intermediate axis theorem: the top of the comparison, with both invariants.
constexpr const char* top_model = R"(
parameter I1 = 2, I2 = 1, I3 = 2/3
unknown y1, y2, y3
y1' = (1/I3 - 1/I2)*y2*y3
y2' = (1/I1 - 1/I3)*y3*y1
y3' = (1/I2 - 1/I1)*y1*y2
invariant y1^2 + y2^2 + y3^2
invariant (y1^2/I1 + y2^2/I2 + y3^2/I3)/2
start y1 = cos(1.1), y2 = 0, y3 = sin(1.1)
solve t = 0 .. 1000
)";

System load(const Case& c) {
    lang::Settings settings;
    settings.set = c.set;
    if (c.model == "bench_top") return lang::read_model(lang::Source("top.ves", top_model), settings);
    System system = lang::load_model(VESSIOT_SOURCE_DIR "/gallery/" + c.model + ".ves", settings);
    system.events.clear();
    system.outputs.clear();
    return system;
}

struct Point {
    double tolerance, seconds, error;
};

std::vector<Point> sweep(const Case& c, const std::string& method) {
    SolveOptions options{.method = method, .rtol = 1e-14, .atol = 1e-14};
    bench::CompiledProblem problem(load(c), c.to, options);
    std::vector<Point> points;
    for (double tol = 1e-3; tol > 0.9e-13; tol *= std::sqrt(0.1)) {
        options.rtol = options.atol = tol;
        const bench::TimedRun run = problem.best(options);
        points.push_back({tol, run.seconds, run.error});
        if (run.error < 1e-11) break;
    }
    return points;
}

// Seconds to reach an error; NaN where it is not reached.
double time_to(const std::vector<Point>& p, double wanted) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (p[i].error < p[best].error) best = i;
    std::vector<double> worst(best + 1);
    for (std::size_t i = best + 1; i-- > 0;) worst[i] = std::max(p[i].error, i < best ? worst[i + 1] : 0.0);
    std::size_t i = 0;
    while (i <= best && worst[i] > wanted) ++i;
    if (i > best) return NAN;
    if (i == 0) return p[0].seconds;
    const double f = std::log(worst[i - 1] / wanted) / std::log(worst[i - 1] / worst[i]);
    return p[i - 1].seconds * std::pow(p[i].seconds / p[i - 1].seconds, f);
}

constexpr std::array errors{1e-4, 1e-6, 1e-8, 1e-10};

// The times of the row dop853+proj of the anchor program.
std::vector<double> run_anchor(const std::string& program, const std::string& name) {
    std::string argument = name;
    std::ranges::replace(argument, '_', ' ');
    std::FILE* pipe = popen(fmt::format("{} {} --json", program, argument).c_str(), "r");
    if (!pipe) throw InvalidInput("cannot run " + program);
    std::string text;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    pclose(pipe);
    std::vector<double> times;
    for (const auto& row : nlohmann::json::parse(text))
        if (row.at("method") == "dop853+proj")
            for (const auto& target : row.at("targets")) times.push_back(target.at("time_s").get<double>());
    return times;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> names;
    std::string anchor, method = "dop853";
    for (int k = 1; k < argc; ++k) {
        const std::string word = argv[k];
        if (word == "--anchor" && k + 1 < argc)
            anchor = argv[++k];
        else if (word == "--method" && k + 1 < argc)
            method = argv[++k];
        else
            names.push_back(word);
    }
    if (names.empty()) names = {"P1", "P2_6", "P2_50", "P2_1000", "P2_10000", "P3", "P4", "P5", "P6"};
    fmt::print("{:<10}{:>11}{:>11}{:>11}{:>11}   {}\n", method, "1e-4", "1e-6", "1e-8", "1e-10",
               anchor.empty() ? "" : "ratio to the anchor");
    for (const std::string& name : names) {
        try {
            const std::vector<Point> points = sweep(make_case(name), method);
            std::string line = fmt::format("{:<10}", name), ratios;
            const std::vector<double> other = anchor.empty() ? std::vector<double>{} : run_anchor(anchor, name);
            for (std::size_t k = 0; k < errors.size(); ++k) {
                const double t = time_to(points, errors[k]);
                line += fmt::format("{:>8.1f} us", 1e6 * t);
                if (k < other.size()) ratios += fmt::format("{:>7.2f}", t / other[k]);
            }
            fmt::print("{}   {}\n", line, ratios);
        } catch (const std::exception& e) {
            fmt::print("{:<10} {}\n", name, e.what());
        }
        std::fflush(stdout);
    }
    return 0;
}
