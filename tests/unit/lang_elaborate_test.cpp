// From syntax trees to systems: what the statements of a model mean.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "expr/functions/vmath.hpp"
#include "lang/model.hpp"
#include "lang/parts/parts.hpp"
#include "lang/syntax/parser.hpp"
#include "system/check.hpp"

namespace vessiot::lang::lang_elaborate_test {
namespace {

using expr::ArrayId;
using expr::ArrayRole;
using expr::Env;
using expr::NodeId;
using expr::Op;

System elaborate_text(const std::string& text, const Settings& settings = {}) {
    const Source source("model.ves", text);
    Warnings warnings;
    const Module module = read_module(source, warnings);
    return std::move(elaborate(module, settings).system);
}

// Evaluates expressions the slow, obvious way. An element of an unknown is a made-up number that depends on its name,
// order and place, so that equal values mean equal expressions.
class Naive {
public:
    explicit Naive(const System& system) : system_(system), graph_(*system.graph) {}

    double jet(const std::string& name, int order, const std::vector<std::int64_t>& at = {}) const {
        double seed = 1.3 * static_cast<double>(order) + 0.1;
        for (const char c : name) seed = 1.7 * seed + 0.01 * c;
        for (const std::int64_t i : at) seed = 1.9 * seed + 0.37 * static_cast<double>(i);
        return 1.5 + std::sin(seed);
    }

    double operator()(NodeId node, const Env& env = {}) const {
        const expr::Node& x = graph_.node(node);
        switch (x.op) {
        case Op::constant: return static_cast<double>(graph_.value(node));
        case Op::index_value: return static_cast<double>(graph_.index().value(x.a, env));
        case Op::read: return element(x.a, x.b, env);
        case Op::select: return (*this)(x.a, env) != 0 ? (*this)(x.b, env) : (*this)(x.c, env);
        default: break;
        }
        const double b = expr::arity(x.op) > 1 ? (*this)(x.b, env) : 0;
        return expr::apply<double>(x.op, (*this)(x.a, env), b);
    }

    double element(ArrayId a, expr::ListId indices, const Env& env) const {
        const expr::Array& array = graph_.array(a);
        std::vector<std::int64_t> at;
        for (const expr::FormId f : graph_.index().forms(indices)) at.push_back(graph_.index().value(f, env));
        EXPECT_GE(graph_.address(a, indices, env), 0) << "an element outside of " << array.name << " is read";
        if (array.role == ArrayRole::unknown) return jet(array.name, array.order, at);
        if (array.role == ArrayRole::independent) return 0.7;
        if (array.role == ArrayRole::parameter) {
            for (const Parameter& p : system_.parameters)
                if (p.array == a) {
                    const auto address = static_cast<std::size_t>(graph_.address(a, indices, env));
                    return static_cast<double>(p.values[address]);
                }
        }
        double sum = 0;
        for (const expr::Contribution& c : array.definition) {
            graph_.index().for_each(c.domain, [&](const Env& inner) {
                std::vector<std::int64_t> target;
                for (const expr::FormId f : graph_.index().forms(c.target))
                    target.push_back(graph_.index().value(f, inner));
                if (target == at) sum += (*this)(c.body, inner);
                return true;
            });
        }
        return sum;
    }

