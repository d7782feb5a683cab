#include "manifold/row_function.hpp"

#include <algorithm>

namespace vessiot {

using namespace expr;

template <class S>
RowFunction<S>::RowFunction(Graph& g, Jets<S>& jets, const std::vector<RowTemplate>& families,
                            const Selection& selection, const RowFunctionOptions& options)
    : selection_(selection) {
    std::int64_t n_all = 0;
    std::vector<RowBlock> rows = row_blocks(g, families, n_all);
    expand_small_rows(g, rows, LowerOptions{}.expand_limit / 2);
    std::vector<BufferSpec> outputs{{"f", {row_array(g, "f", rows, n_all)}}};
    if (options.has_derivative) {
        matrix_ = jacobian(g, rows, n_all, options.columns);
        outputs.push_back({"df", {}});
        if (matrix_.values != none) outputs.back().arrays.push_back(matrix_.values);
        select_entries();
    }
    for (std::int64_t k = 0; k < n_all; ++k) has_all_rows_ &= selection_.row[static_cast<std::size_t>(k)] == k;
    if (!has_all_rows_) all_rows_.resize(static_cast<std::size_t>(n_all));
    local_.resize(matrix_.position.size());
    function_.emplace(g, jets.inputs(), outputs, options.evaluator);
    jets.prepare(*function_);
}

template <class S> void RowFunction<S>::select_entries() {
    std::vector<std::int32_t> number(matrix_.row.size(), -1);
    pattern_ = {selection_.n_rows, selection_.n_columns, {0}, {}};
    // columns of the selection in ascending order, whatever arrays they are in
    std::vector<std::int32_t> column_at(static_cast<std::size_t>(selection_.n_columns), -1);
    for (std::size_t c = 0; c < selection_.column.size(); ++c)
        if (selection_.column[c] >= 0)
            column_at[static_cast<std::size_t>(selection_.column[c])] = static_cast<std::int32_t>(c);
    for (const std::int32_t c : column_at) {
        std::vector<std::pair<std::int32_t, std::int32_t>> entries; // row, number in the matrix
        if (c >= 0) {
            const auto at = static_cast<std::size_t>(c);
            for (std::int64_t k = matrix_.column_start[at]; k < matrix_.column_start[at + 1]; ++k) {
                const std::int32_t row =
                    selection_.row[static_cast<std::size_t>(matrix_.row[static_cast<std::size_t>(k)])];
                if (row >= 0) entries.emplace_back(row, static_cast<std::int32_t>(k));
            }
        }
        std::ranges::sort(entries);
        for (const auto& [row, k] : entries) {
            number[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(pattern_.row.size());
            pattern_.row.push_back(row);
            source_.push_back(k);
        }
        pattern_.column_start.push_back(std::ssize(pattern_.row));
    }
    position_.reserve(matrix_.position.size());
    for (const std::int32_t p : matrix_.position) position_.push_back(p < 0 ? -1 : number[static_cast<std::size_t>(p)]);
    is_direct_ = position_.size() == pattern_.row.size();
    for (std::size_t k = 0; k < position_.size(); ++k) is_direct_ &= position_[k] == static_cast<std::int32_t>(k);
    // where no entry is a sum, each is fetched
    fetch_.assign(pattern_.row.size(), -1);
    for (std::size_t k = 0; k < position_.size(); ++k) {
        if (position_[k] < 0) continue;
        std::int32_t& from = fetch_[static_cast<std::size_t>(position_[k])];
        if (from >= 0) {
            fetch_.clear();
            return;
        }
        from = static_cast<std::int32_t>(k);
    }
}

template <class S> void RowFunction<S>::operator()(const S* const* inputs, S* rows, S* entries) {
    call(*function_, inputs, has_all_rows_ ? rows : all_rows_.data(), is_direct_ ? entries : local_.data());
    spread_rows(rows);
    if (is_direct_ || position_.empty()) return;
    if (!fetch_.empty()) {
        for (std::size_t k = 0; k < fetch_.size(); ++k) entries[k] = local_[static_cast<std::size_t>(fetch_[k])];
        return;
    }
    std::fill_n(entries, pattern_.row.size(), S(0));
    for (std::size_t k = 0; k < position_.size(); ++k)
        if (position_[k] >= 0) entries[position_[k]] += local_[k];
}

template <class S> void RowFunction<S>::evaluate(const S* const* inputs, S* rows, S* local) {
    call(*function_, inputs, has_all_rows_ ? rows : all_rows_.data(), local);
    spread_rows(rows);
}

template <class S> void RowFunction<S>::spread_rows(S* rows) const {
    if (has_all_rows_) return;
    for (std::size_t k = 0; k < all_rows_.size(); ++k)
        if (selection_.row[k] >= 0) rows[selection_.row[k]] = all_rows_[k];
}

template class RowFunction<double>;
template class RowFunction<Quad>;

} // namespace vessiot
