// What is constant between events: discrete quantities, events at given times, coordinates whose derivative is 0. And
// events that no method and no step loses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "method/registry.hpp"
#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::discrete_test {
namespace {

using std::numbers::pi;
using test::has;
using test::refusal;

const SolveOptions quiet{.throw_on_failure = false};

Solution solved(const std::string& text, const SolveOptions& options = {}) {
    return solve(Model::parse(text), options);
}

SolveOptions with(const std::string& method, double rtol = 1e-10) {
    SolveOptions o;
    o.method = method;
    o.rtol = rtol;
    o.atol = rtol / 10;
    return o;
}

// ---- discrete quantities ----

const std::string thermostat = "discrete on = 1, count = 0\nunknown T\nT' = if(on == 1, 2, -1)\n"
                               "event hot: T = 1 rising then on = 0, count = count + 1\n"
                               "event cold: T = 0 falling then on = 1\n"
                               "start T = 0.5\nsolve t = 0 .. 10\n";

TEST(Discrete, ModesSwitchExactly) {
    // up by 2, down by -1: 0.5 to 1 in 0.25, then periods of 1 + 0.5
    for (const std::string method : {"dopri54", "radau5", "tsit54", "taylor"}) {
        const Solution s = solved(thermostat, with(method));
        EXPECT_NEAR(s.column("T").back(), 0.25, 1e-12) << method; // 10 = 0.25 + 6*1.5 + 0.75
        EXPECT_EQ(s.column("on").back(), 0) << method;
        EXPECT_EQ(s.column("count").back(), 7) << method;
    }
}

TEST(Discrete, ItsColumnIsThatAfterTheEvent) {
    SolveOptions o = with("dopri54");
    o.at = {0, 0.125, 0.25, 0.75, 1.25, 1.5};
    o.dense = true;
    const Solution s = solved(thermostat, o);
    const std::vector<double> on = s.column("on"), expected{1, 1, 0, 0, 1, 1};
    ASSERT_EQ(on.size(), expected.size());
    for (std::size_t k = 0; k < on.size(); ++k) EXPECT_EQ(on[k], expected[k]) << s.t[k];
    EXPECT_EQ(s(0.1, "on"), 1);
    EXPECT_EQ(s(0.5, "on"), 0);
    EXPECT_EQ(s(0.5, "count"), 1);
    EXPECT_EQ(s(9.9, "count"), 7);
    EXPECT_EQ(s(0.1, "count"), 0);
    ASSERT_FALSE(s.events.empty());
    const auto place = static_cast<std::size_t>(std::ranges::find(s.names, "on") - s.names.begin());
    EXPECT_EQ(s.events[0].values[place], 1);
    EXPECT_EQ(s.events[0].values_after[place], 0);
}

TEST(Discrete, RightSidesAreThoseBefore) {
    const Solution s = solved("discrete a = 1, b = 2, c[2] = [5, 7]\nunknown x\nx' = 1\n"
                              "event e: x = 0.5 then a = b, b = a, c[1] = c[2] + a, c[2] = c[1], x = x + b\n"
                              "start x = 0\nsolve t = 0 .. 1\n");
    EXPECT_EQ(s.column("a").back(), 2);
    EXPECT_EQ(s.column("b").back(), 1);
    EXPECT_EQ(s.column("c[1]").back(), 8);
    EXPECT_EQ(s.column("c[2]").back(), 5);
    EXPECT_NEAR(s.column("x").back(), 3, 1e-12);
}

TEST(Discrete, AlgebraicUnknownsFollow) {
    // y = s x: its value changes with s at once
    const Solution s = solved("discrete s = 1\nunknown x, y\nx' = y\ny = s*(2 - x)\nevent e: x = 1 then s = -1\n"
                              "start x = 0\nsolve t = 0 .. 1\noutput z = s*y\n",
                              with("dopri54"));
    const double te = std::log(2.0); // x = 2 - 2 e^-t; then (x - 2)' = (x - 2)
    EXPECT_NEAR(s.column("x").back(), 2 - std::exp(1 - te), 1e-8);
    EXPECT_NEAR(s.column("y").back(), -std::exp(1 - te), 1e-8);
    EXPECT_NEAR(s.column("z").back(), std::exp(1 - te), 1e-8);
}

TEST(Discrete, IsNamedWhereWhatAnEventSetsContradicts) {
    const Solution s = solved("discrete s = 1\nunknown x, y\nx' = 1\ny^2 = s + 0.01*x\nstart x = 0\nguess y = 1\n"
                              "event fault: x = 1 then s = -1\nsolve t = 0 .. 2\n",
                              quiet);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, "what the event 'fault' sets (s) contradicts the constraints")) << s.message;
}

