// Which equation contains which unknown, and how often differentiated, element by element; and how many of them can be
// paired.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system/system.hpp"

namespace vessiot {

// Equations and unknowns are numbered element by element, families in the order of their loops.
struct Incidence {
    std::int64_t n_equations = 0, n_unknowns = 0;
    std::vector<std::int64_t> start;   // compressed rows: n_equations + 1 numbers
    std::vector<std::int32_t> unknown; // ascending in each row
    std::vector<std::int32_t> order;   // beside it: the highest derivative of the unknown in the equation
    std::vector<std::int64_t> family;  // of System::equations: the first equation of each, and n_equations
};

struct Matching {
    std::int64_t size = 0;
    std::vector<std::int32_t> equation_of; // by unknown; -1: none
};

Incidence make_incidence(const System& system);

// Hopcroft and Karp: O(entries * sqrt(equations)). Only the rows are read (start, unknown). A matching that is known
// already is made larger: what it pairs stays paired, perhaps with another partner.
Matching maximum_matching(const Incidence& incidence, Matching known = {});

// The name of unknown number k: x, y[3], z[2,1].
std::string element_name(const System& system, std::int64_t k);

} // namespace vessiot
