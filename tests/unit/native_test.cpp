// Native code: every operation, every kind of address and store, pieces, errors, threads. The oracle is the
// interpreter.
#include <cmath>
#include <limits>
#include <thread>

#include "support/native_comparison.hpp"

namespace vessiot::test::native_test {
namespace {

using expr::BufferRole;
using expr::Instruction;
using expr::Kernel;
using expr::Loop;
using expr::Op;
using expr::StoreMode;

std::vector<Op> all_operations() {
    std::vector<Op> result;
    for (int k = 0; k < expr::n_ops; ++k)
        if (!expr::is_leaf(static_cast<Op>(k))) result.push_back(static_cast<Op>(k));
    return result;
}

// Writes kernels down: buffers and one loop.
class KernelWriter {
public:
    explicit KernelWriter(std::vector<std::int64_t> lengths) { loop_.lengths = std::move(lengths); }

    std::uint32_t buffer(BufferRole role, std::int64_t size) {
        kernel_.buffers.push_back({fmt::format("b{}", kernel_.buffers.size()), role, size, -1});
        return static_cast<std::uint32_t>(kernel_.buffers.size() - 1);
    }
    // Segments follow each other in the buffer, from `start` on.
    std::uint32_t affine(std::uint32_t buffer, std::int64_t stride, std::int64_t start) {
        addresses_.push_back({buffer, -1, stride});
        firsts_.push_back(start);
        return static_cast<std::uint32_t>(addresses_.size() - 1);
    }
    std::uint32_t table(std::uint32_t buffer, std::vector<std::int32_t> entries) {
        addresses_.push_back({buffer, static_cast<std::int32_t>(loop_.tables.size()), 0});
        firsts_.push_back(0);
        loop_.tables.push_back(std::move(entries));
        return static_cast<std::uint32_t>(addresses_.size() - 1);
    }
    std::uint32_t read(std::uint32_t address) { return operation(Op::read, address); }
    std::uint32_t constant(double value) {
        kernel_.constants.push_back(value);
        return operation(Op::constant, static_cast<std::uint32_t>(kernel_.constants.size() - 1));
    }
    std::uint32_t operation(Op op, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
        loop_.body.push_back({op, a, b, c});
        return static_cast<std::uint32_t>(loop_.body.size() - 1);
    }
    void store(std::uint32_t value, std::uint32_t address, StoreMode mode = StoreMode::assign) {
        loop_.stores.push_back({value, address, mode});
    }

    std::shared_ptr<const Kernel> make() {
        std::int64_t before = 0;
        for (const std::int64_t length : loop_.lengths) {
            for (std::size_t k = 0; k < addresses_.size(); ++k)
                loop_.starts.push_back(firsts_[k] + addresses_[k].stride * before);
            before += length;
        }
        loop_.addresses = addresses_;
        kernel_.loops.push_back(loop_);
        return std::make_shared<const Kernel>(kernel_);
    }

private:
    Kernel kernel_;
    Loop loop_;
    std::vector<expr::Address> addresses_;
    std::vector<std::int64_t> firsts_;
};

void expect_same(const std::shared_ptr<const Kernel>& kernel, const expr::NativeOptions& options,
                 const KernelData<double>& data, const std::string& what) {
    EXPECT_EQ(compare_with_interpreter(kernel, options, data), "") << what;
}

const std::vector<double>& special_values() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    static const std::vector<double> values{0.0,      -0.0,      1.0,   -1.0,   0.5,    -2.5,   3.0,  std::nan(""),
                                            infinity, -infinity, 1e300, -1e300, 5e-324, 1e-310, 0.75, 1e15};
    return values;
}

// All operations of three inputs; instance i of n.
std::shared_ptr<const Kernel> kernel_of_all_operations(std::int64_t n) {
    KernelWriter w({n});
    std::uint32_t inputs[3], operands[3];
    for (auto& b : inputs) b = w.buffer(BufferRole::input, n);
    const std::uint32_t out = w.buffer(BufferRole::output, n * expr::n_ops);
    for (int k = 0; k < 3; ++k) operands[k] = w.read(w.affine(inputs[k], 1, 0));
    std::int64_t place = 0;
    for (const Op op : all_operations())
        w.store(w.operation(op, operands[0], operands[1], operands[2]), w.affine(out, 1, n * place++));
    // Conditions that are used as conditions take a path of their own.
    const auto less = w.operation(Op::less, operands[0], operands[1]);
    const auto any = w.operation(Op::logical_or, less, w.operation(Op::logical_not, operands[2]));
    w.store(w.operation(Op::select, any, operands[1], operands[2]), w.affine(out, 1, n * place));
    return w.make();
}

KernelData<double> all_triples(const Kernel& kernel, int lanes, std::size_t first, std::size_t n) {
    const auto& values = special_values();
    const std::size_t m = values.size();
    KernelData<double> data;
    for (const auto& buffer : kernel.buffers) data.buffers.emplace_back(buffer.size * lanes, 0.25);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t triple = (first + i) % (m * m * m);
        data.buffers[0][i] = values[triple / (m * m)];
        data.buffers[1][i] = values[triple / m % m];
        data.buffers[2][i] = values[triple % m];
    }
    return data;
}

