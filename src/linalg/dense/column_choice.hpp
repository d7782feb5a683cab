// Which columns of a matrix with few rows make a square part that is far from singular?
//
// Few rows: QR with column pivoting, dense. Many: Gaussian elimination row after row, sparse, each row giving the
// column of its largest remaining entry; for a chain in time in proportion to its length.
#pragma once

#include <cstdint>
#include <vector>

#include "core/quad.hpp"
#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

// As many columns as A has rows, ascending; empty where the rows are dependent, or an entry is not finite. Takes
// memory.
template <class S> std::vector<std::int32_t> independent_columns(const Pattern& a, const S* entries);

extern template std::vector<std::int32_t> independent_columns(const Pattern&, const double*);
extern template std::vector<std::int32_t> independent_columns(const Pattern&, const Quad*);

} // namespace vessiot::linalg
