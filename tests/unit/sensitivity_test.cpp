// Derivatives of solutions by parameters and start values, where they are known in closed form; what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "completion/structure.hpp"
#include "lang/model.hpp"
#include "sensitivity/augmentation.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::sensitivity_test {
namespace {

const std::string oscillator = R"(
parameter k = 4, m = 1, w = sqrt(k/m), a = 0.5
unknown x
x'' = -w^2*x
start x = a, x' = 0
solve t = 0 .. 3
output E = (x'^2 + w^2*x^2)/2
event half: x = a/2 falling
)";

// x = l cos(phi), y = l sin(phi) on a circle, driven round at the rate r: phi = r t.
const std::string circle = R"(
parameter l = 2, r = 0.7
unknown x, y, lambda
x' = -r*y + lambda*x
y' = r*x + lambda*y
x^2 + y^2 = l^2
start x = l, y = 0
solve t = 0 .. 2
)";

std::string failure(const std::string& text, const SolveOptions& options) {
    try {
        solve(Model::parse(text), options);
    } catch (const InvalidInput& e) {
        return e.what();
    }
    return "";
}

// x = a cos(w t), w = sqrt(k/m): parameters that are computed from others move with them.
TEST(Sensitivity, OfAnOscillatorAreThoseOfItsFormula) {
    for (const std::string method : {"dopri54", "dop853", "radau5", "gauss6", "taylor"}) {
        const Solution s = solve(
            Model::parse(oscillator),
            {.method = method, .rtol = 1e-10, .atol = 1e-12, .every = 0.5, .sensitivity = {"k", "a", "w", "start:x'"}});
        const double w = 2, a = 0.5;
        ASSERT_EQ(s.t.size(), 7U);
        for (std::size_t i = 0; i < s.t.size(); ++i) {
            const double t = s.t[i], by_w = -a * t * std::sin(w * t), dw_dk = w / 8; // dw/dk = w/(2k)
            const double tolerance = 1e-8;                                           // 100 rtol: the errors of 3 units
            EXPECT_NEAR(s.sensitivity("x", "w")[i], by_w, tolerance) << method;
            EXPECT_NEAR(s.sensitivity("x", "k")[i], by_w * dw_dk, tolerance) << method;
            EXPECT_NEAR(s.sensitivity("x", "a")[i], std::cos(w * t), tolerance) << method;
            EXPECT_NEAR(s.sensitivity("x'", "a")[i], -w * std::sin(w * t), tolerance) << method;
            EXPECT_NEAR(s.sensitivity("x", "start:x'")[i], std::sin(w * t) / w, tolerance) << method;
            EXPECT_NEAR(s.sensitivity("E", "a")[i], w * w * a, 10 * tolerance) << method;
            EXPECT_NEAR(s.sensitivity("E", "w")[i], w * a * a, 10 * tolerance) << method;
        }
        // between the points
        for (const double t : {0.1234, 1.7, 2.999}) {
            EXPECT_NEAR(s.sensitivity(t, "x", "w"), -a * t * std::sin(w * t), 1e-6) << method;
            EXPECT_NEAR(s.sensitivity(t, "x'", "start:x'"), std::cos(w * t), 1e-6) << method;
        }
        // cos(w t) = 1/2 at w t = pi/3, whatever a
        ASSERT_FALSE(s.events.empty());
        const double t = s.events[0].t;
        EXPECT_NEAR(t, std::acos(0.5) / w, 1e-9);
        ASSERT_EQ(s.events[0].t_sensitivities.size(), 4U);
        EXPECT_NEAR(s.events[0].t_sensitivities[0], -t / w * (w / 8), 1e-8) << method;
        EXPECT_NEAR(s.events[0].t_sensitivities[1], 0, 1e-8) << method;
    }
}

TEST(Sensitivity, InQuadHaveItsDigits) {
    const Solution s = solve(
        Model::parse(oscillator),
        {.method = "dop853", .rtol = 1e-15, .atol = 1e-17, .at = {3.0}, .sensitivity = {"w"}, .precision = "quad"});
    EXPECT_NEAR(s.sensitivity("x", "w")[0], -0.5 * 3 * std::sin(6.0), 1e-13);
}

