// What a solve costs beside its steps: the first one of a problem, and the ones after it.
//
//   warm_bench                 pendulum, chains, and every model of the gallery
//
// Each solve goes from the start of the interval to the same point: analysis, code, start point, result, and no step.
// Times are the least of several, in microseconds of processor time, on the interpreter; `cold` makes the problem,
// `warm` solves it again, `other g` with another value of a parameter.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/problem.hpp"

namespace vessiot::bench {
namespace {

// Of processor time of this thread, so that other work on the machine does not count.
double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

double microseconds(const auto& f) {
    const double begin = now();
    f();
    return now() - begin;
}

double least(int n, const auto& f) {
    double best = 1e300;
    for (int k = 0; k < n; ++k) best = std::min(best, microseconds(f));
    return best;
}

struct Row {
    double cold = 0, warm = 0, other = 0;
};

Row measure(const System& system, const std::string& method) {
    SolveOptions options = with_model_options(system, {});
    if (!method.empty()) options.method = method;
    options.backend = "interpreter";
    const double from = system.from && system.graph->is_constant(*system.from)
                            ? static_cast<double>(system.graph->value(*system.from))
                            : 0;
    const RunOptions point{.from = from, .to = from};
    Row row;
    row.cold = least(3, [&] { std::make_shared<ProblemCore>(system, options)->solve(point); });
    const auto core = std::make_shared<ProblemCore>(system, options);
    core->solve(point);
    const int n = static_cast<int>(std::clamp(2e5 / row.cold, 5.0, 200.0));
    row.warm = least(n, [&] { core->solve(point); });
    const auto parameter = std::ranges::find_if(system.parameters, [](const Parameter& p) {
        return !p.is_structural && p.formula.empty() && p.values.size() == 1;
    });
    if (parameter == system.parameters.end()) return row;
    double value = static_cast<double>(parameter->values[0]);
    row.other = least(n, [&] {
        value *= 0.9999;
        RunOptions other = point;
        other.parameters = {{parameter->name, value}};
        core->solve(other);
    });
    return row;
}

void print(const std::string& name, const System& system, const std::string& method) {
    try {
        const Row r = measure(system, method);
        fmt::print("{:32} {:>10.1f} {:>10.1f} {:>10.1f} {:>9.2f} %\n", name, r.cold, r.warm, r.other,
                   100 * r.warm / r.cold);
    } catch (const std::exception& e) {
        fmt::print("{:32} {}\n", name, std::string(e.what()).substr(0, 80));
    }
}

System model(const std::string& name, const lang::Settings& settings = {}) {
    return lang::load_model(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + name + ".ves", settings);
}

void run(const std::vector<std::string>& asked) {
    fmt::print("{:32} {:>10} {:>10} {:>10} {:>11}\n", "us", "cold", "warm", "other g", "warm/cold");
    for (const std::string& name : asked) print(name, model(name), "");
    if (!asked.empty()) return;
    print("pendulum, dop853", model("pendulum"), "dop853");
    for (const char* const n : {"50", "1000"})
        print(fmt::format("mech n = {}, dop853", n), model("mech", {.set = {{"n", n}}}), "dop853");
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(std::string(VESSIOT_SOURCE_DIR) + "/gallery"))
        if (file.path().extension() == ".ves") names.push_back(file.path().stem());
    std::ranges::sort(names);
    for (const std::string& name : names) print(name, model(name), "");
}

} // namespace
} // namespace vessiot::bench

int main(int argc, char** argv) {
    vessiot::bench::run({argv + 1, argv + argc});
}
