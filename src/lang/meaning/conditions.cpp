// Comparisons, and what depends on them.
#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"

namespace vessiot::lang {

using expr::Cond;
using expr::CondId;
using expr::Op;

// Whether only loop indices and integers decide.
bool Elaborator::is_index_condition(ExprPtr expr) {
    if (const Comparison* n = as<Comparison>(expr)) return is_index_expression(n->lhs) && is_index_expression(n->rhs);
    if (const Not* n = as<Not>(expr)) return is_index_condition(n->operand);
    if (const Logical* n = as<Logical>(expr)) {
        for (ExprPtr operand : n->operands)
            if (!is_index_condition(operand)) return false;
        return true;
    }
    return false;
}

// Of an expression that is_index_condition.
CondId Elaborator::index_condition(ExprPtr expr, Decided decided) {
    if (const Not* n = as<Not>(expr)) return index_.complement(index_condition(n->operand, decided));
    if (const Logical* n = as<Logical>(expr)) {
        CondId all = index_condition(n->operands.front(), decided);
        for (std::size_t k = 1; k < n->operands.size(); ++k) {
            const CondId next = index_condition(n->operands[k], decided);
            all = n->op == LogicalOp::conjunction ? index_.both(all, next) : index_.either(all, next);
        }
        return all;
    }
    const Comparison& n = *as<Comparison>(expr);
    // NOTE: conditions are joined in any order, so each one must make sense in the whole loop: without the others.
    const LoopNest::Pause pause(nest_);
    const Use use{decided == Decided::may_change ? Use::Kind::decision : Use::Kind::condition, ""};
    const FormId a = form(n.lhs, use), b = form(n.rhs, use);
    switch (n.op) {
    case ComparisonOp::less: return index_.less(a, b);
    case ComparisonOp::less_equal: return index_.complement(index_.less(b, a));
    case ComparisonOp::greater: return index_.less(b, a);
    case ComparisonOp::greater_equal: return index_.complement(index_.less(a, b));
    case ComparisonOp::equal: return index_.equal(a, b);
    case ComparisonOp::not_equal: return index_.complement(index_.equal(a, b));
    }
    return index_.always();
}

// The condition as a number, 1 or 0.
Elaborator::NodeId Elaborator::condition_node(ExprPtr expr) {
    if (const Not* n = as<Not>(expr)) return graph_.apply(Op::logical_not, condition_node(n->operand));
    if (const Logical* n = as<Logical>(expr)) {
        const Op op = n->op == LogicalOp::conjunction ? Op::logical_and : Op::logical_or;
        NodeId all = condition_node(n->operands.front());
        for (std::size_t k = 1; k < n->operands.size(); ++k)
            all = graph_.apply(op, all, condition_node(n->operands[k]));
        return all;
    }
    const Comparison* n = as<Comparison>(expr);
    if (!n) fail(expr->span, "a condition is needed here, such as x > 0");
    const NodeId a = number(n->lhs), b = number(n->rhs);
    switch (n->op) {
    case ComparisonOp::less: return graph_.apply(Op::less, a, b);
    case ComparisonOp::less_equal: return graph_.apply(Op::less_equal, a, b);
    case ComparisonOp::greater: return graph_.apply(Op::less, b, a);
    case ComparisonOp::greater_equal: return graph_.apply(Op::less_equal, b, a);
    case ComparisonOp::equal: return graph_.apply(Op::equal, a, b);
    case ComparisonOp::not_equal: return graph_.apply(Op::not_equal, a, b);
    }
    return graph_.zero();
}

Elaborator::Condition Elaborator::condition(ExprPtr expr, Decided decided) {
    Condition result;
    if (is_index_condition(expr)) {
        result.is_decided = !depends_on_index(expr);
        result.index = index_condition(expr, result.is_decided ? decided : Decided::are_fixed);
        result.when_true = *result.index;
        // what parameters alone decide is read, since they may change
        const bool is_known = *result.index == index_.always() || *result.index == index_.never();
        result.node = is_known ? condition_node(expr) : graph_.condition(*result.index);
        return result;
    }
    result.node = condition_node(expr);
    const Logical* logical = as<Logical>(expr);
    if (!logical || logical->op != LogicalOp::conjunction) return result;
    for (ExprPtr operand : logical->operands) {
        if (!is_index_condition(operand)) continue;
        if (decided == Decided::may_change && !depends_on_index(operand))
            result.is_decided = true;
        else
            result.when_true = index_.both(result.when_true, index_condition(operand));
    }
    return result;
}

Value Elaborator::select(NodeId condition, Value a, Value b, Span span) {
    widen_zero(a, b);
    widen_zero(b, a);
    if (a.dims() != b.dims()) {
        fail(span, "both values of 'if' must have the same shape: " +
                       describe_mismatch("the first", a.dims(), "the second", b.dims()));
    }
    return zip(a, b, [this, condition](NodeId x, NodeId y) { return graph_.select(condition, x, y); });
}

Value Elaborator::evaluate_if(const Call& call, Span span) {
    ExprPtr when = call.arguments[0], first = call.arguments[1], second = call.arguments[2];
    const Condition c = condition(when, Decided::may_change);
    // Decided here and now (a fixed index, numbers): the other branch may make no sense.
    if (graph_.is_constant(c.node)) return evaluate(graph_.value(c.node) != 0 ? first : second);
    if (c.index && (*c.index == index_.always() || *c.index == index_.never())) {
        // Decided by integer parameters, which may be sizes: `if(n > 2, x[3], 0)`. What cannot be written down with
        // their present values is left out, and these are fixed.
        const bool is_first = *c.index == index_.always();
        const Value taken = evaluate(is_first ? first : second);
        try {
            const Value other = evaluate(is_first ? second : first);
            return is_first ? select(c.node, taken, other, span) : select(c.node, other, taken, span);
        } catch (const IndexRangeError&) {
            index_condition(when);
            return taken;
        }
    }
    if (!c.is_decided) return branches(call, c, span);
    try {
        return branches(call, c, span);
    } catch (const IndexRangeError&) { // the parameters guard a branch
        return branches(call, condition(when, Decided::are_fixed), span);
    }
}

// Either branch needs to make sense only where it is taken; so do the elements of a family, when they are made.
Value Elaborator::branches(const Call& call, const Condition& c, Span span) {
    const auto branch = [&](ExprPtr expr, CondId known) {
        const Scope scope(*this);
        nest_.add_condition(known);
        const Value value = evaluate(expr);
        if (value.is_number() || value.is_listed() || known == index_.always()) return value;
        return family(value.dims(), [this, value, known](const Forms& forms) {
            const Scope inner(*this);
            nest_.add_condition(known);
            return value.element()(forms);
        });
    };
    const Value a = branch(call.arguments[1], c.when_true);
    const Value b = branch(call.arguments[2], c.index ? index_.complement(*c.index) : index_.always());
    const Value chosen = select(c.node, a, b, span);
    if (c.index || c.when_true == index_.always()) return chosen;
    // NOTE: a family is cut where a condition on indices alone changes, so that elements which are not there are never
    // read: such a condition must stand by itself.
    return select(graph_.condition(c.when_true), chosen, b, span);
}

} // namespace vessiot::lang