#ifdef VESSIOT_PLUGIN_WAS_BUILT
// Other tests of native code are skipped without the plug-in: where it was built, it must not be missing unnoticed.
TEST(Native, ThePluginIsThereWhereItWasBuilt) {
    EXPECT_TRUE(vessiot::expr::plugin().available()) << vessiot::expr::plugin().reason();
}
#endif

TEST(Native, EveryOperationHandlesSpecialValuesInVectors) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const std::size_t n = special_values().size() * special_values().size() * special_values().size();
    const auto kernel = kernel_of_all_operations(static_cast<std::int64_t>(n));
    expect_same(kernel, {}, all_triples(*kernel, 1, 0, n), "loop");
}

TEST(Native, EveryOperationHandlesSpecialValuesInStraightLineCode) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const auto kernel = kernel_of_all_operations(1);
    const std::size_t n = special_values().size() * special_values().size() * special_values().size();
    for (const int lanes : {1, 8})
        for (const bool optimise : {false, true}) {
            std::string error;
            const auto code = expr::plugin().compile(kernel, {.lanes = lanes, .optimise = optimise}, error);
            ASSERT_TRUE(code) << error;
            const expr::Interpreter<double> interpreter(kernel, lanes);
            auto workspace = interpreter.make_workspace();
            for (std::size_t first = 0; first < n; first += lanes) {
                auto native = all_triples(*kernel, lanes, first, lanes), interpreted = native;
                run_native(*code, native);
                interpreter(interpreted.pointers().data(), workspace);
                ASSERT_EQ(difference(*kernel, native, interpreted, lanes), "")
                    << "lanes " << lanes << " optimise " << optimise << " triple " << first;
            }
        }
}

// A loop with every kind of address, for reading and for writing.
std::shared_ptr<const Kernel> kernel_of_all_addresses(std::vector<std::int64_t> lengths) {
    std::int64_t n = 0;
    for (const auto length : lengths) n += length;
    KernelWriter w(std::move(lengths));
    const auto x = w.buffer(BufferRole::input, 2 * n + 2);
    const auto assigned = w.buffer(BufferRole::output, 6 * n);
    const auto added_1 = w.buffer(BufferRole::output, n), added_0 = w.buffer(BufferRole::output, 1);
    const auto added_2 = w.buffer(BufferRole::output, 2 * n), added_back = w.buffer(BufferRole::output, n);
    const auto added_table = w.buffer(BufferRole::output, 5), reduced = w.buffer(BufferRole::output, 2);
    std::vector<std::int32_t> mixed, few, reversed;
    for (std::int32_t i = 0; i < n; ++i) {
        mixed.push_back((i * 7 + 3) % static_cast<std::int32_t>(2 * n + 2));
        few.push_back(i % 5 * (i % 7) % 5);
        reversed.push_back(static_cast<std::int32_t>(6 * n - 1 - i));
    }
    const auto x_0 = w.read(w.affine(x, 0, 1)), x_1 = w.read(w.affine(x, 1, 1)), x_2 = w.read(w.affine(x, 2, 0));
    const auto x_back = w.read(w.affine(x, -1, n)), x_table = w.read(w.table(x, mixed));
    const auto uniform = w.operation(Op::cos, w.operation(Op::mul, x_0, w.constant(1.5)));
    const auto a = w.operation(Op::add, w.operation(Op::mul, x_1, uniform), x_2);
    const auto b = w.operation(Op::sin, w.operation(Op::sub, x_back, x_table));
    const auto c = w.operation(Op::div, a, b);
    w.store(a, w.affine(assigned, 1, 0));
    w.store(b, w.affine(assigned, -1, 2 * n - 1));
    w.store(c, w.affine(assigned, 2, 2 * n));
    w.store(x_table, w.table(assigned, reversed));
    w.store(uniform, w.affine(assigned, 1, 4 * n));
    w.store(a, w.affine(added_1, 1, 0), StoreMode::add);
    w.store(b, w.affine(added_0, 0, 0), StoreMode::add);
    w.store(c, w.affine(added_2, 2, 1), StoreMode::add);
    w.store(uniform, w.affine(added_back, -1, n - 1), StoreMode::add);
    w.store(a, w.table(added_table, few), StoreMode::add);
    w.store(c, w.affine(reduced, 0, 0), StoreMode::reduce);
    w.store(uniform, w.affine(reduced, 0, 1), StoreMode::reduce);
    w.store(a, w.affine(reduced, 0, 1), StoreMode::reduce);
    return w.make();
}

