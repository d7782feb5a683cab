// The elementary functions of vmath.hpp, but sin and cos, as formulas: what SLEEF's deterministic functions compute, to
// the last bit [SLEEF 3.5.1: algorithms and coefficients], for processors that its library does not run on. Nothing is
// fused, there are no branches and no tables.
//
// N is a number: double in a wrapper, or a value in code that is made. It has
//
//   + - * /, unary -, with numbers and double; x.like(c), a constant; < <= == that make a condition, with & | !
//   select(c, a, b), sqrt, abs, nearest (rounded to an integer, ties to even), cut (towards zero), down (floor)
//   upper(x)             the number without its last 27 bits
//   times_sign(x, y)     x with the sign of x y, where zeros have signs
//   is_negative(x)       by its sign bit
//   exponent(x)          its bits as an integer, minus 1023; of all twelve bits, sign included
//   power_of_two(n)      2^n, n an integer
//   without_exponent(x, n)   x / 2^n, where exponents are integers modulo 2^12
//
// NaN comes out where SLEEF has NaN; tan is NaN where |x| >= 1e14 too.
#pragma once

#include <cstddef>
#include <limits>

#include "expr/functions/device/pair.hpp"

namespace vessiot::expr::elementary {

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class N> auto is_nan(const N& x) {
    return !(x == x);
}
template <class N> auto is_infinite(const N& x) {
    return abs(x) == infinity;
}

// sum_k c[k] x^k in the order of Estrin: halves of a power of two of coefficients, powers[k] = x^(2^k).
template <class N> N estrin(const N* powers, const double* c, std::size_t n) {
    if (n == 1) return powers->like(*c);
    std::size_t half = 1, k = 0;
    while (2 * half < n) half *= 2, ++k;
    const N low = estrin(powers, c, half);
    if (n - half == 1) return powers[k] * c[half] + low;
    return powers[k] * estrin(powers, c + half, n - half) + low;
}
template <class N, std::size_t n> N polynomial(const N& x, const double (&c)[n]) {
    const N x2 = x * x, x4 = x2 * x2, x8 = x4 * x4, x16 = x8 * x8;
    const N powers[] = {x, x2, x4, x8, x16};
    return estrin(powers, c, n);
}

template <class N> Pair<N> constant(const N& like, double high, double low) {
    return {like.like(high), like.like(low)};
}
template <class N> Pair<N> single(const N& x) {
    return {x, x.like(0)};
}

// ---- exponentials ----

constexpr double log_2_high = .69314718055966295651160180568695068359375,
                 log_2_low = .28235290563031577122588448175013436025525412068e-12,
                 inverse_log_2 = 1.442695040888963407359924681001892137426645954152985934135449406931,
                 largest_exponent = 709.78271114955742909217217426; // of e

// x 2^n in two steps, since 2^n may be none
template <class N> N times_power(const N& x, const N& n) {
    const N half = down(n * 0.5);
    return x * power_of_two(half) * power_of_two(n - half);
}

template <class N> N exp(const N& x) {
    const N n = nearest(x * inverse_log_2);
    const N s = n * -log_2_low + (n * -log_2_high + x);
    N u = polynomial(s, {0.166666666666666851703837, 0.0416666666666665047591422, 0.00833333333331652721664984,
                         0.00138888888889774492207962, 0.000198412698960509205564975, 2.4801587159235472998791e-05,
                         2.75572362911928827629423e-06, 2.75573911234900471893338e-07, 2.51112930892876518610661e-08,
                         2.08860621107283687536341e-09});
    u = u * s + 0.5;
    u = (s * s * u + s) + 1.0;
    u = times_power(u, n);
    u = select(x.like(largest_exponent) < x, x.like(infinity), u);
    return select(x < -1000.0, x.like(0), u);
}

// log 2 taken off n times, and n
template <class N> struct Reduced {
    Pair<N> rest;
    N n;
};
template <class N> Reduced<N> reduced(const Pair<N>& x) {
    const N n = nearest((x.high + x.low) * inverse_log_2);
    return {add(add(x, n * -log_2_high), n * -log_2_low), n};
}

template <class N> N exp_of_pair(const Pair<N>& x) {
    const Reduced<N> r = reduced(x);
    const Pair<N> s = normal(r.rest);
    const N u =
        polynomial(s.high, {0.500000000000000999200722, 0.166666666666666740681535, 0.0416666666665409524128449,
                            0.00833333333332371417601081, 0.0013888888939977128960529, 0.000198412698809069797676111,
                            2.48014973989819794114153e-05, 2.75572496725023574143864e-06, 2.76286166770270649116855e-07,
                            2.51069683420950419527139e-08});
    Pair<N> t = add_smaller(u.like(1), s);
    t = add_smaller(t, multiply(square(s), u));
    return select(x.high < -1000.0, u.like(0), times_power(t.high + t.low, r.n));
}

// As a pair.
template <class N> Pair<N> long_exp(const Pair<N>& x) {
    const Reduced<N> r = reduced(x);
    const Pair<N> s = r.rest, s4 = square(square(s));
    const N u = polynomial(s.high, {0.4166666666666669905e-1, 0.8333333333333347095e-2, 0.1388888888886763255e-2,
                                    0.1984126984148071858e-3, 0.2480158735605815065e-4, 0.2755731892386044373e-5,
                                    0.2755724800902135303e-6, 0.2505230023782644465e-7, 0.2092255183563157007e-8,
                                    0.1602472219709932072e-9});
    Pair<N> t = add_smaller(u.like(0.5), multiply(s, u.like(0.1666666666666666574e+0)));
    t = add_smaller(u.like(1), multiply(t, s));
    t = add_smaller(u.like(1), multiply(t, s));
    t = add_smaller(t, multiply(s4, u));
    const auto is_tiny = x.high < -1000.0;
    return {select(is_tiny, u.like(0), times_power(t.high, r.n)), select(is_tiny, u.like(0), times_power(t.low, r.n))};
}

// of y = |x|: where exp overflows, infinity; NaN for NaN, with the sign of x where it has one
template <class N> N sinh(const N& x) {
    const Pair<N> e = long_exp(single(abs(x))), d = subtract_smaller(e, inverse(e));
    const N y = sum_of(d) * 0.5;
    const auto is_over = (x.like(710) < abs(x)) | is_nan(y);
    return select(is_nan(x), x.like(not_a_number), times_sign(select(is_over, x.like(infinity), y), x));
}
template <class N> N cosh(const N& x) {
    const Pair<N> e = long_exp(single(abs(x))), d = add_smaller(e, inverse(e));
    const N y = sum_of(d) * 0.5;
    const auto is_over = (x.like(710) < abs(x)) | is_nan(y);
    return select(is_nan(x), x.like(not_a_number), select(is_over, x.like(infinity), y));
}
template <class N> N tanh(const N& x) {
    const Pair<N> e = long_exp(single(abs(x))), i = inverse(e);
    const N y = sum_of(divide(add(e, negative(i)), add(e, i)));
    const auto is_one = (x.like(18.714973875) < abs(x)) | is_nan(y);
    return select(is_nan(x), x.like(not_a_number), times_sign(select(is_one, x.like(1), y), x));
}

// ---- logarithms ----

// x = m 2^e, m in 0.75 .. 1.5
template <class N> struct Split {
    N scaled, m, e;
};
template <class N> Split<N> split(const N& x) {
    const auto is_small = x < std::numeric_limits<double>::min();
    const N d = select(is_small, x * 0x1p64, x), e = exponent(abs(d * (1.0 / 0.75)));
    return {d, without_exponent(d, e), select(is_small, e - 64.0, e)};
}
template <class N> N with_poles(const N& x, const N& log) {
    N r = select(x == infinity, x.like(infinity), log);
    r = select((x < 0.0) | is_nan(x), x.like(not_a_number), r);
    return select(x == 0.0, x.like(-infinity), r);
}

template <class N> N log(const N& x) {
    const Split<N> s = split(x);
    const Pair<N> r = divide(add(x.like(-1), s.m), add(x.like(1), s.m));
    const N r2 = r.high * r.high;
    const N t = polynomial(r2, {0.6666666666667333541e+0, 0.3999999999635251990e+0, 0.2857142932794299317e+0,
                                0.2222214519839380009e+0, 0.1818605932937785996e+0, 0.1525629051003428716e+0,
                                0.1532076988502701353e+0});
    Pair<N> sum = multiply(constant(x, 0.693147180559945286226764, 2.319046813846299558417771e-17), s.e);
    sum = add_smaller(sum, scaled(r, x.like(2)));
    sum = add_smaller(sum, r2 * r.high * t);
    return with_poles(s.scaled, sum_of(sum));
}
template <class N> N log10(const N& x) {
    const Split<N> s = split(x);
    const Pair<N> r = divide(add(x.like(-1), s.m), add(x.like(1), s.m));
    const N r2 = r.high * r.high;
    const N t = polynomial(r2, {0.2895296546021972617e+0, 0.1737177927454605086e+0, 0.1240841409721444993e+0,
                                0.9650955035715275132e-1, 0.7898105214313944078e-1, 0.6625722782820833712e-1,
                                0.6653725819576758460e-1});
    Pair<N> sum = multiply(constant(x, 0.30102999566398119802, -2.803728127785170339e-18), s.e);
    sum = add_smaller(sum, multiply(r, constant(x, 0.86858896380650363334, 1.1430059694096389311e-17)));
    sum = add_smaller(sum, r2 * r.high * t);
    return with_poles(s.scaled, sum_of(sum));
}

// As a pair, of x > 0.
template <class N> Pair<N> long_log(const N& x) {
    const Split<N> s = split(x);
    Pair<N> r = divide(add(x.like(-1), s.m), add(x.like(1), s.m));
    const Pair<N> r2 = square(r);
    const N t =
        polynomial(r2.high, {0.400000000000000077715612, 0.285714285714249172087875, 0.222222222230083560345903,
                             0.181818180850050775676507, 0.153846227114512262845736, 0.13332981086846273921509,
                             0.117754809412463995466069, 0.103239680901072952701192, 0.116255524079935043668677});
    Pair<N> sum = multiply(constant(x, 0.693147180559945286226764, 2.319046813846299558417771e-17), s.e);
    sum = add_smaller(sum, scaled(r, x.like(2)));
    r = multiply(r2, r);
    sum = add_smaller(sum, multiply(r, constant(x, 0.666666666666666629659233, 3.80554962542412056336616e-17)));
    r = multiply(r2, r);
    return add_smaller(sum, multiply(r, t));
}

// The exponent of x >= 0, also where that is below all of normal numbers.
template <class N> N whole_exponent(const N& x) {
    const auto is_small = x < 4.9090934652977266E-91; // 2^-300
    const N d = select(is_small, x * 2.037035976334486E90, x), e = exponent(d);
    return select(is_small, e - 300.0, e);
}

template <class N> Pair<N> long_log(const Pair<N>& x) {
    const N e = whole_exponent(x.high * (1.0 / 0.75));
    const Pair<N> m{times_power(x.high, -e), times_power(x.low, -e)};
    const Pair<N> r = divide(add(m, e.like(-1)), add(m, e.like(1))), r2 = square(r);
    N t = polynomial(r2.high, {0.400000000000914013309483, 0.285714285511134091777308, 0.22222224632662035403996,
                               0.181816523941564611721589, 0.153914168346271945653214, 0.131699838841615374240845,
                               0.13860436390467167910856});
    t = t * r2.high + 0.666666666666664853302393;
    Pair<N> sum = multiply(constant(e, 0.693147180559945286226764, 2.319046813846299558417771e-17), e);
    sum = add_smaller(sum, scaled(r, e.like(2)));
    return add_smaller(sum, multiply(multiply(r2, r), t));
}

constexpr double root_of_largest = 1.3407807929942596355e+154;

template <class N> N asinh(const N& x) {
    const N y = abs(x);
    const auto is_large = y.like(1) < y;
    Pair<N> d = choose(is_large, inverse(x), single(y));
    d = root(add(square(d), y.like(1)));
    d = choose(is_large, multiply(d, y), d);
    const N r = sum_of(long_log(normal(add(d, x))));
    const auto is_over = (y.like(root_of_largest) < y) | is_nan(r);
    const N z = select(is_nan(x), x.like(not_a_number), select(is_over, times_sign(y.like(infinity), x), r));
    return select((x == 0.0) & is_negative(x), x, z);
}
template <class N> N acosh(const N& x) {
    const Pair<N> roots = multiply(root(add(x, x.like(1))), root(add(x, x.like(-1))));
    const N r = sum_of(long_log(add(roots, x)));
    const auto is_over = (x.like(root_of_largest) < abs(x)) | is_nan(r);
    const N y = select(x == 1.0, x.like(0), select(is_over, x.like(infinity), r));
    return select((x < 1.0) | is_nan(x), x.like(not_a_number), y);
}
template <class N> N atanh(const N& x) {
    const N y = abs(x);
    const N r = sum_of(long_log(divide(add(y.like(1), y), add(y.like(1), -y)))) * 0.5;
    const N z = select(y == 1.0, x.like(infinity), r);
    return select((y.like(1) < y) | is_nan(x), x.like(not_a_number), times_sign(z, x));
}

// ---- powers and roots ----

template <class N> N pow(const N& x, const N& y) {
    const auto is_integer = cut(y) == y;
    const N half = y * 0.5;
    const auto is_odd = is_integer & !(cut(half) == half);
    const Pair<N> d = multiply(long_log(abs(x)), y);
    N r = select(x.like(largest_exponent) < d.high, x.like(infinity), exp_of_pair(d));
    const N of_negative = select(is_integer, select(is_odd, x.like(-1), x.like(1)), x.like(not_a_number));
    r = r * select(x.like(0) < x, x.like(1), of_negative);
    const N beyond = times_sign(abs(x) - 1.0, y);
    const N at_infinity = select(beyond < 0.0, x.like(0), select(beyond == 0.0, x.like(1), x.like(infinity)));
    r = select(is_infinite(y), at_infinity, r);
    const auto is_zero = x == 0.0;
    const N size = select(select(is_zero, -y, y) < 0.0, x.like(0), x.like(infinity));
    r = select(is_infinite(x) | is_zero, select(is_odd, times_sign(x.like(1), x), x.like(1)) * size, r);
    r = select(is_nan(x) | is_nan(y), x.like(not_a_number), r);
    return select((y == 0.0) | (x == 1.0), x.like(1), r);
}

template <class N> N cbrt(const N& x) {
    const N e = whole_exponent(abs(x)) + 1.0, scaled_x = times_power(x, -e);
    const N t = e + 6144.0, third = cut(t * (1.0 / 3.0)), rest = cut(t - third * 3.0);
    Pair<N> q = choose(rest == 1.0, constant(x, 1.2599210498948731907, -2.5899333753005069177e-17), constant(x, 1, 0));
    q = choose(rest == 2.0, constant(x, 1.5874010519681995834, -1.0869008194197822986e-16), q);
    q = {times_sign(q.high, scaled_x), times_sign(q.low, scaled_x)};
    const N d = abs(scaled_x);
    N r = d * -0.640245898480692909870982 + 2.96155103020039511818595;
    r = r * d + -5.73353060922947843636166;
    r = r * d + 6.03990368989458747961407;
    r = r * d + -3.85841935510444988821632;
    r = r * d + 2.2307275302496609725722;
    N p = r * r;
    p = p * p;
    r = r - (d * p - r) * (1.0 / 3.0);
    Pair<N> u = multiply(r, r);
    u = multiply(multiply(u, u), d);
    u = add(u, -r);
    const N miss = sum_of(u) * (-2.0 / 3.0) * r;
    const Pair<N> v = multiply(multiply(add(multiply(r, r), miss), d), q);
    N z = times_power(sum_of(v), third - 2048.0);
    z = select(d == infinity, times_sign(x.like(infinity), q.high), z);
    return select(d == 0.0, times_sign(x.like(0), q.high), z);
}

template <class N> N hypot(const N& a, const N& b) {
    const N x = abs(a), y = abs(b), least = select(x < y, x, y), most = select(y < x, x, y);
    const auto is_small = most < std::numeric_limits<double>::min();
    const N n = select(is_small, least * 0x1p54, least), d = select(is_small, most * 0x1p54, most);
    const Pair<N> t = divide(single(n), single(d));
    N r = sum_of(multiply(root(add(square(t), x.like(1))), most));
    r = select(is_nan(r), x.like(infinity), r);
    r = select(least == 0.0, most, r);
    r = select(is_nan(x) | is_nan(y), x.like(not_a_number), r);
    return select((x == infinity) | (y == infinity), x.like(infinity), r);
}

} // namespace vessiot::expr::elementary
