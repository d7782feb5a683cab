// Conditions at both ends: against closed forms, and against runs with tighter tolerances; counted on the manifold; and
// what is said where they do not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "support/refusal.hpp"
#include "support/solved.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"

namespace vessiot::ends_test {
namespace {

using test::has;
using test::last;
using test::refusal;
using test::solved;

double first(const Solution& s, const std::string& name) {
    return s.column(name).front();
}

SolveOptions accurate(double rtol = 1e-10) {
    return {.rtol = rtol, .atol = rtol / 100};
}

// x'' = -x with x(0) = 0, x(1) = 1: x = sin t / sin 1.
constexpr const char* sine = "unknown x\nx'' = -x\nstart x = 0\nend x = 1\nsolve t = 0 .. 1\n";

TEST(Ends, AreMetByALinearEquation) {
    const Solution s = solved(sine, accurate());
    EXPECT_EQ(s.status, Status::success);
    EXPECT_NEAR(first(s, "x'"), 1 / std::sin(1.0), 1e-9);
    EXPECT_NEAR(last(s, "x"), 1, 1e-10);
    EXPECT_NEAR(s(0.5, "x"), std::sin(0.5) / std::sin(1.0), 1e-9); // the curve is whole
    EXPECT_EQ(s.ends.unknowns, 1);
    EXPECT_EQ(s.ends.conditions, 1);
    ASSERT_EQ(s.ends.start.size(), 1U);
    EXPECT_EQ(s.ends.start[0].name, "x'");
    EXPECT_LE(s.ends.error, 1);
}

TEST(Ends, ReportTheSamePointsAsOtherRuns) {
    SolveOptions o = accurate();
    o.every = 0.1;
    const Solution s = solved(sine, o);
    ASSERT_EQ(s.t.size(), 11U);
    for (std::size_t k = 0; k < s.t.size(); ++k) {
        EXPECT_NEAR(s.t[k], 0.1 * static_cast<double>(k), 1e-15);
        EXPECT_NEAR(s.column("x")[k], std::sin(s.t[k]) / std::sin(1.0), 1e-9);
    }
    SolveOptions at = accurate();
    at.at = {0.3, 0.77};
    EXPECT_EQ(solved(sine, at).t, (std::vector<double>{0.3, 0.77}));
}

// Hairer's optimal control: v vanishes at the end; closed form by the matrix exponential.
TEST(Ends, FindTheAdjointVariablesOfOptimalControl) {
    const Solution s = solved("unknown y1, y2, v1, v2, u\ny1' = y2\ny2' = u\nv1' = -y1\nv2' = -y2 - v1\n0 = v2 + u\n"
                              "start y1 = 1, y2 = 0\nend v1 = 0, v2 = 0\nsolve t = 0 .. 1\n",
                              accurate(1e-11));
    EXPECT_NEAR(first(s, "v1"), 0.964835684943497869725, 1e-10);
    EXPECT_NEAR(first(s, "v2"), 0.389571120504592482324, 1e-10);
    EXPECT_NEAR(last(s, "y1"), 0.914780363031156511400, 1e-10);
    EXPECT_NEAR(last(s, "u"), 0, 1e-10);
}

// y = -2 log(cosh((x - 1/2) theta/2) / cosh(theta/4)), theta = sqrt(2) cosh(theta/4)
TEST(Ends, FindBothBranchesOfBratusProblem) {
    const auto branch = [](const std::string& guess) {
        return solved("independent x\nunknown y\ny'' = -exp(y)\nstart y = 0\nguess y' = " + guess +
                          "\nend y = 0\nsolve x = 0 .. 1\n",
                      accurate());
    };
    const Solution lower = branch("0.5"), upper = branch("10");
    EXPECT_NEAR(first(lower, "y'"), 0.5493527287752708190, 1e-9);
    EXPECT_NEAR(lower(0.5, "y"), 0.1405392144004717980, 1e-9);
    EXPECT_NEAR(first(upper, "y'"), 10.84689901938945239, 1e-8);
    EXPECT_NEAR(upper(0.5, "y"), 4.091467246189260321, 1e-8);
}

// Small changes grow by exp(10); against the same at 1e-12.
TEST(Ends, SolveTroeschsProblem) {
    const std::string model =
        "parameter mu = 10\nindependent x\nunknown y\ny'' = mu*sinh(mu*y)\nstart y = 0\nend y = 1\n"
        "solve x = 0 .. 1\n";
    const Solution s = solved(model, {.rtol = 1e-8, .atol = 1e-11});
    const Solution tight = solved(model, {.rtol = 1e-12, .atol = 1e-14});
    EXPECT_NEAR(first(s, "y'") / first(tight, "y'"), 1, 1e-6);
    EXPECT_NEAR(first(tight, "y'"), 3.58337784630810e-4, 1e-13); // published [Troesch's problem, mu = 10]
    EXPECT_NEAR(last(s, "y"), 1, 1e-7);
}

// One condition on the circle, though two numbers are given; index 3, a free parameter.
constexpr const char* upright = "parameter g = 9.81, torque = 8\nunknown x, y, lambda\nx'' = -lambda*x - torque*y\n"
                                "y'' = -lambda*y - g + torque*x\nx^2 + y^2 = 1\nstart x = 0, y = -1, x' = 0, y' = 0\n"
                                "end x = 0, y = 1\nfree torque\nsolve t = 0 .. 1.5\n";

TEST(Ends, BringAPendulumUpright) {
    const Solution s = solved(upright, accurate(1e-9));
    EXPECT_EQ(s.ends.unknowns, 1);
    EXPECT_EQ(s.ends.conditions, 1);
    EXPECT_NEAR(last(s, "x"), 0, 1e-8);
    EXPECT_NEAR(last(s, "y"), 1, 1e-8);
    ASSERT_EQ(s.ends.parameters.size(), 1U);
    EXPECT_EQ(s.ends.parameters[0].name, "torque");
    // the same with the angle: phi'' = torque - g cos phi
    const Solution angle = solved("parameter g = 9.81, torque = " + std::to_string(s.ends.parameters[0].value) +
                                      "\nunknown phi\nphi'' = torque - g*cos(phi)\nstart phi = -pi/2, phi' = 0\n"
                                      "end phi = pi/2\nfree torque\nsolve t = 0 .. 1.5\n",
                                  accurate(1e-11));
    EXPECT_NEAR(s.ends.parameters[0].value, angle.ends.parameters[0].value, 1e-7);
    EXPECT_LT(s.constraint_residual_max, 1e-12);
}

TEST(Ends, FindAGeodesicOfAnEllipsoid) {
    const std::string model = "parameter a = 3, b = 2, c = 1\nunknown x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\n"
                              "constraint x^2/a^2 + y^2/b^2 + z^2/c^2 = 1\nstart x = a, y = 0, z = 0\n"
                              "guess y' = 2, z' = 1\nend x = 0, y = b*sqrt(3)/2, z = c/2\nsolve t = 0 .. 1\n"
                              "output speed = sqrt(x'^2 + y'^2 + z'^2)\n";
    const Solution s = solved(model, {.rtol = 1e-8, .atol = 1e-10}),
                   tight = solved(model, {.rtol = 1e-12, .atol = 1e-13});
    EXPECT_EQ(s.ends.unknowns, 2);
    EXPECT_EQ(s.ends.conditions, 2);
    for (const char* name : {"y'", "z'"}) EXPECT_NEAR(first(s, name), first(tight, name), 1e-7) << name;
    const std::vector<double> speed = tight.column("speed");
    for (const double v : speed) EXPECT_NEAR(v, speed[0], 1e-10); // a geodesic has constant speed
    // shorter than the way along the coordinate curves
    EXPECT_LT(speed[0], 4.4);
    EXPECT_GT(speed[0], std::sqrt(9 + 3 + 0.25)); // and longer than the straight line
}

// x'' = -k x, x(0) = x(pi) = 0, x'(0) = 1: k = 1, 4, 9, …
TEST(Ends, FindEigenvalues) {
    const auto eigenvalue = [](const std::string& guess) {
        return solved("parameter k = " + guess +
                          "\nunknown x\nx'' = -k*x\nstart x = 0, x' = 1\nend x = 0\nfree k\n"
                          "solve t = 0 .. pi\n",
                      accurate())
            .ends.parameters[0]
            .value;
    };
    EXPECT_NEAR(eigenvalue("1.3"), 1, 1e-9);
    EXPECT_NEAR(eigenvalue("3.7"), 4, 1e-9);
}

TEST(Ends, FindThePeriodOfALimitCycle) {
    const Solution s = solved("parameter T = 6.5\nunknown x\nx'' = (1 - x^2)*x' - x\nguess x = 2, x' = 0.1\n"
                              "periodic x, x'\nfree T\nsolve t = 0 .. T\n",
                              accurate(1e-9));
    EXPECT_NEAR(s.ends.parameters[0].value, 6.66328685933, 1e-8); // van der Pol, mu = 1
    EXPECT_NEAR(first(s, "x"), last(s, "x"), 1e-8);
    ASSERT_EQ(s.ends.multipliers.size(), 2U);
    EXPECT_NEAR(s.ends.multipliers[0].re, 1, 1e-7);
    EXPECT_TRUE(has(s.ends.multipliers[0].trivial, "the direction of the flow"));
    EXPECT_NEAR(s.ends.multipliers[1].re, 8.5970e-4, 1e-7);
    EXPECT_TRUE(s.ends.multipliers[1].trivial.empty());
}

// Three bodies on one curve, from a guess with one digit. It may be moved and turned: its energy and its momenta say
// which one it is. Simo's start values have the energy -1.28714199 and the period 6.32591398; it scales with T^(-2/3).
TEST(Ends, FindTheFigureEightOfThreeBodies) {
    const std::string model =
        "unknown r[3,2]\nfor i = 1..3, k = 1..2:\n    r[i,k]'' = sum(j = 1..3, j != i, (r[j,k] - r[i,k])/((r[j,1] - "
        "r[i,1])^2 + (r[j,2] - r[i,2])^2)^1.5)\nguess r[1,1] = 1, r[1,2] = -0.2, r[2,1] = -1, r[2,2] = 0.2, r[3,1] = "
        "0\n"
        "guess r[1,1]' = 0.5, r[1,2]' = 0.4, r[2,1]' = 0.5, r[2,2]' = 0.4, r[3,1]' = -0.9, r[3,2]' = -0.9\n"
        "periodic r, r'\nsolve t = 0 .. 2*pi\noutput E = sum(i = 1..3, r[i,1]'^2 + r[i,2]'^2)/2 - sum(i = 1..3, sum(j "
        "= "
        "1..3, j < i, 1/sqrt((r[j,1] - r[i,1])^2 + (r[j,2] - r[i,2])^2)))\n"
        "output L = sum(i = 1..3, r[i,1]*r[i,2]' - r[i,2]*r[i,1]')\n";
    const Solution s = solved(model, {.rtol = 1e-9, .atol = 1e-10});
    const double scaled = -1.28714199 * std::pow(6.32591398 / (2 * std::numbers::pi), 2.0 / 3);
    EXPECT_NEAR(first(s, "E"), scaled, 2e-5); // of the eight digits of the start values
    EXPECT_NEAR(first(s, "L"), 0, 1e-6);
    EXPECT_EQ(s.ends.unknowns, 12);
    EXPECT_GT(s.ends.dependent, 0); // momenta and energy are conserved
    for (const std::string& name : s.names) EXPECT_NEAR(first(s, name), last(s, name), 1e-8) << name;
    for (const EndsSummary::Multiplier& m : s.ends.multipliers)
        EXPECT_NEAR(std::hypot(m.re, m.im), 1, 1e-4); // it is stable
}

// The orbit moved, turned and shifted in time is one as well: the one nearest to the guess does not depend on the
// tolerances, and the way to the guess is perpendicular to what those do.
TEST(Ends, TakeTheOrbitNearestToTheGuess) {
    const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/figure_eight.ves");
    const Solution rough = solve(model, {.rtol = 1e-6, .atol = 1e-8}), fine = solve(model, accurate(1e-12));
    for (const std::string& name : fine.names) EXPECT_NEAR(first(rough, name), first(fine, name), 2e-6) << name;
    const std::vector<double> guess{1, -0.2, -1, 0.2, 0, 0}, speed{0.5, 0.4, 0.5, 0.4, -0.9, -0.9};
    double turned = 0, shifted = 0, moved = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k) {
            const auto at = [&](int body, int axis, const char* dot) {
                return first(fine, "r[" + std::to_string(body + 1) + "," + std::to_string(axis + 1) + "]" + dot);
            };
            const auto j = static_cast<std::size_t>(2 * i + k);
            const double du = guess[j] - at(i, k, ""), dv = speed[j] - at(i, k, "'"), sign = k == 0 ? -1 : 1;
            double pull = 0;
            for (int b = 0; b < 3; ++b)
                if (b != i)
                    pull += (at(b, k, "") - at(i, k, "")) /
                            std::pow(std::hypot(at(b, 0, "") - at(i, 0, ""), at(b, 1, "") - at(i, 1, "")), 3);
            turned += sign * (du * at(i, 1 - k, "") + dv * at(i, 1 - k, "'"));
            shifted += du * at(i, k, "'") + dv * pull;
            moved += k == 0 ? du : 0;
        }
    EXPECT_NEAR(turned, 0, 1e-9);
    EXPECT_NEAR(shifted, 0, 1e-9);
    EXPECT_NEAR(moved, 0, 1e-9);
    // and so it is with one equation: the nearest point of the limit cycle
    const std::string cycle = "parameter T = 6.5\nunknown x\nx'' = (1 - x^2)*x' - x\nguess x = 2.3, x' = 0.4\n"
                              "periodic x, x'\nfree T\nsolve t = 0 .. T\n";
    const Solution c = solved(cycle, accurate(1e-10));
    const double x = first(c, "x"), v = first(c, "x'");
    EXPECT_NEAR((2.3 - x) * v + (0.4 - v) * ((1 - x * x) * v - x), 0, 1e-8);
}

// Where it starts and what its parameters are, of each model with values at both ends: with its own tolerances and with
// loose ones against a run at 1e-12.
TEST(Ends, AreRightToTheirTolerances) {
    for (const std::string name : {"optimal_control_ends", "bratu", "bratu_upper", "troesch", "ellipsoid_geodesic",
                                   "pendulum_upright", "mathieu", "figure_eight"}) {
        const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + name + ".ves");
        const EndsSummary right = solve(model, accurate(1e-12)).ends;
        for (const SolveOptions& o : {SolveOptions{}, SolveOptions{.rtol = 1e-6, .atol = 1e-8}}) {
            const EndsSummary e = solve(model, o).ends;
            const double rtol = o.rtol.value_or(1e-9), atol = o.atol.value_or(1e-10); // the loosest of the models
            EXPECT_LE(e.error, 1) << name;
            ASSERT_EQ(e.start.size(), right.start.size()) << name;
            for (std::size_t k = 0; k < e.start.size(); ++k)
                EXPECT_NEAR(e.start[k].value, right.start[k].value, atol + rtol * std::abs(right.start[k].value))
                    << name << ' ' << e.start[k].name;
            for (std::size_t k = 0; k < e.parameters.size(); ++k)
                EXPECT_NEAR(e.parameters[k].value, right.parameters[k].value,
                            atol + rtol * std::abs(right.parameters[k].value))
                    << name << ' ' << e.parameters[k].name;
        }
    }
}

