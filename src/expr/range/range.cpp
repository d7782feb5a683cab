#include "expr/range/range.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vessiot::expr {

namespace {

bool is_point(const Interval& a) {
    return a.lo == a.hi;
}
Interval number(double x) {
    return {x, x};
}
Interval add(const Interval& a, const Interval& b) {
    return apply(Op::add, a, b);
}
Interval sub(const Interval& a, const Interval& b) {
    return apply(Op::sub, a, b);
}
Interval mul(const Interval& a, const Interval& b) {
    return apply(Op::mul, a, b);
}
Interval over(const Interval& a, const Interval& b) {
    return apply(Op::div, a, b);
}
Interval square(const Interval& a) {
    return apply(Op::pow, a, number(2));
}
// 1 / sqrt(a)
Interval over_root(const Interval& a) {
    return a.lo > 0 ? over(number(1), apply(Op::sqrt, a)) : Interval::everything();
}

// f'(x) of a function of one operand, which has the values y.
Interval derivative(Op op, const Interval& x, const Interval& y) {
    const Interval one = number(1);
    switch (op) {
    case Op::sqrt: return over(one, add(y, y));
    case Op::abs: return apply(Op::sign, x);
    case Op::sin: return apply(Op::cos, x);
    case Op::cos: return apply(Op::neg, apply(Op::sin, x));
    case Op::tan: return add(one, square(y));
    case Op::asin: return over_root(sub(one, square(x)));
    case Op::acos: return apply(Op::neg, over_root(sub(one, square(x))));
    case Op::atan: return over(one, add(one, square(x)));
    case Op::sinh: return apply(Op::cosh, x);
    case Op::cosh: return apply(Op::sinh, x);
    case Op::tanh: return sub(one, square(y));
    case Op::asinh: return over_root(add(one, square(x)));
    case Op::acosh: return over_root(sub(square(x), one));
    case Op::atanh: return over(one, sub(one, square(x)));
    case Op::exp: return y;
    case Op::log: return x.lo > 0 ? over(one, x) : Interval::everything();
    case Op::log10: return x.lo > 0 ? over(number(1 / std::numbers::ln10), x) : Interval::everything();
    case Op::cbrt: return over(one, mul(number(3), square(y)));
    case Op::erf: {
        const Interval bell = apply(Op::exp, apply(Op::neg, square(x)));
        return mul(number(2 * std::numbers::inv_sqrtpi), bell);
    }
    default: return Interval::everything();
    }
}

// a^b: b a^(b-1) a' + a^b log(a) b'
Interval slope_of_power(const Range& a, const Range& b, const Interval& y) {
    const bool is_whole = is_point(b.value) && b.value.lo == std::floor(b.value.lo);
    if (is_whole && is_point(b.slope)) {
        const Interval below = b.value.lo == 1 ? number(1) : apply(Op::pow, a.value, number(b.value.lo - 1));
        return mul(mul(b.value, below), a.slope);
    }
    if (!(a.value.lo > 0)) return Interval::everything();
    return mul(y, add(mul(over(b.value, a.value), a.slope), mul(apply(Op::log, a.value), b.slope)));
}

// Of the angle of (x, y), which jumps across the negative x axis.
Interval slope_of_angle(const Range& y, const Range& x) {
    if (!(x.value.lo > 0) && y.value.contains(0)) return Interval::everything();
    return over(sub(mul(x.value, y.slope), mul(y.value, x.slope)), add(square(x.value), square(y.value)));
}

Interval slope_of(Op op, const Range& a, const Range& b, const Range& c, const Interval& y) {
    switch (op) {
    case Op::add: return add(a.slope, b.slope);
    case Op::sub: return sub(a.slope, b.slope);
    case Op::neg: return apply(Op::neg, a.slope);
    case Op::mul: return add(mul(a.value, b.slope), mul(b.value, a.slope));
    case Op::div: return over(sub(a.slope, mul(y, b.slope)), b.value);
    case Op::min:
    case Op::max: {
        const bool is_below = a.value.hi<b.value.lo, is_above = a.value.lo> b.value.hi;
        if (!is_below && !is_above) return hull(a.slope, b.slope);
        return is_below == (op == Op::min) ? a.slope : b.slope;
    }
    case Op::select:
        if (!a.value.contains(0)) return b.slope;
        return is_point(a.value) ? c.slope : Interval::everything();
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not: return is_point(y) ? number(0) : Interval::everything();
    case Op::locate: return is_point(y) ? number(0) : Interval::everything();
    case Op::pick: return std::ceil(a.value.lo) == std::floor(a.value.hi) ? number(0) : Interval::everything();
    case Op::hypot: return over(add(mul(a.value, a.slope), mul(b.value, b.slope)), y);
    case Op::atan2: return slope_of_angle(a, b);
    case Op::pow: return slope_of_power(a, b, y);
    default: return mul(derivative(op, a.value, y), a.slope);
    }
}

} // namespace

Range apply(Op op, const Range& a, const Range& b, const Range& c) {
    const Interval value = apply(op, a.value, b.value, c.value);
    return {value, slope_of(op, a, b, c, value)};
}

} // namespace vessiot::expr
