// Formulas of t, unknowns and their derivatives: written as text of a model, evaluated, differentiated, and with a
// known solution put in for the unknowns. Small and slow; shares no code with the library, which it is to judge.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vessiot::differential {

enum class Op {
    number,    // value
    parameter, // name, value
    time,
    index,   // name: of a loop
    unknown, // name, order of the derivative; operands: its index, if it is an element of an array
    add,
    multiply,
    divide,
    power,  // by the integer `value`
    call,   // name: sin, cos, exp, sqrt, atan, tanh, abs, sign, floor, min, max
    choose, // if(a OP b, c, d), OP is `name`
    sum,    // sum(name = a..b, c)
};

struct Node;
using Formula = std::shared_ptr<const Node>;

struct Node {
    Op op = Op::number;
    double value = 0;
    std::string name{};
    int order = 0;
    std::vector<Formula> operands{};
};

// These simplify what is trivial: sums with 0, products with 0 and 1, numbers among each other.
Formula number(double value);
Formula parameter(const std::string& name, double value);
Formula time();
Formula index(const std::string& name);
Formula unknown(const std::string& name, int order = 0);
Formula element(const std::string& name, const Formula& index, int order = 0);
Formula add(std::vector<Formula> terms);
Formula multiply(std::vector<Formula> factors);
Formula divide(const Formula& a, const Formula& b);
Formula power(const Formula& a, int exponent);
Formula call(const std::string& function, std::vector<Formula> arguments);
Formula choose(const Formula& a, const std::string& comparison, const Formula& b, const Formula& yes,
               const Formula& no);
Formula sum(const std::string& index, const Formula& from, const Formula& to, const Formula& term);
// The node with other operands, simplified in the same way.
Formula with_operands(const Node& node, std::vector<Formula> operands);

inline Formula operator+(const Formula& a, const Formula& b) {
    return add({a, b});
}
inline Formula operator*(const Formula& a, const Formula& b) {
    return multiply({a, b});
}
inline Formula operator*(double a, const Formula& b) {
    return multiply({number(a), b});
}
inline Formula operator-(const Formula& a, const Formula& b) {
    return add({a, multiply({number(-1), b})});
}
inline Formula operator/(const Formula& a, const Formula& b) {
    return divide(a, b);
}

std::string text(const Formula& formula);
std::string text(double value); // shortest that reads back
// The name of an unknown or an element of one, as in results: x, x[2]''.
std::string name_of(const Node& unknown);

// What a formula without unknowns depends on.
struct Point {
    double t = 0;
    std::map<std::string, double> indices{};
};
double evaluate(const Formula& formula, const Point& point);

// Leaves (time, index, unknown) for which `rule` gives a formula are replaced by it.
Formula replace(const Formula& formula, const std::function<Formula(const Node&)>& rule);
Formula replace_index(const Formula& formula, const std::string& name, const Formula& by);
// Derivative where the derivative of a leaf is that of `rule` (null: 0).
Formula derive(const Formula& formula, const std::function<Formula(const Node&)>& rule);
// d/dt along a solution: x becomes x'.
Formula total_derivative(const Formula& formula);
Formula partial_derivative(const Formula& formula, const Node& unknown);
// Sums written out.
Formula expand(const Formula& formula);

// Calls visit(node) for the formula and all below it.
void visit(const Formula& formula, const std::function<void(const Node&)>& visit);
bool contains_unknown(const Formula& formula);
std::size_t size(const Formula& formula);

} // namespace vessiot::differential
