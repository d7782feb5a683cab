// A row for every column of a square sparse matrix, with large entries where that is easy.
#pragma once

#include <cstdint>
#include <vector>

#include "core/quad.hpp"
#include "linalg/complex.hpp"
#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

// row_of[j] for all columns, no row twice, all entries (row_of[j], j) nonzero; empty where there is no such choice: the
// matrix is singular. entry k counts as large as |entries[k]| weight[row]. First the diagonal where it has at least
// 1/10 of the largest entry of its column, then the largest entry in a row that is free, then alternating paths [PF90].
template <class S>
std::vector<std::int32_t> match_rows(const Pattern& a, const S* entries, const std::vector<Real<S>>& weight);

extern template std::vector<std::int32_t> match_rows(const Pattern&, const double*, const std::vector<double>&);
extern template std::vector<std::int32_t> match_rows(const Pattern&, const Quad*, const std::vector<Quad>&);
extern template std::vector<std::int32_t> match_rows(const Pattern&, const Complex<double>*,
                                                     const std::vector<double>&);
extern template std::vector<std::int32_t> match_rows(const Pattern&, const Complex<Quad>*, const std::vector<Quad>&);

} // namespace vessiot::linalg
