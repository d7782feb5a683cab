// Sparse Jacobians and Hessians of families: which elements are nonzero, templates for their values, and where each
// goes.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/graph/graph.hpp"

namespace vessiot::expr {

// A sparse matrix whose entries are computed by templates. The kernel computes `values`, in the order that suits its
// loops ("local values"); a local value is added to entry `position` of the compressed columns. Where every entry
// has one local value and the order agrees, the two are the same (`is_direct`).
struct SparseMatrix {
    std::int64_t rows = 0, columns = 0;
    ArrayId values = none;                  // one dimension; none: no entries
    std::vector<std::int64_t> column_start; // compressed columns: columns + 1 numbers
    std::vector<std::int32_t> row;          // of each entry, ascending within a column
    std::vector<std::int32_t> position;     // of each local value; -1: not used
    bool is_direct = false;

    std::int64_t n_entries() const { return static_cast<std::int64_t>(row.size()); }
    // entries[position[k]] += local[k], from zero. Not needed (and not wrong) where is_direct.
    template <class S> void assemble(const S* local, S* entries) const {
        for (std::size_t k = 0; k < row.size(); ++k) entries[k] = S(0);
        for (std::size_t k = 0; k < position.size(); ++k)
            if (position[k] >= 0) entries[position[k]] += local[k];
    }
};

// Rows of a matrix: contributions to an array of the given shape whose first element is row `first`.
struct RowBlock {
    std::vector<Contribution> contributions;
    std::vector<std::int64_t> lo, extent;
    std::int64_t first = 0;
};

enum class Triangle { full, lower };

// d(rows)/d(arrays of `columns`, one after the other). `lower` keeps the entries with row >= column.
SparseMatrix jacobian(Graph& g, const std::vector<RowBlock>& rows, std::int64_t n_rows,
                      const std::vector<ArrayId>& columns, Triangle triangle = Triangle::full);

// Second derivatives of  sum_i weight_i f_i  with respect to `columns`, f given as rows, weight as an array with n_rows
// elements (auxiliary): the contraction d2f(.,.) mu.
SparseMatrix hessian(Graph& g, const std::vector<RowBlock>& rows, ArrayId weight, const std::vector<ArrayId>& columns,
                     Triangle triangle = Triangle::lower);

} // namespace vessiot::expr
