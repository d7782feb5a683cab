// One set of elementary functions: the same bits for every vector width and every neighbour, accurate to the last
// place.
#include "expr/functions/vmath.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/functions/trig.hpp"
#include "support/random_kernel.hpp"

// SLEEF's portable versions, which other machines use.
extern "C" {
#define VESSIOT_UNARY(X)                                                                                               \
    X(tan)                                                                                                             \
    X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(exp) X(log) X(log10) X(cbrt) X(erf)
#define X(F) double Sleef_cinz_##F##d1_u10purec(double);
VESSIOT_UNARY(X)
#undef X
double Sleef_cinz_atan2d1_u10purec(double, double);
double Sleef_cinz_hypotd1_u05purec(double, double);
double Sleef_cinz_powd1_u10purec(double, double);
}

namespace vessiot::test {
namespace {

using namespace expr;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<Op> elementary_operations() {
    std::vector<Op> ops;
    for (int op = 0; op < n_ops; ++op)
        if (is_elementary(static_cast<Op>(op))) ops.push_back(static_cast<Op>(op));
    return ops;
}

std::vector<double> special_values() {
    std::vector<double> values{nan};
    for (const double x : {0.0,
                           5e-324,
                           2e-310,
                           2.2250738585072014e-308,
                           1e-300,
                           1e-20,
                           0.5,
                           1 - 1e-16,
                           1.0,
                           1 + 3e-16,
                           1.5,
                           2.0,
                           2.5,
                           3.0,
                           15.0,
                           39.0,
                           709.78,
                           709.79,
                           745.1,
                           745.2,
                           1.5707963267948966,
                           3.141592653589793,
                           1e5,
                           1e15,
                           4503599627370497.0,
                           9007199254740993.0,
                           1e22,
                           1e100,
                           1e300,
                           1.7976931348623157e308,
                           inf}) {
        values.push_back(x);
        values.push_back(-x);
    }
    return values;
}

double uniform(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

// All magnitudes side by side, so that vectors hold neighbours that need different treatment.
std::vector<double> mixed_values(Random& random, std::size_t n) {
    std::vector<double> values = special_values();
    while (values.size() < n) {
        values.push_back(std::bit_cast<double>(random()));
        values.push_back(uniform(random, -1, 1));
        values.push_back(uniform(random, -20, 20));
        values.push_back(uniform(random, -800, 800));
        values.push_back(std::exp(uniform(random, -40, 40)));
        values.push_back(std::floor(uniform(random, -50, 50)));
    }
    return values;
}

// --- every width through the addresses that native code calls ---

double call1(Op op, double a, double b) {
    double result = 0;
    apply_vector(op, 1, &a, &b, &result);
    return result;
}

std::vector<std::size_t> widths() {
    const vessiot_jit_function& sin = vmath_functions()[static_cast<int>(Op::sin)];
    std::vector<std::size_t> result;
    if (sin.width2) result.push_back(2);
    if (sin.width4) result.push_back(4);
    if (sin.width8) result.push_back(8);
    return result;
}

void compare_widths(Op op, std::vector<double> a, std::vector<double> b) {
    a.resize(a.size() / 8 * 8);
    b.resize(a.size());
    std::vector<double> expected(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) expected[i] = call1(op, a[i], b[i]);
    const auto fail = [&](const std::string& what, std::size_t i, double value) {
        return fmt::format("{}: {}({}, {}) = {}, one by one {}", what, name(op), a[i], b[i], value, expected[i]);
    };
    for (const std::size_t width : widths()) {
        std::vector<double> out(a.size());
        for (std::size_t i = 0; i < a.size(); i += width) apply_vector(op, width, &a[i], &b[i], &out[i]);
        for (std::size_t i = 0; i < a.size(); ++i)
            ASSERT_TRUE(is_same(out[i], expected[i])) << fail(fmt::format("width {}", width), i, out[i]);
    }
    std::vector<double> out(a.size());
    apply_block(op, a.data(), b.data(), out.data(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_TRUE(is_same(out[i], expected[i])) << fail("block", i, out[i]);
        ASSERT_TRUE(is_same(apply<double>(op, a[i], b[i]), expected[i]));
    }
}

TEST(VectorMath, AllWidthsGiveTheSameBits) {
    Random random(1);
    for (const Op op : elementary_operations()) {
        const std::vector<double> a = mixed_values(random, 60'000);
        std::vector<double> b = mixed_values(random, 60'000);
        std::shuffle(b.begin(), b.end(), random);
        compare_widths(op, a, b);
        // of one magnitude, so that whole vectors take the short way
        for (const double scale : {0.9, 10.0, 1e4, 1e9}) {
            std::vector<double> x, y;
            for (int i = 0; i < 8000; ++i) {
                x.push_back(uniform(random, -scale, scale));
                y.push_back(uniform(random, -scale, scale));
            }
            compare_widths(op, x, y);
        }
    }
}

double portable(Op op, double a, double b) {
    switch (op) {
    case Op::sin: return trig::sine(a);
    case Op::cos: return trig::cosine(a);
#define X(F)                                                                                                           \
    case Op::F: return Sleef_cinz_##F##d1_u10purec(a);
        VESSIOT_UNARY(X)
#undef X
    case Op::atan2: return Sleef_cinz_atan2d1_u10purec(a, b);
    case Op::hypot: return Sleef_cinz_hypotd1_u05purec(a, b);
    default: return Sleef_cinz_powd1_u10purec(a, b);
    }
}

TEST(VectorMath, OtherMachinesGiveTheSameBits) {
    Random random(4);
    for (const Op op : elementary_operations()) {
        const std::vector<double> a = mixed_values(random, 60'000);
        std::vector<double> b = mixed_values(random, 60'000);
        std::shuffle(b.begin(), b.end(), random);
        for (std::size_t i = 0; i < a.size(); ++i)
            ASSERT_TRUE(is_same(portable(op, a[i], b[i]), call1(op, a[i], b[i])))
                << name(op) << "(" << a[i] << ", " << b[i] << ")";
    }
}

TEST(VectorMath, AllPairsOfSpecialValues) {
    std::vector<double> a, b;
    for (const double x : special_values())
        for (const double y : special_values()) {
            a.push_back(x);
            b.push_back(y);
        }
    for (const Op op : {Op::atan2, Op::hypot, Op::pow}) compare_widths(op, a, b);
}

TEST(VectorMath, BlocksOfEveryLengthStayInBounds) {
    Random random(2);
    for (const Op op : elementary_operations())
        for (std::size_t n = 0; n < 35; ++n) {
            // NOTE: exact sizes, so that the address sanitizer sees a read too far.
            std::vector<double> a(n), b(n), out(n + 1, 42.0);
            for (auto& x : a) x = uniform(random, 0, 1);
            for (auto& x : b) x = uniform(random, 0, 1);
            apply_block(op, a.data(), arity(op) == 1 ? nullptr : b.data(), out.data(), n);
            for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(is_same(out[i], call1(op, a[i], b[i])));
            ASSERT_EQ(out[n], 42.0);
            apply_block(op, a.data(), arity(op) == 1 ? nullptr : b.data(), a.data(), n); // in place
            for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(is_same(out[i], a[i]));
        }
}

TEST(VectorMath, SpecialValues) {
    const auto f = [](Op op, double a, double b = 0) { return apply<double>(op, a, b); };
    EXPECT_TRUE(std::isnan(f(Op::log, -1)));
    EXPECT_EQ(f(Op::log, 0), -inf);
    EXPECT_TRUE(std::isnan(f(Op::asin, 2)));
    EXPECT_TRUE(std::isnan(f(Op::acosh, 0.5)));
    EXPECT_EQ(f(Op::atanh, 1), inf);
    EXPECT_EQ(f(Op::exp, -inf), 0);
    EXPECT_EQ(f(Op::exp, 1000), inf);
    EXPECT_EQ(f(Op::exp, 0), 1);
    EXPECT_EQ(f(Op::cos, 0), 1);
    EXPECT_TRUE(is_same(f(Op::sin, -0.0), -0.0));
    EXPECT_TRUE(std::isnan(f(Op::sin, inf)));
    EXPECT_EQ(f(Op::pow, nan, 0), 1);
    EXPECT_EQ(f(Op::pow, 1, nan), 1);
    EXPECT_EQ(f(Op::pow, -2, 3), -8);
    EXPECT_EQ(f(Op::pow, 0, -1), inf);
    EXPECT_TRUE(std::isnan(f(Op::pow, -2, 0.5)));
    EXPECT_EQ(f(Op::hypot, inf, nan), inf);
    EXPECT_DOUBLE_EQ(f(Op::hypot, 3e200, 4e200), 5e200);
    EXPECT_EQ(f(Op::atan2, 0, -1), std::atan2(0.0, -1.0));
}

TEST(VectorMath, ArithmeticIsAsStated) {
    const auto f = [](Op op, double a, double b = 0, double c = 0) { return apply<double>(op, a, b, c); };
    EXPECT_EQ(f(Op::min, nan, 1), 1);
    EXPECT_TRUE(std::isnan(f(Op::min, 1, nan)));
    EXPECT_TRUE(is_same(f(Op::max, 0.0, -0.0), -0.0)); // not greater: the second one
    EXPECT_EQ(f(Op::sign, nan), 0);
    EXPECT_EQ(f(Op::sign, -3), -1);
    EXPECT_EQ(f(Op::less, nan, 1), 0);
    EXPECT_EQ(f(Op::equal, nan, nan), 0);
    EXPECT_EQ(f(Op::not_equal, nan, nan), 1);
    EXPECT_EQ(f(Op::logical_and, nan, 2), 1);
    EXPECT_EQ(f(Op::logical_or, 0, -0.0), 0);
    EXPECT_EQ(f(Op::logical_not, nan), 0);
    EXPECT_EQ(f(Op::select, nan, 1, 2), 1);
    EXPECT_EQ(f(Op::select, 0, 1, 2), 2);
    EXPECT_EQ(f(Op::floor, -0.5), -1);
    EXPECT_EQ(static_cast<double>(apply<Quad>(Op::ceil, Quad(0.5))), 1);
    EXPECT_EQ(static_cast<double>(apply<Quad>(Op::select, Quad(0), Quad(1), Quad(2))), 2);
}

// --- accuracy, against 113 bits ---

struct Domain {
    Op op;
    double low, high; // of the first operand
    double second_low = 0, second_high = 0;
};

double ulp(double x) {
    const double a = std::fabs(x);
    return std::max(std::nextafter(a, inf) - a, std::numeric_limits<double>::denorm_min());
}

TEST(VectorMath, ErrorIsAtMostOneUlp) {
    const Domain domains[] = {
        {Op::sin, -100, 100},
        {Op::sin, -1e14, 1e14},
        {Op::cos, -100, 100},
        {Op::cos, -1e14, 1e14},
        {Op::tan, -100, 100},
        {Op::asin, -1, 1},
        {Op::acos, -1, 1},
        {Op::atan, -50, 50},
        {Op::sinh, -700, 700},
        {Op::sinh, -2, 2},
        {Op::cosh, -700, 700},
        {Op::tanh, -5, 5},
        {Op::asinh, -50, 50},
        {Op::acosh, 1, 50},
        {Op::atanh, -1, 1},
        {Op::exp, -700, 700},
        {Op::exp, -1, 1},
        {Op::log, 0, 10},
        {Op::log, 0.9, 1.1},
        {Op::log10, 0, 1000},
        {Op::cbrt, -1000, 1000},
        {Op::erf, -4, 4},
        {Op::atan2, -5, 5, -5, 5},
        {Op::hypot, -5, 5, -5, 5},
        {Op::hypot, -1e200, 1e200, -1e200, 1e200},
        {Op::pow, 0, 20, -20, 20},
        {Op::pow, 0.9, 1.1, -900, 900},
    };
    Random random(3);
    for (const Domain& d : domains) {
        double worst = 0;
        for (int i = 0; i < 10'000; ++i) {
            const double a = uniform(random, d.low, d.high), b = uniform(random, d.second_low, d.second_high);
            const Quad exact = apply<Quad>(d.op, Quad(a), Quad(b));
            const Quad error = Quad(apply<double>(d.op, a, b)) - exact;
            worst = std::max(worst, std::fabs(static_cast<double>(error)) / ulp(static_cast<double>(exact)));
        }
        EXPECT_LE(worst, 1.01) << name(d.op) << " on " << d.low << " .. " << d.high;
    }
}

// Near multiples of pi/2, where most digits cancel, and up to where another algorithm takes over; sin^2 + cos^2 = 1
// holds across that place as well.
TEST(VectorMath, SineAndCosineLoseNoDigits) {
    Random random(5);
    for (const Op op : {Op::sin, Op::cos}) {
        double worst = 0;
        const auto look = [&](double x) {
            const Quad exact = apply<Quad>(op, Quad(x));
            const Quad error = Quad(apply<double>(op, x)) - exact;
            worst = std::max(worst, std::fabs(static_cast<double>(error)) / ulp(static_cast<double>(exact)));
        };
        for (int i = 0; i < 20'000; ++i) {
            const double n = std::floor(uniform(random, -667'544, 667'544));
            double x = n * 1.5707963267948966;
            for (int k = 0; k < 3; ++k, x = std::nextafter(x, inf)) look(x);
            look(uniform(random, -1, 1));
            look(uniform(random, -0x1p20, 0x1p20));
            look(std::exp(uniform(random, -30, 13)));
        }
        EXPECT_LE(worst, 0.8) << name(op);
    }
    for (const double x : {0x1p20, std::nextafter(0x1p20, 0), -0x1p20, 5e-324, 1e-300}) {
        const double s = apply<double>(Op::sin, x), c = apply<double>(Op::cos, x);
        EXPECT_NEAR(s * s + c * c, 1, 4e-16) << x;
    }
}

TEST(VectorMath, QuadBlocks) {
    const Quad a[] = {Quad(1) / 3, Quad(1) / 7}, b[] = {Quad(2), Quad(3)};
    Quad out[2];
    apply_block(Op::exp, a, nullptr, out, 2);
    EXPECT_LT(std::fabs(static_cast<double>(apply<Quad>(Op::log, out[1]) - a[1])), 1e-33);
    apply_block(Op::pow, a, b, out, 2);
    EXPECT_LT(std::fabs(static_cast<double>(out[1] - a[1] * a[1] * a[1])), 1e-36);
}

TEST(VectorMath, OnlyElementaryFunctionsHaveAddresses) {
    ASSERT_EQ(vmath_functions().size(), static_cast<std::size_t>(n_all_ops));
    for (int op = 0; op < n_all_ops; ++op)
        EXPECT_EQ(vmath_functions()[op].width1 != nullptr, is_elementary(static_cast<Op>(op)));
}

TEST(Op, NamesAreWordsOfTheLanguage) {
    EXPECT_EQ(name(Op::add), "+");
    EXPECT_EQ(name(Op::select), "if");
    EXPECT_EQ(name(Op::logical_and), "and");
    EXPECT_EQ(name(Op::pow), "^");
    for (int op = 0; op < n_ops; ++op) EXPECT_NE(name(static_cast<Op>(op)), "?");
}

} // namespace
} // namespace vessiot::test
