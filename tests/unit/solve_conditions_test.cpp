// Conditions in solve(): where they switch is found to rounding, whatever they depend on and whatever the method is,
// and what cannot be followed is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "method/registry.hpp"
#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

using std::numbers::pi;
using test::has;
using test::refusal;

const SolveOptions quiet{.throw_on_failure = false};

Solution solved(const std::string& text, const SolveOptions& options = {}) {
    return solve(Model::parse(text), options);
}

double last(const Solution& s, const std::string& name) {
    return s.column(name).back();
}

SolveOptions tight(const std::string& method = "dop853") {
    SolveOptions o;
    o.method = method;
    o.rtol = 1e-12;
    o.atol = 1e-13;
    return o;
}

// ---- conditions of t alone ----

TEST(Conditions, APulseIsNotSteppedOver) {
    const std::string pulse = "unknown x\nx' = if(t > 42 and t < 42.01, 100, 0)\nstart x = 0\nsolve t = 0 .. 100\n";
    for (const method::MethodInfo& m : method::methods()) {
        SolveOptions o{.method = std::string(m.name)};
        if (m.family == method::Family::bdf) o.step = 0.3;
        if (m.order < 2 && m.family != method::Family::bdf) o.rtol = 1e-3;
        try {
            const Solution s = solved(pulse, o);
            EXPECT_NEAR(last(s, "x"), 1, 1e-9) << m.name;
        } catch (const InvalidInput& e) { // it does not fit
            EXPECT_TRUE(has(e.what(), "Methods that fit")) << m.name << ": " << e.what();
        }
    }
}

// sin(t) is not zero at any number, and has its old sign at the one next to pi.
TEST(Conditions, AZeroThatIsNoNumber) {
    for (const std::string method : {"dopri54", "radau5", "taylor", "ida"}) {
        SolveOptions o{.method = method, .max_steps = 1000};
        EXPECT_NEAR(last(solved("unknown y\ny' = sign(sin(t))\nstart y = 0\nsolve t = 0 .. 10\n", o), "y"), 4 * pi - 10,
                    1e-9)
            << method;
        EXPECT_NEAR(last(solved("unknown y\ny' = sign(sin(t))\nstart y = 0\nsolve t = 0 .. -10\n", o), "y"),
                    4 * pi - 10, 1e-9)
            << method;
    }
}

TEST(Conditions, SquareWavesOfAnyForm) {
    // y' = sign(sin(7 t)): a triangle; 22 whole halves of length pi/7 by t = 10
    const std::string wave = "unknown y\ny' = sign(sin(7*t))\nstart y = 0\nsolve t = 0 .. 10\n";
    const double rest = 10 - 22 * pi / 7;
    for (const std::string method : {"taylor", "dopri54", "radau5", "ida", "dae_radau5", "feagin108"})
        EXPECT_NEAR(last(solved(wave, {.method = method}), "y"), rest, 1e-10) << method;
    // up and down a thousand times
    const Solution s = solved("unknown x\nparameter T = 0.1\nx' = if(mod(t, T) < T/2, 1, -1)\nstart x = 0\n"
                              "solve t = 0 .. 100.02\n");
    EXPECT_NEAR(last(s, "x"), 0.02, 1e-11);
    EXPECT_LT(s.stats.steps, 2100);
    // a staircase, and back
    const std::string stairs = "unknown x\nx' = floor(t) + ceil(t)\nstart x = 0\n";
    EXPECT_NEAR(last(solved(stairs + "solve t = 0 .. 4.5\n"), "x"), 16 + 4.5, 1e-12);
    EXPECT_NEAR(last(solved(stairs + "solve t = 4.5 .. 0\n"), "x"), -16 - 4.5, 1e-12);
    EXPECT_NEAR(last(solved(stairs + "solve t = 0 .. -2.5\n"), "x"), 4 + 2.5, 1e-12);
}