// n arguments, of every third sin alone, of every fifth cos alone, of the others both; and both of a sum of them.
std::shared_ptr<const Kernel> kernel_of_sines_and_cosines(std::int64_t n, std::int64_t instances) {
    KernelWriter w({instances});
    const std::uint32_t in = w.buffer(BufferRole::input, n * instances);
    const std::uint32_t out = w.buffer(BufferRole::output, (2 * n + 2) * instances);
    std::int64_t place = 0;
    const auto keep = [&](std::uint32_t v) { w.store(v, w.affine(out, 1, instances * place++)); };
    std::uint32_t sum = w.constant(0.5);
    for (std::int64_t k = 0; k < n; ++k) {
        const std::uint32_t x = w.read(w.affine(in, 1, instances * k));
        if (k % 5 != 4) keep(w.operation(Op::sin, x));
        if (k % 3 != 2) keep(w.operation(Op::cos, x));
        sum = w.operation(Op::add, sum, w.operation(Op::cos, x));
    }
    keep(w.operation(Op::cos, sum));
    keep(w.operation(Op::sin, sum));
    return w.make();
}

TEST(Native, SinesAndCosinesOfOneArgumentAreMadeTogether) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    for (const double scale : {1.0, 1e3, 1e7}) // beyond 2^20 numbers take another way, one by one
        for (std::int64_t n = 1; n <= 20; ++n)
            for (const std::int64_t instances : {1, 5, 24}) {
                const auto kernel = kernel_of_sines_and_cosines(n, instances);
                ASSERT_EQ(expr::check(*kernel), "");
                for (const int lanes : {1, 8}) {
                    Random random(static_cast<std::uint64_t>(n));
                    KernelData<double> data = make_data(random, *kernel, lanes, true);
                    for (double& x : data.buffers[0]) x *= scale;
                    expect_same(kernel, {.lanes = lanes}, data,
                                fmt::format("{} arguments, {} instances, {} lanes", n, instances, lanes));
                }
            }
}

TEST(Native, LoopsOfEveryLengthHaveAllKindsOfAddresses) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    std::vector<std::vector<std::int64_t>> cases{{1000}, {8, 8}, {3, 17, 1, 8, 5}, {2, 2, 2, 2}, {7, 100, 1}};
    for (std::int64_t n = 2; n <= 20; ++n) cases.push_back({n});
    Random random(7);
    for (const auto& lengths : cases)
        for (const int lanes : {1, 8}) {
            const auto kernel = kernel_of_all_addresses(lengths);
            ASSERT_EQ(expr::check(*kernel), "");
            expect_same(kernel, {.lanes = lanes}, make_data(random, *kernel, lanes, true),
                        fmt::format("{} segments, first {}, {} lanes", lengths.size(), lengths[0], lanes));
        }
}

TEST(Native, OneInstanceIsStraightLineCodeForAllKindsOfAddresses) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    Random random(8);
    const auto kernel = kernel_of_all_addresses({1});
    ASSERT_TRUE(kernel->loops[0].is_straight_line());
    for (const int lanes : {1, 8}) expect_same(kernel, {.lanes = lanes}, make_data(random, *kernel, lanes, true), "");
}

TEST(Native, SumsOfNegativeZerosKeepTheirSigns) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    for (std::int64_t n : {1, 2, 7, 8, 9, 15})
        for (const int lanes : {1, 8}) {
            KernelWriter w({n});
            const auto x = w.buffer(BufferRole::input, n), out = w.buffer(BufferRole::output, n + 2);
            const auto v = w.read(w.affine(x, 1, 0));
            w.store(v, w.affine(out, 0, 0), StoreMode::reduce);
            w.store(v, w.affine(out, 1, 1), StoreMode::add);
            const auto kernel = w.make();
            KernelData<double> data;
            for (const auto& buffer : kernel->buffers) data.buffers.emplace_back(buffer.size * lanes, -0.0);
            expect_same(kernel, {.lanes = lanes}, data, fmt::format("n = {}, {} lanes", n, lanes));
        }
}

