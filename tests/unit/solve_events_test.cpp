// Events in solve(): what is met and in which order, what they set and how the run goes on, sections, what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::solve_events_test {
namespace {

using std::numbers::pi;
using test::has;
using test::refusal;

const std::string oscillator = "unknown x\nx'' = -x\nstart x = 0, x' = 1\nsolve t = 0 .. 10\n";
const std::string pendulum = "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                             "start x = 0.6, y = -0.8, x' = 0, y' = 0\nsolve t = 0 .. 2\n";
const std::string ball = "unknown y\ny'' = -10\nstart y = 5, y' = 0\nsolve t = 0 .. 4\n"; // falls for 1
const SolveOptions quiet{.throw_on_failure = false};

Solution solved(const std::string& text, const SolveOptions& options = {}) {
    return solve(Model::parse(text), options);
}

SolveOptions tight() {
    SolveOptions o;
    o.method = "dop853";
    o.rtol = 1e-12;
    o.atol = 1e-13;
    return o;
}

std::vector<double> times(const Solution& s, const std::string& name) {
    std::vector<double> all;
    for (const EventPoint& e : s.events)
        if (e.name == name) all.push_back(e.t);
    return all;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted, double tolerance) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], wanted[k], tolerance) << k;
}

// ---- zeros ----

TEST(Events, ADoubleRootIsFoundOnce) {
    for (const std::string method : {"dopri54", "dop853", "radau5"}) {
        SolveOptions o = tight();
        o.method = method;
        o.rtol = 1e-9;
        o.atol = 1e-11;
        const Solution s =
            solved(oscillator + "event top: x = 1\nevent up: x = 1 rising\nevent down: x = 1 falling\n", o);
        expect_near(times(s, "top"), {pi / 2, 5 * pi / 2}, 1e-3); // the root of 1e-7 is the accuracy there
        EXPECT_TRUE(times(s, "up").empty());
        EXPECT_TRUE(times(s, "down").empty());
    }
}

TEST(Events, TwoCrossingsInOneLongStepAreBothFound) {
    // cubic motion: dop853 crosses it in a few steps
    const Solution s = solved("unknown x\nx''' = 6\nstart x = 0.94, x' = 11, x'' = -12\nsolve t = 0 .. 10\n"
                              "event zero: x = 7\n",
                              tight());
    // x = t^3 - 6 t^2 + 11 t + 0.94 = 7
    ASSERT_EQ(s.events.size(), 3U) << s.stats.steps;
    for (const EventPoint& e : s.events)
        EXPECT_NEAR(e.t * e.t * e.t - 6 * e.t * e.t + 11 * e.t + 0.94, 7, 1e-10) << e.t;
}

TEST(Events, ThreeOfOneStepAreInOrder) {
    const Solution s = solved("unknown x\nx' = 1\nstart x = 0\nsolve t = 0 .. 10\noption step = 10\n"
                              "event c: x = 7\nevent a: x = 2\nevent b: x^2 = 25\n");
    ASSERT_EQ(s.stats.steps, 1);
    ASSERT_EQ(s.events.size(), 3U);
    EXPECT_EQ(s.events[0].name + s.events[1].name + s.events[2].name, "abc");
    expect_near({s.events[0].t, s.events[1].t, s.events[2].t}, {2, 5, 7}, 1e-14);
}

TEST(Events, OneThatStaysZeroIsNotCounted) {
    const Solution s = solved(pendulum + "event length: x^2 + y^2 = 1\nevent along: x*x' + y*y' = 0\n");
    EXPECT_TRUE(s.events.empty());
    EXPECT_TRUE(std::ranges::any_of(s.notes, [](const std::string& n) { return has(n, "'length' stays zero"); }));
}

TEST(Events, TooManyEndTheRun) {
    SolveOptions o = quiet;
    o.max_events = 3;
    const Solution s = solved(oscillator + "event zero: sin(100*x) = 0\n", o);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_EQ(s.events.size(), 3U);
    EXPECT_TRUE(has(s.message, "3 crossings of events by t = ")) << s.message;
    EXPECT_TRUE(has(s.message, "--max-events")) << s.message;
}

