#include "differential/expression.hpp"

#include <cmath>
#include <stdexcept>

namespace vessiot::differential {
namespace {

Formula make(Node node) {
    return std::make_shared<const Node>(std::move(node));
}

bool is_number(const Formula& f) {
    return f->op == Op::number;
}
bool is_number(const Formula& f, double value) {
    return is_number(f) && f->value == value;
}

double call_value(const std::string& name, double a, double b) {
    if (name == "sin") return std::sin(a);
    if (name == "cos") return std::cos(a);
    if (name == "exp") return std::exp(a);
    if (name == "sqrt") return std::sqrt(a);
    if (name == "atan") return std::atan(a);
    if (name == "tanh") return std::tanh(a);
    if (name == "abs") return std::fabs(a);
    if (name == "sign") return a > 0 ? 1 : a < 0 ? -1 : 0;
    if (name == "floor") return std::floor(a);
    if (name == "min") return std::fmin(a, b);
    if (name == "max") return std::fmax(a, b);
    throw std::logic_error("no function " + name);
}

bool holds(const std::string& comparison, double a, double b) {
    if (comparison == "<") return a < b;
    if (comparison == "<=") return a <= b;
    if (comparison == ">") return a > b;
    if (comparison == ">=") return a >= b;
    throw std::logic_error("no comparison " + comparison);
}

// d f(a)/da of functions of one argument.
Formula slope(const std::string& name, const Formula& a) {
    if (name == "sin") return call("cos", {a});
    if (name == "cos") return number(-1) * call("sin", {a});
    if (name == "exp") return call("exp", {a});
    if (name == "sqrt") return number(0.5) / call("sqrt", {a});
    if (name == "atan") return number(1) / (number(1) + power(a, 2));
    if (name == "tanh") return number(1) - power(call("tanh", {a}), 2);
    if (name == "abs") return call("sign", {a});
    return number(0); // sign, floor: almost everywhere
}

} // namespace

Formula number(double value) {
    return make({.op = Op::number, .value = value == 0 ? 0 : value});
}
Formula parameter(const std::string& name, double value) {
    return make({.op = Op::parameter, .value = value, .name = name});
}
Formula time() {
    static const Formula t = make({.op = Op::time});
    return t;
}
Formula index(const std::string& name) {
    return make({.op = Op::index, .name = name});
}
Formula unknown(const std::string& name, int order) {
    return make({.op = Op::unknown, .name = name, .order = order});
}
Formula element(const std::string& name, const Formula& index, int order) {
    return make({.op = Op::unknown, .name = name, .order = order, .operands = {index}});
}

Formula add(std::vector<Formula> terms) {
    std::vector<Formula> rest;
    double constant = 0;
    for (const Formula& term : terms) {
        const bool is_sum = term->op == Op::add;
        for (const Formula& part : is_sum ? term->operands : std::vector{term}) {
            if (is_number(part))
                constant += part->value;
            else
                rest.push_back(part);
        }
    }
    if (constant != 0 || rest.empty()) rest.push_back(number(constant));
    return rest.size() == 1 ? rest[0] : make({.op = Op::add, .operands = std::move(rest)});
}

Formula multiply(std::vector<Formula> factors) {
    std::vector<Formula> rest;
    double constant = 1;
    for (const Formula& factor : factors) {
        const bool is_product = factor->op == Op::multiply;
        for (const Formula& part : is_product ? factor->operands : std::vector{factor}) {
            if (is_number(part))
                constant *= part->value;
            else
                rest.push_back(part);
        }
    }
    if (constant == 0 || rest.empty()) return number(constant);
    if (constant != 1) rest.insert(rest.begin(), number(constant));
    return rest.size() == 1 ? rest[0] : make({.op = Op::multiply, .operands = std::move(rest)});
}

Formula divide(const Formula& a, const Formula& b) {
    if (is_number(a, 0)) return a;
    if (is_number(b, 1)) return a;
    if (is_number(a) && is_number(b) && b->value != 0) return number(a->value / b->value);
    return make({.op = Op::divide, .operands = {a, b}});
}

Formula power(const Formula& a, int exponent) {
    if (exponent == 0) return number(1);
    if (exponent == 1) return a;
    if (is_number(a)) return number(std::pow(a->value, exponent));
    return make({.op = Op::power, .value = static_cast<double>(exponent), .operands = {a}});
}

Formula call(const std::string& function, std::vector<Formula> arguments) {
    if (arguments.size() == 1 && is_number(arguments[0])) return number(call_value(function, arguments[0]->value, 0));
    return make({.op = Op::call, .name = function, .operands = std::move(arguments)});
}

Formula choose(const Formula& a, const std::string& comparison, const Formula& b, const Formula& yes,
               const Formula& no) {
    if (is_number(a) && is_number(b)) return holds(comparison, a->value, b->value) ? yes : no;
    if (is_number(yes) && is_number(no, yes->value)) return yes;
    return make({.op = Op::choose, .name = comparison, .operands = {a, b, yes, no}});
}

Formula sum(const std::string& index, const Formula& from, const Formula& to, const Formula& term) {
    if (is_number(term, 0)) return term;
    return make({.op = Op::sum, .name = index, .operands = {from, to, term}});
}

Formula with_operands(const Node& node, std::vector<Formula> o) {
    switch (node.op) {
    case Op::add: return add(std::move(o));
    case Op::multiply: return multiply(std::move(o));
    case Op::divide: return divide(o[0], o[1]);
    case Op::power: return power(o[0], static_cast<int>(node.value));
    case Op::call: return call(node.name, std::move(o));
    case Op::choose: return choose(o[0], node.name, o[1], o[2], o[3]);
    case Op::sum: return sum(node.name, o[0], o[1], o[2]);
    default: {
        Node copy = node;
        copy.operands = std::move(o);
        return make(std::move(copy));
    }
    }
}

double evaluate(const Formula& f, const Point& point) {
    const auto at = [&](std::size_t k) { return evaluate(f->operands[k], point); };
    switch (f->op) {
    case Op::number:
    case Op::parameter: return f->value;
    case Op::time: return point.t;
    case Op::index: return point.indices.at(f->name);
    case Op::unknown: throw std::logic_error("an unknown has no value here: " + f->name);
    case Op::add: {
        double total = 0;
        for (const Formula& term : f->operands) total += evaluate(term, point);
        return total;
    }
    case Op::multiply: {
        double product = 1;
        for (const Formula& factor : f->operands) product *= evaluate(factor, point);
        return product;
    }
    case Op::divide: return at(0) / at(1);
    case Op::power: return std::pow(at(0), f->value);
    case Op::call: return call_value(f->name, at(0), f->operands.size() > 1 ? at(1) : 0);
    case Op::choose: return holds(f->name, at(0), at(1)) ? at(2) : at(3);
    case Op::sum: {
        Point inner = point;
        double total = 0;
        for (double i = at(0); i <= at(1); ++i) {
            inner.indices[f->name] = i;
            total += evaluate(f->operands[2], inner);
        }
        return total;
    }
    }
    return 0;
}

Formula replace(const Formula& f, const std::function<Formula(const Node&)>& rule) {
    if (const Formula by = rule(*f)) return by;
    if (f->operands.empty()) return f;
    std::vector<Formula> operands;
    bool is_same = true;
    for (const Formula& operand : f->operands) {
        operands.push_back(replace(operand, rule));
        is_same = is_same && operands.back() == operand;
    }
    return is_same ? f : with_operands(*f, std::move(operands));
}

Formula replace_index(const Formula& f, const std::string& name, const Formula& by) {
    return replace(f, [&](const Node& node) { return node.op == Op::index && node.name == name ? by : nullptr; });
}

Formula derive(const Formula& f, const std::function<Formula(const Node&)>& rule) {
    const auto d = [&](std::size_t k) { return derive(f->operands[k], rule); };
    const auto& o = f->operands;
    switch (f->op) {
    case Op::number:
    case Op::parameter: return number(0);
    case Op::time:
    case Op::index:
    case Op::unknown: {
        const Formula result = rule(*f);
        return result ? result : number(0);
    }
    case Op::add: {
        std::vector<Formula> terms;
        for (std::size_t k = 0; k < o.size(); ++k) terms.push_back(d(k));
        return add(std::move(terms));
    }
    case Op::multiply: {
        std::vector<Formula> terms;
        for (std::size_t k = 0; k < o.size(); ++k) {
            std::vector<Formula> factors = o;
            factors[k] = d(k);
            terms.push_back(multiply(std::move(factors)));
        }
        return add(std::move(terms));
    }
    case Op::divide: return (d(0) * o[1] - o[0] * d(1)) / power(o[1], 2);
    case Op::power: return multiply({number(f->value), power(o[0], static_cast<int>(f->value) - 1), d(0)});
    case Op::call:
        if (f->name == "min") return choose(o[0], "<", o[1], d(0), d(1));
        if (f->name == "max") return choose(o[0], ">", o[1], d(0), d(1));
        return slope(f->name, o[0]) * d(0);
    case Op::choose: return choose(o[0], f->name, o[1], d(2), d(3));
    case Op::sum: return sum(f->name, o[0], o[1], d(2));
    }
    return number(0);
}

Formula total_derivative(const Formula& f) {
    return derive(f, [](const Node& leaf) -> Formula {
        if (leaf.op == Op::time) return number(1);
        if (leaf.op != Op::unknown) return nullptr;
        Node next = leaf;
        ++next.order;
        return make(std::move(next));
    });
}

Formula partial_derivative(const Formula& f, const Node& unknown) {
    const std::string name = name_of(unknown);
    return derive(f, [&](const Node& leaf) -> Formula {
        return leaf.op == Op::unknown && name_of(leaf) == name ? number(1) : nullptr;
    });
}

Formula expand(const Formula& f) {
    return replace(f, [](const Node& node) -> Formula {
        if (node.op != Op::sum) return nullptr;
        std::vector<Formula> terms;
        for (double i = evaluate(node.operands[0], {}); i <= evaluate(node.operands[1], {}); ++i)
            terms.push_back(expand(replace_index(node.operands[2], node.name, number(i))));
        return add(std::move(terms));
    });
}

void visit(const Formula& f, const std::function<void(const Node&)>& at) {
    at(*f);
    for (const Formula& operand : f->operands) visit(operand, at);
}

bool contains_unknown(const Formula& f) {
    bool found = false;
    visit(f, [&](const Node& node) { found = found || node.op == Op::unknown; });
    return found;
}

std::size_t size(const Formula& f) {
    std::size_t n = 0;
    visit(f, [&](const Node&) { ++n; });
    return n;
}

} // namespace vessiot::differential