// Straight-line or family; a mix of operations with most operands near by.
std::shared_ptr<const Kernel> long_kernel(int n_operations, std::int64_t n_instances, int seed) {
    Random random(seed);
    KernelWriter w({n_instances});
    const auto x = w.buffer(BufferRole::input, n_instances + 20);
    const auto out = w.buffer(BufferRole::output, n_operations * n_instances);
    std::vector<std::uint32_t> values;
    for (int k = 0; k < 20; ++k) values.push_back(w.read(w.affine(x, 1, k)));
    values.push_back(w.constant(0.7));
    const std::vector<Op> ops{Op::mul, Op::mul, Op::mul, Op::add, Op::sub, Op::add, Op::sub, Op::div, Op::sin, Op::cos};
    std::vector<char> is_used(n_operations + 100);
    for (int k = 0; k < n_operations; ++k) {
        // NOTE: one operand in ten comes from anywhere, so that values live across many pieces.
        const auto any = [&] {
            const std::size_t window = random() % 10 == 0 ? values.size() : std::min<std::size_t>(values.size(), 40);
            return values[values.size() - 1 - random() % window];
        };
        const Op op = ops[random() % ops.size()];
        const auto a = any(), b = any();
        is_used[a] = 1;
        if (expr::arity(op) == 2) is_used[b] = 1;
        values.push_back(w.operation(op, a, b));
    }
    std::int64_t place = 0;
    for (std::size_t k = 21; k < values.size(); ++k)
        if (!is_used[values[k]] || k % 50 == 0) w.store(values[k], w.affine(out, 1, n_instances * place++));
    return w.make();
}

TEST(Native, LongStraightLineCodeIsCutIntoPieces) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    Random random(3);
    for (const int n : {299, 300, 301, 601, 5000})
        for (const int lanes : {1, 8})
            for (const bool optimise : {false, true}) {
                if (optimise && n > 601) continue; // takes long and goes the same way
                const auto kernel = long_kernel(n, 1, n);
                expect_same(kernel, {.lanes = lanes, .optimise = optimise}, make_data(random, *kernel, lanes, true),
                            fmt::format("{} operations, {} lanes", n, lanes));
            }
}

TEST(Native, LongLoopBodiesCompileToo) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    Random random(4);
    for (const int lanes : {1, 8}) {
        const auto kernel = long_kernel(2000, 21, 5);
        expect_same(kernel, {.lanes = lanes}, make_data(random, *kernel, lanes, true), fmt::format("{} lanes", lanes));
    }
}

TEST(Native, CompileTimeOfStraightLineCodeIsLinear) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    std::string error;
    const auto small = expr::plugin().compile(long_kernel(2000, 1, 1), {}, error);
    const auto large = expr::plugin().compile(long_kernel(20000, 1, 1), {}, error);
    ASSERT_TRUE(small && large) << error;
    // Ten times the operations; a quadratic step anywhere would show as a hundred. The rest is room for a busy machine.
    EXPECT_LT(large->seconds(), 40 * small->seconds());
}

TEST(Native, CodeSizeDoesNotDependOnTheNumberOfInstances) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    for (const int lanes : {1, 8}) {
        std::string error;
        const auto small = expr::plugin().compile(kernel_of_all_addresses({10}), {.lanes = lanes}, error);
        const auto large = expr::plugin().compile(kernel_of_all_addresses({99999, 1}), {.lanes = lanes}, error);
        ASSERT_TRUE(small && large) << error;
        EXPECT_GT(small->code_size(), 0u);
        EXPECT_EQ(small->code_size(), large->code_size());
    }
}

