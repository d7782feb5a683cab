// Operators on numbers, arrays and texts.
#include <fmt/format.h>

#include "modelica/meaning/evaluator.hpp"
#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

Value Evaluator::map(const Value& a, const std::function<NodeId(NodeId)>& f) const {
    if (a.is_number()) return Value::number(f(a.node));
    Value result = a;
    if (!a.items) return result;
    result.items = std::make_shared<std::vector<Value>>();
    for (const Value& item : *a.items) result.items->push_back(map(item, f));
    return result;
}

Value Evaluator::map(const Value& a, const Value& b, Span span, const std::function<NodeId(NodeId, NodeId)>& f) const {
    if (a.is_number() && b.is_number()) return Value::number(f(a.node, b.node));
    if (a.is_number() && b.items) return map(b, [&](NodeId n) { return f(a.node, n); });
    if (b.is_number() && a.items) return map(a, [&](NodeId n) { return f(n, b.node); });
    if (!a.items || !b.items) fail(span, "numbers or arrays are needed here");
    if (a.size() != b.size()) fail(span, fmt::format("these arrays differ in size: {} and {}", a.size(), b.size()));
    Value result = a;
    result.items = std::make_shared<std::vector<Value>>();
    for (std::size_t k = 0; k < a.size(); ++k) result.items->push_back(map(a[k], b[k], span, f));
    return result;
}

// NOTE: a sum of 10^4 terms is a chain to the left.
Value Evaluator::binary(const Expr& e) {
    std::vector<const Expr*> chain{&e};
    while (true) {
        const Expr& left = module_.expressions[module_.arg(*chain.back(), 0)];
        if (left.kind != ExprKind::binary) break;
        chain.push_back(&left);
    }
    Value result = evaluate(module_.arg(*chain.back(), 0));
    for (auto it = chain.rbegin(); it != chain.rend(); ++it)
        result = binary(static_cast<BinaryOp>((*it)->op), result, evaluate(module_.arg(**it, 1)), (*it)->span);
    return result;
}

Value Evaluator::binary(BinaryOp op, const Value& a, const Value& b, Span span) {
    if (a.kind == Value::Kind::text || b.kind == Value::Kind::text) return texts(op, a, b, span);
    if (a.kind == Value::Kind::none || b.kind == Value::Kind::none) fail(span, "a value is missing here");
    const auto each = [&](const std::function<NodeId(NodeId, NodeId)>& f) { return map(a, b, span, f); };
    switch (op) {
    case BinaryOp::add:
    case BinaryOp::element_add: return each([&](NodeId x, NodeId y) { return g_.add(x, y); });
    case BinaryOp::subtract:
    case BinaryOp::element_subtract: return each([&](NodeId x, NodeId y) { return g_.sub(x, y); });
    case BinaryOp::multiply: return product(a, b, span);
    case BinaryOp::element_multiply: return each([&](NodeId x, NodeId y) { return g_.mul(x, y); });
    case BinaryOp::divide:
    case BinaryOp::element_divide: return each([&](NodeId x, NodeId y) { return g_.div(x, y); });
    case BinaryOp::power: return power(a, b, span);
    case BinaryOp::element_power: return each([&](NodeId x, NodeId y) { return g_.pow(x, y); });
    case BinaryOp::less: return each([&](NodeId x, NodeId y) { return compare(g_, Op::less, x, y); });
    case BinaryOp::less_equal: return each([&](NodeId x, NodeId y) { return compare(g_, Op::less_equal, x, y); });
    case BinaryOp::greater: return each([&](NodeId x, NodeId y) { return compare(g_, Op::less, y, x); });
    case BinaryOp::greater_equal: return each([&](NodeId x, NodeId y) { return compare(g_, Op::less_equal, y, x); });
    case BinaryOp::equal: return each([&](NodeId x, NodeId y) { return compare(g_, Op::equal, x, y); });
    case BinaryOp::unequal: return each([&](NodeId x, NodeId y) { return compare(g_, Op::not_equal, x, y); });
    case BinaryOp::both: return each([&](NodeId x, NodeId y) { return both(g_, x, y); });
    case BinaryOp::either: return each([&](NodeId x, NodeId y) { return either(g_, x, y); });
    }
    return {};
}

