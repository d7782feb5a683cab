// Names, operators, and the walk through an expression.
#include <algorithm>

#include <fmt/format.h>

#include "core/overloaded.hpp"
#include "core/text.hpp"
#include "lang/meaning/elaborator.hpp"
#include "lang/parts/rename.hpp"

namespace vessiot::lang {

namespace {

// How many expressions may be visited: a model that writes everything out stays far below, functions that call others
// twice each grow without bound.
constexpr std::int64_t base_work = 20'000'000;
constexpr std::int64_t work_per_byte = 20;

// Up to here operations are done from left to right, as they are written; longer chains become balanced trees.
constexpr std::size_t longest_chain = 16;

// NOTE: stacks have 8 MiB, and a walk through the names of an expression comes on top of this.
constexpr std::uintptr_t max_stack = std::uintptr_t{5} << 20;

} // namespace

void Elaborator::check_depth(Span span) const {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t used = here < stack_begin_ ? stack_begin_ - here : here - stack_begin_;
    if (used > max_stack) fail(span, "expressions, lets and functions are nested too deeply here");
}

Value Elaborator::evaluate(ExprPtr expr) {
    check_depth(expr->span);
    last_span_ = expr->span;
    if (++work_ > base_work + work_per_byte * static_cast<std::int64_t>(module_.source->text().size())) {
        fail(expr->span,
             fmt::format("with its functions written out, this model has more than {} operations", work_ - 1));
    }
    const auto fail_condition = [&]() -> Value {
        fail(expr->span, "this is a condition, but a number is needed here; write if(condition, 1, 0)");
    };
    return std::visit(
        Overloaded{
            [&](const Number& n) { return Value(graph_.constant(n.value)); },
            [&](const Name& n) { return evaluate_name(n.name, expr->span); },
            [&](const Indexed& n) { return evaluate_indexed(n, expr->span); },
            [&](const ElementOf& n) { return evaluate_element(n, expr->span); },
            [&](const Prime& n) { return evaluate_prime(n); },
            [&](const Negate& n) { return map(evaluate(n.operand), [this](NodeId a) { return graph_.neg(a); }); },
            [&](const Sum& n) { return evaluate_sum(n); }, [&](const Product& n) { return evaluate_product(n); },
            [&](const Power& n) { return evaluate_power(n, expr->span); },
            [&](const Comparison&) { return fail_condition(); }, [&](const Logical&) { return fail_condition(); },
            [&](const Not&) { return fail_condition(); }, [&](const Call& n) { return evaluate_call(n, expr->span); },
            [&](const Vector& n) { return evaluate_vector(n, expr->span); },
            [&](const Reduction& n) { return evaluate_reduction(n, expr->span); }},
        expr->node);
}

Elaborator::NodeId Elaborator::number(ExprPtr expr) {
    const Value value = evaluate(expr);
    if (value.is_number()) return value.number();
    if (const Name* name = as<Name>(expr)) {
        fail(expr->span,
             fmt::format("a number is needed here, but '{}' is {}; give an index", name->name, describe(value.dims())));
    }
    fail(expr->span, fmt::format("a number is needed here, but this is {}", describe(value.dims())));
}

// ---- names ----

Elaborator::Local* Elaborator::find_local(std::string_view name) {
    for (int k = scope_; k >= 0; k = locals_[static_cast<std::size_t>(k)].parent) {
        Local& local = locals_[static_cast<std::size_t>(k)];
        if (local.name == name) return &local;
    }
    return nullptr;
}

Elaborator::Local& Elaborator::add_index(const Ident& index, FormId form) {
    Local& local = locals_.emplace_back();
    local.name = index.name;
    local.parent = scope_;
    local.is_index = true;
    local.form = form;
    scope_ = static_cast<int>(locals_.size()) - 1;
    return local;
}

// A loop index may neither be a name of the model nor one that is in use around it.
void Elaborator::check_index_name(const Ident& index) {
    if (const Symbol* symbol = table_.find(index.name)) {
        const bool is_declared = symbol->ident.span != Span{};
        fail(index.span,
             fmt::format("the index '{0}' has the name of {1} '{0}'{2}; choose another name for it", index.name,
                         symbol->kind == SymbolKind::independent ? "the independent variable"
                                                                 : fmt::format("the {}", kind_text(symbol->kind)),
                         is_declared ? fmt::format(" in {}", line_of(symbol->ident.span)) : ""));
    }
    if (const Local* local = find_local(index.name)) {
        fail(index.span,
             fmt::format("'{}' is already {} here; choose another name for this index", index.name,
                         local->is_index ? "the index of a loop around it" : "an argument of the function"));
    }
}

// What other languages write for something that this one has.
std::string Elaborator::habit_hint(std::string_view name) {
    if (name == "Pi" || name == "PI") return "the number 3.14159… is written pi";
    if (name == "inf" || name == "Inf" || name == "infinity") return "a large number is written 1e300";
    if (name == "time" && independent_) return fmt::format("the independent variable is {}", independent_->ident.name);
    if (name == "true" || name == "false") return "a condition is written with a comparison, as in x > 0";
    const auto is_unknown = [&](std::string_view word) {
        const Symbol* symbol = table_.find(word);
        return symbol && symbol->kind == SymbolKind::unknown;
    };
    for (const std::string_view end : {"_ddot", "ddot", "_dot", "dot", "_d", "_t", "_prime"})
        if (name.ends_with(end) && is_unknown(name.substr(0, name.size() - end.size())))
            return fmt::format("a derivative is written {}{}", name.substr(0, name.size() - end.size()),
                               end.find("ddot") != std::string_view::npos ? "''" : "'");
    if (name.starts_with("d2") && is_unknown(name.substr(2)))
        return fmt::format("a derivative is written {}''", name.substr(2));
    if (name.starts_with("d") && is_unknown(name.substr(1)))
        return fmt::format("a derivative is written {0}', not d{0}/dt", name.substr(1));
    return {};
}

// a.x, where there is no part a, or where it has no x.
void Elaborator::fail_no_member(std::string_view name, std::string_view root, Span span) {
    const std::string_view part = name.substr(0, name.rfind('.')), member = name.substr(name.rfind('.') + 1);
    std::vector<std::string_view> members, parts;
    std::string other;
    for (const Symbol& symbol : table_.symbols()) {
        const std::string_view full = symbol.ident.name;
        const std::size_t dot = full.rfind('.');
        if (dot == std::string_view::npos) continue;
        const std::string_view owner = full.substr(0, dot);
        if (owner == part) members.push_back(full.substr(dot + 1));
        if (std::ranges::find(parts, owner) == parts.end()) parts.push_back(owner);
        if (owner.starts_with(part) && owner.substr(part.size()).starts_with("[#"))
            other = fmt::format("'{}' is a family of parts: give an index, as in {}[1].{}", part, part, member);
        if (part.starts_with(owner) && part.substr(owner.size()).starts_with("[#"))
            other = fmt::format("'{}' is a part, not a family of parts, and has no index", owner);
    }
    if (!members.empty()) {
        const auto meant = nearest(member, members);
        fail(span, fmt::format("the part '{}' has no '{}'{} It has: {}", part, member,
                               meant ? fmt::format("; did you mean '{}'?", *meant) : ".", first_names(members)));
    }
    if (!other.empty()) fail(span, other);
    if (table_.find(root))
        fail(span, fmt::format("'{}' is a {}, not a part, and has no '{}'", root, kind_text(table_.find(root)->kind),
                               member));
    const auto meant = nearest(part, parts);
    fail(span, fmt::format("there is no part '{}'{}", part,
                           meant           ? fmt::format("; did you mean '{}'?", *meant)
                           : parts.empty() ? "; a part is made from a component: part a = Link(l = 2)"
                                           : ". There are: " + first_names(parts)));
}

void Elaborator::fail_unknown_name(std::string_view name, Span span) {
    if (name == "lambda" && said_.has_motion && said_.has_constraint) {
        fail(span,
             "the multipliers lambda[1], lambda[2], … follow from the constraints; they can be used in output, event, "
             "start and guess, but not here");
    }
    if (const std::string hint = habit_hint(name); !hint.empty())
        fail(span, fmt::format("'{}' is not a name of this model: {}", source_->text(span), hint));
    if (const std::string_view root = root_of(name); root.size() < name.size()) fail_no_member(name, root, span);
    std::vector<std::string_view> names;
    for (int k = scope_; k >= 0; k = locals_[static_cast<std::size_t>(k)].parent)
        names.push_back(locals_[static_cast<std::size_t>(k)].name);
    for (const Symbol& symbol : table_.symbols()) names.push_back(symbol.ident.name);
    const auto meant = nearest(name, names);
    fail(span, fmt::format("'{}' is not a name of this model{}", source_->text(span),
                           meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
}

Value Elaborator::evaluate_name(std::string_view name, Span span) {
    if (const Local* local = find_local(name)) {
        if (local->is_index) return graph_.index_value(local->form);
        if (mode_ == Mode::symbolic || local->mode == Mode::constant) return local->value;
        // An argument that was evaluated with parameters as names is needed as a number.
        const Switch back(*this);
        scope_ = local->caller;
        source_ = local->source;
        return evaluate(local->argument);
    }
    if (Symbol* symbol = table_.find(name)) return evaluate_symbol(*symbol, span);
    if (name == "pi") return graph_.mul(graph_.integer(4), graph_.apply(expr::Op::atan, graph_.one()));
    if (name == "e") return graph_.apply(expr::Op::exp, graph_.one());
    fail_unknown_name(name, span);
}

void Elaborator::check_is_allowed(const Symbol& symbol, Span span) {
    if (mode_ == Mode::symbolic) return;
    if (symbol.kind != SymbolKind::unknown && symbol.kind != SymbolKind::independent &&
        symbol.kind != SymbolKind::discrete)
        return;
    fail(span,
         fmt::format("{} cannot depend on the {} '{}'", constant_for_, kind_text(symbol.kind), symbol.ident.name));
}

Value Elaborator::evaluate_symbol(Symbol& symbol, Span span) {
    check_is_allowed(symbol, span);
    symbol.is_used = true;
    switch (symbol.kind) {
    case SymbolKind::parameter: {
        if (mode_ == Mode::symbolic) break;
        symbol.is_structural |= is_structural_;
        std::vector<NodeId> values;
        values.reserve(symbol.values.size());
        for (const Quad v : symbol.values) values.push_back(graph_.constant(v));
        return symbol.dims.empty() ? Value(values.front()) : Value::listed(symbol.dims, std::move(values));
    }
    case SymbolKind::discrete:
    case SymbolKind::unknown:
    case SymbolKind::independent: break;
    case SymbolKind::let: {
        if (!symbol.let->indices.empty()) {
            if (mode_ == Mode::symbolic) break;
            return listed(family(symbol.dims, [this, &symbol](const Forms& forms) {
                Forms shifted = forms;
                for (std::size_t k = 0; k < forms.size(); ++k)
                    shifted[k] = index_.add(forms[k], index_.constant(symbol.first[k] - 1));
                return read_element(symbol, shifted);
            }));
        }
        if (mode_ == Mode::symbolic) return symbol.value;
        if (!symbol.has_constant) {
            const Switch back(*this);
            scope_ = -1;
            source_ = module_.source;
            symbol.constant = evaluate(symbol.let->value);
            symbol.has_constant = true;
        }
        return symbol.constant;
    }
    case SymbolKind::table: fail(span, fmt::format("'{0}' is a table: write {0}(…)", symbol.ident.name));
    case SymbolKind::function:
        fail(span, fmt::format("'{0}' is a function: write {0}({1})", symbol.ident.name,
                               symbol.function->formals.size() == 1 ? "…" : "…, …"));
    }
    return symbol.dims.empty() ? Value(graph_.read(symbol.array)) : whole_array(symbol.array);
}

Value Elaborator::whole_array(expr::ArrayId array) {
    return Value::family(graph_.array(array).extent, [this, array](const Forms& forms) {
        const Dims& lo = graph_.array(array).lo;
        Forms shifted = forms;
        for (std::size_t k = 0; k < forms.size(); ++k)
            if (lo[k] != 1) shifted[k] = index_.add(forms[k], index_.constant(lo[k] - 1));
        return graph_.read(array, index_.list(std::move(shifted)));
    });
}

// ---- x[i, j] ----

Value Elaborator::evaluate_indexed(const Indexed& indexed, Span span) {
    const auto& [name, name_span] = indexed.name;
    const auto fail_number = [&](std::string_view what) {
        fail(span, fmt::format("'{}' is {} and has no index", name, what));
    };
    const Local* local = find_local(name);
    if (local && local->is_index) fail_number("a loop index");
    Symbol* symbol = local ? nullptr : table_.find(name);
    const bool is_stored = symbol && (symbol->kind == SymbolKind::parameter || symbol->kind == SymbolKind::unknown ||
                                      symbol->kind == SymbolKind::discrete ||
                                      (symbol->kind == SymbolKind::let && !symbol->let->indices.empty()));
    if (symbol && symbol->kind == SymbolKind::independent) fail_number("the independent variable");
    if (symbol && (symbol->kind == SymbolKind::function || symbol->kind == SymbolKind::table)) {
        fail(span, fmt::format("'{0}' is a {1}: write {0}(…) instead of {0}[…]", name, kind_text(symbol->kind)));
    }
    if (is_stored) {
        check_is_allowed(*symbol, span);
        symbol->is_used = true;
        if (symbol->dims.empty()) fail_number(symbol->kind == SymbolKind::unknown ? "a single unknown" : "a number");
        const Forms forms = index_forms(indexed.indices, name, symbol->first, symbol->dims, span, true);
        return slice(symbol->dims, forms, [this, symbol, n = forms.size()](Forms at) {
            for (std::size_t k = n; k < at.size(); ++k)
                at[k] = index_.add(at[k], index_.constant(symbol->first[k] - 1));
            return read_element(*symbol, at);
        });
    }
    // a let that is a vector, or an argument of a function
    const Value value = evaluate_name(name, name_span);
    if (value.is_number()) fail_number("a number");
    const Dims first(value.dims().size(), 1);
    return slice(value.dims(), index_forms(indexed.indices, name, first, value.dims(), span, true),
                 [this, value, span](const Forms& at) { return element(value, at, span); });
}

// An element, or where indices are missing the array over these: of r[n,3] the vector r[i]. Those of a let family begin
// at its first index.
Value Elaborator::slice(const Dims& dims, const Forms& indices, std::function<NodeId(const Forms&)> element) {
    if (indices.size() == dims.size()) return element(indices);
    const Dims rest(dims.begin() + static_cast<std::ptrdiff_t>(indices.size()), dims.end());
    const Value value = family(rest, [indices, element = std::move(element)](const Forms& at) {
        Forms all = indices;
        all.insert(all.end(), at.begin(), at.end());
        return element(all);
    });
    return mode_ == Mode::constant ? listed(value) : value;
}

// [cos(a), sin(a)][k]
Value Elaborator::evaluate_element(const ElementOf& indexed, Span span) {
    const Value value = evaluate(indexed.of);
    if (value.is_number()) fail(span, "this is a number and has no index");
    const Dims first(value.dims().size(), 1);
    const std::string name = "this " + std::string(value.dims().size() == 1 ? "vector" : "array");
    return slice(value.dims(), index_forms(indexed.indices, name, first, value.dims(), span, true),
                 [this, value, span](const Forms& at) { return element(value, at, span); });
}

// The indices are in range.
Elaborator::NodeId Elaborator::read_element(Symbol& symbol, const Forms& indices) {
    if (mode_ == Mode::symbolic) return graph_.read(symbol.array, index_.list(indices));
    if (symbol.kind == SymbolKind::let) {
        const Switch back(*this);
        const Scope scope(*this);
        scope_ = -1;
        source_ = module_.source;
        const std::size_t n = symbol.let->indices.size();
        for (std::size_t k = 0; k < n; ++k) add_index(symbol.let->indices[k].index, indices[k]);
        if (n == indices.size()) return number(symbol.let->value);
        const Forms rest(indices.begin() + static_cast<std::ptrdiff_t>(n), indices.end());
        return element(evaluate(symbol.let->value), rest, symbol.let->value->span);
    }
    symbol.is_structural |= is_structural_;
    std::int64_t address = 0;
    for (std::size_t k = 0; k < indices.size(); ++k)
        address = address * symbol.dims[k] + index_.constant_value(indices[k]).value_or(0) - 1;
    if (address < 0 || address >= static_cast<std::int64_t>(symbol.values.size())) return graph_.zero();
    return graph_.constant(symbol.values[static_cast<std::size_t>(address)]);
}

// ---- operators ----

Value Elaborator::evaluate_sum(const Sum& sum) {
    std::vector<NodeId> terms;
    Value total;
    bool is_array = false;
    for (const Operand& operand : sum.operands) {
        Value value = evaluate(operand.expr);
        const bool is_first = operand.op_span == Span{};
        const bool is_minus = operand.op == '-';
        if (is_first) is_array = !value.is_number();
        const Dims& before = is_array ? total.dims() : Dims{};
        if (!is_first && value.dims() != before) {
            fail(operand.op_span, fmt::format("{} and {} cannot be {}", describe(before), describe(value.dims()),
                                              is_minus ? "subtracted" : "added"));
        }
        if (!is_array) {
            terms.push_back(is_minus ? graph_.neg(value.number()) : value.number());
        } else if (is_first) {
            total = std::move(value);
        } else {
            total = zip(total, value, [this, is_minus](NodeId a, NodeId b) {
                return is_minus ? graph_.sub(a, b) : graph_.add(a, b);
            });
        }
    }
    if (is_array) return total;
    if (terms.size() > longest_chain) return graph_.sum(terms);
    NodeId result = terms.front();
    for (std::size_t k = 1; k < terms.size(); ++k) result = graph_.add(result, terms[k]);
    return result;
}

// Balanced, so that long products stay shallow.
Elaborator::NodeId Elaborator::product_of(std::vector<NodeId> factors) {
    if (factors.empty()) return graph_.one();
    while (factors.size() > 1) {
        std::size_t out = 0;
        for (std::size_t k = 0; k + 1 < factors.size(); k += 2) factors[out++] = graph_.mul(factors[k], factors[k + 1]);
        if (factors.size() % 2 != 0) factors[out++] = factors.back();
        factors.resize(out);
    }
    return factors.front();
}

Value Elaborator::evaluate_product(const Product& product) {
    if (product.operands.size() > longest_chain) {
        std::vector<NodeId> above, below;
        for (const Operand& operand : product.operands)
            (operand.op == '*' ? above : below).push_back(number(operand.expr));
        return graph_.div(product_of(std::move(above)), product_of(std::move(below)));
    }
    Value result;
    for (const Operand& operand : product.operands) {
        Value value = evaluate(operand.expr);
        if (operand.op_span == Span{}) {
            result = std::move(value);
        } else if (operand.op == '*') {
            result = multiply(result, value, operand.op_span);
        } else {
            if (!value.is_number()) {
                fail(operand.op_span, fmt::format("a division by {} is not possible{}", describe(value.dims()),
                                                  value.dims().size() == 2 ? "; use inverse(…)" : ""));
            }
            const NodeId divisor = value.number();
            result = map(result, [this, divisor](NodeId a) { return graph_.div(a, divisor); });
        }
    }
    return result;
}

Value Elaborator::evaluate_power(const Power& power, Span span) {
    const Value base = evaluate(power.base);
    if (!base.is_number()) {
        fail(span, fmt::format("{} cannot be raised to a power; {}", describe(base.dims()),
                               base.dims().size() == 1 ? "for the square of its length write dot(v, v)"
                                                       : "write the product A*A"));
    }
    return graph_.pow(base.number(), number(power.exponent));
}

} // namespace vessiot::lang