    // Residuals of all equations in order.
    std::vector<double> residuals() const {
        std::vector<double> result;
        for (const Equation& e : system_.equations) {
            graph_.index().for_each(e.domain, [&](const Env& env) {
                result.push_back((*this)(e.residual, env));
                return true;
            });
        }
        return result;
    }

private:
    const System& system_;
    const expr::Graph& graph_;
};

void expect_residuals(const System& system, const std::vector<double>& expected) {
    const std::vector<double> found = Naive(system).residuals();
    ASSERT_EQ(found.size(), expected.size());
    // rounding of a few dozen operations
    for (std::size_t k = 0; k < found.size(); ++k)
        EXPECT_NEAR(found[k], expected[k], 1e-12 * (1 + std::abs(expected[k])));
}

// Each pair of models must have the same equations.
void expect_same(const std::string& a, const std::string& b) {
    const System first = elaborate_text(a), second = elaborate_text(b);
    expect_residuals(first, Naive(second).residuals());
}

std::vector<std::string> residual_texts(const System& system) {
    std::vector<std::string> texts;
    for (const Equation& e : system.equations) texts.push_back(system.graph->print(e.residual));
    return texts;
}

// ---- the examples of the language ----

const char* const pendulum = R"(
parameter g = 9.81, l = 1
unknown   x, y, lambda

x'' = -lambda*x
y'' = -lambda*y - g
x^2 + y^2 = l^2

invariant (x'^2 + y'^2)/2 + g*y      # value taken from the start point

start  x = l, y = 0, x' = 0, y' = 0  # lambda is computed
solve  t = 0 .. 10
option method = dopri54, rtol = 1e-8, atol = 1e-10
output every 0.05
event  lowest: x = 0 rising
)";

TEST(Pendulum, HasWhatItsTextSays) {
    const Source source("some/folder/pendulum.ves", pendulum);
    const System s = read_model(source);
    const expr::Graph& g = *s.graph;
    EXPECT_EQ(s.name, "pendulum");
    EXPECT_EQ(residual_texts(s), (std::vector<std::string>{"x'' + lambda*x", "y'' + lambda*y + g", "x^2 + y^2 - l^2"}));
    EXPECT_EQ(s.equations[1].text, "y'' = -lambda*y - g");
    EXPECT_EQ(s.equations[1].where.line, 6);
    EXPECT_EQ(s.equations[1].where.column, 1);
    ASSERT_EQ(s.unknowns.size(), 3U);
    EXPECT_EQ(s.unknowns[0].order, 2);
    EXPECT_EQ(s.unknowns[2].order, 0);
    EXPECT_EQ(s.unknowns[2].where.column, 17);
    ASSERT_EQ(s.parameters.size(), 2U);
    EXPECT_EQ(s.parameters[0].values.front(), static_cast<Quad>(981) / 100) << "quad precision is kept";
    ASSERT_EQ(s.invariants.size(), 1U);
    EXPECT_FALSE(s.invariants[0].kept);
    EXPECT_EQ(g.print(s.invariants[0].value), "0.5*(x'^2 + y'^2) + g*y");
    ASSERT_EQ(s.start.size(), 4U);
    EXPECT_EQ(g.print_read(s.start[2].jet, s.start[2].target), "x'");
    EXPECT_EQ(g.print(s.start[0].value), "l");
    EXPECT_EQ(g.print(*s.from) + " " + g.print(*s.to) + " " + g.print(*s.output_every), "0 10 0.05");
    ASSERT_EQ(s.options.size(), 3U);
    EXPECT_EQ(s.options[1].name + s.options[1].value, "rtol1e-8");
    ASSERT_EQ(s.events.size(), 1U);
    EXPECT_EQ(s.events[0].direction, vessiot::EventDirection::rising);
    EXPECT_FALSE(s.events[0].is_stop);
    EXPECT_TRUE(s.warnings.empty());
}

const char* const chain = R"(
parameter n = 6, c = 10
unknown   x[n], y[n]

lagrangian sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2)
         - c/2*sum(i = 1..n-2, (x[i]-x[i+2])^2 + (y[i]-y[i+2])^2)
for i = 1..n-1:
    constraint ((x[i]-x[i+1])^2 + (y[i]-y[i+1])^2 - 1)/2 = 0
output pull = lambda[n-1]
)";

TEST(Chain, HasTheSameTemplatesForEveryLength) {
    std::size_t n_nodes = 0;
    for (const char* n : {"100", "100000"}) {
        const auto begin = std::chrono::steady_clock::now();
        const System s = elaborate_text(chain, {.set = {{"n", n}}});
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        if (n_nodes == 0) n_nodes = s.graph->n_nodes();
        EXPECT_EQ(s.graph->n_nodes(), n_nodes);
        // milliseconds; the rest is for sanitizers and busy machines
        EXPECT_LT(time.count(), 0.5);
        EXPECT_EQ(s.graph->array(s.unknowns[0].array).size(), std::stoll(n));
    }
}

TEST(Chain, MakesMultipliersThatOutputsCanName) {
    const System s = elaborate_text(chain);
    ASSERT_NE(s.unknown("lambda"), nullptr);
    EXPECT_TRUE(s.unknown("lambda")->is_multiplier);
    EXPECT_EQ(s.graph->print(s.outputs.at(0).value), "lambda[5]");
    EXPECT_EQ(s.equations.front().kind, EquationKind::constraint);
    EXPECT_EQ(s.equations.back().kind, EquationKind::motion);
}

