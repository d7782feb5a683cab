// start, guess and hold; end, periodic and free; what an event sets.
#include <algorithm>

#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"

namespace vessiot::lang {

namespace {

// The name in x, x[i], x[i]'', der(x, 2); empty where there is none.
std::string_view base_name(ExprPtr expr) {
    if (const Name* name = as<Name>(expr)) return name->name;
    if (const Indexed* indexed = as<Indexed>(expr)) return indexed->name.name;
    if (const Prime* prime = as<Prime>(expr)) return base_name(prime->operand);
    const Call* call = as<Call>(expr);
    return call && call->function.name == "der" && !call->arguments.empty() ? base_name(call->arguments[0]) : "";
}

std::string purpose(std::string_view statement) {
    if (statement == "hold" || statement == "periodic") return "names unknowns and their derivatives";
    if (statement == "force") return "acts on an unknown";
    if (statement == "then") return "sets unknowns, their derivatives and discrete quantities";
    return "gives values to unknowns and their derivatives";
}

} // namespace

Elaborator::Target Elaborator::resolve_unknown(ExprPtr expr, std::string_view statement) {
    const auto target = find_target(expr);
    const bool takes_discrete = statement == "then" || statement == "start";
    if (target && (target->symbol->kind == SymbolKind::unknown ||
                   (takes_discrete && target->symbol->kind == SymbolKind::discrete)))
        return *target;
    const std::string_view name = base_name(expr);
    const Local* local = find_local(name);
    const Symbol* symbol = local ? nullptr : table_.find(name);
    std::string reason = "but this is none";
    if (local) reason = fmt::format("but '{}' is a loop index", name);
    if (symbol && symbol->kind == SymbolKind::parameter) {
        reason = fmt::format("but '{}' is a parameter, whose value stands in {}", name, line_of(symbol->ident.span));
    } else if (symbol && symbol->kind == SymbolKind::independent) {
        reason = fmt::format("but '{}' is the independent variable", name);
        if (statement == "start") reason += fmt::format("; where it starts is said by solve {} = a .. b", name);
    } else if (symbol && symbol->kind == SymbolKind::discrete && takes_discrete) {
        reason = fmt::format("but '{}' is discrete: it is constant between events, and its derivative is 0", name);
    } else if (symbol) {
        reason = fmt::format("but '{}' is a {}", name, kind_text(symbol->kind));
    }
    fail(expr->span, fmt::format("'{}' {}, {}", statement, purpose(statement), reason));
}

// Fails where a value depends on more than parameters, constants and loop indices.
void Elaborator::check_is_constant(NodeId node, ExprPtr expr, const std::string& what, const std::string& advice) {
    if (!graph_.node(node).varies) return;
    Span place = expr->span;
    const Symbol* culprit = nullptr;
    visit_names(expr, [&](std::string_view name, Span span, bool) {
        const Symbol* symbol = find_local(name) ? nullptr : table_.find(name);
        const bool is_moving =
            symbol && (symbol->kind == SymbolKind::unknown || symbol->kind == SymbolKind::independent ||
                       symbol->kind == SymbolKind::discrete);
        if (!is_moving || culprit) return;
        culprit = symbol;
        place = span;
    });
    const std::string found =
        culprit ? fmt::format("the {} '{}'", kind_text(culprit->kind), culprit->ident.name) : "an unknown";
    fail(place, fmt::format("{} cannot depend on {}{}", what, found, advice));
}

// Calls add(indices, node) for the elements of the target, each with its part of the value; a number is that of all.
void Elaborator::spread(const Target& target, const Value& value, Span span,
                        const std::function<void(const Forms&, NodeId)>& add) {
    if (!target.is_whole) {
        if (!value.is_number()) fail(span, describe_mismatch("the left side", {}, "the right side", value.dims()));
        add(target.indices, value.number());
        return;
    }
    const Dims dims = target.rest();
    if (value.is_number()) {
        for_components(dims, false, span, [&](const Forms& at) { add(target.with(at), value.number()); });
        return;
    }
    if (value.dims() != dims) fail(span, describe_mismatch("the left side", dims, "the right side", value.dims()));
    for_components(dims, value.is_listed(), span,
                   [&](const Forms& at) { add(target.with(at), element(value, at, span)); });
}

void Elaborator::add_start(const Assignment& item, bool is_guess) {
    const std::string_view statement = is_guess ? "guess" : "start";
    const Target target = resolve_unknown(item.target, statement);
    const Value value = evaluate(item.value);
    const Location where = locate(item.span);
    const auto add = [&](const Forms& indices, NodeId node) {
        check_is_constant(node, item.value, is_guess ? "a guess" : "a start value",
                          "; write the number, or leave it out if the equations determine it");
        if (nest_.is_empty()) return;
        const expr::DomainId domain = nest_.domain();
        const expr::ListId list = index_.list(indices);
        std::vector<StartValue>& values = is_guess ? system_.guesses : system_.start;
        const auto [first, is_new] = given_[is_guess ? 1 : 0].try_emplace({target.array, domain, list}, item.span);
        // what a library says is said for models that say nothing
        const bool is_default = !is_new && module_.source->is_included(first->second.begin);
        if (is_default && !module_.source->is_included(item.span.begin)) {
            std::erase_if(values, [&](const StartValue& s) {
                return s.jet == target.array && s.domain == domain && s.target == list;
            });
            first->second = item.span;
        } else if (!is_new) {
            fail(item.span,
                 fmt::format("the {} of {} is given twice; the first is in {}", is_guess ? "guess" : "start value",
                             written(item.target->span), line_of(first->second)));
        }
        values.push_back({target.array, domain, list, node, where});
    };
    spread(target, value, item.span, add);
}

void Elaborator::add_reset(const Assignment& item, std::vector<Reset>& resets) {
    const Target target = resolve_unknown(item.target, "then");
    const Value value = evaluate(item.value);
    const Location where = locate(item.span);
    const auto add = [&](const Forms& indices, NodeId node) {
        if (nest_.is_empty()) return;
        const Reset reset{target.array, nest_.domain(), index_.list(indices), node, where};
        const auto is_same = [&](const Reset& r) {
            return r.jet == reset.jet && r.domain == reset.domain && r.target == reset.target;
        };
        if (std::ranges::any_of(resets, is_same))
            fail(item.span, fmt::format("this event sets {} twice", written(item.target->span)));
        resets.push_back(reset);
    };
    spread(target, value, item.span, add);
}

void Elaborator::add_end(const Assignment& item) {
    const Target target = resolve_unknown(item.target, "end");
    const Value value = evaluate(item.value);
    const Location where = locate(item.span);
    const auto add = [&](const Forms& indices, NodeId node) {
        check_is_constant(node, item.value, "a value at the end",
                          "; write the number, or a parameter, which may be free");
        if (nest_.is_empty()) return;
        const StartValue end{target.array, nest_.domain(), index_.list(indices), node, where};
        const auto is_same = [&](const StartValue& s) {
            return s.jet == end.jet && s.domain == end.domain && s.target == end.target;
        };
        if (std::ranges::any_of(system_.ends, is_same))
            fail(item.span, fmt::format("the value of {} at the end is given twice", written(item.target->span)));
        system_.ends.push_back(end);
    };
    spread(target, value, item.span, add);
}

// free T, m, m[2]
void Elaborator::add_free(ExprPtr expr) {
    const std::string_view name = base_name(expr);
    const Symbol* symbol = table_.find(name);
    if (!symbol || symbol->kind != SymbolKind::parameter) {
        const std::string reason =
            symbol ? fmt::format("but '{}' is {} {}", name, symbol->kind == SymbolKind::unknown ? "an" : "a",
                                 kind_text(symbol->kind))
                   : fmt::format("but '{}' is none: declare it, with its first guess: parameter {} = 1", name, name);
        fail(expr->span, fmt::format("'free' names parameters that are to be found, {}", reason));
    }
    if (symbol->is_structural)
        fail(expr->span, fmt::format("'{}' sizes an array or bounds a loop, and cannot be found", name));
    const auto found = std::ranges::find(system_.parameters, name, &Parameter::name);
    const auto number = static_cast<std::size_t>(found - system_.parameters.begin());
    std::int64_t first = 0, last = std::ssize(found->values) - 1;
    if (const Indexed* indexed = as<Indexed>(expr)) {
        const Forms forms = index_forms(indexed->indices, name, Dims(symbol->dims.size(), 1), symbol->dims, expr->span);
        std::vector<std::int64_t> at;
        for (ExprPtr index : indexed->indices) at.push_back(static_cast<std::int64_t>(constant(index, "an index")));
        first = 0;
        for (std::size_t k = 0; k < at.size(); ++k) first = first * symbol->dims[k] + at[k] - 1;
        last = first;
    }
    for (std::int64_t e = first; e <= last; ++e) {
        const auto is_same = [&](const FreeParameter& f) { return f.parameter == number && f.element == e; };
        if (std::ranges::any_of(system_.free, is_same)) fail(expr->span, fmt::format("'{}' is free already", name));
        system_.free.push_back({number, e, locate(expr->span)});
    }
}

void Elaborator::add_named(ExprPtr expr, std::string_view statement, std::vector<Hold>& list) {
    const Target target = resolve_unknown(expr, statement);
    const Location where = locate(expr->span);
    const auto add = [&](const Forms& indices) {
        if (nest_.is_empty()) return;
        list.push_back({target.array, nest_.domain(), index_.list(indices), where});
    };
    if (target.is_whole) {
        for_components(target.rest(), false, expr->span, [&](const Forms& at) { add(target.with(at)); });
    } else {
        add(target.indices);
    }
}

} // namespace vessiot::lang