// The error of a run with 1000 kinks against that of the same without any.
TEST(Conditions, AThousandKinksAreAsAccurateAsNone) {
    const std::string smooth = "unknown x, v\nx' = v\nv' = -x\nstart x = 0, v = 1\nsolve t = 0 .. 50\n";
    const std::string kinks =
        "unknown x, v\nx' = v*if(mod(t, 0.1) < 0.05, 2, 0)\nv' = -x*if(mod(t, 0.1) < 0.05, 2, 0)\n"
        "start x = 0, v = 1\nsolve t = 0 .. 50\n"; // time runs at double speed, half of the time
    for (const std::string method : {"dopri54", "tsit54", "dop853", "bs32", "radau5", "radau9", "rk4", "gauss4",
                                     "gauss6", "taylor", "dae_radau5", "dae_gauss4", "ida"}) {
        SolveOptions o{.method = method, .rtol = 1e-8, .atol = 1e-10};
        const double off =
            std::hypot(last(solved(smooth, o), "x") - std::sin(50.0), last(solved(smooth, o), "v") - std::cos(50.0));
        const Solution s = solved(kinks, o);
        const double found = std::hypot(last(s, "x") - std::sin(50.0), last(s, "v") - std::cos(50.0));
        EXPECT_LE(found, std::max((method == "ida" ? 20 : 4) * off, 1e-10)) << method;
    }
}

TEST(Conditions, ConditionsMayStandInConditions) {
    // |  |t - 3| - 1 | has kinks at 2, 3, 4
    const Solution s = solved("unknown x\nx' = abs(abs(t - 3) - 1)\nstart x = 0\nsolve t = 0 .. 6\n");
    EXPECT_NEAR(last(s, "x"), 2 + 2 * 0.5 + 2, 1e-13);
    const Solution n = solved("unknown x\nx' = if(t < 1, 1, if(mod(t, 2) < 1, if(t < 4.5, 3, 7), 5))\nstart x = 0\n"
                              "solve t = 0 .. 6\n");
    EXPECT_NEAR(last(n, "x"), 1 + 5 + 3 + 5 + (3 + 7) * 0.5 + 5, 1e-12);
    const Solution m = solved("unknown x\nx' = max(min(t, 2), 3 - t)\nstart x = 0\nsolve t = 0 .. 4\n");
    EXPECT_NEAR(last(m, "x"), (3 + 1.5) / 2 * 1.5 + (1.5 + 2) / 2 * 0.5 + 4, 1e-12);
}

TEST(Conditions, FamiliesOfThemInTime) {
    const Solution s = solved("parameter n = 100\nunknown x[n], y\nfor i = 1..n: x[i]' = if(t > i*0.037, 1, 0)\n"
                              "y' = sum(i = 1..n, if(t > i*0.037, 1, 0))\nstart y = 0\nfor i = 1..n: start x[i] = 0\n"
                              "solve t = 0 .. 5\n");
    double sum = 0;
    for (int i = 1; i <= 100; ++i) {
        EXPECT_NEAR(last(s, "x[" + std::to_string(i) + "]"), 5 - i * 0.037, 1e-11);
        sum += 5 - i * 0.037;
    }
    EXPECT_NEAR(last(s, "y"), sum, 1e-9);
}

TEST(Conditions, TheRunMayBeginAndEndOnASurface) {
    const std::string text = "unknown x\nx' = if(t >= 1, if(t < 2, 5, 1), 3)\nstart x = 0\n";
    EXPECT_NEAR(last(solved(text + "solve t = 1 .. 2\n"), "x"), 5, 1e-13);
    EXPECT_NEAR(last(solved(text + "solve t = 2 .. 1\n"), "x"), -5, 1e-13);
    EXPECT_NEAR(last(solved(text + "solve t = 1 .. 0\n"), "x"), -3, 1e-13);
    EXPECT_NEAR(last(solved(text + "solve t = 2 .. 3\n"), "x"), 1, 1e-13);
}

// ---- conditions of unknowns ----

// x'' = -sign(x): parabolas; a quarter of the period is sqrt(2).
double well(double t) {
    const double quarter = std::sqrt(2.0);
    t = std::fmod(t, 4 * quarter);
    const double side = t < quarter || t > 3 * quarter ? 1 : -1;
    const double s = t < quarter ? t : t > 3 * quarter ? t - 4 * quarter : t - 2 * quarter;
    return side * (1 - s * s / 2);
}

