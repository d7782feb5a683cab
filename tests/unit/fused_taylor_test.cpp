// Taylor steps by two lists of operations: the recurrence of every operation written out against the series of
// taylor.hpp in quadruple precision, the same bits in every tier, and what the lists leave to the parts of the method.
#include "method/taylor/fused_taylor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "expr/kernel/evaluator.hpp"
#include "expr/series/straight_series.hpp"
#include "expr/series/taylor.hpp"
#include "method/parts.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

using expr::Op;
using expr::StraightBuilder;

constexpr int order = 11;

// Series of three operands, inside the domains of all functions.
double operand(Op op, std::uint32_t o, int k) {
    static const double all[3][6] = {
        {0.4, 0.7, -0.3, 0.2, 0.5, -0.6}, {0.9, -0.4, 0.6, 0.1, -0.2, 0.3}, {-0.3, 0.8, 0.2, -0.7, 0.4, 0.1}};
    return k > 5 ? 0 : all[o][k] + (op == Op::acosh && o == 0 && k == 0 ? 1 : 0);
}

// out = op(a, b, c) + op(a, b, c)^2, so that the result is an operand as well
std::shared_ptr<const expr::Kernel> formula_of(Op op) {
    StraightBuilder b;
    StraightBuilder::Value x[3] = {};
    for (const char* name : {"a", "b", "c"}) b.input(name, 1);
    const auto out = b.output("out", 1);
    for (std::uint32_t o = 0; o < 3; ++o) x[o] = b.read(o, 0);
    const auto v = b.exactly(op, x[0], arity(op) > 1 ? x[1] : 0, arity(op) > 2 ? x[2] : 0);
    b.store(out, 0, b.add(v, b.exactly(Op::mul, v, v)));
    return b.kernel();
}

// Coefficients 0 .. order by the list.
std::vector<double> written_out(Op op, expr::StraightSeries& series, const std::vector<char>& is_flat) {
    StraightBuilder b;
    for (const char* name : {"a", "b", "c"}) b.input(name, 6);
    const auto out = b.output("out", order + 1);
    const auto read = [&](std::uint32_t buffer, std::int64_t, int k) -> std::optional<StraightBuilder::Value> {
        return k > 5 ? std::nullopt : std::optional(b.read(buffer, k));
    };
    for (int k = 0; k <= order; ++k) {
        series.extend(b, read, k);
        b.store(out, k, series.output(0, k).value_or(b.constant(0)));
    }
    std::vector<double> in(18), result(order + 1);
    for (std::uint32_t o = 0; o < 3; ++o)
        for (int k = 0; k < 6; ++k)
            in[6 * o + static_cast<std::size_t>(k)] = is_flat[o] && k > 0 ? 0 : operand(op, o, k);
    const double* inputs[] = {in.data(), in.data() + 6, in.data() + 12};
    double* outputs[] = {result.data()};
    expr::Evaluator f(b.kernel(), {.backend = expr::Backend::interpreter});
    f(inputs, outputs);
    return result;
}

TEST(StraightSeries, HasTheCoefficientsOfEveryOperation) {
    for (int o = static_cast<int>(Op::add); o < expr::n_ops; ++o) {
        const auto op = static_cast<Op>(o);
        for (const std::vector<char>& is_flat : {std::vector<char>{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 1}}) {
            const auto kernel = formula_of(op);
            expr::StraightSeries series(kernel, is_flat);
            if (!series.can_be_written()) {
                EXPECT_TRUE(op == Op::abs || op == Op::min || op == Op::max) << name(op);
                continue;
            }
            expr::Taylor<Quad> exact(expr::plan_taylor(kernel, is_flat, {}), order);
            Quad flat[3];
            for (std::uint32_t b = 0; b < 3; ++b) {
                flat[b] = operand(op, b, 0);
                if (is_flat[b]) exact.bind(b, &flat[b]);
                for (int k = 0; !is_flat[b] && k <= 5; ++k) exact.coefficient(b, k)[0] = operand(op, b, k);
            }
            const std::vector<double> c = written_out(op, series, is_flat);
            for (int k = 0; k <= order; ++k) {
                exact.evaluate(k);
                const auto value = static_cast<double>(exact.coefficient(3, k)[0]);
                // round-off grows with the terms of the sums, whose sizes grow as the coefficients do
                EXPECT_NEAR(c[static_cast<std::size_t>(k)], value, 1e-13 * (1 + k * k) * (1 + std::fabs(value)))
                    << name(op) << " " << k << " flat " << int(is_flat[0]) << int(is_flat[1]);
            }
        }
    }
}

struct Case {
    std::string model;
    double to;
};

const std::vector<Case> cases{{"pendulum", 10},       {"kepler", 20},    {"henon_heiles", 50},
                              {"double_pendulum", 5}, {"euler_top", 20}, {"arenstorf", 10},
                              {"lotka_volterra", 5},  {"rigid_body", 5}, {"spherical_pendulum", 5}};

