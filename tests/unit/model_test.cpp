// C++ models: the same systems as text models, families, and what is said about mistakes.
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/builder.hpp"
#include "support/count_allocations.hpp"
#include "support/refusal.hpp"
#include "vessiot/functions.hpp"
#include "vessiot/model.hpp"

namespace model_test {

using namespace vessiot;
using test::message;

std::vector<std::string> equations(const Model& m) {
    const System& s = ModelAccess::system(m);
    const expr::IndexSpace& index = s.graph->index();
    std::vector<std::string> lines;
    for (const vessiot::Equation& e : s.equations) {
        std::string line;
        for (const expr::VarId v : index.domain(e.domain).vars) line += "for " + index.print_range(v) + ": ";
        lines.push_back(line + s.graph->print(e.residual) + " = 0");
    }
    return lines;
}

// A text model and its twin in C++: the same equations, names, patterns, and values bit for bit at a random point.
void expect_same(const Model& text, const Model& cpp) {
    EXPECT_EQ(equations(text), equations(cpp));
    Functions F(text), G(cpp);
    ASSERT_EQ(F.names(), G.names());
    ASSERT_EQ(F.n_equations(), G.n_equations());
    ASSERT_EQ(F.df_pattern().column_start, G.df_pattern().column_start);
    ASSERT_EQ(F.df_pattern().row, G.df_pattern().row);
    ASSERT_EQ(F.d2f_pattern().column_start, G.d2f_pattern().column_start);
    ASSERT_EQ(F.d2f_pattern().row, G.d2f_pattern().row);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.2, 1.2);
    std::vector<double> z(F.names().size()), mu(static_cast<std::size_t>(F.n_equations()));
    for (double& v : z) v = uniform(random);
    for (double& v : mu) v = uniform(random);
    EXPECT_EQ(F.f(0.3, z), G.f(0.3, z));
    EXPECT_EQ(F.df(0.3, z), G.df(0.3, z));
    EXPECT_EQ(F.d2f(0.3, z, mu), G.d2f(0.3, z, mu));
}

// ---- twins ----

TEST(Model, PendulumIsThatOfTheText) {
    const Model text = Model::parse(R"(parameter g = 9.81, l = 1.1
unknown x, y, lambda
x'' = -lambda*x
y'' = -lambda*y - g
x^2 + y^2 = l^2
invariant (x'^2 + y'^2)/2 + g*y
start x = l, y = 0, x' = 0, y' = 0
guess lambda = 1
hold x
solve t = 0 .. 10
option method = dopri54, rtol = 1e-8
output every 0.05
output E = (x'^2 + y'^2)/2
event lowest: x = 0 rising stop
)",
                                    "pendulum.ves");
    Model m("pendulum");
    auto g = m.parameter("g", 9.81), l = m.parameter("l", 1.1);
    auto x = m.unknown("x"), y = m.unknown("y"), lambda = m.unknown("lambda");
    m.equation(der(x, 2) == -lambda * x);
    m.equation(der(y, 2) == -lambda * y - g);
    m.equation(x * x + y * y == l * l);
    m.invariant((pow(der(x), 2) + pow(der(y), 2)) / 2 + g * y);
    m.start(x == l);
    m.start(y == 0);
    m.start(der(x) == 0);
    m.start(der(y) == 0);
    m.guess(lambda == 1);
    m.hold(x);
    m.interval(0, 10);
    m.option("method", "dopri54");
    m.option("rtol", 1e-8);
    m.output_every(0.05);
    m.output("E", (pow(der(x), 2) + pow(der(y), 2)) / 2);
    m.event("lowest", x == 0, {.crossing = Crossing::rising, .is_stop = true});
    expect_same(text, m);

    const System &a = ModelAccess::system(text), &b = ModelAccess::system(m);
    const auto print = [](const System& s, expr::NodeId n) { return s.graph->print(n); };
    EXPECT_EQ(a.name, b.name);
    ASSERT_EQ(b.invariants.size(), 1U);
    EXPECT_EQ(print(a, a.invariants[0].value), print(b, b.invariants[0].value));
    ASSERT_EQ(a.start.size(), b.start.size());
    for (std::size_t k = 0; k < a.start.size(); ++k) {
        EXPECT_EQ(a.graph->print_read(a.start[k].jet, a.start[k].target),
                  b.graph->print_read(b.start[k].jet, b.start[k].target));
        EXPECT_EQ(print(a, a.start[k].value), print(b, b.start[k].value));
    }
    EXPECT_EQ(b.guesses.size(), 1U);
    EXPECT_EQ(b.holds.size(), 1U);
    EXPECT_EQ(print(b, *b.to), "10");
    EXPECT_EQ(print(b, *b.output_every), "0.05");
    ASSERT_EQ(b.options.size(), 2U);
    EXPECT_EQ(b.options[1].value, a.options[1].value);
    EXPECT_EQ(print(a, a.outputs[0].value), print(b, b.outputs[0].value));
    EXPECT_EQ(a.events[0].direction, b.events[0].direction);
    EXPECT_TRUE(b.events[0].is_stop);
    EXPECT_TRUE(m.warnings().empty());
    // the page of text names everything
    EXPECT_NE(m.describe().find("lambda"), std::string::npos);
}

