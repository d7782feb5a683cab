// Any text as a model that is solved, for a few steps: a solution, a failure with a reason, or a refusal.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vessiot;
    if (size > 4000) return 0;
    try {
        const Model model = Model::parse(std::string(data, data + size), "fuzz.ves", {.set = {}, .max_instances = 200});
        SolveOptions options{.max_steps = 30, .max_events = 30, .throw_on_failure = false};
        options.backend = "interpreter";
        const Solution solution = solve(model, options);
        if (solution.message.empty()) __builtin_trap();
        (void)solution.summary();
        (void)solution.json();
    } catch (const InvalidInput& e) {
        const std::string message = e.what();
        for (const char* word : {"buffer", "std::", "vector::", "basic_string", "_M_", "assert"})
            if (message.find(word) != std::string::npos &&
                std::string(data, data + size).find(word) == std::string::npos)
                __builtin_trap();
    }
    return 0;
}
