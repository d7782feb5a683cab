// What is said about mistakes in C++ models, word for word.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "vessiot/functions.hpp"
#include "vessiot/model.hpp"

namespace model_errors_test {

using namespace vessiot;
using test::message;

TEST(ModelErrors, Names) {
    EXPECT_EQ(message([] { Model m(""); }), "a model needs a name, but it is empty; messages and results carry it");
    Model m("m");
    auto x = m.unknown("x");
    m.parameter("g", 9.81);
    EXPECT_EQ(message([&] { m.unknown(""); }), "m: a name is empty; unknowns, parameters and indices need one");
    EXPECT_EQ(message([&] { m.unknown("x"); }), "m: 'x' is already an unknown; choose another name");
    EXPECT_EQ(message([&] { m.unknown("g"); }), "m: 'g' is already a parameter; choose another name");
    EXPECT_EQ(message([&] { m.parameter("t", 1); }), "m: 't' is already the independent variable; choose another name");
    EXPECT_EQ(message([&] { m.unknown("2x"); }),
              "m: '2x' cannot be a name; names are of letters, digits and _, and begin with a letter");
    EXPECT_EQ(message([&] { m.unknown("x'"); }),
              "m: 'x'' cannot be a name; names are of letters, digits and _, and begin with a letter");
    EXPECT_EQ(message([&] { m.unknown("sin"); }), "m: 'sin' is a function of the language and cannot be a name");
    EXPECT_EQ(message([&] { m.unknown("start"); }), "m: 'start' is a word of the language and cannot be a name");
    EXPECT_EQ(message([&] { m.index("x", 1, 2); }),
              "m: the index 'x' has the name of an unknown; choose another name for it");
    m.index("i", 1, 2);
    m.index("i", 1, 3); // indices may share a name
    EXPECT_EQ(message([&] { m.unknown("i"); }), "m: 'i' is already a loop index; choose another name");
    EXPECT_EQ(message([&] { m.let("r", Loops{}, x); }),
              "m: let(\"r\", …) needs a loop; a single quantity is a variable of C++");
}

TEST(ModelErrors, Values) {
    Model m("m");
    auto x = m.unknown("x");
    EXPECT_EQ(message([&] { m.parameter("k", std::nan("")); }), "m: parameter k = nan, but it must be a finite number");
    EXPECT_EQ(message([&] { m.parameter("k", {2}, {1, std::numeric_limits<double>::infinity()}); }),
              "m: value 2 of parameter 'k' is inf, but it must be a finite number");
    EXPECT_EQ(message([&] { m.parameter("k", {2, 2}, {1, 2, 3}); }),
              "m: parameter 'k' has 4 elements, but 3 values are given");
    EXPECT_EQ(message([&] { m.parameter("k", {-1}, {}); }), "m: the size of 'k' is -1, but it cannot be negative");
    EXPECT_EQ(message([&] { m.unknown("u", {1'000'000, 1'000'000}); }), "m: 'u' has more than 100000000 elements");
    EXPECT_EQ(message([&] { m.equation(der(x) == std::nan("") * x); }),
              "m: a formula contains the number nan, but numbers must be finite");
    EXPECT_EQ(message([&] { der(x, -1); }), "der(…, -1): the order of a derivative must be from 0 to 64");
    EXPECT_EQ(message([&] { der(der(x, 40), 40); }), "der: this is a derivative of order 80; at most 64 is allowed");
    EXPECT_EQ(
        message([&] { diff(x * x, 2 * x); }),
        "diff differentiates by an unknown, a derivative of one, a parameter or the independent variable, but its "
        "second argument is none of them");
    EXPECT_EQ(message([&] { min({}); }), "min({}) has no value: give it at least one number");
}

TEST(ModelErrors, TwoModels) {
    Model a("left"), b("right");
    auto x = a.unknown("x"), y = b.unknown("y");
    auto i = b.index("i", 1, 3);
    auto X = a.unknown("X", {3});
    const std::string text =
        "a formula mixes names of two models, 'left' and 'right'; declare what it needs in one of them";
    EXPECT_EQ(message([&] { (void)(x + y); }), text);
    EXPECT_EQ(message([&] { a.equation(der(x) == y); }), text);
    EXPECT_EQ(message([&] { X(i); }), text);
    EXPECT_EQ(message([&] { a.equation(i, der(x) == 0); }), text);
    EXPECT_EQ(message([&] { if_(x > 0, y, 1); }), text);
}

TEST(ModelErrors, Indices) {
    Model m("m");
    auto x = m.unknown("x", {6});
    auto k = m.parameter("k", {2}, {1, 2.5});
    auto i = m.index("i", 1, 6), j = m.index("j", 1, i), other = m.index("i", 1, 2),
         big = m.index("k1", 1, 1'000'000'000);
    EXPECT_EQ(message([&] { x(7); }), "m: index 7 of 'x' is outside 1..6");
    EXPECT_EQ(message([&] { x(1, 2); }), "m: 'x' has 1 index, but 2 are given");
    EXPECT_EQ(message([&] { x(); }), "m: 'x' has 1 index, but 0 are given");
    EXPECT_EQ(message([&] { m.equation(i, x(2 * i) == 0); }),
              "m: equation 1: index 8 of 'x' is outside 1..6 (for i = 4)");
    EXPECT_EQ(
        message([&] { m.equation(x(i) == 0); }),
        "m: equation 1: the index 'i' stands outside of its loop; give it to the statement, such as equation(i, …), "
        "or write sum(i, …)");
    EXPECT_EQ(
        message([&] { m.equation(j, x(j) == 0); }),
        "m: equation 1: the index 'i' stands outside of its loop; give it to the statement, such as equation(i, …), "
        "or write sum(i, …)");
    EXPECT_EQ(message([&] { m.equation(i, x(i) == sum(other, x(other)) * x(i)); }),
              "nothing was thrown"); // that sum depends on no loop around it
    EXPECT_EQ(message([&] { m.equation(i, x(i) == sum(other, x(other) * x(i))); }),
              "m: equation 2: 'i' is already the index of a loop around this one; choose another name for this index");
    EXPECT_EQ(message([&] { m.equation(big, x(1) == 0); }),
              "m: equation 2: this loop has 1e9 instances; the limit is 1e8");
    EXPECT_EQ(message([&] { m.equation(i, x(integer(k(2))) == i); }),
              "m: equation 2: an index must be an integer, but k[2] = 2.5");
    EXPECT_EQ(message([&] { m.equation(i, x(mod(i, i - 3)) == i); }),
              "m: equation 2: mod of an index divides by zero (for i = 3)");
    EXPECT_EQ(message([&] { m.equation(i + 1, x(1) == 0); }),
              "a loop needs an index, made by index(\"i\", from, to), but this is a formula of indices");
    EXPECT_EQ(message([&] { integer(x(1)); }),
              "integer(…) makes an index from an element of a parameter, but this is none");
    EXPECT_EQ(
        message([&] { sum(i, x(1) > 0, x(i)); }),
        "sum: the condition of a sum can contain loop indices only; for other conditions write sum(i, if_(condition, "
        "…, 0))");
}

// What makes sense in a branch, or in a loop without instances, is not taken to make sense elsewhere.
TEST(ModelErrors, BranchesAndEmptyLoops) {
    Model m("m");
    auto x = m.unknown("x", {6});
    auto i = m.index("i", 1, 6), j = m.index("j", 1, 0), k = m.index("k", i + 1, 6);
    const Expr next = x(i + 1);
    const std::string text = "m: equation 1: index 7 of 'x' is outside 1..6 (for i = 6)";
    EXPECT_EQ(message([&] { m.equation(i, if_(i < 6, next, 0) + next == 0); }), text);
    EXPECT_EQ(message([&] { m.equation(i, if_(i == 6, 1, next) + if_(x(1) > 0 && i < 6, next, 1) + next == 0); }),
              text);
    EXPECT_EQ(message([&] { m.equation(i, x(i) + sum(k, next * x(k)) + next == 0); }), text);
    EXPECT_EQ(message([&] { m.equation(i, if_(x(1) > 0 || i < 6, next, 1) == 0); }), text);
    m.equation(i, x(i) + sum(k, next * x(k)) == if_(i < 6, next, 0) + if_(x(1) > 0 && i < 6, next, 1));
    m.equation(j, x(j + 9) == 0); // none
    m.equation({i, j}, x(i) + x(j + 9) == sum(i, x(i)));
    Functions F(m);
    EXPECT_EQ(F.n_equations(), 6);
    const std::vector<double> z{1, 2, 3, 4, 5, 6};
    EXPECT_EQ(F.f(0, z), (std::vector<double>{1 + 2 * 20 - 4, 2 + 3 * 18 - 6, 3 + 4 * 15 - 8, 4 + 5 * 11 - 10,
                                              5 + 36 - 12, 6 + 0 - 1}));
}

TEST(ModelErrors, Statements) {
    Model m("m");
    auto g = m.parameter("g", 1);
    auto x = m.unknown("x"), y = m.unknown("y");
    EXPECT_EQ(message([&] { m.equation(g == 2); }), "m: equation 1: it contains no unknown: g = 2");
    EXPECT_EQ(message([&] { m.invariant(g); }), "m: invariant 1: it contains no unknown: g");
    EXPECT_EQ(message([&] { m.start(x == y); }),
              "m: start 1: a start value can depend on parameters and loop indices only, but this one changes: y");
    EXPECT_EQ(message([&] { m.start(2 * x == 1); }),
              "m: start 1: an unknown or a derivative of one is needed, such as start(x == 1), but this is 2*x");
    m.start(x == 1);
    EXPECT_EQ(message([&] { m.start(x == 2); }), "m: start 2: a start value for x is given twice");
    EXPECT_EQ(message([&] { m.force(der(x) == 1); }),
              "m: force 1: a force acts on the equation of an unknown, such as force(x == …)");
    m.interval(0, 1);
    EXPECT_EQ(message([&] { m.interval(0, 1); }), "m: interval: it is given twice; a model has one");
    m.event("e", x == 0);
    EXPECT_EQ(message([&] { m.event("e", x == 0); }), "m: the event 'e' is given twice");
    EXPECT_EQ(message([&] { m.event("never", g == 0); }), "m: event 'never': it contains no unknown: it never happens");
    EXPECT_EQ(message([&] { m.output("x", y); }),
              "m: output: 'x' is an unknown and has a column already; choose another name");
    EXPECT_EQ(message([&] { m.output_every(-g); }),
              "m: output_every: the output interval must be positive, but it is -1");
    m.option("rtol", 1e-3);
    EXPECT_EQ(message([&] { m.option("rtol", 1e-4); }), "m: the option 'rtol' is given twice");
    m.lagrangian(pow(der(x), 2));
    EXPECT_EQ(message([&] { m.hamiltonian(x, {{x, y}}); }), "m: a model has a lagrangian or a hamiltonian, not both");
    EXPECT_EQ(
        message([&] { m.equation(m.multipliers()(1) == 0); }),
        "m: equation 1: the multipliers follow from the constraints; they can be used in output, event, start and "
        "guess, but not here");
}

TEST(ModelErrors, PoissonStructures) {
    Model m("m");
    auto x = m.unknown("x"), y = m.unknown("y"), z = m.unknown("z");
    const Matrix B{{0, 1}, {-1, 0}};
    EXPECT_EQ(message([&] { m.poisson(B, {x}); }),
              "m: poisson: for 1 coordinates a 1 x 1 matrix is needed, but this one is 2 x 2");
    EXPECT_EQ(message([&] { m.poisson(B, {x, x}); }), "m: poisson: 'x' stands among its coordinates twice");
    EXPECT_EQ(message([&] { m.poisson(B, {x, der(y)}); }),
              "m: poisson: its coordinates are unknowns, not derivatives such as y'");
    EXPECT_EQ(message([&] { m.poisson(B, {x, 2 * y}); }),
              "m: poisson: an unknown or a derivative of one is needed, such as poisson(B, {x, y}), but this is 2*y");
    const std::string symmetric = message([&] { m.poisson({{0, 1}, {1, 0}}, {x, y}); });
    EXPECT_TRUE(
        symmetric.starts_with("m: poisson: a Poisson matrix is antisymmetric, but the elements [1,2] and [2,1]"))
        << symmetric;
    const std::string jacobi = message([&] { m.poisson({{0, x, y}, {-x, 0, z * x}, {-y, -z * x, 0}}, {x, y, z}); });
    EXPECT_TRUE(jacobi.starts_with("m: poisson: a Poisson matrix satisfies the Jacobi identity")) << jacobi;
    EXPECT_EQ(message([&] { m.poisson(Matrix(61, 61, std::vector<Expr>(61 * 61, 0)), std::vector<Expr>(61, x)); }),
              "m: poisson: it has at most 60 coordinates, but found 61: write larger systems as equations");
    m.poisson(B, {x, y});
    EXPECT_EQ(message([&] { m.poisson(B, {x, y}); }), "m: the Poisson structure is given twice; a model has one");
    m.equation(der(z) == x);
    EXPECT_EQ(message([&] { m.describe(); }),
              "m: a Poisson structure belongs to a hamiltonian, which is missing: hamiltonian(H)");
    EXPECT_EQ(message([&] { m.hamiltonian(x * x, {{x, y}}); }),
              "m: hamiltonian: with a Poisson structure it has no pairs: hamiltonian(H)");
    m.hamiltonian(x * x + y * y);
    EXPECT_EQ(message([&] { m.describe(); }), "nothing was thrown");
    m.force(z == 1);
    EXPECT_EQ(message([&] { m.describe(); }),
              "m: a force acts on a coordinate of the Poisson structure, but 'z' is none");

    Model h("h");
    auto q = h.unknown("q"), p = h.unknown("p");
    h.hamiltonian(q * q + p * p);
    EXPECT_EQ(message([&] { h.describe(); }),
              "h: hamiltonian: positions and momenta must be paired, such as hamiltonian(H, {{x, px}}); or "
              "poisson(B, {x, y}) says what moves");
    h.poisson(B, {q, p});
    h.constraint(q == 1);
    EXPECT_EQ(message([&] { h.describe(); }),
              "h: constraints and contacts act on positions, which a Poisson structure does not know: write the "
              "equations out, or use a hamiltonian with pairs");
    Model c("c");
    auto u = c.unknown("u"), v = c.unknown("v");
    c.hamiltonian(u * v, {{u, v}});
    EXPECT_EQ(message([&] { c.poisson(B, {u, v}); }), "c: poisson: with it a hamiltonian has no pairs: hamiltonian(H)");
}

TEST(ModelErrors, TheWholeModel) {
    EXPECT_EQ(message([] { Functions F(Model("m")); }),
              "m: the model has no unknowns; declare them, for example: x = m.unknown(\"x\")");
    Model m("m");
    auto x = m.unknown("x");
    EXPECT_EQ(message([&] { Functions F(m); }),
              "m: the model has no equations; write one, for example: m.equation(der(x) == -x)");
    auto y = m.unknown("y");
    m.equation(der(x) == -x);
    EXPECT_EQ(message([&] { m.describe(); }), "m: no equation uses the unknown 'y'");
    m.equation(der(x) == -2 * x);
    EXPECT_EQ(message([&] { m.warnings(); }), "m: no equation uses the unknown 'y'");
    m.force(y == 1);
    EXPECT_EQ(message([&] { Functions F(m); }),
              "m: a force belongs to a lagrangian or hamiltonian, and this model has neither; "
              "write it into the equations");
    Model h("h");
    auto lambda = h.unknown("lambda");
    h.lagrangian(pow(der(lambda), 2));
    h.constraint(lambda == 1);
    EXPECT_EQ(message([&] { Functions F(h); }),
              "h: 'lambda' is an unknown, but with a lagrangian or hamiltonian it is the name "
              "of the multipliers; choose another name");
    Model few("few");
    auto a = few.unknown("a"), b = few.unknown("b");
    few.equation(der(a) == b);
    EXPECT_EQ(message([&] { Functions F(few); }),
              "few: 2 unknowns, but only 1 independent equation: nothing determines 'b'");
}

TEST(ModelErrors, TextModels) {
    EXPECT_NE(message([] { Model::load("/nowhere/pendulum.ves"); }).find("/nowhere/pendulum.ves"), std::string::npos);
    EXPECT_EQ(message([] { Model::parse("unknown x\nx' = -y\n", "m.ves"); }),
              "m.ves:2:7: 'y' is not a name of this model\n    x' = -y\n          ^");
    Model m = Model::parse("unknown x\nx' = -x\n", "m.ves");
    EXPECT_EQ(m.name(), "m");
    EXPECT_EQ(message([&] { m.unknown("y"); }),
              "m: this model was read from text and is complete; write the statement there");
    EXPECT_EQ(message([&] { m.t(); }), "m: this model was read from text and is complete; write the statement there");
}

} // namespace model_errors_test
