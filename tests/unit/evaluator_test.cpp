// The evaluator: tiers, the change between them, threads, and life without the plug-in.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/error.hpp"
#include "expr/kernel/evaluator.hpp"
#include "support/count_allocations.hpp"
#include "support/native_comparison.hpp"

namespace vessiot::test::evaluator_test {
namespace {

using expr::Backend;
using expr::BufferRole;
using expr::Evaluator;
using expr::EvaluatorOptions;
using expr::Kernel;

std::shared_ptr<const Kernel> some_kernel(std::uint64_t seed, int max_operations = 200) {
    Random random(seed);
    return std::make_shared<const Kernel>(random_kernel(random, {.max_operations = max_operations}));
}

// Inputs and outputs of one evaluation.
struct Call {
    KernelData<double> data;
    std::vector<const double*> inputs;
    std::vector<double*> outputs;

    Call(const Kernel& kernel, std::uint64_t seed, int lanes = 1) {
        Random random(seed);
        data = make_data(random, kernel, lanes);
        for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
            if (kernel.buffers[b].role == BufferRole::input) inputs.push_back(data.buffers[b].data());
            if (kernel.buffers[b].role == BufferRole::output) outputs.push_back(data.buffers[b].data());
        }
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
};

// The outputs of an evaluation against those of the bare interpreter.
template <class... Workspace>
std::string wrong_output(Evaluator& evaluator, std::uint64_t seed, Workspace&... workspace) {
    const Kernel& kernel = evaluator.kernel();
    Call call(kernel, seed, evaluator.lanes()), expected(kernel, seed, evaluator.lanes());
    evaluator(call.inputs.data(), call.outputs.data(), workspace...);
    const expr::Interpreter<double> interpreter(std::make_shared<const Kernel>(kernel), evaluator.lanes());
    auto memory = interpreter.make_workspace();
    interpreter(expected.data.pointers().data(), memory);
    for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
        if (kernel.buffers[b].role != BufferRole::output) call.data.buffers[b] = expected.data.buffers[b];
    return difference(kernel, call.data, expected.data, evaluator.lanes());
}

TEST(Evaluator, GivesTheSameBeforeAndAfterTheChangeOfTiers) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for (const int lanes : {1, 8}) {
            Evaluator evaluator(some_kernel(seed), {.lanes = lanes});
            EXPECT_EQ(wrong_output(evaluator, seed), "");
            evaluator.wait();
            EXPECT_EQ(wrong_output(evaluator, seed), "");
            EXPECT_EQ(evaluator.is_native(), expr::plugin().available()) << evaluator.reason();
            if (!evaluator.is_native()) continue;
            EXPECT_GT(evaluator.compile_seconds(), 0);
            EXPECT_GT(evaluator.code_size(), 0u);
            EXPECT_EQ(evaluator.reason(), "");
        }
}

TEST(Evaluator, IsNativeFromTheStartIfAskedTo) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    Evaluator evaluator(some_kernel(3), {.backend = Backend::jit});
    EXPECT_TRUE(evaluator.is_native());
    EXPECT_EQ(wrong_output(evaluator, 1), "");
    Evaluator contracted(some_kernel(3), {.contraction = true});
    EXPECT_TRUE(contracted.is_native());
}

TEST(Evaluator, StaysOnTheInterpreterIfAskedTo) {
    Evaluator evaluator(some_kernel(4), {.backend = Backend::interpreter, .lanes = 3});
    evaluator.wait();
    EXPECT_FALSE(evaluator.is_native());
    EXPECT_EQ(evaluator.compile_seconds(), 0);
    EXPECT_EQ(evaluator.code_size(), 0u);
    EXPECT_EQ(evaluator.reason(), "native code is off: the backend is the interpreter");
    EXPECT_EQ(wrong_output(evaluator, 1), "");
}

TEST(Evaluator, InterpretsWhereNativeCodeHasNoSuchLanes) {
    Evaluator evaluator(some_kernel(4), {.lanes = 4});
    EXPECT_EQ(evaluator.reason(), "native code is off: it has 1 or 8 lanes, not 4");
    EXPECT_EQ(wrong_output(evaluator, 1), "");
    EXPECT_THROW(Evaluator(some_kernel(4), {.backend = Backend::jit, .lanes = 4}), InvalidInput);
    EXPECT_THROW(Evaluator(some_kernel(4), {.lanes = 0}), InvalidInput);
}