TEST(Conditions, ABallInAWellOfTwoSlopes) {
    for (const std::string force : {"x'' = -sign(x)", "x'' = if(x > 0, -1, 1)", "lagrangian x'^2/2 - abs(x)",
                                    "lagrangian x'^2/2 - max(x, -x)", "x'' = if(not (x < 0) and x != 0, -1, 1)"}) {
        const std::string text = "unknown x\n" + force + "\nstart x = 1, x' = 0\nsolve t = 0 .. 100\n";
        for (const std::string method : {"dopri54", "dop853", "radau5", "gauss4", "taylor", "rk4", "dae_radau5"})
            EXPECT_NEAR(last(solved(text, {.method = method, .rtol = 1e-9, .atol = 1e-11}), "x"), well(100), 1e-9)
                << force << method;
        EXPECT_NEAR(last(solved(text, {.method = "ida", .rtol = 1e-9, .atol = 1e-11}), "x"), well(100), 1e-5);
    }
    const std::string backward = "unknown x\nx'' = -sign(x)\nstart x = 1, x' = 0\nsolve t = 0 .. -100\n";
    EXPECT_NEAR(last(solved(backward), "x"), well(100), 1e-11);
}

TEST(Conditions, TheSameForEveryBackendAndInQuad) {
    const std::string text =
        "unknown x\nx'' = -sign(x)*exp(-x^2) - max(0, x - 0.7)\nstart x = 1, x' = 0\nsolve t = 0 .. 20\n";
    SolveOptions o = tight();
    o.backend = "interpreter";
    const Solution a = solved(text, o);
    o.backend = "jit";
    const Solution b = solved(text, o);
    EXPECT_EQ(last(a, "x"), last(b, "x"));
    EXPECT_EQ(a.stats.steps, b.stats.steps);
    o.precision = "quad";
    o.backend = "auto";
    o.rtol = 1e-20;
    o.atol = 1e-22;
    EXPECT_NEAR(last(a, "x"), last(solved(text, o), "x"), 1e-10);
}

TEST(Conditions, ConstantStepsKeepTheirGridAndTheirOrder) {
    const std::string text = "unknown x\nx'' = -x - 3*max(0, x - 0.3)^2 - if(x' > 0.2, 0.3, 0)\nstart x = 1, x' = 0\n"
                             "solve t = 0 .. 6\n";
    const double exact = last(solved(text, tight()), "x");
    for (const auto& [method, order] :
         {std::pair{"rk4", 4.0}, {"gauss4", 4.0}, {"rk2", 2.0}, {"implicit_midpoint", 2.0}}) {
        const auto error = [&](double h) {
            const Solution s = solved(text, {.method = method, .step = h});
            EXPECT_NEAR(s.t[s.t.size() - 2], 6 - h, 1e-12);
            return std::fabs(last(s, "x") - exact);
        };
        const double measured = std::log2(error(0.04) / error(0.01)) / 2;
        EXPECT_GT(measured, order - 0.4) << method;
    }
    const std::string mechanical = "unknown x\nlagrangian x'^2/2 - x^2/2 - max(0, x - 0.3)^3\nstart x = 1, x' = 0\n"
                                   "solve t = 0 .. 6\n";
    const double turn = last(solved(mechanical, tight()), "x");
    for (const auto& [method, order] :
         {std::pair{"rattle", 2.0}, {"rattle4", 4.0}, {"lobatto3ab", 4.0}, {"verlet", 2.0}}) {
        const auto error = [&](double h) {
            return std::fabs(last(solved(mechanical, {.method = method, .step = h}), "x") - turn);
        };
        EXPECT_GT(std::log2(error(0.04) / error(0.01)) / 2, order - 0.4) << method;
    }
}

TEST(Conditions, AHundredOscillatorsWithStops) {
    // each is a half of a slow and a half of a fast oscillation: closed forms
    const Solution s = solved("parameter n = 100\nunknown x[n], v[n]\nfor i = 1..n:\n    x[i]' = v[i]\n"
                              "    v[i]' = -if(x[i] > 0, 1, 4)*(1 + i/50)^2*x[i]\n    start x[i] = 0, v[i] = 1\n"
                              "solve t = 0 .. 10\n",
                              tight());
    for (int i = 1; i <= 100; ++i) {
        const double w = 1 + i / 50.0, period = pi / w + pi / (2 * w);
        const double t = std::fmod(10, period);
        const double x = t < pi / w ? std::sin(w * t) / w : -std::sin(2 * w * (t - pi / w)) / (2 * w);
        EXPECT_NEAR(last(s, "x[" + std::to_string(i) + "]"), x, 1e-9) << i;
    }
}

