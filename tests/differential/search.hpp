// Many systems, in several processes; findings are shrunk and written.
#pragma once

#include <string>
#include <vector>

#include "differential/classes/classes.hpp"
#include "differential/counts.hpp"
#include "differential/shrink.hpp"

namespace vessiot::differential {

struct Search {
    std::uint64_t seed = 1, count = 1000; // systems seed, seed + 1, …; of class seed mod number of classes
    std::vector<const ClassInfo*> classes{};
    int runs = 3;       // beside the plain one
    int jobs = 1;       // processes
    double minutes = 0; // > 0: at most
    int shrink_budget = 400;
    int most_findings = 20;    // of one process: more are counted, but not shrunk and written
    bool counts_known = false; // instead of reporting them
    std::string folder = "findings";
    Limits limits{};
};

Counts search(const Search& what);

// The finding as a model with its story, and the place where it was written.
std::string story(const Finding& finding, const Finding& original, const std::string& file);

} // namespace vessiot::differential
