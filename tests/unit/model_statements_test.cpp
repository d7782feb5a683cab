// Statements of C++ models that the language has too: tables, several lagrangians, names of parts. Twins, bit for bit.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/builder.hpp"
#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace model_statements_test {

using namespace vessiot;
using test::message;

void expect_same(const Model& made, const std::string& text) {
    const Solution a = solve(made, {.rtol = 1e-8}), b = solve(Model::parse(text, made.name()), {.rtol = 1e-8});
    EXPECT_EQ(a.names, b.names);
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.numbers, b.numbers);
}

void drive(Model& m) {
    const auto drive = m.table("drive", {0, 0.5, 1, 4}, {0, 12, 10, 0});
    const auto drag = m.table("drag", {-10, 0, 10}, {-30, 0, 30},
                              {.between = TableBetween::monotone, .outside = TableOutside::extend});
    const Expr mass = m.parameter("m", 2), x = m.unknown("x");
    m.equation(mass * der(x, 2) == drive(m.t()) - drag(der(x)));
    m.start(x == 0);
    m.start(der(x) == 0);
    m.interval(0, 4);
}

TEST(ModelStatements, TablesAreThoseOfATextModel) {
    Model m("driven");
    drive(m);
    expect_same(m, R"(
table     drive(s) = [0: 0, 0.5: 12, 1: 10, 4: 0]
table     drag(v)  = [-10: -30, 0: 0, 10: 30] monotone outside extend
parameter m = 2
unknown   x
m*x'' = drive(t) - drag(x')
start x = 0, x' = 0
solve t = 0 .. 4
)");
}

TEST(ModelStatements, ATableOfTwoArguments) {
    Model m("map"); // T(t, u) = t + 2 u, which pieces that are linear in both have exactly
    const auto T = m.table("T", {0, 1, 2}, {-4, 4}, {-8, 8, -7, 9, -6, 10});
    const Expr u = m.unknown("u");
    m.equation(der(u) == T(m.t(), u));
    m.start(u == -0.5);
    m.interval(0, 1);
    const Solution a = solve(m, {.rtol = 1e-10, .atol = 1e-12});
    EXPECT_NEAR(a.numbers.back(), -0.5 - 0.25 - std::exp(2.0) / 4, 1e-8);
}

TEST(ModelStatements, TablesThatAreRefused) {
    Model m("m");
    const Expr x = m.unknown("x");
    EXPECT_EQ(message([&] { m.table("T", {0, 1}, {1, 2, 3}); }), "m: table 'T' has 2 points, but 3 values are given");
    EXPECT_EQ(message([&] { m.table("x", {0, 1}, {1, 2}); }), "m: 'x' is already an unknown; choose another name");
    EXPECT_NE(message([&] { m.table("T", {1, 0}, {1, 2}); }).find("m: table 'T': point 2: "), std::string::npos);
    const auto T = m.table("T", {0, 1}, {1, 2});
    EXPECT_EQ(message([&] { m.equation(der(x) == T(x, x)); }), "m: the table 'T' has 1 argument, but 2 are given");
}

void pendulum(Model& m, const std::string& part, const Expr& g, double mass, double length) {
    const Expr k = m.parameter(part + ".m", mass), l = m.parameter(part + ".l", length);
    const Expr x = m.unknown(part + ".x"), y = m.unknown(part + ".y");
    m.lagrangian(k / 2 * (pow(der(x), 2) + pow(der(y), 2)) - k * g * y);
    m.constraint(x * x + y * y == l * l);
    m.start(x == l);
    m.start(y == 0);
}

TEST(ModelStatements, PartsAndSeveralLagrangians) {
    Model m("two");
    const Expr g = m.parameter("g", 9.81);
    pendulum(m, "a", g, 1, 2);
    pendulum(m, "b", g, 3, 1);
    m.interval(0, 3);
    const Solution a = solve(m, {.rtol = 1e-8}), b = solve(Model::parse(R"(
parameter g = 9.81
component Pendulum(m, l):
    unknown x, y
    lagrangian m/2*(x'^2 + y'^2) - m*g*y
    constraint x^2 + y^2 = l^2
    start x = l, y = 0
part a = Pendulum(1, 2)
part b = Pendulum(3, 1)
solve t = 0 .. 3
)"),
                                                           {.rtol = 1e-8});
    EXPECT_EQ(a.names, b.names);
    EXPECT_EQ(a.numbers, b.numbers);
    EXPECT_NE(message([&] { m.unknown("a..x"); }).find("cannot be a name"), std::string::npos);
    EXPECT_NE(message([&] { m.unknown(".x"); }).find("cannot be a name"), std::string::npos);
}

// Formulas go to bytes and come back under their numbers: what pickling a model of Python stands on.
TEST(ModelStatements, NotesAreMadeAgain) {
    Model m("driven");
    drive(m);
    const std::string notes = ModelAccess::builder(m).draft()->notes();
    Model other("driven");
    ModelAccess::builder(other).draft()->take_notes(notes);
    drive(other);
    EXPECT_EQ(solve(m, {.rtol = 1e-8}).numbers, solve(other, {.rtol = 1e-8}).numbers);
    for (std::size_t n = 0; n < notes.size(); n += 7) {
        Model damaged("driven");
        EXPECT_NE(message([&] { ModelAccess::builder(damaged).draft()->take_notes(notes.substr(0, n)); }), "") << n;
    }
}

} // namespace model_statements_test
