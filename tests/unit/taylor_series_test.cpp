// Power series through kernels: the recurrence of every operation, families, sums and tables, against values at points
// of the curve in quadruple precision. A coefficient that is wrong, of any order, shows in how fast the remainder
// falls.
#include "expr/series/taylor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "expr/functions/vmath.hpp"
#include "expr/interpreter/interpreter.hpp"
#include "support/count_allocations.hpp"
#include "support/native_comparison.hpp"
#include "support/random_kernel.hpp"

namespace vessiot::expr::taylor_series_test {
namespace {

Quad absolute(Quad x) {
    return x < 0 ? -x : x;
}

Quad polynomial(const std::vector<Quad>& c, Quad s) {
    Quad sum = 0;
    for (std::size_t k = c.size(); k-- > 0;) sum = c[k] + s * sum;
    return sum;
}

// out[i] = op(a[i], b[i], c[i]), n instances of one loop
std::shared_ptr<const Kernel> kernel_of(Op op, std::int64_t n) {
    auto kernel = std::make_shared<Kernel>();
    Loop loop;
    const int operands = arity(op);
    for (int o = 0; o < operands; ++o) {
        const auto k = static_cast<std::uint32_t>(o);
        kernel->buffers.push_back({std::string(1, static_cast<char>('a' + o)), BufferRole::input, n, -1});
        loop.addresses.push_back({k, -1, 1});
        loop.body.push_back({Op::read, k, 0, 0});
    }
    const auto out = static_cast<std::uint32_t>(operands);
    kernel->buffers.push_back({"out", BufferRole::output, n, -1});
    loop.addresses.push_back({out, -1, 1});
    loop.body.push_back({op, 0, 1, 2});
    loop.stores.push_back({out, out, StoreMode::assign});
    loop.lengths = {n};
    loop.starts.assign(loop.addresses.size(), 0);
    kernel->loops.push_back(loop);
    EXPECT_EQ(check(*kernel), "");
    return kernel;
}

// Series of the operands, by operand and order: inside the domains of all functions; instances differ.
std::vector<std::vector<Quad>> operands_of(Op op, std::int64_t instance) {
    const Quad x = Quad(instance % 7) / 100;
    std::vector<std::vector<Quad>> all{{Quad(0.4) + x, Quad(0.7) - x, -Quad(0.3), Quad(0.2), Quad(0.5), -Quad(0.6)},
                                       {Quad(0.9) - x, -Quad(0.4), Quad(0.6) + x, Quad(0.1), -Quad(0.2), Quad(0.3)},
                                       {-Quad(0.3), Quad(0.8), Quad(0.2), -Quad(0.7) + x, Quad(0.4), Quad(0.1)}};
    if (op == Op::acosh) all[0][0] += 1;
    if (op == Op::abs) all[0][0] -= 1;
    return all;
}

template <class S> Taylor<S> make_taylor(Op op, std::int64_t n, int order) {
    Taylor<S> taylor(plan_taylor(kernel_of(op, n), std::vector<char>(3, false), {}), order);
    for (std::int64_t i = 0; i < n; ++i) {
        const auto series = operands_of(op, i);
        for (int o = 0; o < arity(op); ++o)
            for (int k = 0; k <= std::min(order, 5); ++k)
                taylor.coefficient(static_cast<std::uint32_t>(o), k)[i] =
                    static_cast<S>(series[static_cast<std::size_t>(o)][static_cast<std::size_t>(k)]);
    }
    for (int k = 0; k <= order; ++k) taylor.evaluate(k);
    return taylor;
}

const std::vector<Op> operations = [] {
    std::vector<Op> all;
    for (int o = static_cast<int>(Op::add); o < n_ops; ++o) all.push_back(static_cast<Op>(o));
    return all;
}();

TEST(TaylorSeries, OfEveryOperationHasARemainderOfTheNextOrder) {
    for (const Op op : operations) {
        for (const int order : {0, 1, 2, 3, 6, 9}) {
            Taylor<Quad> taylor = make_taylor<Quad>(op, 1, order);
            std::vector<Quad> c;
            for (int k = 0; k <= order; ++k)
                c.push_back(taylor.coefficient(static_cast<std::uint32_t>(arity(op)), k)[0]);
            const auto remainder = [&](Quad s) {
                const auto x = operands_of(op, 0);
                const Quad value = apply<Quad>(op, polynomial(x[0], s), polynomial(x[1], s), polynomial(x[2], s));
                return static_cast<double>(absolute(value - polynomial(c, s)));
            };
            // s^10 is far above the round-off of 1e-34, and near enough to 0 for the leading term
            const double far = remainder(Quad(1) / 128), near = remainder(Quad(1) / 256);
            const std::string what = std::string(name(op)) + ", order " + std::to_string(order);
            if (far < 1e-31) continue; // a polynomial, all of it
            EXPECT_GT(far / near, 0.6 * std::ldexp(1.0, order + 1)) << what << ": " << far << ", " << near;
        }
    }
}

// The series of polynomials that are constant or of low degree end.
TEST(TaylorSeries, OfWholePowersExistsAtZero) {
    for (const int power : {1, 2, 3, 5}) {
        auto kernel = std::make_shared<Kernel>(*kernel_of(Op::pow, 1));
        Taylor<double> taylor(plan_taylor(kernel, {false, true}, {}), 12);
        const double exponent = power;
        taylor.bind(1, &exponent);
        taylor.coefficient(0, 1)[0] = 2; // x = 2 s + s^2
        taylor.coefficient(0, 2)[0] = 1;
        for (int k = 0; k <= 12; ++k) taylor.evaluate(k);
        std::vector<double> expected{1};
        for (int j = 0; j < power; ++j) {
            std::vector<double> next(expected.size() + 2, 0);
            for (std::size_t k = 0; k < expected.size(); ++k)
                next[k + 1] += 2 * expected[k], next[k + 2] += expected[k];
            expected = next;
        }
        expected.resize(13, 0);
        for (int k = 0; k <= 12; ++k)
            EXPECT_NEAR(taylor.coefficient(2, k)[0], expected[static_cast<std::size_t>(k)], 1e-12)
                << power << ", " << k;
    }
}

TEST(TaylorSeries, OfARootOfZeroIsNotFinite) {
    Taylor<double> taylor(plan_taylor(kernel_of(Op::sqrt, 1), {false}, {}), 2);
    taylor.coefficient(0, 1)[0] = 1;
    for (int k = 0; k <= 2; ++k) taylor.evaluate(k);
    EXPECT_FALSE(std::isfinite(taylor.coefficient(1, 1)[0]));
}

// At a kink the branch is that of the side the curve goes to.
TEST(TaylorSeries, FollowsTheBranchOfItsSide) {
    const auto coefficients = [](Op op, bool is_forward, const std::vector<double>& a) {
        Taylor<double> taylor(plan_taylor(kernel_of(op, 1), {false, false}, {}), 3);
        taylor.set_forward(is_forward);
        for (int k = 0; k <= 3; ++k) taylor.coefficient(0, k)[0] = a[static_cast<std::size_t>(k)];
        std::vector<double> c;
        for (int k = 0; k <= 3; ++k) {
            taylor.evaluate(k);
            c.push_back(taylor.coefficient(arity(op) == 1 ? 1U : 2U, k)[0]);
        }
        return c;
    };
    const std::vector<double> odd{0, -2, 1, 0}, even{0, 0, -3, 1}, zero{0, 0, 0, 0};
    using V = std::vector<double>;
    EXPECT_EQ(coefficients(Op::abs, true, odd), (V{0, 2, -1, -0.0}));
    EXPECT_EQ(coefficients(Op::abs, false, odd), odd);
    EXPECT_EQ(coefficients(Op::abs, true, even), (V{0, 0, 3, -1}));
    EXPECT_EQ(coefficients(Op::abs, false, even), (V{0, 0, 3, -1}));
    EXPECT_EQ(coefficients(Op::max, true, odd), zero); // against 0
    EXPECT_EQ(coefficients(Op::max, false, odd), odd);
    EXPECT_EQ(coefficients(Op::min, true, odd), odd);
    EXPECT_EQ(coefficients(Op::min, false, odd), zero);
}

// Instances of a family, in blocks and a rest, and with every vector unit, agree with single ones up to the order of
// sums.
TEST(TaylorSeries, OfFamiliesAreThoseOfTheirInstances) {
    constexpr int order = 14;
    for (const Op op : operations) {
        Taylor<double> family = make_taylor<double>(op, 71, order);
        const auto out = static_cast<std::uint32_t>(arity(op));
        for (const std::int64_t i : {0, 1, 6, 31, 32, 70}) {
            Taylor<Quad> one(plan_taylor(kernel_of(op, 1), std::vector<char>(3, false), {}), order);
            const auto series = operands_of(op, i);
            for (int o = 0; o < arity(op); ++o)
                for (int k = 0; k <= 5; ++k)
                    one.coefficient(static_cast<std::uint32_t>(o), k)[0] =
                        static_cast<double>(series[static_cast<std::size_t>(o)][static_cast<std::size_t>(k)]);
            for (int k = 0; k <= order; ++k) {
                one.evaluate(k);
                const auto expected = static_cast<double>(one.coefficient(out, k)[0]);
                EXPECT_NEAR(family.coefficient(out, k)[i], expected, 1e-11 * std::max(1.0, std::abs(expected)))
                    << name(op) << ", instance " << i << ", order " << k;
            }
        }
    }
}

// Kernels with several loops, segments, tables, sums and shared buffers: the series at s against the kernel evaluated
// there.
TEST(TaylorSeries, OfRandomKernelsAgreesWithValuesNearby) {
    constexpr int order = 4;
    const Quad s = Quad(1) / 65536; // s^4 = 5e-20, s^5 = 8e-25
    int n_compared = 0;
    for (int seed = 1; seed <= 150; ++seed) {
        test::Random random(static_cast<std::uint64_t>(seed));
        test::RandomKernelOptions options;
        options.is_benign = true;
        options.max_operations = 40;
        const auto kernel = std::make_shared<const Kernel>(test::random_kernel(random, options));
        const test::KernelData<Quad> begin = test::as_quad(test::make_data(random, *kernel, 1, true), *kernel);
        test::KernelData<Quad> slope = begin;
        for (auto& b : slope.buffers)
            for (Quad& x : b) x = Quad(static_cast<double>(random() % 1000)) / 1000 - Quad(0.5);
        Taylor<Quad> taylor(plan_taylor(kernel, std::vector<char>(kernel->buffers.size(), false), {}), order);
        test::KernelData<Quad> there = begin;
        for (std::uint32_t b = 0; b < kernel->buffers.size(); ++b) {
            const bool is_input = kernel->buffers[b].role == BufferRole::input;
            if (!is_input && kernel->buffers[b].role != BufferRole::output) continue;
            for (std::size_t i = 0; i < begin.buffers[b].size(); ++i) {
                taylor.coefficient(b, 0)[i] = begin.buffers[b][i]; // outputs: sums go on from there
                if (!is_input) continue;
                taylor.coefficient(b, 1)[i] = slope.buffers[b][i];
                there.buffers[b][i] += s * slope.buffers[b][i];
            }
        }
        for (int k = 0; k <= order; ++k) taylor.evaluate(k);
        const Interpreter<Quad> interpreter(kernel);
        auto workspace = interpreter.make_workspace();
        interpreter(there.pointers().data(), workspace);
        for (std::uint32_t b = 0; b < kernel->buffers.size(); ++b) {
            if (kernel->buffers[b].role != BufferRole::output) continue;
            for (std::size_t i = 0; i < there.buffers[b].size(); ++i) {
                Quad sum = 0, scale = 1;
                for (int k = order; k >= 0; --k) {
                    sum = taylor.coefficient(b, k)[i] + s * sum;
                    scale = std::max(scale, absolute(taylor.coefficient(b, k)[i]));
                }
                if (!(scale < Quad(1e4))) continue; // s^5 no longer small beside it
                ++n_compared;
                EXPECT_LT(static_cast<double>(absolute(there.buffers[b][i] - sum) / scale), 1e-21)
                    << "seed " << seed << ", " << kernel->buffers[b].name << "[" << i << "]";
            }
        }
    }
    EXPECT_GT(n_compared, 1000);
}

// What depends on a late input is computed again, and the rest is not: x + w, w' known after order k of the rest.
TEST(TaylorSeries, TakesLateInputsIntoAccount) {
    const auto kernel = kernel_of(Op::mul, 3);
    Taylor<double> late(plan_taylor(kernel, {false, false}, {false, true}), 8),
        plain = make_taylor<double>(Op::mul, 3, 8);
    for (int k = 0; k <= 8; ++k) {
        for (int i = 0; i < 3; ++i) late.coefficient(0, k)[i] = plain.coefficient(0, k)[i];
        if (k > 0) late.evaluate(k); // with 0
        for (int i = 0; i < 3; ++i) late.coefficient(1, k)[i] = plain.coefficient(1, k)[i];
        if (k == 0)
            late.evaluate(0);
        else
            late.reevaluate(k);
    }
    for (int k = 0; k <= 8; ++k)
        for (int i = 0; i < 3; ++i) EXPECT_EQ(late.coefficient(2, k)[i], plain.coefficient(2, k)[i]);
}

// All coefficients of all outputs.
std::vector<double> outputs_of(Taylor<double>& taylor) {
    std::vector<double> all;
    const Kernel& kernel = *taylor.plan().kernel;
    for (std::uint32_t b = 0; b < kernel.buffers.size(); ++b)
        for (int k = 0; kernel.buffers[b].role == BufferRole::output && k <= taylor.max_order(); ++k)
            all.insert(all.end(), taylor.coefficient(b, k), taylor.coefficient(b, k) + kernel.buffers[b].size);
    return all;
}

TEST(TaylorSeries, NativeCodeGivesTheSameBits) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    constexpr int order = 21;
    for (const Op op : operations)
        for (const std::int64_t n : {1, 3, 16, 37}) {
            Taylor<double> interpreted = make_taylor<double>(op, n, order), native = make_taylor<double>(op, n, order);
            std::string error;
            ASSERT_TRUE(native.make_native(error)) << error;
            const auto out = static_cast<std::uint32_t>(arity(op));
            for (int k = 1; k <= order; ++k) std::fill_n(native.coefficient(out, k), n, -1.0);
            for (int k = 0; k <= order; ++k) native.evaluate(k);
            const std::vector<double> a = outputs_of(interpreted), b = outputs_of(native);
            for (std::size_t i = 0; i < a.size(); ++i)
                EXPECT_TRUE(test::is_same(a[i], b[i])) << name(op) << ", n = " << n << ", " << a[i] << ", " << b[i];
        }
}

// Any kernel, any numbers, infinities and NaN among them; with all inputs late, evaluated a second time.
TEST(TaylorSeries, NativeCodeGivesTheSameBitsOnRandomKernels) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    constexpr int order = 11;
    for (int seed = 1; seed <= 120; ++seed) {
        test::Random random(static_cast<std::uint64_t>(seed));
        test::RandomKernelOptions options;
        options.is_benign = seed % 2 == 0;
        options.max_operations = seed % 10 == 0 ? 400 : 60;
        const auto kernel = std::make_shared<const Kernel>(test::random_kernel(random, options));
        const test::KernelData<double> data = test::make_data(random, *kernel, 1, options.is_benign);
        std::vector<double> results[2];
        for (const int is_native : {0, 1}) {
            test::Random coefficients(static_cast<std::uint64_t>(seed));
            Taylor<double> taylor(plan_taylor(kernel, std::vector<char>(kernel->buffers.size(), false),
                                              std::vector<char>(kernel->buffers.size(), seed % 3 == 0)),
                                  order);
            std::string error;
            if (is_native) {
                ASSERT_TRUE(taylor.make_native(error)) << error;
            }
            for (std::uint32_t b = 0; b < kernel->buffers.size(); ++b) {
                const BufferRole role = kernel->buffers[b].role;
                for (std::size_t i = 0; i < data.buffers[b].size(); ++i) {
                    if (role == BufferRole::input || role == BufferRole::output)
                        taylor.coefficient(b, 0)[i] = data.buffers[b][i];
                    for (int k = 1; k <= order && role == BufferRole::input; ++k)
                        taylor.coefficient(b, k)[i] = static_cast<double>(coefficients() % 1000) / 500 - 1;
                }
            }
            for (int k = 0; k <= order; ++k) {
                taylor.evaluate(k);
                if (seed % 3 == 0 && k > 0) taylor.reevaluate(k); // sums of outputs go on; the same in both
            }
            results[is_native] = outputs_of(taylor);
        }
        for (std::size_t i = 0; i < results[0].size(); ++i)
            ASSERT_TRUE(test::is_same(results[0][i], results[1][i]))
                << "seed " << seed << ": " << results[0][i] << ", " << results[1][i];
    }
}

TEST(TaylorSeries, TakesNoMemory) {
    for (const std::int64_t n : {1, 40})
        for (const Op op : {Op::mul, Op::tan, Op::pow, Op::atan2, Op::min}) {
            Taylor<double> taylor = make_taylor<double>(op, n, 20);
            const std::size_t before = test::n_allocations();
            for (int k = 0; k <= 20; ++k) taylor.evaluate(k);
            EXPECT_EQ(test::n_allocations(), before) << name(op);
        }
}

} // namespace
} // namespace vessiot::expr::taylor_series_test
