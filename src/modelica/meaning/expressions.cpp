// Expressions: names, operators, choices, arrays.
#include <cmath>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "modelica/meaning/evaluator.hpp"
#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

constexpr int deepest = 4000;
constexpr std::int64_t most_elements = 10'000'000;

// NOTE: cos(pi/2), sin(pi) and cos(3 pi/2) as the program that wrote the text has rounded them are 0: else nothing
// folds.
Quad without_noise(Quad number) {
    const double size = std::fabs(static_cast<double>(number));
    for (const double noise : {6.123233995736766e-17, 1.2246467991473532e-16, 1.8369701987210297e-16})
        if (size == noise) return 0;
    return number;
}

} // namespace

Evaluator::Evaluator(Module& module, FlatModel& flat, const Declarations& declarations, Lookup lookup, Number number)
    : module_(module), flat_(flat), g_(*flat.graph), declarations_(declarations), lookup_(std::move(lookup)),
      number_(std::move(number)) {}

Evaluator::Depth::Depth(Evaluator& evaluator, Span span) : evaluator_(evaluator) {
    if (++evaluator.depth_ > deepest) evaluator.fail(span, "expressions or calls stand too deep in each other here");
}

void Evaluator::fail(Span span, const std::string& message) const {
    lang::fail(*module_.source, span, message);
}

void Evaluator::count_work(Span span) {
    if (++work_ > most_elements)
        fail(span, fmt::format("more than {} statements and elements were worked on, and the model is not read yet: "
                               "is there a loop without an end?",
                               most_elements));
}

Value Evaluator::evaluate(ExprId id) {
    const Expr e = module_.expressions[id];
    const Depth depth(*this, e.span);
    switch (e.kind) {
    case ExprKind::number: return Value::number(g_.constant(without_noise(module_.numbers[e.name])));
    case ExprKind::boolean: return Value::number(g_.integer(e.name));
    case ExprKind::text: return Value::text(e.name);
    case ExprKind::name: return name_value(e);
    case ExprKind::field: return field_of(e);
    case ExprKind::index: return index_of(e);
    case ExprKind::call: return e.op == 1 ? partial(e) : call(e);
    case ExprKind::unary: {
        const Value a = evaluate(module_.arg(e, 0));
        if (e.op == '+') return a;
        return map(a, [&](NodeId n) { return e.op == 'n' ? negation(g_, n) : g_.neg(n); });
    }
    case ExprKind::binary: return binary(e);
    case ExprKind::choice: return choice(e);
    case ExprKind::array: return array(e);
    case ExprKind::matrix: return matrix(e);
    case ExprKind::range: return Value::array(range(id));
    case ExprKind::loop: return loop_values(e);
    case ExprKind::tuple: {
        std::vector<Value> items;
        for (const ExprId arg : module_.args(e)) items.push_back(arg == nothing ? Value{} : evaluate(arg));
        return Value::array(std::move(items));
    }
    case ExprKind::end:
        if (ends_.empty()) fail(e.span, "'end' stands for the last subscript, and is none of a subscript here");
        return Value::number(g_.integer(ends_.back()));
    case ExprKind::whole: return {};
    case ExprKind::assignment: fail(e.span, "a named argument is not allowed here");
    }
    return {};
}

NodeId Evaluator::number(ExprId e) {
    const Value value = evaluate(e);
    if (!value.is_number()) fail(module_.expressions[e].span, "a single number is needed here");
    return value.node;
}

Quad Evaluator::constant(ExprId e, std::string_view what) {
    const std::optional<Quad> value = number_(number(e));
    if (!value)
        fail(module_.expressions[e].span,
             fmt::format("{} must be known when the model is read, but depends on variables", what));
    return *value;
}

std::int64_t Evaluator::whole_number(ExprId e, std::string_view what) {
    const Quad value = constant(e, what);
    const auto whole = static_cast<double>(value);
    if (!(std::fabs(whole) < 1e9) || std::floor(whole) != whole)
        fail(module_.expressions[e].span, fmt::format("{} is a whole number, but this is {}", what, whole));
    return static_cast<std::int64_t>(whole);
}

// ---- names ----

std::optional<Value> Evaluator::local(NameId name) {
    for (auto it = iterators_.rbegin(); it != iterators_.rend(); ++it)
        if (it->first == name) return it->second;
    if (!frames_.empty())
        for (const auto& [known, value] : frames_.back()->locals)
            if (known == name) return value;
    return {};
}