TEST(Sensitivity, OnAManifoldAreTangentToIt) {
    for (const std::string projection : {"simplified", "newton", "chord", "inexact"}) {
        const Solution s =
            solve(Model::parse(circle),
                  {.rtol = 1e-10, .atol = 1e-12, .every = 0.25, .sensitivity = {"l", "r"}, .projection = projection});
        for (std::size_t i = 0; i < s.t.size(); ++i) {
            const double t = s.t[i], c = std::cos(0.7 * t), d = std::sin(0.7 * t);
            EXPECT_NEAR(s.sensitivity("x", "l")[i], c, 1e-8) << projection;
            EXPECT_NEAR(s.sensitivity("y", "l")[i], d, 1e-8) << projection;
            EXPECT_NEAR(s.sensitivity("x", "r")[i], -2 * t * d, 1e-8) << projection;
            EXPECT_NEAR(s.sensitivity("lambda", "r")[i], 0, 1e-8) << projection;
            // x dx/dl + y dy/dl = l to round-off
            const double x = s.column("x")[i], y = s.column("y")[i];
            EXPECT_NEAR(x * s.sensitivity("x", "l")[i] + y * s.sensitivity("y", "l")[i], 2, 1e-14) << projection;
        }
        EXPECT_LT(s.constraint_residual_max, 3e-14);
        const std::vector<double> at = s(1.111);
        const double dx = s.sensitivity(1.111, "x", "l"), dy = s.sensitivity(1.111, "y", "l");
        EXPECT_NEAR(at[s.column_of("x")] * dx + at[s.column_of("y")] * dy, 2, 1e-14) << projection;
    }
}

TEST(Sensitivity, LeavesTheSolutionAsItIs) {
    const Model model = Model::parse(circle);
    const Solution without = solve(model, {.step = 0.01, .at = {2.0}});
    const Solution with = solve(model, {.step = 0.01, .at = {2.0}, .sensitivity = {"all"}});
    EXPECT_EQ(with.names, without.names);
    EXPECT_EQ(with.system.unknowns, 3);
    EXPECT_EQ(with.sensitivity_names, (std::vector<std::string>{"l", "r"}));
    for (std::size_t k = 0; k < with.numbers.size(); ++k) EXPECT_NEAR(with.numbers[k], without.numbers[k], 1e-15);
}

// The steps are those of the solution where derivatives do not count, and more where they do.
TEST(Sensitivity, ControlCountsTheirErrors) {
    // x is constant while its derivative by a oscillates
    const Model model = Model::parse("parameter a = 0\nunknown x\nx'' = -400*x + a\nstart x = 0, x' = 0\n"
                                     "solve t = 0 .. 10\n");
    const Solution off = solve(model, {.at = {10.0}, .sensitivity = {"a"}, .sensitivity_control = "off"});
    const Solution on = solve(model, {.at = {10.0}, .sensitivity = {"a"}});
    const double exact = (1 - std::cos(200.0)) / 400;
    EXPECT_LT(off.stats.steps, 20);
    EXPECT_GT(std::abs(off.sensitivity("x", "a")[0] - exact), 1e-5);
    EXPECT_NEAR(on.sensitivity("x", "a")[0], exact, 1e-5);
}

TEST(Sensitivity, OfElementsOfArraysAreNamed) {
    const Model model = Model::parse("parameter n = 3, m[3] = [1, 2, 3]\nunknown x[n]\n"
                                     "for i = 1..n: x[i]' = -m[i]*x[i]\n"
                                     "for i = 1..n: start x[i] = 1\nsolve t = 0 .. 1\n");
    const Solution s = solve(model, {.rtol = 1e-10, .at = {1.0}, .sensitivity = {"m", "start:x[2]"}});
    EXPECT_EQ(s.sensitivity_names, (std::vector<std::string>{"m[1]", "m[2]", "m[3]", "start:x[2]"}));
    for (int i = 1; i <= 3; ++i)
        for (int j = 1; j <= 3; ++j) {
            const std::string x = "x[" + std::to_string(i) + "]", m = "m[" + std::to_string(j) + "]";
            EXPECT_NEAR(s.sensitivity(x, m)[0], i == j ? -std::exp(-i) : 0, 1e-9);
        }
    EXPECT_NEAR(s.sensitivity("x[2]", "start:x[2]")[0], std::exp(-2), 1e-9);
    const Solution one = solve(model, {.at = {1.0}, .sensitivity = {"m[2]"}});
    EXPECT_EQ(one.sensitivity_names, (std::vector<std::string>{"m[2]"}));
}

// y is computed from x^2 + y^2 = l^2, with y > 0: dy = (l dl - x dx) / y.
TEST(Sensitivity, OfTheStartPointFollowsTheConstraints) {
    const std::string text = "parameter l = 1, a = 0.6\nunknown x, y\nx' = -x\nx^2 + y^2 = l^2\n"
                             "start x = a\nguess y = 1\nsolve t = 0 .. 1\n";
    const Solution s = solve(Model::parse(text), {.rtol = 1e-10, .sensitivity = {"l", "a", "start:x"}});
    EXPECT_NEAR(s.sensitivity("y", "l")[0], 1 / 0.8, 1e-14);
    EXPECT_NEAR(s.sensitivity("y", "a")[0], -0.6 / 0.8, 1e-14);
    EXPECT_NEAR(s.sensitivity("y", "start:x")[0], -0.6 / 0.8, 1e-14);
    EXPECT_EQ(s.sensitivity("x", "start:x")[0], 1);
    const double x = 0.6 * std::exp(-1), y = std::sqrt(1 - x * x);
    EXPECT_NEAR(s.sensitivity("y", "l").back(), 1 / y, 1e-9);
    EXPECT_NEAR(s.sensitivity("y", "a").back(), -x * std::exp(-1) / y, 1e-9);
}

