// Functions of the language.
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "expr/graph/derivative.hpp"
#include "modelica/meaning/evaluator.hpp"
#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

const std::unordered_map<std::string, Op> functions_of_one = {
    {"sin", Op::sin},     {"cos", Op::cos},     {"tan", Op::tan},       {"asin", Op::asin}, {"acos", Op::acos},
    {"atan", Op::atan},   {"sinh", Op::sinh},   {"cosh", Op::cosh},     {"tanh", Op::tanh}, {"exp", Op::exp},
    {"log", Op::log},     {"log10", Op::log10}, {"sqrt", Op::sqrt},     {"abs", Op::abs},   {"sign", Op::sign},
    {"floor", Op::floor}, {"ceil", Op::ceil},   {"integer", Op::floor}, {"erf", Op::erf}};

// What is valid Modelica and not supported.
const std::unordered_map<std::string, std::string> unsupported = {{"delay", "delays of signals"},
                                                                  {"spatialDistribution", "transport along a pipe"},
                                                                  {"Clock", "clocks"},
                                                                  {"previous", "clocks"},
                                                                  {"hold", "clocks"},
                                                                  {"superSample", "clocks"},
                                                                  {"subSample", "clocks"},
                                                                  {"shiftSample", "clocks"},
                                                                  {"backSample", "clocks"},
                                                                  {"noClock", "clocks"},
                                                                  {"interval", "clocks"},
                                                                  {"firstTick", "clocks"},
                                                                  {"cardinality", "connections"},
                                                                  {"actualStream", "streams"},
                                                                  {"inStream", "streams"}};

} // namespace

NodeId Builtins::scalar(const Value& value, Span span) {
    if (!value.is_number()) ev_.fail(span, "a single number is needed here");
    return value.node;
}

void Builtins::need(const Args& args, std::size_t least, std::size_t most, const std::string& name, Span span) {
    if (args.size() >= least && args.size() <= most) return;
    ev_.fail(span, fmt::format("'{}' takes {}, but found {}", printable(name),
                               least == most ? fmt::format("{} arguments", least)
                                             : fmt::format("{} to {} arguments", least, most),
                               args.size()));
}

std::optional<Value> Builtins::call(const std::string& name, const Expr& e) {
    if (const auto it = unsupported.find(name); it != unsupported.end())
        ev_.fail(e.span, fmt::format("'{}' ({}) is not supported", name, it->second));
    if (auto value = of_events(name, e)) return value;
    static const std::unordered_map<std::string, int> known = {
        {"atan2", 2},     {"mod", 2},          {"rem", 2},      {"div", 2},      {"min", 1},     {"max", 1},
        {"sum", 1},       {"size", 1},         {"fill", 2},     {"zeros", 1},    {"ones", 1},    {"identity", 1},
        {"cat", 2},       {"transpose", 1},    {"cross", 2},    {"skew", 1},     {"vector", 1},  {"matrix", 1},
        {"scalar", 1},    {"product", 1},      {"diagonal", 1}, {"linspace", 3}, {"ndims", 1},   {"promote", 2},
        {"symmetric", 1}, {"outerProduct", 2}, {"pow", 2},      {"String", 1},   {"Integer", 1}, {"semiLinear", 3},
        {"Real", 1},      {"array", 0}};
    if (!functions_of_one.contains(name) && !known.contains(name)) return {};
    Args args;
    const Module& module = ev_.module();
    for (const ExprId arg : module.args(e)) {
        const Expr& a = module.expressions[arg];
        if (a.kind == ExprKind::assignment) continue; // String(x, format = …)
        args.push_back(ev_.evaluate(arg));
    }
    if (const auto it = known.find(name); it != known.end() && args.size() < static_cast<std::size_t>(it->second))
        need(args, static_cast<std::size_t>(it->second), 99, name, e.span);
    if (auto value = elementary(name, args, e.span)) return value;
    return of_arrays(name, args, e);
}

