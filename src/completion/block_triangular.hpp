// The fine block triangular form of the system of the highest derivatives: F_i^(c_i) = 0 for y_j^(d_j), with the
// entries d_j - c_i = sigma_ij. The blocks can be solved one after the other, each with what those before it gave.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "completion/assignment.hpp"
#include "completion/offsets.hpp"
#include "completion/signature.hpp"

namespace vessiot {

struct BlockTriangular {
    std::vector<std::int64_t> start{0};    // block b: positions start[b] .. start[b+1] of the two lists
    std::vector<std::int32_t> equations{}; // in the order of solving
    std::vector<std::int32_t> unknowns{};  // beside each equation its partner

    std::int64_t n_blocks() const { return std::ssize(start) - 1; }
    std::int64_t largest() const;
    std::span<const std::int32_t> equations_of(std::int64_t block) const;
    std::span<const std::int32_t> unknowns_of(std::int64_t block) const;
};

// The strongly connected components of the graph of equations with an edge from i to the partner of every unknown in
// row i (Tarjan's algorithm, without recursion): O(entries).
BlockTriangular block_triangular_form(const Signature& s, const Assignment& transversal, const Offsets& offsets);

} // namespace vessiot
