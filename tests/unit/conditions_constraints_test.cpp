// Conditions in constraints: what is algebraic jumps with them, on its branch; what cannot follow is named.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/refusal.hpp"
#include "support/solved.hpp"

namespace vessiot::conditions_constraints_test {
namespace {

using test::has;
using test::last;
using test::solved;
using test::tight;

const SolveOptions quiet{.throw_on_failure = false};

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

// Hidden constraints are those of the equations on both sides. Where a condition changes the index, or what follows
// from the equations, the run ends there: no method goes on along what the other side said.
TEST(Conditions, ThatChangeWhatFollowsFromTheEquationsEndTheRun) {
    const std::string first = "unknown x, y, z\nx' = y\ny' = z\nsolve t = 0 .. 2\n";
    const std::string circle = "unknown x, y\nx' = y\nstart x = 1, y = 0\nsolve t = 0 .. 3\n";
    const std::string swing = "unknown x, y, z\nx'' = -z*x - if(t > 0.5, 0.3, 0)*x'\nx^2 + y^2 = 1\n"
                              "y'' = -z*y - 1 - if(t > 0.5, 0.3, 0)*y'\n(x'^2 + y'^2)/2 + y = 0\n"
                              "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 2\n";
    for (const std::string& text :
         {first + "if(t < 1, x - sin(t), y - cos(t)) = 0\n",              // index 3, then 2
          first + "if(t < 1, y - cos(t), x - sin(t)) = 0\nstart x = 0\n", // index 2, then 3
          circle + "y' = -x + if(t > 1, 0.5, 0)\nx^2 + y^2 = 1\n",        // more equations, that contradict later
          circle + "y' = -x + if(t > 1, 0.5, 0)\n(x - if(t > 1, 0.5, 0))^2 + y^2 = if(t > 1, 2, 1)\n", swing})
        for (const std::string method : {"auto", "dop853", "radau5"}) {
            Status status = Status::failed; // where the model is refused
            std::string message;
            try {
                const Solution s = solved(text, {.method = method, .throw_on_failure = false});
                status = s.status;
                message = s.message;
            } catch (const InvalidInput& e) {
                message = e.what();
            }
            EXPECT_EQ(status, Status::failed) << method << "\n" << text << message;
        }
}

// A branch that has a hidden constraint of its own, which the point does not satisfy: nowhere to go, in arclength
// neither.
TEST(Conditions, ABranchThatDoesNotDetermineTheSameIsSaid) {
    const std::string text = "unknown x, v, f\nx' = v\nv' = -x + f\nif(t < 1, f, v) = 0\nstart x = 1, v = 0\n"
                             "solve t = 0 .. 2\n";
    for (const std::string method : {"auto", "dopri54", "radau5", "taylor", "gauss4", "dae_radau5", "ida"}) {
        const Solution s = solved(text, {.method = method, .throw_on_failure = false});
        EXPECT_EQ(s.status, Status::failed) << method;
        EXPECT_NEAR(s.t.back(), 1, 1e-12) << method << s.message;
        if (!method.starts_with("dae_")) EXPECT_TRUE(has(s.message, "do not determine x', v', f")) << s.message;
    }
    const Solution along = solved(text, {.parametrisation = "arclength", .throw_on_failure = false});
    EXPECT_EQ(along.status, Status::failed) << along.message;
    // the same by an event that sets a mode
    const Solution mode = solved("unknown x, y, z\ndiscrete m = 0\nx' = y\ny' = z\nif(m == 0, z + x, x - 1) = 0\n"
                                 "event a: t = 1 then m = 1, x = 1, y = 0\nstart x = 1, y = 0\nsolve t = 0 .. 2\n",
                                 quiet);
    EXPECT_EQ(mode.status, Status::failed);
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

} // namespace
} // namespace vessiot::conditions_constraints_test
