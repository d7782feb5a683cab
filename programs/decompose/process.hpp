// Another program as a process: input given at once, output read, a time limit.
//
// It runs in a process group of its own and is ended with all that it started: at the time limit, where it writes
// without end, where the caller asks for it, and where this process dies. Nothing is left of it: no zombie, and no
// file, since its input lies in memory, and the folder that it works in is its own: empty at first, and removed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace vessiot::decompose {

struct ProcessResult {
    enum class End {
        exited,    // with `code`
        signalled, // by the signal `code`, not ours
        timed_out,
        interrupted, // the caller asked for it
        too_much,    // output beyond the limit
    };
    End end = End::exited;
    int code = 0;
    std::string output; // what it wrote to standard output and standard error
};

struct ProcessLimits {
    double time_s = 60;
    std::size_t output_bytes = std::size_t{64} << 20;
    std::string hidden_variables{}; // of the environment, those whose names begin with this; empty: none
};

// `program` is a path. `is_interrupted` is asked ten times a second at least. Throws std::system_error where it cannot
// be started.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& input, const ProcessLimits& limits,
                          const std::function<bool()>& is_interrupted = {});

// The path of an executable file: of the name itself where it has a slash, else in the folders of PATH; empty: none.
std::string find_program(const std::string& name);

} // namespace vessiot::decompose
