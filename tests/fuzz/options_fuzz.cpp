// Lines `name = value` as options of the command line and of a model: each is set or refused with a message, and so is
// a run with all of them, which is tried for one input in 16: it takes far longer than reading them.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "fuzz/mutate_model.hpp"
#include "solve/options/options.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace {

using namespace vessiot;

const std::string pendulum = "unknown x, y, z\nx'' = -z*x\ny'' = -z*y - 9.81\nx^2 + y^2 = 1\n"
                             "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 0.1\nevent low: x = 0.99\n";

void run(const Model& model, SolveOptions options) {
    options.max_steps = std::min<std::int64_t>(options.max_steps.value_or(20), 20);
    options.max_events = std::min<std::int64_t>(options.max_events.value_or(20), 20);
    if (options.backend == "jit") options.backend = "interpreter"; // compiling takes too long here
    options.throw_on_failure = false;
    options.checkpoint.clear();
    options.resume.clear();
    options.streams.clear();
    if (options.every > 0 && options.every < 1e-4) return; // so many points were asked for
    if (solve(model, options).message.empty()) __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 1000) return 0;
    std::istringstream lines(std::string(data, data + size));
    SolveOptions options;
    std::string text = pendulum;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t sign = line.find('=');
        if (sign == std::string::npos) continue;
        const std::string name = line.substr(0, sign), value = line.substr(sign + 1);
        try {
            apply_option(options, name.starts_with("--") ? name : "--" + name, value);
            text += "option " + name + " = " + value + "\n";
        } catch (const InvalidInput&) {
        }
    }
    const bool solves = fuzz::is_one_in(16, data, size);
    try {
        check(options);
        if (!solves) return 0;
        static const Model model = Model::parse(pendulum, "fuzz.ves");
        run(model, options);
    } catch (const InvalidInput&) {
    }
    if (!solves) return 0;
    try {
        run(Model::parse(text, "fuzz.ves"), {.backend = "interpreter"});
    } catch (const InvalidInput&) {
    }
    return 0;
}
