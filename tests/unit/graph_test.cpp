#include <gtest/gtest.h>

#include "expr/graph/derivative.hpp"
#include "expr/graph/graph.hpp"

namespace vessiot::expr::graph_test {
namespace {

class Graphs : public ::testing::Test {
protected:
    Graphs() {
        x = g.add_array({.name = "x", .role = ArrayRole::unknown});
        y = g.add_array({.name = "y", .role = ArrayRole::unknown});
        p = g.add_array({.name = "p", .role = ArrayRole::parameter});
        t = g.add_array({.name = "t", .role = ArrayRole::independent});
        a = g.read(x);
        b = g.read(y);
        c = g.read(p);
    }

    std::string d_dt(NodeId n) { return g.print(total_derivative(g)(n)); }
    std::string d_dx(NodeId n) { return g.print(partial_derivative(g, n, x, g.index().list({}))); }
    NodeId num(double v) { return g.constant(v); }

    Graph g;
    ArrayId x, y, p, t;
    NodeId a, b, c;
};

TEST_F(Graphs, EqualExpressionsAreOneNode) {
    EXPECT_EQ(g.add(a, b), g.add(b, a));
    EXPECT_EQ(g.mul(g.add(a, b), c), g.mul(c, g.add(b, a)));
    EXPECT_EQ(g.print(g.add(b, g.mul(c, a))), "y + p*x") << "in the order in which it was first written";
}

TEST_F(Graphs, SimplificationsAreExact) {
    const std::pair<NodeId, std::string> cases[] = {
        {g.add(a, g.zero()), "x"},
        {g.sub(a, a), "0"},
        {g.mul(a, g.zero()), "0"},
        {g.add(a, a), "2*x"},
        {g.add(g.mul(num(3), a), g.mul(num(-1), a)), "2*x"},
        {g.sub(g.mul(num(3), a), a), "2*x"},
        {g.mul(num(2), g.mul(num(3), a)), "6*x"},
        {g.mul(g.neg(a), g.neg(b)), "x*y"},
        {g.neg(g.sub(a, b)), "y - x"},
        {g.sub(a, g.neg(b)), "x + y"},
        {g.add(g.sub(a, b), b), "x"},
        {g.sub(g.add(a, b), a), "y"},
        {g.add(g.add(a, num(2)), g.add(b, num(3))), "x + y + 5"},
        {g.div(g.mul(a, b), b), "x"},
        {g.div(g.div(a, b), c), "x/(y*p)"},
        {g.div(a, num(4)), "0.25*x"},
        {g.mul(g.apply(Op::sqrt, a), g.apply(Op::sqrt, a)), "x"},
        {g.apply(Op::sqrt, g.square(a)), "abs(x)"},
        {g.pow(a, num(3)), "x*x^2"},
        {g.pow(a, num(-1)), "1/x"},
        {g.pow(a, num(0.5)), "sqrt(x)"},
        {g.pow(a, num(0)), "1"},
        {g.apply(Op::sin, g.neg(a)), "-sin(x)"},
        {g.apply(Op::cos, g.neg(a)), "cos(x)"},
        {g.select(g.one(), a, b), "x"},
        {g.select(g.apply(Op::less, a, b), c, c), "p"},
    };
    for (const auto& [n, text] : cases) EXPECT_EQ(g.print(n), text);
}

TEST_F(Graphs, WhatHasNoValueIsKept) {
    EXPECT_EQ(g.print(g.apply(Op::log, num(-1))), "log(-1)");
    EXPECT_EQ(g.print(g.div(g.one(), g.zero())), "1/0");
}

TEST_F(Graphs, ConstantsFoldInQuadPrecision) {
    const NodeId third = g.div(g.one(), num(3));
    const Quad error = g.value(third) * 3 - 1;
    EXPECT_TRUE(error < 1e-33 && error > -1e-33);
}

TEST_F(Graphs, PrintingNeedsFewBrackets) {
    const NodeId sum = g.add(a, b);
    EXPECT_EQ(g.print(g.mul(sum, g.sub(a, c))), "(x + y)*(x - p)");
    EXPECT_EQ(g.print(g.sub(a, g.sub(b, c))), "x - (y - p)");
    EXPECT_EQ(g.print(g.div(a, g.mul(b, c))), "x/(y*p)");
    EXPECT_EQ(g.print(g.neg(g.square(a))), "-x^2");
    EXPECT_EQ(g.print(g.square(g.neg(g.mul(a, b)))), "(x*y)^2");
    EXPECT_EQ(g.print(g.pow(sum, c)), "(x + y)^p");
    EXPECT_EQ(g.print(g.read(g.derivative(g.derivative(x)))), "x''");
    EXPECT_EQ(g.print(g.select(g.apply(Op::less, a, b), a, b)), "if(x < y, x, y)");
}

TEST_F(Graphs, TotalDerivativeFollowsTheJets) {
    EXPECT_EQ(d_dt(g.mul(a, b)), "y*x' + x*y'");
    EXPECT_EQ(d_dt(g.read(t)), "1");
    EXPECT_EQ(d_dt(c), "0");
    EXPECT_EQ(d_dt(g.square(g.read(g.derivative(x)))), "2*x'*x''");
}

TEST_F(Graphs, PartialDerivativesAreTheTextbookOnes) {
    const std::pair<NodeId, std::string> cases[] = {
        {g.apply(Op::sin, g.mul(c, a)), "cos(p*x)*p"},
        {g.apply(Op::exp, a), "exp(x)"},
        {g.apply(Op::log, a), "1/x"},
        {g.apply(Op::sqrt, a), "0.5/sqrt(x)"},
        {g.apply(Op::atan2, b, a), "-y/(y^2 + x^2)"},
        {g.apply(Op::abs, a), "sign(x)"},
        {g.apply(Op::floor, a), "0"},
        {g.apply(Op::max, a, b), "if(y < x, 1, 0)"},
        {g.div(b, a), "-y/x^2"},
        {g.pow(a, c), "p*x^(p - 1)"},
        {g.select(g.apply(Op::less, a, b), g.square(a), c), "2*if(x < y, x, 0)"},
    };
    for (const auto& [n, text] : cases) EXPECT_EQ(d_dx(n), text) << g.print(n);
}

TEST_F(Graphs, ABranchNotTakenDoesNotSpoilTheDerivative) {
    // if(x > 0, sqrt(x), 0) at x = -1: the derivative is 0, not 0 * NaN
    const NodeId n = g.select(g.apply(Op::less, g.zero(), a), g.apply(Op::sqrt, a), g.zero());
    const NodeId d = partial_derivative(g, n, x, g.index().list({}));
    EXPECT_EQ(g.print(d), "0.5*if(0 < x, 1/sqrt(x), 0)");
}

TEST_F(Graphs, AGradientCostsAsMuchAsTheExpression) {
    // u <- u*x + y, a thousand times: the derivative by forward substitution would have a million terms
    NodeId u = a;
    for (int k = 0; k < 1000; ++k) u = g.add(g.mul(u, a), b);
    const std::size_t before = g.n_nodes();
    const auto gradient = local_gradient(g, u, [](ArrayId) { return true; });
    EXPECT_EQ(gradient.size(), 2U);
    EXPECT_LT(g.n_nodes() - before, 5 * before);
}

TEST_F(Graphs, LongSumsStayShallow) {
    std::vector<NodeId> terms;
    for (int k = 0; k < 100'000; ++k) terms.push_back(g.mul(num(k + 2), g.apply(Op::sin, g.add(a, num(k)))));
    const NodeId total = g.sum(terms);
    EXPECT_EQ(local_gradient(g, total, [](ArrayId) { return true; }).size(), 1U);
    EXPECT_TRUE(g.print(total).ends_with("…"));
}

// ---- families ----

TEST_F(Graphs, ASumOverAFamilyKeepsItsSizeOutOfTheGraph) {
    std::size_t nodes[2] = {};
    for (int k : {0, 1}) {
        Graph h;
        const std::int64_t n = k == 0 ? 10 : 1'000'000;
        const ArrayId q = h.add_array({.name = "q", .role = ArrayRole::unknown, .extent = {n}});
        const VarId i = h.index().loop_var("i", 0, h.index().constant(1), h.index().constant(n - 1));
        const FormId at = h.index().var(i), next = h.index().add(at, h.index().constant(1));
        const NodeId d = h.sub(h.read(q, h.index().list({at})), h.read(q, h.index().list({next})));
        const NodeId energy = h.sum(h.index().domain(std::vector{i}), 0, h.square(d));
        const auto grad = gradient(h, energy, [&](ArrayId v) { return v == q; });
        EXPECT_EQ(h.array(grad.at(q)).definition.size(), 3U) << "first, inner, last";
        nodes[k] = h.n_nodes();
    }
    EXPECT_EQ(nodes[0], nodes[1]);
}

TEST_F(Graphs, AGradientIsTurnedAroundIntoPieces) {
    Graph h;
    const ArrayId q = h.add_array({.name = "q", .role = ArrayRole::unknown, .extent = {6}});
    const VarId i = h.index().loop_var("i", 0, h.index().constant(1), h.index().constant(4));
    const FormId at = h.index().var(i), next = h.index().add(at, h.index().constant(2));
    const NodeId d = h.sub(h.read(q, h.index().list({at})), h.read(q, h.index().list({next})));
    const auto grad =
        gradient(h, h.sum(h.index().domain(std::vector{i}), 0, h.square(d)), [&](ArrayId v) { return v == q; });
    std::vector<std::string> pieces;
    for (const Contribution& piece : h.array(grad.at(q)).definition) {
        std::string range;
        for (VarId v : h.index().domain(piece.domain).vars) range += h.index().print_range(v) + ": ";
        pieces.push_back(range + h.print(piece.body));
    }
    EXPECT_EQ(pieces, (std::vector<std::string>{"i = 1..2: 2*(q[i] - q[i+2])",
                                                "i = 3..4: 2*(q[i] - q[i+2]) - 2*(q[i-2] - q[i])",
                                                "i = 5..6: -2*(q[i-2] - q[i])"}));
}

TEST_F(Graphs, ASumThatDoesNotUseTheOuterIndexIsComputedOnce) {
    Graph h;
    const ArrayId q = h.add_array({.name = "q", .role = ArrayRole::unknown, .extent = {5}});
    const VarId i = h.index().loop_var("i", 0, h.index().constant(1), h.index().constant(5));
    const VarId j = h.index().loop_var("j", 1, h.index().constant(1), h.index().constant(5));
    const NodeId s = h.sum(h.index().domain({i, j}), 1, h.read(q, h.index().list({h.index().var(j)})));
    EXPECT_EQ(h.array(h.node(s).a).size(), 1);
    EXPECT_EQ(h.print(s), "sum(j = 1..5, q[j])");
}

} // namespace
} // namespace vessiot::expr::graph_test
