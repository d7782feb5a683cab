#include "expr/range.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vessiot::expr {

namespace {

constexpr double pi = std::numbers::pi;

Interval add(const Interval& a, const Interval& b) {
    return {a.low + b.low, a.high + b.high};
}
Interval sub(const Interval& a, const Interval& b) {
    return {a.low - b.high, a.high - b.low};
}
Interval neg(const Interval& a) {
    return {-a.high, -a.low};
}

// NOTE: 0 times anything is 0 here: of two factors one may be unbounded where the other one vanishes throughout.
double times(double a, double b) {
    return a == 0 || b == 0 ? 0 : a * b;
}
Interval mul(const Interval& a, const Interval& b) {
    const double p = times(a.low, b.low), q = times(a.low, b.high), r = times(a.high, b.low), s = times(a.high, b.high);
    return {std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s))};
}
Interval inverse(const Interval& a) {
    if (a.low > 0 || a.high < 0) return {1 / a.high, 1 / a.low};
    return Interval::all();
}
Interval square(const Interval& a) {
    const double p = a.low * a.low, q = a.high * a.high;
    return {a.has(0) ? 0 : std::min(p, q), std::max(p, q)};
}

// The slope of f(x): f' times that of x. Zero where x does not move, whatever f' is.
Interval chain(const Interval& derivative, const Interval& slope) {
    return mul(derivative, slope);
}

bool is_still(const Range& a) {
    return a.value.is_point() && a.slope.low == 0 && a.slope.high == 0;
}

// Of a function that jumps, or not: its values, and how it may change.
Range jumping(const Interval& value) {
    return {value, value.is_point() ? Interval{0, 0} : Interval::all()};
}

// cos on an interval: 1 and -1 where it contains an even or odd multiple of pi.
Interval cosine(const Interval& a) {
    if (!(a.high - a.low < 2 * pi)) return {-1, 1};
    const double p = std::cos(a.low), q = std::cos(a.high);
    const double first = std::ceil(a.low / pi), last = std::floor(a.high / pi);
    Interval result{std::min(p, q), std::max(p, q)};
    for (double k = first; k <= last; ++k)
        (std::fmod(k, 2) == 0 ? result.high : result.low) = std::fmod(k, 2) == 0 ? 1 : -1;
    return result;
}
Interval sine(const Interval& a) {
    return cosine({a.low - pi / 2, a.high - pi / 2});
}

template <class F> Interval rising(const Interval& a, const F& f) {
    return {f(a.low), f(a.high)};
}

Range tangent(const Range& a) {
    const bool has_pole =
        !(a.value.high - a.value.low < pi) || std::floor(a.value.low / pi + 0.5) != std::floor(a.value.high / pi + 0.5);
    if (has_pole) return {Interval::all(), Interval::all()};
    const Interval value = rising(a.value, [](double x) { return std::tan(x); });
    return {value, chain(add({1, 1}, square(value)), a.slope)};
}

Range exponential(const Range& a) {
    const Interval value = rising(a.value, [](double x) { return std::exp(x); });
    return {value, chain(value, a.slope)};
}
// Not a number below 0, so that nothing is said there.
Range logarithm(const Range& a) {
    if (!(a.value.low > 0)) return {Interval::all(), Interval::all()};
    return {rising(a.value, [](double x) { return std::log(x); }), chain(inverse(a.value), a.slope)};
}
Range root(const Range& a) {
    if (!(a.value.low >= 0)) return {Interval::all(), Interval::all()};
    const Interval value = rising(a.value, [](double x) { return std::sqrt(x); });
    return {value, chain(inverse(add(value, value)), a.slope)};
}
Range cube_root(const Range& a) {
    const Interval value = rising(a.value, [](double x) { return std::cbrt(x); });
    return {value, chain(inverse(mul({3, 3}, square(value))), a.slope)};
}

Range product(const Range& a, const Range& b) {
    return {mul(a.value, b.value), add(chain(a.value, b.slope), chain(b.value, a.slope))};
}
Range quotient(const Range& a, const Range& b) {
    const Interval below = inverse(b.value);
    const Interval value = mul(a.value, below);
    return {value, mul(sub(a.slope, mul(value, b.slope)), below)};
}

