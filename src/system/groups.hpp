// Matrix unknowns and the groups that they stay in.
//
//   GL(n)  regular          SL(n)  det Y = 1              O(n), SO(n)  Y^T Y = 1
//   Sp(n)  Y^T J Y = J, J = [0 1; -1 0], n even           Stiefel(n,k)  Y^T Y = 1, n x k
//   SE(n)  [R p; 0 1], R^T R = 1, (n + 1) x (n + 1)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "system/system.hpp"

namespace vessiot {

// "SO", and how many sizes stand in its brackets.
struct GroupWord {
    MatrixGroup group;
    std::string_view word;
    int n_sizes;
};
std::span<const GroupWord> group_words();
std::string_view name(MatrixGroup group);

// Why a matrix of this shape cannot be in the group of these sizes; empty where it can.
std::string group_mismatch(MatrixGroup group, std::span<const std::int64_t> sizes, std::int64_t rows,
                           std::int64_t columns);

// How many matrices its array holds, one after the other: an array of more than two indices is a family of matrices.
std::int64_t count_matrices(const System& system, const MatrixUnknown& matrix);

// Notes the matrix and adds the equations of its group as invariants with their values. The determinant is written out
// for up to 4 rows, the others for up to 32 columns: larger matrices are kept in their group by methods for them.
void add_group(System& system, const MatrixUnknown& matrix);
// How many equations that are, of all matrices of a family.
std::int64_t count_group_equations(const System& system, const MatrixUnknown& matrix);

} // namespace vessiot