// Mathieu's equation by another program, with 22 digits: half the trace of its monodromy.
TEST(Ends, HaveMathieusMultipliers) {
    const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/mathieu.ves");
    const EndsSummary e = solve(model).ends;
    ASSERT_EQ(e.multipliers.size(), 2U);
    for (const EndsSummary::Multiplier& m : e.multipliers) {
        EXPECT_NEAR(m.re, -0.89331955229308727351, 1e-12);
        EXPECT_NEAR(std::abs(m.im), 0.44942204829189022798, 1e-12);
    }
}

// x'' + a x = 0: exp(+-i sqrt(a) T)
TEST(Ends, HaveTheMultipliersOfLinearEquations) {
    const Solution s = solved("unknown x\nx'' = -2*x\nperiodic x, x'\nsolve t = 0 .. 1\n", accurate(1e-11));
    ASSERT_EQ(s.ends.multipliers.size(), 2U);
    EXPECT_NEAR(s.ends.multipliers[0].re, std::cos(std::numbers::sqrt2), 1e-10);
    EXPECT_NEAR(std::abs(s.ends.multipliers[0].im), std::sin(std::numbers::sqrt2), 1e-10);
}

TEST(Ends, CountOnTheManifold) {
    const std::string few = refusal([] { solved("unknown x\nx'' = -x\nend x = 1\nsolve t = 0 .. 1\n"); });
    EXPECT_TRUE(has(few, "one condition is too few"));
    EXPECT_TRUE(has(few, "2 numbers are left free"));
    SolveOptions o = accurate();
    o.throw_on_failure = false;
    const Solution many = solved("unknown x\nx'' = -x\nstart x = 0\nend x = 1, x' = 1\nsolve t = 0 .. 1\n", o);
    EXPECT_EQ(many.status, Status::failed);
    EXPECT_TRUE(has(many.message, "one condition is too many: 2 conditions at the end"));
    EXPECT_TRUE(has(many.message, "x at the end is off by"));
    EXPECT_TRUE(has(many.message, "pieces that do not meet: they are up to")); // so that small residuals mean nothing
    const std::string loose =
        refusal([] { solved("parameter k = 1\nunknown x\nx' = -k*x\nstart x = 1\nfree k\nsolve t = 0 .. 1\n"); });
    EXPECT_TRUE(has(loose, "nothing is asked of the end"));
}

