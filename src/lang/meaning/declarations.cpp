// The names of a model and what they stand for: parameters, unknowns, lets.
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "lang/meaning/elaborator.hpp"
#include "lang/syntax/number_text.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

void Elaborator::declare() {
    collect(module_.statements);
    reserve_multiplier_name();
    apply_settings();
    const std::vector<Symbol*> order = definition_order(*module_.source, table_);
    for (Symbol* symbol : order)
        if (symbol->kind == SymbolKind::parameter)
            evaluate_parameter(*symbol);
        else if (symbol->kind == SymbolKind::table)
            make_table(*symbol);
    for (Symbol& symbol : table_.symbols()) {
        expr::Array array{.name = std::string(symbol.ident.name)};
        if (symbol.kind == SymbolKind::parameter) {
            array.role = expr::ArrayRole::parameter;
        } else if (symbol.kind == SymbolKind::unknown) {
            symbol.dims = sizes(symbol.unknown->dims, symbol.ident.name);
            symbol.first.assign(symbol.dims.size(), 1);
            array.role = expr::ArrayRole::unknown;
        } else if (symbol.kind == SymbolKind::independent) {
            array.role = expr::ArrayRole::independent;
        } else if (symbol.kind == SymbolKind::discrete) {
            evaluate_parameter(symbol);
            array.role = expr::ArrayRole::auxiliary;
        } else {
            continue;
        }
        array.lo.assign(symbol.dims.size(), 1);
        array.extent = symbol.dims;
        symbol.array = graph_.add_array(std::move(array));
        const Location where = locate(symbol.ident.span);
        if (symbol.kind == SymbolKind::parameter) {
            system_.parameters.push_back({.name = std::string(symbol.ident.name),
                                          .array = symbol.array,
                                          .values = symbol.values,
                                          .where = where});
        } else if (symbol.kind == SymbolKind::unknown) {
            system_.unknowns.push_back({.name = std::string(symbol.ident.name), .array = symbol.array, .where = where});
        } else if (symbol.kind == SymbolKind::discrete) {
            system_.held.push_back({.name = std::string(symbol.ident.name),
                                    .array = symbol.array,
                                    .values = symbol.values,
                                    .where = where});
        }
    }
    system_.independent = independent_->array;
    system_.independent_name = independent_->ident.name;
    check_function_bodies();
    for (Symbol& symbol : table_.symbols())
        if (symbol.kind == SymbolKind::discrete)
            std::ranges::find(system_.held, symbol.array, &Held::array)->formula = formula(symbol);
    for (Symbol* symbol : order) {
        if (symbol->kind == SymbolKind::parameter)
            std::ranges::find(system_.parameters, symbol->array, &Parameter::array)->formula = formula(*symbol);
        if (symbol->kind != SymbolKind::let) continue;
        if (symbol->let->indices.empty()) {
            define_let(*symbol);
        } else {
            define_let_family(*symbol);
        }
    }
}

