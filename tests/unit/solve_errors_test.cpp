// What solve() does where it cannot go on: refusals before the first step, and runs that end early and keep what they
// have. The texts of the command line are in golden/solve_failing.t.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::solve_errors_test {
namespace {

using test::has;

const std::string pole = "unknown y\ny' = y^2\nstart y = 1\nsolve t = 0 .. 2\n"; // y = 1/(1 - t)
const std::string growth = "unknown x\nx' = x\nstart x = 1\nsolve t = 0 .. 1\n";

Solution ended(const std::string& text, SolveOptions options = {}) {
    options.throw_on_failure = false;
    return solve(Model::parse(text), options);
}

std::string refusal(const std::string& text, const SolveOptions& options = {}) {
    return test::refusal([&] { solve(Model::parse(text), options); });
}

bool all_finite(const std::vector<double>& values) {
    for (const double v : values)
        if (!std::isfinite(v)) return false;
    return true;
}

// ---- runs that end early ----

TEST(SolveEnds, EveryPointUpToThereIsKept) {
    for (const std::string precision : {"double", "quad"}) {
        const Solution s = ended(pole, {.precision = precision});
        EXPECT_EQ(s.status, Status::failed);
        EXPECT_TRUE(has(s.message, "y grows without bound"));
        EXPECT_EQ(s.t.size(), static_cast<std::size_t>(s.stats.steps) + 1);
        EXPECT_EQ(s.numbers.size(), s.t.size());
        EXPECT_TRUE(all_finite(s.numbers));
        EXPECT_NEAR(s.t.back(), 1, 1e-5); // rtol 1e-6 moves the pole
        // the curve up to there as well: dense output of order 4 at rtol 1e-6
        EXPECT_NEAR(s(0.5, "y"), 2, 1e-4);
    }
}

// A step of constant size has no error that would make it small there: it went on, on another curve, with success.
TEST(SolveEnds, AConstantStepDoesNotGoOverAPole) {
    struct Case {
        const char *equations, *divisor;
        double at;
    };
    const std::vector<Case> cases{
        {"unknown x\nx' = 1/(t - 0.5)\nstart x = 0\n", "t - 0.5", 0.5},
        {"unknown x\nx' = 3 - 1e-3/(t - 0.5)^2\nstart x = 0\n", "t - 0.5", 0.5},
        {"unknown x\nx' = tan(2*t)\nstart x = 0\n", "cos(2*t)", 0.785398},
        {"unknown x\nx' = -1/x\nstart x = 1\n", "x", 0.5},
        {"unknown v[3]\nfor i = 1..3: v[i]' = 1/(t - i/4)\nfor i = 1..3: start v[i] = 0\n", "t", 0.25},
    };
    for (const Case& c : cases)
        for (const char* method : {"rk4", "dop853", "radau5", "gauss4", "taylor", "ab3", "bdf2", "dae_radau5"}) {
            SolveOptions o{.method = method, .step = 0.03, .to = 1};
            const Solution s = ended(c.equations, o);
            EXPECT_EQ(s.status, Status::failed) << method << ": " << c.equations << s.message;
            // x' = -1/x: with steps of 0.03 the run is near x = 0 for a while
            EXPECT_NEAR(s.t.back(), c.at, 0.09) << method << ": " << c.equations << s.message;
            EXPECT_TRUE(all_finite(s.numbers)) << method;
        }
    const Solution s = ended(cases[0].equations, {.method = "rk4", .step = 0.03, .to = 1});
    EXPECT_TRUE(has(s.message, "the run ended at t = 0.5: there t - 0.5, by which the equations divide, is 0"))
        << s.message;
}

// What can be continued is no pole.
TEST(SolveEnds, AConstantStepGoesOverADivisorThatVanishesWithWhatItDivides) {
    for (const char* equations : {"x' = sin(t)/t", "x' = cbrt(t)^2/t", "x' = if(t > 2, 1/t, 0)", "x' = t^3/t^2"})
        for (const char* method : {"rk4", "radau5", "dae_radau5"}) {
            const std::string model = std::string("unknown x\n") + equations + "\nstart x = 0\nsolve t = -1 .. 1\n";
            const Solution s = ended(model, {.method = method, .step = 0.03});
            EXPECT_EQ(s.status, Status::success) << method << ": " << equations << ": " << s.message;
        }
}

TEST(SolveEnds, TheExceptionCarriesThePoints) {
    try {
        solve(Model::parse(pole), {.at = {0.5, 1.5}});
        FAIL() << "nothing was thrown";
    } catch (const SolveFailed& error) {
        EXPECT_EQ(error.what(), error.solution.message);
        EXPECT_EQ(error.solution.t, std::vector<double>{0.5});
        EXPECT_TRUE(has(error.what(), "1 of the points asked for was not reached"));
    }
}

TEST(SolveEnds, TheNameOfTheIndependentVariableIsUsed) {
    const Solution s =
        ended("independent s\nunknown y\ny*y' = -1/2\nstart y = 1\nsolve s = 0 .. 2\n", {.parametrisation = "time"});
    EXPECT_TRUE(has(s.message, "the run ended at s = 1"));
    EXPECT_TRUE(has(s.message, "If s turns back"));
    EXPECT_TRUE(has(s.message, "--parametrisation arclength"));
}

TEST(SolveEnds, AFunctionThatLeavesItsDomainIsNamed) {
    const Solution s = ended("unknown h\nh' = -sqrt(h) - 0.1\nstart h = 1\nsolve t = 0 .. 5\n");
    EXPECT_TRUE(has(s.message, "sqrt(h) at h = -"));
    EXPECT_NEAR(s.t.back(), 2 - 0.2 * std::log(11), 1e-6); // by separation of variables
}

TEST(SolveEnds, DependentConstraintsAreNamedWithTheRank) {
    // the slider crosses the corner of xy = 0, where the gradient is 0
    const Solution s = ended("unknown x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint x*y = 0\n"
                             "start x = 1, y = 0, x' = -1, y' = 0\nsolve t = 0 .. 2\n",
                             {.rtol = 1e-10, .atol = 1e-12});
    if (s.status == Status::success) return; // steps may jump over the point
    EXPECT_TRUE(has(s.message, "dependent") || has(s.message, "no longer determine"));
}

TEST(SolveEnds, WhereMemoryIsUsedUpThePointsAreKept) {
    int n_calls = 0;
    SolveOptions o{.step = 1e-5, .throw_on_failure = false};
    o.progress = [&](const Progress&) {
        if (++n_calls == 2) throw std::bad_alloc();
        return true;
    };
    Solution s;
    // progress is asked for at the first step, and then ten times a second: the run has to be long enough
    ASSERT_NO_THROW(s = solve(Model::parse("unknown x\nx' = x\nstart x = 1\nsolve t = 0 .. 1e3\n"), o));
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, "the memory is used up at t = "));
    EXPECT_GT(s.t.size(), 1U);
    EXPECT_EQ(s.numbers.size(), s.t.size());
}

