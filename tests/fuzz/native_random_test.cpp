// Native code against the interpreter on random kernels, bit for bit. VESSIOT_RANDOM_KERNELS=<n> asks for more of them,
// VESSIOT_RANDOM_SEED=<seed> for others; kernel k of a run is kernel 0 of the run with seed + k.
#include <cstdlib>

#include "support/native_comparison.hpp"

namespace vessiot::test::native_random_test {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Compiles `n` kernels and stops after the first few that differ.
void check_kernels(const char* what, std::uint64_t n, const RandomKernelOptions& options) {
    const std::uint64_t first_seed = number_from_environment("VESSIOT_RANDOM_SEED", 20240611);
    n = number_from_environment("VESSIOT_RANDOM_KERNELS", n);
    fmt::print("{}: {} kernels, seed {}\n", what, n, first_seed);
    int n_failures = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + n && n_failures < 5; ++seed) {
        Random random(seed);
        const auto kernel = std::make_shared<const expr::Kernel>(random_kernel(random, options));
        expr::NativeOptions native;
        native.lanes = seed % 3 == 2 ? 8 : 1;
        native.optimise = seed % 5 == 4;
        const auto data = make_data(random, *kernel, native.lanes);
        const std::string problem = compare_with_interpreter(kernel, native, data);
        if (problem.empty()) continue;
        ++n_failures;
        ADD_FAILURE() << fmt::format("seed {}, {} lanes, optimise {}, {} operations: {}", seed, native.lanes,
                                     native.optimise, kernel->n_operations(), problem);
    }
}

TEST(NativeCode, AgreesWithTheInterpreterOnSmallKernels) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    check_kernels("small", 1500, {.max_operations = 40, .max_loops = 3, .max_instances = 60});
}

TEST(NativeCode, AgreesWithTheInterpreterOnStraightLineCode) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    check_kernels("straight-line", 600, {.max_operations = 300, .max_loops = 2, .only_straight_line = true});
}

TEST(NativeCode, AgreesWithTheInterpreterOnLargeKernels) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    check_kernels("large", 100, {.max_operations = 6000, .max_loops = 6, .max_instances = 1000});
}

} // namespace
} // namespace vessiot::test::native_random_test
