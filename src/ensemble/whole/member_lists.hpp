// The lists of whole_lists.hpp that are not rounds, from the parts of a run that was made.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ensemble/whole/put_functions.hpp"
#include "lanes/round_places.hpp"
#include "solve/problem/workspace.hpp"
#include "solve/run/run.hpp"

namespace vessiot::ensemble {

struct MemberParts {
    Workspace<double>& workspace;
    Run<double>& run;
    const Settings& settings;
    // What varies: elements of all parameters, and start values by name, each with its number among the varied.
    const std::vector<std::pair<std::size_t, std::size_t>>& parameters;
    const std::vector<std::pair<std::string, std::size_t>>& starts;
    double t = 0;                                   // where it starts
    std::optional<double> h_first{};                // where that is given
    std::optional<Run<double>::Lent> lent{};        // steps
    std::array<double, lanes::n_numbers> numbers{}; // of a run that lends them
};

// Null where a member has values that are computed in other ways.
std::shared_ptr<const expr::Kernel> start_list(MemberParts& parts, const std::vector<lanes::FixedInput>& fixed);
// `columns`: places among the values of a point, then among its outputs.
std::shared_ptr<const expr::Kernel> record_list(MemberParts& parts, double end,
                                                const std::vector<std::size_t>& columns);

} // namespace vessiot::ensemble
