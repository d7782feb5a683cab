// Coordinates that no projection moves: s where the model says s' = 0, or x' where it says x'' = 0.
//
// A projection takes the derivatives of the constraints by what may move only: the entries of df in the columns of
// fixed coordinates are left out. Derivatives of a fixed one that are coordinates too (s' of s, where completion
// differentiates s' = 0) keep the entry of their own equation, which says that they are 0. Where a row would then have
// no column of its own, it keeps its entries: what has nothing else to be satisfied by has to hold as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "completion/prolongation.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "system/system.hpp"

namespace vessiot {

struct ConstraintRow;

struct FixedCoordinates {
    std::vector<char> is_fixed{};         // by coordinate; empty where none is
    std::vector<std::int64_t> left_out{}; // entries of df
};

// `rows` and `levels` as the manifold has them; of equations by levels, each row finds its column in its own level.
FixedCoordinates find_fixed(const System& system, const Prolongation& p, const std::vector<ConstraintRow>& rows,
                            const std::vector<int>& levels, bool has_levels, const linalg::Pattern& df);

} // namespace vessiot