void Elaborator::collect(const std::vector<Statement>& statements) {
    const auto has_constraint = [](auto&& self, const std::vector<Statement>& body) -> bool {
        return std::ranges::any_of(body, [&](const Statement& s) {
            const auto* loop = std::get_if<ForStatement>(&s.node);
            return std::holds_alternative<ConstraintStatement>(s.node) || (loop && self(self, loop->body));
        });
    };
    said_.has_constraint = has_constraint(has_constraint, statements);
    Ident independent{"t", {}};
    for (const Statement& statement : statements) {
        said_.has_motion |= std::holds_alternative<LagrangianStatement>(statement.node) ||
                            std::holds_alternative<HamiltonianStatement>(statement.node);
        if (const auto* s = std::get_if<IndependentStatement>(&statement.node)) {
            note_once("independent", statement.span);
            independent = s->name;
        }
    }
    const Source& source = *module_.source;
    independent_ = &table_.declare(source, SymbolKind::independent, independent);
    for (const Statement& statement : statements) {
        if (const auto* parameters = std::get_if<ParameterStatement>(&statement.node)) {
            for (const ParameterItem& item : parameters->items) {
                Symbol& symbol = table_.declare(source, SymbolKind::parameter, item.name);
                symbol.parameter = &item;
                symbol.definition = item.value;
                symbol.definition_source = &source;
                if (!item.file) continue;
                symbol.file = &*item.file;
                symbol.folder = folder_of(item.file->path_span);
            }
        } else if (const auto* discrete = std::get_if<DiscreteStatement>(&statement.node)) {
            for (const ParameterItem& item : discrete->items) {
                Symbol& symbol = table_.declare(source, SymbolKind::discrete, item.name);
                symbol.parameter = &item;
                symbol.definition = item.value;
                symbol.definition_source = &source;
            }
        } else if (const auto* unknowns = std::get_if<UnknownStatement>(&statement.node)) {
            for (const UnknownItem& item : unknowns->items)
                table_.declare(source, SymbolKind::unknown, item.name).unknown = &item;
        } else if (const auto* let = std::get_if<LetStatement>(&statement.node)) {
            table_.declare(source, SymbolKind::let, let->name).let = let;
        } else if (const auto* function = std::get_if<FunctionStatement>(&statement.node)) {
            table_.declare(source, SymbolKind::function, function->name).function = function;
        } else if (const auto* table = std::get_if<TableStatement>(&statement.node)) {
            table_.declare(source, SymbolKind::table, table->name).table = table;
        } else if (const auto* matrices = std::get_if<MatrixStatement>(&statement.node)) {
            for (const MatrixItem& item : matrices->items) {
                matrix_items_.push_back({item.name, item.dims, item.span});
                table_.declare(source, SymbolKind::unknown, item.name).unknown = &matrix_items_.back();
            }
        }
    }
}

void Elaborator::reserve_multiplier_name() {
    if (!said_.has_motion || !said_.has_constraint) return;
    if (const Symbol* symbol = table_.find("lambda")) {
        fail(symbol->ident.span,
             "'lambda' stands for the multipliers of the constraints here (lambda[1], lambda[2], …); "
             "choose another name");
    }
}

// A function is elaborated where it is called; a name that does not exist is an error even if it never is.
void Elaborator::check_function_bodies() {
    for (const Symbol& symbol : table_.symbols()) {
        if (symbol.kind != SymbolKind::function) continue;
        const Scope scope(*this);
        for (const Ident& formal : symbol.function->formals) {
            if (find_local(formal.name)) {
                fail(formal.span, fmt::format("the function '{}' has two arguments with the name '{}'",
                                              symbol.ident.name, formal.name));
            }
            add_index(formal, index_.constant(0));
        }
        visit_names(symbol.function->body, [&](std::string_view name, Span span, bool is_call) {
            if (table_.find(name) || find_local(name)) return;
            if (is_call && !find_builtin_function(name) && name != "size") fail_unknown_function(name, span);
            if (!is_call && name != "pi" && name != "e") fail_unknown_name(name, span);
        });
    }
}

Dims Elaborator::sizes(const std::vector<ExprPtr>& dims, std::string_view name) {
    Dims result;
    Wide total = 1;
    for (ExprPtr dim : dims) {
        const std::int64_t size = integer(dim, {Use::Kind::size, name});
        if (size < 1) fail(dim->span, fmt::format("the size of '{}' must be at least 1, but it is {}", name, size));
        total *= size;
        if (total > settings_.max_instances) {
            fail(dim->span, fmt::format("'{}' would have {} elements; the limit is {}, which --max-instances raises",
                                        name, number_text(static_cast<double>(total)),
                                        number_text(static_cast<double>(settings_.max_instances))));
        }
        result.push_back(size);
    }
    return result;
}

