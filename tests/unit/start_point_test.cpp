// Start points: what the equations determine is computed, a value given for it is a guess that moves nothing else, and
// several solutions are listed. And statements about derivatives that the equations do not contain.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/completion.hpp"

namespace vessiot::start_point_test {
namespace {

using test::inspect_text;
using test::refusal;
using test::solve_text;

testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

testing::AssertionResult has_note(const Solution& s, const std::string& part) {
    std::string all;
    for (const std::string& note : s.notes) all += note + "\n";
    return has(all, part);
}

double first(const Solution& s, const std::string& name) {
    return s.column(name).front();
}

// ---- what is computed ----

const std::string parabola = "unknown x, y\nx' = 1\ny^2 - 3*y = x\nsolve t = 0 .. 1\n";

TEST(ComputedStart, AGuessOfAnAlgebraicUnknownMovesNothingElse) {
    const Solution s = solve_text(parabola + "start x = 1, y = 3\n");
    EXPECT_EQ(first(s, "x"), 1);
    EXPECT_NEAR(first(s, "y"), (3 + std::sqrt(13)) / 2, 1e-14);
    EXPECT_TRUE(has_note(s, "start: y = 3.302775638 follows from the equations; 3 was given"));
    const Solution lower = solve_text(parabola + "start x = 1, y = -1\n");
    EXPECT_EQ(first(lower, "x"), 1);
    EXPECT_NEAR(first(lower, "y"), (3 - std::sqrt(13)) / 2, 1e-14);
}

TEST(ComputedStart, FromOutsideItIsAGuessToo) {
    SolveOptions options;
    options.start = {{"y", 4}};
    const Solution s = solve_text(parabola + "start x = 1\n", options);
    EXPECT_EQ(first(s, "x"), 1);
    EXPECT_NEAR(first(s, "y"), (3 + std::sqrt(13)) / 2, 1e-14);
}

TEST(ComputedStart, WhatNobodyGaveDoesNotMoveWhereWhatIsComputedCan) {
    const Solution s = solve_text("unknown x, y\nx' = 1\ny^3 + y = x + 2\nstart y = 5\nsolve t = 0 .. 1\n");
    EXPECT_EQ(first(s, "x"), 0);
    EXPECT_NEAR(first(s, "y"), 1, 1e-14);
}

TEST(ComputedStart, WhatIsHeldStaysAndTheOthersMove) {
    const Solution s = solve_text(parabola + "start x = 1, y = 4\nhold y\n");
    EXPECT_EQ(first(s, "y"), 4);
    EXPECT_NEAR(first(s, "x"), 4, 1e-12);
}

TEST(ComputedStart, WhatTheEquationsGiveIsHeldByWhatItFollowsFrom) {
    const std::string pendulum = "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                                 "start x = 0.6, y = -0.8, x' = 1, lambda = 10\nhold x, y, lambda\nsolve t = 0 .. 1\n";
    const Solution s = solve_text(pendulum);
    EXPECT_NEAR(first(s, "lambda"), 10, 1e-12);
    EXPECT_NEAR(first(s, "x'"), 0.8 * std::sqrt(10 - 9.81 * 0.8), 1e-12); // lambda = v^2 - g y
    EXPECT_TRUE(
        has(refusal("unknown x, y\nx' = 1\ny = 2*x\nstart x = 1, y = 5\nhold x, y\nsolve t = 0 .. 1\n"), "y = 2*x"));
}

TEST(ComputedStart, TheGeneralFormulationAgrees) {
    SolveOptions options;
    options.formulation = "general";
    const Solution s = solve_text(parabola + "start x = 1, y = 3\n", options);
    EXPECT_EQ(first(s, "x"), 1);
    EXPECT_NEAR(first(s, "y"), (3 + std::sqrt(13)) / 2, 1e-13);
}

TEST(ComputedStart, QuadIsComputedToItsOwnPrecision) {
    SolveOptions options;
    options.precision = "quad";
    const Solution s = solve_text(parabola + "start x = 1, y = 3\n", options);
    EXPECT_EQ(first(s, "x"), 1);
    EXPECT_EQ(first(s, "y"), (3 + std::sqrt(13)) / 2);
}

TEST(ComputedStart, ImplicitDerivativesAreGuessesToo) {
    const Solution s = solve_text("unknown y\ny'^2 + y^2 = 1\nstart y = 0.6, y' = 1\nsolve t = 0 .. 0.2\n");
    EXPECT_EQ(first(s, "y"), 0.6);
}

TEST(ComputedStart, ANonlinearMultiplierMovesNoVelocity) {
    const Solution s = solve_text("unknown x, y, z\nx'' = -z^3*x\ny'' = -z^3*y - 1\nx^2 + y^2 = 1\n"
                                  "start x = 0, y = -1, z = 3, x' = 1\nsolve t = 0 .. 0.1\n");
    EXPECT_NEAR(first(s, "x'"), 1, 1e-14);
    EXPECT_NEAR(first(s, "z"), std::cbrt(2), 1e-12); // z^3 = v^2 - y
}

// ---- several solutions ----

TEST(SeveralStarts, AreListedWhereNothingWasGiven) {
    const std::string text = refusal(parabola + "start x = 1\n");
    EXPECT_TRUE(has(text, "the start values leave a choice: "));
    EXPECT_TRUE(has(text, "y = -0.302776"));
    EXPECT_TRUE(has(text, "y = 3.30278"));
    EXPECT_TRUE(has(text, "`guess y = "));
}

// y' is left open and 0: that is no other choice.
TEST(SeveralStarts, AreListedWithoutWhatIsOpenInAllOfThem) {
    EXPECT_EQ(refusal("unknown x, y, z\nx'' = -z*x\ny'' = -z*y - 9.81\nx^2 + y^2 = 1\nstart y = 0\nsolve t = 0 .. 1\n"),
              "the start values leave a choice: x = 1; or x = -1. Say which, for example by `guess x = 1`.");
}

TEST(SeveralStarts, AreListedWhereZeroIsOneOfThem) {
    const std::string text = refusal("unknown x, y\nx' = 1\ny^3 - y = x\nstart x = 0\nsolve t = 0 .. 0.1\n");
    for (const char* root : {"y = 0", "y = 1", "y = -1"}) EXPECT_TRUE(has(text, root));
}

TEST(SeveralStarts, OfImplicitDerivativesAreListed) {
    const std::string text = refusal("unknown y\ny'^2 + y^2 = 1\nstart y = 0.6\nsolve t = 0 .. 0.2\n");
    EXPECT_TRUE(has(text, "y' = 0.8") && has(text, "y' = -0.8"));
}

TEST(SeveralStarts, OfASystemOfTwoAreListed) {
    // a circle and a line
    const std::string model = "unknown x, a, b\nx' = a\na^2 + b^2 = 25 + x\na - b = 1\nstart x = 0\n";
    const std::string text = refusal(model + "solve t = 0 .. 0.1\n");
    EXPECT_TRUE(has(text, "a = 4, b = 3") && has(text, "a = -3, b = -4")) << text;
    EXPECT_NEAR(first(solve_text(model + "guess a = 3\nsolve t = 0 .. 0.1\n"), "a"), 4, 1e-12);
}

TEST(SeveralStarts, InOtherModesAreListed) {
    // linear on each side, and not; both unknowns of the equations and highest derivatives
    const std::string linear = "unknown x, z\nx' = z\nabs(z) = 2\nstart x = 0\nsolve t = 0 .. 0.1\n";
    EXPECT_TRUE(has(refusal(linear), "the start values leave a choice: z = 2; or z = -2. Say which"))
        << refusal(linear);
    EXPECT_NEAR(first(solve_text(linear + "guess z = -2\n"), "z"), -2, 1e-12);
    EXPECT_NEAR(first(solve_text("unknown x, z\nx' = z\nabs(z) = 2\nstart x = 0, z = -1\nsolve t = 0 .. 0.1\n"), "z"),
                -2, 1e-12);
    const std::string cubic = "unknown x, z\nx' = 1\nabs(z)^3 + abs(z) = 10 + x\nstart x = 0\nsolve t = 0 .. 0.1\n";
    EXPECT_TRUE(has(refusal(cubic), "z = 2; or z = -2")) << refusal(cubic);
    const std::string corner = "unknown x, z\nx' = 1\nmax(z, -2*z - 3) = 2 + x\nstart x = 0\nsolve t = 0 .. 0.1\n";
    EXPECT_TRUE(has(refusal(corner), "z = 2; or z = -2.5")) << refusal(corner);
    const std::string implicit = "unknown x\nabs(x') = 1 + x^2\nstart x = 0\nsolve t = 0 .. 0.1\n";
    EXPECT_TRUE(has(refusal(implicit), "x' = 1; or x' = -1")) << refusal(implicit);
    // a root of the formula of one side that lies on the other is none: z^2 - abs(z) = 2 has 2 and -2, not -1 and 1
    const std::string two = "unknown x, z\nx' = 1\nz^2 - abs(z) = 2\nstart x = 0\nsolve t = 0 .. 0.1\n";
    EXPECT_TRUE(has(refusal(two), "z = 2; or z = -2. ")) << refusal(two);
    // several conditions, of which only one side of all fits
    const std::string one = "unknown x, a, b\nx' = a\nabs(a) + a = 4\nb + min(b, 0) = a\nstart x = 0\n"
                            "solve t = 0 .. 0.1\n";
    EXPECT_NEAR(first(solve_text(one), "b"), 2, 1e-12);
}

TEST(SeveralStarts, OneIsNoChoice) {
    EXPECT_NEAR(first(solve_text("unknown x, y\nx' = 1\ny^3 + y = x\nstart x = 2\nsolve t = 0 .. 0.1\n"), "y"), 1,
                1e-14);
    EXPECT_NEAR(first(solve_text("unknown x, y\nx' = 1\nexp(y) + y = x\nstart x = 1\nsolve t = 0 .. 0.1\n"), "y"), 0,
                1e-14);
}

// ---- derivatives above those of the equations ----

const std::string decay = "unknown y\ny' = -y\nstart y = 1\nsolve t = 0 .. 1\n";

TEST(HigherDerivatives, InInvariantsAreRefusedByName) {
    for (const char* jet : {"y'", "y''", "y'''"}) {
        const std::string text = refusal(decay + "invariant " + jet + "\n");
        EXPECT_TRUE(has(text, std::string("the invariant ") + jet + " contains " + jet + ", which follows from"));
    }
    // below the highest one it is a coordinate
    EXPECT_EQ(solve_text("unknown y\ny'' = 0\ninvariant y'\nstart y = 1, y' = 2\nsolve t = 0 .. 1\n").status,
              Status::success);
    const std::string family = refusal("unknown x[3]\nfor i = 1..3: x[i]' = 0\nfor i = 2..3: invariant x[i]' + x[1]\n"
                                       "solve t = 0 .. 1\n");
    EXPECT_TRUE(has(family, "contains x[2]', which follows"));
}

TEST(HigherDerivatives, InOutputsAndEventsAreRefusedByName) {
    EXPECT_TRUE(has(refusal(decay + "output a = y''\n"), "the output 'a' contains y'', a derivative that"));
    EXPECT_TRUE(has(refusal(decay + "event e: y'' = 0.5\n"), "the event 'e' contains y'', a derivative that"));
    EXPECT_TRUE(has(refusal(decay + "event e: y = 0.5 then y = y''\n"), "contains y'', a derivative that"));
    const Solution s = solve_text(decay + "output a = der(-y)\n"); // as the message says
    EXPECT_NEAR(s.column("a").front(), 1, 1e-14);
}

TEST(HigherDerivatives, InStartValuesAreNoted) {
    for (const char* word : {"start y'' = 1", "guess y'' = 1", "hold y''"})
        EXPECT_TRUE(has_note(solve_text(decay + word + "\n"), "what is said about y'' is not used"));
}

} // namespace
} // namespace vessiot::start_point_test