TEST(Evaluator, CompilesNothingThatDoesNotPay) {
    Evaluator few(some_kernel(5), {.expected_evaluations = 3});
    few.wait();
    EXPECT_FALSE(few.is_native());
    EXPECT_EQ(few.reason(), "native code is off: compiling would take longer than it saves");
    Evaluator many(some_kernel(5), {.expected_evaluations = 1e9});
    many.wait();
    EXPECT_EQ(many.is_native(), expr::plugin().available());
}

TEST(Evaluator, DoesNotAllocatePerEvaluation) {
    for (const Backend backend : {Backend::interpreter, Backend::automatic})
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            Evaluator evaluator(some_kernel(seed), {.backend = backend});
            Call call(evaluator.kernel(), seed);
            auto workspace = evaluator.make_workspace(); // made before native code is there
            evaluator.wait();                            // the thread that compiles rests: it would count too
            const std::size_t before = n_allocations();
            evaluator(call.inputs.data(), call.outputs.data(), workspace);
            EXPECT_EQ(n_allocations(), before);
        }
}

TEST(Evaluator, CanBeMovedWhileItsCodeIsBeingMade) {
    std::vector<Evaluator> evaluators;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) evaluators.emplace_back(some_kernel(seed));
    std::swap(evaluators.front(), evaluators.back());
    for (auto& evaluator : evaluators) {
        EXPECT_EQ(wrong_output(evaluator, 1), "");
        evaluator.wait();
        EXPECT_EQ(wrong_output(evaluator, 1), "");
    }
}

TEST(Evaluator, MayBeDestroyedAtAnyTime) {
    for (int round = 0; round < 3; ++round) {
        std::vector<std::thread> threads;
        std::atomic<int> n_wrong = 0;
        for (std::uint64_t t = 0; t < 4; ++t)
            threads.emplace_back([&n_wrong, t] {
                for (std::uint64_t k = 0; k < 10; ++k) {
                    Evaluator evaluator(some_kernel(100 * t + k, 400));
                    if (k % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(k)); // running or done
                    if (k % 3 == 1 && !wrong_output(evaluator, k).empty()) ++n_wrong;
                }
            });
        for (auto& thread : threads) thread.join();
        EXPECT_EQ(n_wrong, 0);
    }
    Evaluator last(some_kernel(1));
    last.wait(); // what was cancelled does not hold it up for long
    EXPECT_EQ(last.is_native(), expr::plugin().available());
}

TEST(Evaluator, ServesSeveralThreadsWithWorkspacesOfTheirOwn) {
    Evaluator evaluator(some_kernel(42, 2000));
    std::vector<std::string> problems(4);
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            auto workspace = evaluator.make_workspace();
            for (std::uint64_t k = 0; k < 50 && problems[t].empty(); ++k)
                problems[t] =
                    wrong_output(evaluator, 10 * t + k, workspace); // the change of tiers falls somewhere here
        });
    for (auto& thread : threads) thread.join();
    for (const auto& problem : problems) EXPECT_EQ(problem, "");
}

// --- in processes of their own ------------------------------------------------------------------------------------

[[noreturn]] void evaluate_without_plugin() {
    setenv("VESSIOT_JIT", "/nonexistent/vessiot_jit.so", 1);
    Evaluator evaluator(some_kernel(6));
    evaluator.wait();
    if (evaluator.is_native() || !wrong_output(evaluator, 1).empty()) std::exit(1);
    fmt::print(stderr, "{}\n", evaluator.reason());
    try {
        Evaluator(some_kernel(6), {.backend = Backend::jit});
    } catch (const InvalidInput& error) {
        fmt::print(stderr, "{}\n", error.what());
        std::exit(0);
    }
    std::exit(2);
}

TEST(EvaluatorDeathTest, WorksWithoutThePlugin) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(evaluate_without_plugin(), testing::ExitedWithCode(0),
                "native code is off: cannot load /nonexistent/vessiot_jit.so: .*; the interpreter does the work .*\n"
                "native code is off: .*The backend jit needs native code: set backend to automatic or interpreter");
}

[[noreturn]] void exit_while_compiling(int milliseconds) {
    static std::vector<Evaluator> evaluators; // destroyed after the worker has been stopped
    for (std::uint64_t seed = 1; seed <= 20; ++seed) evaluators.emplace_back(some_kernel(seed, 3000));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    std::exit(0);
}

TEST(EvaluatorDeathTest, EndsCleanlyWhileCodeIsBeingMade) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const int milliseconds : {0, 1, 5, 30, 100})
        EXPECT_EXIT(exit_while_compiling(milliseconds), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace vessiot::test::evaluator_test
