// What is printed in Tables 1 to 15 of the paper by Tuomela, Arponen and Normi, CPU times apart, and the conditions of
// the runs (section 6.3).
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace vessiot::reproduce::normi {

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

// One column of a table: "4835(491)" accepted and rejected steps, "1.65(3)" mean and maximum of Newton's iterations.
struct PrintedRun {
    std::string_view steps, newton;
};

// Euler and dopri54, each with constant and with adaptive steps; without and with INIT.
struct PrintedTable {
    std::string_view number;
    std::string_view problem; // of `problems`
    bool is_general;          // "Gen. Case"; else "Sys. with Invar."
    bool is_inexact;          // Newton's method
    std::array<std::array<PrintedRun, 4>, 2> runs;
};
std::span<const PrintedTable> tables();

// Chains of n particles: energy equation yes / no, each with exact and with inexact Newton; without and with INIT.
struct PrintedChain {
    std::string_view number;
    std::string_view n, energy, end, first_step;
    std::array<std::array<PrintedRun, 4>, 2> runs;
};
std::span<const PrintedChain> chains();

// The conditions of the runs of a problem.
struct Problem {
    std::string_view name;  // in the tables
    std::string_view model; // of the gallery
    std::string_view title;
    std::string_view tolerance, step, factor_max; // step: the constant one, and the first of the adaptive runs
    Pairs start;                                  // printed
    Pairs general_start;                          // the highest derivatives, of the general case
    std::vector<double> kept;                     // values of the invariants, where the printed start point misses them
};
const Problem& problem(std::string_view name);

} // namespace vessiot::reproduce::normi
