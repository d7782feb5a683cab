#include "expr/range/interval.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "expr/table/number_list.hpp"

namespace vessiot::expr {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The elementary functions are off by less than two units in the last place.
Interval outward(double lo, double hi) {
    if (!(lo <= hi)) return Interval::everything(); // not a number, too
    for (int k = 0; k < 2; ++k) {
        lo = std::nextafter(lo, -infinity);
        hi = std::nextafter(hi, infinity);
    }
    return {lo, hi};
}

bool is_point(Interval a, double x) {
    return a.lo == x && a.hi == x;
}

Interval multiply(Interval a, Interval b) {
    if (is_point(a, 0) || is_point(b, 0)) return {0, 0};
    double lo = infinity, hi = -infinity;
    for (const double x : {a.lo, a.hi})
        for (const double y : {b.lo, b.hi}) {
            const double p = x == 0 || y == 0 ? 0 : x * y; // 0 times an end that is infinite
            lo = std::min(lo, p);
            hi = std::max(hi, p);
        }
    return outward(lo, hi);
}

Interval divide(Interval a, Interval b) {
    if (b.contains(0)) return Interval::everything();
    return multiply(a, outward(1 / b.hi, 1 / b.lo));
}

// Is a + 2 k pi inside for a whole number k? With a margin: more is inside rather than less.
bool has_angle(Interval x, double a) {
    constexpr double turn = 2 * std::numbers::pi;
    const double margin = 1e-12 * (1 + std::max(std::fabs(x.lo), std::fabs(x.hi)));
    const double k = std::ceil((x.lo - margin - a) / turn);
    return a + k * turn <= x.hi + margin;
}

Interval sine(Interval x) {
    if (!(x.hi - x.lo < 2 * std::numbers::pi) || std::fabs(x.lo) > 1e12 || std::fabs(x.hi) > 1e12) return {-1, 1};
    const double a = std::sin(x.lo), b = std::sin(x.hi);
    const double hi = has_angle(x, std::numbers::pi / 2) ? 1 : std::max(a, b);
    const double lo = has_angle(x, -std::numbers::pi / 2) ? -1 : std::min(a, b);
    const Interval y = outward(lo, hi);
    return {std::max(y.lo, -1.0), std::min(y.hi, 1.0)};
}

Interval tangent(Interval x) {
    if (!(x.hi - x.lo < std::numbers::pi) || has_angle(x, std::numbers::pi / 2) || has_angle(x, -std::numbers::pi / 2))
        return Interval::everything();
    return outward(std::tan(x.lo), std::tan(x.hi));
}

// Falls to its smallest value at 0 and rises behind it.
template <class F> Interval even(Interval x, const F& f) {
    const double a = f(x.lo), b = f(x.hi);
    return outward(x.contains(0) ? f(0.0) : std::min(a, b), std::max(a, b));
}

template <class F> Interval rising(Interval x, const F& f) {
    return outward(f(x.lo), f(x.hi));
}

template <class F> Interval rising_above(Interval x, double least, const F& f) {
    return x.lo < least ? Interval::everything() : rising(x, f);
}

// a^n for a whole number n.
Interval whole_power(Interval a, double n) {
    if (n == 0) return {1, 1};
    if (n < 0) return divide({1, 1}, whole_power(a, -n));
    const auto f = [n](double x) { return std::pow(x, n); };
    return std::fmod(n, 2) == 0 ? even(a, f) : rising(a, f);
}

Interval power(Interval a, Interval b) {
    if (b.lo == b.hi && b.lo == std::floor(b.lo)) return whole_power(a, b.lo);
    if (!(a.lo > 0)) return Interval::everything();
    const Interval logarithm = outward(std::log(a.lo), std::log(a.hi));
    return rising(multiply(logarithm, b), [](double x) { return std::exp(x); });
}

// All numbers at these places of a list: whole numbers, to which rounding may have added something.
Interval picked(Interval places, double handle) {
    const NumberList* list = NumberList::find(handle);
    places = {std::ceil(places.lo), std::floor(places.hi)};
    if (!list || !(places.lo >= 0 && places.lo <= places.hi && places.hi < static_cast<double>(list->size())))
        return Interval::everything();
    const std::vector<double>& numbers = list->numbers<double>();
    double lo = infinity, hi = -infinity;
    for (auto k = static_cast<std::size_t>(places.lo); k <= static_cast<std::size_t>(places.hi); ++k) {
        if (!std::isfinite(numbers[k])) return Interval::everything();
        lo = std::min(lo, numbers[k]);
        hi = std::max(hi, numbers[k]);
    }
    return outward(lo, hi);
}

// 1 where it holds for all, 0 where for none.
Interval truth(bool is_always, bool is_never) {
    return is_always ? Interval{1, 1} : is_never ? Interval{0, 0} : Interval{0, 1};
}

bool is_true(Interval a) {
    return !a.contains(0);
}

} // namespace