TEST(Model, ChainByItsLagrangianIsThatOfTheText) {
    const std::string source = R"(parameter n = 6, c = 10
unknown x[n], y[n]
lagrangian sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2) - c/2*sum(i = 1..n-2, (x[i]-x[i+2])^2 + (y[i]-y[i+2])^2)
for i = 1..n-1:
    constraint ((x[i]-x[i+1])^2 + (y[i]-y[i+1])^2 - 1)/2 = 0
for i = 1..n:
    force x[i] = -0.1*x[i]'
    start x[i] = i/2, y[i] = 0
hold x
output tension = lambda[1]
)";
    for (const int n : {6, 300}) {
        Model m("chain");
        auto c = m.parameter("c", 10);
        auto x = m.unknown("x", {n}), y = m.unknown("y", {n});
        auto i = m.index("i", 1, n), j = m.index("i", 1, n - 2), k = m.index("i", 1, n - 1);
        m.lagrangian(sum(i, (pow(der(x(i)), 2) + pow(der(y(i)), 2)) / 2) -
                     c / 2 * sum(j, pow(x(j) - x(j + 2), 2) + pow(y(j) - y(j + 2), 2)));
        m.constraint(k, (pow(x(k) - x(k + 1), 2) + pow(y(k) - y(k + 1), 2) - 1) / 2 == 0);
        m.force(i, x(i) == -0.1 * der(x(i)));
        m.start(i, x(i) == i / 2);
        m.start(i, y(i) == 0);
        m.hold(x);
        m.output("tension", m.multipliers()(1));
        expect_same(Model::parse(source, "chain.ves", {.set = {{"n", std::to_string(n)}}}), m);
        const System& s = ModelAccess::system(m);
        ASSERT_EQ(s.outputs.size(), 1U);
        EXPECT_EQ(s.graph->print(s.outputs[0].value), "lambda[1]");
        EXPECT_EQ(s.start.size(), 2U); // families stay families
        EXPECT_EQ(s.holds.size(), 1U);
        EXPECT_LT(s.equations.size(), 20U);
    }
}

TEST(Model, HamiltonianWithPairsIsThatOfTheText) {
    const Model text = Model::parse(R"(parameter n = 4
unknown q[n], p[n], x, px
hamiltonian sum(i = 1..n, p[i]^2/2) + px^2/2 + sum(i = 1..n, sum(j = 1..n, j != i, 1/hypot(q[i] - q[j] + i, x))) with q[i]: p[i], x: px
constraint x*q[1] = 1
force x = sin(t)
)",
                                    "h.ves");
    const int n = 4;
    Model m("h");
    auto q = m.unknown("q", {n}), p = m.unknown("p", {n});
    auto x = m.unknown("x"), px = m.unknown("px");
    auto i = m.index("i", 1, n), j = m.index("j", 1, n);
    m.hamiltonian(sum(i, pow(p(i), 2) / 2) + px * px / 2 + sum(i, sum(j, j != i, 1 / hypot(q(i) - q(j) + i, x))),
                  {{q, p}, {x, px}});
    m.constraint(x * q(1) == 1);
    m.force(x == sin(m.t()));
    expect_same(text, m);
}