TEST(Documentation, EveryModelElaborates) {
    const std::filesystem::path page = std::filesystem::path(VESSIOT_SOURCE_DIR) / "docs" / "language.md";
    std::ifstream in(page);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string open = "```ves\n";
    int n_models = 0;
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
        const std::size_t begin = at + open.size();
        at = text.find("```", begin);
        const std::string model = text.substr(begin, at - begin);
        if (model.starts_with("matrix") || model.find("\nmatrix") != std::string::npos) continue;
        EXPECT_NO_THROW(elaborate_text(model)) << model;
        ++n_models;
    }
    EXPECT_GT(n_models, 5);
}

// ---- names and parameters ----

TEST(Parameters, FollowWhatIsSet) {
    const std::string model = "parameter a = 1, b = 2*a, c[2] = [a, b]\nunknown x\nx' = a*b*c[2]*x\n";
    System s = elaborate_text(model);
    EXPECT_EQ(s.parameters[2].values[1], 2);
    EXPECT_EQ(residual_texts(s).front(), "x' - a*b*c[2]*x") << "parameters are read, not folded in";
    s = elaborate_text(model, {.set = {{"a", "3"}}});
    EXPECT_EQ(s.parameters[1].values[0], 6);
    EXPECT_EQ(s.parameters[2].values[0], 3);
    s = elaborate_text(model, {.set = {{"b", "a^2 + 5"}, {"c", "[7, 8]"}}});
    EXPECT_EQ(s.parameters[1].values[0], 6);
    EXPECT_EQ(s.parameters[2].values[1], 8);
    s = elaborate_text(model, {.set = {{"c", "4"}}});
    EXPECT_EQ(s.parameters[2].values[1], 4);
}

TEST(Parameters, MayBeUsedBeforeTheyAreDeclared) {
    const System s = elaborate_text("unknown x[m]\nlet k = m - 1\nx' = b*x\nparameter b = m/k, m = 3\n");
    EXPECT_EQ(s.graph->array(s.unknowns[0].array).size(), 3);
    EXPECT_EQ(s.parameters[0].values[0], static_cast<Quad>(3) / 2);
}

TEST(Parameters, AreComputedInQuadPrecision) {
    const System s =
        elaborate_text("parameter w = 2*pi/3, z = sum(k = 1..20, 1/k^2), e1 = e, p = product(k = 1..5, k)\n"
                       "unknown x\nx' = w*z*e1*p\n");
    const auto third = static_cast<Quad>(1) / 3;
    const Quad pi = 4 * expr::apply<Quad>(Op::atan, 1);
    EXPECT_LT(static_cast<double>(s.parameters[0].values[0] - 2 * pi * third), 1e-32);
    EXPECT_GT(static_cast<double>(s.parameters[0].values[0] - 2 * pi * third), -1e-32);
    EXPECT_DOUBLE_EQ(static_cast<double>(s.parameters[1].values[0]), 1.5961632439130234);
    EXPECT_DOUBLE_EQ(static_cast<double>(s.parameters[2].values[0]), std::exp(1.0));
    EXPECT_EQ(s.parameters[3].values[0], 120);
}

TEST(Parameters, ThatNothingUsesGiveAWarning) {
    const Source source("model.ves", "parameter a = 1, b = 2\nparameter k = 3, n = 1\nunknown x[n]\nx' = b*x\n");
    const System s = read_model(source);
    ASSERT_EQ(s.warnings.size(), 2U);
    EXPECT_EQ(s.warnings[1], "model.ves:2:11: warning: the parameter 'k' is used nowhere\n"
                             "    parameter k = 3, n = 1\n"
                             "              ^");
    EXPECT_FALSE(s.parameters[0].is_used);
    EXPECT_TRUE(s.parameters[3].is_used) << "a size is a use";
}

TEST(Names, EulersNumberGivesWayToTheModel) {
    EXPECT_EQ(residual_texts(elaborate_text("unknown x\nx' = e^x\n")).front(), "x' - exp(x)");
    EXPECT_EQ(residual_texts(elaborate_text("unknown x, e\nx' = e\ne' = 1\n")).front(), "x' - e");
}

