// Ensembles on a graphics processor, without one: a driver of paper (support/fake_cuda.cpp), whose launches run the
// same list on the interpreter.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "ensemble/rounds.hpp"
#include "ensemble/whole/whole_gpu.hpp"
#include "expr/kernel/evaluator.hpp"
#include "lanes/gpu/gpu_crew.hpp"
#include "model/builder.hpp"
#include "solve/options/options.hpp"
#include "support/refusal.hpp"
#include "support/skip.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/model.hpp"

namespace vessiot {
namespace {

using test::has;
using test::refusal;

constexpr const char* pendulum = R"(
parameter g = 9.81, l = 1
unknown x, y, lambda
x'' = -lambda*x
y'' = -lambda*y - g
x^2 + y^2 = l^2
start x = l, y = 0, x' = 0, y' = 0
solve t = 0..3
)";

// The lists that launches run, and how a member's numbers are read and written.
std::shared_ptr<const expr::Kernel> round_of_members; // NOLINT(cert-err58-cpp)
std::int64_t n_coordinates = 0;
std::optional<lanes::WholeRounds> whole; // NOLINT(cert-err58-cpp)
int n_launches = 0, n_whole = 0;

expr::Evaluator interpreted(const std::shared_ptr<const expr::Kernel>& kernel) {
    return expr::Evaluator(kernel, expr::EvaluatorOptions{.backend = expr::Backend::interpreter});
}

void run_rounds(expr::Evaluator& round, double* state, const double* fixed, std::uint64_t stride, std::uint64_t m,
                std::uint64_t most) {
    const auto n = static_cast<std::size_t>(n_coordinates);
    const std::vector<lanes::FixedInput> inputs = lanes::fixed_inputs(*round_of_members);
    std::vector<std::vector<double>> constants(method::n_attempt_inputs, std::vector<double>(100));
    for (std::size_t k = 0; k < inputs.size(); ++k)
        constants[inputs[k].buffer][static_cast<std::size_t>(inputs[k].element)] = fixed[k * stride + m];
    std::vector<double> before(lanes::n_numbers + 2 * n), after = before;
    for (std::size_t k = 0; k < before.size(); ++k) after[k] = state[k * stride + m];
    double** const slots = round.slots();
    for (std::uint32_t b = 0; b < method::n_attempt_inputs; ++b) slots[b] = constants[b].data();
    const auto point = [&](std::vector<double>& v) { return v.data() + lanes::n_numbers; };
    do {
        before = after;
        slots[method::step_input] = before.data();
        slots[method::start_input] = point(before);
        slots[method::first_input] = point(before) + n;
        slots[lanes::numbers_out] = after.data();
        slots[lanes::point_out] = point(after);
        slots[lanes::direction_out] = point(after) + n;
        round.run();
    } while (after[lanes::outcome_number] == 0 && --most > 0);
    for (std::size_t k = 0; k < after.size(); ++k) state[k * stride + m] = after[k];
}

// A list that is executed once: inputs and outputs are numbers of the state.
void run_once(expr::Evaluator& list, const lanes::WholeRounds::List& where, double* numbers, std::uint64_t stride,
              std::uint64_t m) {
    const auto& buffers = where.kernel->buffers;
    std::vector<std::vector<double>> memory(where.first.size());
    for (std::size_t b = 0; b < memory.size(); ++b) {
        const bool is_input = buffers[b].role == expr::BufferRole::input;
        const std::size_t size = !is_input ? static_cast<std::size_t>(buffers[b].size)
                                 : b == 0  ? whole->n_given
                                           : static_cast<std::size_t>(whole->n);
        memory[b].assign(size, 0);
        for (std::size_t e = 0; is_input && e < size; ++e) memory[b][e] = numbers[(where.first[b] + e) * stride + m];
        list.slots()[b] = memory[b].data();
    }
    list.run();
    for (std::size_t b = 0; b < memory.size(); ++b)
        for (std::size_t e = 0; buffers[b].role == expr::BufferRole::output && e < memory[b].size(); ++e)
            numbers[(where.first[b] + e) * stride + m] = memory[b][e];
}

std::mutex one_launch; // several processors share the lists

void launch(const char* text, void** arguments) {
    const std::lock_guard lock(one_launch);
    const auto number = [&](int k) { return *static_cast<std::uint64_t*>(arguments[k]); };
    auto* const state = reinterpret_cast<double*>(number(0));
    const auto* const fixed = reinterpret_cast<const double*>(number(1));
    const auto* const list = reinterpret_cast<const std::uint32_t*>(number(2));
    const bool is_start = std::strstr(text, "vessiot_start"), is_record = std::strstr(text, "vessiot_record");
    ++n_launches;
    n_whole += is_record ? 1 : 0;
    if (is_start || is_record) {
        const lanes::WholeRounds::List& where = is_start ? whole->start : whole->record;
        expr::Evaluator once = interpreted(where.kernel);
        for (std::uint64_t i = 0; i < number(4); ++i) run_once(once, where, state, number(3), list[i]);
        return;
    }
    expr::Evaluator round = interpreted(round_of_members);
    for (std::uint64_t i = 0; i < number(4); ++i)
        run_rounds(round, state, fixed, number(3), list[i], std::min<std::uint64_t>(number(5), 20));
}

// NOTE: how many processors there are is asked for once in a process.
void set_driver(const char* fails = "", std::size_t most_bytes = ~std::size_t{0}) {
    static void* const library = dlopen(VESSIOT_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_TRUE(library) << dlerror();
    reinterpret_cast<void (*)(void (*)(const char*, void**), const char*, int)>(dlsym(library, "fake_cuda"))(launch,
                                                                                                             fails, 3);
    reinterpret_cast<void (*)(std::size_t)>(dlsym(library, "fake_memory"))(most_bytes);
}

Problem problem_of(const std::string& method = "dop853") {
    return Problem(Model::parse(pendulum), {.method = method, .rtol = 1e-8, .throw_on_failure = false});
}

EnsembleOptions members(Device device, int n = 50) {
    EnsembleOptions options{.table_names = {"g", "l"}, .device = device};
    for (int k = 0; k < n; ++k)
        for (const double v : {1 + 15.0 / n * k, k % 9 == 4 ? 0 : k % 11 == 3 ? 1e200 : 0.5 + 1.0 / n * k})
            options.table.push_back(v);
    return options;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::shared_ptr<ProblemCore> core_of(const std::string& method) {
    const Model model = Model::parse(pendulum);
    const System system = ModelAccess::system(model);
    return std::make_shared<ProblemCore>(system, with_model_options(system, {.method = method, .rtol = 1e-8}));
}

// The list of the same model, for launches.
void make_rounds(const std::string& method) {
    const auto core = core_of(method);
    Told told(*core);
    told.tell(RunOptions{.dense = false, .keep = 2});
    SolveInParts solve(*core, told);
    ensemble::Rounds rounds;
    while (!solve.run().is_over() && !rounds.lend(solve.run())) solve.run().advance();
    ASSERT_TRUE(rounds.kernel());
    round_of_members = rounds.kernel();
    n_coordinates = rounds.n();
}

// Those of whole members that vary in g and l, up to t = 1.
void make_whole(const std::vector<std::string>& columns) {
    const auto core = core_of("dop853");
    const auto run = [](std::int64_t k, std::span<double> varied) {
        varied[0] = 3 + 0.1 * static_cast<double>(k);
        varied[1] = 1;
        return RunOptions{.parameters = {{"g", varied[0]}, {"l", varied[1]}}, .to = 1, .dense = false, .keep = 2};
    };
    const auto lists = ensemble::make_whole_lists({*core, {"g", "l"}, columns, 9, run});
    ASSERT_TRUE(lists);
    whole = ensemble::whole_rounds(*lists);
    round_of_members = lists->round;
    n_coordinates = lists->n;
}

class Gpu : public testing::Test {
protected:
    void SetUp() override {
        VESSIOT_SKIP_WITHOUT_PLUGIN();
        set_driver();
    }
};

// Before the others: a driver that was started once stays.
TEST_F(Gpu, IsRefusedWhereItsDriverIsTooOld) {
    set_driver("old");
    EXPECT_TRUE(has(refusal([] { problem_of().ensemble(members(Device::gpu)); }), "CUDA 7.5, and 8.0 is needed"));
}

TEST_F(Gpu, HasTheMembersOfTheProcessor) {
    for (const std::string method : {"dop853", "dopri54"}) {
        make_rounds(method);
        n_launches = 0;
        const Problem problem = problem_of(method);
        const EnsembleResult alone = problem.ensemble(members(Device::cpu)),
                             there = problem.ensemble(members(Device::gpu));
        EXPECT_TRUE(same_bits(alone.members.values, there.members.values));
        EXPECT_EQ(alone.members.status, there.members.status);
        EXPECT_EQ(alone.members.steps, there.members.steps);
        EXPECT_EQ(alone.members.messages, there.members.messages);
        EXPECT_GT(alone.counts[1] + alone.counts[2], 2); // members that fail, too
        EXPECT_GT(n_launches, 2);                        // of 20 rounds each
        EXPECT_EQ(there.device, "paper, CUDA 12.8");
        EXPECT_GT(there.device_seconds, 0);
    }
}

// From their start points to what is recorded; those that are not plain here.
TEST_F(Gpu, HasWholeMembers) {
    n_whole = 0;
    const Problem problem = problem_of();
    const auto with = [](Device device, int n) {
        EnsembleOptions options = members(device, n);
        options.lanes = Lanes::eight;
        options.run.to = 1;
        return options;
    };
    make_whole(problem.ensemble(with(Device::cpu, 2)).head.columns);
    for (const std::size_t most_bytes : {~std::size_t{0}, std::size_t{200'000}}) {
        set_driver("", most_bytes);
        for (const int n : {50, 3500}) {
            const EnsembleResult alone = problem.ensemble(with(Device::cpu, n)),
                                 there = problem.ensemble(with(Device::gpu, n));
            EXPECT_TRUE(same_bits(alone.members.values, there.members.values));
            EXPECT_EQ(alone.members.status, there.members.status);
            EXPECT_EQ(alone.members.steps, there.members.steps);
            EXPECT_EQ(alone.members.messages, there.members.messages);
            EXPECT_GT(alone.counts[1] + alone.counts[2], 2); // members that fail, too
        }
    }
    EXPECT_GT(n_whole, 8);
}

// Three of them, also with memory for a few hundred members only.
TEST_F(Gpu, SharesMembersAmongSeveralInBlocksThatFit) {
    make_rounds("dopri54");
    const Problem problem = problem_of("dopri54");
    const auto all = [](Device device) {
        EnsembleOptions options = members(device, 3500);
        options.run.to = 0.2;
        return options;
    };
    const EnsembleResult alone = problem.ensemble(all(Device::cpu));
    for (const std::size_t most_bytes : {~std::size_t{0}, std::size_t{100'000}}) {
        set_driver("", most_bytes);
        const EnsembleResult there = problem.ensemble(all(Device::gpu));
        EXPECT_TRUE(same_bits(alone.members.values, there.members.values));
        EXPECT_EQ(alone.members.status, there.members.status);
        EXPECT_EQ(there.device, "3 x paper, CUDA 12.8");
    }
    set_driver("", 1000);
    EXPECT_TRUE(has(refusal([&] { problem.ensemble(all(Device::gpu)); }), "has no memory for"));
}

TEST_F(Gpu, SaysWhatFailed) {
    make_rounds("dop853");
    const Problem problem = problem_of();
    problem.ensemble(members(Device::gpu)); // the driver is started
    const auto said = [&](const char* call) {
        set_driver(call);
        return refusal([&] { problem.ensemble(members(Device::gpu)); });
    };
    EXPECT_TRUE(has(said("cuModuleLoadDataEx"), "a bad line"));
    EXPECT_TRUE(has(said("cuMemAlloc"), "has no memory for 50 members"));
    EXPECT_TRUE(has(said("cuMemcpyHtoD"), "take numbers"));
    EXPECT_TRUE(has(said("cuMemcpyDtoH"), "give numbers back"));
    EXPECT_TRUE(has(said("cuLaunchKernel"), "CUDA_ERROR_OUT_OF_MEMORY"));
    set_driver();
    EXPECT_EQ(problem.ensemble(members(Device::gpu)).done(), 50);
}

} // namespace
} // namespace vessiot