TEST(Model, PoissonStructuresAreThoseOfTheText) {
    const Model text = Model::parse(R"(parameter I[3] = [1, 2, 3], c = 0.1
unknown m[3], z
z' = m[1]
hamiltonian m[1]^2/(2*I[1]) + m[2]^2/(2*I[2]) + m[3]^2/(2*I[3])
poisson skew(m) for m
for i = 1..2: force m[i] = -c*m[i]
)",
                                    "body.ves");
    Model m("body");
    auto I = m.parameter("I", {3}, {1, 2, 3});
    auto c = m.parameter("c", 0.1);
    auto y = m.unknown("m", {3});
    auto z = m.unknown("z");
    auto i = m.index("i", 1, 2);
    m.equation(der(z) == y(1));
    m.hamiltonian(pow(y(1), 2) / (2 * I(1)) + pow(y(2), 2) / (2 * I(2)) + pow(y(3), 2) / (2 * I(3)));
    m.poisson(skew(y(1), y(2), y(3)), y);
    m.force(i, y(i) == -c * y(i));
    expect_same(text, m);

    const Model planar = Model::parse("unknown a, b\nhamiltonian a^2 + b^2 - a\nlet B = [[0, 1 + a^2], [-1 - a^2, 0]]\n"
                                      "poisson B for a, b\n",
                                      "planar.ves");
    Model n("planar");
    auto a = n.unknown("a"), b = n.unknown("b");
    n.poisson({{0, 1 + pow(a, 2)}, {-1 - pow(a, 2), 0}}, {a, b}); // before or after the hamiltonian
    n.hamiltonian(pow(a, 2) + pow(b, 2) - a);
    expect_same(planar, n);
}

TEST(Model, LetFamiliesConditionsAndNestedLoopsAreThoseOfTheText) {
    const Model text = Model::parse(R"(independent s
parameter n = 5, K[2,2] = [[1, 2], [3, 4]], edge[3] = [2, 5, 1]
unknown u[n], w[n,2], z
let v[i = 1..n] = u[i]^2 + s
for i = 1..n:
    u[i]' = if(i > 1, v[mod(i, n) + 1] - u[i-1], z) + product(j = 1..3, u[j] + i)
    for k = 1..2:
        w[i,k]' = K[k,1]*w[i,3-k] + if(u[i] > 0.5 and z < 2, sum(j = 1..i, j != k, u[j]*w[j,k]), v[i]')
sum(k = 1..3, u[edge[k]]*k) = z + max(u[1], u[2], 0.25) + mod(z, 0.4) + diff(z*u[2]^3, u[2]) + der(z*s)
)",
                                    "mixed.ves");
    const int n = 5;
    Model m("mixed", {.independent = "s"});
    auto K = m.parameter("K", {2, 2}, {1, 2, 3, 4});
    auto edge = m.parameter("edge", {3}, {2, 5, 1});
    auto u = m.unknown("u", {n}), w = m.unknown("w", {n, 2});
    auto z = m.unknown("z"), s = m.t();
    auto i = m.index("i", 1, n), k = m.index("k", 1, 2), e = m.index("k", 1, 3);
    auto j = m.index("j", 1, i), j3 = m.index("j", 1, 3);
    auto v = m.let("v", i, pow(u(i), 2) + s);
    m.equation(i, der(u(i)) == if_(i > 1, v(mod(i, n) + 1) - u(i - 1), z) + product(j3, u(j3) + i));
    m.equation({i, k}, der(w(i, k)) ==
                           K(k, 1) * w(i, 3 - k) + if_(u(i) > 0.5 && z < 2, sum(j, j != k, u(j) * w(j, k)), der(v(i))));
    m.equation(sum(e, u(integer(edge(e))) * e) ==
               z + max({u(1), u(2), 0.25}) + mod(z, 0.4) + diff(z * pow(u(2), 3), u(2)) + der(z * s));
    Functions F(text), G(m);
    ASSERT_EQ(F.names(), G.names());
    ASSERT_EQ(F.df_pattern().row, G.df_pattern().row);
    std::vector<double> point(F.names().size());
    for (std::size_t a = 0; a < point.size(); ++a) point[a] = 0.3 + 0.07 * static_cast<double>(a % 11);
    const std::vector<double> mu(static_cast<std::size_t>(F.n_equations()), 1.5);
    // the sum over three numbers is written out in the text and a loop here: equal up to the order of its terms
    const auto expect_near = [](const std::vector<double>& a, const std::vector<double>& b) {
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t c = 0; c < a.size(); ++c) EXPECT_NEAR(a[c], b[c], 1e-13 * (1 + std::abs(a[c]))) << c;
    };
    expect_near(F.f(0.3, point), G.f(0.3, point));
    expect_near(F.df(0.3, point), G.df(0.3, point));
    expect_near(F.d2f(0.3, point, mu), G.d2f(0.3, point, mu));
    EXPECT_EQ(F.n_equations(), G.n_equations());
}