TEST(Native, ContractionMayFuseMultiplyAndAdd) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    KernelWriter w({1});
    const auto x = w.buffer(BufferRole::input, 3), out = w.buffer(BufferRole::output, 1);
    const auto a = w.read(w.affine(x, 0, 0)), b = w.read(w.affine(x, 0, 1)), c = w.read(w.affine(x, 0, 2));
    w.store(w.operation(Op::add, w.operation(Op::mul, a, b), c), w.affine(out, 0, 0));
    const auto kernel = w.make();
    const double p = 1 + std::ldexp(1.0, -30);
    // p * p = 1 + 2^-29 + 2^-60: the last term is lost by rounding and kept by a fused operation.
    for (const bool contraction : {false, true}) {
        KernelData<double> data{{{p, p, -1 - std::ldexp(1.0, -29)}, {0.0}}};
        std::string error;
        const auto code = expr::plugin().compile(kernel, {.contraction = contraction, .optimise = true}, error);
        ASSERT_TRUE(code) << error;
        run_native(*code, data);
        if (!contraction)
            EXPECT_EQ(data.buffers[1][0], 0.0);
        else
            EXPECT_TRUE(data.buffers[1][0] == 0.0 || data.buffers[1][0] == std::ldexp(1.0, -60));
    }
}

TEST(Native, BrokenKernelsGiveMessages) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const auto message = [](auto change, expr::NativeOptions options = {}) {
        Kernel kernel = *kernel_of_all_addresses({10});
        change(kernel);
        std::string error;
        EXPECT_FALSE(expr::plugin().compile(std::make_shared<const Kernel>(std::move(kernel)), options, error));
        return error;
    };
    EXPECT_EQ(message([](Kernel& k) { k.loops[0].body[5] = {Op::add, 5, 1}; }),
              "no native code: an operand comes after its use in loop 0; the interpreter does the work");
    EXPECT_NE(message([](Kernel& k) { k.loops[0].stores[0].value = 1000; }).find("a store is broken"),
              std::string::npos);
    EXPECT_NE(message([](Kernel& k) { k.constants.clear(); }).find("a constant is missing"), std::string::npos);
    EXPECT_NE(message([](Kernel&) {}, {.lanes = 3}).find("lanes must be 1 or 8"), std::string::npos);
}

TEST(Native, CompilingAndRunningFromSeveralThreadsIsSafe) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const auto shared_kernel = long_kernel(700, 1, 11);
    std::string error;
    const auto shared = expr::plugin().compile(shared_kernel, {}, error);
    ASSERT_TRUE(shared) << error;
    std::vector<std::string> problems(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Random random(t);
            for (int k = 0; k < 5; ++k) {
                const auto kernel = std::make_shared<const Kernel>(random_kernel(random, {.max_operations = 60}));
                problems[t] += compare_with_interpreter(kernel, {}, make_data(random, *kernel));
                auto native = make_data(random, *shared_kernel, 1, true), interpreted = native;
                const expr::Interpreter<double> interpreter(shared_kernel);
                auto workspace = interpreter.make_workspace();
                interpreter(interpreted.pointers().data(), workspace);
                for (int repeat = 0; repeat < 20; ++repeat) run_native(*shared, native);
                problems[t] += difference(*shared_kernel, native, interpreted, 1);
            }
        });
    for (auto& thread : threads) thread.join();
    for (const auto& problem : problems) EXPECT_EQ(problem, "");
}

TEST(Native, AMissingPluginHasAReason) {
    const char* const before = std::getenv("VESSIOT_JIT");
    const std::string saved = before ? before : "";
    setenv("VESSIOT_JIT", "/nonexistent/vessiot_jit.so", 1);
    const expr::Plugin missing;
    setenv("VESSIOT_JIT", "/proc/self/exe", 1);
    const expr::Plugin wrong;
    setenv("VESSIOT_JIT", "off", 1);
    const expr::Plugin off;
    if (before)
        setenv("VESSIOT_JIT", saved.c_str(), 1);
    else
        unsetenv("VESSIOT_JIT");
    EXPECT_FALSE(missing.available());
    EXPECT_EQ(missing.reason(),
              "native code is off: cannot load /nonexistent/vessiot_jit.so: cannot open shared object "
              "file: No such file or directory; the interpreter does the work (install libllvm19, or "
              "set VESSIOT_JIT to the path of vessiot_jit.so)");
    EXPECT_FALSE(wrong.available());
    EXPECT_TRUE(wrong.reason().starts_with("native code is off: cannot load /proc/self/exe: ")) << wrong.reason();
    EXPECT_FALSE(off.available());
    EXPECT_EQ(off.reason(), "native code is off: VESSIOT_JIT=off; the interpreter does the work");
    std::string error;
    EXPECT_FALSE(off.compile(kernel_of_all_operations(1), {}, error));
    EXPECT_EQ(error, off.reason());
}

} // namespace
} // namespace vessiot::test::native_test