TEST(Conditions, SurfacesThatWereFarForLong) {
    // x = e^(t/20) sin(t) passes one level after the other; z adds up how long it is above each
    constexpr double end = 60;
    const auto x = [](double t) { return std::exp(t / 20) * std::sin(t); };
    double expected = 0;
    for (int i = 1; i <= 24; ++i) {
        const double step = 1e-3;
        for (double t = 0; t < end; t += step) {
            double a = t, b = std::min(t + step, end);
            const bool is_above = x(a) > 0.8 * i, is_same = is_above == (x(b) > 0.8 * i);
            if (is_same && is_above) expected += b - a;
            if (is_same) continue;
            const double whole[] = {a, b};
            while (b - a > 1e-14 * end) ((x((a + b) / 2) > 0.8 * i) == is_above ? a : b) = (a + b) / 2;
            expected += is_above ? a - whole[0] : whole[1] - a;
        }
    }
    const std::string text = "unknown x, v, z\nx' = x/20 + v\nv' = v/20 - x\n"
                             "z' = sum(i = 1..24, if(x > 0.8*i, 1, 0))\nstart x = 0, v = 1, z = 0\n"
                             "solve t = 0 .. 60\n";
    for (const std::string method : {"dop853", "taylor", "radau9"})
        EXPECT_NEAR(last(solved(text, tight(method)), "z"), expected, 2e-8) << method;
    EXPECT_NEAR(last(solved(text, {.method = "dopri54", .rtol = 1e-10, .atol = 1e-10}), "z"), expected, 1e-6);
}

TEST(Conditions, AConditionThatSwitchesManyTimesInAStep) {
    // x = t, and 200 switchings on the way: steps of the smooth parts are long
    const std::string wave = "unknown x, y\nx' = 1\ny' = sign(sin(20*x))\nstart x = 0, y = 0\nsolve t = 0 .. 31.5\n";
    const double rest = std::fmod(31.5, pi / 10); // up and down again
    for (const std::string method : {"dopri54", "taylor", "radau5", "dop853"})
        EXPECT_NEAR(last(solved(wave, {.method = method}), "y"), rest < pi / 20 ? rest : pi / 10 - rest, 1e-9)
            << method;
}

TEST(Conditions, SeveralSurfacesAtOnePoint) {
    // both cross zero at t = 1, and a third one in t is there, too
    const Solution s =
        solved("unknown x, y, z\nx' = 1\ny' = 1\nz' = if(x > 0, 1, 0)*if(y > 0, 2, 1) + if(t > 1, 10, 0)\n"
               "start x = -1, y = -1, z = 0\nsolve t = 0 .. 3\n");
    EXPECT_NEAR(last(s, "z"), 4 + 20, 1e-12);
}

TEST(Conditions, ATouchIsNoCrossing) {
    // x = sin(t) never passes 1
    const Solution s = solved("unknown x, v, z\nx' = v\nv' = -x\nz' = max(0, x - 1)\nstart x = 0, v = 1, z = 0\n"
                              "solve t = 0 .. 20\n",
                              tight());
    EXPECT_NEAR(last(s, "z"), 0, 1e-12);
    EXPECT_NEAR(last(s, "x"), std::sin(20.0), 1e-10);
    // what touches nothing changes nothing
    const std::string free = "unknown x, v\nx' = v\nv' = -x\nstart x = 0, v = 1\nsolve t = 0 .. 20\n";
    const std::string stop = "unknown x, v\nx' = v\nv' = -x + max(0, x - 2)\nstart x = 0, v = 1\nsolve t = 0 .. 20\n";
    EXPECT_EQ(solved(free).stats.steps, solved(stop).stats.steps);
    EXPECT_EQ(solved(free).stats.direction_evaluations, solved(stop).stats.direction_evaluations);
}

TEST(Conditions, ABranchWithoutValueBehindItsSurface) {
    const std::string tank = "unknown x\nx' = if(x > 0, -sqrt(x), 0)\nstart x = 1\nsolve t = 0 .. 4\n"; // empty at 2
    for (const std::string method : {"dopri54", "radau5", "taylor"}) {
        const Solution s = solved(tank, {.method = method, .rtol = 1e-8});
        EXPECT_NEAR(last(s, "x"), 0, 1e-9) << method;
    }
    const Solution s =
        solved("unknown x, y\nx' = -1\ny' = if(x > 0, sqrt(x), 2)\nstart x = 1, y = 0\nsolve t = 0 .. 4\n");
    EXPECT_NEAR(last(s, "y"), 2.0 / 3 + 6, 1e-6);
}

