// Base Modelica: what its texts mean, what elimination leaves of them, and what is said of wrong ones.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "modelica/model.hpp"
#include "solve/problem/solve.hpp"

namespace vessiot::modelica::modelica_test {
namespace {

System read(const std::string& text, const ReadSettings& settings = {}) {
    return read_model(lang::Source("m.bmo", text), settings);
}

// A model of these declarations and equations.
std::string model(const std::string& declarations, const std::string& equations, const std::string& before = "") {
    return "//! base 0.1.0\npackage 'M'\n" + before + "model 'M'\n" + declarations + "\nequation\n" + equations +
           "\nannotation(experiment(StopTime = 2, Tolerance = 1e-10));\nend 'M';\nend 'M';\n";
}

std::string error(const std::string& text) {
    try {
        read(text);
    } catch (const InvalidInput& e) {
        return std::string(e.what()).substr(0, std::string(e.what()).find('\n'));
    }
    return "";
}

// The value of an unknown or an output at the end.
double end_value(const System& system, const std::string& name) {
    const Solution s = solve_system(system, {.rtol = 1e-10, .atol = 1e-12});
    EXPECT_EQ(s.status, Status::success) << s.message;
    for (std::size_t k = 0; k < s.names.size(); ++k)
        if (s.names[k] == name) return s.numbers[(s.t.size() - 1) * s.names.size() + k];
    for (std::size_t k = 0; k < s.output_names.size(); ++k)
        if (s.output_names[k] == name) return s.output_numbers[(s.t.size() - 1) * s.output_names.size() + k];
    ADD_FAILURE() << name << " is not there";
    return 0;
}

TEST(Modelica, AliasesAndDefinitionsLeaveOneUnknown) {
    const System s =
        read(model("Real 'x'(start = 1.0, fixed = true); Real 'a.x'; Real 'b.x'; Real 'f'; parameter Real 'k' = 2.0;",
                   "'x' = 'a.x'; 'a.x' + 'b.x' = 0.0; 'f' = -'k' * 'x'; der('x') = 'f';"));
    ASSERT_EQ(s.unknowns.size(), 1U);
    EXPECT_EQ(s.unknowns[0].name, "x");
    EXPECT_EQ(s.equations.size(), 1U);
    EXPECT_NEAR(end_value(s, "x"), std::exp(-4.0), 1e-9);
    EXPECT_NEAR(end_value(s, "b.x"), -std::exp(-4.0), 1e-9);
}

TEST(Modelica, AFixedVelocityIsThatOfItsAngle) {
    const System s =
        read(model("Real 'phi'(start = 0.0, fixed = true); Real 'w'(start = 10.0, fixed = true); Real 'a';",
                   "'w' = der('phi'); 'a' = der('w'); 'a' = -'phi';"));
    ASSERT_EQ(s.unknowns.size(), 1U);
    EXPECT_NEAR(end_value(s, "phi"), 10 * std::sin(2.0), 1e-8);
    EXPECT_NEAR(end_value(s, "w"), 10 * std::cos(2.0), 1e-8);
}

// Other names of the same velocity have start values too, which are not fixed.
TEST(Modelica, WhatIsFixedIsNotOverruledByOtherNames) {
    const std::string masses = "Real 's'(start = 3.0, fixed = true); Real 'v'(start = 10.0, fixed = true); Real 'a'; ";
    const std::string damper = "Real 'rel'(start = 0.0, stateSelect = StateSelect.prefer); "
                               "Real 'v_rel'(start = 0.0, stateSelect = StateSelect.prefer); ";
    const std::string equations =
        "'v' = der('s'); 'a' = der('v'); 'a' = -'v'; 'rel' = 4.0 - 's'; 'v_rel' = der('rel');";
    for (const std::string& variables : {masses + damper, damper + masses}) {
        const System s = read(model(variables, equations));
        EXPECT_NEAR(end_value(s, "s"), 3 + 10 * (1 - std::exp(-2.0)), 1e-7);
        EXPECT_NEAR(end_value(s, "v_rel"), -10 * std::exp(-2.0), 1e-7);
    }
    // fixed under both names: the same velocity, or no start point
    const std::string fixed = "Real 'rel'(start = 1.0); Real 'v_rel'(start = -10.0, fixed = true); ";
    EXPECT_NEAR(end_value(read(model(masses + fixed, equations)), "v"), 10 * std::exp(-2.0), 1e-7);
    const std::string other = "Real 'rel'(start = 1.0); Real 'v_rel'(start = -9.0, fixed = true); ";
    EXPECT_THROW(end_value(read(model(masses + other, equations)), "v"), InvalidInput);
}

TEST(Modelica, FunctionsRunWithExpressions) {
    const std::string f =
        "function 'f' input Real 'x'[2]; input Real 'k' = 3.0; output Real 'y'; protected Real 'z'; algorithm "
        "'z' := 'x' * 'x'; if 'x'[1] > 0.0 then 'y' := 'k' * 'z'; else 'y' := 0.0; end if; "
        "for 'i' in 1:2 loop 'y' := 'y' + 1.0; end for; end 'f';\n";
    const System s =
        read(model("Real 'x'(start = 1.0, fixed = true); Real 'y';", "der('x') = 1.0; 'y' = 'f'({'x', 2.0});", f));
    EXPECT_NEAR(end_value(s, "y"), 3 * (9 + 4) + 2, 1e-9);
}

TEST(Modelica, QuotedNamesAreArraysAndRecords) {
    const System s =
        read(model("Real 'v[1]'(start = 1.0, fixed = true); Real 'v[2]'; Real 'r.a'; Real 'r.b'; Real 'y';",
                   "der('v[1]') = 1.0; 'v[2]' = 2.0 * 'v[1]'; 'r.a' = 'v' * 'v'; 'r.b' = 'v'[end]; 'y' = 'g'('r');",
                   "record 'R' Real 'a'; Real 'b'; end 'R';\n"
                   "function 'g' input 'R' 'r'; output Real 'y'; algorithm 'y' := 'r'.'a' + 'r'.'b'; end 'g';\n"));
    EXPECT_NEAR(end_value(s, "y"), 9 + 36 + 6, 1e-9);
}

TEST(Modelica, APlanarPendulumKeepsItsConstraint) {
    const System s = read(model("Real 'x'(start = 1.0, fixed = true); Real 'y'(start = 0.0); Real 'vx'(start = 0.0, "
                                "fixed = true); Real 'vy'; Real 'F';",
                                "der('x') = 'vx'; der('y') = 'vy'; der('vx') = -'F' * 'x'; der('vy') = -'F' * 'y' - "
                                "9.81; 'x' ^ 2 + 'y' ^ 2 = 1.0;"));
    EXPECT_EQ(s.unknowns.size(), 3U);
    const double x = end_value(s, "x"), y = end_value(s, "y");
    EXPECT_NEAR(x * x + y * y, 1, 1e-12);
}

TEST(Modelica, ParametersAreSetFromOutside) {
    const std::string text =
        model("Real 'x'(start = 1.0, fixed = true); parameter Real 'body.m' = 2.0; parameter Real 'gone' = 1.0;",
              "der('x') = 'body.m';");
    EXPECT_NEAR(end_value(read(text, {.parameters = {.set = {{"body.m", "3"}}}}), "x"), 7, 1e-12);
    EXPECT_THROW(read(text, {.parameters = {.set = {{"gone", "3"}}}}), InvalidInput);
    EXPECT_THROW(read(text, {.parameters = {.set = {{"bodym", "3"}}}}), InvalidInput);
}

// Three pipes in a row, with a flow that stands still from t = 1 on: there semiLinear leaves h1 and h2 open.
TEST(Modelica, AChainOfSemiLinearHasValuesWithoutFlow) {
    const System s = read(model("Real 'm'; Real 'h1'; Real 'h2'; Real 'H'; Real 'T'(start = 0.0, fixed = true);",
                                "'m' = if time < 1.0 then 1.0 - time else 0.0; 'H' = semiLinear('m', 5.0, 'h1'); "
                                "'H' = semiLinear('m', 'h1', 'h2'); -'H' = semiLinear(-'m', 'T', 'h2'); "
                                "der('T') = 'H' - 'm' * 'T';"));
    EXPECT_EQ(s.unknowns.size(), 1U);
    EXPECT_NEAR(end_value(s, "T"), 5 * (1 - std::exp(-0.5)), 1e-8); // T' = (1 - t)(5 - T)
    EXPECT_NEAR(end_value(s, "h1"), 5, 1e-12);
    EXPECT_NEAR(end_value(s, "h2"), 5, 1e-12);
}

TEST(Modelica, AFactorMadeOfParametersIsDividedBy) {
    const std::string text =
        model("Real 'x'(start = 1.0, fixed = true); Real 'h'; Real 'g'; parameter Real 'cp' = 2.0;",
              "der('x') = 'h' - 'g'; 0.0 = 6.0 - 'h' / 'cp' - 'x'; 3.0 = 'cp' * 'g';");
    const System s = read(text);
    EXPECT_EQ(s.unknowns.size(), 1U);
    const double rest = 5.25; // x' = 2 (6 - x) - 1.5
    EXPECT_NEAR(end_value(s, "x"), rest + (1 - rest) * std::exp(-4.0), 1e-9);
    // nothing is divided by a factor that is 0: then the equation says something else
    const System zero = read(model("Real 'x'(start = 1.0, fixed = true); Real 'g'; parameter Real 'p' = 0.0;",
                                   "der('x') = 'g'; 'p' * 'g' = 'x' - 1.0;"));
    EXPECT_NEAR(end_value(zero, "x"), 1, 1e-12);
}

// Definitions that go round in a circle as they stand: f1 = f2 + x, f2 = f3 - 1, 0 = f1 + f3.
TEST(Modelica, WhatIsDefinedIsPutIntoSums) {
    const System s = read(model("Real 'x'(start = 0.0, fixed = true); Real 'f1'; Real 'f2'; Real 'f3';",
                                "'f1' = 'f2' + 'x'; 'f2' = 'f3' - 1.0; 0.0 = 'f1' + 'f3'; der('x') = 'f1';"));
    EXPECT_EQ(s.unknowns.size(), 1U);
    EXPECT_NEAR(end_value(s, "x"), 1 - std::exp(1.0), 1e-8); // f1 = (x - 1)/2
}

// The force of a prescribed motion needs an acceleration that no other equation contains.
TEST(Modelica, ADerivativeThatOnlyResultsNeedIsDetermined) {
    const System s = read(model("Real 'x'(start = 0.5); Real 'y'; Real 'f';",
                                "'x' + 'y' = 2.0 + sin(time); 'y' = 'x' ^ 3; 'f' = 2.0 * der('x');"));
    const double x = end_value(s, "x");
    EXPECT_NEAR(x + x * x * x, 2 + std::sin(2.0), 1e-12);
    EXPECT_NEAR(end_value(s, "f"), 2 * std::cos(2.0) / (1 + 3 * x * x), 1e-9);
}

// What OpenModelica writes of a limiter in a loop: v = -5 exactly but for the gain.
TEST(Modelica, AnAmplifierWithFeedbackFindsItsPiece) {
    const System s = read(model("Real 'v'; Real 'u';", "'u' = 15000.0 * (5.0 * cos(time) - 10.0 * time - 'v'); 'v' = "
                                                       "smooth(0, noEvent(if 'u' > 15.0 then 15.0 else if 'u' < -15.0 "
                                                       "then -15.0 else 'u'));"));
    EXPECT_NEAR(end_value(s, "v"), -15, 1e-9); // at its limit from t = 1.6 on
    System early = s;
    early.to = early.graph->one();
    EXPECT_NEAR(end_value(early, "v"), (5 * std::cos(1.0) - 10) * 15000 / 15001, 1e-9);
}

TEST(Modelica, WrongTextsAreNamedWithTheirPlace) {
    EXPECT_EQ(error("model M\n  Real x\nequation\n  x = 1.0;\nend M;\n"),
              "m.bmo:3:1: found 'equation' where ';' after a declaration is needed");
    EXPECT_EQ(error(model("Real 'x';", "'x' = 'y';")), "m.bmo:6:7: 'y' is declared nowhere in this text");
    EXPECT_EQ(error(model("Real 'x'; Real 'x';", "'x' = 1.0;")), "m.bmo:4:16: 'x' is declared twice");
    EXPECT_NE(error(model("Real 'x';", "'x' = delay('x', 1.0);")).find("'delay' (delays of signals) is not supported"),
              std::string::npos);
    EXPECT_NE(error(model("Real 'x';", "connect('a', 'b');")).find("OpenModelica"), std::string::npos);
    EXPECT_NE(error("model M extends N; end M;").find("has to be made flat first"), std::string::npos);
    EXPECT_NE(error(model("Real 'x';", "'x' = 1.0; 'x' = 2.0;")).find("0 = "), std::string::npos);
    EXPECT_NE(error(model("Real 'x';", "'x' = 'f'(1.0);")).find("does not define it"), std::string::npos);
}

} // namespace
} // namespace vessiot::modelica::modelica_test