// ---- what events set ----

TEST(Reset, ABallBouncesAsItShould) {
    SolveOptions o = tight();
    o.to = 2.95; // the impacts accumulate at 3
    const Solution s = solved(ball + "event ground: y = 0 falling then y' = -0.5*y'\n", o);
    expect_near(times(s, "ground"), {1, 2, 2.5, 2.75, 2.875, 2.9375}, 1e-12);
}

TEST(Reset, ReportsBothPointsAndTheCurveIsThatAfterIt) {
    SolveOptions o = tight();
    const std::string model = ball + "event ground: y = 0 falling then y' = -y', y = 0\n";
    const Solution s = solved(model, o);
    ASSERT_EQ(s.events.size(), 2U);
    const double t = s.events[0].t;
    EXPECT_NEAR(t, 1, 1e-12);
    EXPECT_NEAR(s.events[0].values[1], -10, 1e-12);
    EXPECT_NEAR(s.events[0].values_after[1], 10, 1e-12);
    EXPECT_EQ(s.events[0].values_after[0], 0);
    ASSERT_EQ(std::ranges::count(s.t, t), 2);
    const auto at = static_cast<std::size_t>(std::ranges::find(s.t, t) - s.t.begin());
    EXPECT_NEAR(s.column("y'")[at], -10, 1e-12);
    EXPECT_NEAR(s.column("y'")[at + 1], 10, 1e-12);
    EXPECT_NEAR(s(t, "y'"), 10, 1e-12);
    EXPECT_NEAR(s(std::nextafter(t, 0.0), "y'"), -10, 1e-12);
    EXPECT_NEAR(s(4, "y"), 5, 1e-10);
    // at the very time, and after it
    o.at = {0.5, t, 1.5, 4};
    const Solution some = solved(model, o);
    const std::vector<double> v = some.column("y'");
    ASSERT_EQ(v.size(), 4U);
    expect_near(v, {-5, 10, 5, 0}, 1e-11);
    const nlohmann::json json = nlohmann::json::parse(s.json());
    EXPECT_NEAR(json["events"][0]["values_after"]["y'"].get<double>(), 10, 1e-12);
    EXPECT_NEAR(json["events"][0]["values"]["y'"].get<double>(), -10, 1e-12);
}

// A function that gets to zero at the end of the interval, up to round-off, is met there.
TEST(Reset, HappensAtTheVeryEnd) {
    const std::string saw = "unknown x\nx' = 1\nevent c: x = 1 then x = 0\nstart x = 0\n";
    for (const std::string method : {"dopri54", "dop853", "radau5", "taylor", "gauss4", "rk4"})
        for (const std::string end : {"1", "3", "10"}) {
            SolveOptions o{.method = method};
            if (method == "rk4") o.step = 0.07;
            const Solution s = solved(saw + "solve t = 0 .. " + end + "\n", o);
            EXPECT_NEAR(s.column("x").back(), 0, 1e-12) << method << end;
            EXPECT_EQ(s.events.size(), static_cast<std::size_t>(std::stoi(end))) << method;
        }
    // but not where it only comes near
    const Solution near =
        solved("unknown x\nx' = 1\nevent c: x = 1 then x = 0\nstart x = 0\nsolve t = 0 .. 1 - 1e-12\n");
    EXPECT_TRUE(near.events.empty());
}

TEST(Reset, ReadsTheValuesBefore) {
    const Solution s = solved("unknown a, b\na' = 1\nb' = 0\nstart a = 0, b = 5\nsolve t = 0 .. 2\n"
                              "event swap: t = 1 then a = b, b = a + t\n");
    ASSERT_EQ(s.events.size(), 1U);
    expect_near(s.events[0].values_after, {5, 2}, 1e-12);
    EXPECT_NEAR(s.column("a").back(), 6, 1e-12);
}

