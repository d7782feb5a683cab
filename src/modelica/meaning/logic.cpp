#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

NodeId both(Graph& g, NodeId a, NodeId b) {
    if (g.is_constant(a)) return g.value(a) != 0 ? b : a;
    if (g.is_constant(b)) return g.value(b) != 0 ? a : b;
    return a == b ? a : g.apply(Op::logical_and, a, b);
}

NodeId either(Graph& g, NodeId a, NodeId b) {
    if (g.is_constant(a)) return g.value(a) != 0 ? a : b;
    if (g.is_constant(b)) return g.value(b) != 0 ? b : a;
    return a == b ? a : g.apply(Op::logical_or, a, b);
}

NodeId negation(Graph& g, NodeId a) {
    const Node n = g.node(a);
    if (n.op == Op::logical_not) return n.a;
    if (n.op == Op::equal) return g.apply(Op::not_equal, n.a, n.b);
    if (n.op == Op::not_equal) return g.apply(Op::equal, n.a, n.b);
    return g.apply(Op::logical_not, a);
}

namespace {

bool is_condition(const Graph& g, NodeId n) {
    const Op op = g.node(n).op;
    return (op >= Op::less && op <= Op::logical_not) || g.is_constant(n, 0) || g.is_constant(n, 1);
}

} // namespace

NodeId choose(Graph& g, NodeId c, NodeId a, NodeId b) {
    if (g.is_constant(c)) return g.value(c) != 0 ? a : b;
    if (a == b) return a;
    const Node n = g.node(c);
    if (n.op == Op::logical_not) return choose(g, n.a, b, a);
    if (is_condition(g, a) && is_condition(g, b)) {
        if (g.is_constant(a, 1) && g.is_constant(b, 0)) return c;
        if (g.is_constant(a, 0) && g.is_constant(b, 1)) return negation(g, c);
        if (g.is_constant(a, 1)) return either(g, c, b);
        if (g.is_constant(b, 0)) return both(g, c, a);
        if (g.is_constant(a, 0)) return both(g, negation(g, c), b);
        if (g.is_constant(b, 1)) return either(g, negation(g, c), a);
    }
    return g.select(c, a, b);
}

NodeId compare(Graph& g, Op op, NodeId a, NodeId b) {
    if (op == Op::equal && a == b) return g.one();
    if (op == Op::not_equal && a == b) return g.zero();
    const Node x = g.node(a), y = g.node(b);
    // of a choice with a number in it, against a number
    if (x.op == Op::select && g.is_constant(b) && (g.is_constant(x.b) || g.is_constant(x.c)))
        return choose(g, x.a, compare(g, op, x.b, b), compare(g, op, x.c, b));
    if (y.op == Op::select && g.is_constant(a) && (g.is_constant(y.b) || g.is_constant(y.c)))
        return choose(g, y.a, compare(g, op, a, y.b), compare(g, op, a, y.c));
    if ((op == Op::equal || op == Op::not_equal) && is_condition(g, a) && is_condition(g, b)) {
        if (g.is_constant(a)) return (g.value(a) != 0) == (op == Op::equal) ? b : negation(g, b);
        if (g.is_constant(b)) return (g.value(b) != 0) == (op == Op::equal) ? a : negation(g, a);
        const NodeId same = either(g, both(g, a, b), both(g, negation(g, a), negation(g, b)));
        return op == Op::equal ? same : negation(g, same);
    }
    return g.apply(op, a, b);
}

NodeId rebuilt(Graph& g, const Node& n, NodeId a, NodeId b, NodeId c) {
    switch (n.op) {
    case Op::logical_and: return both(g, a, b);
    case Op::logical_or: return either(g, a, b);
    case Op::logical_not: return negation(g, a);
    case Op::select: return choose(g, a, b, c);
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal: return compare(g, n.op, a, b);
    default: break;
    }
    return arity(n.op) == 1 ? g.apply(n.op, a) : g.apply(n.op, a, b);
}

} // namespace vessiot::modelica
