// Where a sparse matrix may have entries that are not zero: compressed columns.
#pragma once

#include <algorithm>
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

// Some rows and columns of a matrix, in the order given: entry k of the part is the entry source[k] of the whole.
struct SubPattern {
    Pattern pattern;
    std::vector<std::int32_t> source;
};
SubPattern select(const Pattern& a, const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns);

// The matrix as a dense one, column-major; `dense` has rows * columns numbers.
template <class S> void fill_dense(const Pattern& a, const S* entries, S* dense) {
    std::fill_n(dense, a.rows * a.columns, S(0));
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t e = a.column_start[static_cast<std::size_t>(j)];
             e < a.column_start[static_cast<std::size_t>(j) + 1]; ++e)
            dense[j * a.rows + a.row[static_cast<std::size_t>(e)]] = entries[e];
}

} // namespace vessiot::linalg
