// Solves a system, from its analysis to the filled Solution.
#pragma once

#include "system/system.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

// With options in which nothing is left to the model's own `option` lines (options.hpp: with_model_options). Throws
// InvalidInput where the system, the options or the start point are wrong, and SolveFailed, if asked for, where the run
// ended early.
Solution solve_system(const System& system, const SolveOptions& options);

// A warning of a model as a note: without the line of the model that it shows.
inline std::string first_line(const std::string& warning) {
    return warning.substr(0, warning.find('\n'));
}

} // namespace vessiot