TEST(SolveEnds, StepsThatAreLostInRoundOffAreSaidToBe) {
    EXPECT_TRUE(has(ended(growth, {.step = 1e-20, .from = 1.0, .to = 2.0}).message, "lost in the round-off of t"));
    EXPECT_TRUE(has(ended(growth, {.from = 1e16, .to = 1e16 + 100}).message, "lost in the round-off of t"));
    EXPECT_TRUE(has(ended(growth, {.h_min = 0.5}).message, "below h_min = 0.5"));
    EXPECT_TRUE(has(ended(growth, {.rtol = 1e-300, .atol = 1e-300}).message, "more digits than double precision has"));
}

TEST(SolveEnds, ConstantStepsSayHowManyAreNeeded) {
    const Solution s = ended(growth, {.step = 1e-3, .max_steps = 10});
    EXPECT_TRUE(has(s.message, "10 steps used at t = 0.01 of 1 (h = 0.001, a constant step)"));
    EXPECT_TRUE(has(s.message, "1e+03 are needed"));
    EXPECT_EQ(s.t.size(), 11U);
}

TEST(SolveEnds, RoughTolerancesAreNoReasonToStayOffTheConstraints) {
    // Across the point t = 0.427 where the hidden constraint is singular in w, projections converge slowly.
    const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/liu_index2.ves");
    const Solution s = solve(model, {.method = "feagin108",
                                     .rtol = 1.35e-3,
                                     .atol = 1e-4,
                                     .from = 0.5,
                                     .to = 0.41825,
                                     .project = "stages",
                                     .throw_on_failure = false});
    EXPECT_TRUE(s.status == Status::failed || s.constraint_residual_max < 1e-9) << s.constraint_residual_max;
}

TEST(SolveEnds, StepsThatAreMuchTooLongEndOnTheConstraintsAllTheSame) {
    // round-off is measured at the point that was found, not at the one, far away, where the projection began
    const Model pendulum = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/pendulum.ves");
    for (const std::string precision : {"double", "quad"}) {
        const Solution s = solve(
            pendulum,
            {.method = "rk3", .step = 1.7763657, .to = 2.483735, .precision = precision, .throw_on_failure = false});
        EXPECT_TRUE(s.status == Status::failed || s.constraint_residual_max < 1e-9) << s.constraint_residual_max;
    }
    // and so do the points inside of them
    const Model sine = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/sine_implicit.ves");
    const Solution s = solve(sine, {.rtol = 5e-3, .atol = 0.04, .to = 3.31, .every = 0.13});
    EXPECT_LT(s.constraint_residual_max, 1e-9);
}