TEST(Conditions, AStartOnASurface) {
    // to either side, and to rest
    const std::string text = "unknown x\nx'' = -sign(x)\nsolve t = 0 .. 1\n";
    EXPECT_NEAR(last(solved(text + "start x = 0, x' = 1\n"), "x"), 0.5, 1e-13);
    EXPECT_NEAR(last(solved(text + "start x = 0, x' = -1\n"), "x"), -0.5, 1e-13);
    EXPECT_EQ(last(solved(text + "start x = 0, x' = 0\n"), "x"), 0);
    // with a rate of zero
    EXPECT_NEAR(last(solved("unknown x\nx'' = if(x > 0, 3, 1)\nstart x = 0, x' = 0\nsolve t = 0 .. 1\n"), "x"), 1.5,
                1e-12);
}

// ---- constraints ----

TEST(Conditions, AlgebraicUnknownsMayJump) {
    const std::string text = "unknown x, y\nx' = y\ny = if(x > 1, 3, 1)\nstart x = 0\nsolve t = 0 .. 2\n";
    for (const std::string method : {"dopri54", "radau5", "ida", "dae_radau5"}) {
        const Solution s = solved(text, {.method = method});
        EXPECT_NEAR(last(s, "x"), 4, 1e-6) << method;
        EXPECT_NEAR(s(0.5)[1], 1, 1e-12) << method; // along the curve, too
        EXPECT_NEAR(s(1.5)[1], 3, 1e-12) << method;
    }
    const Solution n =
        solved("unknown x, y\nx' = 1\ny^3 + y = if(x > 1, 10, 2)\nstart x = 0, y = 1\nsolve t = 0 .. 2\n");
    EXPECT_NEAR(last(n, "y"), 2, 1e-9);
}

TEST(Conditions, AConstraintThatJumpsIsSaid) {
    const Solution s = solved("unknown x, u\nx' = u\nx = floor(t) + t\nstart x = 0\nsolve t = 0 .. 3.5\n", quiet);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, "t = 1: a constraint jumps where a condition switches")) << s.message;
    EXPECT_TRUE(has(s.message, "x = floor(t) + t")) << s.message;
    // of index 3: the speed would have to jump
    const Solution v = solved("unknown x, u\nx'' = u\nx = abs(t - 1)\nstart x = 1, x' = -1\nsolve t = 0 .. 2\n", quiet);
    EXPECT_EQ(v.status, Status::failed);
    EXPECT_TRUE(has(v.message, "jumps")) << v.message;
    // a kink of index 2 is none
    EXPECT_NEAR(last(solved("unknown x, u\nx' = u\nx = abs(t - 1)\nstart x = 1\nsolve t = 0 .. 2\n"), "u"), 1, 1e-12);
}

// A corner of a position constraint asks for another velocity: nobody said which.
TEST(Conditions, ACornerOfAPositionConstraintIsSaidByEveryMethod) {
    const std::string text = "unknown x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint y = abs(x) + 0.5\n"
                             "start x = -1, x' = 1\nsolve t = 0 .. 3\n";
    for (const std::string method : {"dop853", "radau5", "taylor", "rattle", "ida", "dae_radau1", "dae_radau3",
                                     "dae_radau5", "dae_radau9", "dae_radau"}) {
        const Solution s = solved(text, {.method = method, .throw_on_failure = false});
        EXPECT_EQ(s.status, Status::failed) << method;
        EXPECT_TRUE(has(s.message, "a constraint jumps where a condition switches")) << method << s.message;
        EXPECT_TRUE(has(s.message, "hidden: the derivative of equation 1 (y = abs(x) + 0.5)")) << method << s.message;
        EXPECT_NEAR(s.t.back(), 1, 1e-3) << method;
    }
    const Solution constant = solved(text, {.method = "bdf2", .step = 0.0125, .throw_on_failure = false});
    EXPECT_EQ(constant.status, Status::failed);
    // one of index 2 asks for another velocity of what has none of its own
    const std::string kink = "unknown x, u\nx' = u\nx = abs(t - 1)\nstart x = 1\nsolve t = 0 .. 2\n";
    for (const std::string method : {"dae_radau5", "dae_radau"}) {
        const Solution s = solved(kink, {.method = method});
        EXPECT_NEAR(last(s, "u"), 1, 1e-9) << method;
        EXPECT_NEAR(s(1.001)[1], 1, 1e-6) << method;
        EXPECT_LT(s.constraint_residual_max, 1e-6) << method;
        EXPECT_TRUE(s.notes.empty()) << s.notes.front();
    }
}

