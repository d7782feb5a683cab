// A problem that is compiled once and run many times, with its end point against that of a run at round-off.
#pragma once

#include <memory>

#include "system/system.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::bench {

struct TimedRun {
    Solution solution;
    double seconds = 0; // of the run, memory included, compiling and the start point apart
    double error = 0;   // maximum over coordinates at the end of |y - ref| / max(1, |ref|)
};

class CompiledProblem {
public:
    // `reference`: how the end point that errors are measured against is computed.
    CompiledProblem(const System& system, double to, const SolveOptions& reference);
    ~CompiledProblem();

    TimedRun run(const SolveOptions& given) { return (*prepare(given))(); }

    // One run after another with the same options: what the first one makes, the others have.
    class Runner {
    public:
        virtual ~Runner() = default;
        virtual TimedRun operator()() = 0;
    };
    std::unique_ptr<Runner> prepare(const SolveOptions& given);

    // The least time of at least three runs, and of 60 ms of them.
    TimedRun best(const SolveOptions& given);

private:
    class Parts;
    class RunnerOf;
    std::unique_ptr<Parts> parts_;
};

} // namespace vessiot::bench
