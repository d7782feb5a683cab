// Conditions in solve(): where they switch is found to rounding, whatever they depend on and whatever the method is,
// and what cannot be followed is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "method/registry.hpp"
#include "support/refusal.hpp"
#include "support/solved.hpp"
#include "support/well.hpp"

namespace vessiot::solve_conditions_test {
namespace {

using std::numbers::pi;
using test::has;
using test::last;
using test::solved;
using test::tight;
using test::well;

const SolveOptions quiet{.throw_on_failure = false};

// ---- conditions of t alone ----

TEST(Conditions, APulseIsNotSteppedOver) {
    const std::string pulse = "unknown x\nx' = if(t > 42 and t < 42.01, 100, 0)\nstart x = 0\nsolve t = 0 .. 100\n";
    for (const method::MethodInfo& m : method::methods()) {
        SolveOptions o{.method = std::string(m.name)};
        if (m.order < 2) o.rtol = 1e-3;
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
// Behind the kink nothing is known of what a step of 1.18 does, and the estimate of dopri54 vanishes at about that one.
TEST(Conditions, AnEstimateThatVanishesByAccident) {
    const std::string text = "unknown y\nlet s = max(t - 1.22, 0)\n"
                             "y' = 2.4*s + 0.338*cos(-1.4*t + 2.4*s^2 - 1.4) - 0.338*cos(2*y) - 0.7\n"
                             "start y = -0.7\nsolve t = 0 .. 2.4\n";
    EXPECT_NEAR(last(solved(text), "y"), -0.7 * 2.4 + 1.2 * 1.18 * 1.18 - 0.7, 1e-5);
}

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

// At the very end a formula has the value that it has there: >= holds, > does not.
TEST(Conditions, AtTheVeryEndAreWhatTheirFormulasSay) {
    const std::string text = "unknown x, a, b, c, d, e\nx' = 1\na = if(t >= 1, 5, 2)\nb = if(t > 1, 5, 2)\n"
                             "c = if(x >= 1, 5, 2)\nd = floor(t)\ne = sign(t - 1)\nstart x = 0\nsolve t = 0 .. 1\n";
    for (const std::string method : {"dopri54", "dop853", "radau5", "taylor", "ida", "rk4", "dae_radau5", "rkf45"})
        for (const bool is_asked : {false, true}) {
            SolveOptions o{.method = method};
            if (method == "rk4") o.step = 0.1;
            if (method == "rkf45") o.control = "tuomela"; // in arclength; steps go past the end elsewhere
            if (is_asked) o.at = {0.5, 1};
            const Solution s = solved(text, o);
            EXPECT_NEAR(last(s, "x"), 1, 1e-9) << method;
            EXPECT_NEAR(last(s, "a"), 5, 1e-14) << method;
            EXPECT_NEAR(last(s, "b"), 2, 1e-14) << method;
            if (method != "ida") EXPECT_NEAR(last(s, "c"), 5, 1e-12) << method; // there x is 1 up to its tolerance
            EXPECT_NEAR(last(s, "d"), 1, 1e-14) << method;
            EXPECT_NEAR(last(s, "e"), 0, 1e-14) << method;
            if (is_asked) EXPECT_EQ(s.t.size(), 2U) << method;
        }
    const Solution back = solved("unknown x, a\nx' = a\na = if(t <= 0, 5, 2)\nstart x = 0\nsolve t = 1 .. 0\n");
    EXPECT_EQ(last(back, "a"), 5);
    EXPECT_NEAR(last(back, "x"), -2, 1e-14);
    const std::string with = "parameter p = 1\nunknown x, z\nx' = p\nz = if(t >= 1, 5*x, 2*x)\nstart x = 0\n"
                             "solve t = 0 .. 1\n";
    const Solution derived = solved(with, {.sensitivity = {"p"}});
    EXPECT_NEAR(last(derived, "z"), 5, 1e-12);
    EXPECT_NEAR(derived.sensitivities.back(), 5, 1e-12); // dz/dp
    // what is looked at always is, there, too
    EXPECT_EQ(last(solved("unknown x\ndiscrete n = 0\nx' = 1\nevent r: always then n = if(t >= 1, 7, 0)\n"
                          "start x = 0\nsolve t = 0 .. 1\n"),
                   "n"),
              7);
    const Solution jumps = solved("unknown x, u\nx' = u\nx = floor(t) + t\nstart x = 0\nsolve t = 0 .. 1\n", quiet);
    EXPECT_EQ(jumps.status, Status::failed) << jumps.message;
}

// ---- conditions of unknowns ----

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

// At a large t the points of the grid have a round-off that is a large part of a step.
TEST(Conditions, ConstantStepsAtALargeTime) {
    for (const std::string event : {"", "event z: x = 0\n"}) {
        const Solution s =
            solved("unknown x, v\nx' = v\nv' = -x\nstart x = 1, v = 0\nsolve t = 1e6 .. 1e6 + 10\n" + event,
                   {.method = "rk4", .step = 0.001, .max_steps = 20000});
        EXPECT_NEAR(last(s, "x"), std::cos(10), 1e-8);
        EXPECT_LE(s.stats.steps, 10002);
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

// The grid of constant steps has a round-off of its own: time must not go back to where the condition of t had not
// switched yet.
TEST(Conditions, OfTimeAndOfAnUnknownSwitchTogetherInConstantSteps) {
    const auto y = [](double t) { return 0.7 * std::sin(1.4 * t - 1.2) + 0.5 * std::exp(-0.4 * t) + 0.5 * t - 0.2; };
    const std::string text = "unknown y\nlet f = 0.7*sin(1.4*t - 1.2) + 0.5*exp(-0.4*t) + 0.5*t - 0.2\n"
                             "y' = 0.98*cos(1.4*t - 1.2) - 0.2*exp(-0.4*t) + max(f, 0.1) - max(y, 0.1) + 0.5\n"
                             "start y = -0.3524273601770584\nsolve t = 0 .. 1.1\n";
    for (const std::string method : {"dopri54", "rk4", "radau5", "gauss4", "dae_gauss6"})
        for (int n = 40; n < 800; n += 37) {
            SolveOptions o{.method = method, .step = 1.1 / n, .dense = false};
            EXPECT_NEAR(last(solved(text, o), "y"), y(1.1), 1e-4) << method << ", " << n << " steps";
        }
}

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

// ---- sliding modes ----

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

// ---- straight pieces whose conditions read what they determine ----

// y = limit(gain*(sin t - y)): setting modes by values goes from one limit to the other for ever.
TEST(Conditions, ALimiterInALoopFindsItsPiece) {
    const std::string text = "unknown y\nlet u = 15000*(5*sin(3*t) - 4 - y)\n0 = y - if(3 < u, 3, if(u < -3, -3, u))\n";
    for (const std::string guess : {"", "guess y = 0\n", "guess y = 3\n", "guess y = -3\n"}) {
        const Solution s = solved(text + guess + "solve t = 0 .. 0.5\n", tight());
        EXPECT_NEAR(s.column("y").front(), -3, 1e-12) << guess;
        EXPECT_NEAR(last(s, "y"), (5 * std::sin(1.5) - 4) * 15000 / 15001, 1e-9) << guess;
    }
}

// A comparator with feedback (a Schmitt trigger): y = limit(100*(y/2 - x)) has three solutions for |x| < 0.49, and
// where the upper one ends the lower one is taken. The times between are those of x' = y - x from -+a to +-a, a = 0.49.
TEST(Conditions, ABranchThatTurnsBackAtASurfaceIsLeft) {
    const std::string text =
        "unknown x, y\nlet u = 100*(y/2 - x)\nx' = y - x\n0 = y - if(1 < u, 1, if(u < -1, -1, u))\n"
        "start x = 0\nguess y = 1\n";
    const double a = 0.49, up = -std::log(1 - a), period = std::log((1 + a) / (1 - a));
    const Solution s = solved(text + "solve t = 0 .. 2\n", tight());
    const double since = 2 - up - period; // falls from a, and rises from -a since then
    ASSERT_GT(since, 0);
    EXPECT_NEAR(last(s, "x"), 1 - (1 + a) * std::exp(-since), 1e-8);
    EXPECT_EQ(last(s, "y"), 1);
    EXPECT_TRUE(std::ranges::any_of(s.notes, [](const std::string& n) { return has(n, "branch of solutions ends"); }));
}

} // namespace
} // namespace vessiot::solve_conditions_test