TEST(Reset, AllOfOnePointAreDoneInTheOrderOfTheModel) {
    const std::string model = "unknown a\na' = 1\nstart a = 0\nsolve t = 0 .. 2\n";
    expect_near(solved(model + "event e1: a = 1 then a = 3*a\nevent e2: a = 1 then a = a + 1\n").events[1].values_after,
                {4}, 1e-12);
    expect_near(solved(model + "event e2: a = 1 then a = a + 1\nevent e1: a = 1 then a = 3*a\n").events[1].values_after,
                {6}, 1e-12);
    const Solution stop = solved(model + "event e1: a = 1 then a = 3\nevent e2: a = 1 stop\n");
    EXPECT_TRUE(has(stop.message, "stopped by the event 'e2' at t = 1")) << stop.message;
}

TEST(Reset, WorksWithEveryKindOfSteps) {
    const std::string model = ball + "event ground: y = 0 falling then y' = -y'\n"; // height 5, period 2
    for (const std::string method : {"dopri54", "dop853", "radau5", "rk4", "gauss4", "bs32", "feagin108", "auto"}) {
        SolveOptions o = tight();
        o.method = method;
        o.rtol = 1e-9;
        const Solution s = solved(model, o);
        expect_near(times(s, "ground"), {1, 3}, 1e-7);
        EXPECT_NEAR(s.column("y").back(), 5, 1e-6) << method;
    }
    SolveOptions steps;
    steps.step = 0.3;
    steps.method = "rk4";
    const Solution s = solved(model, steps);
    expect_near(times(s, "ground"), {1, 3}, 1e-12);
    EXPECT_NEAR(s.t[4], 1, 1e-12);   // 0, 0.3, 0.6, 0.9, before, after,
    EXPECT_NEAR(s.t[6], 1.3, 1e-12); // and steps are counted from there
    EXPECT_EQ(s.t.back(), 4);
    // backwards, and in quadruple precision
    SolveOptions back = tight();
    back.from = 0.0;
    back.to = -4.0;
    expect_near(times(solved(ball + "event ground: y = 0 falling then y' = -y'\n", back), "ground"), {-1, -3}, 1e-12);
    SolveOptions quad = tight();
    quad.precision = "quad";
    expect_near(times(solved(model, quad), "ground"), {1, 3}, 1e-15);
}

TEST(Reset, ArclengthGoesOnToo) {
    SolveOptions o = tight();
    o.parametrisation = "arclength";
    const Solution s = solved(ball + "event ground: y = 0 falling then y' = -y'\n", o);
    expect_near(times(s, "ground"), {1, 3}, 1e-10);
    EXPECT_NEAR(s.t.back(), 4, 1e-12);
    EXPECT_NEAR(s.column("y").back(), 5, 1e-9);
}

// Index 1, 2 and 3: what is not set follows from what is.
// The equations change where the ball bounces, one round-off of t behind it: it bounces once.
TEST(Reset, IsMetOnceWhereAConditionSwitchesToo) {
    const std::string once = R"(
unknown h
h'' = if(t < 0.49, (-0.3)*cos(t) + (-0.3)*cos(t) + (-0.3)*(-t + 0.49)*sin(t), 0)
start h = 0.49
start h' = -0.853
solve t = 0 .. 1.1
event impact: h = 0 then h' = (-0.6)*h'
)";
    for (const std::string control : {"pi", "doubling"}) {
        SolveOptions o{.method = "radau9", .rtol = 4e-8, .atol = 6e-9, .every = 0.275};
        o.control = control;
        const Solution s = solved(once, o);
        expect_near(times(s, "impact"), {0.49}, 1e-8);
        EXPECT_NEAR(s.column("h'").back(), 0.6847126598708084, 1e-6) << control;
    }
    const std::string rough = R"(
unknown h
h'' = if(t < 1.73, (-0.39)*cos(1.3*t) + (-0.39)*cos(1.3*t) + (-0.507)*(-t + 1.73)*sin(1.3*t), 0) + 0.2*if(t < 1.73, -(0.3*sin(1.3*t) + 1) + 0.39*(-t + 1.73)*cos(1.3*t), 0.3700830883232444) + 0.5*if(t < 1.73, (-t + 1.73)*(0.3*sin(1.3*t) + 1), 0.3700830883232444*(t - 1.7)) - (0.2*h' + 0.5*h)
start h = 1.73
start h' = -0.32530000000000003
solve t = 0 .. 2.2
event impact: h = 0 falling then h' = (-0.3)*h'
)";
    SolveOptions o{.method = "gauss8", .rtol = 7e-4, .atol = 1e-5, .parametrisation = "arclength"};
    o.formulation = "general";
    expect_near(times(solved(rough, o), "impact"), {1.73}, 1e-3);
}