TEST(FusedTaylor, HasTheSameBitsInEveryTier) {
    for (const Case& c : cases)
        for (const double tolerance : {1e-6, 1e-12}) {
            const Model model = Model::load(VESSIOT_SOURCE_DIR "/gallery/" + c.model + ".ves");
            SolveOptions options{.method = "taylor", .rtol = tolerance, .atol = tolerance / 10, .to = c.to};
            options.backend = "interpreter";
            const Solution a = solve(model, options);
            options.backend = "jit";
            const Solution b = solve(model, options);
            EXPECT_EQ(a.t, b.t) << c.model << " " << tolerance;
            EXPECT_EQ(a.numbers, b.numbers) << c.model << " " << tolerance;
            EXPECT_EQ(a.stats.rejected, b.stats.rejected) << c.model;
        }
}

TEST(FusedTaylor, IsTheSameOneByOneAndInStretches) {
    for (const Case& c : cases) {
        const Problem problem(Model::load(VESSIOT_SOURCE_DIR "/gallery/" + c.model + ".ves"),
                              {.method = "taylor", .rtol = 1e-9, .atol = 1e-11, .to = c.to});
        const Solution whole = problem.solve();
        Integrator steps = problem.begin();
        while (steps.step()) {
        }
        const Solution one_by_one = steps.solution();
        EXPECT_EQ(whole.t, one_by_one.t) << c.model;
        EXPECT_EQ(whole.numbers, one_by_one.numbers) << c.model;
        for (const StatsCount& count : stats_counts)
            EXPECT_EQ(whole.stats.*count.at, one_by_one.stats.*count.at) << c.model << " " << count.name;
    }
}

// Where one correction is not enough, a power is taken at 0, or a kink is near.
TEST(FusedTaylor, LeavesTheRestToTheParts) {
    const auto end = [](const std::string& text, double tolerance) {
        const Solution s =
            solve(Model::parse(text), {.method = "taylor", .rtol = tolerance, .atol = tolerance, .at = {2.0}});
        EXPECT_EQ(s.status, Status::success) << s.message;
        return s.column("y")[0];
    };
    // t^3 by the recurrence of powers divides by 0 at 0
    EXPECT_NEAR(end("unknown y\ny' = t^3\nstart y = 0\nsolve t = 0 .. 2\n", 1e-10), 4, 1e-9);
    EXPECT_NEAR(end("parameter p = 3\nunknown y\ny' = t^p\nstart y = 0\nsolve t = 0 .. 2\n", 1e-10), 4, 1e-9);
    EXPECT_NEAR(end("unknown y\ny' = abs(t - 1)\nstart y = 0\nsolve t = 0 .. 2\n", 1e-10), 1, 1e-9);
    EXPECT_NEAR(end("unknown y\ny' = if(t > 1, 2, 1)\nstart y = 0\nsolve t = 0 .. 2\n", 1e-10), 3, 1e-9);
    const std::string circle = "unknown x, y\nx' = -y\ny' = x\ninvariant x^2 + y^2\n"
                               "start x = 1, y = 0\nsolve t = 0 .. 2\n";
    for (const double tolerance : {1e-2, 1e-4, 1e-8}) EXPECT_NEAR(end(circle, tolerance), std::sin(2), 3 * tolerance);
}

// Two orders: one for rtol, one for atol, as the point is large or small.
TEST(FusedTaylor, ChangesItsOrderOnTheWay) {
    const Model model = Model::parse("unknown y\ny' = -y\nstart y = 1\nsolve t = 0 .. 20\n");
    for (const std::string backend : {"interpreter", "jit"}) {
        const Solution s =
            solve(model, {.method = "taylor", .rtol = 1e-12, .atol = 1e-6, .at = {2.0, 20.0}, .backend = backend});
        EXPECT_NEAR(s.column("y")[0], std::exp(-2.0), 1e-5);
        EXPECT_NEAR(s.column("y")[1], 0, 1e-5);
    }
}

// The kernels serve small systems with formulas; others are left to the parts.
TEST(FusedTaylor, IsThereForSmallSystems) {
    const auto has_kernels = [](const std::string& name, int p) {
        SolveOptions options;
        options.backend = "interpreter";
        options.parametrisation = "time";
        auto analysis = std::make_shared<Analysis>(test::gallery_system(name, {}), settled(options));
        Compiled<double> problem(analysis, settled(options));
        Parts<double> parts{problem.system(),   problem.prolongation(), problem.jets(),
                            problem.manifold(), problem.distribution(), problem.evaluator()};
        const auto kernels = method::FusedTaylor::make(parts, nullptr, 1e-8, 1e-8, 64);
        if (!kernels) return false;
        const std::vector<double> x(64, 0.3);
        std::vector<double> coefficients(64 * 31);
        return kernels->series(p, 0, x.data(), 1, coefficients.data());
    };
    EXPECT_TRUE(has_kernels("kepler", 15));
    EXPECT_TRUE(has_kernels("henon_heiles", 20));
    EXPECT_TRUE(has_kernels("euler_top", 15));
    EXPECT_FALSE(has_kernels("andrews", 15));
}

} // namespace
} // namespace vessiot
