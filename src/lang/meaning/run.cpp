// solve, option, output and event.
#include <algorithm>

#include <fmt/format.h>

#include "core/element_name.hpp"
#include "lang/meaning/elaborator.hpp"
#include "lang/syntax/number_text.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

// A number that parameters determine.
Elaborator::NodeId Elaborator::constant_number(ExprPtr expr, const std::string& what) {
    const NodeId node = number(expr);
    check_is_constant(node, expr, what, "");
    constant(expr, what);
    return node;
}

void Elaborator::add_solve(const SolveStatement& statement, Span span) {
    note_once("solve", span);
    const std::string_view variable = independent_->ident.name;
    if (statement.variable.name != variable) {
        fail(statement.variable.span,
             fmt::format("the independent variable of this model is '{0}': write solve {0} = …{1}", variable,
                         independent_->ident.span == Span{} && !table_.find(statement.variable.name)
                             ? fmt::format(", or declare independent {}", statement.variable.name)
                             : ""));
    }
    system_.from = constant_number(statement.from, "the begin of the interval");
    system_.to = constant_number(statement.to, "the end of the interval");
}

void Elaborator::add_option(const OptionItem& item) {
    const std::string name(item.name.name);
    const auto [first, is_new] = said_.options.try_emplace(name, item.name.span);
    if (!is_new) {
        fail(item.name.span,
             fmt::format("the option '{}' is given twice; the first is in {}", name, line_of(first->second)));
    }
    // A formula of parameters is worked out; anything else is left to those who know the option.
    std::string value = written(item.value.span);
    const ExprPtr expr = item.value.expr;
    const bool may_be_formula = expr && (item.value.kind == OptionValue::Kind::expression || as<Name>(expr));
    if (may_be_formula && !as<Number>(expr)) {
        bool is_formula = true;
        visit_names(expr, [&](std::string_view word, Span, bool is_call) {
            const Symbol* symbol = table_.find(word);
            is_formula &= is_call ? find_builtin_function(word) != nullptr
                                  : (symbol ? symbol->kind == SymbolKind::parameter : word == "pi" || word == "e");
        });
        // NOTE: `e` alone is a word, `2*e` a formula
        if (is_formula && (table_.find(value) || !as<Name>(expr))) {
            value = exact_text(constant(expr, fmt::format("the option '{}'", name)));
        }
    }
    system_.options.push_back({name, std::move(value), locate(item.span)});
}

void Elaborator::add_output_every(const OutputEveryStatement& statement, Span span) {
    note_once("output every", span);
    const NodeId node = constant_number(statement.interval, "the output interval");
    const Quad value = constant(statement.interval, "the output interval");
    if (!(value > 0)) {
        fail(statement.interval->span, fmt::format("the output interval must be positive, but it is {}",
                                                   number_text(static_cast<double>(value))));
    }
    system_.output_every = node;
}

void Elaborator::add_output_column(const OutputColumnStatement& statement, Span span) {
    for_family(statement.family, [&](const std::vector<std::string>& indices) {
        add_output_column(statement, span, element_name(statement.name.name, indices));
    });
}

void Elaborator::add_output_column(const OutputColumnStatement& statement, Span span, const std::string& name) {
    const Symbol* symbol = table_.find(name);
    if (symbol && (symbol->kind == SymbolKind::unknown || symbol->kind == SymbolKind::independent ||
                   symbol->kind == SymbolKind::discrete)) {
        fail(statement.name.span, fmt::format("'{}' is {} and has a column already; choose another name", name,
                                              symbol->kind == SymbolKind::unknown    ? "an unknown"
                                              : symbol->kind == SymbolKind::discrete ? "a discrete quantity"
                                                                                     : "the independent variable"));
    }
    const auto [first, is_new] = said_.output_names.try_emplace(name, statement.name.span);
    if (!is_new) {
        fail(statement.name.span,
             fmt::format("the output '{}' is given twice; the first is in {}", name, line_of(first->second)));
    }
    system_.outputs.push_back({name, number(statement.value), locate(span)});
}

void Elaborator::add_event(const EventStatement& statement, Span span) {
    for_family(statement.family, [&](const std::vector<std::string>& indices) {
        add_event(statement, span, element_name(statement.name.name, indices));
    });
}

void Elaborator::add_event(const EventStatement& statement, Span span, const std::string& name) {
    const auto [first, is_new] = said_.event_names.try_emplace(name, statement.name.span);
    if (!is_new) {
        fail(statement.name.span,
             fmt::format("the event '{}' is given twice; the first is in {}", name, line_of(first->second)));
    }
    if (statement.every) return add_event_at_times(statement, span, name);
    if (statement.is_always) return add_rule(statement, span, name);
    const NodeId lhs = number(statement.lhs);
    const NodeId value = graph_.sub(lhs, number(statement.rhs));
    if (!graph_.node(value).varies) fail(span, "this event contains no unknown: it never happens");
    const auto direction = statement.direction == EventDirection::rising    ? vessiot::EventDirection::rising
                           : statement.direction == EventDirection::falling ? vessiot::EventDirection::falling
                                                                            : vessiot::EventDirection::both;
    Event event{name, value, direction, statement.is_stop, locate(span), {}};
    for (const Assignment& item : statement.then) add_reset(item, event.then);
    for (const Assignment& item : statement.guesses) add_reset(item, event.guesses);
    system_.events.push_back(std::move(event));
}

void Elaborator::add_event_at_times(const EventStatement& statement, Span span, const std::string& name) {
    const std::string what = "the time between the events";
    const NodeId every = constant_number(statement.every, what);
    const Quad value = constant(statement.every, what);
    if (!(value > 0)) {
        fail(statement.every->span,
             fmt::format("{} must be positive, but it is {}", what, number_text(static_cast<double>(value))));
    }
    Event event{name, graph_.one(), vessiot::EventDirection::both, statement.is_stop, locate(span), {}, every};
    for (const Assignment& item : statement.then) add_reset(item, event.then);
    for (const Assignment& item : statement.guesses) add_reset(item, event.guesses);
    system_.events.push_back(std::move(event));
}

void Elaborator::add_rule(const EventStatement& statement, Span span, const std::string& name) {
    if (statement.then.empty()) fail(span, "'always' needs what it sets, as in: always then mode = if(x > 1, 1, mode)");
    if (!statement.guesses.empty()) fail(span, "an event that is looked at always takes no guesses");
    Event event{.name = name, .value = graph_.one(), .where = locate(span), .is_always = true};
    for (const Assignment& item : statement.then) add_reset(item, event.then);
    system_.events.push_back(std::move(event));
}

// Whether there is such an event is known when all statements are.
void Elaborator::add_output_section(const OutputSectionStatement& statement, Span span) {
    note_once("output section", span);
    system_.section = Section{std::string(statement.event.name), locate(statement.event.span)};
}

} // namespace vessiot::lang