TEST(Sensitivity, OfAStartValueThatConstraintsFixIsNoted) {
    // x = l, y = 0: to first order x cannot change
    const Solution s = solve(Model::parse(circle), {.sensitivity = {"start:x", "start:y"}});
    EXPECT_NEAR(s.sensitivity("x", "start:x")[0], 0, 1e-15);
    EXPECT_EQ(s.sensitivity("y", "start:y")[0], 1);
    bool is_noted = false;
    for (const std::string& note : s.notes)
        is_noted |= note.find("do not leave the start value of x free") != std::string::npos;
    EXPECT_TRUE(is_noted);
}

// Levels of invariants move with the start point, or as their formulas do.
TEST(Sensitivity, OfInvariantsAreKept) {
    for (const std::string level : {"", " = w^2*a^2/2"}) {
        const std::string text = "parameter w = 2, a = 0.5\nunknown x\nx'' = -w^2*x\n"
                                 "invariant (x'^2 + w^2*x^2)/2" +
                                 level + "\nstart x = a, x' = 0\nsolve t = 0 .. 3\n";
        const Solution s = solve(Model::parse(text), {.rtol = 1e-9, .sensitivity = {"w", "a"}});
        EXPECT_LT(s.invariant_drift_max, 1e-14) << level;
        for (std::size_t i = 0; i < s.t.size(); ++i)
            EXPECT_NEAR(s.sensitivity("x", "w")[i], -0.5 * s.t[i] * std::sin(2 * s.t[i]), 1e-7) << level;
    }
}

// Offsets are those of the system, in each block: found anew from all equations they are the same.
TEST(Sensitivity, HasTheStructureOfTheSystem) {
    for (const std::string name : {"pendulum", "four_bar", "car_axis", "hanging_chain", "heat_dae", "andrews"}) {
        const System system = test::gallery_system(name);
        const Structure structure = analyse(system);
        Prolongation p = prolong(system, structure);
        if (p.is_raised) continue;
        std::vector<std::string> notes;
        std::vector<SensitivityVariable> by{{"start:any", SensitivityVariable::no_parameter, 0, "any", 0}};
        for (std::size_t k = 0; k < system.parameters.size(); ++k)
            if (!system.parameters[k].is_structural) by.push_back({system.parameters[k].name, k, 0, {}, 1});
        const Augmentation all(system, p, by);
        const Structure found = analyse(all.system());
        ASSERT_TRUE(found.is_regular) << name;
        EXPECT_EQ(found.offsets.c, all.prolongation().offsets.c) << name;
        EXPECT_EQ(found.offsets.d, all.prolongation().offsets.d) << name;
        EXPECT_EQ(found.index, structure.index) << name;
        const auto blocks = static_cast<std::int64_t>(by.size()) + 1;
        EXPECT_EQ(found.phase_dimension, blocks * structure.phase_dimension) << name;
        EXPECT_EQ(all.prolongation().n_state(), blocks * p.n_state()) << name;
    }
}

// The derivatives of all constraints, hidden ones too, hold at any time.
TEST(Sensitivity, IsTangentBetweenThePoints) {
    const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/pendulum.ves");
    for (const std::string method : {"dopri54", "dop853", "radau5", "taylor"}) {
        const Solution s = solve(model, {.method = method, .to = 3, .sensitivity = {"l"}});
        for (int k = 0; k < 100; ++k) {
            const double t = 3 * (k * 0.6180339887 - std::floor(k * 0.6180339887));
            const std::vector<double> u = s(t);
            const auto value = [&](const char* name) { return u[s.column_of(name)]; };
            const auto d = [&](const char* name) { return s.sensitivity(t, name, "l"); };
            EXPECT_NEAR(value("x") * d("x") + value("y") * d("y"), 1, 1e-13) << method;
            const double rate =
                value("x'") * d("x") + value("x") * d("x'") + value("y'") * d("y") + value("y") * d("y'");
            EXPECT_NEAR(rate, 0, 1e-12) << method;
        }
    }
}

