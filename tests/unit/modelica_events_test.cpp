// Base Modelica: events, equations of the start point, assertions; and each of these models as a text of our own.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "modelica/convert.hpp"
#include "modelica/model.hpp"
#include "solve/problem/solve.hpp"

namespace vessiot::modelica::modelica_events_test {
namespace {

System read(const std::string& text) {
    return modelica::read_model(lang::Source("m.bmo", text), ReadSettings{});
}

std::string model(const std::string& declarations, const std::string& equations, const std::string& initial = "") {
    return "//! base 0.1.0\npackage 'M'\nmodel 'M'\n" + declarations + "\n" +
           (initial.empty() ? "" : "initial equation\n" + initial + "\n") + "equation\n" + equations +
           "\nannotation(experiment(StopTime = 2, Tolerance = 1e-10));\nend 'M';\nend 'M';\n";
}

Solution run(const System& system) {
    return solve_system(system, {.rtol = 1e-10, .atol = 1e-12});
}

double last(const Solution& s, const std::string& name) {
    for (std::size_t k = 0; k < s.names.size(); ++k)
        if (s.names[k] == name) return s.numbers[(s.t.size() - 1) * s.names.size() + k];
    for (std::size_t k = 0; k < s.output_names.size(); ++k)
        if (s.output_names[k] == name) return s.output_numbers[(s.t.size() - 1) * s.output_names.size() + k];
    ADD_FAILURE() << name << " is not there";
    return 0;
}

// Solved as it is and as the text that it is converted to: the same numbers.
Solution both_ways(const std::string& text) {
    const System system = read(text);
    const Solution s = run(system);
    EXPECT_EQ(s.status, Status::success) << s.message;
    const std::string converted = to_ves(system);
    try {
        const Solution again = run(lang::read_model(lang::Source("m.ves", converted)));
        EXPECT_EQ(again.status, Status::success) << again.message << "\n" << converted;
        EXPECT_GE(again.names.size(), s.names.size()); // what is hidden in the one is discrete in the other, and last
        EXPECT_EQ(again.output_names.size(), s.output_names.size());
        for (std::size_t k = 0; k < s.names.size() && k < again.names.size(); ++k) {
            const double a = s.numbers[(s.t.size() - 1) * s.names.size() + k];
            const double b = again.numbers[(again.t.size() - 1) * again.names.size() + k];
            EXPECT_NEAR(a, b, 1e-9 * (1 + std::fabs(a))) << s.names[k] << "\n" << converted;
        }
        for (std::size_t k = 0; k < s.output_names.size() && k < again.output_names.size(); ++k) {
            const double a = s.output_numbers[(s.t.size() - 1) * s.output_names.size() + k];
            const double b = again.output_numbers[(again.t.size() - 1) * again.output_names.size() + k];
            EXPECT_NEAR(a, b, 1e-9 * (1 + std::fabs(a))) << s.output_names[k];
        }
    } catch (const InvalidInput& e) {
        ADD_FAILURE() << e.what() << "\n" << converted;
    }
    return s;
}

std::string error(const std::string& text) {
    try {
        run(read(text));
    } catch (const std::exception& e) {
        return e.what();
    }
    return "";
}

TEST(ModelicaEvents, WhenSetsWhereItsConditionBecomesTrue) {
    const Solution s = both_ways(model(
        "Real 'x'(start = 0.0, fixed = true); discrete Real 'd'(start = 5.0, fixed = true); Integer 'n'(start = 0);",
        "der('x') = 1.0; when 'x' > 0.5 then 'd' = 2.0 * 'x'; 'n' = pre('n') + 1; end when;"));
    EXPECT_NEAR(last(s, "d"), 1, 1e-9);
    EXPECT_EQ(last(s, "n"), 1);
}

TEST(ModelicaEvents, ElsewhenHasTheSecondChoice) {
    const Solution s =
        both_ways(model("Real 'x'(start = 0.0, fixed = true); discrete Real 'd'(start = 5.0);",
                        "der('x') = 1.0; when 'x' > 1.5 then 'd' = 1.0; elsewhen 'x' > 0.5 then 'd' = 2.0; end when;"));
    EXPECT_EQ(last(s, "d"), 1);
}

TEST(ModelicaEvents, ABallBounces) {
    const Solution s = both_ways(
        model("Real 'h'(start = 1.0, fixed = true); Real 'v'(start = 0.0, fixed = true);",
              "der('h') = 'v'; der('v') = -9.81; when 'h' < 0.0 then reinit('v', -0.8 * pre('v')); end when;"));
    // by hand: impacts at t1 = sqrt(2/g), then 2 * 0.8^k * g * t1 / g apart
    const double g = 9.81, t1 = std::sqrt(2 / g);
    double t = t1, v = g * t1;
    while (true) {
        v *= 0.8;
        if (t + 2 * v / g > 2) break;
        t += 2 * v / g;
    }
    EXPECT_NEAR(last(s, "h"), v * (2 - t) - g / 2 * (2 - t) * (2 - t), 1e-7);
}

TEST(ModelicaEvents, SampledControl) {
    const Solution s =
        both_ways(model("Real 'x'(start = 1.0, fixed = true); discrete Real 'u'(start = 0.0); Integer 'k'(start = 0);",
                        "der('x') = 'u'; when sample(0.0, 0.5) then 'u' = -'x'; 'k' = pre('k') + 1; end when;"));
    EXPECT_NEAR(last(s, "x"), std::pow(0.5, 4), 1e-9); // u = -x held over half a unit
    EXPECT_EQ(last(s, "k"), 5);                        // at 0, 0.5, 1, 1.5, 2
}

TEST(ModelicaEvents, AThermostatWithPre) {
    const Solution s =
        both_ways(model("Real 'T'(start = 15.0, fixed = true); Boolean 'on'(start = true, fixed = true);",
                        "der('T') = -'T' + (if 'on' then 30.0 else 10.0); "
                        "'on' = not pre('on') and 'T' < 20.0 or pre('on') and 'T' < 25.0;"));
    // up to 25 in log(15/5), down to 20 in log(15/10), up in log(10/5)
    double t = std::log(3.0), T = 25;
    bool is_on = false;
    while (true) {
        const double way = is_on ? std::log(10.0 / 5.0) : std::log(15.0 / 10.0);
        if (t + way > 2) break;
        t += way;
        is_on = !is_on;
        T = is_on ? 20 : 25;
    }
    EXPECT_NEAR(last(s, "T"), is_on ? 30 + (T - 30) * std::exp(t - 2) : 10 + (T - 10) * std::exp(t - 2), 1e-8);
}

TEST(ModelicaEvents, EdgesChangesAndChains) {
    const Solution s = both_ways(
        model("Real 'x'(start = 0.0, fixed = true); Boolean 'a'; Boolean 'b'(start = false); Integer 'n'(start = 0); "
              "Integer 'm'(start = 0);",
              "der('x') = 1.0; 'a' = sin(6.0 * 'x') > 0.0; when edge('a') then 'n' = pre('n') + 1; end when; "
              "when change('a') then 'm' = pre('m') + 1; end when; when 'n' > 1 then 'b' = true; end when;"));
    // sin(6 t) on 0 .. 2: zero at k pi/6, k = 1, 2, 3; true from 0, false at 0.52, true at 1.05, false at 1.57
    EXPECT_EQ(last(s, "m"), 4);
    EXPECT_EQ(last(s, "n"), 2);
    EXPECT_EQ(last(s, "b"), 1);
}

TEST(ModelicaEvents, InitialEquations) {
    const Solution s = both_ways(
        model("Real 'x'; Real 'y'(start = 3.0); parameter Real 'k'(fixed = false, start = 1.0);",
              "der('x') = 4.0 - 2.0 * 'x'; der('y') = 'x' - 'k' * 'y';", "der('x') = 0.0; der('y') = 0.0; 'y' = 8.0;"));
    EXPECT_NEAR(last(s, "x"), 2, 1e-9);
    EXPECT_NEAR(last(s, "k"), 0.25, 1e-9);
    EXPECT_NEAR(last(s, "y"), 8, 1e-9);
}

// The order of steps of a state graph: what is true now is what was decided before, and the start says what is true.
TEST(ModelicaEvents, AFixedValueIsThatOfWhatItFollowsFrom) {
    const Solution s = both_ways(
        model("Real 'x'(start = 0.0, fixed = true); Boolean 'active'; Boolean 'local'; Boolean 'next'; "
              "Boolean 'idle'; Boolean 'waits';",
              "'active' = 'local'; 'local' = pre('next'); 'next' = 'local' and 'x' < 0.5; 'idle' = not pre('waits'); "
              "'waits' = not 'idle' and 'x' < 0.7; der('x') = if 'active' then 1.0 elseif 'idle' then 0.0 else 0.1;",
              "'active' = true; pre('next') = pre('local'); 'idle' = false;"));
    EXPECT_NEAR(last(s, "x"), 0.5 + 0.1 * 1.5, 1e-9);
}

// What is meant to be a state keeps its value where another one is set: the two masses stop together.
TEST(ModelicaEvents, ReinitKeepsWhatIsMeantToBeAState) {
    const std::string masses =
        "Real 's1'(start = 0.0, fixed = true, stateSelect = StateSelect.always); Real 'v1'(start = 1.0, fixed = true); "
        "Real 's2'(start = 0.0, fixed = true); Real 'v2'(start = 1.0, fixed = true); Real 'f'; ";
    const std::string equations =
        "'v1' = der('s1'); 'v2' = der('s2'); 'rel' = 's2' - 's1'; 'v_rel' = der('rel'); 'f' = 'rel' + 'v_rel'; "
        "der('v1') = 'f'; der('v2') = -'f'; when 's1' > 0.5 then reinit('v1', 0.0); end when;";
    const Solution kept = both_ways(model(masses + "Real 'rel'(stateSelect = StateSelect.prefer); "
                                                   "Real 'v_rel'(stateSelect = StateSelect.prefer);",
                                          equations));
    EXPECT_NEAR(last(kept, "s1"), 0.5, 1e-8);
    EXPECT_NEAR(last(kept, "s2"), 0.5, 1e-8);
}

// A condition that equations and equations of the start contain is on one side in both.
TEST(ModelicaEvents, ConditionsOfTheStartAreThoseOfTheEquations) {
    const Solution s =
        both_ways(model("Real 'x'(start = 2.0); Real 'l';",
                        "'l' = if 3.0 * 'x' > 1.0 then 1.0 else 3.0 * 'x'; der('x') = 0.5 - 'l';", "'l' = 0.5;"));
    EXPECT_NEAR(last(s, "x"), 1.0 / 6, 1e-9);
}

// Nothing is shown twice: what events read has a column.
TEST(ModelicaEvents, ColumnsAreNoOutputs) {
    const System s = read(model("Real 'x'(start = 0.0, fixed = true); Real 'y';",
                                "der('x') = 1.0; when sample(0.0, 0.5) then 'y' = pre('y') + 'x'; end when;"));
    EXPECT_EQ(std::ranges::count(s.outputs, "y", &Output::name) + std::ranges::count(s.held, "y", &Held::name), 1);
}

// A limiter whose input reaches its limit and stays there: it is neither above nor below.
TEST(ModelicaEvents, AConstantAtItsLimitIsNoSearch) {
    const Solution s = both_ways(
        model("Real 'x'(start = 0.0, fixed = true); Real 'u';",
              "'u' = (if time < 1.0 then 5.0 * (time - 0.9) else 0.5) + 0.5; der('x') = max(min('u', 1.0), 0.0);"));
    EXPECT_NEAR(last(s, "x"), 1.1, 1e-9);
    EXPECT_LT(s.stats.steps, 100);
}

TEST(ModelicaEvents, AFixedAlgebraicVariable) {
    const Solution s = both_ways(model("Real 'x'(start = 2.0); Real 'z'(start = 9.0, fixed = true);",
                                       "der('x') = -'x'; 'z' = 'x' ^ 2 + 'x' * time;"));
    EXPECT_NEAR(std::fabs(last(s, "x")), 3 * std::exp(-2), 1e-8);
}

TEST(ModelicaEvents, FrictionSticksAndSlips) {
    // a mass on dry ground, pulled with 2 sin(t): it begins to slide where the force passes 1
    const Solution s = both_ways(
        model("Real 'v'(start = 0.0, fixed = true); Real 'f'; Real 'p'; Boolean 'slides'(start = false, fixed = true);",
              "'p' = 2.0 * sin(time); 'slides' = not pre('slides') and 'p' > 1.0 or pre('slides') and ('v' > 0.0 or "
              "'p' > 1.0); "
              "'f' = if 'slides' then 1.0 else 'p'; der('v') = 'p' - 'f';"));
    const double t0 = std::asin(0.5); // v = 2 (cos t0 - cos t) - (t - t0)
    EXPECT_NEAR(last(s, "v"), 2 * (std::cos(t0) - std::cos(2.0)) - (2 - t0), 1e-8);
}

TEST(ModelicaEvents, IdealDiodesByTheirParameter) {
    const Solution s = both_ways(
        model("Real 's'(start = 1.0); Real 'v'; Real 'i'; Boolean 'off'; Real 'q'(start = 0.0, fixed = true);",
              "'off' = 's' < 0.0; 'v' = 's' * (if 'off' then 1.0 else 1e-5); "
              "'i' = 's' * (if 'off' then 1e-5 else 1.0); 'v' + 10.0 * 'i' = 10.0 * sin(3.0 * time + 0.1); "
              "der('q') = 'i';"));
    const double full = 1 / (1e-5 + 10) * 10, leak = 1e-5 / (1 + 1e-4) * 10; // i = factor * sin
    const double pi = 3.14159265358979323846, t1 = (pi - 0.1) / 3, t2 = (2 * pi - 0.1) / 3;
    const auto charge = [](double a, double b) { return (std::cos(3 * a + 0.1) - std::cos(3 * b + 0.1)) / 3; };
    static_cast<void>(t2);
    EXPECT_NEAR(last(s, "q"), full * charge(0, t1) + leak * charge(t1, 2), 1e-8);
}

TEST(ModelicaEvents, Assertions) {
    const std::string text = "Real 'x'(start = 0.0, fixed = true);";
    EXPECT_NE(error(model(text, "der('x') = 1.0; assert('x' < 1.0, \"too large\");")).find("too large"),
              std::string::npos);
    const Solution warns =
        both_ways(model(text, "der('x') = 1.0; assert('x' < 1.0, \"too large\", AssertionLevel.warning);"));
    EXPECT_NE(warns.notes.back().find("too large"), std::string::npos);
    both_ways(model(text, "der('x') = 1.0; assert('x' >= 0.0, \"never\"); assert('x' <= 2.0, \"at its limit\");"));
}

// Not only at the ends of steps: 'x' is too small for a moment.
TEST(ModelicaEvents, AssertionsHoldWithinSteps) {
    const std::string text = "Real 'x'(start = 1.0, fixed = true);";
    const auto equations = [](const std::string& limit) { // x = (t - 1)^2
        return "der('x') = 2.0 * (time - 1.0); assert('x' > " + limit + ", \"too small\");";
    };
    const std::string wrong = error(model(text, equations("1e-6")));
    EXPECT_NE(wrong.find("too small"), std::string::npos) << wrong;
    EXPECT_NE(wrong.find("0.999"), std::string::npos) << wrong; // where it begins
    both_ways(model(text, equations("-1e-6")));
    EXPECT_NE(error(model(text, "der('x') = 0.0; assert(abs(time - 1.2345) > 1e-7, \"not there\");")).find("not there"),
              std::string::npos);
}

TEST(ModelicaEvents, AWhenAtTheEnd) {
    const Solution s =
        both_ways(model("Real 'x'(start = 0.0, fixed = true); discrete Real 'n'(start = 0.0, fixed = true);",
                        "der('x') = 1.0; when time >= 2.0 then 'n' = 3.0; end when;"));
    EXPECT_EQ(last(s, "n"), 3);
}

TEST(ModelicaEvents, TablesAndFunctionsAreConverted) {
    both_ways(
        model("Real 'x'(start = 1.0, fixed = true); Real 'pi'; Real 'a.b[1,2]'; Real 'sin';",
              "der('x') = -'x' ^ 2 + abs(sin(time)) - min('x', 0.5); 'pi' = 'x' * 'x'; 'a.b[1,2]' = 'pi' + 'x' ^ 3; "
              "'sin' = if 'x' > 0.7 and time < 1.0 then 'x' else -'x';"));
}

TEST(ModelicaEvents, WhatAlternatesIsNamed) {
    EXPECT_NE(error(model("Real 'x'(start = 0.0, fixed = true); Boolean 'a'(start = false);",
                          "der('x') = 1.0; 'a' = if 'x' > 0.5 then not pre('a') else false;"))
                  .find("again and again, 1000 times: a"),
              std::string::npos);
    const System ends = read(model("Real 'x'(start = 0.0, fixed = true);",
                                   "der('x') = 1.0; when 'x' > 0.5 then terminate(\"end\"); end when;"));
    EXPECT_NE(ends.warnings.back().find("'terminate' in line"), std::string::npos);
}

// Found by the fuzzer of the reader: what no start point and no text of our own can be made of has its place in the
// text.
TEST(ModelicaEvents, WhatDeterminesNothingIsRefused) {
    const std::string x = "Real 'x'(start = 0.0, fixed = true); ";
    const std::string goes = "der('x') = 1.0; ";
    const auto expect = [](const std::string& text, const char* words) {
        const std::string said = error(text);
        EXPECT_NE(said.find(words), std::string::npos) << said;
        EXPECT_NE(said.find("m.bmo:"), std::string::npos) << said;
    };
    expect(model(x + "discrete Real 'd'(start = 0.0);", goes + "'d' = time; when 'x' > 1.0 then 'd' = 2.0; end when;"),
           "'d' changes where a 'when' sets it");
    expect(model(x + "parameter Real 'p' = 2.0;", goes + "'p' = 3.0;"), "this equation contains parameters only");
    expect(model(x, goes, "1.5 = 0.5;"), "this equation of the start contains no variable, and is not true");
    expect(model(x, goes, "1.5 = 0.0 / 0.0;"), "this equation of the start contains no variable, and is not true");
    expect(model(x + "discrete Real 'd'(start = 0.0 / 0.0);",
                 goes + "when 'x' > 1.0 then 'd' = pre('d') + 1.0; end when;"),
           "the start value of 'd' is not a finite number");
    const std::string none = "function 'f' input Real 'a'; protected Real 'b'; algorithm 'b' := 'a'; end 'f';\n";
    std::string text = model(x + "Real 'y';", goes + "'y' = 'f'('x');");
    expect(text.replace(text.find("model 'M'"), 0, none), "this function has no result");
}

} // namespace
} // namespace vessiot::modelica::modelica_events_test
