// Runs are judged in processes of their own: a signal or a hang is a finding, and not the end of the search.
#pragma once

#include <functional>
#include <vector>

#include "differential/judge.hpp"

namespace vessiot::differential {

struct Limits {
    double cpu_s = 40;   // of one run; in quadruple precision tens of thousands of steps are no hang
    double wall_s = 120; // for one that waits, and does not work
};

using Judge = std::function<Outcome(const System& system, const RunOptions& run)>;

// The outcomes of all runs, in their order. Where a process dies, the next run gets a new one.
std::vector<Outcome> judge_apart(const System& system, const std::vector<RunOptions>& runs, const Limits& limits,
                                 const Judge& judge_one = judge);

} // namespace vessiot::differential