TEST(Model, EveryFunctionIsThatOfTheText) {
    const Model text = Model::parse(R"(unknown x, y
x' = sin(x) + cos(x) + tan(x) + asin(x/2) + acos(x/2) + atan(x) + atan2(y, x) + sinh(x) + cosh(x) + tanh(x) + asinh(x)
y' = acosh(1 + x) + atanh(x/2) + exp(x) + log(x) + log10(x) + sqrt(x) + cbrt(x) + abs(x) + sign(x) + min(x, y) + hypot(x, y) + erf(x) + floor(x) + ceil(x) + x^y
)",
                                    "all.ves");
    Model m("all");
    auto x = m.unknown("x"), y = m.unknown("y");
    m.equation(der(x) == sin(x) + cos(x) + tan(x) + asin(x / 2) + acos(x / 2) + atan(x) + atan2(y, x) + sinh(x) +
                             cosh(x) + tanh(x) + asinh(x));
    m.equation(der(y) == acosh(1 + x) + atanh(x / 2) + exp(x) + log(x) + log10(x) + sqrt(x) + cbrt(x) + abs(x) +
                             sign(x) + min(x, y) + hypot(x, y) + erf(x) + floor(x) + ceil(x) + pow(x, y));
    expect_same(text, m);
}

// ---- what a model keeps ----

TEST(Model, ParametersCanBeChangedInItsFunctions) {
    Model m("decay");
    auto k = m.parameter("k", 2.0);
    auto a = m.parameter("a", {2}, {1, 3});
    auto x = m.unknown("x");
    m.equation(der(x) == -k * x + a(2));
    Functions F(m, {.backend = Backend::interpreter});
    const std::vector<double> z{1, 0};
    EXPECT_EQ(F.f(0, z), std::vector<double>{-1});
    EXPECT_EQ(F.df(0, z), (std::vector<double>{2, 1}));
    F.set_parameter("k", 5);
    F.set_parameter("a", std::vector<double>{1, 4});
    EXPECT_EQ(F.f(0, z), std::vector<double>{1});
    EXPECT_EQ(F.df(0, z), (std::vector<double>{5, 1}));
    EXPECT_EQ(F.parameter("a"), (std::vector<double>{1, 4}));
    EXPECT_FALSE(F.is_native());
    EXPECT_EQ(message([&] { F.set_parameter("kk", 1); }), "decay: there is no parameter 'kk'");
    EXPECT_EQ(message([&] { F.set_parameter("a", 1); }), "decay: the parameter 'a' has 2 elements, but 1 is given");
    EXPECT_EQ(message([&] { F.set_parameter("k", std::nan("")); }),
              "decay: parameter k = nan, but it must be a finite number");
    EXPECT_EQ(message([&] { F.f(0, std::vector<double>{1}); }),
              "decay: z has 1 elements, but 2 are needed, one for each coordinate");
}

TEST(Model, AParameterThatShapedTheModelCannotBeChangedLater) {
    const Model m = Model::parse("parameter n = 3\nunknown x[n]\nfor i = 1..n: x[i]' = -x[i]\n", "m.ves");
    Functions F(m);
    EXPECT_EQ(
        message([&] { F.set_parameter("n", 4); }),
        "m: the parameter 'n' cannot be changed here, since no formula reads it: it decided sizes, loops or other "
        "parameters. Make the model anew (from text: Model::load(path, {.set = {{\"n\", \"…\"}}}))");
}

TEST(Model, FunctionsOutliveTheModelAndFormulasToo) {
    auto F = [] {
        Model m("short");
        auto x = m.unknown("x");
        m.equation(der(x) == -x);
        return Functions(m);
    }();
    EXPECT_EQ(F.f(0, std::vector<double>{2, 1}), std::vector<double>{3});
    const Expr e = [] {
        Model m("gone");
        return m.unknown("x") + 1;
    }();
    const Expr f = e * e; // its model is gone, its formulas are not
    (void)f;
}

TEST(Model, CanGrowAfterItWasUsed) {
    Model m("growing");
    auto x = m.unknown("x", {3});
    auto i = m.index("i", 1, 3), j = m.index("j", 1, 2);
    m.lagrangian(sum(i, pow(der(x(i)), 2)) / 2);
    m.constraint(x(1) == 0);
    m.guess(m.multipliers()(1) == 2);
    EXPECT_EQ(Functions(m).n_equations(), 4);
    m.constraint(j, x(j + 1) - x(j) == 1);
    m.start(m.multipliers()(3) == 0);
    EXPECT_EQ(Functions(m).n_equations(), 6);
    EXPECT_EQ(ModelAccess::system(m).guesses.size(), 1U);
    EXPECT_EQ(ModelAccess::system(m).start.size(), 1U);
    m.output("l", m.multipliers()(4));
    EXPECT_EQ(message([&] { Functions F(m); }), "growing: output 'l': index 4 of 'lambda' is outside 1..3");
}