Interval hull(const Interval& a, const Interval& b) {
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval apply(Op op, Interval a, Interval b, Interval c) {
    switch (op) {
    case Op::add: return outward(a.lo + b.lo, a.hi + b.hi);
    case Op::sub: return outward(a.lo - b.hi, a.hi - b.lo);
    case Op::mul: return multiply(a, b);
    case Op::div: return divide(a, b);
    case Op::neg: return {-a.hi, -a.lo};
    case Op::sqrt: return rising_above(a, 0, [](double x) { return std::sqrt(x); });
    case Op::abs: return even(a, [](double x) { return std::fabs(x); });
    case Op::sign: return {a.lo > 0 ? 1.0 : a.lo == 0 ? 0.0 : -1.0, a.hi < 0 ? -1.0 : a.hi == 0 ? 0.0 : 1.0};
    case Op::min: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Op::max: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::floor: return {std::floor(a.lo), std::floor(a.hi)};
    case Op::ceil: return {std::ceil(a.lo), std::ceil(a.hi)};
    case Op::less: return truth(a.hi < b.lo, a.lo >= b.hi);
    case Op::less_equal: return truth(a.hi <= b.lo, a.lo > b.hi);
    case Op::equal: return truth(a.lo == a.hi && is_point(b, a.lo), a.hi < b.lo || a.lo > b.hi);
    case Op::not_equal: return truth(a.hi < b.lo || a.lo > b.hi, a.lo == a.hi && is_point(b, a.lo));
    case Op::logical_and: return truth(is_true(a) && is_true(b), is_point(a, 0) || is_point(b, 0));
    case Op::logical_or: return truth(is_true(a) || is_true(b), is_point(a, 0) && is_point(b, 0));
    case Op::logical_not: return truth(is_point(a, 0), is_true(a));
    case Op::select: return is_true(a) ? b : is_point(a, 0) ? c : hull(b, c);
    case Op::sin: return sine(a);
    case Op::cos: return sine(apply(Op::add, a, outward(std::numbers::pi / 2, std::numbers::pi / 2)));
    case Op::tan: return tangent(a);
    case Op::atan: return rising(a, [](double x) { return std::atan(x); });
    case Op::sinh: return rising(a, [](double x) { return std::sinh(x); });
    case Op::cosh: return even(a, [](double x) { return std::cosh(x); });
    case Op::tanh: return rising(a, [](double x) { return std::tanh(x); });
    case Op::asinh: return rising(a, [](double x) { return std::asinh(x); });
    case Op::acosh: return rising_above(a, 1, [](double x) { return std::acosh(x); });
    case Op::exp: return rising(a, [](double x) { return std::exp(x); });
    case Op::log: return rising_above(a, 0, [](double x) { return std::log(x); });
    case Op::log10: return rising_above(a, 0, [](double x) { return std::log10(x); });
    case Op::cbrt: return rising(a, [](double x) { return std::cbrt(x); });
    case Op::erf: return rising(a, [](double x) { return std::erf(x); });
    case Op::asin:
    case Op::acos:
    case Op::atanh: {
        if (a.lo < -1 || a.hi > 1) return Interval::everything();
        if (op == Op::asin) return rising(a, [](double x) { return std::asin(x); });
        if (op == Op::atanh) return rising(a, [](double x) { return std::atanh(x); });
        return outward(std::acos(a.hi), std::acos(a.lo));
    }
    case Op::hypot: {
        const auto size = [](double x) { return std::fabs(x); };
        const Interval x = even(a, size), y = even(b, size);
        return outward(std::hypot(std::max(x.lo, 0.0), std::max(y.lo, 0.0)), std::hypot(x.hi, y.hi));
    }
    case Op::atan2: { // a smooth function where the divisor stays positive
        if (!(b.lo > 0)) return {-4, 4};
        return rising(divide(a, b), [](double x) { return std::atan(x); });
    }
    case Op::pow: return power(a, b);
    case Op::locate: return {locate(a.lo, b.lo), locate(a.hi, b.lo)};
    case Op::pick: return picked(a, b.lo);
    default: return Interval::everything();
    }
}

} // namespace vessiot::expr
