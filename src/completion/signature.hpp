// The signature matrix of a system.
//
//   sigma_ij = highest order to which unknown j is differentiated in equation i; no entry where it does not occur
//
// It is read off the formulas, through `let` arrays and sums: an unknown that occurs only formally (x - x after a
// rearrangement that simplification does not see) counts as one that occurs. [Pry01]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "system/incidence.hpp"
#include "system/system.hpp"

namespace vessiot {

// Sparse, by rows. Equations and unknowns are numbered element by element, families in the order of their loops.
struct Signature {
    std::int32_t n_equations = 0, n_unknowns = 0;
    std::vector<std::int64_t> start{0};    // entries of equation i: start[i] .. start[i+1]
    std::vector<std::int32_t> unknown{};   // ascending in each row
    std::vector<std::int32_t> order{};     // sigma
    std::vector<std::int64_t> equations{}; // of System::equations: number of the first of each family, and the end
    std::vector<std::int64_t> unknowns{};  // of System::unknowns: the same

    struct Row {
        std::span<const std::int32_t> unknown, order;
        std::size_t size() const { return unknown.size(); }
    };
    Row row(std::int32_t equation) const {
        const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(equation)]);
        const auto n = static_cast<std::size_t>(start[static_cast<std::size_t>(equation) + 1]) - first;
        return {std::span(unknown).subspan(first, n), std::span(order).subspan(first, n)};
    }
};

Signature make_signature(const System& system);

// Each column as a row: the equations that contain an unknown.
Signature transposed(const Signature& s);

// For each unknown its highest derivative in any equation; -1 where it occurs in none.
std::vector<std::int32_t> highest_orders(const Signature& s);

} // namespace vessiot
