// One run of a system: options in the words of the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "differential/choice.hpp"
#include "differential/system.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::differential {

struct RunOptions {
    std::vector<std::pair<std::string, std::string>> options{}; // of `option`: {"h_max", "0.1"}

    const std::string* find(const std::string& name) const;
    bool is_plain() const { return options.size() == 1; } // the back end alone
};

// The run that everyone makes first, and `n` with a method that fits, tolerances, formulation, back end, projection … .
std::vector<RunOptions> choose_runs(Choice& choice, const System& system, int n);

SolveOptions options_of(const RunOptions& run);
std::string command(const RunOptions& run, const std::string& file);

} // namespace vessiot::differential
