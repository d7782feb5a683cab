// Numbers of twice the precision, as unevaluated sums of two (double-double), for the functions of
// elementary_kernel.hpp: the operations of SLEEF's deterministic functions, in their order, without fused ones.
// Products are exact by cutting factors into halves.
//
// N: double, or a value in code that is made; see elementary_kernel.hpp.
#pragma once

namespace vessiot::expr::elementary {

template <class N> struct Pair {
    N high, low;
};

template <class N> N sum_of(const Pair<N>& a) {
    return a.high + a.low;
}
template <class N> Pair<N> negative(const Pair<N>& a) {
    return {-a.high, -a.low};
}
template <class N> Pair<N> scaled(const Pair<N>& a, const N& s) {
    return {a.high * s, a.low * s};
}
template <class N> Pair<N> normal(const Pair<N>& a) {
    const N s = a.high + a.low;
    return {s, (a.high - s) + a.low};
}
template <class N, class C> Pair<N> choose(const C& c, const Pair<N>& a, const Pair<N>& b) {
    return {select(c, a.high, b.high), select(c, a.low, b.low)};
}

// Sums whose first term is the larger one.
template <class N> Pair<N> add_smaller(const N& x, const N& y) {
    const N s = x + y;
    return {s, (x - s) + y};
}
template <class N> Pair<N> add_smaller(const Pair<N>& x, const N& y) {
    const N s = x.high + y;
    return {s, ((x.high - s) + y) + x.low};
}
template <class N> Pair<N> add_smaller(const N& x, const Pair<N>& y) {
    const N s = x + y.high;
    return {s, ((x - s) + y.high) + y.low};
}
template <class N> Pair<N> add_smaller(const Pair<N>& x, const Pair<N>& y) {
    const N s = x.high + y.high;
    return {s, (((x.high - s) + y.high) + x.low) + y.low};
}
template <class N> Pair<N> subtract_smaller(const Pair<N>& x, const N& y) {
    const N s = x.high - y;
    return {s, ((x.high - s) - y) + x.low};
}
template <class N> Pair<N> subtract_smaller(const Pair<N>& x, const Pair<N>& y) {
    const N s = x.high - y.high;
    return {s, (((x.high - s) - y.high) + x.low) - y.low};
}

// Sums of any two.
template <class N> Pair<N> add(const N& x, const N& y) {
    const N s = x + y, v = s - x;
    return {s, (x - (s - v)) + (y - v)};
}
template <class N> Pair<N> add(const Pair<N>& x, const N& y) {
    const Pair<N> s = add(x.high, y);
    return {s.high, s.low + x.low};
}
template <class N> Pair<N> add(const N& x, const Pair<N>& y) {
    const Pair<N> s = add(x, y.high);
    return {s.high, s.low + y.low};
}
template <class N> Pair<N> add(const Pair<N>& x, const Pair<N>& y) {
    const Pair<N> s = add(x.high, y.high);
    return {s.high, s.low + (x.low + y.low)};
}

// A factor as a sum of two of half its digits.
template <class N> Pair<N> halves(const N& x) {
    const N high = upper(x);
    return {high, x - high};
}
template <class N> Pair<N> multiply(const N& x, const N& y) {
    const Pair<N> a = halves(x), b = halves(y);
    const N s = x * y;
    return {s, (((a.high * b.high + -s) + a.low * b.high) + a.high * b.low) + a.low * b.low};
}
// NOTE: the terms are added as they stand in SLEEF: two, then the others one after the other
template <class N> Pair<N> multiply(const Pair<N>& x, const N& y) {
    const Pair<N> p = multiply(x.high, y);
    return {p.high, p.low + x.low * y};
}
template <class N> Pair<N> multiply(const Pair<N>& x, const Pair<N>& y) {
    const Pair<N> p = multiply(x.high, y.high);
    return {p.high, (p.low + x.high * y.low) + x.low * y.high};
}
template <class N> Pair<N> square(const Pair<N>& x) {
    const Pair<N> a = halves(x.high);
    const N s = x.high * x.high;
    const N products = ((a.high * a.high + -s) + (a.high + a.high) * a.low) + a.low * a.low;
    return {s, products + x.high * (x.low + x.low)};
}

// 1 - d t, from the halves of both
template <class N> N rest_of_inverse(const Pair<N>& d, const Pair<N>& t) {
    const N one = d.high.like(1);
    return (((one - d.high * t.high) - d.high * t.low) - d.low * t.high) - d.low * t.low;
}
template <class N> Pair<N> inverse(const N& d) {
    const N t = d.like(1) / d;
    return {t, t * rest_of_inverse(halves(d), halves(t))};
}
template <class N> Pair<N> inverse(const Pair<N>& d) {
    const N t = d.high.like(1) / d.high;
    return {t, t * (rest_of_inverse(halves(d.high), halves(t)) - d.low * t)};
}
template <class N> Pair<N> divide(const Pair<N>& n, const Pair<N>& d) {
    const N t = d.high.like(1) / d.high;
    const Pair<N> a = halves(d.high), b = halves(t), c = halves(n.high);
    const N s = n.high * t;
    const N products = (((c.high * b.high - s) + c.high * b.low) + c.low * b.high) + c.low * b.low;
    const N u = products + s * rest_of_inverse(a, b);
    return {s, t * (n.low - s * d.low) + u};
}

template <class N> Pair<N> root(const Pair<N>& d) {
    const N t = sqrt(d.high + d.low);
    return scaled(multiply(add(d, multiply(t, t)), inverse(t)), t.like(0.5));
}
template <class N> Pair<N> root(const N& d) {
    const N t = sqrt(d);
    return scaled(multiply(add(d, multiply(t, t)), inverse(t)), t.like(0.5));
}

} // namespace vessiot::expr::elementary
