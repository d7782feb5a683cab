// What is known about the targets of contributions.
#pragma once

#include <optional>
#include <vector>

#include "expr/graph.hpp"

namespace vessiot::expr {

// How a contribution runs through its target.
struct TargetRange {
    std::vector<std::int64_t> lo, hi;       // by dimension
    std::vector<std::int64_t> sign, offset; // target[k] = offset + sign * var; sign 0: a fixed element
    std::vector<VarId> var;
};

// The range of a target that is one-to-one with unit steps over a box; nothing for any other target.
std::optional<TargetRange> target_range(const IndexSpace& index, const Contribution& c);

// Every loop variable stands alone in some index of the target.
bool is_one_to_one(const IndexSpace& index, const Contribution& c);

// No two instances of the contributions share a target, as far as this can be told from their ranges.
bool are_disjoint(const IndexSpace& index, const std::vector<Contribution>& contributions);

} // namespace vessiot::expr