TEST(Model, AStatementThatFailsChangesNothing) {
    Model m("m");
    auto x = m.unknown("x", {3});
    auto i = m.index("i", 1, 3);
    m.equation(i, der(x(i)) == 0);
    const auto before = equations(m);
    EXPECT_EQ(message([&] { m.equation(i, x(i + 1) == 0); }),
              "m: equation 2: index 4 of 'x' is outside 1..3 (for i = 3)");
    EXPECT_EQ(equations(m), before);
    EXPECT_EQ(message([&] { m.equation(i, x(i - 1) == 0); }),
              "m: equation 2: index 0 of 'x' is outside 1..3 (for i = 1)");
}

TEST(Model, LongFormulasTakeLinearTimeAndNoStack) {
    const auto seconds = [](int n) {
        const auto begin = std::chrono::steady_clock::now();
        Model m("long");
        auto x = m.unknown("x"), y = m.unknown("y");
        Expr s = 0, p = 1, nested = x;
        for (int k = 1; k <= n; ++k) {
            s += sin(k * x) / k;
            p *= 1 + y / (k + 10.0 * n);
            nested = sqrt(1 + nested);
        }
        m.equation(der(x) == s + nested);
        m.equation(der(y) == p);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    seconds(1000); // warm
    const double small = seconds(10'000), large = seconds(100'000);
    // ten times the size; quadratic time would be a hundred times, 30 leaves room for a busy machine
    EXPECT_LT(large, 30 * small + 0.5);
}

TEST(Model, NativeCodeGivesTheSameBits) {
    Model m("native");
    auto x = m.unknown("x", {40});
    auto i = m.index("i", 1, 39);
    m.equation(i, der(x(i)) == sin(x(i + 1)) * x(i) + pow(x(i), 3));
    m.equation(der(x(40)) == -x(1));
    Functions slow(m, {.backend = Backend::interpreter}), fast(m);
    std::vector<double> z(80);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = 0.1 + 0.02 * static_cast<double>(k);
    const std::vector<double> mu(40, 0.5);
    fast.d2f(0, z, mu);
    fast.wait();
    EXPECT_EQ(slow.f(0, z), fast.f(0, z));
    EXPECT_EQ(slow.df(0, z), fast.df(0, z));
    EXPECT_EQ(slow.d2f(0, z, mu), fast.d2f(0, z, mu));
    std::vector<double> f(40), df(slow.df(0, z).size());
    slow.evaluate(0, z, {}, f, df, {});
    EXPECT_EQ(f, slow.f(0, z));
    EXPECT_EQ(df, slow.df(0, z));

    std::vector<double> d2f(slow.d2f(0, z, mu).size());
    fast.evaluate(0, z, mu, f, df, d2f);
    fast.wait(); // allocations are counted in all threads
    const std::size_t before = test::n_allocations();
    for (int k = 0; k < 10; ++k) {
        slow.evaluate(0, z, mu, f, df, d2f);
        fast.evaluate(0, z, mu, f, df, d2f);
    }
    EXPECT_EQ(test::n_allocations(), before);
}

TEST(Model, SharedPartsAreWorkedOnOnce) {
    Model m("shared");
    auto x = m.unknown("x", {10});
    auto i = m.index("i", 1, 10);
    Expr e = x(i);
    for (int k = 0; k < 200; ++k) e = e * e + sin(e); // 2^200 as a tree
    m.equation(i, der(x(i)) == e);
    EXPECT_LT(ModelAccess::system(m).graph->n_nodes(), 2000U);
}

TEST(Model, GreekLettersAreTheirSpelledNames) {
    Model m("greek");
    auto x = m.unknown("φ");
    m.equation(der(x) == -x);
    EXPECT_EQ(Functions(m).names(), (std::vector<std::string>{"phi", "phi'"}));
    EXPECT_EQ(message([&] { m.unknown("phi"); }), "greek: 'phi' is already an unknown; choose another name");
}

TEST(Model, AnUnusedParameterIsAWarning) {
    Model m("m");
    m.parameter("k", 1);
    auto x = m.unknown("x");
    m.equation(der(x) == -x);
    EXPECT_EQ(m.warnings(), std::vector<std::string>{"m: the parameter 'k' is used nowhere"});
}

} // namespace model_test
