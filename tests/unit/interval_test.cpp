// Intervals contain what they are made for.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "expr/functions/vmath.hpp"
#include "expr/range/interval.hpp"

namespace vessiot::expr::interval_test {
namespace {

// Every operation on random intervals, at random points of them.
TEST(Interval, ContainsEveryValue) {
    std::mt19937_64 random(7);
    const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
    for (int k = static_cast<int>(Op::add); k < n_ops; ++k) {
        const Op op = static_cast<Op>(k);
        int n_bounded = 0;
        for (int trial = 0; trial < 2000; ++trial) {
            const double size = std::pow(10, uniform(-8, 1.5));
            const auto any = [&] {
                const double a = uniform(-3, 3);
                return Interval{a, a + size * uniform(0, 1)};
            };
            const Interval a = any(), b = any(), c = any(), y = apply(op, a, b, c);
            n_bounded += std::isfinite(y.lo) && std::isfinite(y.hi);
            for (int point = 0; point < 8; ++point) {
                const double value = apply<double>(op, uniform(a.lo, a.hi), uniform(b.lo, b.hi), uniform(c.lo, c.hi));
                if (std::isnan(value)) continue; // outside of its domain
                ASSERT_TRUE(y.contains(value)) << name(op) << " of " << a.lo << " .. " << a.hi << ", " << b.lo << " .. "
                                               << b.hi << " is " << value << ", not in " << y.lo << " .. " << y.hi;
            }
        }
        EXPECT_GT(n_bounded, 20) << name(op) << " says nothing";
    }
}

TEST(Interval, IsNarrowForNarrowOperands) {
    const Interval x{1, 1 + 1e-9};
    for (const Op op : {Op::sin, Op::cos, Op::exp, Op::log, Op::sqrt, Op::tanh, Op::erf, Op::atan}) {
        const Interval y = apply(op, x);
        EXPECT_LT(y.hi - y.lo, 5e-9) << name(op);
    }
    EXPECT_EQ(apply(Op::select, Interval{1, 1}, Interval{2, 3}, Interval{7, 8}).hi, 3);
    EXPECT_EQ(apply(Op::less, Interval{0, 1}, Interval{2, 3}).lo, 1);
}

} // namespace
} // namespace vessiot::expr::interval_test
