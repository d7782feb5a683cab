// Ranges of operations contain what the operations give along a curve, and their derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "expr/functions/vmath.hpp"
#include "expr/interpreter/arithmetic.hpp"
#include "expr/range/range.hpp"
#include "expr/range/range_program.hpp"

namespace vessiot::expr::range_test {
namespace {

double value_of(Op op, double a, double b, double c) {
    double result = 0;
    if (is_elementary(op)) {
        apply_block(op, &a, &b, &result, 1);
        return result;
    }
    arithmetic::dispatch(op, [&](auto f) {
        if constexpr (requires { f(a); })
            result = f(a);
        else if constexpr (requires { f(a, b); })
            result = f(a, b);
        else
            result = f(a, b, c);
    });
    return result;
}

// A straight way from one point to another, in s = 0 .. 1.
struct Way {
    double from, to;
    double at(double s) const { return from + (to - from) * s; }
    Range range() const { return {{std::min(from, to), std::max(from, to)}, {to - from, to - from}}; }
};

TEST(Range, ContainsValuesAndDerivatives) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> centre(-4, 4), width(-1, 1);
    for (int k = static_cast<int>(Op::add); k < n_ops; ++k) {
        const auto op = static_cast<Op>(k);
        for (int trial = 0; trial < 300; ++trial) {
            Way way[3];
            for (Way& w : way) {
                const double m = centre(random), r = std::pow(10, 2 * width(random) - 1) * width(random);
                w = {m - r, m + r};
            }
            if (trial % 3 == 0) way[1].to = way[1].from = std::floor(way[1].from); // a power, say
            const Range range = apply(op, way[0].range(), way[1].range(), way[2].range());
            const auto at = [&](double s) { return value_of(op, way[0].at(s), way[1].at(s), way[2].at(s)); };
            for (int n = 0; n <= 20; ++n) {
                const double s = n / 20.0, x = at(s), d = 1e-6;
                if (!std::isfinite(x)) continue;
                const double room = 1e-12 * (1 + std::abs(x));
                ASSERT_GE(x, range.value.lo - room) << name(op) << " " << trial;
                ASSERT_LE(x, range.value.hi + room) << name(op) << " " << trial;
                if (n == 0 || n == 20) continue;
                const double slope = (at(s + d) - at(s - d)) / (2 * d);
                const double slope_room = 1e-4 * (1 + std::abs(slope)) + 1e-7 * std::abs(x);
                if (!std::isfinite(slope)) continue;
                ASSERT_GE(slope, range.slope.lo - slope_room) << name(op) << " " << trial << " at " << s;
                ASSERT_LE(slope, range.slope.hi + slope_room) << name(op) << " " << trial << " at " << s;
            }
        }
    }
}

TEST(Range, IsNarrowWhereThePieceIsShort) {
    const Way way{1.0, 1.0 + 1e-6};
    for (const Op op : {Op::sin, Op::cos, Op::tan, Op::exp, Op::log, Op::sqrt, Op::atan, Op::cbrt, Op::erf, Op::tanh}) {
        const Range r = apply(op, way.range(), {}, {});
        EXPECT_LT(r.value.hi - r.value.lo, 1e-5) << name(op);
        EXPECT_LT(r.slope.hi - r.slope.lo, 1e-10) << name(op);
    }
}

TEST(RangeProgram, IsTheExpressionOfTheGraph) {
    Graph g;
    const ArrayId t = g.add_array({.name = "t", .role = ArrayRole::independent});
    const ArrayId x = g.add_array({.name = "x", .role = ArrayRole::unknown, .lo = {1}, .extent = {3}});
    IndexSpace& index = g.index();
    const auto element = [&](std::int64_t k) { return g.read(x, index.list({index.constant(k)})); };
    const NodeId value = g.add(g.mul(element(2), g.apply(Op::sin, g.read(t))), g.pow(element(3), g.integer(2)));
    auto program = RangeProgram::make(g, {{"t", {t}}, {"x", {x}}}, value);
    ASSERT_TRUE(program);
    std::vector<Range> reads;
    for (const RangeProgram::Read& r : program->reads()) {
        const double at = r.buffer == 0 ? 0.5 : r.index == 1 ? 2.0 : 3.0;
        reads.push_back({{at, at + 0.01}, {1, 1}});
    }
    const Range r = (*program)(reads.data());
    const double exact = 2 * std::sin(0.5) + 9;
    EXPECT_LE(r.value.lo, exact);
    EXPECT_LT(r.value.hi, exact + 0.12);
    const double slope = std::sin(0.5) + 2 * std::cos(0.5) + 6;
    EXPECT_NEAR(r.slope.lo, slope, 0.1);
    EXPECT_NEAR(r.slope.hi, slope, 0.1);
}

} // namespace
} // namespace vessiot::expr::range_test
