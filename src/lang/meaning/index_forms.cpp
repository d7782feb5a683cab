// Integers: sizes of arrays, bounds of loops, indices.
//
// An expression without loop indices is worked out as a number, in whatever way it is written, and must be an integer.
// With loop indices it becomes a form, which needs a structure that stays integer: + - *, floor(a/b), mod(a, b) and
// tables of integers.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/meaning/elaborator.hpp"
#include "lang/syntax/number_text.hpp"

namespace vessiot::lang {

namespace {

std::optional<std::int64_t> to_integer(Quad value) {
    if (!(value >= -static_cast<Quad>(max_index_magnitude) && value <= static_cast<Quad>(max_index_magnitude)))
        return {};
    const auto integer = static_cast<std::int64_t>(value);
    if (static_cast<Quad>(integer) != value) return {};
    return integer;
}

constexpr int max_index_power = 8;

} // namespace

Quad Elaborator::constant(ExprPtr expr, const std::string& what) {
    const Switch back(*this);
    mode_ = Mode::constant;
    constant_for_ = what;
    const NodeId node = number(expr);
    if (!graph_.is_constant(node)) fail(expr->span, fmt::format("{} has no value: it is not a finite number", what));
    return graph_.value(node);
}

namespace {

std::string use_text(std::string_view name, auto kind) {
    using Kind = decltype(kind);
    switch (kind) {
    case Kind::size: return fmt::format("the size of '{}'", name);
    case Kind::bound: return fmt::format("a bound of '{}'", name);
    case Kind::index: return fmt::format("an index of '{}'", name);
    case Kind::order: return "the order of a derivative";
    case Kind::condition:
    case Kind::decision: return "a number in a condition on indices";
    case Kind::identity: return "the size of an identity matrix";
    }
    return {};
}

} // namespace

void Elaborator::fail_not_integer(ExprPtr expr, const Use& use, Quad value) {
    const std::string text = number_text(static_cast<double>(value));
    const std::string what = use_text(use.name, use.kind);
    if (value == static_cast<Quad>(std::floor(static_cast<double>(value)))) {
        fail(expr->span, fmt::format("{} is {}, which is too large", what, text));
    }
    std::string shown = fmt::format("it is {}", text);
    if (const Name* name = as<Name>(expr)) shown = fmt::format("{} = {}", name->name, text);
    fail(expr->span, fmt::format("{} must be an integer, but {}", what, shown));
}

std::int64_t Elaborator::integer(ExprPtr expr, const Use& use) {
    const Switch back(*this);
    if (use.kind != Use::Kind::decision) is_structural_ = true;
    const Quad value = constant(expr, use_text(use.name, use.kind));
    const auto result = to_integer(value);
    if (!result) fail_not_integer(expr, use, value);
    return *result;
}

// Whether a loop index occurs whose value is not fixed.
bool Elaborator::depends_on_index(ExprPtr expr) {
    if (scope_ < 0) return false;
    check_depth(expr->span);
    bool depends = false;
    visit_names(expr, [&](std::string_view name, Span, bool is_call) {
        if (depends || is_call) return;
        const Local* local = find_local(name);
        if (!local) return;
        if (local->is_index) {
            depends = !index_.constant_value(local->form);
        } else {
            const Switch back(*this);
            scope_ = local->caller;
            depends = depends_on_index(local->argument);
        }
    });
    return depends;
}

// Keeps all integers of a form within what later arithmetic can hold.
expr::FormId Elaborator::checked(FormId form, Span span, const Use& use) {
    if (nest_.magnitude(form) > max_index_magnitude) {
        fail(span, fmt::format("{} becomes too large here", use_text(use.name, use.kind)));
    }
    return form;
}

expr::FormId Elaborator::multiply(FormId f, FormId g, Span span, const Use& use) {
    const Wide bound = Wide{max_index_magnitude};
    if (nest_.magnitude(f) * nest_.magnitude(g) > bound) {
        fail(span, fmt::format("{} becomes too large here", use_text(use.name, use.kind)));
    }
    return checked(index_.multiply(f, g), span, use);
}

expr::FormId Elaborator::form(ExprPtr expr, const Use& use) {
    if (!depends_on_index(expr)) return index_.constant(integer(expr, use));
    const Span span = expr->span;
    if (const Name* name = as<Name>(expr)) {
        const Local* local = find_local(name->name);
        if (local->is_index) return local->form;
        const Switch back(*this);
        scope_ = local->caller;
        source_ = local->source;
        return form(local->argument, use);
    }
    if (const Indexed* indexed = as<Indexed>(expr)) return lookup_form(*indexed, span);
    if (const Negate* negate = as<Negate>(expr)) return index_.scale(form(negate->operand, use), -1);
    if (const Power* power = as<Power>(expr)) return power_form(*power, span, use);
    if (const Sum* sum = as<Sum>(expr)) {
        FormId total = index_.constant(0);
        for (const Operand& operand : sum->operands) {
            const FormId term = form(operand.expr, use);
            total = checked(operand.op == '-' ? index_.subtract(total, term) : index_.add(total, term), span, use);
        }
        return total;
    }
    if (const Product* product = as<Product>(expr)) {
        FormId total = index_.constant(1);
        for (const Operand& operand : product->operands) {
            if (operand.op == '/') {
                fail(span, fmt::format("{0} must be an integer, but {1} need not be one; write floor({1})",
                                       use_text(use.name, use.kind), source_->text(span)));
            }
            total = multiply(total, form(operand.expr, use), span, use);
        }
        return total;
    }
    if (const Call* call = as<Call>(expr)) {
        if (call->function.name == "floor" && call->arguments.size() == 1) return floor_form(call->arguments[0], use);
        if (call->function.name == "mod" && call->arguments.size() == 2) {
            const FormId a = form(call->arguments[0], use), b = form(call->arguments[1], use);
            if (const auto zero = nest_.find_zero(b)) {
                fail(call->arguments[1]->span,
                     fmt::format("mod divides by zero here{}",
                                 zero->where.empty() ? "" : fmt::format(" (for {})", zero->where)));
            }
            return checked(index_.modulo(a, b), span, use);
        }
    }
    fail(span, fmt::format("{} can be made from loop indices with + - *, mod(a, b), floor(a/b) and parameter arrays of "
                           "integers, but not in this way",
                           use_text(use.name, use.kind)));
}

// floor(a*b/c) with integers a, b, c
expr::FormId Elaborator::floor_form(ExprPtr argument, const Use& use) {
    const Product* product = as<Product>(argument);
    if (!product) return form(argument, use);
    FormId above = index_.constant(1), below = index_.constant(1);
    bool is_fraction = false;
    for (const Operand& operand : product->operands) {
        is_fraction |= operand.op == '/';
        FormId& part = operand.op == '/' ? below : above;
        part = multiply(part, form(operand.expr, use), argument->span, use);
    }
    if (!is_fraction) return above;
    if (const auto zero = nest_.find_zero(below)) {
        fail(argument->span,
             fmt::format("this divides by zero{}", zero->where.empty() ? "" : fmt::format(" (for {})", zero->where)));
    }
    return checked(index_.quotient(above, below), argument->span, use);
}

expr::FormId Elaborator::power_form(const Power& power, Span span, const Use& use) {
    const FormId base = form(power.base, use);
    const FormId exponent = form(power.exponent, use);
    const auto n = index_.constant_value(exponent);
    if (!n || *n < 0 || *n > max_index_power) {
        fail(span, fmt::format("in {} a power of a loop index needs an exponent from 0 to {}",
                               use_text(use.name, use.kind), max_index_power));
    }
    FormId result = index_.constant(1);
    for (std::int64_t k = 0; k < *n; ++k) result = multiply(result, base, span, use);
    return result;
}

// edge[k, 1] as an index
expr::FormId Elaborator::lookup_form(const Indexed& indexed, Span span) {
    const std::string_view name = indexed.name.name;
    Symbol* symbol = find_local(name) ? nullptr : table_.find(name);
    if (!symbol) {
        if (!find_local(name)) fail_unknown_name(name, indexed.name.span);
        fail(span, fmt::format("'{}' is an argument; only elements of a parameter can be an index", name));
    }
    if (symbol->kind != SymbolKind::parameter || symbol->dims.empty()) {
        fail(span, fmt::format("'{}' is {} and cannot be an index; only elements of a parameter array can", name,
                               symbol->kind == SymbolKind::parameter ? "a single parameter"
                               : symbol->kind == SymbolKind::unknown ? "an unknown"
                                                                     : fmt::format("a {}", kind_text(symbol->kind))));
    }
    symbol->is_used = symbol->is_structural = true;
    const Forms indices = index_forms(indexed.indices, name, symbol->first, symbol->dims, span);
    return index_.lookup(table_of(*symbol, span), index_.list(indices));
}

expr::TableId Elaborator::table_of(Symbol& symbol, Span span) {
    if (const auto known = tables_.find(symbol.ident.name); known != tables_.end()) return known->second;
    expr::IndexTable table{std::string(symbol.ident.name), symbol.dims, {}};
    for (std::size_t k = 0; k < symbol.values.size(); ++k) {
        const auto value = to_integer(symbol.values[k]);
        if (!value || std::abs(*value) > max_loop_bound) {
            std::string place;
            for (std::size_t d = symbol.dims.size(), rest = k; d-- > 0;) {
                const auto dim = static_cast<std::size_t>(symbol.dims[d]);
                place = fmt::format("{}{}{}", rest % dim + 1, place.empty() ? "" : ",", place);
                rest /= dim;
            }
            fail(span, fmt::format("an index must be an integer, but {}[{}] = {}", symbol.ident.name, place,
                                   number_text(static_cast<double>(symbol.values[k]))));
        }
        table.values.push_back(*value);
    }
    return tables_[symbol.ident.name] = index_.table(std::move(table));
}

// The indices in the brackets after a name, checked against the shape of what the name is.
Elaborator::Forms Elaborator::index_forms(const std::vector<ExprPtr>& indices, std::string_view name, const Dims& first,
                                          const Dims& dims, Span span, bool may_be_fewer) {
    if (may_be_fewer ? indices.size() > dims.size() : indices.size() != dims.size()) {
        fail(span, fmt::format("'{}' has {}, but {} {} given", name,
                               dims.size() == 1 ? "1 index" : fmt::format("{} indices", dims.size()), indices.size(),
                               indices.size() == 1 ? "is" : "are"));
    }
    Forms forms;
    for (std::size_t k = 0; k < indices.size(); ++k) {
        const FormId f = form(indices[k], {Use::Kind::index, name});
        const std::int64_t lo = first.empty() ? 1 : first[k];
        if (const auto bad = nest_.find_outside(f, lo, lo + dims[k] - 1)) {
            throw IndexRangeError(*source_, indices[k]->span,
                                  fmt::format("index {} of '{}' is outside {}..{}{}", bad->value, name, lo,
                                              lo + dims[k] - 1,
                                              bad->where.empty() ? "" : fmt::format(" (for {})", bad->where)));
        }
        forms.push_back(f);
    }
    return forms;
}

// Whether an expression consists of loop indices and integers, in the way that form() accepts.
bool Elaborator::is_index_expression(ExprPtr expr) {
    check_depth(expr->span);
    const auto all = [&](const std::vector<Operand>& operands, bool may_divide) {
        for (const Operand& o : operands)
            if ((o.op == '/' && !may_divide) || !is_index_expression(o.expr)) return false;
        return true;
    };
    if (const Number* n = as<Number>(expr)) return to_integer(n->value).has_value();
    if (const Name* n = as<Name>(expr)) {
        if (const Local* local = find_local(n->name)) {
            if (local->is_index) return true;
            const Switch back(*this);
            scope_ = local->caller;
            return is_index_expression(local->argument);
        }
        const Symbol* symbol = table_.find(n->name);
        if (!symbol) return false;
        if (symbol->kind == SymbolKind::let && symbol->let->indices.empty()) {
            const Switch back(*this);
            scope_ = -1;
            return is_index_expression(symbol->let->value);
        }
        return symbol->kind == SymbolKind::parameter && symbol->dims.empty() && to_integer(symbol->values.front());
    }
    if (const Indexed* n = as<Indexed>(expr)) {
        const Symbol* symbol = find_local(n->name.name) ? nullptr : table_.find(n->name.name);
        if (!symbol || symbol->kind != SymbolKind::parameter || symbol->dims.empty()) return false;
        for (ExprPtr index : n->indices)
            if (!is_index_expression(index)) return false;
        return std::ranges::all_of(symbol->values, [](Quad v) { return to_integer(v).has_value(); });
    }
    if (const Negate* n = as<Negate>(expr)) return is_index_expression(n->operand);
    if (const Sum* n = as<Sum>(expr)) return all(n->operands, false);
    if (const Product* n = as<Product>(expr)) return all(n->operands, false);
    if (const Power* n = as<Power>(expr)) {
        const Number* exponent = as<Number>(n->exponent);
        const auto k = exponent ? to_integer(exponent->value) : std::nullopt;
        return k && *k >= 0 && *k <= max_index_power && is_index_expression(n->base);
    }
    if (const Call* n = as<Call>(expr)) {
        if (n->function.name == "mod" && n->arguments.size() == 2) {
            return is_index_expression(n->arguments[0]) && is_index_expression(n->arguments[1]);
        }
        if (n->function.name == "floor" && n->arguments.size() == 1) {
            const Product* product = as<Product>(n->arguments[0]);
            return product ? all(product->operands, true) : is_index_expression(n->arguments[0]);
        }
    }
    return false;
}

} // namespace vessiot::lang