// NOTE: sin(3.141592653589793) is 0 where the number is pi, as far as the text can say it.
NodeId Builtins::trigonometric(Op op, NodeId a) {
    const NodeId result = g_.apply(op, a);
    if (op != Op::sin && op != Op::cos && op != Op::tan) return result;
    if (!g_.is_constant(a) || !g_.is_constant(result)) return result;
    const double noise = 4.5e-16 * (1 + std::fabs(static_cast<double>(g_.value(a))));
    const auto value = static_cast<double>(g_.value(result));
    for (const double exact : {0.0, 1.0, -1.0})
        if (value != exact && std::fabs(value - exact) < noise) return g_.constant(exact);
    return result;
}

std::optional<Value> Builtins::elementary(const std::string& name, const Args& args, Span span) {
    if (const auto it = functions_of_one.find(name); it != functions_of_one.end()) {
        need(args, 1, 1, name, span);
        return ev_.map(args[0], [&](NodeId n) { return trigonometric(it->second, n); });
    }
    const auto two = [&](const std::function<NodeId(NodeId, NodeId)>& f) {
        need(args, 2, 2, name, span);
        return ev_.map(args[0], args[1], span, f);
    };
    const auto whole_part = [&](NodeId q) { // towards zero
        return choose(g_, compare(g_, Op::less_equal, g_.zero(), q), g_.apply(Op::floor, q), g_.apply(Op::ceil, q));
    };
    if (name == "atan2") return two([&](NodeId y, NodeId x) { return g_.apply(Op::atan2, y, x); });
    if (name == "pow") return two([&](NodeId a, NodeId b) { return g_.pow(a, b); });
    if (name == "mod") return two([&](NodeId a, NodeId b) { return g_.mod(a, b); });
    if (name == "div") return two([&](NodeId a, NodeId b) { return whole_part(g_.div(a, b)); });
    if (name == "rem") return two([&](NodeId a, NodeId b) { return g_.sub(a, g_.mul(b, whole_part(g_.div(a, b)))); });
    if ((name == "min" || name == "max") && args.size() == 2)
        return two([&](NodeId a, NodeId b) { return g_.apply(name == "min" ? Op::min : Op::max, a, b); });
    if (name == "semiLinear") {
        need(args, 3, 3, name, span);
        const NodeId x = scalar(args[0], span);
        return Value::number(choose(g_, compare(g_, Op::less_equal, g_.zero(), x), g_.mul(x, scalar(args[1], span)),
                                    g_.mul(x, scalar(args[2], span))));
    }
    if (name == "Integer" || name == "Real") return args[0];
    if (name == "String") {
        if (args[0].kind == Value::Kind::text) return args[0];
        const auto known = args[0].is_number() ? ev_.known(args[0].node) : std::nullopt;
        return Value::text(ev_.names().add(known ? fmt::format("\"{}\"", static_cast<double>(*known)) : "\"…\""));
    }
    return {};
}

Value Builtins::reduce(const std::string& name, const Value& value, Span span) {
    std::vector<NodeId> numbers;
    add_numbers(value, numbers);
    if (name == "sum") {
        NodeId sum = g_.zero();
        for (const NodeId n : numbers) sum = g_.add(sum, n);
        return Value::number(sum);
    }
    if (name == "product") {
        NodeId product = g_.one();
        for (const NodeId n : numbers) product = g_.mul(product, n);
        return Value::number(product);
    }
    if (numbers.empty()) ev_.fail(span, fmt::format("'{}' of an array without elements has no value", name));
    NodeId result = numbers[0];
    for (const NodeId n : numbers) result = g_.apply(name == "min" ? Op::min : Op::max, result, n);
    return Value::number(result);
}

