// Models and solutions that threads share: every thread gets the bits that it would get alone, and nothing is left
// behind in the model.
#include <gtest/gtest.h>

#include <malloc.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "core/error.hpp"
#include "expr/graph/graph.hpp"
#include "model/builder.hpp"
#include "vessiot/functions.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"
#include "vessiot/stream.hpp"

namespace vessiot::threads_test {
namespace {

constexpr int n_threads = 8;

// Calls task(k) in thread k, all at the same moment.
void at_once(const std::function<void(int)>& task) {
    std::atomic<int> n_ready = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < n_threads; ++k)
        threads.emplace_back([&, k] {
            ++n_ready;
            while (n_ready < n_threads) std::this_thread::yield();
            task(k);
        });
    for (std::thread& t : threads) t.join();
}

bool has_bits_of(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool has_bits_of(const Solution& a, const Solution& b) {
    return a.status == b.status && has_bits_of(a.t, b.t) && has_bits_of(a.numbers, b.numbers) &&
           has_bits_of(a.output_numbers, b.output_numbers) && a.stats.steps == b.stats.steps && a.message == b.message;
}

Model gallery(const std::string& name, const TextSettings& settings = {}) {
    return Model::load(std::filesystem::path(VESSIOT_SOURCE_DIR) / "gallery" / (name + ".ves"), settings);
}

Model written_pendulum() {
    Model m("pendulum");
    auto g = m.parameter("g", 9.81);
    auto x = m.unknown("x"), y = m.unknown("y");
    m.lagrangian((der(x) * der(x) + der(y) * der(y)) / 2 - g * y);
    m.constraint(x * x + y * y == 1);
    m.start(x == 1);
    m.interval(0, 1);
    m.output("tension", m.multipliers()(1));
    return m;
}

void expect_equal_solves(const Model& model, const SolveOptions& options, int n) {
    const Solution alone = solve(model, options);
    ASSERT_EQ(alone.status, Status::success) << alone.message;
    std::atomic<int> n_other = 0;
    at_once([&](int) {
        for (int k = 0; k < n; ++k) n_other += !has_bits_of(solve(model, options), alone);
    });
    EXPECT_EQ(n_other, 0) << alone.model << " with " << options.method.value_or("auto");
}

TEST(Threads, SolveOneTextModelAndGetTheBitsOfOneThread) {
    expect_equal_solves(gallery("pendulum"), {.method = "dopri54", .to = 1}, 5);
    expect_equal_solves(gallery("pendulum"), {.method = "taylor", .to = 1}, 2);
    expect_equal_solves(gallery("mech", {.set = {{"n", "20"}}}), {.method = "rattle", .step = 0.01, .to = 0.1}, 2);
}

TEST(Threads, SolveStiffAndOverdeterminedModels) {
    expect_equal_solves(gallery("transistor_amplifier"), {.method = "radau5", .to = 0.01}, 1);
    expect_equal_solves(gallery("pendulum_first_order"), {.to = 0.5}, 1);
}

TEST(Threads, SolveInQuadAndWithSensitivities) {
    expect_equal_solves(gallery("pendulum"), {.to = 0.3, .precision = "quad"}, 1);
    expect_equal_solves(gallery("pendulum"), {.to = 0.3, .sensitivity = {"g"}}, 2);
}

TEST(Threads, CompleteOneWrittenModelWhenTheyFirstUseIt) {
    const Solution alone = solve(written_pendulum());
    ASSERT_EQ(alone.status, Status::success);
    const Model model = written_pendulum();
    const std::string text = written_pendulum().describe();
    std::atomic<int> n_other = 0;
    at_once([&](int k) {
        if (k % 4 == 3) {
            n_other += model.describe() != text;
            const Functions functions(model);
        } else {
            n_other += !has_bits_of(solve(model), alone);
        }
    });
    EXPECT_EQ(n_other, 0);
}

TEST(Threads, ReadOneSolution) {
    for (const char* const name : {"pendulum", "mech"}) {
        const Solution sol = solve(gallery(name), {.rtol = 1e-4, .to = 1});
        ASSERT_EQ(sol.status, Status::success);
        constexpr int n = 200;
        std::vector<std::vector<double>> alone;
        for (int k = 0; k < n; ++k) alone.push_back(sol(k / double(n)));
        std::atomic<int> n_other = 0;
        at_once([&](int thread) {
            for (int k = 0; k < n; ++k) {
                const int at = (k * 37 + thread * 11) % n; // each in an order of its own
                n_other += !has_bits_of(sol(at / double(n)), alone[static_cast<std::size_t>(at)]);
            }
        });
        EXPECT_EQ(n_other, 0) << name;
    }
}

TEST(Threads, WriteFilesOfTheirOwn) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "vessiot_threads";
    std::filesystem::create_directories(folder);
    const Model model = gallery("pendulum");
    const auto path = [&](int k) { return (folder / ("run" + std::to_string(k) + ".h5")).string(); };
    try {
        hdf5_stream(path(0));
    } catch (const InvalidInput& e) {
        GTEST_SKIP() << e.what(); // a build without HDF5
    }
    std::atomic<int> n_failed = 0;
    at_once([&](int k) {
        SolveOptions options{.to = 2};
        options.streams = {hdf5_stream(path(k))};
        const Solution sol = solve(model, options);
        n_failed += sol.status != Status::success;
    });
    EXPECT_EQ(n_failed, 0);
    for (int k = 1; k < n_threads; ++k)
        EXPECT_EQ(std::filesystem::file_size(path(k)), std::filesystem::file_size(path(0)));
    std::filesystem::remove_all(folder);
}

TEST(Solves, LeaveNothingBehindInTheModel) {
    const Model model = gallery("pendulum");
    const expr::Graph& graph = *ModelAccess::builder(model).complete().graph;
    const std::size_t n_nodes = graph.n_nodes(), n_arrays = graph.n_arrays();
    const SolveOptions options{.to = 0.1, .backend = "interpreter"};
    for (int k = 0; k < 20; ++k) solve(model, options);
    const std::size_t before = mallinfo2().uordblks;
    for (int k = 0; k < 200; ++k) solve(model, options);
    EXPECT_EQ(graph.n_nodes(), n_nodes);
    EXPECT_EQ(graph.n_arrays(), n_arrays);
    // NOTE: 0 under sanitizers, whose allocator does not count here
    EXPECT_LT(mallinfo2().uordblks, before + 16'384);
}

} // namespace
} // namespace vessiot::threads_test