TEST(Discrete, StandsInConstraintsAndLagrangians) {
    // a pendulum whose length is discrete; a spring whose stiffness is
    const Solution p = solved("discrete l = 1\nunknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\n"
                              "constraint x^2 + y^2 = l^2\nstart x = 0.6, y = -0.8\nsolve t = 0 .. 1\n",
                              with("dopri54"));
    EXPECT_EQ(p.column("l").back(), 1);
    EXPECT_LT(p.constraint_residual_max, 1e-12);
    const Solution q = solved("discrete k = 1\nunknown x\nlagrangian x'^2/2 - k*x^2/2\nforce x = -0*k\n"
                              "event e: x = 0 falling then k = 4\nstart x = 1\nsolve t = 0 .. 3\n",
                              with("dopri54"));
    EXPECT_NEAR(q.column("x").back(), -std::sin(2 * (3 - pi / 2)) / 2, 1e-8);
}

TEST(Discrete, StartsAsItIsTold) {
    SolveOptions o;
    o.start = {{"mode", 1}, {"c[2]", 4}};
    const std::string text = "discrete mode = 0, c[2] = 2\nparameter p = 3\nunknown x\nx' = mode*c[2]\n"
                             "start x = 0, c[1] = p\nsolve t = 0 .. 1\n";
    EXPECT_NEAR(solved(text, o).column("x").back(), 4, 1e-12);
    EXPECT_EQ(solved(text, o).column("c[1]").back(), 3);
    EXPECT_EQ(solved(text).column("x").back(), 0);
}

TEST(Discrete, TheWordIsNoReservedOne) {
    const Solution s = solved("unknown discrete, every\ndiscrete' = every\nevery = 1\nevent e: every = 2\n"
                              "start discrete = 0\nsolve t = 0 .. 1\n");
    EXPECT_NEAR(s.column("discrete").back(), 1, 1e-12);
    const Solution a = solved("unknown discrete[2]\ndiscrete[1]' = 1\ndiscrete[2] = discrete[1]\n"
                              "start discrete[1] = 0\nsolve t = 0 .. 1\n");
    EXPECT_NEAR(a.column("discrete[2]").back(), 1, 1e-12);
}

TEST(Discrete, SaysWhatIsWrong) {
    const auto wrong = [](const std::string& lines) {
        return refusal(
            [&] { solved("discrete m = 0\nunknown x\nx' = 1\n" + lines + "start x = 0\nsolve t = 0 .. 1\n"); });
    };
    EXPECT_TRUE(has(wrong("m = 1\n"), "'m' is discrete: it changes at events only"));
    EXPECT_TRUE(has(wrong("event e: x = 0.5 then m' = 1\n"), "its derivative is 0"));
    EXPECT_TRUE(has(wrong("discrete m = 2\n"), "declared twice"));
    EXPECT_TRUE(has(wrong("discrete k\n"), "has no value at the start"));
    EXPECT_TRUE(has(wrong("discrete k = x\n"), "cannot depend on the unknown 'x'"));
    EXPECT_TRUE(has(wrong("output m = x\n"), "has a column already"));
    EXPECT_TRUE(has(wrong("event e: x = 0.5 then m = 1, m = 2\n"), "sets m twice"));
    EXPECT_TRUE(has(wrong("hold m\n"), "'m' is a discrete quantity"));
    SolveOptions o;
    o.sensitivity = {"start:m"};
    EXPECT_TRUE(has(refusal([&] { solved("discrete m = 0\nunknown x\nx' = m\nstart x = 0\nsolve t = 0 .. 1\n", o); }),
                    "what is discrete"));
}

