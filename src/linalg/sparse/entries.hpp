// The entries of a pattern, one by one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "linalg/scalar.hpp"
#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

inline Place place(std::int64_t row, std::int64_t column) {
    return {static_cast<std::int32_t>(row), static_cast<std::int32_t>(column)};
}

// visit(row, column, number) for all entries, column by column; rows are std::int32_t, the others std::int64_t.
template <class Visit> void for_each_entry(const Pattern& p, const Visit& visit) {
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t e = p.column_start[at(j)]; e < p.column_start[at(j + 1)]; ++e) visit(p.row[at(e)], j, e);
}

// The number of an entry that is there.
inline std::int64_t entry_at(const Pattern& p, std::int64_t row, std::int64_t column) {
    const auto begin = p.row.begin() + p.column_start[at(column)], end = p.row.begin() + p.column_start[at(column + 1)];
    return std::lower_bound(begin, end, static_cast<std::int32_t>(row)) - p.row.begin();
}

} // namespace vessiot::linalg
