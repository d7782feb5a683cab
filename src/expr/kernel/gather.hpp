// What is known about the targets of contributions.
#pragma once

#include <optional>
#include <vector>

#include "expr/graph/graph.hpp"

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

// The indices of the target are loop variables that run through the whole array: A[i,j] += ..., with or without further
// variables to sum over.
bool covers_array(const Graph& g, const Array& a, const Contribution& c);

// No two instances of the contributions share a target, as far as this can be told from their ranges.
bool are_disjoint(const IndexSpace& index, const std::vector<Contribution>& contributions);

// Elements of `let` families replaced by their templates where that costs little: bodies then depend on inputs
// directly, and their derivatives need no products of matrices. `is_generous`: also where a template is needed at
// several indices.
std::vector<Contribution> inline_families(Graph& g, const std::vector<Contribution>& contributions, bool is_generous);

// A sum that enters a body linearly is a family of contributions of its own:  A[i] += u + c*sum(j, b(i,j))  is
// A[i] += u  and  A[i] += c*b(i,j) for all i, j. Derivatives of such bodies then need no products of matrices.
std::vector<Contribution> unfold_sums(Graph& g, const std::vector<Contribution>& contributions);

} // namespace vessiot::expr