TEST(Reset, ConstraintsHoldAfterIt) {
    const Solution one = solved("unknown x, z\nx' = -z\nz^3 + z = x\nstart x = 2, z = 1\nsolve t = 0 .. 3\n"
                                "event low: x = 1 falling then x = 10\n");
    ASSERT_GE(one.events.size(), 1U);
    expect_near(one.events[0].values_after, {10, 2}, 1e-12);
    const Solution two = solved("unknown x, y, u\nx' = -y + x*u\ny' = x + y*u\nx^2 + y^2 = 1\nstart x = 1, y = 0\n"
                                "solve t = 0 .. 1.2\nevent half: x = 0.5 then x = 0.8\n");
    ASSERT_EQ(two.events.size(), 1U) << two.message;
    expect_near(two.events[0].values_after, {0.8, 0.6, 0}, 1e-12);
    EXPECT_LT(two.constraint_residual_max, 1e-12);
    const Solution three = solved(pendulum + "event wall: x = 0.3 falling then x' = -0.5*x'\n");
    ASSERT_GE(three.events.size(), 2U);
    for (const EventPoint& e : three.events) {
        const std::vector<double>& v = e.values_after; // x, x', y, y', lambda
        EXPECT_NEAR(v[0], 0.3, 1e-12);
        EXPECT_NEAR(v[1], -0.5 * e.values[1], 1e-12);
        EXPECT_NEAR(v[0] * v[1] + v[2] * v[3], 0, 1e-12);
        EXPECT_NEAR(v[4], v[1] * v[1] + v[3] * v[3] - 9.81 * v[2], 1e-10);
    }
    EXPECT_LT(three.constraint_residual_max, 1e-12);
    // a position, so that velocities follow
    const Solution moved = solved(pendulum + "event wall: x = 0.3 falling then x = 0.5\n");
    const std::vector<double>& v = moved.events.at(0).values_after;
    EXPECT_NEAR(v[2], -std::sqrt(0.75), 1e-12);
    EXPECT_NEAR(v[0] * v[1] + v[2] * v[3], 0, 1e-12);
}

TEST(Reset, InvariantsTakeNewLevels) {
    const Solution s = solved("unknown x, v\nx' = v\nv' = -x\ninvariant (x^2 + v^2)/2\nstart x = 1, v = 0\n"
                              "solve t = 0 .. 10\nevent kick: x = 0 falling then v = 2*v\n");
    ASSERT_EQ(s.events.size(), 2U);
    EXPECT_NEAR(s.column("x").back() * s.column("x").back() + s.column("v").back() * s.column("v").back(), 16, 1e-10);
    EXPECT_LT(s.invariant_drift_max, 1e-12);
}

TEST(Reset, AContradictionEndsTheRunWithTheEquation) {
    const Solution s = solved(pendulum + "event wall: x = 0.3 falling then x = 2, y = 0\n", quiet);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, "what the event 'wall' sets (x, y) contradicts the constraints")) << s.message;
    EXPECT_TRUE(has(s.message, "x^2 + y^2 = 1")) << s.message;
    EXPECT_GT(s.t.size(), 2U);
    EXPECT_NEAR(s.column("x").back(), 0.3, 1e-12);
    const Solution nan = solved(ball + "event ground: y = 0 falling then y' = log(y')\n", quiet);
    EXPECT_TRUE(has(nan.message, "the event 'ground' sets y' to ")) << nan.message;
    EXPECT_TRUE(has(nan.message, "no finite number")) << nan.message;
}