Range integer_power(const Range& a, double n) {
    if (n == 0) return Range::constant(1);
    if (n < 0) return quotient(Range::constant(1), integer_power(a, -n));
    const auto power = [](const Interval& x, double k) -> Interval {
        const double p = std::pow(x.low, k), q = std::pow(x.high, k);
        if (std::fmod(k, 2) != 0) return {p, q};
        return {x.has(0) ? 0 : std::min(p, q), std::max(p, q)};
    };
    const Interval below = n == 1 ? Interval{1, 1} : power(a.value, n - 1);
    return {power(a.value, n), chain(mul({n, n}, below), a.slope)};
}
Range power(const Range& a, const Range& b) {
    if (is_still(b) && b.value.low == std::floor(b.value.low) && std::abs(b.value.low) < 1e6)
        return integer_power(a, b.value.low);
    return exponential(product(b, logarithm(a)));
}

Range arc_tangent(const Range& y, const Range& x) {
    // along the cut it jumps by 2 pi
    if (x.value.low <= 0 && y.value.has(0)) return {{-pi, pi}, Interval::all()};
    Interval value{std::atan2(y.value.low, x.value.low), std::atan2(y.value.low, x.value.low)};
    for (const double v : {y.value.low, y.value.high})
        for (const double u : {x.value.low, x.value.high}) {
            const double angle = std::atan2(v, u);
            value = Interval::hull(value, {angle, angle});
        }
    const Interval size = add(square(x.value), square(y.value));
    return {value, mul(sub(mul(x.value, y.slope), mul(y.value, x.slope)), inverse(size))};
}
Range hypotenuse(const Range& a, const Range& b) {
    const Interval sum = add(square(a.value), square(b.value));
    const Interval value{std::sqrt(sum.low), std::sqrt(sum.high)};
    return {value, mul(add(mul(a.value, a.slope), mul(b.value, b.slope)), inverse(value))};
}

// a < b ? a : b, with both where it is not clear which.
Range smaller(const Range& a, const Range& b) {
    if (a.value.high < b.value.low) return a;
    if (b.value.high < a.value.low) return b;
    return {{std::min(a.value.low, b.value.low), std::min(a.value.high, b.value.high)},
            Interval::hull(a.slope, b.slope)};
}
Range negative(const Range& a) {
    return {neg(a.value), neg(a.slope)};
}

Range condition(bool can_be_true, bool can_be_false) {
    return jumping({can_be_false ? 0.0 : 1.0, can_be_true ? 1.0 : 0.0});
}
bool can_be_true(const Range& a) {
    return a.value.low != 0 || a.value.high != 0;
}
bool can_be_false(const Range& a) {
    return a.value.has(0);
}

Range choice(const Range& condition, const Range& a, const Range& b) {
    if (!can_be_false(condition)) return a;
    if (!can_be_true(condition)) return b;
    return {Interval::hull(a.value, b.value), Interval::all()};
}

Range comparison(Op op, const Interval& a, const Interval& b) {
    const bool are_apart = a.high < b.low || b.high < a.low;
    const bool are_points = a.is_point() && b.is_point();
    switch (op) {
    case Op::less: return condition(a.low < b.high, a.high >= b.low);
    case Op::less_equal: return condition(a.low <= b.high, a.high > b.low);
    case Op::equal: return condition(!are_apart, are_apart || !are_points);
    default: return condition(are_apart || !are_points, !are_apart);
    }
}

