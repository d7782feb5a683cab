// The interpreter against a plain evaluator, bit for bit, on random kernels and on corner cases.
#include "expr/interpreter/interpreter.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/count_allocations.hpp"
#include "support/random_kernel.hpp"
#include "support/reference_evaluator.hpp"

namespace vessiot::test::interpreter_test {
namespace {

using namespace expr;

template <class S> void evaluate(const Kernel& kernel, int lanes, KernelData<S>& data, Simd widest = simd()) {
    const Interpreter<S> interpreter(std::make_shared<const Kernel>(kernel), lanes, widest);
    auto workspace = interpreter.make_workspace();
    std::vector<S*> pointers = data.pointers();
    for (std::size_t b = 0; b < pointers.size(); ++b)
        if (kernel.buffers[b].role == BufferRole::scratch || kernel.buffers[b].role == BufferRole::literal)
            pointers[b] = nullptr;
    interpreter(pointers.data(), workspace);
}

// Where the outputs differ, or an empty string.
template <class S> std::string difference(const Kernel& kernel, const KernelData<S>& a, const KernelData<S>& b) {
    for (std::size_t n = 0; n < kernel.buffers.size(); ++n) {
        if (kernel.buffers[n].role != BufferRole::output) continue;
        for (std::size_t e = 0; e < a.buffers[n].size(); ++e)
            if (!is_same(a.buffers[n][e], b.buffers[n][e]))
                return fmt::format("{}[{}]: {} and {}", kernel.buffers[n].name, e, double(a.buffers[n][e]),
                                   double(b.buffers[n][e]));
    }
    return {};
}

// Each lane by the plain evaluator, all lanes at once by the interpreter.
template <class S> std::string compare(const Kernel& kernel, int lanes, KernelData<S> data) {
    std::vector<KernelData<S>> expected;
    for (int l = 0; l < lanes; ++l) {
        expected.push_back(lane_of(data, lanes, l));
        auto pointers = expected.back().pointers();
        ReferenceEvaluator<S>{kernel}(pointers.data());
    }
    evaluate(kernel, lanes, data);
    for (int l = 0; l < lanes; ++l) {
        const std::string d = difference(kernel, lane_of(data, lanes, l), expected[l]);
        if (!d.empty()) return fmt::format("lane {} of {}: {}", l, lanes, d);
    }
    return {};
}

void compare_random(const RandomKernelOptions& options, int n_kernels, std::uint64_t seed) {
    for (int n = 0; n < n_kernels; ++n) {
        Random random(seed + n);
        const Kernel kernel = random_kernel(random, options);
        ASSERT_EQ(check(kernel), "") << "seed " << seed + n;
        for (const int lanes : {1, 3, 4, 8})
            ASSERT_EQ(compare(kernel, lanes, make_data(random, kernel, lanes)), "") << "seed " << seed + n;
    }
}

TEST(Interpreter, AgreesOnSmallKernels) {
    compare_random({.max_operations = 30, .max_instances = 40}, 1500, 1);
}

TEST(Interpreter, AgreesOnStraightLines) {
    compare_random({.max_operations = 2000, .only_straight_line = true}, 150, 100'000);
}

TEST(Interpreter, AgreesOnFamilies) {
    compare_random({.max_operations = 150, .max_instances = 1500}, 200, 200'000);
}

TEST(Interpreter, AgreesOnLargeBodies) {
    compare_random({.max_operations = 3000, .max_instances = 50}, 30, 300'000);
}

TEST(Interpreter, NarrowVectorsGiveTheSameBits) {
    for (int seed = 0; seed < 200; ++seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, {.max_operations = 300});
        for (const int lanes : {1, 3, 4, 8}) {
            const auto data = make_data(random, kernel, lanes);
            auto expected = data;
            evaluate(kernel, lanes, expected, Simd::baseline);
            for (int widest = 0; widest <= static_cast<int>(simd()); ++widest) {
                auto result = data;
                evaluate(kernel, lanes, result, static_cast<Simd>(widest));
                ASSERT_EQ(difference(kernel, result, expected), "") << "seed " << seed << ", vectors " << widest;
            }
        }
    }
}

TEST(Interpreter, AgreesInQuad) {
    for (int seed = 0; seed < 100; ++seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, {.max_operations = 100});
        for (const int lanes : {1, 3, 8}) {
            const auto data = as_quad(make_data(random, kernel, lanes), kernel, lanes);
            ASSERT_EQ(compare(kernel, lanes, data), "") << "seed " << seed;
        }
    }
}

TEST(Interpreter, QuadConfirmsDouble) {
    for (int seed = 0; seed < 300; ++seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, {.max_operations = 200, .max_instances = 60, .is_benign = true});
        ASSERT_EQ(check(kernel), "");
        auto data = make_data(random, kernel, 1, true);
        auto quad = as_quad(data, kernel);
        evaluate(kernel, 1, data);
        evaluate(kernel, 1, quad);
        for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
            if (kernel.buffers[b].role != BufferRole::output) continue;
            for (std::size_t e = 0; e < data.buffers[b].size(); ++e) {
                const double exact = static_cast<double>(quad.buffers[b][e]);
                ASSERT_NEAR(data.buffers[b][e] / exact, 1, 1e-13) << "seed " << seed;
            }
        }
    }
}

// --- particular kernels ---

// out[i] = f(x[i], …) with one operation; operands are the inputs x, y, z.
Kernel one_operation(Op op, std::int64_t n) {
    Kernel kernel;
    kernel.buffers = {{"x", BufferRole::input, n, -1},
                      {"y", BufferRole::input, n, -1},
                      {"z", BufferRole::input, n, -1},
                      {"f", BufferRole::output, n, -1}};
    Loop loop;
    loop.addresses = {{0, -1, 1}, {1, -1, 1}, {2, -1, 1}, {3, -1, 1}};
    loop.body = {{Op::read, 0}, {Op::read, 1}, {Op::read, 2}, {op, 0, 1, 2}};
    loop.stores = {{3, 3, StoreMode::assign}};
    loop.lengths = {n};
    loop.starts = {0, 0, 0, 0};
    kernel.loops = {loop};
    return kernel;
}

TEST(Interpreter, EveryOperationOnSpecialValues) {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> special{0.0, -0.0, 1, -1, 0.5, -2.5, 1e-310, 1e308, inf, -inf, nan};
    KernelData<double> data;
    data.buffers.resize(4);
    for (double x : special)
        for (double y : special)
            for (double z : {0.0, 2.0}) {
                data.buffers[0].push_back(x);
                data.buffers[1].push_back(y);
                data.buffers[2].push_back(z);
            }
    const auto n = static_cast<std::int64_t>(data.buffers[0].size());
    data.buffers[3].resize(n);
    for (int op = static_cast<int>(Op::add); op < n_ops; ++op) {
        const Kernel kernel = one_operation(static_cast<Op>(op), n);
        ASSERT_EQ(check(kernel), "");
        EXPECT_EQ(compare(kernel, 1, data), "") << name(static_cast<Op>(op));
    }
}

// A sum over segments of all small lengths, all added to one element: the order of additions decides the last bits.
TEST(Interpreter, ReductionsOfEveryLength) {
    Kernel kernel;
    kernel.buffers = {{"x", BufferRole::input, 5000, -1}, {"f", BufferRole::output, 1, -1}};
    Loop loop;
    loop.addresses = {{0, -1, 1}, {1, -1, 0}};
    loop.body = {{Op::read, 0}, {Op::mul, 0, 0}};
    loop.stores = {{1, 1, StoreMode::reduce}, {0, 1, StoreMode::reduce}};
    for (int length = 1; length < 70; ++length) {
        loop.lengths = {length};
        loop.starts = {7, 0};
        for (int s = 0; s < 4; ++s) {
            kernel.loops = {loop};
            ASSERT_EQ(check(kernel), "");
            for (const int lanes : {1, 8}) {
                Random random(length);
                EXPECT_EQ(compare(kernel, lanes, make_data(random, kernel, lanes, true)), "");
            }
            loop.lengths.push_back(10 * s + length);
            loop.starts.insert(loop.starts.end(), {3 * length, 0});
        }
    }
}

// Minus zero is a sum of minus zeros only without the zero that reductions start from.
TEST(Interpreter, ReductionOfMinusZero) {
    for (const int n : {1, 3, 20}) {
        Kernel kernel;
        kernel.buffers = {{"x", BufferRole::input, n, -1}, {"f", BufferRole::output, 2, -1}};
        Loop loop;
        loop.addresses = {{0, -1, 1}, {1, -1, 0}};
        loop.body = {{Op::read, 0}};
        loop.stores = {{0, 1, StoreMode::reduce}};
        loop.lengths = {n};
        loop.starts = {0, 0};
        kernel.loops = {loop};
        KernelData<double> data{{std::vector<double>(n, -0.0), {-0.0, -0.0}}};
        evaluate(kernel, 1, data);
        EXPECT_FALSE(std::signbit(data.buffers[1][0])) << n;
        EXPECT_TRUE(std::signbit(data.buffers[1][1])) << n;
    }
}

TEST(Interpreter, WorkspacesAreIndependentAndReusable) {
    Random random(5);
    const auto kernel = std::make_shared<const Kernel>(random_kernel(random, {.max_operations = 300}));
    const Interpreter<double> interpreter(kernel);
    auto first = interpreter.make_workspace(), second = interpreter.make_workspace();
    auto a = make_data(random, *kernel), b = make_data(random, *kernel);
    auto a2 = a, a3 = a;
    interpreter(a.pointers().data(), first);
    interpreter(b.pointers().data(), second);
    interpreter(a2.pointers().data(), second);
    auto moved = std::move(first);
    interpreter(a3.pointers().data(), moved);
    EXPECT_EQ(difference(*kernel, a, a2), "");
    EXPECT_EQ(difference(*kernel, a, a3), "");
}

TEST(Interpreter, EvaluationDoesNotAllocate) {
    for (int seed = 0; seed < 50; ++seed) {
        Random random(seed);
        const auto kernel = std::make_shared<const Kernel>(random_kernel(random));
        for (const int lanes : {1, 8}) {
            const Interpreter<double> interpreter(kernel, lanes);
            auto workspace = interpreter.make_workspace();
            auto data = make_data(random, *kernel, lanes);
            const auto pointers = data.pointers();
            const std::size_t before = n_allocations();
            interpreter(pointers.data(), workspace);
            ASSERT_EQ(n_allocations(), before);
        }
    }
}

TEST(Interpreter, RejectsNoLanes) {
    EXPECT_THROW(Interpreter<double>(std::make_shared<const Kernel>(), 0), std::invalid_argument);
}

TEST(Kernel, CountsOperations) {
    const Kernel kernel = one_operation(Op::sin, 10);
    EXPECT_EQ(kernel.n_operations(), 1);
    EXPECT_EQ(kernel.n_evaluated(), 10);
}

TEST(Kernel, CheckFindsWhatIsBroken) {
    const auto broken = [](auto change) {
        Kernel kernel = one_operation(Op::add, 10);
        change(kernel, kernel.loops[0]);
        return check(kernel);
    };
    EXPECT_EQ(broken([](Kernel&, Loop&) {}), "");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.body[3].a = 3; }), "loop 0: body[3]: operand 3 is not earlier");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.body[0].a = 9; }), "loop 0: body[0]: no address 9");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.body[0] = {Op::constant, 0}; }), "loop 0: body[0]: no constant 0");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.starts[0] = 1; }), "loop 0: address 0: element 10 of x, which has 10");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.lengths[0] = 0; }), "loop 0: a segment of length 0");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.starts.pop_back(); }), "loop 0: 3 starts for 1 segments and 4 addresses");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.addresses[3].stride = 0; }),
              "loop 0: store 0: element 0 of f is assigned twice");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.stores[0].mode = StoreMode::reduce; }),
              "loop 0: store 0: a reduction needs stride 0");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.stores[0].address = 0; }), "loop 0: store 0: x is not written to");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.addresses[0].buffer = 3; }),
              "loop 0: address 0: reads element 0 of f, which the loop writes");
    EXPECT_EQ(broken([](Kernel& k, Loop& l) {
                  k.buffers.push_back({"w", BufferRole::scratch, 10, -1});
                  l.addresses[0].buffer = 4;
              }),
              "loop 0: address 0: element 0 of w has no value yet");
    EXPECT_EQ(broken([](Kernel&, Loop& l) { l.stores.push_back({2, 3, StoreMode::assign}); }),
              "loop 0: stores 0 and 1 share element 0 of f");
    EXPECT_EQ(broken([](Kernel& k, Loop&) { k.loops.push_back(k.loops[0]); }), ""); // another loop may assign again
    EXPECT_EQ(broken([](Kernel& k, Loop&) { std::swap(k.buffers[0], k.buffers[3]); }),
              "buffer 1 (y): inputs come first, then outputs");
}

} // namespace
} // namespace vessiot::test::interpreter_test