TEST(Discrete, OfCppModelsIsTheSame) {
    Model m("thermostat");
    const Expr on = m.discrete("on", 1), count = m.discrete("count", 0), T = m.unknown("T");
    m.equation(der(T) == if_(on == 1, 2, -1));
    m.event("hot", T == 1, {.crossing = Crossing::rising, .then = {on == 0, count == count + 1}});
    m.event("cold", T == 0, {.crossing = Crossing::falling, .then = {on == 1}});
    m.start(T == 0.5);
    m.interval(0, 10);
    const Solution a = solve(m, with("dopri54")), b = solved(thermostat, with("dopri54"));
    EXPECT_EQ(a.numbers, b.numbers);
    EXPECT_EQ(a.names, b.names);
}

// ---- events at given times ----

// x' = a x + u with u = -K x, sampled every d: x_k+1 = (e^(a d) - K (e^(a d) - 1)/a) x_k
const std::string sampled = "parameter a = 1, K = 3, d = 0.01\ndiscrete u = 0\nunknown x\nx' = a*x + u\n"
                            "event tick: every d then u = -K*x\nstart x = 1\nsolve t = 0 .. 2\n";

TEST(Every, SampledControlFollowsTheRecursion) {
    const double e = std::exp(0.01), factor = e - 3 * (e - 1);
    for (const std::string method : {"dopri54", "radau5", "dop853", "taylor"}) {
        const Solution s = solved(sampled, with(method, 1e-12));
        EXPECT_NEAR(s.column("x").back(), std::pow(factor, 200), 1e-10) << method;
        EXPECT_EQ(s.events.size(), 201U) << method;
        for (std::size_t k = 0; k < s.events.size(); ++k)
            EXPECT_NEAR(s.events[k].t, 0.01 * static_cast<double>(k), 1e-15) << method;
        EXPECT_NEAR(s.column("u").back(), -3 * s.column("x").back(), 1e-15) << method;
    }
    SolveOptions grid = with("rk4");
    grid.step = 0.003; // no part of 0.01
    EXPECT_NEAR(solved(sampled, grid).column("x").back(), std::pow(factor, 200), 1e-10);
}

TEST(Every, HappensAtBothEndsAndBackwards) {
    const std::string text = "unknown x\nx' = 1\nevent e: every 0.25\nevent f: every 0.5\nstart x = 0\n";
    const Solution s = solved(text + "solve t = 1 .. 2\n");
    ASSERT_EQ(s.events.size(), 8U);
    EXPECT_EQ(s.events.front().t, 1);
    EXPECT_EQ(s.events.back().t, 2);
    EXPECT_EQ(s.events[6].name, "e"); // in the order of the model
    EXPECT_EQ(s.events[7].name, "f");
    EXPECT_NEAR(s.events[2].values[0], 0.25, 1e-14);
    const Solution b = solved(text + "solve t = 2 .. 1\n");
    ASSERT_EQ(b.events.size(), 8U);
    EXPECT_EQ(b.events.front().t, 2);
    EXPECT_EQ(b.events.back().t, 1);
}

TEST(Every, StopsAndShowsSections) {
    const std::string text = "unknown x\nx' = x\nevent e: every 0.3 stop\nstart x = 1\nsolve t = 0 .. 2\n";
    EXPECT_EQ(solved(text).t.back(), 0.3);
    SolveOptions o = with("dopri54");
    o.section = "tick";
    const Solution s = solved(sampled, o);
    ASSERT_EQ(s.t.size(), 201U);
    EXPECT_NEAR(s.t[100], 1, 1e-15);
}