std::vector<std::int64_t> Builtins::sizes(const Args& args, std::size_t from, Span span) {
    std::vector<std::int64_t> result;
    for (std::size_t k = from; k < args.size(); ++k) {
        const auto known = ev_.known(scalar(args[k], span));
        if (!known) ev_.fail(span, "a size must be known when the model is read, but depends on variables");
        const auto size = static_cast<double>(*known);
        if (!(size >= 0) || size > 1e6) ev_.fail(span, fmt::format("{} is no size of an array", size));
        result.push_back(static_cast<std::int64_t>(size));
    }
    return result;
}

Value Builtins::fill(const Value& value, std::span<const std::int64_t> dimensions) {
    if (dimensions.empty()) return value;
    return Value::array(
        std::vector<Value>(static_cast<std::size_t>(dimensions[0]), fill(value, dimensions.subspan(1))));
}

std::optional<Value> Builtins::of_arrays(const std::string& name, const Args& args, const Expr& e) {
    const Span span = e.span;
    if (name == "sum" || name == "product" || name == "min" || name == "max") return reduce(name, args[0], span);
    if (name == "array") return Value::array(args);
    if (name == "fill") return fill(args[0], sizes(args, 1, span));
    if (name == "zeros") return fill(number(0), sizes(args, 0, span));
    if (name == "ones") return fill(number(1), sizes(args, 0, span));
    if (name == "identity" || name == "diagonal") {
        const bool is_identity = name == "identity";
        const std::size_t n = is_identity ? static_cast<std::size_t>(sizes(args, 0, span)[0]) : args[0].size();
        std::vector<Value> rows;
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<Value> row(n, number(0));
            row[i] = is_identity ? number(1) : args[0][i];
            rows.push_back(Value::array(std::move(row)));
        }
        return Value::array(std::move(rows));
    }
    if (name == "ndims") return number(rank_of(args[0]));
    if (name == "size") {
        std::vector<Value> all;
        for (const Value* v = &args[0]; v->is_array(); v = &(*v)[0]) {
            all.push_back(number(static_cast<double>(v->size())));
            if (v->size() == 0) break;
        }
        if (args.size() == 1) return Value::array(std::move(all));
        const std::int64_t k = sizes(args, 1, span)[0];
        if (k < 1) ev_.fail(span, "dimensions are counted from 1");
        if (static_cast<std::size_t>(k) > all.size()) {
            if (!all.empty() && args[0].size() == 0) return number(0);
            ev_.fail(span, fmt::format("there is no dimension {}: the array has {}", k, all.size()));
        }
        return all[static_cast<std::size_t>(k) - 1];
    }
    if (name == "transpose") {
        const Value& m = args[0];
        if (rank_of(m) != 2) ev_.fail(span, "'transpose' takes a matrix");
        std::vector<Value> rows;
        for (std::size_t j = 0; j < m[0].size(); ++j) {
            std::vector<Value> row;
            for (std::size_t i = 0; i < m.size(); ++i) {
                if (m[i].size() <= j) ev_.fail(span, "the rows of a matrix differ in length");
                row.push_back(m[i][j]);
            }
            rows.push_back(Value::array(std::move(row)));
        }
        return Value::array(std::move(rows));
    }
    if (name == "scalar") {
        std::vector<NodeId> numbers;
        add_numbers(args[0], numbers);
        if (numbers.size() != 1) ev_.fail(span, "'scalar' takes an array of one element");
        return Value::number(numbers[0]);
    }
    if (name == "vector") {
        std::vector<NodeId> numbers;
        add_numbers(args[0], numbers);
        std::vector<Value> items;
        for (const NodeId n : numbers) items.push_back(Value::number(n));
        return Value::array(std::move(items));
    }
    if (name == "matrix" || name == "promote") {
        const std::int64_t wanted = name == "matrix" ? 2 : sizes(args, 1, span)[0];
        const std::function<Value(const Value&, std::int64_t)> promote = [&](const Value& v, std::int64_t n) -> Value {
            if (n <= 0) return v;
            if (!v.is_array()) return Value::array({promote(v, n - 1)});
            std::vector<Value> items;
            for (const Value& item : *v.items) items.push_back(promote(item, n - 1));
            return Value::array(std::move(items));
        };
        return promote(args[0], wanted);
    }
    if (name == "cat") {
        const std::int64_t k = sizes({args[0]}, 0, span)[0];
        const std::function<Value(const Args&, std::int64_t)> join = [&](const Args& parts, std::int64_t dimension) {
            std::vector<Value> items;
            if (dimension == 1) {
                for (const Value& part : parts) {
                    if (!part.is_array()) ev_.fail(span, "'cat' puts arrays together");
                    items.insert(items.end(), part.items->begin(), part.items->end());
                }
            } else {
                for (std::size_t i = 0; i < parts[0].size(); ++i) {
                    Args rows;
                    for (const Value& part : parts) {
                        if (part.size() <= i) ev_.fail(span, "these arrays do not fit together");
                        rows.push_back(part[i]);
                    }
                    items.push_back(join(rows, dimension - 1));
                }
            }
            return Value::array(std::move(items));
        };
        return join(Args(args.begin() + 1, args.end()), k);
    }
    if (name == "linspace") {
        const NodeId a = scalar(args[0], span), b = scalar(args[1], span);
        const std::int64_t n = sizes(args, 2, span)[0];
        std::vector<Value> items;
        for (std::int64_t k = 0; k < n; ++k)
            items.push_back(Value::number(
                g_.add(a, g_.mul(g_.sub(b, a), g_.constant(static_cast<double>(k) / static_cast<double>(n - 1))))));
        return Value::array(std::move(items));
    }
    return of_vectors(name, args, span);
}

