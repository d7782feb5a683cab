#include "manifold/rounding.hpp"

#include <map>

namespace vessiot {

using namespace expr;

namespace {

class RoundedSize {
public:
    explicit RoundedSize(Graph& g) : g_(g) {}

    NodeId operator()(NodeId root) {
        for (const NodeId n : g_.cone({root}))
            if (!made_.contains(n)) made_[n] = of(n);
        return made_.at(root);
    }

private:
    NodeId size(NodeId n) { return g_.apply(Op::abs, n); }
    NodeId larger(NodeId a, NodeId b) { return g_.apply(Op::max, a, b); }
    // |value|, and what a change of the operand makes of it: |rate| times the size of the operand
    NodeId with(NodeId n, NodeId rate, NodeId operand) {
        return larger(size(n), g_.mul(size(rate), made_.at(operand)));
    }

    NodeId of(NodeId n) {
        const Node x = g_.node(n);
        switch (x.op) {
        case Op::neg: return made_.at(x.a);
        case Op::add:
        case Op::sub: return larger(made_.at(x.a), made_.at(x.b));
        case Op::mul: return larger(g_.mul(size(x.b), made_.at(x.a)), g_.mul(size(x.a), made_.at(x.b)));
        case Op::div: return g_.div(larger(made_.at(x.a), g_.mul(size(n), made_.at(x.b))), size(x.b));
        case Op::sin: return with(n, g_.apply(Op::cos, x.a), x.a);
        case Op::cos: return with(n, g_.apply(Op::sin, x.a), x.a);
        case Op::exp: return with(n, n, x.a);
        case Op::select: return g_.select(x.a, made_.at(x.b), made_.at(x.c));
        case Op::argument: return g_.zero(); // no number
        default: return size(n);
        }
    }

    Graph& g_;
    std::map<NodeId, NodeId> made_;
};

} // namespace

NodeId rounded_size(Graph& g, NodeId value) {
    return RoundedSize(g)(value);
}

} // namespace vessiot
