// What `inspect` says: the text for people and the JSON for programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "core/utf8.hpp"
#include "lang/model.hpp"
#include "system/describe/describe.hpp"

namespace vessiot::describe_test {
namespace {

Description described(const std::string& text) {
    return describe(lang::read_model(lang::Source("test.ves", text)));
}

std::string text_of(const std::string& model, bool full = false) {
    return to_text(described(model), {.full = full});
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Describe, TheFirstLineSaysWhatItIs) {
    EXPECT_TRUE(text_of("unknown x\nx' = -x\n").starts_with("test: explicit system, order 1, 1 unknown, 1 equation\n"));
    EXPECT_TRUE(text_of("unknown x\nx' = -x\nx'^2 = x^2\n")
                    .starts_with("test: general system, order 1, 1 unknown, 2 equations (overdetermined)\n"));
    EXPECT_TRUE(text_of("unknown x, y\nx' = y\ny = x^2\n").starts_with("test: semi-explicit system, order 1, 2 "));
}

TEST(Describe, EquationsReadAsTheyWereWritten) {
    const std::string text = text_of("parameter n = 3\nunknown x[n]\n"
                                     "for i = 1..n:  x[i]'   =  -x[i]   # decay\n");
    EXPECT_TRUE(contains(text, "\nEquations\n  for i = 1..3: x[i]' = -x[i]\n")) << text;
}

TEST(Describe, ALoopWithAnotherNameIsShownWithTheNameThatIsPrinted) {
    // loops with equal bounds are one loop, known by its first name
    const std::string text = text_of("unknown x[3], y[3]\nfor i = 1..3: x[i]' = y[i]\nfor k = 1..3: y[k]' = -x[k]\n");
    EXPECT_TRUE(contains(text, "for i = 1..3: y[i]' = -x[i]\n")) << text;
    EXPECT_FALSE(contains(text, "[k]")) << text;
}

TEST(Describe, EquationsBetweenVectorsAreShownOnce) {
    const std::string text = text_of("unknown x, y\n[x', y'] = [y, -x]\n");
    EXPECT_TRUE(contains(text, "\nEquations\n  [x', y'] = [y, -x]   (2 equations)\n")) << text;
}

TEST(Describe, DerivedEquationsAreShown) {
    const std::string text = text_of("parameter g = 9.81\nunknown x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\n"
                                     "force x = -0.1*x'\nconstraint (x^2 + y^2 - 1)/2 = 0\n");
    EXPECT_TRUE(contains(text, "\nEquations of motion (derived)\n  x'' + lambda[1]*x + 0.1*x' = 0\n")) << text;
    EXPECT_TRUE(contains(text, "\nConstraints\n  (x^2 + y^2 - 1)/2 = 0\n")) << text;
    EXPECT_TRUE(contains(text, "\nForces\n  x = -0.1*x'\n")) << text;
    EXPECT_TRUE(contains(text, "\n  lambda[1]   order 0   multiplier\n")) << text;
}

TEST(Describe, LongListsAreShortenedAndSaySo) {
    std::string model = "unknown x[100]\n";
    for (int k = 1; k <= 100; ++k) model += "x[" + std::to_string(k) + "]' = " + std::to_string(k) + "\n";
    const std::string brief = text_of(model), full = text_of(model, true);
    EXPECT_TRUE(contains(brief, "\n  x[16]' = 16\n  … 84 more; --full shows all\n")) << brief;
    EXPECT_FALSE(contains(full, "--full")) << full;
    EXPECT_TRUE(contains(full, "\n  x[100]' = 100\n")) << full;
}

TEST(Describe, LinesFitATerminal) {
    std::string sum = "x'' = 0";
    for (int k = 1; k <= 60; ++k) sum += " + sin(" + std::to_string(k) + "*x)*(x + " + std::to_string(k) + ")";
    std::istringstream lines(text_of("unknown x\n" + sum + "\nstart x = 1/3, x' = 2\nsolve t = 0 .. 1/3\n", true));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(count_code_points(line), 80U) << line;
}

TEST(Describe, StartValuesHaveTheirNumbers) {
    const std::string text = text_of("parameter l = 2, n = 3\nunknown x, u[n]\nx' = -x\nfor i = 1..n: u[i]' = x\n"
                                     "start x = l/3\nfor i = 1..n: start u[i] = i^2\nguess x' = 1\nhold u\n");
    EXPECT_TRUE(contains(text, "x = 0.3333333333333333*l = 0.6666666666666666\n") ||
                contains(text, "x = l/3 = 0.666666"))
        << text;
    EXPECT_TRUE(contains(text, "  for i = 1..3: u[i] = i^2\n")) << text;
    EXPECT_TRUE(contains(text, "  guess x' = 1\n  hold u\n")) << text;
}

TEST(Describe, JsonNumbersReadBackExactly) {
    const auto json = to_json(described("parameter a = 0.1, b = 1/3, m[2,2] = [[1, 2], [3, 1e-300]]\nunknown x\n"
                                        "x' = -a*b*x*m[1,1]\nstart x = b\nsolve t = 0 .. a\n"));
    const auto back = nlohmann::ordered_json::parse(json.dump());
    EXPECT_EQ(back["parameters"]["a"].get<double>(), 0.1);
    EXPECT_EQ(back["parameters"]["b"].get<double>(), 1.0 / 3);
    EXPECT_EQ(back["parameters"]["m"][1][1].get<double>(), 1e-300);
    EXPECT_EQ(back["start"][0]["value"].get<double>(), 1.0 / 3);
    EXPECT_EQ(back["interval"][1].get<double>(), 0.1);
}

TEST(Describe, JsonHasTheKeysOfTheSystemInAFixedOrder) {
    const auto json = to_json(described("parameter g = 9.81\nunknown x, y, lambda\n"
                                        "x'' = -lambda*x\ny'' = -lambda*y - g\nx^2 + y^2 = 1\n"));
    EXPECT_TRUE(json.dump().starts_with(
        R"({"model":"test","status":"success","class":"holonomic","order":2,"unknowns":3,"equations":3,"determination":"square",)"));
    EXPECT_EQ(json["unknown_list"][2].dump(), R"({"name":"lambda","shape":[],"order":0,"role":"multiplier"})");
    EXPECT_EQ(json["equation_list"][2].dump(),
              R"({"kind":"equation","text":"x^2 + y^2 = 1","domain":null,"count":1,"line":5})");
    EXPECT_EQ(json["sparsity"]["df"].dump(), R"({"rows":3,"columns":7,"nonzeros":8})");
    EXPECT_FALSE(json.contains("index")); // it needs the completion of the system
    EXPECT_FALSE(json.contains("native"));
}

TEST(Describe, EventsOutputsAndOptionsAreListed) {
    const Description d =
        described("unknown x\nx'' = -x\nstart x = 1, x' = 0\nsolve t = 0 .. 1\noption method = dopri54\n"
                  "output every 0.5\noutput at 1, 2\noutput E = x^2 + x'^2\n"
                  "event up: x = 1/2 rising stop\nevent zero: x' = 0\n");
    const std::string text = to_text(d);
    EXPECT_TRUE(contains(text, "  interval   t = 0 .. 1\n  options    method = dopri54\n  output     every 0.5\n"
                               "  output     at 1, 2\n  output     E = x^2 + x'^2\n"
                               "  event      up: x = 0.5, rising, stops the run\n  event      zero: x' = 0\n"))
        << text;
    const auto json = to_json(d);
    EXPECT_EQ(json["events"][0].dump(), R"({"name":"up","text":"x = 0.5","direction":"rising","stop":true})");
    EXPECT_EQ(json["output"].dump(), R"({"every":0.5,"at":[1.0,2.0],"columns":[{"name":"E","text":"x^2 + x'^2"}]})");
    EXPECT_EQ(json["options"].dump(), R"({"method":"dopri54"})");
}

TEST(Describe, TheTextOfALargeFamilyIsAsShortAsThatOfASmallOne) {
    const auto chain = [](const std::string& n) {
        return "parameter n = " + n + "\nunknown x[n]\nx[1]' = 1\nfor i = 2..n: x[i]' = x[i-1]\n";
    };
    const std::string small = text_of(chain("10")), large = text_of(chain("100000"));
    EXPECT_EQ(std::ranges::count(small, '\n'), std::ranges::count(large, '\n'));
}

} // namespace
} // namespace vessiot::describe_test
