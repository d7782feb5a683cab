// The constructors of nodes. Each returns the simplest equal expression that local algebra gives: constants are
// folded in quad precision, like terms collected, signs and factors pulled out. Rules are identities of real
// arithmetic (x - x = 0); none approximates.
#include <bit>
#include <cmath>

#include "expr/functions/vmath.hpp"
#include "expr/graph/graph.hpp"

namespace vessiot::expr {

namespace {

// A multiplication by the inverse of a power of two is exact, a division is slower.
bool is_power_of_two(Quad x) {
    const double d = static_cast<double>(x);
    int exponent = 0;
    return static_cast<Quad>(d) == x && std::abs(std::frexp(d, &exponent)) == 0.5 && std::abs(exponent) < 1000;
}

bool is_odd(Op op) {
    switch (op) {
    case Op::sin:
    case Op::tan:
    case Op::asin:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
    case Op::asinh:
    case Op::atanh:
    case Op::erf:
    case Op::cbrt:
    case Op::sign: return true;
    default: return false;
    }
}

bool is_even(Op op) {
    return op == Op::cos || op == Op::cosh || op == Op::abs;
}

constexpr std::int64_t largest_expanded_power = 1024;

} // namespace

NodeId Graph::make(Op op, NodeId a, NodeId b, NodeId c) {
    const NodeId operands[] = {a, b, c};
    Quad values[3] = {0, 0, 0};
    bool all_constant = true;
    for (int k = 0; k < arity(op); ++k) {
        all_constant &= is_constant(operands[k]);
        if (all_constant) values[k] = value(operands[k]);
    }
    if (all_constant) {
        const Quad folded = vessiot::expr::apply<Quad>(op, values[0], values[1], values[2]);
        // what has no value (log(-1), 1/0) stays as it is and is met where it is evaluated
        if (folded - folded == 0) return constant(folded);
    }
    return intern(op, a, arity(op) > 1 ? b : 0, arity(op) > 2 ? c : 0);
}

NodeId Graph::add(NodeId a, NodeId b) {
    if (is_constant(a, 0)) return b;
    if (is_constant(b, 0)) return a;
    if (is_constant(a) && is_constant(b)) return make(Op::add, a, b);
    const Node x = nodes_[a], y = nodes_[b];
    if (y.op == Op::neg) return sub(a, y.a);
    if (x.op == Op::neg) return sub(b, x.a);
    // (x - y) + y = x
    if (x.op == Op::sub && x.b == b) return x.a;
    if (y.op == Op::sub && y.b == a) return y.a;
    // c u + d u = (c + d) u, with c = 1 where there is no factor
    const bool has_c = x.op == Op::mul && is_constant(x.a), has_d = y.op == Op::mul && is_constant(y.a);
    if ((has_c ? x.b : a) == (has_d ? y.b : b)) {
        const Quad c = has_c ? value(x.a) : 1, d = has_d ? value(y.a) : 1;
        return mul(constant(c + d), has_c ? x.b : a);
    }
    if (has_d && value(y.a) < 0) return sub(a, mul(constant(-value(y.a)), y.b));
    if (has_c && value(x.a) < 0) return sub(b, mul(constant(-value(x.a)), x.b));
    // constants to the right end: (u + c) + d = u + (c + d), (u + c) + v = (u + v) + c
    if (is_constant(a)) return add(b, a);
    if (x.op == Op::add && is_constant(x.b)) {
        if (is_constant(b)) return add(x.a, constant(value(x.b) + value(b)));
        return add(add(x.a, b), x.b);
    }
    if (y.op == Op::add && is_constant(y.b)) return add(add(a, y.a), y.b);
    if (is_constant(b)) {
        if (value(b) < 0) return sub(a, constant(-value(b)));
        return make(Op::add, a, b);
    }
    return commutative(Op::add, a, b);
}

NodeId Graph::sub(NodeId a, NodeId b) {
    if (a == b) return zero();
    if (is_constant(b, 0)) return a;
    if (is_constant(a, 0)) return neg(b);
    if (is_constant(a) && is_constant(b)) return make(Op::sub, a, b);
    const Node x = nodes_[a], y = nodes_[b];
    if (y.op == Op::neg) return add(a, y.a);
    if (x.op == Op::neg) return neg(add(x.a, b));
    // (x + y) - y = x,  x - (x + y) = -y,  (x - y) - x = -y,  x - (x - y) = y
    if (x.op == Op::add && x.b == b) return x.a;
    if (x.op == Op::add && x.a == b) return x.b;
    if (y.op == Op::add && y.a == a) return neg(y.b);
    if (y.op == Op::add && y.b == a) return neg(y.a);
    if (x.op == Op::sub && x.a == b) return neg(x.b);
    if (y.op == Op::sub && y.a == a) return y.b;
    const bool has_c = x.op == Op::mul && is_constant(x.a), has_d = y.op == Op::mul && is_constant(y.a);
    if ((has_c ? x.b : a) == (has_d ? y.b : b)) {
        const Quad c = has_c ? value(x.a) : 1, d = has_d ? value(y.a) : 1;
        return mul(constant(c - d), has_c ? x.b : a);
    }
    if (has_d && value(y.a) < 0) return add(a, mul(constant(-value(y.a)), y.b));
    if (is_constant(b) && value(b) < 0) return add(a, constant(-value(b)));
    if (is_constant(b) && x.op == Op::sub && is_constant(x.b)) return sub(x.a, constant(value(x.b) + value(b)));
    if (is_constant(b) && x.op == Op::add && is_constant(x.b)) return add(x.a, constant(value(x.b) - value(b)));
    return make(Op::sub, a, b);
}

NodeId Graph::neg(NodeId a) {
    const Node x = nodes_[a];
    if (x.op == Op::constant) return constant(-value(a));
    if (x.op == Op::neg) return x.a;
    if (x.op == Op::sub) return sub(x.b, x.a);
    if (x.op == Op::mul && is_constant(x.a)) return mul(constant(-value(x.a)), x.b);
    if (x.op == Op::div && is_constant(x.a)) return div(constant(-value(x.a)), x.b);
    return make(Op::neg, a);
}

NodeId Graph::mul(NodeId a, NodeId b) {
    if (is_constant(b)) std::swap(a, b);
    const Node x = nodes_[a], y = nodes_[b];
    if (is_constant(a)) {
        if (is_constant(b)) return make(Op::mul, a, b);
        const Quad c = value(a);
        if (c == 0) return a;
        if (c == 1) return b;
        if (c == -1) return neg(b);
        if (y.op == Op::neg) return mul(constant(-c), y.a);
        if (y.op == Op::mul && is_constant(y.a)) return mul(constant(c * value(y.a)), y.b);
        if (y.op == Op::div && is_constant(y.a)) return div(constant(c * value(y.a)), y.b);
        return make(Op::mul, a, b);
    }
    if (x.op == Op::neg) return neg(mul(x.a, b));
    if (y.op == Op::neg) return neg(mul(a, y.a));
    if (x.op == Op::mul && is_constant(x.a)) return mul(x.a, mul(x.b, b));
    if (y.op == Op::mul && is_constant(y.a)) return mul(y.a, mul(a, y.b));
    if (x.op == Op::div && is_constant(x.a)) return mul(x.a, div(b, x.b));
    if (y.op == Op::div && is_constant(y.a)) return mul(y.a, div(a, y.b));
    if (x.op == Op::div && x.b == b) return x.a;
    if (y.op == Op::div && y.b == a) return y.a;
    if (a == b && x.op == Op::sqrt) return x.a;
    // A branch that is not taken must not spoil the product with its infinities: the factor goes inside.
    if (x.op == Op::select && is_constant(x.c, 0)) return select(x.a, mul(x.b, b), x.c);
    if (y.op == Op::select && is_constant(y.c, 0)) return select(y.a, mul(a, y.b), y.c);
    if (x.op == Op::select && is_constant(x.b, 0)) return select(x.a, x.b, mul(x.c, b));
    if (y.op == Op::select && is_constant(y.b, 0)) return select(y.a, y.b, mul(a, y.c));
    return commutative(Op::mul, a, b);
}

NodeId Graph::div(NodeId a, NodeId b) {
    if (is_constant(b, 0)) return intern(Op::div, a, b, 0); // has no value: met where it is evaluated
    if (is_constant(a, 0)) return a;
    if (a == b) return one();
    const Node x = nodes_[a], y = nodes_[b];
    if (is_constant(b)) {
        const Quad d = value(b);
        if (is_constant(a)) return make(Op::div, a, b);
        if (d == 1) return a;
        if (d == -1) return neg(a);
        if (is_power_of_two(d)) return mul(constant(1 / d), a);
        if (x.op == Op::mul && is_constant(x.a)) return mul(constant(value(x.a) / d), x.b);
        if (d < 0) return neg(div(a, constant(-d)));
    }
    if (x.op == Op::neg) return neg(div(x.a, b));
    if (y.op == Op::neg) return neg(div(a, y.a));
    if (x.op == Op::mul && is_constant(x.a)) return mul(x.a, div(x.b, b));
    if (y.op == Op::mul && is_constant(y.a)) return mul(constant(1 / value(y.a)), div(a, y.b));
    if (x.op == Op::mul && x.a == b) return x.b;
    if (x.op == Op::mul && x.b == b) return x.a;
    if (x.op == Op::div) return div(x.a, mul(x.b, b));
    if (y.op == Op::div) return div(mul(a, y.b), y.a);
    if (x.op == Op::select && is_constant(x.c, 0)) return select(x.a, div(x.b, b), x.c);
    if (x.op == Op::select && is_constant(x.b, 0)) return select(x.a, x.b, div(x.c, b));
    return make(Op::div, a, b);
}

NodeId Graph::integer_power(NodeId a, std::int64_t n) {
    if (n < 0) return div(one(), integer_power(a, -n));
    NodeId result = one(), power = a;
    for (; n > 0; n >>= 1) {
        if (n & 1) result = mul(result, power);
        if (n > 1) power = mul(power, power);
    }
    return result;
}

NodeId Graph::pow(NodeId a, NodeId b) {
    if (is_constant(b)) {
        const Quad p = value(b);
        if (p == 0) return one();
        if (p == 1) return a;
        const Quad twice = 2 * p;
        const auto n = p < largest_expanded_power && p > -largest_expanded_power ? static_cast<std::int64_t>(twice) : 0;
        if (n != 0 && static_cast<Quad>(n) == twice && !is_constant(a)) {
            if (n % 2 == 0) return integer_power(a, n / 2);
            // x^(k + 1/2) = x^k sqrt(x)
            const std::int64_t k = std::abs(n) / 2;
            const NodeId positive = mul(integer_power(a, k), apply(Op::sqrt, a));
            return n > 0 ? positive : div(one(), positive);
        }
    }
    if (is_constant(a, 1)) return a;
    if (is_constant(a) && value(a) == vessiot::expr::apply<Quad>(Op::exp, 1)) return apply(Op::exp, b);
    return make(Op::pow, a, b);
}

NodeId Graph::select(NodeId condition, NodeId a, NodeId b) {
    if (is_constant(condition)) return value(condition) != 0 ? a : b;
    if (a == b) return a;
    return make(Op::select, condition, a, b);
}

// a - b floor(a/b): the sign of b
NodeId Graph::mod(NodeId a, NodeId b) {
    return sub(a, mul(b, apply(Op::floor, div(a, b))));
}

NodeId Graph::apply(Op op, NodeId a) {
    if (op == Op::neg) return neg(a);
    const Node x = nodes_[a];
    if (x.op == Op::neg && is_odd(op)) return neg(apply(op, x.a));
    if (x.op == Op::neg && is_even(op)) return apply(op, x.a);
    if (op == Op::abs && x.op == Op::abs) return a;
    if (op == Op::sqrt && x.op == Op::mul && x.a == x.b) return apply(Op::abs, x.a);
    if (op == Op::log && x.op == Op::exp) return x.a;
    return make(op, a);
}

NodeId Graph::apply(Op op, NodeId a, NodeId b) {
    switch (op) {
    case Op::add: return add(a, b);
    case Op::sub: return sub(a, b);
    case Op::mul: return mul(a, b);
    case Op::div: return div(a, b);
    case Op::pow: return pow(a, b);
    case Op::min:
    case Op::max:
        if (a == b) return a;
        break;
    default: break;
    }
    return make(op, a, b);
}

} // namespace vessiot::expr