Range elementary(Op op, const Range& a) {
    const Interval& x = a.value;
    // 1 - x^2, 1 + x^2
    const auto one_minus = [&] { return sub({1, 1}, square(x)); };
    const auto one_plus = [&] { return add({1, 1}, square(x)); };
    const auto over_root = [&](const Interval& y) {
        return y.low > 0 ? inverse({std::sqrt(y.low), std::sqrt(y.high)}) : Interval::all();
    };
    const auto make = [&](double (*f)(double), const Interval& derivative) -> Range {
        return {{f(x.low), f(x.high)}, chain(derivative, a.slope)};
    };
    switch (op) {
    case Op::sin: return {sine(x), chain(cosine(x), a.slope)};
    case Op::cos: return {cosine(x), chain(neg(sine(x)), a.slope)};
    case Op::tan: return tangent(a);
    case Op::asin: return make(std::asin, over_root(one_minus()));
    case Op::acos: {
        const Range r = elementary(Op::asin, a);
        return {sub({pi / 2, pi / 2}, r.value), neg(r.slope)};
    }
    case Op::atan: return make(std::atan, inverse(one_plus()));
    case Op::sinh:
        return make(std::sinh,
                    {std::cosh(x.has(0) ? 0 : std::min(std::abs(x.low), std::abs(x.high))), std::cosh(x.largest())});
    case Op::cosh: {
        const double least = x.has(0) ? 0 : std::min(std::abs(x.low), std::abs(x.high));
        return {{std::cosh(least), std::cosh(x.largest())}, chain({std::sinh(x.low), std::sinh(x.high)}, a.slope)};
    }
    case Op::tanh: {
        const Interval value{std::tanh(x.low), std::tanh(x.high)};
        return {value, chain(sub({1, 1}, square(value)), a.slope)};
    }
    case Op::asinh: return make(std::asinh, over_root(one_plus()));
    case Op::acosh: return make(std::acosh, over_root(sub(square(x), {1, 1})));
    case Op::atanh: return make(std::atanh, inverse(one_minus()));
    case Op::exp: return exponential(a);
    case Op::log: return logarithm(a);
    case Op::log10: return product(Range::constant(1 / std::numbers::ln10), logarithm(a));
    case Op::cbrt: return cube_root(a);
    case Op::erf: {
        const Range bell = exponential({neg(square(x)), {0, 0}});
        return make(std::erf, mul({2 / std::sqrt(pi), 2 / std::sqrt(pi)}, bell.value));
    }
    default: return {Interval::all(), Interval::all()};
    }
}

// What is not a number says nothing.
Range sound(const Range& r) {
    const bool is_good = r.value.low <= r.value.high && r.slope.low <= r.slope.high;
    return is_good ? r : Range{Interval::all(), Interval::all()};
}

Range apply_any(Op op, const Range& a, const Range& b, const Range& c) {
    switch (op) {
    case Op::add: return {add(a.value, b.value), add(a.slope, b.slope)};
    case Op::sub: return {sub(a.value, b.value), sub(a.slope, b.slope)};
    case Op::mul: return product(a, b);
    case Op::div: return quotient(a, b);
    case Op::neg: return negative(a);
    case Op::sqrt: return root(a);
    case Op::abs: {
        const Range r = negative(smaller(a, negative(a)));
        return {{std::max(r.value.low, 0.0), r.value.high}, r.slope};
    }
    case Op::sign:
        return jumping(
            {double(a.value.low > 0) - double(a.value.low < 0), double(a.value.high > 0) - double(a.value.high < 0)});
    case Op::min: return smaller(a, b);
    case Op::max: return negative(smaller(negative(a), negative(b)));
    case Op::floor: return jumping({std::floor(a.value.low), std::floor(a.value.high)});
    case Op::ceil: return jumping({std::ceil(a.value.low), std::ceil(a.value.high)});
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal: return comparison(op, a.value, b.value);
    case Op::logical_and: return condition(can_be_true(a) && can_be_true(b), can_be_false(a) || can_be_false(b));
    case Op::logical_or: return condition(can_be_true(a) || can_be_true(b), can_be_false(a) && can_be_false(b));
    case Op::logical_not: return condition(can_be_false(a), can_be_true(a));
    case Op::select: return choice(a, b, c);
    case Op::atan2: return arc_tangent(a, b);
    case Op::hypot: return hypotenuse(a, b);
    case Op::pow: return power(a, b);
    default: return elementary(op, a);
    }
}

} // namespace

Range apply(Op op, const Range& a, const Range& b, const Range& c) {
    return sound(apply_any(op, a, b, c));
}

} // namespace vessiot::expr
