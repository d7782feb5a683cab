// tan, the inverse functions of angles, and erf; as elementary_kernel.hpp.
#pragma once

#include "expr/functions/device/elementary_kernel.hpp"

namespace vessiot::expr::elementary {

constexpr double pi_double = 3.141592653589793116, pi_rest = 1.2246467991473532072e-16;

template <class N> struct Quadrant {
    Pair<N> rest;
    N number;
};
// x - n pi/2 for |x| < 15,
template <class N> Quadrant<N> near_quadrant(const N& x) {
    const N n = nearest(x * 0.63661977236758134308);
    return {add_smaller(n * (-pi_double * 0.5) + x, n * (-pi_rest * 0.5)), n};
}
// and |x| < 1e14, where n = n_1 + n_2, n_1 a multiple of 2^24
template <class N> Quadrant<N> far_quadrant(const N& x) {
    constexpr double a = 3.1415926218032836914 * 0.5, b = 3.1786509424591713469e-08 * 0.5,
                     c = 1.2246467864107188502e-16 * 0.5, e = 1.2736634327021899816e-24 * 0.5;
    const N n_1 = cut(x * (0.63661977236758134308 / 0x1p24)) * 0x1p24;
    const Pair<N> turns = multiply(constant(x, 0.63661977236758138243, -3.9357353350364971764e-17), x);
    const N n_2 = cut(sum_of(add(turns, select(x < 0.0, x.like(-0.5), x.like(0.5)) - n_1)));
    Pair<N> r = add_smaller(n_1 * -a + x, n_2 * -a);
    r = add(r, n_1 * -b);
    r = add(r, n_2 * -b);
    r = add(r, n_1 * -c);
    r = add(r, n_2 * -c);
    return {add_smaller(r, (n_1 + n_2) * -e), n_2};
}

template <class N> N tan(const N& x) {
    const auto is_near = abs(x) < 15.0;
    const Quadrant<N> near = near_quadrant(x), far = far_quadrant(x);
    const N n = select(is_near, near.number, far.number), half = n * 0.5;
    const Pair<N> t = scaled(choose(is_near, near.rest, far.rest), x.like(0.5)), s = square(t);
    N u = polynomial(s.high, {0.1333333333330500581e+0, 0.5396825399517272970e-1, 0.2186948728185535498e-1,
                              0.8863268409563113126e-2, 0.3591611540792499519e-2, 0.1460781502402784494e-2,
                              0.5619219738114323735e-3, 0.3245098826639276316e-3});
    u = u * s.high + 0.3333333333333343695e+0;
    const Pair<N> of_half = add_smaller(t, multiply(multiply(s, t), u));
    const Pair<N> y = add_smaller(x.like(-1), square(of_half)), z = scaled(of_half, x.like(-2));
    const auto is_odd = !(down(half) == half);
    const N r = sum_of(divide(choose(is_odd, negative(y), z), choose(is_odd, z, y)));
    return select(x == 0.0, x, select(abs(x) < 1e14, r, x.like(not_a_number)));
}

// The angle of (x, y), y >= 0; x with the sign of its angle taken off.
template <class N> N angle(const N& y, const N& signed_x) {
    const N x = select(signed_x < 0.0, -signed_x, signed_x);
    const N first = select(is_negative(signed_x), x.like(-2), x.like(0));
    const auto is_steep = x < y;
    const N q = select(is_steep, first + 1.0, first);
    const Pair<N> s = divide(single(select(is_steep, -x, y)), single(select(is_steep, y, x)));
    const Pair<N> t = normal(square(s));
    N u = polynomial(t.high, {-0.0909090442773387574781907, 0.0769225330296203768654095, -0.0666620884778795497194182,
                              0.0587946590969581003860434, -0.0524914210588448421068719, 0.0470843011653283988193763,
                              -0.041848579703592507506027, 0.0359785005035104590853656, -0.0289002344784740315686289,
                              0.0208024799924145797902497, -0.0128281333663399031014274, 0.00646262899036991172313504,
                              -0.00251865614498713360352999, 0.00070557664296393412389774,
                              -0.000125620649967286867384336, 1.06298484191448746607415e-05});
    u = u * t.high + 0.111111108376896236538123;
    u = u * t.high + -0.142857142756268568062339;
    u = u * t.high + 0.199999999997977351284817;
    u = u * t.high + -0.333333333333317605173818;
    const Pair<N> r = add_smaller(s, multiply(multiply(s, t), u));
    const Pair<N> right = constant(x, 1.570796326794896557998982, 6.12323399573676603586882e-17);
    return sum_of(add_smaller(multiply(right, q), r));
}

template <class N> N atan(const N& x) {
    const N r = select(is_infinite(x), x.like(pi_double / 2), angle(abs(x), x.like(1)));
    return times_sign(r, x);
}

template <class N> N atan2(const N& a, const N& b) {
    const auto is_small = abs(b) < 5.5626846462680083984e-309;
    const N x = select(is_small, b * 0x1p53, b), y = select(is_small, a * 0x1p53, a);
    const auto part = [&](double of_pi) { // where x is infinite
        return select(is_infinite(x), times_sign(x.like(of_pi), x), x.like(0));
    };
    const N right = x.like(pi_double / 2);
    N r = times_sign(angle(abs(y), x), x);
    r = select(is_infinite(x) | (x == 0.0), right - part(pi_double / 2), r);
    r = select(is_infinite(y), right - part(pi_double / 4), r);
    r = select(y == 0.0, select(is_negative(x), x.like(pi_double), x.like(0)), r);
    return select(is_nan(x) | is_nan(y), x.like(not_a_number), times_sign(r, y));
}

// of |x| < 1/2, else of sqrt((1 - |x|)/2)
template <class N> struct ArcParts {
    Pair<N> x;
    N u;
};
template <class N, class C> ArcParts<N> arc_parts(const N& d, const C& is_small) {
    const N size = abs(d), x2 = select(is_small, d * d, (d.like(1) - size) * 0.5);
    Pair<N> x = choose(is_small, single(size), root(x2));
    x = choose(size == 1.0, constant(d, 0, 0), x);
    const N u = polynomial(x2, {0.1666666666666497543e+0, 0.7500000000378581611e-1, 0.4464285681377102438e-1,
                                0.3038195928038132237e-1, 0.2237176181932048341e-1, 0.1735956991223614604e-1,
                                0.1388715184501609218e-1, 0.1215360525577377331e-1, 0.6606077476277170610e-2,
                                0.1929045477267910674e-1, -0.1581918243329996643e-1, 0.3161587650653934628e-1});
    return {x, u * (x2 * x.high)};
}
template <class N> N asin(const N& d) {
    const auto is_small = abs(d) < 0.5;
    const ArcParts<N> p = arc_parts(d, is_small);
    const Pair<N> y = subtract_smaller(subtract_smaller(constant(d, pi_double / 4, pi_rest / 4), p.x), p.u);
    return times_sign(select(is_small, p.u + p.x.high, sum_of(y) * 2.0), d);
}
template <class N> N acos(const N& d) {
    const auto is_small = abs(d) < 0.5;
    const ArcParts<N> p = arc_parts(d, is_small);
    const Pair<N> part = add_smaller(times_sign(p.x.high, d), times_sign(p.u, d));
    Pair<N> y = subtract_smaller(constant(d, pi_double / 2, pi_rest / 2), part);
    y = choose(is_small, y, scaled(add_smaller(p.x, p.u), d.like(2)));
    y = choose((d < 0.0) & !is_small, subtract_smaller(constant(d, pi_double, pi_rest), y), y);
    return sum_of(y);
}

template <class N> N erf(const N& x) {
    const N a = abs(x);
    const auto is_first = a < 1.0, is_second = a < 3.7;
    const auto of = [&](double first, double second, double third) {
        return select(is_first, a.like(first), select(is_second, a.like(second), a.like(third)));
    };
    static constexpr double c[][3] = {
        {-0.2161766247570056391e-18, -0.1509491946179481940e-11, +0.6076691048812607898e-15},
        {+0.4695919173301598752e-17, +0.3827857177807173152e-10, -0.3007518609604893831e-13},
        {-0.9049140419888010819e-16, -0.6139733921558987241e-09, +0.9427906260824646063e-12},
        {+0.1634018903557411517e-14, +0.6985387934608038824e-08, -0.2100110908269393629e-10},
        {-0.2783485786333455216e-13, -0.5988224513034371474e-07, +0.3534639523461223473e-09},
        {+0.4463221276786412722e-12, +0.4005716952355346640e-06, -0.4664967728285395926e-08},
        {-0.6711366622850138987e-11, -0.2132190104575784400e-05, +0.4943823283769000532e-07},
        {+0.9422759050232658346e-10, +0.9092461304042630325e-05, -0.4271203394761148254e-06},
        {-0.1229055530100228477e-08, -0.3079188080966205457e-04, +0.3034067677404915895e-05},
        {+0.1480719281585085023e-07, +0.7971413443082370762e-04, -0.1776295289066871135e-04},
        {-0.1636584469123402714e-06, -0.1387853215225442864e-03, +0.8524547630559505050e-04},
        {+0.1646211436588923363e-05, +0.6469678026257590965e-04, -0.3290582944961784398e-03},
        {-0.1492565035840624866e-04, +0.4996645280372945860e-03, +0.9696966068789101157e-03},
        {+0.1205533298178966496e-03, -0.1622802482842520535e-02, -0.1812527628046986137e-02},
        {-0.8548327023450851166e-03, +0.1615320557049377171e-03, -0.4725409828123619017e-03},
        {+0.5223977625442188799e-02, +0.1915262325574875607e-01, +0.2090315427924229266e-01},
        {-0.2686617064513125569e-01, -0.1027818298486033455e+00, -0.1052041921842776645e+00},
        {+0.1128379167095512753e+00, -0.6366172819842503827e+00, -0.6345351808766568347e+00},
        {-0.3761263890318375380e+00, -0.1128379590648910469e+01, -0.1129442929103524396e+01}};
    const N u = select(is_first, a * a, a);
    N t = of(+0.6801072401395392157e-20, +0.2830954522087717660e-13, -0.5846750404269610493e-17);
    for (const auto& row : c) t = t * u + of(row[0], row[1], row[2]);
    Pair<N> d = add(multiply(t, u),
                    Pair<N>{of(1.1283791670955125586, 3.4110644736196137587e-08, 0.00024963035690526438285),
                            of(1.5335459613165822674e-17, -2.4875650708323294246e-24, -5.4362665034856259795e-21)});
    d = choose(is_first, multiply(d, a), add_smaller(a.like(1), negative(long_exp(d))));
    const N r = times_sign(select(a < 6.0, sum_of(d), a.like(1)), x);
    return select(is_nan(a), a.like(not_a_number), r);
}

} // namespace vessiot::expr::elementary