Value Evaluator::name_value(const Expr& e) {
    if (const auto value = local(e.name)) return *value;
    const std::string& name = module_.names[e.name];
    if (name == "time") return Value::number(g_.read(flat_.time));
    if (const auto value = lookup_(e.name)) return *value;
    if (name.find('\'') != name.npos) return indexed_name(name, e.span);
    if (declarations_.classes.contains(e.name)) return {Value::Kind::function, e.name, {}, {}};
    fail(e.span, fmt::format("'{}' is declared nowhere in this text", printable(name)));
}

// u['i'] and u['k'].x: the number of an iterator is put in; an Integer variable chooses.
Value Evaluator::indexed_name(const std::string& name, Span span) {
    const std::size_t from = name.find('\''), to = name.find('\'', from + 1);
    if (to == name.npos) fail(span, fmt::format("'{}' is declared nowhere in this text", printable(name)));
    const NameId inner = module_.names.find(name.substr(from + 1, to - from - 1));
    std::optional<Value> value = inner == nothing ? std::nullopt : local(inner);
    if (!value && inner != nothing) value = lookup_(inner);
    if (!value || !value->is_number())
        fail(span, fmt::format("the subscript of '{}' is declared nowhere in this text", printable(name)));
    const auto with = [&](std::int64_t k) -> std::optional<Value> {
        const std::string full = fmt::format("{}{}{}", name.substr(0, from), k, name.substr(to + 1));
        if (full.find('\'') != full.npos) return indexed_name(full, span);
        const NameId id = module_.names.add(full);
        return lookup_(id);
    };
    if (const auto known = number_(value->node)) {
        if (const auto found = with(static_cast<std::int64_t>(*known))) return *found;
        fail(span, fmt::format("'{}' has no element {}", printable(name), static_cast<std::int64_t>(*known)));
    }
    std::vector<Value> elements;
    for (std::int64_t k = 1; const auto element = with(k); ++k) elements.push_back(*element);
    if (elements.empty()) fail(span, fmt::format("'{}' is declared nowhere in this text", printable(name)));
    return one_of(Value::array(std::move(elements)), value->node, span);
}

// array[subscript] where the subscript is no number: if(k == 1, a[1], if(k == 2, a[2], …))
Value Evaluator::one_of(const Value& array, NodeId subscript, Span span) {
    if (array.size() == 0) fail(span, "an array without elements has no element that could be chosen");
    Value result = array[array.size() - 1];
    for (std::size_t k = array.size() - 1; k-- > 0;)
        result = choose_value(compare(g_, Op::equal, subscript, g_.integer(static_cast<std::int64_t>(k + 1))), array[k],
                              result, span);
    return result;
}

// E.literal, StateSelect.prefer, record.field
Value Evaluator::field_of(const Expr& e) {
    const Expr base = module_.expressions[module_.arg(e, 0)];
    const std::string& field_name = module_.names[e.name];
    if (base.kind == ExprKind::name && !local(base.name)) {
        const std::string& type = module_.names[base.name];
        static constexpr std::string_view selects[] = {"never", "avoid", "default", "prefer", "always"};
        if (type == "StateSelect")
            for (int k = 0; k < 5; ++k)
                if (field_name == selects[k]) return Value::number(g_.integer(k + 1));
        if (type == "AssertionLevel") return Value::number(g_.integer(field_name == "warning" ? 1 : 2));
        if (const auto it = declarations_.classes.find(base.name); it != declarations_.classes.end()) {
            const std::vector<NameId>& literals = it->second->literals;
            for (std::size_t k = 0; k < literals.size(); ++k)
                if (literals[k] == e.name) return Value::number(g_.integer(static_cast<std::int64_t>(k + 1)));
        }
        // a.b.c of a text without quotes
        const std::string dotted = type + "." + field_name;
        if (const NameId id = module_.names.find(dotted); id != nothing)
            if (const auto value = lookup_(id)) return *value;
    }
    return field(evaluate(module_.arg(e, 0)), e.name, e.span);
}

Value Evaluator::field(const Value& record, NameId name, Span span) {
    if (record.is_array()) {
        std::vector<Value> items;
        for (const Value& item : *record.items) items.push_back(field(item, name, span));
        return Value::array(std::move(items));
    }
    if (record.is_record())
        for (std::size_t k = 0; k < record.fields->size(); ++k)
            if ((*record.fields)[k] == name) return record[k];
    fail(span, fmt::format("there is no '{}' in this {}", printable(module_.names[name]),
                           record.is_record() ? "record" : "value, which is no record"));
}