TEST(SolveEnds, ARejectedStepLeavesNothingBehindInTheProjection) {
    // A first attempt that is far too long is projected from huge values; the next ones are measured by their own.
    const Model reactor = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/batch_reactor.ves");
    const Solution s = solve(reactor, {.rtol = 4e-3,
                                       .atol = 7.6e-3,
                                       .to = 1.8,
                                       .distribution = "kernel-qr",
                                       .max_steps = 47,
                                       .throw_on_failure = false});
    EXPECT_LT(s.constraint_residual_max, 1e-9);
}

TEST(SolveEnds, WhatIsTooLargeForADoubleIsNotReportedInQuadEither) {
    const Solution s = ended("unknown x\nx' = x\nstart x = 1\nsolve t = 0 .. 1000\n", {.precision = "quad"});
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, "values grow beyond 1.8e308"));
    EXPECT_TRUE(all_finite(s.numbers));
    EXPECT_NEAR(s.t.back(), std::log(std::numeric_limits<double>::max()), 1); // a step is that long, at most
}

// ---- refusals ----

TEST(SolveRefuses, IntervalsThatAreNone) {
    EXPECT_TRUE(has(refusal(growth, {.to = 0.0}), "length zero"));
    EXPECT_TRUE(has(refusal(growth, {.from = -1e308, .to = 1e308}), "longer than the largest number"));
    const std::string far = "unknown x\nx' = 1\nstart x = 1\nsolve t = 1e20 .. 1e20 + 1\n";
    EXPECT_TRUE(has(refusal(far), "shorter than the round-off"));
    EXPECT_EQ(ended(far, {.precision = "quad"}).status, Status::success);
}

TEST(SolveRefuses, NumbersThatAreNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(has(refusal(growth, {.rtol = nan}), "rtol = nan"));
    EXPECT_TRUE(has(refusal(growth, {.step = inf}), "step = inf"));
    EXPECT_TRUE(has(refusal(growth, {.to = nan}), "to = nan"));
    EXPECT_TRUE(has(refusal(growth, {.at = {0.5, nan}}), "at = nan"));
    EXPECT_TRUE(has(refusal(growth, {.start = {{"x", nan}}}), "x = nan"));
    EXPECT_TRUE(
        has(refusal("unknown x\nx' = 1\nstart x = 1/0\nsolve t = 0 .. 1\n"), "line 3 of model: the start value"));
}

TEST(SolveRefuses, ConstraintsThatContradict) {
    const std::string rod = "unknown x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint x^2 + y^2 = 1\n"
                            "start x = 1, y = 0\nsolve t = 0 .. 1\n";
    EXPECT_TRUE(has(refusal(rod + "constraint x^2 + y^2 = 4\n"),
                    "may contradict each other: they are dependent there (rank 2 of 4)"));
}

TEST(SolveRefuses, StartPointsThatCannotBeFound) {
    EXPECT_TRUE(has(refusal("unknown x, y\nx' = y\nx^2 + y^2 = -1\nsolve t = 0 .. 1\n"),
                    "equation 2 (x^2 + y^2 = -1) is off by 1"));
    EXPECT_TRUE(has(refusal("unknown x, y\nx' = y\nx^2 + y^2 = 1\nstart x = 2\nhold x\nsolve t = 0 .. 1\n"),
                    "hold fewer unknowns"));
    EXPECT_TRUE(has(refusal("unknown x\nx' = log(x)\nstart x = -1\nsolve t = 0 .. 1\n"), "log(x) at x = -1"));
    EXPECT_TRUE(has(refusal(growth, {.start = {{"z", 1}}}), "It has: x, x'"));
}

// Differentiated once, x = 0 beside x' = 1 - z leaves z open; completed first, it does not.
TEST(SolveErrors, TheGeneralFormulationCompletesFirst) {
    const std::string index_2 = "unknown x, z\nx' = t - z\nx = 0\nstart x = 0\nsolve t = 0 .. 1\n";
    for (const std::string parametrisation : {"time", "arclength"}) {
        const Solution s = ended(index_2, {.parametrisation = parametrisation, .formulation = "general"});
        EXPECT_NEAR(s.column("z").back(), 1, 1e-9) << parametrisation;
    }
    const std::string index_1 = "unknown x, z\nx' = 1 - z\nz + x = 1\nstart x = 1\nsolve t = 0 .. 1\n"; // x' = x
    EXPECT_NEAR(ended(index_1, {.formulation = "general"}).column("x").back(), std::exp(1), 1e-5);      // rtol 1e-6
}

} // namespace
} // namespace vessiot::solve_errors_test
