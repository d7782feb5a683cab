// Calls: the functions of the language and those of the model.
#include <unordered_map>

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/meaning/elaborator.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

using expr::Op;

namespace {

// Functions of one number. NOTE: made when first needed, since models may be made before main.
const std::unordered_map<std::string_view, Op>& unary_functions() {
    static const std::unordered_map<std::string_view, Op> functions{
        {"sin", Op::sin},     {"cos", Op::cos},     {"tan", Op::tan},   {"asin", Op::asin}, {"acos", Op::acos},
        {"atan", Op::atan},   {"sinh", Op::sinh},   {"cosh", Op::cosh}, {"tanh", Op::tanh}, {"asinh", Op::asinh},
        {"acosh", Op::acosh}, {"atanh", Op::atanh}, {"exp", Op::exp},   {"log", Op::log},   {"log10", Op::log10},
        {"sqrt", Op::sqrt},   {"cbrt", Op::cbrt},   {"abs", Op::abs},   {"sign", Op::sign}, {"erf", Op::erf},
        {"floor", Op::floor}, {"ceil", Op::ceil},
    };
    return functions;
}

// What other languages call it.
const std::unordered_map<std::string_view, std::string_view>& function_habits() {
    static const std::unordered_map<std::string_view, std::string_view> habits{
        {"ln", "the natural logarithm is log(x)"},
        {"log2", "write log(x)/log(2)"},
        {"pow", "a power is written a^b"},
        {"power", "a power is written a^b"},
        {"sqr", "a square is written x^2"},
        {"arcsin", "write asin(x)"},
        {"arccos", "write acos(x)"},
        {"arctan", "write atan(x)"},
        {"arctan2", "write atan2(y, x)"},
        {"fabs", "write abs(x)"},
        {"sgn", "write sign(x)"},
        {"rem", "write mod(a, b)"},
        {"fmod", "write mod(a, b)"},
        {"diffs", "a derivative is written x'"},
        {"ddt", "a derivative is written x'"},
        {"integral", "write an unknown and its equation: y' = …, start y = 0"},
        {"interp1", "write a table: table f(s) = [0: 0, 1: 10]"},
        {"piecewise", "write if(condition, a, b)"},
        {"ifelse", "write if(condition, a, b)"},
        {"pre", "in 'then' of an event right sides are values before it; what keeps its value is discrete"},
        {"reinit", "an event sets values: event hit: x = 0 falling then x' = -0.9*x'"},
        {"edge", "write an event: event e: x = 0 rising then …"},
        {"sample", "write event tick: every 0.01 then …"},
    };
    return habits;
}

} // namespace

void Elaborator::check_argument_count(const Call& call, Span span, int least, int most) {
    const auto n = static_cast<int>(call.arguments.size());
    if (n >= least && (most < 0 || n <= most)) return;
    std::string needed = plural(static_cast<std::size_t>(least), "argument");
    if (most < 0) needed = "at least " + needed;
    if (most > least) needed = fmt::format("{} {} {} arguments", least, most == least + 1 ? "or" : "to", most);
    fail(span, fmt::format("'{}' needs {}, but {} {} given", call.function.name, needed, n, n == 1 ? "is" : "are"));
}

Value Elaborator::evaluate_call(const Call& call, Span span) {
    const std::string_view name = call.function.name;
    if (const BuiltinFunction* builtin = find_builtin_function(name)) {
        check_argument_count(call, span, builtin->min_arguments, builtin->max_arguments);
        return call_builtin(call, span);
    }
    const Symbol* symbol = find_local(name) ? nullptr : table_.find(name);
    if (symbol && symbol->kind == SymbolKind::function) return call_function(*symbol, call, span);
    if (symbol && symbol->kind == SymbolKind::table) return call_table(*symbol, call, span);
    if (!symbol && name == "size" && !find_local(name)) return evaluate_size(call, span);
    const bool is_name = symbol || find_local(name) || name == "e" || name == "pi";
    if (is_name) {
        const bool is_array = symbol && !symbol->dims.empty();
        fail(span, fmt::format("'{0}' is not a function; {1}", name,
                               is_array ? fmt::format("for an element write {}[…]", name)
                                        : fmt::format("for a product write {}*(…)", name)));
    }
    fail_unknown_function(name, call.function.span);
}