// ---- subscripts ----

Value Evaluator::index_of(const Expr& e) {
    const Value array = evaluate(module_.arg(e, 0));
    std::vector<Value> subscripts;
    const Value* level = &array;
    for (std::size_t k = 1; k < e.count; ++k) {
        ends_.push_back(level->is_array() ? static_cast<std::int64_t>(level->size()) : 0);
        subscripts.push_back(evaluate(module_.arg(e, k)));
        ends_.pop_back();
        if (level->is_array() && level->size() > 0) level = &(*level)[0];
    }
    return index(array, subscripts, e.span);
}

Value Evaluator::index(const Value& array, const std::vector<Value>& subscripts, Span span) {
    const std::function<Value(const Value&, std::size_t)> pick = [&](const Value& from, std::size_t k) -> Value {
        if (k == subscripts.size()) return from;
        if (!from.is_array())
            fail(span, fmt::format("there are {} subscripts, but {} dimensions", subscripts.size(), k));
        const Value& s = subscripts[k];
        if (s.is_number()) {
            const auto known = number_(s.node);
            if (!known) return pick(one_of(from, s.node, span), k + 1);
            const auto at = static_cast<double>(*known);
            if (!(at >= 1) || at > static_cast<double>(from.size()) || std::floor(at) != at)
                fail(span, fmt::format("the subscript {} is outside of 1:{}", at, from.size()));
            return pick(from[static_cast<std::size_t>(at) - 1], k + 1);
        }
        std::vector<Value> items;
        if (s.is_array()) {
            for (const Value& one : *s.items) {
                std::vector<Value> single(subscripts.begin() + static_cast<std::ptrdiff_t>(k), subscripts.end());
                single[0] = one;
                items.push_back(index(from, single, span));
            }
        } else {
            for (const Value& item : *from.items) items.push_back(pick(item, k + 1));
        }
        return Value::array(std::move(items));
    };
    return pick(array, 0);
}

void Evaluator::assign(Value& into, std::span<const Value> subscripts, const Value& value, Span span) {
    if (subscripts.empty()) {
        into = value;
        return;
    }
    if (!into.is_array()) fail(span, "what has no subscripts gets one here");
    const Value& s = subscripts[0];
    std::vector<Value>& items = into.own_items();
    if (s.is_number()) {
        const auto known = number_(s.node);
        if (!known) {
            for (std::size_t k = 0; k < items.size(); ++k) {
                Value changed = items[k];
                assign(changed, subscripts.subspan(1), value, span);
                const NodeId here = compare(g_, Op::equal, s.node, g_.integer(static_cast<std::int64_t>(k + 1)));
                items[k] = choose_value(here, changed, items[k], span);
            }
            return;
        }
        const auto at = static_cast<double>(*known);
        if (!(at >= 1) || at > static_cast<double>(items.size()) || std::floor(at) != at)
            fail(span, fmt::format("the subscript {} is outside of 1:{}", at, items.size()));
        return assign(items[static_cast<std::size_t>(at) - 1], subscripts.subspan(1), value, span);
    }
    const std::size_t count = s.is_array() ? s.size() : items.size();
    if (!value.is_array() || value.size() != count)
        fail(span, fmt::format("{} elements are needed here, but there are {}", count, value.size()));
    for (std::size_t k = 0; k < count; ++k) {
        const auto at = s.is_array() ? static_cast<double>(number_(s[k].node).value_or(0)) : static_cast<double>(k + 1);
        if (!(at >= 1) || at > static_cast<double>(items.size()))
            fail(span, fmt::format("the subscript {} is outside of 1:{}", at, items.size()));
        assign(items[static_cast<std::size_t>(at) - 1], subscripts.subspan(1), value[k], span);
    }
}

std::vector<Value> Evaluator::range(ExprId id) {
    const Expr e = module_.expressions[id];
    std::vector<Value> items;
    if (e.kind != ExprKind::range) {
        const Value value = evaluate(id);
        if (value.is_array()) return *value.items;
        // an enumeration, or a number as an array of one
        if (value.kind == Value::Kind::function) {
            const auto it = declarations_.classes.find(value.node);
            const std::size_t n = it == declarations_.classes.end() ? 0 : it->second->literals.size();
            for (std::size_t k = 1; k <= n; ++k)
                items.push_back(Value::number(g_.integer(static_cast<std::int64_t>(k))));
            return items;
        }
        fail(e.span, "a range is needed here, as in 1:3");
    }
    const auto from = static_cast<double>(constant(module_.arg(e, 0), "the begin of a range"));
    const double step = e.count == 3 ? static_cast<double>(constant(module_.arg(e, 1), "the step of a range")) : 1;
    const auto to = static_cast<double>(constant(module_.arg(e, e.count - 1), "the end of a range"));
    if (step == 0 || !std::isfinite(from) || !std::isfinite(to)) fail(e.span, "this range has no end");
    const double count = std::floor((to - from) / step + 1e-9) + 1;
    if (count > static_cast<double>(most_elements)) fail(e.span, "this range is too long");
    for (double k = 0; k < count; ++k) {
        count_work(e.span);
        items.push_back(Value::number(g_.constant(from + k * step)));
    }
    return items;
}