// Or what is discrete.
void Elaborator::evaluate_parameter(Symbol& symbol) {
    const std::string_view name = symbol.ident.name;
    symbol.dims = sizes(symbol.parameter->dims, name);
    symbol.first.assign(symbol.dims.size(), 1);
    if (!symbol.definition && symbol.kind == SymbolKind::discrete) {
        fail(symbol.ident.span,
             fmt::format("the discrete quantity '{0}' has no value at the start: write discrete {0} = 0", name));
    }
    if (symbol.file) {
        evaluate_from_file(symbol);
        set_elements(symbol);
        return;
    }
    if (!symbol.definition) {
        fail(symbol.ident.span,
             fmt::format("the parameter '{0}' has no value: write parameter {0} = …, or give it with --set {0}=…",
                         name));
    }
    const Switch back(*this);
    mode_ = Mode::constant;
    constant_for_ = fmt::format("the value of '{}'", name);
    source_ = symbol.definition_source;
    const Span span = symbol.definition->span;
    const std::vector<NodeId> nodes = evaluate_family(symbol, symbol.dims);
    symbol.first.assign(symbol.dims.size(), 1);
    symbol.values.reserve(nodes.size());
    for (const NodeId node : nodes) {
        constexpr auto largest = static_cast<Quad>(std::numeric_limits<double>::max());
        if (!graph_.is_constant(node) || graph_.value(node) > largest || graph_.value(node) < -largest) {
            fail(span, fmt::format("the value of '{}' is not a finite number", name));
        }
        symbol.values.push_back(graph_.value(node));
    }
    set_elements(symbol);
}

// Visits all indices of a family of parts, as numbers.
void Elaborator::for_family(const std::vector<IndexRange>& family,
                            const std::function<void(const std::vector<std::string>&)>& visit) {
    std::vector<std::string> at;
    const auto go = [&](const auto& self, std::size_t k) -> void {
        if (k == family.size()) return visit(at);
        const std::int64_t n = integer(family[k].hi, {Use::Kind::bound, family[k].index.name});
        for (std::int64_t i = 1; i <= n; ++i) {
            const Scope scope(*this);
            add_index(family[k].index, index_.constant(i));
            at.push_back(std::to_string(i));
            self(self, k + 1);
            at.pop_back();
        }
    };
    go(go, 0);
}

// The definition of a parameter or of what is discrete, for all parts of a family; `dims`: of one, then of all.
std::vector<Elaborator::NodeId> Elaborator::evaluate_family(const Symbol& symbol, Dims& dims) {
    const Span span = symbol.definition->span;
    const std::string_view name = symbol.ident.name;
    const std::vector<IndexRange>& family = symbol.parameter->family;
    bool is_sized_by_value = symbol.parameter->file || symbol.parameter->is_sized_by_value;
    std::vector<NodeId> nodes;
    Dims whole;
    for (const IndexRange& range : family) {
        whole.push_back(integer(range.hi, {Use::Kind::bound, range.index.name}));
        if (whole.back() < 1) fail(range.hi->span, "a family of parts has at least one part");
    }
    for_family(family, [&](const std::vector<std::string>&) {
        const Value value = listed(evaluate(symbol.definition));
        if (is_sized_by_value && dims.empty()) dims = value.dims();
        is_sized_by_value = false; // the first part says it
        if (value.is_number()) {   // one number for all elements
            Wide size = 1;
            for (const std::int64_t dim : dims) size *= dim;
            nodes.insert(nodes.end(), static_cast<std::size_t>(size), value.number());
            return;
        }
        if (dims.empty())
            fail(span, fmt::format("'{}' is a single {}, but its value is {}; to declare an array write {}[{}]", name,
                                   kind_text(symbol.kind), describe(value.dims()), name, fmt::join(value.dims(), ",")));
        if (value.dims() != dims)
            fail(span, describe_mismatch(fmt::format("'{}'", name), dims, "its value", value.dims()));
        nodes.insert(nodes.end(), value.elements().begin(), value.elements().end());
    });
    dims.insert(dims.begin(), whole.begin(), whole.end());
    return nodes;
}