// A multiplier jumps with the force, which only hidden constraints say.
TEST(Conditions, WhatHiddenConstraintsDetermineJumpsWithThem) {
    const std::string text =
        "unknown x, y, lambda\nx'' = -lambda*x + if(t > 0.5, 5, 0)\ny'' = -lambda*y - 9.81 + "
        "if(x < 0.8, 20, 0)\nx^2 + y^2 = 1\nstart x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n";
    const Solution exact = solved(text, tight());
    for (const std::string method : {"dae_radau5", "dae_radau9"}) {
        const Solution s = solved(text, {.method = method, .rtol = 1e-8, .atol = 1e-10});
        for (const double t : {0.4, 0.5005, 0.501, 0.51, 0.6}) EXPECT_NEAR(s(t)[4], exact(t)[4], 0.02) << method << t;
    }
}

TEST(Conditions, APendulumWithFriction) {
    const std::string text =
        "unknown x, y, lambda\nx'' = -lambda*x - 0.1*sign(x')\ny'' = -lambda*y - 9.81 - 0.1*sign(y')\n"
        "x^2 + y^2 = 1\nstart x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 2\n";
    const double exact = last(solved(text, tight()), "x");
    for (const std::string method : {"dopri54", "radau5", "taylor", "rk4"})
        EXPECT_NEAR(last(solved(text, {.method = method, .rtol = 1e-9, .atol = 1e-11}), "x"), exact, 1e-7) << method;
}

TEST(Conditions, TheConstraintsMayHaveCorners) {
    // once around |x| + |y| = 1 with speed 1 in x
    const Solution s =
        solved("unknown x, y\nabs(x) + abs(y) = 1\ny' = sign(x)\nstart x = 1, y = 0\nsolve t = 0 .. 0.5\n", quiet);
    EXPECT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "x"), 0.5, 1e-9);
}

// Where an algebraic equation jumps its unknown stays on its branch: from y = 0.9 on y^3 - 3 y = c, y in -1 .. 1.
TEST(Conditions, AlgebraicUnknownsStayOnTheirBranch) {
    const auto text = [](const std::string& c) {
        return "unknown x, y\nx' = 1\ny^3 - 3*y = if(x > 1, " + c +
               ", -1.971)\nstart x = 0, y = 0.9\nsolve t = 0 .. 2\n";
    };
    for (const std::string method : {"dop853", "radau5", "taylor", "dae_radau5"})
        EXPECT_NEAR(last(solved(text("1.8"), {.method = method}), "y"), -0.7293, 1e-4) << method;
    const Solution lost = solved(text("3"));
    EXPECT_NEAR(last(lost, "y"), 2.1038, 1e-4);
    ASSERT_FALSE(lost.notes.empty());
    EXPECT_TRUE(has(lost.notes.back(), "no continuation")) << lost.notes.back();
}

// ---- functions of the language that are not smooth ----

