// Conditions beside the other parts of a run: events, dense output, checkpoints, derivatives of the solution,
// arclength.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "support/refusal.hpp"
#include "support/solved.hpp"
#include "support/well.hpp"

namespace vessiot::conditions_parts_test {
namespace {

using test::has;
using test::last;
using test::refusal;
using test::solved;
using test::tight;
using test::well;

const SolveOptions quiet{.throw_on_failure = false};

// ---- in arclength ----

// A line from 0: nothing but the interval says how long the first step of a curve may be.
TEST(Conditions, AreMetOnTheFirstStepOfACurve) {
    SolveOptions o{.parametrisation = "arclength"};
    const Solution s =
        solved("unknown y, z\ny' = 1\nz + y = if(t < 0.3, 0, 0.8)\nstart y = 0\nsolve t = 0 .. 0.5\n", o);
    EXPECT_LT(s.stats.rejected, 10);
    for (std::size_t k = 0; s.t[k] < 0.3; ++k) EXPECT_NEAR(s.column("z")[k], -s.t[k], 1e-9) << s.t[k];
    EXPECT_NEAR(last(s, "z"), 0.3, 1e-9);
}

TEST(Conditions, TheEndInArclengthIsReported) {
    const std::string text = "unknown x\nx' = 1\nstart x = 0\nsolve t = 0 .. 2\n";
    for (const std::string method : {"gauss4", "gauss8", "dopri54"}) {
        SolveOptions o{.method = method, .rtol = 1e-8, .atol = 1e-10};
        o.parametrisation = "arclength";
        o.at = {0.5, 2};
        EXPECT_EQ(solved(text, o).column("x").size(), 2u) << method;
    }
}

TEST(Conditions, InArclengthAPointAtASwitchingIsReportedOnce) {
    const std::string text = "unknown x\nx' = if(x > 1, 2, 1)*(1 + 0.1*sin(x))\nstart x = 0\nsolve t = 0 .. 2\n"
                             "event there: x = 1\n";
    for (const std::string method : {"gauss4", "dopri54", "dop853", "radau5", "rk4"})
        for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
            SolveOptions o{.method = method, .rtol = rtol, .atol = rtol};
            o.parametrisation = "arclength";
            const Solution first = solved(text, o);
            ASSERT_EQ(first.events.size(), 1u);
            for (const double by : {-1e-15, 0.0, 1e-15}) {
                o.at = {0.25, first.events[0].t + by, 1.5, 2};
                EXPECT_EQ(solved(text, o).t, o.at) << method << ' ' << rtol << ' ' << by;
            }
            o.at = {0.5, 1, 2};
            EXPECT_EQ(solved("unknown x\nx' = if(t > 1, 2, 1)*(1 + 0.1*sin(x))\nstart x = 0\nsolve t = 0 .. 2\n", o).t,
                      o.at)
                << method << ' ' << rtol;
        }
}

TEST(Conditions, InArclengthToo) {
    const Solution s =
        solved("unknown x, y\nx' = if(t > 0.5, 2, 1)\ny' = abs(x - 1)\nstart x = 0, y = 0\nsolve t = 0 .. 2\n",
               {.parametrisation = "arclength"});
    EXPECT_NEAR(last(s, "x"), 0.5 + 3, 1e-9);
    EXPECT_NEAR(last(s, "y"), 2, 1e-6);
}

// ---- with other parts ----

TEST(Conditions, AtTheTimeOfAnEventWithAMethodThatChoosesItsSteps) {
    // of t alone, at a tick and one round-off before it (7*0.1 > 0.7)
    for (const auto& [at, every] : {std::pair("0.5", "0.25"), std::pair("0.7", "0.1")}) {
        const std::string text = std::string("discrete c = 0\nunknown x\nx' = if(t < ") + at +
                                 ", 1, 2)\nstart x = 0\nsolve t = 0 .. 1\nevent tick: every " + every +
                                 " then c = c + 1\n";
        const Solution s = solved(text, {.method = "ida"});
        EXPECT_NEAR(last(s, "x"), 2 - std::stod(at), 1e-6) << at;
        EXPECT_EQ(last(s, "c"), std::round(1 / std::stod(every)) + 1) << at;
    }
}

TEST(Conditions, TheyCanBeIgnored) {
    const std::string pulse = "unknown x\nx' = if(t > 42 and t < 42.01, 100, 0)\nstart x = 0\nsolve t = 0 .. 100\n";
    EXPECT_EQ(last(solved(pulse, {.conditions = "ignore"}), "x"), 0);
    EXPECT_EQ(last(solved(pulse + "option conditions = ignore\n"), "x"), 0);
    EXPECT_TRUE(has(refusal([&] { solved(pulse, {.conditions = "find"}); }), "locate"));
}

TEST(Conditions, EventsAtASurface) {
    const std::string text = "unknown x\nx'' = -sign(x)\nstart x = 1, x' = 0\nsolve t = 0 .. 20\n";
    const Solution s = solved(text + "event through: x = 0\nevent turn: x' = 0\n");
    std::vector<double> through, turn;
    for (const EventPoint& e : s.events) (e.name == "through" ? through : turn).push_back(e.t);
    ASSERT_EQ(through.size(), 7U);
    ASSERT_EQ(turn.size(), 7U);
    for (std::size_t k = 0; k < 7; ++k) {
        EXPECT_NEAR(through[k], (2.0 * static_cast<double>(k) + 1) * std::sqrt(2), 1e-11);
        EXPECT_NEAR(turn[k], 2.0 * static_cast<double>(k + 1) * std::sqrt(2), 1e-11);
    }
    // reflected there: it never gets to the other side
    const Solution r = solved(text + "event bounce: x = 0 falling then x' = -x'\n");
    EXPECT_NEAR(last(r, "x"), std::fabs(well(20)), 1e-9);
    // set to the other side
    const Solution j = solved("unknown x\nx' = if(x > 0, -1, 2)\nstart x = 1\nsolve t = 0 .. 1.4\n"
                              "event down: x = 0.5 falling then x = -2\n");
    EXPECT_NEAR(last(j, "x"), -0.2, 1e-12);
}

// An event on the surface happens where the step ends, before the other side turns its function back.
TEST(Conditions, AnEventThatSetsValuesOnTheSurface) {
    const std::string text = "unknown x\nx' = if(x >= 1, -1, 1)\nevent a: x = 1 rising then x = 2\nstart x = 0\n";
    for (const std::string method : {"dopri54", "radau5", "taylor", "ida", "rk4"}) {
        SolveOptions o{.method = method};
        if (method == "rk4") o.step = 0.03;
        const Solution s = solved(text + "solve t = 0 .. 1.5\n", o);
        ASSERT_EQ(s.events.size(), 1u) << method;
        EXPECT_NEAR(s.events[0].t, 1, 1e-9) << method;
        EXPECT_NEAR(last(s, "x"), 1.5, 1e-9) << method;
    }
    // then it comes back from above, and slides there indeed
    EXPECT_TRUE(has(solved(text + "solve t = 0 .. 3\n", quiet).message, "t = 2: a sliding mode"));
    // other functions with the same zero, and one that only touches it
    const Solution all = solved("unknown x, n\nx' = if(x >= 1, -1, 1)\nn' = 0\nstart x = 0, n = 0\n"
                                "event a: 3*x = 3 rising then x = 2\nevent b: (x - 1)^3 = 0 rising\n"
                                "event c: x = 1 falling\nevent d: 1 - x^2 = 0 falling\nsolve t = 0 .. 1.5\n");
    EXPECT_EQ(all.events.size(), 2u);
    EXPECT_EQ(std::ranges::count(all.events, "a", &EventPoint::name), 1);
    EXPECT_EQ(std::ranges::count(all.events, "d", &EventPoint::name), 1);
}

TEST(Conditions, DenseOutputKnowsItsModes) {
    const Solution s = solved("unknown x, v, a\nx' = v\nv' = a\na = -sign(x)\nstart x = 1, v = 0\nsolve t = 0 .. 20\n");
    for (double t = 0.1; t < 20; t += 0.37) {
        const std::vector<double> row = s(t);
        EXPECT_NEAR(row[0], well(t), 1e-9) << t;
        EXPECT_EQ(row[2], well(t) > 0 ? -1 : 1) << t;
    }
}

TEST(Conditions, ARunGoesOnAcrossThem) {
    const std::string path = std::filesystem::temp_directory_path() / "vessiot_conditions_test.checkpoint";
    const std::string text =
        "unknown x\nx'' = -sign(x)*(1 + x^2) + if(mod(t, 0.7) < 0.3, 0.1, 0)\nstart x = 1, x' = 0\n"
        "solve t = 0 .. 60\n";
    for (const double step : {0.0, 0.05}) {
        SolveOptions o{.step = step, .throw_on_failure = false};
        o.method = step > 0 ? "rk4" : "dopri54";
        o.checkpoint = path;
        o.checkpoint_steps = 5;
        o.checkpoint_every = 0;
        const Solution whole = solved(text, o);
        ASSERT_EQ(whole.status, Status::success) << whole.message;
        o.max_steps = 90;
        solved(text, o);
        o.max_steps = SolveOptions{}.max_steps;
        o.resume = path;
        const Solution parts = solved(text, o);
        EXPECT_EQ(parts.status, Status::success) << parts.message;
        EXPECT_EQ(last(whole, "x"), last(parts, "x"));
        EXPECT_EQ(whole.stats.steps, parts.stats.steps);
        std::filesystem::remove(path);
    }
}

// x = max(0, t - a)/b + ...: all derivatives are known.
TEST(Conditions, DerivativesOfTheSolutionJump) {
    SolveOptions o = tight();
    o.sensitivity = {"a", "b", "start:x"};
    const auto derivative = [](const Solution& s, const std::string& name, const std::string& by) {
        const std::size_t n = s.names.size(), m = s.sensitivity_names.size();
        const auto k = static_cast<std::size_t>(std::ranges::find(s.names, name) - s.names.begin());
        const auto j =
            static_cast<std::size_t>(std::ranges::find(s.sensitivity_names, by) - s.sensitivity_names.begin());
        return s.sensitivities[(s.t.size() - 1) * n * m + j * n + k];
    };
    // of t alone: x = x0 + b (3 - a)
    const Solution t =
        solved("parameter a = 1, b = 2\nunknown x\nx' = if(t > a, b, 0)\nstart x = 5\nsolve t = 0 .. 3\n", o);
    EXPECT_NEAR(derivative(t, "x", "a"), -2, 1e-12);
    EXPECT_NEAR(derivative(t, "x", "b"), 2, 1e-12);
    EXPECT_NEAR(derivative(t, "x", "start:x"), 1, 1e-12);
    // of x: speed 1 up to a, b behind it: x(3) = a + b (3 - (a - x0))
    const Solution x =
        solved("parameter a = 1, b = 2\nunknown x\nx' = if(x > a, b, 1)\nstart x = 0.5\nsolve t = 0 .. 3\n", o);
    EXPECT_NEAR(derivative(x, "x", "a"), 1 - 2, 1e-12);
    EXPECT_NEAR(derivative(x, "x", "b"), 2.5, 1e-12);
    EXPECT_NEAR(derivative(x, "x", "start:x"), 2, 1e-12);
    // against differences, with many crossings
    const std::string well = "parameter a = 1, b = 0.3\nunknown x\nx'' = -a*sign(x - b*sin(t))\nstart x = 1, x' = 0\n"
                             "solve t = 0 .. 20\n";
    const Solution s = solved(well, o);
    for (const std::string p : {"a", "b"}) {
        const double d = 1e-6;
        const double at = p == "a" ? 1 : 0.3;
        const auto end = [&](double value) {
            return last(solve(Model::parse(well, "model", {.set = {{p, std::to_string(value)}}}), tight()), "x");
        };
        const double difference = (end(at + d) - end(at - d)) / (2 * d);
        EXPECT_NEAR(derivative(s, "x", p), difference, 1e-4 * (1 + std::fabs(difference))) << p;
    }
}

} // namespace
} // namespace vessiot::conditions_parts_test