std::optional<Value> Builtins::of_vectors(const std::string& name, const Args& args, Span span) {
    const auto element = [&](const Value& v, std::size_t k) {
        if (!v.is_array() || v.size() <= k) ev_.fail(span, fmt::format("'{}' takes vectors of three elements", name));
        return scalar(v[k], span);
    };
    if (name == "cross") {
        std::vector<Value> items;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
            items.push_back(Value::number(g_.sub(g_.mul(element(args[0], i), element(args[1], j)),
                                                 g_.mul(element(args[0], j), element(args[1], i)))));
        }
        return Value::array(std::move(items));
    }
    if (name == "skew") {
        const NodeId x = element(args[0], 0), y = element(args[0], 1), z = element(args[0], 2);
        const auto row = [](NodeId a, NodeId b, NodeId c) {
            return Value::array({Value::number(a), Value::number(b), Value::number(c)});
        };
        return Value::array({row(g_.zero(), g_.neg(z), y), row(z, g_.zero(), g_.neg(x)), row(g_.neg(y), x, g_.zero())});
    }
    if (name == "outerProduct") {
        std::vector<Value> rows;
        for (const Value& a : *args[0].items)
            rows.push_back(ev_.map(args[1], [&](NodeId n) { return g_.mul(scalar(a, span), n); }));
        return Value::array(std::move(rows));
    }
    if (name == "symmetric") {
        std::vector<Value> rows;
        for (std::size_t i = 0; i < args[0].size(); ++i) {
            std::vector<Value> row;
            for (std::size_t j = 0; j < args[0].size(); ++j) row.push_back(i < j ? args[0][i][j] : args[0][j][i]);
            rows.push_back(Value::array(std::move(row)));
        }
        return Value::array(std::move(rows));
    }
    return {};
}

// ---- derivatives and events ----

Value Builtins::derivative(const Value& value) {
    return ev_.map(value, [&](NodeId n) {
        Direction total = total_derivative(g_);
        return total(n);
    });
}

