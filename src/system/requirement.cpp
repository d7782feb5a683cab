#include "system/requirement.hpp"

namespace vessiot {

using namespace expr;

NodeId relaxed(Graph& g, NodeId condition) {
    const Node n = g.node(condition);
    if (n.op == Op::logical_and || n.op == Op::logical_or) return g.apply(n.op, relaxed(g, n.a), relaxed(g, n.b));
    if (n.op != Op::less && n.op != Op::less_equal) return condition;
    const NodeId size = !g.node(n.b).varies   ? g.apply(Op::abs, n.b)
                        : !g.node(n.a).varies ? g.apply(Op::abs, n.a)
                                              : g.apply(Op::hypot, n.a, n.b);
    return g.apply(Op::less_equal, n.a, g.add(n.b, g.mul(g.constant(1e-9), size)));
}

} // namespace vessiot
