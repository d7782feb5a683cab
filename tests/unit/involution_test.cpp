// What completion with numbers finds, says and refuses; and start points. The motions that follow are in
// reference/completion_test.cpp, random systems in property/completion_property_test.cpp, the texts of the command line
// in golden/completion.t.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "expr/graph/collect.hpp"
#include "support/completion.hpp"
#include "support/gallery.hpp"

namespace vessiot::involution_test {
namespace {

using test::inspect_text;
using test::refusal;
using test::solve_text;

testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

bool is_hidden(const Inspection& i, const std::string& text) {
    return std::ranges::any_of(i.constraints,
                               [&](const Inspection::Constraint& c) { return c.is_hidden && c.text == text; });
}

bool is_redundant(const Inspection& i, const std::string& text) {
    return std::ranges::find(i.redundant, text) != i.redundant.end();
}

double start_value(const Inspection& i, const std::string& name) {
    for (const Inspection::Value& v : i.start)
        if (v.name == name) return v.value;
    ADD_FAILURE() << name << " is not a start value";
    return NAN;
}

// ---- sums in order ----

expr::NodeId unknown(expr::Graph& g, const std::string& name) {
    return g.read(g.add_array({.name = name, .role = expr::ArrayRole::unknown}));
}

TEST(Collect, TermsThatCancelAreLeftOut) {
    expr::Graph g;
    const expr::NodeId x = unknown(g, "x"), y = unknown(g, "y");
    const auto times = [&](double a, expr::NodeId n) { return g.mul(g.constant(a), n); };
    EXPECT_EQ(g.print(collect(g, g.sub(g.add(x, y), g.sub(x, times(2, y))))), "3*y");
    EXPECT_EQ(collect(g, g.sub(g.sub(x, g.constant(2)), g.sub(x, g.constant(2)))), g.zero());
    EXPECT_EQ(collect(g, g.sub(g.sub(x, g.constant(2)), g.sub(x, g.constant(1)))), g.constant(-1));
    // 0.1 + 0.2 - 0.3 is not zero in double
    EXPECT_EQ(collect(g, g.sub(g.add(times(0.1 + 0.2, x), y), times(0.3, x))), y);
    // products are terms; they are not opened
    EXPECT_EQ(g.print(collect(g, g.add(g.mul(x, g.add(x, y)), g.mul(x, g.add(x, y))))), "2*x*(x + y)");
}

TEST(Collect, AnEquationGetsSmallWholeFactors) {
    expr::Graph g;
    const expr::NodeId x = unknown(g, "x"), y = unknown(g, "y");
    const auto sum = [&](double a, double b) { return g.add(g.mul(g.constant(a), x), g.mul(g.constant(b), y)); };
    EXPECT_EQ(g.print(collect_equation(g, sum(4, -6))), "2*x - 3*y");
    EXPECT_EQ(g.print(collect_equation(g, g.neg(sum(4, 6)))), "2*x + 3*y");
    EXPECT_EQ(g.print(collect_equation(g, sum(0.25, 0.5))), "x + 2*y");
    EXPECT_EQ(g.print(collect_equation(g, sum(0.3, -0.7))), "0.3*x - 0.7*y");
    EXPECT_EQ(collect_equation(g, g.sub(x, x)), g.zero());
}

// ---- what is found ----

TEST(Involution, AHiddenConstraintIsReadable) {
    const Inspection i = inspect(test::gallery_system("pendulum_mixed"), {});
    ASSERT_TRUE(i.is_checked) << i.problem;
    EXPECT_TRUE(is_hidden(i, "x^2 + y^2 - l^2 = 0"));
    EXPECT_TRUE(is_hidden(i, "2*x*x' + 2*y*y' = 0"));
    EXPECT_EQ(i.system.index, 3);
    EXPECT_EQ(i.system.structural_index, 1); // misled
    EXPECT_EQ(i.system.hidden_constraints, 3);
}

TEST(Involution, ItsOriginNamesTheEquationsAndHowOftenTheyWereDifferentiated) {
    // x' = y is differentiated for y' = ...; x = t y needs none
    const Inspection i =
        inspect_text("unknown x, y\nx' + y' = y\nx' + y' + x = y + t\nstart x = 0\nsolve t = 0 .. 1\n");
    ASSERT_TRUE(i.is_checked) << i.problem;
    ASSERT_EQ(i.constraints.size(), 1U);
    EXPECT_EQ(i.constraints[0].text, "x - t = 0");
    EXPECT_EQ(i.constraints[0].origin, "follows from x' + y' = y; x' + y' + x = y + t");
    EXPECT_EQ(i.system.index, 1);
}

TEST(Involution, EquationsThatFollowFromOthersAreReported) {
    // a circle with its derivative; either of the two that give the radius is one too many, the flow is not
    const Inspection i = inspect_text("unknown x, y\nx' = y\ny' = -x\nx*x' + y*y' = 0\nstart x = 1, y = 0\n"
                                      "solve t = 0 .. 1\n");
    ASSERT_TRUE(i.is_checked) << i.problem;
    EXPECT_TRUE(is_redundant(i, "x*x' + y*y' = 0"));
    EXPECT_EQ(i.system.manifold_dimension, 3); // nothing is lost
    EXPECT_TRUE(i.constraints.empty());
}

TEST(Involution, AnEquationThatIsNeededIsNotCalledRedundant) {
    // four states, five equations: a particle on a circle (csu-hmc/opty 438)
    const Inspection i = inspect_text("parameter r = 2, w = 1.5\nunknown x, y, vx, vy\nvx' = -w^2*x\nvy' = -w^2*y\n"
                                      "x' = vx\ny' = vy\nx^2 + y^2 = r^2\n"
                                      "start x = r, y = 0, vx = 0, vy = w*r\nsolve t = 0 .. 1\n");
    ASSERT_TRUE(i.is_checked) << i.problem;
    EXPECT_FALSE(is_redundant(i, "x^2 + y^2 = r^2"));
    // the circle, its tangent, and the speed: one number is free, the angle
    EXPECT_EQ(i.system.manifold_dimension, 2);
    EXPECT_EQ(i.system.hidden_constraints, 2);
}

TEST(Involution, FourStatesWithFiveEquationsMoveOnTheCircle) {
    const Solution s = solve_text("parameter r = 2, w = 1.5\nunknown x, y, vx, vy\nvx' = -w^2*x\nvy' = -w^2*y\n"
                                  "x' = vx\ny' = vy\nx^2 + y^2 = r^2\n"
                                  "start x = r, y = 0, vx = 0, vy = w*r\nsolve t = 0 .. 10\n");
    EXPECT_NEAR(s.column("x").back(), 2 * std::cos(15), 1e-9);
    EXPECT_NEAR(s.column("vy").back(), 3 * std::cos(15), 1e-9);
    EXPECT_LT(s.constraint_residual_max, 1e-13);
}

// ---- what is refused ----

TEST(InvolutionRefuses, TooFewEquations) {
    const std::string message = refusal("unknown x, y\nx' = y\nstart x = 1\nsolve t = 0 .. 1\n");
    EXPECT_TRUE(has(message, "2 unknowns, but only 1 independent equation: nothing determines 'y'"));
}

TEST(InvolutionRefuses, EquationsThatContradictEachOther) {
    struct Case {
        std::string equations, says;
    };
    for (const Case& c : std::vector<Case>{
             {"x' = y\nx + y = 1\nx + y = 2\n", "x + y = 1; x + y = 2 together say that 1 = 0."},
             {"x + y = t\nx + y = t + 1\n", "x + y = t; x + y = t + 1 together say that 1 = 0."},
             {"x' + y = 0\nx' + y = sin(t)\n", "together say that sin(t) = 0."},
             {"x' = y\nx = sin(t)\ny = 2*cos(t)\n", "together say that"},
             // isolated points are left, and there the third consequence is -1 or 1/2
             {"x' = y\ny' = -x\nx^2 + 2*y^2 = 1\n", "which is another number wherever the constraints hold"}}) {
        SCOPED_TRACE(c.equations);
        const std::string message = refusal("unknown x, y\n" + c.equations + "start x = 1\nsolve t = 0 .. 1\n");
        EXPECT_TRUE(has(message, "contradict each other"));
        EXPECT_TRUE(has(message, c.says));
    }
}

TEST(InvolutionRefuses, SystemsThatAreSingularEverywhere) {
    const std::string message =
        refusal("unknown x, y\nx' + y' = x\n2*x' + 2*y' = 2*x\nstart x = 1\nsolve t = 0 .. 1\n");
    EXPECT_TRUE(has(message, "nothing determines y'"));
    EXPECT_TRUE(has(message, "x' + y' = x; 2*x' + 2*y' = 2*x depend on each other"));
    EXPECT_TRUE(has(message, "Another equation is needed"));
}

// x[1] is given and each unknown is the derivative of the one before.
std::string integrators(int n) {
    return fmt::format("parameter n = {}\nunknown x[n]\nx[1] = sin(t)\nfor i = 2..n: x[i] = x[i-1]'\n"
                       "solve t = 0 .. 1\n",
                       n);
}

TEST(InvolutionRefuses, AnIndexThatIsTooHigh) {
    const Solution s = solve_text(integrators(20));
    EXPECT_EQ(s.system.index, 20);
    EXPECT_NEAR(s.column("x[20]").back(), -std::cos(1.0), 1e-9); // derivative 19 of the sine
    for (const int n : {102, 1000, 10000}) {
        const std::string message = refusal(integrators(n));
        EXPECT_TRUE(has(message, "the index of model is too high: 'x[1] = sin(t)' would have to be differentiated"));
        EXPECT_TRUE(has(message, "100 is the limit"));
    }
}

TEST(InvolutionRefuses, FormulasThatGrowTooLong) {
    // thirty derivatives of a long product
    std::string text = "parameter n = 40\nunknown x[n], y\nx[1] = sin(y*exp(y*cos(y*t)))*tan(y^2*t)/(1 + exp(y*t))\n"
                       "for i = 2..n: x[i] = x[i-1]'\ny = cos(t)*exp(sin(t^2))/(2 + cos(t*exp(t)))\nsolve t = 0 .. 1\n";
    const std::string message = refusal(text);
    EXPECT_TRUE(has(message, "too high for formulas as long as these"));
}

TEST(InvolutionRefuses, SystemsThatAreTooLargeForNumbers) {
    // a chain of pairs, each of which cancels
    const std::string message =
        refusal("parameter n = 300\nunknown x[n], y[n]\nfor i = 1..n:\n    x[i]' + y[i]' = -x[i]\n"
                "    x[i]' + y[i]' + x[i] = y[i]\nsolve t = 0 .. 1\n");
    EXPECT_TRUE(has(message, "too large (600 unknowns)"));
    EXPECT_TRUE(has(message, "up to 400"));
}

// More equations than unknowns, but too many for completion: they are solved as they stand, if nothing else follows.
TEST(Involution, LargeOverdeterminedSystemsAreSolvedWhereAllIsWritten) {
    const std::string oscillators =
        "parameter n = 210\nunknown x[n], v[n]\nfor i = 1..n:\n    x[i]' = v[i]\n    v[i]' = -x[i]\n"
        "    start x[i] = 1, v[i] = 0\nsolve t = 0 .. 0.1\n";
    const Solution s = solve_text(oscillators + "for i = 1..n: x[i]^2 + v[i]^2 = 1\n", {.method = "rk4", .step = 0.05});
    EXPECT_NEAR(s.column("x[210]").back(), std::cos(0.1), 1e-8); // h^5/5! a step
    EXPECT_EQ(s.system.manifold_dimension, 211);
    EXPECT_TRUE(has(refusal(oscillators + "for i = 1..n: x[i] = cos(2*t)\n"), "does not go on holding"));
}

// ---- start points ----

const std::string pendulum = "parameter g = 9.81, l = 1\nunknown x, y, lambda\nx'' = -lambda*x\n"
                             "y'' = -lambda*y - g\nx^2 + y^2 = l^2\nsolve t = 0 .. 1\n";

TEST(StartPoint, EveryViolatedEquationIsListedHiddenOnesIncluded) {
    const Inspection i = inspect_text(pendulum + "start x = 1.1, y = 0, x' = 1, y' = 0\n");
    ASSERT_TRUE(i.is_checked) << i.problem;
    ASSERT_EQ(i.report.violations.size(), 2U);
    EXPECT_EQ(i.report.violations[0].equation, "x^2 + y^2 = l^2");
    EXPECT_EQ(i.report.violations[0].derivative, 0);
    EXPECT_FALSE(i.report.violations[0].is_hidden);
    EXPECT_NEAR(i.report.violations[0].residual, 0.21, 1e-12);
    EXPECT_EQ(i.report.violations[1].derivative, 1);
    EXPECT_TRUE(i.report.violations[1].is_hidden);
    EXPECT_NEAR(i.report.violations[1].residual, 2.2, 1e-12);
    // the nearest point: x to 1, x' to 0
    EXPECT_NEAR(start_value(i, "x"), 1, 1e-14);
    EXPECT_NEAR(start_value(i, "x'"), 0, 1e-14);
    ASSERT_FALSE(i.notes.empty());
    EXPECT_TRUE(has(i.notes[0], "start: equation 3 (x^2 + y^2 = l^2) is off by 0.21; hidden: its derivative by 2.2"));
    EXPECT_TRUE(has(i.notes[0], "moved x', x by up to 1"));
}

TEST(StartPoint, HiddenConstraintsFoundWithNumbersAreListedToo) {
    std::string text = test::gallery_text("pendulum_mixed");
    const std::string start = "start x = l, y = 0, x' = 0, y' = 0";
    ASSERT_NE(text.find(start), std::string::npos);
    text.replace(text.find(start), start.size(), "start x = 1.1*l, y = 0, x' = 0, y' = 0");
    const Inspection i = inspect_text(text);
    ASSERT_TRUE(i.is_checked) << i.problem;
    ASSERT_FALSE(i.report.violations.empty());
    EXPECT_EQ(i.report.violations[0].equation, "x^2 + y^2 - l^2 = 0");
    EXPECT_TRUE(i.report.violations[0].is_hidden);
    EXPECT_NEAR(start_value(i, "x"), 1, 1e-14);
}

TEST(StartPoint, WhatIsHeldDoesNotMove) {
    const Inspection i = inspect_text(pendulum + "start x = 0.6, y = -0.5, x' = 0, y' = 0\nhold x\n");
    ASSERT_TRUE(i.is_checked) << i.problem;
    EXPECT_EQ(start_value(i, "x"), 0.6);
    EXPECT_NEAR(start_value(i, "y"), -0.8, 1e-14);
}

TEST(StartPoint, AGuessChoosesTheBranchAndMovesFirst) {
    for (const double guess : {0.5, -0.5}) {
        const Inspection i =
            inspect_text(pendulum + fmt::format("start x = 0.6, x' = 0, y' = 0\nguess y = {}\n", guess));
        ASSERT_TRUE(i.is_checked) << i.problem;
        EXPECT_NEAR(start_value(i, "x"), 0.6, 1e-14);
        EXPECT_NEAR(start_value(i, "y"), std::copysign(0.8, guess), 1e-14);
    }
    const std::string message = refusal(pendulum + "start x = 0.6, x' = 0, y' = 0\n");
    EXPECT_TRUE(has(message, "the start values leave a choice: "));
    EXPECT_TRUE(has(message, "y = 0.8"));
    EXPECT_TRUE(has(message, "y = -0.8"));
}

TEST(StartPoint, OneThatCannotBeReachedIsRefusedWithTheEquations) {
    const std::string held = refusal(pendulum + "start x = 1.5, y = 0, x' = 0, y' = 0\nhold x\n");
    EXPECT_TRUE(has(held, "no start point that satisfies all constraints was found near the one given"));
    EXPECT_TRUE(has(held, "equation 3 (x^2 + y^2 = l^2) is off by 1.25"));
    EXPECT_TRUE(has(held, "or hold fewer unknowns"));
    const std::string empty = refusal("unknown x, y\nx' = y\nx^2 + y^2 = -1\nstart x = 1, y = 1\nsolve t = 0 .. 1\n");
    EXPECT_TRUE(has(empty, "equation 2 (x^2 + y^2 = -1) is off by 3"));
}

// Iterations are limited: what never converges ends.
TEST(StartPoint, WhereNewtonsMethodCyclesTheSearchEnds) {
    // f = cbrt-like: Newton's steps double the distance
    const std::string message =
        refusal("unknown x, y\nx' = y\natan(x*1e8) + y^2 + 3 = 0\nstart x = 1, y = 0\nsolve t = 0 .. 1\n");
    EXPECT_TRUE(has(message, "no start point"));
}

// The pendulum with lengths in another unit, times in another unit, and equations multiplied.
std::string in_units(double length, double time, double factor, const std::string& start) {
    return fmt::format("parameter L = {:.17g}, T = {:.17g}, k = {:.17g}, g = 9.81*L/T^2, l = L\nunknown x, y, lambda\n"
                       "k*x'' = -k*lambda*x\nk*y'' = -k*lambda*y - k*g\nk*(x^2 + y^2) = k*l^2\n{}solve t = 0 .. T\n",
                       length, time, factor, start);
}

TEST(StartPoint, TheVerdictDoesNotDependOnUnits) {
    for (const double length : {1e-6, 1.0, 1e6})
        for (const double time : {1e-6, 1.0, 1e6})
            for (const double factor : {1e-6, 1.0, 1e6}) {
                SCOPED_TRACE(fmt::format("{} {} {}", length, time, factor));
                const std::string good =
                    in_units(length, time, factor, "start x = 0.6*L, y = -0.8*L, x' = 0.8*L/T, y' = 0.6*L/T\n");
                const Inspection consistent = inspect_text(good);
                ASSERT_TRUE(consistent.is_checked) << consistent.problem;
                EXPECT_TRUE(consistent.report.violations.empty());
                EXPECT_EQ(consistent.system.index, 3);
                EXPECT_EQ(consistent.system.degrees_of_freedom, 1);
                const Inspection off =
                    inspect_text(in_units(length, time, factor, "start x = 1.1*L, y = 0, x' = L/T, y' = 0\n"));
                ASSERT_TRUE(off.is_checked) << off.problem;
                ASSERT_EQ(off.report.violations.size(), 2U);
                EXPECT_NEAR(start_value(off, "x") / length, 1, 1e-12);
                EXPECT_NEAR(start_value(off, "x'") / length * time, 0, 1e-12);
            }
}

TEST(StartPoint, CompletionWithNumbersDoesNotDependOnUnits) {
    for (const double length : {1e-6, 1e6})
        for (const double factor : {1e-6, 1e6}) {
            SCOPED_TRACE(fmt::format("{} {}", length, factor));
            // Newton's law and the constraint mixed, in units of their own
            const Inspection i = inspect_text(fmt::format(
                "parameter L = {:.17g}, k = {:.17g}, g = 9.81*L, l = L\nunknown x, y, lambda\n"
                "let F1 = (x'' + lambda*x)/L\nlet F2 = (y'' + lambda*y + g)/L\nlet F3 = (x^2 + y^2 - l^2)/L^2\n"
                "k*(F1 + F3) = 0\nF2 - 2*F3 = 0\nF1 + F2 + F3 = 0\n"
                "start x = L, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n",
                length, factor));
            ASSERT_TRUE(i.is_checked) << i.problem;
            EXPECT_EQ(i.system.index, 3);
            EXPECT_EQ(i.system.manifold_dimension, 3);
        }
}

} // namespace
} // namespace vessiot::involution_test