// pre(v): what reads the value of a variable before the event
Value Builtins::previous(const Value& value, Span span) {
    return ev_.map(value, [&](NodeId n) {
        const Node node = g_.node(n);
        if (node.op != Op::read) {
            if (g_.is_constant(n) || ev_.known(n)) return n;
            ev_.fail(span, "'pre' takes a variable");
        }
        const auto it = flat_.variable_of.find(node.a);
        if (it == flat_.variable_of.end()) return n; // a parameter
        const auto [place, is_new] = flat_.pre.emplace(it->second, none);
        if (is_new)
            place->second =
                g_.add_array({.name = "pre(" + flat_.variables[it->second].name + ")", .role = ArrayRole::auxiliary});
        return g_.read(place->second);
    });
}

std::optional<Value> Builtins::of_events(const std::string& name, const Expr& e) {
    const Module& module = ev_.module();
    const auto arg = [&](std::size_t k) {
        if (k >= e.count) ev_.fail(e.span, fmt::format("'{}' takes more arguments than {}", name, e.count));
        return ev_.evaluate(module.arg(e, k));
    };
    if (name == "der") return derivative(arg(0));
    if (name == "pre") return previous(arg(0), e.span);
    if (name == "noEvent") return arg(0);
    if (name == "smooth") return arg(1);
    if (name == "homotopy") {
        for (std::size_t k = 0; k < e.count; ++k) { // homotopy(actual = …, simplified = …)
            const Expr& a = module.expressions[module.arg(e, k)];
            if (a.kind == ExprKind::assignment && module.names[a.name] == "actual")
                return ev_.evaluate(module.arg(a, 0));
        }
        return arg(0);
    }
    if (name == "initial") return Value::number(g_.read(flat_.initial_flag));
    if (name == "terminal") return number(0);
    if (name == "edge") {
        const Value now = arg(0);
        return ev_.map(now, previous(now, e.span), e.span,
                       [&](NodeId a, NodeId b) { return both(g_, a, negation(g_, b)); });
    }
    if (name == "change") {
        const Value now = arg(0);
        return ev_.map(now, previous(now, e.span), e.span,
                       [&](NodeId a, NodeId b) { return compare(g_, Op::not_equal, a, b); });
    }
    if (name == "sample") {
        if (e.count != 2) ev_.fail(e.span, "'sample' takes a start and an interval; clocks are not supported");
        return sample(scalar(arg(0), e.span), scalar(arg(1), e.span), e.span);
    }
    return {};
}

// time >= start + k*interval, where k counts the ticks that were: true for one iteration of an event
Value Builtins::sample(NodeId start, NodeId interval, Span span) {
    const auto known = ev_.known(interval);
    if (!known || !(*known > 0)) ev_.fail(span, "the interval of 'sample' is a number above 0");
    Variable counter;
    counter.name = fmt::format("$sample{}", flat_.variables.size());
    counter.type = Type::integer;
    counter.is_protected = true;
    counter.span = span;
    counter.is_assigned_in_when = true;
    counter.array = g_.add_array({.name = counter.name, .role = ArrayRole::unknown});
    counter.node = g_.read(counter.array);
    // ticks before the begin are gone
    const auto first = ev_.known(start);
    const double passed =
        first ? std::ceil((flat_.start_time - static_cast<double>(*first)) / static_cast<double>(*known) - 1e-9) : 0;
    counter.start = g_.constant(std::max(passed, 0.0));
    counter.is_fixed = true;
    const std::size_t at = flat_.variables.size();
    flat_.variable_of[counter.array] = at;
    const NodeId node = counter.node;
    flat_.variables.push_back(std::move(counter));
    const NodeId before = previous(Value::number(node), span).node;
    // NOTE: what happens at the first tick happens behind the start
    const NodeId tick = both(g_, negation(g_, g_.read(flat_.initial_flag)),
                             compare(g_, Op::less_equal, g_.add(start, g_.mul(before, interval)), g_.read(flat_.time)));
    flat_.updates.push_back({at, choose(g_, tick, g_.add(before, g_.one()), before)});
    return Value::number(tick);
}

} // namespace vessiot::modelica
