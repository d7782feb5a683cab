// A finding made small: what can be left out or simplified while the run still fails in the same way.
#pragma once

#include "differential/child.hpp"

namespace vessiot::differential {

struct Finding {
    System system;
    RunOptions run;
    Outcome outcome;
};

// At most `budget` runs are tried.
Finding shrink(Finding finding, const Limits& limits, int budget, const Judge& judge_one = judge);

} // namespace vessiot::differential