// The energy at the end is that at the start: x' follows from x, and is no condition too many.
TEST(Ends, RecogniseConditionsThatFollowFromOthers) {
    const Solution s = solved("unknown x\nx'' = -x\ninvariant x'^2 + x^2\nguess x' = 1\nperiodic x, x'\n"
                              "solve t = 0 .. 2*pi\n",
                              accurate(1e-9));
    EXPECT_EQ(s.status, Status::success);
    EXPECT_GT(s.ends.dependent, 0);
    EXPECT_TRUE(has(s.notes.back(), "follow"));
}

TEST(Ends, SayWhatWasReachedWhereTheyAreNotMet) {
    // c above 3.5138: no solution
    SolveOptions o = accurate(1e-7);
    o.throw_on_failure = false;
    const Solution s =
        solved("unknown y\ny'' = -4*exp(y)\nstart y = 0\nguess y' = 1\nend y = 0\nsolve t = 0 .. 1\n", o);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, "no curve with these values at its ends was found"));
    EXPECT_TRUE(has(s.message, "--homotopy"));
}

TEST(Ends, FollowAHomotopy) {
    SolveOptions o = accurate(1e-8);
    o.homotopy = {{"mu", 1}};
    const std::string model =
        "parameter mu = 8\nunknown y\ny'' = mu*sinh(mu*y)\nstart y = 0\nend y = 1\nsolve t = 0 .. 1\n";
    const Solution s = solved(model, o);
    EXPECT_GT(s.ends.homotopy_steps, 0);
    EXPECT_NEAR(first(s, "y'"), first(solved(model, accurate(1e-8)), "y'"), 1e-9);
    o.homotopy = {{"nu", 1}};
    EXPECT_TRUE(has(refusal([&] { solved(model, o); }), "'nu' is no parameter"));
    EXPECT_TRUE(
        has(refusal([&] { solved("unknown x\nx' = 1\nstart x = 0\nsolve t = 0 .. 1\n", {.homotopy = {{"a", 1}}}); }),
            "has no values at its end"));
}

