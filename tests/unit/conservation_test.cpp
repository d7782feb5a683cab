// Invariants and extra equations that the flow breaks are errors, before the first step or where they break; true ones
// are no cause of alarm, whatever the tolerances, the stiffness and the size of the numbers.
#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "support/completion.hpp"

namespace vessiot::conservation_test {
namespace {

using test::refusal;
using test::solve_text;

testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

// The message of a run that fails on its way, by a method in steps of usual length.
std::string failure(const std::string& text, const std::string& method = "dopri54",
                    const std::string& project = "auto") {
    SolveOptions options;
    options.method = method;
    options.project = project;
    options.rtol = 1e-7;
    options.throw_on_failure = false;
    const Solution s = solve_text(text, options);
    EXPECT_EQ(s.status, Status::failed) << text;
    return s.message;
}

// ---- before the first step ----

TEST(BrokenInvariants, AreFoundWhereTheirRateVanishesAtTheStart) {
    EXPECT_TRUE(has(refusal("unknown x, y\nx' = y\ny' = -x - 2*y\ninvariant x^2 + y^2\nstart x = 1, y = 0\n"
                            "solve t = 0 .. 3\n"),
                    "the invariant x^2 + y^2 is not conserved"));
    EXPECT_TRUE(has(refusal("parameter g = 9.81, c = 0.1\nunknown x, y, lambda\nx'' = -lambda*x - c*x'\n"
                            "y'' = -lambda*y - g - c*y'\nx^2 + y^2 = 1\ninvariant (x'^2 + y'^2)/2 + g*y\n"
                            "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 3\n"),
                    "is not conserved"));
    EXPECT_TRUE(has(refusal("unknown x\nx' = t\ninvariant x\nstart x = 0\nsolve t = 0 .. 3\n"), "is not conserved"));
}

// ---- along the run ----

TEST(BrokenInvariants, AreFoundWhereTheyBreak) {
    const std::string late = "unknown x\nx' = max(0, t - 1)^3\ninvariant x\nstart x = 1\nsolve t = 0 .. 3\n";
    for (const char* method : {"dopri54", "dop853", "radau5", "taylor"}) {
        const std::string text = failure(late, method);
        EXPECT_TRUE(has(text, "the invariant x is not conserved: near t = ")) << method;
        EXPECT_TRUE(has(text, "--invariants impose"));
    }
    EXPECT_TRUE(has(failure(late, "dopri54", "stages"), "is not conserved"));
    for (const char* method : {"dae_radau5", "dae_radau9", "dae_gauss4"}) // which project nothing
        EXPECT_TRUE(has(failure(late, method), "the invariant x is not conserved: near t = ")) << method;
    SolveOptions none;
    none.projection = "none";
    none.throw_on_failure = false;
    EXPECT_TRUE(has(solve_text(late, none).message, "the invariant x is not conserved: near t = "));
    SolveOptions impose;
    impose.invariants = "impose";
    EXPECT_EQ(solve_text(late, impose).column("x").back(), 1);
}

// For a short time only, long after the start: hundreds of steps before and after it.
TEST(BrokenInvariants, AreFoundWhereTheyBreakForAWhile) {
    const std::string model = "unknown x, y\nx' = y\ny' = -x - 0.3*y*exp(-((t - 70)/0.05)^2)\ninvariant x^2 + y^2\n"
                              "start x = 1, y = 0\nsolve t = 0 .. 100\n";
    for (const char* method :
         {"dopri54", "dop853", "radau5", "gauss6", "dae_radau5"}) { // taylor steps over it: --h-max
        const std::string text = failure(model, method);
        EXPECT_TRUE(has(text, "the invariant x^2 + y^2 is not conserved: near t = 70.") ||
                    has(text, "the invariant x^2 + y^2 is not conserved: near t = 69."))
            << method << text;
    }
}

TEST(BrokenEquations, AreFoundWhereTheyBreak) {
    for (const char* order : {"x' = {0}\nx = 0\n", "x = 0\nx' = {0}\n"})
        for (const char* force : {"t^8", "max(0, t - 1)^3"}) {
            const std::string text = fmt::format(fmt::runtime(order), force);
            EXPECT_TRUE(has(failure("unknown x\n" + text + "solve t = 0 .. 3\n"), "does not go on holding: near t = "))
                << text;
        }
}

TEST(BrokenEquations, AreFoundInQuadToo) {
    SolveOptions options;
    options.precision = "quad";
    options.throw_on_failure = false;
    const Solution s = solve_text("unknown x\nx' = t^8\nx = 0\nsolve t = 0 .. 3\n", options);
    EXPECT_EQ(s.status, Status::failed);
}

// ---- true ones ----

TEST(TrueInvariants, GiveNoAlarmAtAnyTolerance) {
    const std::string kepler = "unknown q[2], p[2]\nlet r = norm(q)\nq' = p\np' = -q/r^3\ninvariant dot(p, p)/2 - 1/r\n"
                               "invariant q[1]*p[2] - q[2]*p[1]\nstart q = [0.1, 0], p = [0, sqrt(19)]\n"
                               "solve t = 0 .. 20\n";
    for (const double rtol : {1e-2, 1e-4, 1e-8, 1e-13})
        for (const char* method : {"dopri54", "radau5"}) {
            SolveOptions options;
            options.method = method;
            options.rtol = rtol;
            options.atol = rtol;
            EXPECT_EQ(solve_text(kepler, options).status, Status::success) << rtol << method;
        }
}

// Of steps that are far too long, too, where values have left the level and the constraints.
TEST(TrueInvariants, GiveNoAlarmWhereNothingIsProjected) {
    const std::string spherical = "parameter g = 9.81\nunknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - g\n"
                                  "x^2 + y^2 = 1\ninvariant (x'^2 + y'^2)/2 + g*y\n"
                                  "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 3\n";
    const std::string circle = "unknown x, y\nx' = y\ny' = -x\ninvariant x^2 + y^2\nstart x = 1, y = 0\n"
                               "solve t = 0 .. 20\n";
    for (const std::string& text : {spherical, circle})
        for (const std::string method : {"euler", "rk4", "dopri54", "radau5", "dae_radau5", "dae_radau1"}) {
            SolveOptions o;
            o.method = method;
            o.projection = "none";
            o.rtol = 1e-3;
            if (method == "euler") o.step = 0.02;
            o.throw_on_failure = false;
            const Solution s = solve_text(text, o);
            EXPECT_EQ(s.status, Status::success) << method << ": " << s.message;
        }
}

TEST(TrueInvariants, OfStiffEquationsGiveNoAlarm) {
    // fast exchange beside a slow one; near the equilibrium all rates are round-off of large terms
    for (const double k : {1.0, 1e6, 1e12}) {
        SolveOptions options;
        options.method = "radau5";
        options.rtol = 1e-9;
        EXPECT_EQ(solve_text(fmt::format("parameter k = {}\nunknown a, b, c\na' = -k*a + k*b\nb' = k*a - k*b - b + c\n"
                                         "c' = b - c\ninvariant a + b + c\nstart a = 1, b = 0, c = 0\n"
                                         "solve t = 0 .. 1000\n",
                                         k),
                             options)
                      .status,
                  Status::success)
            << k;
    }
}

TEST(TrueInvariants, OfLargeAndSmallNumbersGiveNoAlarm) {
    for (const double size : {1e-9, 1e9})
        EXPECT_EQ(solve_text(fmt::format("unknown x, y\nx' = y\ny' = -x\ninvariant x^2 + y^2\nstart x = {}, y = 0\n"
                                         "solve t = 0 .. 20\n",
                                         size))
                      .status,
                  Status::success)
            << size;
}

} // namespace
} // namespace vessiot::conservation_test
