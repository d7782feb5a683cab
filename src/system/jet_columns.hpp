// The columns of df by what they stand for: element, unknown, order of the derivative.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/graph/jacobian.hpp"
#include "system/functions.hpp"
#include "system/system.hpp"

namespace vessiot {

struct JetColumn {
    std::int32_t unknown = 0; // number in System::unknowns
    std::int32_t order = 0;
    std::int64_t element = 0; // counted over all unknowns
    bool is_top = false;      // the highest derivative of this unknown, which has one
};

std::vector<JetColumn> jet_columns(const System& system, const Coordinates& z);

// Entries of df by rows.
struct RowEntry {
    std::int32_t column = 0;
    std::int32_t entry = 0; // its number in the compressed columns
};
struct Rows {
    std::vector<std::int64_t> start;
    std::vector<RowEntry> entries;

    std::int64_t size(std::size_t row) const { return start[row + 1] - start[row]; }
};
Rows by_rows(const expr::SparseMatrix& m);

// By entry: whether it may depend on t or on an unknown.
std::vector<char> varying_entries(const expr::Graph& graph, const expr::SparseMatrix& m);

} // namespace vessiot