TEST(Reset, ZenoIsFound) {
    SolveOptions o = quiet;
    o.to = 10.0;
    const Solution s = solved(ball + "event ground: y = 0 falling then y' = -0.5*y'\n", o);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, "the event 'ground' is met faster and faster")) << s.message;
    EXPECT_TRUE(has(s.message, "accumulate at t = 3, ") || has(s.message, "accumulate at t = 3.0000")) << s.message;
    EXPECT_GT(s.events.size(), 15U);
    EXPECT_LT(s.events.size(), 40U);
    for (const double y : s.column("y")) EXPECT_GE(y, -1e-9);
    const Solution slow =
        solved(ball + "event ground: y = 0 falling then y' = -0.95*y'\n", {.to = 100.0, .throw_on_failure = false});
    EXPECT_EQ(slow.status, Status::failed);
    EXPECT_TRUE(has(slow.message, "accumulate at t = 39") || has(slow.message, "accumulate at t = 38.999"))
        << slow.message;
    // crossed at once after what it sets
    const Solution stuck =
        solved("unknown x\nx' = 1\nstart x = 0\nsolve t = 0 .. 2\nevent a: x = 1 then x = 1 - 1e-17\n", quiet);
    EXPECT_EQ(stuck.status, Status::success) << stuck.message; // a zero that is left
}

TEST(Reset, OfCppModelsIsTheSame) {
    Model m("ball");
    const Expr y = m.unknown("y");
    m.equation(der(y, 2) == -10);
    m.start(y == 5);
    m.start(der(y) == 0);
    m.interval(0, 4);
    m.event("ground", y == 0, {.crossing = Crossing::falling, .then = {der(y) == -1 * der(y)}});
    expect_near(times(solve(m), "ground"), {1, 3}, 1e-9);
    EXPECT_TRUE(has(refusal([&] { m.event("e", y == 1, {.is_stop = true, .then = {y == 2}}); }), "one of them"));
    EXPECT_TRUE(has(refusal([&] { m.event("e", y == 1, {.then = {y == 2, y == 3}}); }), "sets y twice"));
    EXPECT_TRUE(has(refusal([&] {
                        m.event("e", y == 1, {.then = {der(y, 2) == 3}});
                        solve(m);
                    }),
                    "cannot set y''"));
}

TEST(EventJumps, HaveACurveBeforeThemOnTheLevelsOfThatTime) {
    SolveOptions o = tight();
    o.to = 2;
    o.dense = true;
    const Solution s = solved(ball + "invariant y'^2/2 + 10*y\nevent ground: y = 0 falling then y' = -0.5*y'\n", o);
    const auto energy = [&](double t) { return s(t, "y'") * s(t, "y'") / 2 + 10 * s(t, "y"); };
    EXPECT_NEAR(energy(0.5), 50, 1e-10); // falls for 1
    EXPECT_NEAR(energy(1.5), 12.5, 1e-10);
    EXPECT_NEAR(energy(0.9), 50, 1e-10); // back again
}

// ---- sections ----

TEST(Section, ReportsTheCrossingsAlone) {
    const std::string model = oscillator + "output E = x^2 + x'^2\nevent up: x = 0.5 rising\nevent top: x' = 0\n";
    SolveOptions o = tight();
    o.section = "up";
    const Solution s = solved(model, o);
    EXPECT_EQ(s.section, "up");
    expect_near(s.t, {std::asin(0.5), std::asin(0.5) + 2 * pi}, 1e-11);
    for (std::size_t k = 0; k < s.t.size(); ++k) {
        EXPECT_NEAR(s.column("x")[k], 0.5, 1e-14);
        EXPECT_NEAR(s.column("E")[k], 1, 1e-10);
    }
    EXPECT_TRUE(times(s, "up").empty());
    EXPECT_EQ(times(s, "top").size(), 3U);
    const Solution by_model = solved(model + "output section up\n", tight());
    EXPECT_EQ(by_model.t, s.t);
    SolveOptions every = tight();
    every.every = 5;
    EXPECT_EQ(solved(model + "output section up\n", every).t.size(), 3U); // points asked for go first
    o.section = "ub";
    EXPECT_TRUE(has(refusal([&] { solved(model, o); }), "'ub' is no event of model. It has: up, top"));
    o.section = "up";
    o.every = 1;
    EXPECT_TRUE(has(refusal([&] { solved(model, o); }), "leave one of them out"));
}

} // namespace
} // namespace vessiot::solve_events_test