TEST(Names, GreekLettersAndTheirNamesAreTheSame) {
    expect_same("unknown θ\nparameter ω = 2\ntheta'' = -omega^2*θ\n",
                "unknown theta\nparameter omega = 2\ntheta'' = -omega^2*theta\n");
}

TEST(Names, TheIndependentVariableCanBeRenamed) {
    const System s = elaborate_text("independent s\nunknown t\nt' = s\nsolve s = 0 .. 1\n");
    EXPECT_EQ(s.independent_name, "s");
    EXPECT_EQ(residual_texts(s).front(), "t' - s");
}

TEST(Lets, AreExpandedInAnyOrder) {
    expect_same("unknown x, y\nlet a = b*x\nx' = a\ny' = a' + b'\nlet b = x + y\n",
                "unknown x, y\nx' = (x + y)*x\ny' = (x' + y')*x + (x + y)*x' + x' + y'\n");
}

TEST(Lets, FamiliesAreArrays) {
    expect_same("parameter n = 3\nunknown x[n]\nlet v[i = 0..n-1] = x[i+1]^2\nfor i = 1..n: x[i]' = v[i-1] + v[0]'\n",
                "parameter n = 3\nunknown x[n]\nfor i = 1..n: x[i]' = x[i]^2 + 2*x[1]*x[1]'\n");
}

TEST(Lets, MayBeVectors) {
    expect_same("unknown r[3], s\nlet v = [r[1], s, 2]\nlet w = 2*r\nfor i = 1..3: r[i]' = v[i] + w[i]\ns' = norm(v)\n",
                "unknown r[3], s\nr[1]' = r[1] + 2*r[1]\nr[2]' = s + 2*r[2]\nr[3]' = 2 + 2*r[3]\n"
                "s' = sqrt(r[1]^2 + s^2 + 4)\n");
}

TEST(Functions, TakeExpressionsAndVectors) {
    expect_same("parameter k = 2\nunknown x, y, r[3]\nfunction spring(a, b) = k*(a - b)\nfunction square(v) = dot(v, "
                "v) + v[1]\n"
                "function speed(a) = a'\nx'' = -spring(x, y)\ny'' = square(r) + square([x, y])\nr' = speed(x*y)*r\n",
                "parameter k = 2\nunknown x, y, r[3]\nx'' = -k*(x - y)\n"
                "y'' = r[1]^2 + r[2]^2 + r[3]^2 + r[1] + x^2 + y^2 + x\nr' = (x'*y + x*y')*r\n");
}

TEST(Functions, ArgumentsCanBeIndices) {
    expect_same(
        "parameter n = 4\nunknown x[n]\nfunction left(k) = if(k == 1, 0, x[k-1])\nfor i = 1..n: x[i]' = left(i) + "
        "left(n)\n",
        "parameter n = 4\nunknown x[n]\nx[1]' = x[3]\nx[2]' = x[1] + x[3]\nx[3]' = x[2] + x[3]\nx[4]' = x[3] + x[3]\n");
}

// ---- loops ----

TEST(Loops, BoundsMayUseOuterIndices) {
    expect_same(
        "parameter n = 3\nunknown p[n,n]\nfor i = 1..n:\n    p[i,i]' = i\n    for j = 1..i-1:\n        p[i,j] = "
        "p[j,i]\n",
        "unknown p[3,3]\np[1,1]' = 1\np[2,2]' = 2\np[3,3]' = 3\np[2,1] = p[1,2]\np[3,1] = p[1,3]\np[3,2] = p[2,3]\n");
}

TEST(Loops, EmptyRangesGiveNothing) {
    const System s = elaborate_text("parameter n = 1\nunknown x[n]\nfor i = 2..n: x[i+7] = x[i]\n"
                                    "x[1]' = sum(i = 2..n, x[i-5]) + product(i = 2..n, x[i])\n");
    ASSERT_EQ(s.equations.size(), 1U);
    expect_residuals(s, {Naive(s).jet("x", 1, {1}) - 1});
}