TEST(Every, MeetsCrossingsAtTheSameTime) {
    // the crossing at 0.5 is counted once, with or without a jump of the tick there
    for (const std::string then : {"", " then m = m + 1"}) {
        const Solution s = solved("discrete m = 0\nunknown x\nx' = 1\nevent tick: every 0.1" + then +
                                  "\nevent half: x = 0.5\nstart x = 0\nsolve t = 0 .. 1\n");
        std::size_t n = 0;
        for (const EventPoint& e : s.events) n += e.name == "half";
        EXPECT_EQ(n, 1U) << then;
        EXPECT_EQ(s.events.size(), 12U) << then;
    }
}

TEST(Every, OfCppModelsIsTheSame) {
    Model m("sampled");
    const Expr a = m.parameter("a", 1), K = m.parameter("K", 3), d = m.parameter("d", 0.01);
    const Expr u = m.discrete("u", 0), x = m.unknown("x");
    m.equation(der(x) == a * x + u);
    m.event("tick", Every{d}, {.then = {u == -K * x}});
    m.start(x == 1);
    m.interval(0, 2);
    EXPECT_EQ(solve(m, with("dopri54")).numbers, solved(sampled, with("dopri54")).numbers);
}

TEST(Every, SaysWhatIsWrong) {
    const auto wrong = [](const std::string& event, const SolveOptions& o = {}) {
        return refusal([&] { solved("unknown x\nx' = 1\n" + event + "\nstart x = 0\nsolve t = 0 .. 1\n", o); });
    };
    EXPECT_TRUE(has(wrong("event e: every 0"), "must be positive"));
    EXPECT_TRUE(has(wrong("event e: every x"), "cannot depend on the unknown 'x'"));
    EXPECT_TRUE(has(wrong("event e: every 1 rising"), "has no direction"));
    SolveOptions arclength;
    arclength.parametrisation = "arclength";
    EXPECT_TRUE(has(wrong("event e: every 1", arclength), "arclength"));
}

// ---- coordinates whose derivative is 0 ----

TEST(Fixed, ProjectionsDoNotMoveThem) {
    const std::string pendulum = "unknown x, y, lambda, l\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\n"
                                 "x^2 + y^2 = l^2\nl' = 0\nstart x = 0.3, y = -0.4, l = 0.5, x' = 0, y' = 0\n"
                                 "solve t = 0 .. 20\n";
    for (const std::string projection :
         {"simplified", "newton", "chord", "inexact", "tangent", "partition", "post", "ray"})
        for (const std::string project : {"steps", "stages"}) {
            SolveOptions o = with("dopri54", 1e-6);
            o.projection = projection;
            if (projection != "tangent" && projection != "partition") o.project = project;
            o.throw_on_failure = false;
            const Solution s = solved(pendulum, o);
            if (s.status != Status::success) {
                EXPECT_EQ(projection, "ray") << s.message;
                continue;
            }
            for (const double l : s.column("l")) ASSERT_EQ(l, 0.5) << projection << " " << project;
            EXPECT_LT(s.constraint_residual_max, 1e-9) << projection;
        }
    for (const std::string method : {"radau5", "taylor", "gauss4", "ida"}) {
        const Solution s = solved(pendulum, with(method, 1e-6));
        for (const double l : s.column("l")) ASSERT_EQ(l, 0.5) << method;
    }
}

TEST(Fixed, ConditionsOfThemHold) {
    const Solution s = solved("unknown x, y, s\nx' = if(s == 1, y, 0)\nx^2 + y^2 = s\ns' = 0\n"
                              "start x = 0, y = 1, s = 1\nsolve t = 0 .. 1\n",
                              with("dopri54", 1e-6));
    for (const double v : s.column("s")) EXPECT_EQ(v, 1);
    EXPECT_NEAR(s.column("x").back(), std::sin(1.0), 1e-5);
}

