// Derivatives of the solution across events that set values: closed forms, and differences of solutions.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "vessiot/model.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::jump_sensitivity_test {
namespace {

SolveOptions tight(const std::string& method = "dop853") {
    SolveOptions o;
    o.method = method;
    o.rtol = 1e-12;
    o.atol = 1e-13;
    o.throw_on_failure = false;
    return o;
}

Solution solved(const std::string& text, std::vector<std::string> by, SolveOptions o = tight()) {
    o.sensitivity = std::move(by);
    Solution s = solve(Model::parse(text), o);
    EXPECT_EQ(s.status, Status::success) << s.message;
    return s;
}

// The value of `name` at the end, for parameters set to other values.
double end(const std::string& text, const std::string& name, const std::string& parameter, double value) {
    SolveOptions o = tight();
    o.dense = false;
    TextSettings settings;
    settings.set = {{parameter, fmt::format("{:.17g}", value)}};
    const Solution s = solve(Model::parse(text, "model", settings), o);
    EXPECT_EQ(s.status, Status::success) << s.message;
    return s.column(name).back();
}

void expect_differences(const std::string& text, const std::string& parameter, double at,
                        const std::vector<std::string>& names, const std::string& method = "dop853") {
    const Solution s = solved(text, {parameter}, tight(method));
    const double h = 1e-4 * std::max(1.0, std::fabs(at));
    for (const std::string& name : names) {
        const auto f = [&](double k) { return end(text, name, parameter, at + k * h); };
        const double difference = (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * h);
        EXPECT_NEAR(s.sensitivity(name, parameter).back(), difference, 1e-7 * (1 + std::fabs(difference)))
            << name << " by " << parameter;
    }
}

const std::string ball = "parameter g = 9.81, e = 0.8, h0 = 2\nunknown h\nh'' = -g\nstart h = h0, h' = 0\n"
                         "event ground: h = 0 falling then h' = -e*h'\n";

TEST(JumpSensitivity, ABallThatBouncesOnce) {
    const double g = 9.81, e = 0.8, h0 = 2, t = 1.1, t1 = std::sqrt(2 * h0 / g), rest = t - t1, v = e * g * t1;
    for (const std::string method : {"dop853", "dopri54", "radau9", "taylor"}) {
        const Solution s = solved(ball + "solve t = 0 .. 1.1\n", {"e", "g", "h0", "start:h"}, tight(method));
        ASSERT_EQ(s.events.size(), 1U);
        EXPECT_NEAR(s.sensitivity("h", "e").back(), g * t1 * rest, 1e-9) << method;
        EXPECT_NEAR(s.sensitivity("h'", "e").back(), g * t1, 1e-9) << method;
        const double by_g = e * t1 / 2 * rest + v * t1 / (2 * g) - rest * rest / 2 - g * rest * t1 / (2 * g);
        EXPECT_NEAR(s.sensitivity("h", "g").back(), by_g, 1e-9) << method;
        const double dt = 1 / (g * t1), by_h = e * g * dt * rest - v * dt + g * rest * dt;
        EXPECT_NEAR(s.sensitivity("h", "h0").back(), by_h, 1e-9) << method;
        EXPECT_NEAR(s.sensitivity("h", "start:h").back(), by_h, 1e-9) << method;
    }
    SolveOptions quad = tight();
    quad.precision = "quad";
    EXPECT_NEAR(solved(ball + "solve t = 0 .. 1.1\n", {"e"}, quad).sensitivity("h", "e").back(), g * t1 * rest, 1e-11);
}

TEST(JumpSensitivity, ABallThatBouncesOften) {
    expect_differences(ball + "solve t = 0 .. 4\n", "e", 0.8, {"h", "h'"});
    expect_differences(ball + "solve t = 0 .. 4\n", "g", 9.81, {"h", "h'"});
}

TEST(JumpSensitivity, WhatIsSetMayDependOnTimeAndParameters) {
    const std::string model =
        "parameter a = 1.3, b = 0.4\nunknown x, y\nx' = a + 0.1*y\ny' = -x*b\nstart x = 0, y = 1\n"
        "solve t = 0 .. 3\nevent e: x = 1 + b/5 then x = b*t^2 - y, y = a*x + sin(t)\n";
    expect_differences(model, "a", 1.3, {"x", "y"});
    expect_differences(model, "b", 0.4, {"x", "y"}, "radau9");
}

TEST(JumpSensitivity, ConstraintsDetermineTheRest) {
    const std::string pendulum = "parameter g = 9.81, c = 0.7, w = 0.3\nunknown x, y, lambda\nx'' = -lambda*x\n"
                                 "y'' = -lambda*y - g\nx^2 + y^2 = 1\nstart x = 0.8, y = -0.6, x' = 0, y' = 0\n"
                                 "solve t = 0 .. 1.4\nevent wall: x = w falling then x' = -c*x'\n";
    for (const auto& [name, at] : {std::pair{"g", 9.81}, {"c", 0.7}, {"w", 0.3}})
        expect_differences(pendulum, name, at, {"x", "y", "x'", "y'", "lambda"});
    const std::string derived = "parameter g = 9.81, c = 0.7\nunknown x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\n"
                                "constraint x^2 + y^2 = 1\nstart x = 0.8, y = -0.6, x' = 0, y' = 0\n"
                                "solve t = 0 .. 1.4\nevent wall: x = 0.3 falling then x' = -c*x'\n";
    expect_differences(derived, "c", 0.7, {"x", "y'"});
}

TEST(JumpSensitivity, AlgebraicUnknownsJumpToo) {
    const std::string model = "parameter p = 0.7, q = 1.2\nunknown x, s, y\nx' = q + 0.1*y\ns' = -0.1*s\n"
                              "y^3 + p*y = x + s^2\nstart x = -1, s = 1\nguess y = 0\nsolve t = 0 .. 2\n"
                              "event e: x = 0 then s = p*s - 1\n";
    expect_differences(model, "p", 0.7, {"x", "s", "y"});
    expect_differences(model, "q", 1.2, {"x", "s", "y"});
}

// Right-hand sides that jump: the time of the switching moves.
TEST(JumpSensitivity, ConditionsThatSwitch) {
    const auto value = [](const std::string& equations, const std::string& name, double to) {
        const Solution s = solved("parameter p = 1\nunknown x, y\n" + equations +
                                      fmt::format("start x = 0, y = 0\nsolve t = 0 .. {}\n", to),
                                  {"p"});
        return s.sensitivity(name, "p").back();
    };
    EXPECT_NEAR(value("x' = if(x < 1, 1, 2)*p\ny' = 0\n", "x", 2), 4, 1e-9);
    EXPECT_NEAR(value("x' = p\ny' = if(x < 1, 1, 2)\n", "y", 2), 1, 1e-9);
    EXPECT_NEAR(value("x' = if(t < p, 1, 4)\ny' = 0\n", "x", 2), -3, 1e-9);
    EXPECT_NEAR(value("x' = p\ny' = floor(x)*p\n", "y", 3.5), 10.5, 1e-9);
    EXPECT_NEAR(value("x' = p\ny' = abs(x - 1)\n", "y", 2), 1, 1e-9); // a corner: (1 + (2 p - 1)^2)/(2 p)
    const std::string after = "parameter p = 1.1\nunknown x, y\nx' = p + y/5\ny' = if(x < 2, 1, -2*x)\n"
                              "start x = 0, y = 0\nsolve t = 0 .. 2\nevent e: x = p then x = x + 1.5*p\n";
    expect_differences(after, "p", 1.1, {"x", "y"});
}

TEST(JumpSensitivity, EventsAtGivenTimesAndModes) {
    const std::string model = "parameter a = 1.3\nunknown x\ndiscrete m = 1\nx' = a*m - 0.3*x\nstart x = 0\n"
                              "solve t = 0 .. 2\nevent tick: every 0.5 then x = x/2 + a*t\n"
                              "event high: x = 2 rising then m = -m\n";
    expect_differences(model, "a", 1.3, {"x"});
}

TEST(JumpSensitivity, WhatIsNotKnownIsSaid) {
    const std::string rod = "parameter g = 9.81\nunknown x1, y1, x2, y2\n"
                            "lagrangian (x1'^2 + y1'^2)/2 + 5*(x2'^2 + y2'^2) - g*(y1 + 10*y2)\n"
                            "constraint (x1-x2)^2 + (y1-y2)^2 = 1\n"
                            "start x1 = 0, y1 = 1, x2 = 0.6, y2 = 1.8, x1' = 0, y1' = 0, x2' = 0, y2' = 0\n"
                            "solve t = 0 .. 0.6\nevent ground: y1 = 0 falling then y1' = -0.5*y1'\n";
    SolveOptions o = tight();
    o.sensitivity = {"g"};
    const Solution s = solve(Model::parse(rod), o);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_NE(s.message.find("derivatives of the solution are not known after the event 'ground'"), std::string::npos)
        << s.message;
    const std::string held = "parameter k = 1\nunknown x\ndiscrete u = 0\nx' = u - x\nstart x = 1\nsolve t = 0 .. 2\n"
                             "event tick: every 0.5 then u = -k*x\n";
    o.sensitivity = {"k"};
    const Solution h = solve(Model::parse(held), o);
    EXPECT_EQ(h.status, Status::failed);
    EXPECT_NE(h.message.find("what is discrete has no derivatives"), std::string::npos) << h.message;
    const std::string two = "parameter a = 1\nunknown x, y\nx' = a\ny' = 1\nstart x = 0, y = 0\nsolve t = 0 .. 2\n"
                            "event e1: x = 1 then x = 0\nevent e2: y = 1 then x = 2\n";
    o.sensitivity = {"a"};
    const Solution t = solve(Model::parse(two), o);
    EXPECT_EQ(t.status, Status::failed);
    EXPECT_NE(t.message.find("several events set values at this point"), std::string::npos) << t.message;
}

} // namespace
} // namespace vessiot::jump_sensitivity_test