// p' = f(a(t)) along x = cos t, y = sin t: the same with conditions of t alone and with those of unknowns.
TEST(Conditions, EveryFunctionThatJumpsOrHasACorner) {
    struct Case {
        std::string formula;
        double exact;
    };
    const double rest = 10 - 2 * pi; // of a turn
    const double angle = rest < pi ? rest * rest / 2 : pi * pi / 2 + ((rest - 2 * pi) * (rest - 2 * pi) - pi * pi) / 2;
    const double half = 10 - 3 * pi, s = std::sin(10);
    const std::vector<Case> cases = {
        {"atan2(Y, X)", angle},
        {"atan2(-Y, -X)", -pi * pi / 2 + half * half / 2},
        {"atan2(Y, -1)", 0},
        {"abs(X)", 6 - s},
        {"sign(X)", 3 * pi - 10},
        {"min(X, Y)", 0},
        {"max(X, 0)", 0},
        {"floor(1.5*X)", 0},
        {"ceil(1.5*X)", 0},
        {"mod(X, 0.4)", 0},
        {"if(X > 0.25 and not (Y <= 0), 1, -2)", 0},
        {"hypot(X, Y - 0.5)", 0},
        {"sqrt(abs(X) + 0.1)", 0},
        {"cbrt(X + 2)", 0},
    };
    for (const Case& f : cases) {
        const auto with = [&](const std::string& x, const std::string& y) {
            std::string text = f.formula;
            const auto replace = [&](const std::string& from, const std::string& to) {
                for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
                    text.replace(at, from.size(), to);
            };
            replace("X", x);
            replace("Y", y);
            return "unknown x, y, p\nx' = -y\ny' = x\np' = " + text +
                   "\nstart x = 1, y = 0, p = 0\nsolve t = 0 .. 10\n";
        };
        // of t alone, where switchings are known ahead
        const double exact = last(solved(with("cos(t)", "sin(t)"), tight()), "p");
        if (f.exact != 0) {
            EXPECT_NEAR(exact, f.exact, 1e-10) << f.formula;
        }
        for (const std::string method : {"dop853", "radau5", "gauss4", "taylor", "ida"}) {
            const Solution of_time =
                solved(with("cos(t)", "sin(t)"), {.method = method, .rtol = 1e-8, .atol = 1e-10, .max_steps = 20000});
            EXPECT_NEAR(last(of_time, "p"), exact, 2e-6) << f.formula << ' ' << method;
            const Solution of_unknowns =
                solved(with("x", "y"), {.method = method, .rtol = 1e-8, .atol = 1e-10, .max_steps = 20000});
            EXPECT_NEAR(last(of_unknowns, "p"), exact, 4e-6) << f.formula << ' ' << method;
        }
    }
}

// In the general form y' is a coordinate that jumps where the condition switches, by less than what a method of order 1
// without projection has drifted away by then.
TEST(Conditions, AJumpIsSeenBesideDrift) {
    SolveOptions o{.method = "gps", .formulation = "general"};
    o.step = 0.001;
    const Solution s = solved("unknown y\ny' = if(t < 1, 1 + sin(5*t), 0.98 + sin(5*t))\nstart y = 0.5\n"
                              "solve t = 0 .. 2\n",
                              o);
    EXPECT_NEAR(last(s, "y"), 0.5 + 1 + 0.98 + (1 - std::cos(10)) / 5, 0.01);
}

// A line from 0: nothing but the interval says how long the first step of a curve may be.
TEST(Conditions, AreMetOnTheFirstStepOfACurve) {
    SolveOptions o{.parametrisation = "arclength"};
    const Solution s =
        solved("unknown y, z\ny' = 1\nz + y = if(t < 0.3, 0, 0.8)\nstart y = 0\nsolve t = 0 .. 0.5\n", o);
    EXPECT_LT(s.stats.rejected, 10);
    for (std::size_t k = 0; s.t[k] < 0.3; ++k) EXPECT_NEAR(s.column("z")[k], -s.t[k], 1e-9) << s.t[k];
    EXPECT_NEAR(last(s, "z"), 0.3, 1e-9);
}

// Both conditions switch at the same time up to round-off: neither is lost, whichever comes first.
TEST(Conditions, OfTimeAndOfAnUnknownSwitchTogether) {
    const std::string known = "0.3*t + 0.3*t^2 - 0.8";
    for (const auto* method : {"dae_radau5", "dae_radau9", "radau5", "dopri54"}) {
        const Solution s = solved("unknown y\ny' = 0.6*t + 0.3 + if(" + known + " > -0.3, 0, " + known +
                                      ") - if(y > -0.3, 0, y)\nstart y = -0.8\nsolve t = 0 .. 2.4\n",
                                  {.method = method});
        EXPECT_NEAR(last(s, "y"), 1.648, 1e-5) << method;
    }
}

// ---- sliding modes ----