Value Evaluator::array(const Expr& e) {
    std::vector<Value> items;
    for (const ExprId arg : module_.args(e)) {
        Value item = evaluate(arg);
        if (module_.expressions[arg].kind == ExprKind::loop && e.count == 1) return item;
        items.push_back(std::move(item));
    }
    return Value::array(std::move(items));
}

// [a, b; c, d] of numbers, vectors as columns, matrices
Value Evaluator::matrix(const Expr& e) {
    std::vector<Value> rows;
    for (const ExprId row : module_.args(e)) {
        std::vector<std::vector<Value>> lines;
        const std::vector<ExprId> elements = module_.args(module_.expressions[row]);
        for (const ExprId element : elements) {
            const Value value = evaluate(element);
            std::vector<std::vector<Value>> block;
            if (!value.is_array())
                block.push_back({value});
            else
                for (const Value& line : *value.items)
                    block.push_back(line.is_array() ? *line.items : std::vector<Value>{line});
            if (lines.empty()) lines.resize(block.size());
            if (lines.size() != block.size()) fail(e.span, "the parts of a row of this matrix differ in height");
            for (std::size_t k = 0; k < block.size(); ++k)
                lines[k].insert(lines[k].end(), block[k].begin(), block[k].end());
        }
        for (std::vector<Value>& line : lines) rows.push_back(Value::array(std::move(line)));
    }
    return Value::array(std::move(rows));
}

// e for i in r: an array
Value Evaluator::loop_values(const Expr& e) {
    std::vector<Value> items;
    for (Value& item : range(module_.arg(e, 1))) {
        count_work(e.span);
        push_iterator(e.name, std::move(item));
        items.push_back(evaluate(module_.arg(e, 0)));
        pop_iterator();
    }
    return Value::array(std::move(items));
}

Value Evaluator::choice(const Expr& e) {
    // from the last one on, since each is the other side of the one before; a known condition ends the list
    std::vector<std::pair<NodeId, ExprId>> branches;
    ExprId last = module_.arg(e, e.count - 1);
    for (std::size_t k = 0; k + 1 < e.count; k += 2) {
        const NodeId condition = number(module_.arg(e, k));
        if (const auto known = number_(condition)) {
            if (*known == 0) continue;
            last = module_.arg(e, k + 1);
            break;
        }
        branches.emplace_back(condition, module_.arg(e, k + 1));
    }
    Value result = evaluate(last);
    for (auto it = branches.rbegin(); it != branches.rend(); ++it)
        result = choose_value(it->first, evaluate(it->second), result, e.span);
    return result;
}

Value Evaluator::choose_value(NodeId c, const Value& a, const Value& b, Span span) {
    if (a.kind == Value::Kind::none) return b;
    if (b.kind == Value::Kind::none) return a;
    if (a.is_number() && b.is_number()) return Value::number(choose(g_, c, a.node, b.node));
    if (a.kind == Value::Kind::text) return a;
    if (a.kind != b.kind || a.size() != b.size() || !a.items)
        fail(span, "both sides of an if are arrays of one size, or numbers, but these differ");
    Value result = a;
    result.items = std::make_shared<std::vector<Value>>();
    for (std::size_t k = 0; k < a.size(); ++k) result.items->push_back(choose_value(c, a[k], b[k], span));
    return result;
}

std::string Evaluator::text_of(const Value& value) const {
    if (value.kind != Value::Kind::text) return "";
    const std::string& quoted = module_.names[value.node];
    std::string result;
    for (std::size_t k = 1; k + 1 < quoted.size(); ++k)
        if (quoted[k] != '\\' || k + 2 >= quoted.size())
            result += quoted[k];
        else
            result += quoted[++k] == 'n' ? '\n' : quoted[k];
    return result;
}

} // namespace vessiot::modelica