TEST(Loops, ConditionsOnIndicesGuardWhatTheyEnclose) {
    expect_same(
        "parameter n = 5\nunknown x[n]\n"
        "for i = 1..n: x[i]' = if(i > 1 and i != n, x[i-1]*x[i+1], sum(j = 1..n, j != i, x[j])) + if(i == n, 0, sum(j "
        "= 1..3, x[i+1]*j))\n",
        "unknown x[5]\nx[1]' = x[2]+x[3]+x[4]+x[5] + 6*x[2]\nx[2]' = x[1]*x[3] + 6*x[3]\nx[3]' = x[2]*x[4] + 6*x[4]\n"
        "x[4]' = x[3]*x[5] + 6*x[5]\nx[5]' = x[1]+x[2]+x[3]+x[4]\n");
}

TEST(Loops, AConditionOnDataAndIndicesStillGuardsTheElements) {
    // at i = n the element x[n+1] must not be read, whatever x[1] is
    expect_same("parameter n = 3\nunknown x[n]\nfor i = 1..n: x[i]' = if(x[1] > 0 and i < n, x[i+1], 1)\n",
                "unknown x[3]\nx[1]' = if(x[1] > 0, x[2], 1)\nx[2]' = if(x[1] > 0, x[3], 1)\nx[3]' = 1\n");
}

TEST(Loops, ParametersDecideWhichBranchMustMakeSense) {
    const std::string model =
        "parameter n = 2, mode = 1\nunknown x[n]\nx[1]' = if(n > 2, x[3], 7) + if(mode == 1, x[1], x[2])\nx[2]' = 1\n";
    const System s = elaborate_text(model);
    EXPECT_EQ(residual_texts(s).front(), "x[1]' - (if(mode == 1, x[1], x[2]) + 7)") << "mode stays a parameter";
    EXPECT_TRUE(s.parameters[0].is_structural);
    EXPECT_FALSE(s.parameters[1].is_structural);
}

TEST(Loops, ParametersInConditionsMayChangeUnlessTheyGuardABranch) {
    const auto structural = [](const std::string& rest) {
        std::string names;
        for (const Parameter& p : elaborate_text("parameter k = 1, m = 2, n = 3\nunknown x[3]\n" + rest).parameters)
            if (p.is_structural) names += p.name;
        return names;
    };
    const std::string others = "x[2]' = 0\nx[3]' = k + m + n\n";
    EXPECT_EQ(structural("x[1]' = if(k > m, x[1], x[2])\n" + others), "");
    EXPECT_EQ(structural("x[1]' = if(k > m and x[2] > 0, x[1], x[2])\n" + others), "");
    EXPECT_EQ(structural("function f(a) = if(a == 1 or not a < m, 1, 2)\nx[1]' = f(k)\n" + others), "");
    EXPECT_EQ(structural("x[1]' = if(n > 3, x[4], k)\n" + others), "n");
    EXPECT_EQ(structural("x[1]' = if(n > 3 and x[2] > 0, x[4], k)\n" + others), "n");
    EXPECT_EQ(structural("for i = 1..3: x[i]' = if(i <= m, k, n)\n"), "m");
}

TEST(Loops, TablesOfIntegersAreIndices) {
    expect_same("parameter edge[3,2] = [[1, 2], [2, 4], [4, 1]]\nunknown x[4], y[3]\n"
                "for k = 1..3: y[k] = x[edge[k,1]] - x[edge[k,2]]\n"
                "for i = 1..4: x[i]' = sum(k = 1..3, edge[k,1] == i, y[k])\n",
                "unknown x[4], y[3]\ny[1] = x[1] - x[2]\ny[2] = x[2] - x[4]\ny[3] = x[4] - x[1]\n"
                "x[1]' = y[1]\nx[2]' = y[2]\nx[3]' = 0\nx[4]' = y[3]\n");
}

TEST(Loops, IndexArithmetic) {
    expect_same(
        "parameter n = 4\nunknown x[n]\nfor i = 1..n: x[i]' = x[mod(i, n) + 1] + x[floor((i + 1)/2)] + x[n + 1 - "
        "i]*i/n\n",
        "unknown x[4]\nx[1]' = x[2] + x[1] + x[4]/4\nx[2]' = x[3] + x[1] + x[3]/2\nx[3]' = x[4] + x[2] + x[2]*3/4\n"
        "x[4]' = x[1] + x[2] + x[1]\n");
}