TEST(Conditions, ASurfaceThatIsPassedByLittle) {
    // x = 1 - (t - 1)^2 is above 1 - 1e-6 for 0.002; steps of 0.05 end at its top
    const std::string hill = "unknown x, y\nx'' = -2\ny' = if(x > 0.999999, 1, 0)\nstart x = 0, x' = 2, y = 0\n"
                             "solve t = 0 .. 2\n";
    for (const std::string method : {"gauss4", "rk4", "dop853"})
        for (const double step : {0.05, 0.07}) {
            SolveOptions o{.method = method};
            o.step = step;
            EXPECT_NEAR(last(solved(hill, o), "y"), 0.002, 1e-8) << method << " " << step;
        }
    EXPECT_NEAR(last(solved(hill, {.method = "dopri54"}), "y"), 0.002, 1e-8);
}

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

TEST(Conditions, AnInvariantIsWatchedOnEverySide) {
    const std::string pulse = "unknown x, y\nx' = y\ny' = -x + if(t > 1.5 and t < 1.6, 0.01, 0)\ninvariant x^2 + y^2\n"
                              "start x = 0, y = 1\nsolve t = 0 .. 2\n";
    const std::string ticks = "discrete c = 0\nunknown x, y\nx' = y\ny' = -x - 0.5*max(t - 1, 0)*y\n"
                              "invariant x^2 + y^2\nstart x = 1, y = 0\nsolve t = 0 .. 5\n"
                              "event tick: every 0.05 then c = c + 1\n";
    for (const std::string& text : {pulse, ticks})
        for (const std::string method : {"gauss6", "dop853", "radau5", "ida"}) {
            SolveOptions o = quiet;
            o.method = method;
            const Solution s = solved(text, o);
            EXPECT_NE(s.status, Status::success) << method;
            EXPECT_TRUE(has(s.message, "is not conserved")) << method << ": " << s.message;
        }
}

TEST(Conditions, AConstraintOfWhichAllTermsVanishThere) {
    // y = max(x, 0)^2 has a continuous derivative: the speed along the curve is kept
    const std::string text = "unknown x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint y = max(x, 0)^2\n"
                             "start x = -1, x' = 1\nsolve t = 0 .. 2\n";
    for (const std::string method : {"dopri54", "radau5", "taylor"}) {
        const Solution s = solved(text, {.method = method, .rtol = 1e-9});
        EXPECT_NEAR(std::hypot(last(s, "x'"), last(s, "y'")), 1, 1e-7) << method;
        const double x = last(s, "x"); // the length of the parabola is 1
        EXPECT_NEAR(x * std::sqrt(1 + 4 * x * x) / 2 + std::asinh(2 * x) / 4, 1, 1e-7) << method;
    }
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

TEST(Conditions, ASlidingModeIsNamedAtOnce) {
    const Solution s = solved("unknown x\nx' = -sign(x) + 0.5\nstart x = 1\nsolve t = 0 .. 10\n", quiet);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, "t = 2: a sliding mode at the condition sign(x)")) << s.message;
    EXPECT_LT(s.stats.steps + s.stats.rejected, 1000);
    // a block that comes to rest by friction
    const Solution f = solved("unknown x\nx'' = -x - 0.3*sign(x')\nstart x = 2, x' = 0\nsolve t = 0 .. 100\n", quiet);
    EXPECT_EQ(f.status, Status::failed);
    EXPECT_TRUE(has(f.message, "t = 9.4247") && has(f.message, "sliding mode at the condition sign(x')")) << f.message;
    EXPECT_NEAR(last(f, "x"), -0.2, 1e-5);
    const Solution c = solved("unknown x\nx' = if(x > 1, -1, 1)\nstart x = 0\nsolve t = 0 .. 10\noption step = 0.03\n"
                              "option method = rk4\n",
                              quiet);
    EXPECT_TRUE(has(c.message, "t = 1: a sliding mode at the condition 1 < x")) << c.message;
}

// ---- with other parts ----

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

TEST(Conditions, InArclengthToo) {
    const Solution s =
        solved("unknown x, y\nx' = if(t > 0.5, 2, 1)\ny' = abs(x - 1)\nstart x = 0, y = 0\nsolve t = 0 .. 2\n",
               {.parametrisation = "arclength"});
    EXPECT_NEAR(last(s, "x"), 0.5 + 3, 1e-9);
    EXPECT_NEAR(last(s, "y"), 2, 1e-6);
}

} // namespace
} // namespace vessiot
