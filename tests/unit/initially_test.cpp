// Equations that hold at the start only, values of computed quantities that are held there, and events that are looked
// at always.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/completion.hpp"
#include "vessiot/model.hpp"

namespace vessiot::initially_test {
namespace {

using test::refusal;
using test::solve_text;

testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

double first(const Solution& s, const std::string& name) {
    return s.column(name).front();
}

double last(const Solution& s, const std::string& name) {
    return s.column(name).back();
}

std::string failure(const std::string& text) {
    try {
        solve_text(text);
    } catch (const std::exception& e) {
        return e.what();
    }
    return "";
}

// ---- initially ----

TEST(Initially, ASteadyStateIsFound) {
    const Solution s =
        solve_text("unknown x, y\nx' = -x + 2\ny' = -y + x\ninitially x' = 0\ninitially y' = 0\nsolve t = 0 .. 1\n");
    EXPECT_NEAR(first(s, "x"), 2, 1e-14);
    EXPECT_NEAR(first(s, "y"), 2, 1e-14);
    EXPECT_NEAR(last(s, "y"), 2, 1e-13);
}

TEST(Initially, StartValuesMoveWhatIsHeldStays) {
    const std::string model = "unknown x, y\nx' = -x + y\ny' = -x\ninitially x' = 0\nsolve t = 0 .. 1\n";
    const Solution moved = solve_text(model + "start x = 1, y = 3\n");
    EXPECT_NEAR(first(moved, "x"), 2, 1e-6); // both by as little as possible
    EXPECT_NEAR(first(moved, "y"), first(moved, "x"), 1e-14);
    const Solution held = solve_text(model + "start x = 1, y = 3\nhold x\n");
    EXPECT_EQ(first(held, "x"), 1);
    EXPECT_NEAR(first(held, "y"), 1, 1e-14);
}

TEST(Initially, WhatNobodyGaveMovesFirst) {
    const Solution s =
        solve_text("unknown x, v, k\nk' = 0\nx' = v\nv' = 9.81 - k*x\nstart x = 0.1, v = 0\nguess k = 1\n"
                   "initially v' = 0\nsolve t = 0 .. 1\n");
    EXPECT_NEAR(first(s, "k"), 98.1, 1e-12); // a parameter found from equilibrium
    EXPECT_NEAR(last(s, "x"), 0.1, 1e-13);
}

TEST(Initially, ConstraintsHoldWithThem) {
    // a pendulum that begins with the force 10 in its rod: f = v^2 - g y
    const Solution s = solve_text("unknown x, y, f\nx'' = -f*x\ny'' = -f*y - 9.81\nx^2 + y^2 = 1\n"
                                  "start x = 0.6, y = -0.8, x' = 1\nhold x, y\ninitially f = 10\nsolve t = 0 .. 0.1\n");
    EXPECT_NEAR(first(s, "f"), 10, 1e-12);
    EXPECT_EQ(first(s, "x"), 0.6);
    const double v = std::sqrt(10 - 9.81 * 0.8);
    EXPECT_NEAR(first(s, "x'"), 0.8 * v, 1e-12);
    EXPECT_NEAR(first(s, "y'"), 0.6 * v, 1e-12);
}

TEST(Initially, DerivativesAboveTheHighestAreKnown) {
    // x' = -x + z, z' = -z:  x'' = -x' + z' = x - 2 z = 0
    const Solution s = solve_text("unknown x, z\nx' = -x + z\nz' = -z\nstart z = 1\nhold z\ninitially x'' = 0\n"
                                  "solve t = 0 .. 1\n");
    EXPECT_NEAR(first(s, "x"), 2, 1e-14);
    EXPECT_TRUE(has(refusal("unknown x\nx' = -x\ninitially der(x, 9) = 0\nsolve t = 0 .. 1\n"), "lies 8 derivatives"));
}

TEST(Initially, FamiliesLoopsAndParts) {
    const Solution s = solve_text("parameter n = 3\nunknown x[n]\nfor i = 1..n: x[i]' = i - x[i]\n"
                                  "for i = 1..n: initially x[i]' = 0\nsolve t = 0 .. 1\n");
    EXPECT_NEAR(first(s, "x[3]"), 3, 1e-14);
    const Solution parts = solve_text("component C(a = 1):\n    unknown x\n    x' = a - x\n    initially x' = 0\n"
                                      "part p = C(a = 5)\npart q[i = 1..2] = C(a = i)\nsolve t = 0 .. 1\n");
    EXPECT_NEAR(first(parts, "p.x"), 5, 1e-14);
    EXPECT_NEAR(first(parts, "q[2].x"), 2, 1e-14);
}

TEST(Initially, TheWordIsNotReserved) {
    const Solution s =
        solve_text("unknown initially\ninitially' = -initially\nstart initially = 1\nsolve t = 0 .. 1\n");
    EXPECT_NEAR(last(s, "initially"), std::exp(-1), 1e-9);
}

TEST(Initially, ContradictionsAreNamed) {
    const std::string model = "unknown x\nx' = -x + 2\nsolve t = 0 .. 1\n";
    EXPECT_TRUE(has(refusal(model + "initially x' = 0\ninitially x = 1\n"), "initially x"));
    EXPECT_TRUE(has(refusal(model + "initially x' = 0\nstart x = 1\nhold x\n"), "hold fewer"));
    EXPECT_TRUE(has(refusal(model + "initially 1 = 2\n"), "contains no unknown"));
    EXPECT_TRUE(has(refusal(model + "initially x'\n"), "="));
    SolveOptions options;
    options.sensitivity = {"start:x"};
    EXPECT_TRUE(has(refusal(model + "initially x' = 0\n", options), "initially"));
    EXPECT_TRUE(has(refusal(model + "initially x' = 0\nend x = 1\n"), "initially"));
}

TEST(Initially, QuadAndConditionsAndInvariants) {
    SolveOptions options;
    options.precision = "quad";
    const std::string steady = "unknown x\nx' = if(x > 1, 2 - x^3, 5 - x)\nstart x = 1.2\ninitially x' = 0\n"
                               "solve t = 0 .. 1\n";
    EXPECT_NEAR(first(solve_text(steady), "x"), std::cbrt(2), 1e-14);
    EXPECT_EQ(first(solve_text(steady, options), "x"), std::cbrt(2.0));
    const std::string pendulum = "unknown x, y, f\nx'' = -f*x\ny'' = -f*y - 1\nx^2 + y^2 = 1\n"
                                 "start x = 0, y = -1, x' = 1\ninitially f = 3\nsolve t = 0 .. 1\n";
    EXPECT_NEAR(first(solve_text(pendulum + "invariant (x'^2 + y'^2)/2 + y\n"), "x'"), std::sqrt(2), 1e-12);
    EXPECT_TRUE(has(refusal(pendulum + "invariant (x'^2 + y'^2)/2 + y = 5\n"), "invariants"));
}

TEST(Initially, TheModelOfCpp) {
    Model m("m");
    Expr x = m.unknown("x"), v = m.unknown("v");
    m.equation(der(x) == v);
    m.equation(der(v) == 4 - x);
    m.initially(der(v) == 0);
    m.initially(der(x) == 1);
    m.interval(0, 1);
    const Solution s = solve(m);
    EXPECT_NEAR(s.column("x").front(), 4, 1e-14);
    EXPECT_NEAR(s.column("v").front(), 1, 1e-14);
    EXPECT_TRUE(has(m.describe(), "initially"));
}

// ---- what is held and computed ----

TEST(HeldStart, WhatFollowsFromOthersMovesThem) {
    const Solution s = solve_text("unknown phi, w\nphi'' = -phi\nw = phi'\nstart phi = 0, w = 10\nhold w\n"
                                  "solve t = 0 .. 1\n");
    EXPECT_EQ(first(s, "w"), 10);
    EXPECT_NEAR(first(s, "phi'"), 10, 1e-13);
    EXPECT_NEAR(last(s, "phi"), 10 * std::sin(1), 1e-7);
}

TEST(HeldStart, RoundOffAtZeroIsNoViolation) {
    const Solution s = solve_text("unknown y, z, w\nw' = -w\nsin(y + pi) + z = w - 1\n1.1*sin(y + pi) - z = 0\n"
                                  "start w = 1\nguess y = 0, z = 0\nhold w\nsolve t = 0 .. 1\n");
    EXPECT_EQ(s.status, Status::success) << s.message;
    const double y = last(s, "y"), w = std::exp(-1);
    EXPECT_NEAR(-2.1 * std::sin(y), w - 1, 1e-8);
}

// ---- always ----

TEST(Always, Hysteresis) {
    const std::string rule = "discrete on = 1\nunknown T\nT' = -0.1*(T - 10) + 3*on\nstart T = 15\nsolve t = 0 .. 50\n"
                             "event rule: always then on = if(T < if(on > 0.5, 25, 20), 1, 0)\n";
    const std::string events = "discrete on = 1\nunknown T\nT' = -0.1*(T - 10) + 3*on\nstart T = 15\n"
                               "solve t = 0 .. 50\nevent up: T = 25 rising then on = 0\n"
                               "event down: T = 20 falling then on = 1\n";
    const Solution a = solve_text(rule), b = solve_text(events);
    ASSERT_EQ(a.status, Status::success) << a.message;
    EXPECT_NEAR(last(a, "T"), last(b, "T"), 1e-9);
    EXPECT_EQ(last(a, "on"), last(b, "on"));
}

TEST(Always, TheStartAgreesWithTheRule) {
    const Solution s = solve_text("discrete on = 1\nunknown T\nT' = on - T\nstart T = 3\nsolve t = 0 .. 1\n"
                                  "event rule: always then on = if(T < 2, 1, 0)\n");
    EXPECT_EQ(first(s, "on"), 0);
    EXPECT_EQ(last(s, "on"), 1);                          // from T = 2 on
    const double t = std::log(1.5);                       // when it gets there
    EXPECT_NEAR(last(s, "T"), 1 + std::exp(t - 1), 1e-8); // T' = 1 - T from 2
}

TEST(Always, ChainsOfChangesComeToAnEnd) {
    const std::string endless("discrete a = 0, b = 0, c = 0, n = 0\nunknown x\nx' = 1\nstart x = 0\nsolve t = 0 .. 2\n"
                              "event rule: always then a = if(x > 1, 1, 0), b = a, c = b, n = if(c > b, n, n + c)\n");
    EXPECT_TRUE(has(failure(endless), "again and again, 1000 times: n")); // it grows for ever
    const Solution ends = solve_text("discrete a = 0, b = 0, c = 0\nunknown x\nx' = 1\nstart x = 0\nsolve t = 0 .. 2\n"
                                     "event rule: always then a = if(x > 1, 1, 0), b = a, c = b\n");
    EXPECT_EQ(last(ends, "c"), 1);
}

TEST(Always, UnknownsAreSetToo) {
    const Solution s = solve_text("discrete down = 0\nunknown y\ny'' = -9.81\nstart y = 1, y' = 0\nsolve t = 0 .. 1\n"
                                  "event bounce: always then down = if(y < 0, 1, 0), "
                                  "y' = if(y < 0 and down < 0.5, -0.8*y', y')\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    const double fall = std::sqrt(2 / 9.81), speed = 0.8 * 9.81 * fall, rest = 1 - fall;
    EXPECT_NEAR(last(s, "y"), speed * rest - 9.81 / 2 * rest * rest, 1e-8);
}

TEST(Always, WithTicksAndConditionsOfTime) {
    const Solution s = solve_text("discrete k = 0, u = 0\nunknown x\nx' = u\nstart x = 0\nsolve t = 0 .. 1.05\n"
                                  "event rule: always then k = if(t >= 0.1*(k + 1), k + 1, k), u = k\n");
    EXPECT_EQ(last(s, "k"), 10);
    EXPECT_NEAR(last(s, "x"), 0.1 * 45 + 0.05 * 10, 1e-9);
}

TEST(Always, MistakesAreNamed) {
    const std::string model = "discrete d = 0\nunknown x\nx' = 1\nsolve t = 0 .. 1\n";
    EXPECT_TRUE(has(refusal(model + "event e: always then x' = 1\n"), "x"));
    EXPECT_TRUE(has(refusal(model + "event e: always rising then d = 1\n"), "no crossing"));
    EXPECT_TRUE(has(refusal(model + "event e: always stop\n"), "no crossing"));
    SolveOptions ignore;
    ignore.conditions = "ignore";
    EXPECT_TRUE(has(refusal(model + "event e: always then d = if(x > 1, 1, 0)\n", ignore), "looked at always"));
    SolveOptions sensitive;
    sensitive.sensitivity = {"start:x"};
    EXPECT_TRUE(has(refusal(model + "event e: always then d = if(x > 1, 1, 0)\n", sensitive), "looked at always"));
    const Solution s = solve_text("unknown always\nalways' = 1\nsolve t = 0 .. 1\nevent e: always = 0.5\n");
    EXPECT_EQ(s.events.size(), 1U); // the word is not reserved
}

TEST(Always, TheModelOfCpp) {
    Model m("m");
    Expr x = m.unknown("x"), d = m.discrete("d", 0);
    m.equation(der(x) == 1 - d / 2);
    m.event("rule", Always{}, {.then = {d == if_(x > 0.5, 1, 0)}});
    m.interval(0, 1);
    EXPECT_NEAR(solve(m).column("x").back(), 0.75, 1e-9);
}

} // namespace
} // namespace vessiot::initially_test
