// The runs behind Liu's tables and figures. What the paper does not print (intervals, the data of examples 3 and 6) is
// that of the gallery.
#pragma once

#include <string>
#include <vector>

#include "reproduce/paper.hpp"

namespace vessiot::reproduce::liu_runs {

// Example 1, Lotka and Volterra, with Newton's rule and tolerance; "" for those of the program.
RunSetting lotka_volterra(const std::string& method, const std::string& step, const std::string& rule = "",
                          const std::string& tolerance = "");
// Example 2.
RunSetting planar(const std::string& method);
// Example 3.
RunSetting friction(const std::string& method, const std::string& step);
// Examples 4 and 5, as differential equations with a constraint.
RunSetting index2(const std::string& method, const std::string& step);
RunSetting index3(const std::string& method);
// Example 6, with both invariants or with the energy alone.
RunSetting top(const std::string& method, bool has_both);
// Example 7, up to 60 seconds.
RunSetting reactor(const std::string& step_in_seconds);
// Example 8. `invariants`: 0 the energy, 1 the momentum.
RunSetting kepler(const Settings& options, const std::string& eps, const std::vector<std::size_t>& invariants);

// Rows of Table 2.
struct KeplerMethod {
    std::string name;
    Settings options;
    std::vector<std::size_t> invariants; // that the method knows of
};
const std::vector<KeplerMethod>& kepler_methods();

// Of an output: the largest |value - first value|, and the largest |value|.
double drift(const Solution& solution, const std::string& output);
double largest(const Solution& solution, const std::string& output);

// A number of a run, or why it ended.
Computed number(const Solution& solution, double value);

} // namespace vessiot::reproduce::liu_runs
