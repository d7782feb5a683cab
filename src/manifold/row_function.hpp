// Rows of numbers and their sparse derivative, compiled: the constraints of a manifold, the equations for the tops.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "expr/graph/function.hpp"
#include "expr/graph/jacobian.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "manifold/jets.hpp"

namespace vessiot {

// What is wanted of the rows and columns that a kernel computes: by row and column the number it gets, -1 for none.
struct Selection {
    std::int64_t n_rows = 0, n_columns = 0;
    std::vector<std::int32_t> row, column;
};

struct RowFunctionOptions {
    expr::EvaluatorOptions evaluator{};
    bool has_derivative = true;
    std::vector<expr::ArrayId> columns{}; // arrays to differentiate by, one after the other
};

template <class S> class RowFunction {
public:
    RowFunction(expr::Graph& g, Jets<S>& jets, const std::vector<RowTemplate>& families, const Selection& selection,
                const RowFunctionOptions& options);

    std::int64_t n_rows() const { return selection_.n_rows; }
    const linalg::Pattern& pattern() const { return pattern_; }
    // Number of each entry in the compressed columns of all rows, by the entries of pattern(); and the matrix as the
    // graph has it.
    const expr::SparseMatrix& matrix() const { return matrix_; }
    const std::vector<std::int32_t>& source() const { return source_; }

    // `inputs` as Jets::at gives them. Does not allocate.
    void operator()(const S* const* inputs, S* rows, S* entries);
    expr::Function<S>& function() { return *function_; }
    // Its outputs are all rows, and the local values of their derivatives: the row that each is, and the entry of
    // pattern() that each is added to; -1 for none.
    const expr::Function<S>& function() const { return *function_; }
    const std::vector<std::int32_t>& row_numbers() const { return selection_.row; }
    const std::vector<std::int32_t>& entry_numbers() const { return position_; }

    // The same with the entries as the function gives them, family by family: entry k of pattern() is
    // local[places()[k]]. Only where is_placed(): no entry is a sum.
    bool is_placed() const { return fetch_.size() == pattern_.row.size(); }
    const std::vector<std::int32_t>& places() const { return fetch_; }
    std::int64_t n_local() const { return std::ssize(local_); }
    void evaluate(const S* const* inputs, S* rows, S* local);

private:
    void select_entries();
    void spread_rows(S* rows) const;

    Selection selection_;
    bool has_all_rows_ = true, is_direct_ = false;
    expr::SparseMatrix matrix_;
    linalg::Pattern pattern_;
    std::vector<std::int32_t> source_;   // by entry of pattern_: its number in matrix_
    std::vector<std::int32_t> position_; // by local value: its number in pattern_, -1 for none
    std::vector<std::int32_t> fetch_;    // by entry of pattern_: its one local value; empty where some have several
    std::vector<S> all_rows_, local_;
    std::optional<expr::Function<S>> function_;
};

extern template class RowFunction<double>;
extern template class RowFunction<Quad>;

} // namespace vessiot