TEST(Ends, AreStatementsOfCppModels) {
    Model model("sine");
    Expr x = model.unknown("x"), k = model.parameter("k", 1.2);
    model.equation(der(x, 2) == -k * x);
    model.start(x == 0);
    model.start(der(x) == 1);
    model.end(x == 0);
    model.free(k);
    model.interval(0, std::numbers::pi);
    EXPECT_NEAR(solve(model, accurate()).ends.parameters[0].value, 1, 1e-9);
}

TEST(Ends, BelongToAProblemThatIsSolvedManyTimes) {
    const Problem problem(
        Model::parse("parameter a = 1\nunknown x\nx'' = -x\nstart x = 0\nend x = a\nsolve t = 0 .. 1\n"), accurate());
    for (const double a : {1.0, 2.0, -3.0})
        EXPECT_NEAR(first(problem.solve({.parameters = {{"a", a}}}), "x'"), a / std::sin(1.0), 1e-9);
    EXPECT_TRUE(has(refusal([&] { problem.begin(); }), "has conditions at both ends"));
}

TEST(Ends, AreRefusedInWordsOfTheModel) {
    const auto text = [](const std::string& lines) {
        return refusal(
            [&] { solved("parameter k = 1\nunknown x\nx'' = -k*x\nstart x = 0\nsolve t = 0 .. 1\n" + lines); });
    };
    EXPECT_TRUE(has(text("end y = 1\n"), "'y' is not a name of this model"));
    EXPECT_TRUE(has(text("end k = 1\n"), "'end' gives values to unknowns and their derivatives"));
    EXPECT_TRUE(has(text("end x = x\n"), "a value at the end cannot depend on the unknown 'x'"));
    EXPECT_TRUE(has(text("end x = 1, x = 2\n"), "given twice"));
    EXPECT_TRUE(
        has(text("end x = 1\nfree x\n"), "'free' names parameters that are to be found, but 'x' is an unknown"));
    EXPECT_TRUE(has(text("end x = 1\nfree k, k\n"), "'k' is free already"));
    EXPECT_TRUE(has(text("periodic k\n"), "'periodic' names unknowns and their derivatives"));
    EXPECT_TRUE(has(text("periodic x = 1\n"), "'periodic' takes names alone"));
    EXPECT_TRUE(has(text("end x'' = 1\n"), "is no value of a solution"));
}

// The words are not reserved.
TEST(Ends, LeaveTheirWordsToModels) {
    const Solution s = solved("parameter free = 2\nunknown end, periodic\nend' = -free*end\nperiodic' = end\n"
                              "start end = 1, periodic = 0\nsolve t = 0 .. 1\n",
                              accurate());
    EXPECT_NEAR(last(s, "end"), std::exp(-2.0), 1e-8);
}

} // namespace
} // namespace vessiot::ends_test
