// Primes, der and diff.
#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"

namespace vessiot::lang {

using expr::ArrayRole;
using expr::Op;

namespace {

constexpr std::size_t max_derivative_nodes = 1'000'000; // that one prime may add

} // namespace

Elaborator::NodeId Elaborator::differentiate(NodeId node, int order, Span span) {
    const std::size_t before = graph_.n_nodes();
    for (int k = 0; k < order; ++k) {
        const expr::Node x = graph_.node(node);
        if (x.op == Op::read && graph_.array(x.a).role == ArrayRole::unknown) {
            if (graph_.array(x.a).order >= limits::derivative_order) {
                fail(span, fmt::format("this is a derivative of '{}' of order {}; at most {} is allowed",
                                       graph_.array(x.a).name, graph_.array(x.a).order + order - k,
                                       limits::derivative_order));
            }
            node = graph_.read(graph_.derivative(x.a), x.b);
        } else {
            node = total_(node);
        }
        if (graph_.n_nodes() - before > max_derivative_nodes) {
            fail(span, fmt::format("this derivative has more than {} operations", max_derivative_nodes));
        }
    }
    return node;
}

Value Elaborator::differentiate(const Value& value, int order, Span span) {
    return map(value, [this, order, span](NodeId node) { return differentiate(node, order, span); });
}

Value Elaborator::evaluate_prime(const Prime& prime) {
    if (as<Number>(prime.operand)) fail(prime.primes, "a prime cannot follow a number, which has no derivative");
    if (const Name* name = as<Name>(prime.operand)) {
        const Local* local = find_local(name->name);
        if (local && local->is_index) {
            fail(prime.primes, fmt::format("a prime cannot follow '{}', which is a loop index", name->name));
        }
    }
    return differentiate(evaluate(prime.operand), prime.order, prime.primes);
}

Value Elaborator::evaluate_der(const Call& call) {
    std::int64_t order = 1;
    if (call.arguments.size() == 2) {
        ExprPtr written = call.arguments[1];
        order = integer(written, {Use::Kind::order, ""});
        if (order < 0 || order > limits::derivative_order) {
            fail(written->span, fmt::format("the order of a derivative is {}, but it must be from 0 to {}", order,
                                            limits::derivative_order));
        }
    }
    return differentiate(evaluate(call.arguments[0]), static_cast<int>(order), call.arguments[0]->span);
}

// Nothing where the expression is something else.
std::optional<Elaborator::Target> Elaborator::find_target(ExprPtr expr) {
    if (const Prime* prime = as<Prime>(expr)) {
        auto target = find_target(prime->operand);
        if (!target || target->symbol->kind != SymbolKind::unknown) return std::nullopt;
        target->order += prime->order;
        if (target->order > limits::derivative_order) {
            fail(expr->span, fmt::format("this is a derivative of order {}; at most {} is allowed", target->order,
                                         limits::derivative_order));
        }
        for (int k = 0; k < prime->order; ++k) target->array = graph_.derivative(target->array);
        return target;
    }
    if (const Call* call = as<Call>(expr)) {
        if (call->function.name != "der" || call->arguments.empty() || call->arguments.size() > 2) return std::nullopt;
        auto target = find_target(call->arguments[0]);
        if (!target || target->symbol->kind != SymbolKind::unknown) return std::nullopt;
        const std::int64_t order =
            call->arguments.size() == 2 ? integer(call->arguments[1], {Use::Kind::order, ""}) : 1;
        if (order < 0 || target->order + order > limits::derivative_order) {
            fail(expr->span, fmt::format("the order of a derivative must be from 0 to {}", limits::derivative_order));
        }
        target->order += static_cast<int>(order);
        for (std::int64_t k = 0; k < order; ++k) target->array = graph_.derivative(target->array);
        return target;
    }
    const Name* name = as<Name>(expr);
    const Indexed* indexed = as<Indexed>(expr);
    if (!name && !indexed) return std::nullopt;
    const std::string_view word = name ? name->name : indexed->name.name;
    if (const Local* local = find_local(word)) {
        if (local->is_index || indexed) return std::nullopt;
        const Switch back(*this);
        scope_ = local->caller;
        source_ = local->source;
        return find_target(local->argument);
    }
    Symbol* symbol = table_.find(word);
    if (!symbol) fail_unknown_name(word, name ? expr->span : indexed->name.span);
    if (symbol->kind != SymbolKind::unknown && symbol->kind != SymbolKind::parameter &&
        symbol->kind != SymbolKind::independent && symbol->kind != SymbolKind::discrete) {
        return std::nullopt;
    }
    symbol->is_used = true;
    Target target;
    target.symbol = symbol;
    target.array = symbol->array;
    if (name) {
        target.is_whole = !symbol->dims.empty();
    } else {
        if (symbol->dims.empty()) {
            fail(expr->span, fmt::format("'{}' is {} and has no index", word,
                                         symbol->kind == SymbolKind::unknown ? "a single unknown" : "a number"));
        }
        target.indices = index_forms(indexed->indices, word, symbol->first, symbol->dims, expr->span, true);
        target.is_whole = target.indices.size() < symbol->dims.size();
    }
    return target;
}

Value Elaborator::evaluate_diff(const Call& call, Span span) {
    const Value value = evaluate(call.arguments[0]);
    if (mode_ == Mode::constant) fail(span, fmt::format("{} cannot contain 'diff'", constant_for_));
    const auto target = find_target(call.arguments[1]);
    if (!target) {
        fail(call.arguments[1]->span, "'diff' differentiates by an unknown, a derivative of one, a parameter or the "
                                      "independent variable, but this is none of them");
    }
    const expr::ArrayId array = target->array;
    const auto partial = [this, array, span](NodeId node, const Forms& indices) {
        try {
            return expr::partial_derivative(graph_, node, array, index_.list(indices));
        } catch (const ModelError&) {
            throw;
        } catch (const InvalidInput& problem) {
            fail(span, problem.what());
        }
    };
    if (!target->is_whole) {
        return map(value, [partial, indices = target->indices](NodeId node) { return partial(node, indices); });
    }
    // by a whole array: the gradient
    if (!value.is_number()) {
        fail(span, fmt::format("{} cannot be differentiated by the array '{}'; give an index", describe(value.dims()),
                               target->symbol->ident.name));
    }
    return family(target->rest(), [partial, node = value.number(), target = *target](const Forms& indices) {
        return partial(node, target.with(indices));
    });
}

} // namespace vessiot::lang