TEST(Loops, TrianglesAreCheckedWithoutEnumeration) {
    const auto begin = std::chrono::steady_clock::now();
    const System s = elaborate_text("parameter n = 9000\nunknown p[n,n]\n"
                                    "for i = 1..n:\n    for j = 1..i:\n        p[i,j]' = p[i+1-j,j] + p[j,i]\n");
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(s.equations.size(), 1U);
    // forty million instances: counted once, never visited for each index
    EXPECT_LT(time.count(), 30);
}

TEST(Sums, SeveralIndicesAreOneSum) {
    const System s =
        elaborate_text("parameter n = 20\nunknown x[n], s\nx' = x\ns = sum(i = 1..n, j = 1..n, i < j, x[i]*x[j])\n");
    double expected = Naive(s).jet("s", 0);
    for (int i = 1; i <= 20; ++i)
        for (int j = i + 1; j <= 20; ++j) expected -= Naive(s).jet("x", 0, {i}) * Naive(s).jet("x", 0, {j});
    EXPECT_NEAR(Naive(s).residuals().back(), expected, 1e-10);
    std::size_t n_defined = 0;
    for (ArrayId a = 0; a < s.graph->n_arrays(); ++a) n_defined += s.graph->array(a).role == ArrayRole::defined ? 1 : 0;
    EXPECT_EQ(n_defined, 1U);
}

TEST(Sums, OfVectorsAreVectors) {
    expect_same(
        "parameter n = 12\nunknown x[n], c[2]\nx' = x\nc = sum(i = 1..n, x[i]*[1, i])\n",
        "parameter n = 12\nunknown x[n], c[2]\nx' = x\nc[1] = sum(i = 1..n, x[i])\nc[2] = sum(i = 1..n, i*x[i])\n");
}

TEST(Products, AreWrittenOut) {
    expect_same("parameter n = 3\nunknown x[n]\nfor i = 1..n: x[i]' = product(j = 1..n, j != i, x[j]) + product(k = "
                "1..i, x[k] + k)\n",
                "unknown x[3]\nx[1]' = x[2]*x[3] + (x[1]+1)\nx[2]' = x[1]*x[3] + (x[1]+1)*(x[2]+2)\n"
                "x[3]' = x[1]*x[2] + (x[1]+1)*(x[2]+2)*(x[3]+3)\n");
}

// ---- derivatives ----

TEST(Derivatives, PrimesAreTotalDerivatives) {
    expect_same("parameter a = 3\nunknown x, y\n(x*y)'' + a' + t' = der(x) + der(y, 2) + der(sin(x))\ny' = (x^2)'\n",
                "unknown x, y\nx''*y + 2*x'*y' + x*y'' + 1 = x' + y'' + cos(x)*x'\ny' = 2*x*x'\n");
}

TEST(Derivatives, DiffIsPartial) {
    expect_same("parameter k = 2\nunknown x, y, q[3]\nlet L = k*x'^2*y + t*x + dot(q, q)*q[1]\nx' = diff(L, x') + "
                "diff(L, x) + diff(L, k)\n"
                "y' = diff(L, t)\nq' = diff(L, q)\n",
                "parameter k = 2\nunknown x, y, q[3]\nx' = 2*k*x'*y + t + x'^2*y\ny' = x\n"
                "q[1]' = 2*q[1]^2 + dot(q, q)\nq[2]' = 2*q[2]*q[1]\nq[3]' = 2*q[3]*q[1]\n");
}

// ---- vectors ----

TEST(Vectors, HoldComponentwise) {
    const System s = elaborate_text("parameter n = 50\nunknown x[n], v[n]\nx' = v\nv' = -2*x + v/3\n");
    EXPECT_EQ(residual_texts(s), (std::vector<std::string>{"x[i]' - v[i]", "v[i]' - (v[i]/3 - 2*x[i])"}))
        << "a family is one template";
    EXPECT_EQ(s.graph->index().count(s.equations[0].domain, 1000), 50);
}