Value Evaluator::texts(BinaryOp op, const Value& a, const Value& b, Span span) {
    const bool are_texts = a.kind == Value::Kind::text && b.kind == Value::Kind::text;
    switch (op) {
    case BinaryOp::add: // of a message: what is computed in it is not shown
        return Value::text(module_.names.add(fmt::format("\"{}{}\"", text_of(a), text_of(b))));
    case BinaryOp::equal:
    case BinaryOp::unequal:
        if (!are_texts) break;
        return Value::number(g_.integer((text_of(a) == text_of(b)) == (op == BinaryOp::equal) ? 1 : 0));
    default: break;
    }
    fail(span, "texts have no such operation");
}

// number * anything, vector * vector, matrix * vector, vector * matrix, matrix * matrix
Value Evaluator::product(const Value& a, const Value& b, Span span) {
    if (a.is_number() || b.is_number()) return map(a, b, span, [&](NodeId x, NodeId y) { return g_.mul(x, y); });
    if (!a.is_array() || !b.is_array()) fail(span, "numbers or arrays are needed here");
    const int ra = rank_of(a), rb = rank_of(b);
    const auto dot = [&](const Value& x, const Value& y) {
        if (x.size() != y.size())
            fail(span, fmt::format("sizes {} and {} do not fit in this product", x.size(), y.size()));
        std::vector<NodeId> terms;
        for (std::size_t k = 0; k < x.size(); ++k) {
            if (!x[k].is_number() || !y[k].is_number()) fail(span, "this product has no meaning");
            terms.push_back(g_.mul(x[k].node, y[k].node));
        }
        NodeId sum = g_.zero();
        for (const NodeId term : terms) sum = g_.add(sum, term);
        return Value::number(sum);
    };
    const auto column = [&](const Value& m, std::size_t j) {
        std::vector<Value> items;
        for (const Value& row : *m.items) {
            if (!row.is_array() || row.size() <= j) fail(span, "the rows of a matrix differ in length");
            items.push_back(row[j]);
        }
        return Value::array(std::move(items));
    };
    if (ra == 1 && rb == 1) return dot(a, b);
    std::vector<Value> items;
    if (ra == 2 && rb == 1) {
        for (const Value& row : *a.items) items.push_back(dot(row, b));
    } else if (ra == 1 && rb == 2) {
        for (std::size_t j = 0; b.size() > 0 && j < b[0].size(); ++j) items.push_back(dot(a, column(b, j)));
    } else if (ra == 2 && rb == 2) {
        for (const Value& row : *a.items) {
            std::vector<Value> line;
            for (std::size_t j = 0; b.size() > 0 && j < b[0].size(); ++j) line.push_back(dot(row, column(b, j)));
            items.push_back(Value::array(std::move(line)));
        }
    } else {
        fail(span, "this product has no meaning: arrays of more than two dimensions are multiplied with .*");
    }
    return Value::array(std::move(items));
}

Value Evaluator::power(const Value& a, const Value& b, Span span) {
    if (a.is_number()) return map(a, b, span, [&](NodeId x, NodeId y) { return g_.pow(x, y); });
    const auto known = b.is_number() ? number_(b.node) : std::nullopt;
    const int power = known && *known >= 0 && *known <= 64 ? static_cast<int>(*known) : -1;
    if (rank_of(a) != 2 || power < 0)
        fail(span, "the power of an array is that of a square matrix, with a whole number of at most 64");
    std::vector<Value> rows;
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::vector<Value> row;
        for (std::size_t j = 0; j < a.size(); ++j) row.push_back(Value::number(g_.integer(i == j ? 1 : 0)));
        rows.push_back(Value::array(std::move(row)));
    }
    Value result = Value::array(std::move(rows));
    for (int k = 0; k < power; ++k) result = product(result, a, span);
    return result;
}

} // namespace vessiot::modelica
