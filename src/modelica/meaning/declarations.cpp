// Declarations: every scalar of an array or a record is one variable or one parameter.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "core/text.hpp"
#include "modelica/meaning/reader.hpp"

namespace vessiot::modelica {

using namespace expr;

Reader::Reader(Module& module, const Class& model, const lang::Settings& settings)
    : module_(module), model_(model), settings_(settings),
      evaluator_(
          module, flat_, declarations_, [this](NameId name) { return lookup(name); },
          [this](NodeId node) { return known(node); }) {
    flat_.name = module.names[model.name];
    Graph& g = *flat_.graph;
    flat_.time = g.add_array({.name = "time", .role = ArrayRole::independent});
    flat_.initial_flag = g.add_array({.name = "initial()", .role = ArrayRole::auxiliary});
}

void Reader::collect_classes(const std::vector<Class>& classes) {
    for (const Class& c : classes) {
        declarations_.classes.emplace(c.name, &c);
        if (c.kind != ClassKind::model && c.kind != ClassKind::external_object) collect_classes(c.classes);
        if (c.kind == ClassKind::package)
            for (const Component& component : c.components) declare(component);
    }
}

Type Reader::type_of(NameId type, Span span) const {
    const std::string& name = module_.names[type];
    if (name == "Real") return Type::real;
    if (name == "Integer") return Type::integer;
    if (name == "Boolean") return Type::boolean;
    if (name == "String") return Type::text;
    if (name == "StateSelect" || name == "AssertionLevel") return Type::enumeration;
    if (name == "Clock") evaluator_.fail(span, "clocks are not supported");
    const auto it = declarations_.classes.find(type);
    if (it == declarations_.classes.end())
        evaluator_.fail(span, fmt::format("the type '{}' is declared nowhere in this text", printable(name)));
    const Class& c = *it->second;
    if (c.kind == ClassKind::type && c.base != nothing && c.base != type) return type_of(c.base, span);
    if (c.kind == ClassKind::type) return Type::enumeration;
    if (c.kind == ClassKind::external_object || c.kind == ClassKind::function) return Type::object;
    if (c.kind != ClassKind::record)
        evaluator_.fail(span, fmt::format("'{}' is a {}, which has no place in a flat model: make it flat first, with "
                                          "OpenModelica (--baseModelica) or rumoca",
                                          printable(name), c.kind == ClassKind::model ? "model" : "package"));
    return Type::real;
}

void Reader::declare(const Component& c) {
    std::vector<std::int64_t> dimensions;
    for (const ExprId size : c.dimensions) {
        if (module_.expressions[size].kind == ExprKind::whole) {
            if (c.value == nothing) evaluator_.fail(c.span, "the size ':' is that of a value, and there is none");
            const Value value = evaluator_.evaluate(c.value);
            const Value* level = &value;
            for (std::size_t k = 0; k < dimensions.size() && level->size() > 0; ++k) level = &(*level)[0];
            dimensions.push_back(static_cast<std::int64_t>(level->size()));
        } else {
            dimensions.push_back(evaluator_.whole_number(size, "the size of an array"));
        }
        if (dimensions.back() < 0 || dimensions.back() > 1'000'000)
            evaluator_.fail(c.span, fmt::format("{} is no size of an array", dimensions.back()));
    }
    declare_elements(module_.names[c.name], c, c.type, dimensions, {}, {});
}

void Reader::declare_elements(const std::string& name, const Component& c, NameId type,
                              std::span<const std::int64_t> dimensions, std::vector<std::int64_t> subscripts,
                              const std::vector<NameId>& fields) {
    const std::size_t depth = subscripts.size();
    if (depth == dimensions.size()) return declare_scalar(name, c, type, subscripts, fields);
    subscripts.push_back(0);
    for (std::int64_t k = 1; k <= dimensions[depth]; ++k) {
        subscripts.back() = k;
        const std::string element = depth == 0 ? fmt::format("{}[{}", name, k) : fmt::format("{},{}", name, k);
        declare_elements(depth + 1 == dimensions.size() ? element + "]" : element, c, type, dimensions, subscripts,
                         fields);
    }
}

void Reader::declare_scalar(const std::string& name, const Component& c, NameId type,
                            const std::vector<std::int64_t>& subscripts, const std::vector<NameId>& fields) {
    const auto it = declarations_.classes.find(type);
    if (it != declarations_.classes.end() && it->second->kind == ClassKind::record) {
        if (fields.size() > 50) evaluator_.fail(c.span, "this record contains itself");
        for (const Component& field : it->second->components) {
            std::vector<NameId> path = fields;
            path.push_back(field.name);
            std::vector<std::int64_t> dimensions;
            for (const ExprId size : field.dimensions) dimensions.push_back(evaluator_.whole_number(size, "a size"));
            if (!dimensions.empty())
                evaluator_.fail(c.span, "arrays in records that are declared as a whole are not supported: export with "
                                        "the option scalarize");
            declare_scalar(fmt::format("{}.{}", name, module_.names[field.name]), c, field.type, subscripts, path);
        }
        return;
    }
    const NameId id = module_.names.add(name);
    if (by_name_.size() <= id) by_name_.resize(std::max<std::size_t>(module_.names.size(), id + 1), nothing);
    if (by_name_[id] != nothing) evaluator_.fail(c.span, fmt::format("'{}' is declared twice", printable(name)));
    by_name_[id] = declared_.size();
    declared_.push_back({.component = &c, .subscripts = subscripts, .fields = fields, .type = type_of(type, c.span)});
    declared_names_.push_back(name);
}

// Of the value of a declaration, what belongs to one of its scalars.
Value Reader::part_of(const Value& whole, const Declared& d, Span span) {
    Value value = whole;
    if (value.is_array() && !d.subscripts.empty()) {
        std::vector<Value> subscripts;
        for (const std::int64_t k : d.subscripts) subscripts.push_back(Value::number(flat_.graph->integer(k)));
        value = evaluator_.index(value, subscripts, span);
    }
    for (const NameId field : d.fields)
        if (value.is_record()) value = evaluator_.field(value, field, span);
    return value;
}

std::optional<Value> Reader::attribute(const Declared& d, std::string_view name) {
    const std::vector<Modification>* list = &d.component->modifications;
    for (const NameId field : d.fields) { // r(x(start = 1))
        const auto it = std::ranges::find(*list, field, &Modification::name);
        if (it == list->end()) return {};
        list = &it->nested;
    }
    for (const Modification& m : *list)
        if (m.value != nothing && module_.names[m.name] == name)
            return part_of(evaluator_.evaluate(m.value), d, m.span);
    return {};
}

void Reader::read_attributes(Declared& d, Variable& v) {
    if (const auto start = attribute(d, "start"); start && start->is_number()) v.start = start->node;
    if (const auto fixed = attribute(d, "fixed"); fixed && fixed->is_number())
        v.is_fixed = known(fixed->node).value_or(0) != 0;
    if (const auto select = attribute(d, "stateSelect"); select && select->is_number()) {
        const auto k = static_cast<int>(known(select->node).value_or(3));
        if (k >= 1 && k <= 5) v.select = static_cast<StateSelect>(k);
    }
}

void Reader::make_variable(std::size_t declared, const std::string& name) {
    Declared& d = declared_[declared];
    Graph& g = *flat_.graph;
    Variable v;
    v.name = name;
    v.type = d.type;
    v.variability = d.component->variability;
    v.is_protected = d.component->is_protected;
    v.span = d.component->span;
    v.is_found_at_start = v.variability == Variability::parameter;
    v.array = g.add_array({.name = name, .role = ArrayRole::unknown});
    v.node = g.read(v.array);
    d.variable = flat_.variables.size();
    flat_.variable_of[v.array] = d.variable;
    flat_.variables.push_back(std::move(v));
}

// ---- parameters ----

void Reader::take_settings() {
    for (const auto& [name, text] : settings_.set) {
        const NameId id = module_.names.find(name);
        const std::size_t at = id == nothing || id >= by_name_.size() ? nothing : by_name_[id];
        if (at == nothing || declared_[at].component->variability != Variability::parameter) {
            std::vector<std::string_view> names;
            for (std::size_t k = 0; k < declared_.size(); ++k)
                if (declared_[k].component->variability == Variability::parameter) names.push_back(declared_names_[k]);
            const auto meant = nearest(name, names);
            throw InvalidInput(fmt::format("--set {}: the model has no such parameter{}", name,
                                           meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
        }
        double value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (text == "true" || text == "false")
            value = text == "true" ? 1 : 0;
        else if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
            throw InvalidInput(fmt::format("--set {}: a number is needed, but found '{}'", name, printable(text)));
        set_[at] = value;
    }
}

Value Reader::parameter_value(std::size_t declared) {
    if (declared_[declared].value) return *declared_[declared].value;
    const Component& c = *declared_[declared].component;
    if (declared_[declared].is_open)
        evaluator_.fail(c.span,
                        fmt::format("the value of '{}' depends on itself", printable(declared_names_[declared])));
    declared_[declared].is_open = true;
    Value value;
    if (const auto it = set_.find(declared); it != set_.end()) {
        value = Value::number(flat_.graph->constant(it->second));
    } else if (c.value != nothing) {
        value = part_of(evaluator_.evaluate(c.value), declared_[declared], c.span);
    } else if (const auto start = attribute(declared_[declared], "start")) {
        value = *start;
        if (c.variability == Variability::parameter)
            flat_.notes.push_back(
                fmt::format("the parameter {} has no value: its start value is taken", declared_names_[declared]));
    } else if (declared_[declared].type == Type::text) {
        value = Value::text(module_.names.add("\"\""));
    } else {
        value = Value::number(flat_.graph->zero());
        if (c.variability == Variability::parameter && declared_[declared].type == Type::real)
            flat_.notes.push_back(fmt::format("the parameter {} has no value: 0 is taken", declared_names_[declared]));
    }
    declared_[declared].is_open = false;
    value = keep_parameter(declared, value);
    declared_[declared].value = value;
    return value;
}

// A Real parameter with a number other than 0 can be changed later on; all others are put in.
Value Reader::keep_parameter(std::size_t declared, const Value& value) {
    const Component& c = *declared_[declared].component;
    Graph& g = *flat_.graph;
    if (!value.is_number() || c.variability != Variability::parameter || c.is_final) return value;
    const Type type = declared_[declared].type;
    if (type != Type::real) {
        if (const auto number = known(value.node)) return Value::number(g.constant(*number));
        return value;
    }
    if (!g.is_constant(value.node) || g.is_constant(value.node, 0)) return value;
    const bool is_literal = c.value == nothing || set_.contains(declared) ||
                            module_.expressions[c.value].kind == ExprKind::number ||
                            module_.expressions[c.value].kind == ExprKind::unary;
    if (!is_literal) return value;
    const ArrayId array =
        g.add_array({.name = declared_names_[declared], .role = ArrayRole::parameter, .varies = false});
    parameter_values_[array] = g.value(value.node);
    flat_.parameters.push_back({declared_names_[declared], array, g.value(value.node), c.span});
    return Value::number(g.read(array));
}

} // namespace vessiot::modelica