TEST(Fixed, WhatContainsNothingElseHoldsAsItIs) {
    const Solution s = solved("unknown x, y, s\nx' = y\nx^2 + y^2 = s^2\ns' = 0\ninvariant s^3\n"
                              "start x = 0, y = 1, s = 1\nsolve t = 0 .. 1\n",
                              with("dopri54", 1e-8));
    EXPECT_NEAR(s.column("x").back(), std::sin(1.0), 1e-6);
    EXPECT_NEAR(s.column("s").back(), 1, 1e-12);
}

// ---- events that are lost nowhere ----

TEST(Lost, FastFunctionsOfTime) {
    const Solution s = solved("unknown x\nx' = 1\nevent e: sin(1000*t) = 0\nstart x = 0\nsolve t = 0 .. 10\n");
    EXPECT_EQ(s.events.size(), 3183U);
    for (std::size_t k = 0; k < s.events.size(); k += 100)
        EXPECT_NEAR(s.events[k].t, static_cast<double>(k + 1) * pi / 1000, 1e-13);
}

TEST(Lost, FastFunctionsOfUnknowns) {
    // x = sin(t): counted finely
    std::size_t n = 0;
    bool was_above = false;
    for (int k = 1; k <= 2'000'000; ++k) {
        const bool is_above = std::sin(20 * std::sin(5e-5 * k)) > 0.3;
        n += is_above != was_above;
        was_above = is_above;
    }
    for (const std::string method : {"taylor", "dop853", "dopri54", "radau5"}) {
        const Solution s = solved("unknown x\nx'' = -x\nevent e: sin(20*x) = 0.3\nstart x = 0, x' = 1\n"
                                  "solve t = 0 .. 100\n",
                                  with(method));
        EXPECT_EQ(s.events.size(), n) << method;
    }
}

TEST(Lost, OneThatCannotBeSureSaysSo) {
    SolveOptions o;
    o.max_events = 10'000'000;
    const Solution s =
        solved("unknown x, y\nx' = 1\nx*y + y^3 = sin(3e5*t)\nevent e: y' = 0\nstart x = 1\nsolve t = 0 .. 1\n", o);
    bool is_said = s.events.size() > 95'000;
    for (const std::string& note : s.notes) is_said |= has(note, "it is not sure that all crossings of the event 'e'");
    EXPECT_TRUE(is_said) << s.events.size();
}

// h'' = -10 from 10 with restitution 0.5: impacts accumulate at 3 sqrt(2)
TEST(Lost, NoMethodFallsThroughTheFloor) {
    const std::string ball = "unknown h\nh'' = -10\nevent ground: h = 0 falling then h' = -0.5*h'\n"
                             "start h = 10, h' = 0\nsolve t = 0 .. 20\n";
    int n = 0;
    for (const method::MethodInfo& info : method::methods()) {
        for (const double step : {0.0, 0.02}) {
            SolveOptions o;
            o.method = std::string(info.name);
            o.step = step;
            o.rtol = 1e-5;
            o.atol = 1e-7;
            o.max_steps = 200'000;
            o.throw_on_failure = false;
            Solution s;
            try {
                s = solved(ball, o);
            } catch (const InvalidInput&) {
                continue; // it does not fit, or makes no such steps
            }
            ++n;
            // at rest in the end, or what accumulates is named
            EXPECT_NEAR(s.column("h").back(), 0, 0.2) << info.name << " " << step << " " << s.message;
            if (has(s.message, "met faster and faster")) {
                EXPECT_NEAR(s.t.back(), 3 * std::sqrt(2.0), step > 0 ? 0.5 : 0.1) << info.name << " " << step;
            }
        }
    }
    EXPECT_GT(n, 30);
}

} // namespace
} // namespace vessiot::discrete_test