void Elaborator::fail_unknown_function(std::string_view name, Span span) {
    std::vector<std::string_view> names;
    for (const Symbol& s : table_.symbols())
        if (s.kind == SymbolKind::function || s.kind == SymbolKind::table) names.push_back(s.ident.name);
    for (const BuiltinFunction& f : builtin_functions()) names.push_back(f.name);
    if (const auto hint = function_habits().find(name); hint != function_habits().end())
        fail(span, fmt::format("there is no function '{}': {}", name, hint->second));
    const auto meant = nearest(name, names);
    fail(span,
         fmt::format("there is no function '{}'{}", name, meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
}

// The body with the arguments in place of the formal ones.
Value Elaborator::call_function(const Symbol& symbol, const Call& call, Span span) {
    const FunctionStatement& function = *symbol.function;
    const auto n = static_cast<int>(function.formals.size());
    check_argument_count(call, span, n, n);
    const Scope scope(*this);
    const Switch back(*this);
    const int caller = scope_;
    int chain = -1;
    for (std::size_t k = 0; k < function.formals.size(); ++k) {
        Local formal;
        formal.value = evaluate(call.arguments[k]);
        formal.name = function.formals[k].name;
        formal.parent = chain;
        formal.argument = call.arguments[k];
        formal.caller = caller;
        formal.mode = mode_;
        formal.source = source_;
        locals_.push_back(std::move(formal));
        chain = static_cast<int>(locals_.size()) - 1;
    }
    scope_ = chain;
    source_ = module_.source;
    return evaluate(function.body);
}

Value Elaborator::evaluate_extremum(Op op, const Call& call) {
    std::vector<NodeId> numbers;
    if (call.arguments.size() == 1) {
        // of the components of a vector
        const Value value = evaluate(call.arguments[0]);
        if (value.is_number()) return value;
        numbers = listed(value).elements();
        if (numbers.empty())
            fail(call.arguments[0]->span,
                 fmt::format("the {} of no numbers is not defined, but this is {}: its range is empty",
                             op == Op::min ? "smallest" : "largest", describe(value.dims())));
    } else {
        for (ExprPtr argument : call.arguments) numbers.push_back(number(argument));
    }
    NodeId result = numbers.front();
    for (std::size_t k = 1; k < numbers.size(); ++k) result = graph_.apply(op, result, numbers[k]);
    return result;
}

Value Elaborator::call_builtin(const Call& call, Span span) {
    const std::string_view name = call.function.name;
    const auto argument = [&](std::size_t k) {
        const Value value = evaluate(call.arguments[k]);
        if (!value.is_number()) {
            const Name* array = as<Name>(call.arguments[k]);
            fail(call.arguments[k]->span, fmt::format("'{}' needs a number, but {} is {}{}", name,
                                                      array ? fmt::format("'{}'", array->name) : "this",
                                                      describe(value.dims()), array ? "; give an index" : ""));
        }
        return value.number();
    };
    if (const auto unary = unary_functions().find(name); unary != unary_functions().end()) {
        return graph_.apply(unary->second, argument(0));
    }
    const auto binary = [&](auto operation) {
        const NodeId a = argument(0);
        return operation(a, argument(1));
    };
    if (name == "atan2") return binary([&](NodeId a, NodeId b) { return graph_.apply(Op::atan2, a, b); });
    if (name == "hypot") return binary([&](NodeId a, NodeId b) { return graph_.apply(Op::hypot, a, b); });
    if (name == "mod") return binary([&](NodeId a, NodeId b) { return graph_.mod(a, b); });
    if (name == "min") return evaluate_extremum(Op::min, call);
    if (name == "max") return evaluate_extremum(Op::max, call);
    if (name == "if") return evaluate_if(call, span);
    if (name == "der") return evaluate_der(call);
    if (name == "diff") return evaluate_diff(call, span);
    return call_vector_function(call, span);
}

} // namespace vessiot::lang