TEST(Sensitivity, TakesNoMemoryForAStep) {
    struct Work {
        std::string name, method, distribution;
        TextSettings settings{};
    };
    const std::vector<Work> list{{"pendulum", "dopri54", "auto"},
                                 {"pendulum", "dopri54", "solve"},
                                 {"pendulum", "radau5", "auto"},
                                 {"kepler", "dop853", "auto"},
                                 {"hanging_chain", "dopri54", "kkt"}};
    for (const Work& w : list) {
        const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + w.name + ".ves", w.settings);
        const auto allocations = [&](int n_steps) {
            const std::size_t before = test::n_allocations();
            const double end = 1e-3 * n_steps;
            const Solution s = solve(model, {.method = w.method,
                                             .step = 1e-3,
                                             .to = end,
                                             .at = {end},
                                             .sensitivity = {"all"},
                                             .distribution = w.distribution,
                                             .backend = "interpreter",
                                             .dense = false});
            EXPECT_EQ(s.stats.steps, n_steps) << w.name;
            return test::n_allocations() - before;
        };
        EXPECT_LE(allocations(400), allocations(100) + 12) << w.name << " " << w.method; // the trace grows, doubling
    }
}

TEST(Sensitivity, StandsInFilesAndSummary) {
    const Solution s = solve(Model::parse(circle), {.every = 1, .sensitivity = {"l"}});
    const auto json = nlohmann::json::parse(s.json());
    ASSERT_TRUE(json.contains("sensitivities"));
    const auto column = json["sensitivities"]["l"]["x"];
    ASSERT_EQ(column.size(), s.t.size());
    EXPECT_DOUBLE_EQ(column.back().get<double>(), s.sensitivity("x", "l").back());
    EXPECT_NE(s.summary().find("derivatives  by l\n               x = "), std::string::npos) << s.summary();
    const Solution without = solve(Model::parse(circle), {.every = 1});
    EXPECT_FALSE(nlohmann::json::parse(without.json()).contains("sensitivities"));
    const std::string path = testing::TempDir() + "sensitivity.csv";
    s.write_csv(path);
    std::ifstream file(path);
    std::string header, line, last;
    std::getline(file, header);
    while (std::getline(file, line)) last = line;
    EXPECT_EQ(header, "t,x,y,lambda,d(x)/d(l),d(y)/d(l),d(lambda)/d(l)");
    EXPECT_EQ(std::ranges::count(last, ','), 6);
    std::remove(path.c_str());
    EXPECT_THROW(without.sensitivity("x", "l"), InvalidInput);
    EXPECT_THROW(s.sensitivity("x", "ll"), InvalidInput);
    EXPECT_THROW(s.sensitivity("z", "l"), InvalidInput);
}

TEST(Sensitivity, RefusesWhatItCannotDo) {
    const auto expect = [](const std::string& message, const std::string& part) {
        EXPECT_NE(message.find(part), std::string::npos) << message;
    };
    expect(failure(circle, {.sensitivity = {"R"}}), "did you mean 'r'?");
    expect(failure(circle, {.sensitivity = {"x"}}), "named start:x");
    expect(failure(circle, {.sensitivity = {"start:z"}}), "'z' is no unknown");
    expect(failure(circle, {.sensitivity = {"start:lambda"}}), "no start value of its own");
    expect(failure(circle, {.sensitivity = {"start:"}}), "needs an unknown");
    expect(failure(circle, {.sensitivity = {"l[1]"}}), "no such element");
    expect(failure(circle, {.sensitivity = {"l"}, .parametrisation = "arclength"}), "at a fixed time");
    expect(failure(circle, {.method = "bdf2", .sensitivity = {"l"}}), "does not carry derivatives");
    expect(failure(circle, {.sensitivity = {"l"}, .projection = "tangent"}), "does not carry derivatives");
    expect(failure(circle, {.sensitivity = {"l"}, .project = "symmetric"}), "does not carry derivatives");
    expect(failure(circle, {.sensitivity = {"l"}, .checkpoint = "nowhere"}), "checkpoints do not hold derivatives");
    const std::string sized = "parameter n = 3, c = 1/n\nunknown x[n]\nfor i = 1..n: x[i]' = -c*x[i]\n"
                              "for i = 1..n: start x[i] = 1\nsolve t = 0 .. 1\n";
    expect(failure(sized, {.sensitivity = {"n"}}), "sizes, loops or indices");
    EXPECT_EQ(failure(sized, {.sensitivity = {"c"}}), "");
    const std::string begins = "parameter a = 1, b = 2\nunknown x\nx' = -a*x\nstart x = 1\nsolve t = a .. b\n";
    expect(failure(begins, {.sensitivity = {"a"}}), "the start of the interval depends on it");
    expect(failure("unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\n", {.sensitivity = {"all"}}),
           "has no parameter that its solution could be differentiated by");
    const Solution s = solve(Model::parse(begins), {.sensitivity = {"b"}});
    EXPECT_EQ(s.sensitivity("x", "b").back(), 0);
    bool is_noted = false;
    for (const std::string& note : s.notes)
        is_noted |= note.find("only in the end of the interval") != std::string::npos;
    EXPECT_TRUE(is_noted);
}

} // namespace
} // namespace vessiot::sensitivity_test