TEST(Vectors, ProductsAndFunctions) {
    expect_same("parameter B[3] = [1, 2, 3], K[3,3] = [[1, 2, 0], [0, 1, 5], [7, 0, 1]]\nunknown r[3], s, u\n"
                "r' = cross(r, B) + K*r - transpose(K)*r + skew(B)*r + identity(3)*r + inverse(K)*r\n"
                "s' = dot(r, B) + norm(r) + det(K) + trace(K)\nu' = det(K*inverse(K)) + max(r) + min(s, u, 1)\n",
                "parameter B[3] = [1, 2, 3]\nunknown r[3], s, u\nparameter d = 71\n"
                "r[1]' = r[2]*3 - r[3]*2 + (r[1] + 2*r[2]) - (r[1] + 7*r[3]) + (2*r[3] - 3*r[2]) + r[1] + (r[1] - "
                "2*r[2] + 10*r[3])/d\n"
                "r[2]' = r[3]*1 - r[1]*3 + (r[2] + 5*r[3]) - (2*r[1] + r[2]) + (3*r[1] - r[3]) + r[2] + (35*r[1] + "
                "r[2] - 5*r[3])/d\n"
                "r[3]' = r[1]*2 - r[2]*1 + (7*r[1] + r[3]) - (5*r[2] + r[3]) + (r[2] - 2*r[1]) + r[3] + (-7*r[1] + "
                "14*r[2] + r[3])/d\n"
                "s' = r[1] + 2*r[2] + 3*r[3] + sqrt(r[1]^2 + r[2]^2 + r[3]^2) + d + 3\n"
                "u' = 1 + max(r[1], max(r[2], r[3])) + min(min(s, u), 1)\n");
}

TEST(Vectors, LargeMatricesStayFamilies) {
    const System s = elaborate_text("parameter n = 30, K[n,n] = 0.5\nunknown x[n]\nx' = K*x + dot(x, x)*x\n");
    EXPECT_EQ(s.equations.size(), 1U);
    EXPECT_LT(s.graph->n_nodes(), 40U);
    double dot = 0, row = 0;
    const Naive naive(s);
    for (int i = 1; i <= 30; ++i) {
        dot += std::pow(naive.jet("x", 0, {i}), 2);
        row += 0.5 * naive.jet("x", 0, {i});
    }
    EXPECT_NEAR(naive.residuals()[4], naive.jet("x", 1, {5}) - row - dot * naive.jet("x", 0, {5}), 1e-12 * dot);
}

TEST(Vectors, ZeroStandsForAVectorOfZeros) {
    const System s = elaborate_text("unknown r[3]\ncross(r, r') = 0\n");
    EXPECT_EQ(s.equations.size(), 3U);
}