// What a parameter, or what is discrete, is computed from: derivatives by the others go through it. Empty where that is
// numbers alone.
std::vector<Elaborator::NodeId> Elaborator::formula(Symbol& symbol) {
    bool has_names = false;
    if (!symbol.definition) return {};
    visit_names(symbol.definition,
                [&](std::string_view name, Span, bool) { has_names |= table_.find(name) != nullptr; });
    if (!has_names) return {};
    const Switch back(*this);
    source_ = symbol.definition_source;
    Dims dims(symbol.dims.begin() + static_cast<std::ptrdiff_t>(symbol.parameter->family.size()), symbol.dims.end());
    std::vector<NodeId> nodes = evaluate_family(symbol, dims);
    for (const Symbol::Setting& setting : symbol.elements) {
        const auto at = static_cast<std::size_t>(element_set(symbol, setting));
        nodes[at] = graph_.constant(symbol.values[at]);
    }
    if (std::ranges::all_of(nodes, [&](NodeId n) { return graph_.is_constant(n); })) nodes.clear();
    return nodes;
}

void Elaborator::define_let(Symbol& symbol) {
    Value value = evaluate(symbol.let->value);
    if (!value.is_number() && !value.is_listed()) {
        // A family becomes an array, unless it is one already: its elements are made once, wherever they are used.
        const Scope scope(*this);
        const Forms indices = open_components(value.dims(), symbol.let->value->span);
        const NodeId node = value.element()(indices);
        const expr::Node x = graph_.node(node);
        const expr::ListId identity = index_.list(indices);
        const Dims from_one(value.dims().size(), 1);
        const bool is_array = x.op == expr::Op::read && x.b == identity && graph_.array(x.a).extent == value.dims() &&
                              graph_.array(x.a).lo == from_one;
        const expr::ArrayId array = is_array ? x.a
                                             : graph_.define(std::string(symbol.ident.name), from_one, value.dims(),
                                                             {{nest_.domain(), identity, node}});
        value = whole_array(array);
    }
    symbol.value = std::move(value);
}

void Elaborator::define_let_family(Symbol& symbol) {
    const Scope scope(*this);
    std::vector<FormId> target;
    for (const IndexRange& range : symbol.let->indices) {
        open_loop(range.index, range.lo, range.hi, range.span);
        const expr::LoopVar v = index_.loop_var(nest_.vars().back());
        const auto lo = index_.constant_value(v.lo), hi = index_.constant_value(v.hi);
        if (!lo || !hi) {
            fail(range.span,
                 fmt::format("the range of '{}' cannot depend on another index of the family", range.index.name));
        }
        symbol.first.push_back(*lo);
        symbol.dims.push_back(std::max<std::int64_t>(*hi - *lo + 1, 0));
        target.push_back(index_.var(nest_.vars().back()));
    }
    const Value body = evaluate(symbol.let->value);
    std::vector<expr::Contribution> parts;
    const auto add = [&](const Forms& at, NodeId node) {
        Forms all = target;
        all.insert(all.end(), at.begin(), at.end());
        if (!nest_.is_empty()) parts.push_back({nest_.domain(), index_.list(all), node});
    };
    const Span span = symbol.let->value->span;
    symbol.first.insert(symbol.first.end(), body.dims().size(), 1);
    symbol.dims.insert(symbol.dims.end(), body.dims().begin(), body.dims().end());
    if (body.is_number())
        add({}, body.number());
    else
        for_components(body.dims(), body.is_listed(), span, [&](const Forms& at) { add(at, element(body, at, span)); });
    symbol.array = graph_.define(std::string(symbol.ident.name), symbol.first, symbol.dims, std::move(parts));
}

} // namespace vessiot::lang
