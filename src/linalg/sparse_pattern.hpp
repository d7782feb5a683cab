// Where a sparse matrix may have entries that are not zero: compressed columns.
#pragma once

#include <cstdint>
#include <vector>

namespace vessiot::linalg {

// Column j has its entries at column_start[j] .. column_start[j + 1] - 1, in the rows row[...], ascending.
struct Pattern {
    std::int64_t rows = 0, columns = 0;
    std::vector<std::int64_t> column_start{0};
    std::vector<std::int32_t> row;

    std::int64_t entries() const { return static_cast<std::int64_t>(row.size()); }
};

// A place in a matrix.
struct Place {
    std::int32_t row = 0, column = 0;
};

// The pattern with entries in these places, in any order and possibly named several times.
Pattern make_pattern(std::int64_t rows, std::int64_t columns, const std::vector<Place>& places);

// The pattern of A^T. Where `source` is given, entry k of A^T is the entry source[k] of A.
Pattern transposed(const Pattern& a, std::vector<std::int64_t>* source = nullptr);

// The pattern of A + A^T, without the diagonal; A is square.
Pattern neighbours(const Pattern& a);

} // namespace vessiot::linalg