TEST(Vectors, LongChainsAreBalanced) {
    std::string text = "unknown x\nx' = 0";
    for (int k = 1; k <= 100'000; ++k) text += fmt::format(" + sin({}*x)", k);
    const System s = elaborate_text(text + "\n");
    std::size_t depth = 0;
    std::map<NodeId, std::size_t> depths;
    for (const NodeId n : s.graph->cone({s.equations[0].residual})) {
        const expr::Node& x = s.graph->node(n);
        std::size_t d = 0;
        const NodeId operands[] = {x.a, x.b, x.c};
        for (int k = 0; k < expr::arity(x.op); ++k) d = std::max(d, depths[operands[k]] + 1);
        depth = std::max(depth, depths[n] = d);
    }
    EXPECT_LT(depth, 30U);
}

// ---- other statements ----

TEST(Start, ElementsWinOverFamilies) {
    const System s = elaborate_text("unknown x[3], r[2]\nx' = x\nr' = r\nstart x[2] = 5\nstart x = 1, r = [3, 4]\n"
                                    "for i = 1..3: start x[i]' = 2*i\nguess x'' = 0\nhold x, r[1]'\n");
    ASSERT_EQ(s.start.size(), 5U);
    EXPECT_EQ(s.graph->print(s.start[0].value), "1");
    EXPECT_EQ(s.graph->index().count(s.start[0].domain, 10), 3);
    EXPECT_EQ(s.graph->print(s.start[1].value), "2*i");
    EXPECT_EQ(s.graph->print_read(s.start[2].jet, s.start[2].target), "x[2]");
    EXPECT_EQ(s.graph->print_read(s.start[4].jet, s.start[4].target), "r[2]");
    ASSERT_EQ(s.guesses.size(), 1U);
    EXPECT_EQ(s.graph->array(s.guesses[0].jet).order, 2);
    ASSERT_EQ(s.holds.size(), 2U);
    EXPECT_EQ(s.graph->print_read(s.holds[1].jet, s.holds[1].target), "r[1]'");
}

TEST(Invariants, HaveALevelOrTakeItFromTheStart) {
    const System s =
        elaborate_text("parameter c = 2\nunknown x, y\nx' = y\ny' = -x\ninvariant x^2 + y^2\ninvariant x^2 = c^2\n"
                       "invariant x = y\ninvariant [x, y] = [1, c]\n");
    ASSERT_EQ(s.invariants.size(), 5U);
    EXPECT_FALSE(s.invariants[0].kept);
    EXPECT_EQ(s.graph->print(*s.invariants[1].kept), "c^2");
    EXPECT_EQ(s.graph->print(s.invariants[2].value), "x - y");
    EXPECT_TRUE(s.graph->is_constant(*s.invariants[2].kept, 0));
    EXPECT_EQ(s.graph->print(*s.invariants[4].kept), "c");
}

TEST(Mechanics, HamiltonianPairsAndForces) {
    const System s = elaborate_text("parameter n = 4\nunknown q[n], p[n], x, px\n"
                                    "hamiltonian sum(i = 1..n, p[i]^2 + q[i]^2)/2 + px^2/2 with x: px, q[i]: p[i]\n"
                                    "force x = -px\nfor i = 2..n: force q[i] = -p[i]\n");
    ASSERT_EQ(s.pairs.size(), 2U);
    EXPECT_EQ(s.graph->array(s.pairs[1].momentum).name, "p");
    ASSERT_EQ(s.forces.size(), 2U);
    EXPECT_EQ(s.graph->index().count(s.forces[1].domain, 10), 3);
}

TEST(Mechanics, ConstraintsWithoutALagrangianAreEquations) {
    const System s = elaborate_text("unknown x, y, lambda\nx' = y - lambda*x\ny' = -x\nconstraint x^2 + y^2 = 1\n");
    EXPECT_EQ(s.equations.back().kind, EquationKind::written);
}

TEST(Options, KeepTheirTextAndWorkOutFormulas) {
    const System s =
        elaborate_text("parameter h = 0.5\nunknown x\nx' = 1\noption method = kernel-svd, partition = [[x, y], [z]],\n"
                       "    step = h/4, size = h, word = e, tol = 2*1e-3\n");
    std::map<std::string, std::string> options;
    for (const Option& o : s.options) options[o.name] = o.value;
    EXPECT_EQ(options["method"], "kernel-svd");
    EXPECT_EQ(options["partition"], "[[x, y], [z]]");
    EXPECT_EQ(options["step"], "0.125");
    EXPECT_EQ(options["size"], "0.5");
    EXPECT_EQ(options["word"], "e");
    EXPECT_EQ(std::stod(options["tol"]), 0.002);
}

TEST(Elaboration, TenThousandEquationsTakeAMoment) {
    std::string text = "unknown x[10000]\n";
    for (int k = 1; k <= 10000; ++k)
        text += fmt::format("x[{0}]' = sin({0}*x[{0}]) - x[{1}]*{0}.5\n", k, k % 10000 + 1);
    const auto begin = std::chrono::steady_clock::now();
    const System s = elaborate_text(text);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(s.equations.size(), 10000U);
    // a quarter of a second; the rest is for sanitizers and busy machines
    EXPECT_LT(time.count(), 10);
}

TEST(Elaboration, DeepExpressionsAndLongChainsOfDefinitionsAreFine) {
    std::string deep = "x";
    for (int k = 0; k < 240; ++k) deep = "(1 + 2*sin(" + deep + "))";
    EXPECT_NO_THROW(elaborate_text("unknown x\nx' = " + deep + "\n"));
    std::string lets = "unknown x\nlet b0 = x\n";
    for (int k = 1; k < 20000; ++k) lets += fmt::format("let b{} = b{}*x + {}\n", k, k - 1, k);
    EXPECT_NO_THROW(elaborate_text(lets + "x' = b19999\n"));
}

TEST(Elaboration, ExpandingFunctionsHaveALimit) {
    std::string text = "unknown x\nfunction f0(a) = sin(a)\n";
    for (int k = 1; k < 60; ++k) text += fmt::format("function f{0}(a) = f{1}(f{1}(a))\n", k, k - 1);
    EXPECT_THROW(elaborate_text(text + "x' = f59(x)\n"), InvalidInput);
}

} // namespace
} // namespace vessiot::lang::lang_elaborate_test
