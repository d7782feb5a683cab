// A problem that has solved other things before gives the bits of one that is new: models whose equations switch, and
// models that are completed with numbers, with other parameters, start values, intervals and directions of time from
// solve to solve.
#include <gtest/gtest.h>

#include <malloc.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"

namespace vessiot::kept_problem_test {
namespace {

bool has_bits_of(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// All of a solution that does not depend on the clock.
std::string difference(const Solution& a, const Solution& b) {
    if (a.message != b.message) return a.message + " | " + b.message;
    if (a.notes != b.notes) return "notes";
    if (!has_bits_of(a.t, b.t)) return "t";
    if (!has_bits_of(a.s, b.s)) return "s";
    if (!has_bits_of(a.numbers, b.numbers)) return "values";
    if (!has_bits_of(a.output_numbers, b.output_numbers)) return "outputs";
    if (a.method.choice != b.method.choice) return "method";
    if (a.constraint_residual_max != b.constraint_residual_max) return "residual";
    if (a.events.size() != b.events.size()) return "events";
    for (std::size_t k = 0; k < a.events.size(); ++k) {
        const EventPoint &x = a.events[k], &y = b.events[k];
        if (x.name != y.name || x.t != y.t || !has_bits_of(x.values, y.values) ||
            !has_bits_of(x.values_after, y.values_after))
            return "event " + x.name;
    }
    for (const StatsCount& count : stats_counts)
        if (a.stats.*count.at != b.stats.*count.at) return count.name;
    if (!a.curve != !b.curve) return "curve";
    if (!a.curve || a.t.size() < 2) return "";
    const double end = a.s.empty() ? a.t.back() : a.s.back(), begin = a.s.empty() ? a.t.front() : 0;
    for (const double part : {0.13, 0.5, 0.77})
        if (!has_bits_of(a(begin + part * (end - begin)), b(begin + part * (end - begin))))
            return "curve between points";
    return "";
}

struct Case {
    const char* name;
    const char* text;
    std::vector<std::pair<std::string, std::pair<double, double>>> parameters, start; // their ranges
    bool runs_backwards = true;
    bool is_whole = false; // values of parameters are whole numbers
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"drag and a drive",
         "parameter T = 0.7, a = 1, c = 0.4\nunknown x\n"
         "x'' = if(mod(t, T) < T/2 and t < 3*T, a, -a) - c*abs(x')*x' - x\nstart x = 1, x' = 0\nsolve t = 0 .. 3\n",
         {{"T", {0.2, 2}}, {"a", {-2, 2}}, {"c", {0, 1}}},
         {{"x", {-2, 2}}, {"x'", {-1, 1}}}},
        {"pieces",
         "parameter b = 0.5, s = 2\nunknown x, y\ntable f(v) = [-1: -2, 0: 0, 1: 3] outside extend\n"
         "x' = floor(s*t) - max(x, b) + f(y)\ny' = min(y, x) - sign(y - b)\nstart x = 0, y = 1\nsolve t = 0 .. 1.5\n",
         {{"b", {-0.5, 0.5}}, {"s", {0.5, 5}}},
         {{"x", {-1, 1}}, {"y", {0.6, 2}}}},
        {"a condition of parameters",
         "parameter k = 1, m = 2\nunknown x\nx' = if(k > m, -x, if(t < k, 1, cos(x)))\nstart x = 0\nsolve t = 0 .. 2\n",
         {{"k", {0, 4}}, {"m", {0, 4}}},
         {{"x", {-1, 1}}}},
        {"conditions of whole numbers",
         "parameter mode = 1, k = 2\nunknown x\nx' = if(mode == 1, -x, if(mode > k and x > 0, 1, cos(x))) + max(k, "
         "mode)\n"
         "start x = 0\nsolve t = 0 .. 1\n",
         {{"mode", {0.5, 4}}, {"k", {0, 4}}},
         {{"x", {-1, 1}}}},
        {"a heater",
         "parameter lo = 20, hi = 25\ndiscrete on = 1\nunknown T\nT' = -0.1*(T - 10) + 3*on\nstart T = 15\n"
         "solve t = 0 .. 20\nevent thermostat: always then on = if(T < if(on == 1, hi, lo), 1, 0)\n",
         {{"lo", {15, 20}}, {"hi", {21, 30}}},
         {{"T", {12, 35}}},
         false},
        {"an algebraic unknown on two sides",
         "parameter a = 1, r = 2\nunknown x, z\nx' = z - x + sin(t)\nz + r*abs(z) = a*x + 3\nstart x = 0.1\n"
         "guess z = 1\nsolve t = 0 .. 4\n",
         {{"a", {0.2, 2}}, {"r", {0.1, 0.8}}},
         {{"x", {-2, 2}}}},
        {"a pendulum with friction",
         "parameter g = 9.81, c = 0.5, w = 1\nunknown x, y, p\nx'' = -p*x - if(x' > 0, c, -c/2)\ny'' = -p*y - g\n"
         "x^2 + y^2 = 1\nstart x = 0.6, y = -0.8, x' = w\nhold x, x'\nsolve t = 0 .. 1.5\nevent low: x = 0\n",
         {{"g", {5, 12}}, {"c", {0.1, 1}}, {"w", {0.2, 2}}},
         {{"x", {0.1, 0.7}}}},
        {"a controller",
         "parameter K = 14, D = 6, T = 0.1, top = 5\nunknown x\ndiscrete u = 0, n = K/2\nx'' = 4*x + min(u, top) - "
         "n/100\n"
         "event look: every T then u = -K*x - D*x', n = n + 1\nevent out: x = 2 then x = 1\nstart x = 1, x' = 0\n"
         "solve t = 0 .. 1\n",
         {{"K", {8, 20}}, {"D", {3, 8}}, {"T", {0.05, 0.2}}, {"top", {0, 8}}},
         {{"x", {0.2, 1.5}}, {"x'", {-1, 1}}},
         false},
        {"a ball with drag",
         "parameter e = 0.8, c = 0.1, g = 9.81\nunknown h\nh'' = -g - c*h'*abs(h')\nstart h = 1, h' = 0\n"
         "event hit: h = 0 falling then h' = -e*h'\nsolve t = 0 .. 1.2\n",
         {{"e", {0.6, 0.95}}, {"c", {0, 0.3}}, {"g", {5, 12}}},
         {{"h", {0.2, 2}}, {"h'", {-1, 1}}},
         false},
    };
    return all;
}

// Numbers decide what follows from their equations; of the last three by whole values of a parameter.
const std::vector<Case>& completed_cases() {
    static const std::vector<Case> all{
        {"eta_problem", "", {{"eta", {0.5, 2}}}, {}},
        {"pendulum_mixed", "", {{"g", {5, 12}}, {"l", {0.5, 2}}}, {{"x'", {-1, 1}}}},
        {"stiff_pendulum_overdetermined", "", {{"eps", {0.05, 0.2}}}, {}},
        {"transistor_amplifier", "", {{"Ub", {5, 7}}, {"R", {8000, 10000}}}, {}},
        {"one row or two",
         "parameter a = 1\nunknown x, y\nx' + a*y' = t - x\nx' + y' = -y\nstart x = 1, y = 1\nsolve t = 0 .. 1\n",
         {{"a", {-0.4, 2.4}}},
         {{"x", {-1, 1}}, {"y", {-1, 1}}},
         true,
         true},
        {"of index two or three",
         "parameter m = 0\nunknown x, y, z\nx' = z\ny' = m*z + x\nx + y = 1 + sin(t)\nstart x = 1, y = 0\n"
         "solve t = 0 .. 0.5\n",
         {{"m", {-1.4, 1.4}}},
         {{"x", {-1, 1}}},
         true,
         true},
        {"a third equation",
         "parameter k = 1, c = 1\nunknown x, y\nx' = y\ny' = -k*x\nk*x^2 + y^2 = k*c\nstart x = 1, y = 0.1\n"
         "solve t = 0 .. 1\n",
         {{"k", {-0.4, 3.4}}, {"c", {0.6, 3.4}}},
         {{"x", {0.5, 2}}, {"y", {-1, 1}}},
         true,
         true},
    };
    return all;
}

// Where the start point is looked at: the flow has to keep what the model claims.
const std::vector<Case>& claiming_cases() {
    static const std::vector<Case> all{
        {"pendulum_energy", "", {{"g", {5, 12}}}, {{"x'", {-1, 1}}}},
        {"kepler", "", {}, {{"x", {0.4, 1}}, {"y'", {1, 1.5}}}},
        {"a double root",
         "parameter k = 1\nunknown x, y\nx' = y*(x - 1)\ny' = -k*y\nk*(x - 1)^2 = 0\nsolve t = 0 .. 1\n",
         {{"k", {0.5, 2}}},
         {{"x", {0.999, 1.001}}, {"y", {-1, 1}}}},
    };
    return all;
}

Model model_of(const Case& c) {
    if (c.text[0] != 0) return Model::parse(c.text);
    return Model::load(std::filesystem::path(VESSIOT_SOURCE_DIR) / "gallery" / (std::string(c.name) + ".ves"));
}

// The numbers of one solve: some of them are those of the solve before.
RunOptions some_run(const Case& c, std::mt19937& random, const RunOptions& before) {
    const auto real = [&](std::pair<double, double> range) {
        return std::uniform_real_distribution<double>(range.first, range.second)(random);
    };
    const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    RunOptions run = before;
    if (pick(3) > 0) {
        run.parameters.clear();
        for (const auto& [name, range] : c.parameters)
            if (pick(2) == 0) run.parameters.emplace_back(name, c.is_whole ? std::round(real(range)) : real(range));
    }
    if (pick(3) > 0) {
        run.start.clear();
        for (const auto& [name, range] : c.start)
            if (pick(2) == 0) run.start.emplace_back(name, real(range));
    }
    run.from.reset();
    run.to.reset();
    run.every.reset();
    if (pick(4) == 0) run.from = real({0, 1});
    if (pick(3) == 0) run.to = run.from.value_or(0) + real({0.1, 2});
    if (c.runs_backwards && pick(5) == 0) run.to = run.from.value_or(0) - real({0.1, 1});
    if (pick(8) == 0) run.to = run.from.value_or(0); // the start point alone
    if (pick(4) == 0) run.every = real({0.01, 0.3});
    run.throw_on_failure = false;
    return run;
}

void expect_same(const Case& c, const SolveOptions& options, std::uint32_t seed) {
    const Model model = model_of(c);
    std::mt19937 random(seed);
    const Problem kept(model, options);
    const auto solved = [](const Problem& problem, const RunOptions& run) {
        try {
            return std::pair(problem.solve(run), std::string());
        } catch (const InvalidInput& e) {
            return std::pair(Solution(), std::string(e.what()));
        }
    };
    RunOptions run;
    for (int k = 0; k < 12; ++k) {
        run = some_run(c, random, run);
        const auto [expected, refusal] = solved(Problem(model, options), run);
        const auto [found, refusal_found] = solved(kept, run);
        EXPECT_EQ(refusal, refusal_found);
        EXPECT_EQ(difference(expected, found), "")
            << c.name << ", " << *options.method << ", seed " << seed << ", solve " << k;
    }
}

TEST(KeptProblem, OfEquationsThatSwitchGivesTheBitsOfANewOne) {
    std::uint32_t seed = 1;
    for (const Case& c : cases())
        for (const char* const method : {"auto", "dopri54", "radau5", "rk4", "bdf2"}) {
            SolveOptions o{.method = method, .rtol = 1e-5, .atol = 1e-8};
            o.backend = Backend::interpreter;
            o.throw_on_failure = false;
            o.max_steps = 400;
            if (std::string_view(method) == "rk4" || std::string_view(method) == "bdf2") o.step = 0.02;
            try {
                Problem(Model::parse(c.text), o).solve();
            } catch (const InvalidInput&) { // it does not fit
                continue;
            }
            expect_same(c, o, seed++);
        }
}

TEST(KeptProblem, OfASystemCompletedWithNumbersGivesTheBitsOfANewOne) {
    std::uint32_t seed = 200;
    for (const Case& c : completed_cases())
        for (const char* const method : {"dopri54", "radau5", "auto"}) {
            SolveOptions o{.method = method, .rtol = 1e-4, .atol = 1e-7};
            o.backend = Backend::interpreter;
            o.max_steps = 40;
            expect_same(c, o, seed++);
        }
}

TEST(KeptProblem, OfASystemThatClaimsThingsGivesTheBitsOfANewOne) {
    std::uint32_t seed = 300;
    for (const Case& c : claiming_cases())
        for (const char* const method : {"dopri54", "radau5"}) {
            SolveOptions o{.method = method, .rtol = 1e-4, .atol = 1e-7};
            o.backend = Backend::interpreter;
            o.max_steps = 40;
            expect_same(c, o, seed++);
        }
}

TEST(KeptProblem, OfASystemCompletedWithNumbersTakesConstantMemory) {
    const Problem problem(model_of(completed_cases()[0]), {.backend = Backend::interpreter});
    const Problem flips(model_of(completed_cases()[4]), {.backend = Backend::interpreter});
    const auto solve_many = [&](int n) {
        for (int k = 0; k < n; ++k) {
            problem.solve({.parameters = {{"eta", 1 + 1e-3 * k}}, .from = 0, .to = 0});
            flips.solve({.parameters = {{"a", 1.0 * (k % 3)}}, .from = 0, .to = 0});
        }
    };
    const auto in_use = [] { return static_cast<double>(mallinfo2().uordblks); };
    solve_many(60);
    const double before = in_use();
    solve_many(600);
    EXPECT_LT(in_use() - before, 1e6);
}

TEST(KeptProblem, InArclengthAndInQuadGivesTheBitsOfANewOne) {
    std::uint32_t seed = 100;
    for (const Case& c : cases())
        for (const bool is_quad : {false, true}) {
            SolveOptions o{.method = "dopri54", .rtol = 1e-5, .atol = 1e-8};
            if (is_quad)
                o.precision = Precision::quad;
            else
                o.parametrisation = Parametrisation::arclength;
            o.backend = Backend::interpreter;
            o.throw_on_failure = false;
            o.max_steps = 200;
            try {
                Problem(Model::parse(c.text), o).solve();
            } catch (const InvalidInput&) {
                continue;
            }
            expect_same(c, o, seed++);
        }
}

} // namespace
} // namespace vessiot::kept_problem_test
