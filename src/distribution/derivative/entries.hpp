// Entries of sparse matrices by row and column.
#pragma once

#include <algorithm>
#include <cstdint>

#include "linalg/scalar.hpp"
#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot {

inline linalg::Place place(std::int64_t row, std::int64_t column) {
    return {static_cast<std::int32_t>(row), static_cast<std::int32_t>(column)};
}

// The number of the entry, or of the one that would follow it.
inline std::int64_t entry_at(const linalg::Pattern& p, std::int64_t row, std::int64_t column) {
    using linalg::at;
    const auto begin = p.row.begin() + p.column_start[at(column)], end = p.row.begin() + p.column_start[at(column + 1)];
    return std::lower_bound(begin, end, static_cast<std::int32_t>(row)) - p.row.begin();
}

// visit(row, column, number)
template <class Visit> void for_each_entry(const linalg::Pattern& p, Visit visit) {
    using linalg::at;
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t e = p.column_start[at(j)]; e < p.column_start[at(j + 1)]; ++e) visit(p.row[at(e)], j, e);
}

} // namespace vessiot
