#include "linalg/dense/column_choice.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

constexpr std::int64_t dense_limit = 40; // rows

template <class S> std::vector<std::int32_t> by_qr(const Pattern& a, const S* entries) {
    PivotedQr<S> qr(static_cast<int>(a.rows), static_cast<int>(a.columns));
    fill_dense(a, entries, qr.matrix());
    qr.factor(S(16) * epsilon<S>() * S(a.columns));
    if (qr.rank() < a.rows) return {};
    const auto order = qr.column_order();
    return {order.begin(), order.begin() + a.rows};
}

// Row i becomes u_i: what is left of it when the pivot columns of the rows before are eliminated.
template <class S> class Elimination {
public:
    explicit Elimination(std::int64_t columns) : value_(at(columns), S(0)), row_of_(at(columns), -1) {}

    // False where nothing is left.
    bool add(const std::vector<std::pair<std::int32_t, S>>& row) {
        S size = 0;
        for (const auto& [column, x] : row) {
            touch(column, x);
            size = std::max(size, absolute(x));
        }
        while (!pending_.empty()) { // pivots of earlier rows, in their order
            const std::int32_t k = pending_.top();
            pending_.pop();
            const Row& earlier = rows_[at(k)];
            const S factor = value_[at(earlier.pivot)] / earlier.entries[0].second;
            for (const auto& [column, x] : earlier.entries) touch(column, -factor * x);
            value_[at(earlier.pivot)] = 0;
        }
        Row left;
        for (const std::int32_t c : touched_) {
            const S x = value_[at(c)];
            value_[at(c)] = 0;
            is_touched_[at(c)] = 0;
            if (row_of_[at(c)] < 0 && x != S(0)) left.entries.emplace_back(c, x);
        }
        touched_.clear();
        const auto largest =
            std::ranges::max_element(left.entries, {}, [](const auto& e) { return absolute(e.second); });
        if (largest == left.entries.end() || !(absolute(largest->second) > S(1000) * epsilon<S>() * size)) return false;
        std::swap(left.entries[0], *largest);
        left.pivot = left.entries[0].first;
        row_of_[at(left.pivot)] = static_cast<std::int32_t>(rows_.size());
        rows_.push_back(std::move(left));
        return true;
    }

    std::vector<std::int32_t> pivots() const {
        std::vector<std::int32_t> result;
        for (const Row& r : rows_) result.push_back(r.pivot);
        return result;
    }

private:
    struct Row {
        std::int32_t pivot = 0;
        std::vector<std::pair<std::int32_t, S>> entries{}; // that of the pivot first
    };

    void touch(std::int32_t column, S x) {
        if (is_touched_.empty()) is_touched_.assign(value_.size(), 0);
        if (!is_touched_[at(column)]) {
            is_touched_[at(column)] = 1;
            touched_.push_back(column);
            if (row_of_[at(column)] >= 0) pending_.push(row_of_[at(column)]);
        }
        value_[at(column)] += x;
    }

    std::vector<S> value_;
    std::vector<char> is_touched_;
    std::vector<std::int32_t> touched_, row_of_; // by column: the row whose pivot it is
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> pending_;
    std::vector<Row> rows_;
};

template <class S> std::vector<std::int32_t> by_elimination(const Pattern& a, const S* entries) {
    std::vector<std::int64_t> source;
    const Pattern rows = transposed(a, &source);
    Elimination<S> elimination(a.columns);
    for (std::int64_t i = 0; i < a.rows; ++i) {
        std::vector<std::pair<std::int32_t, S>> row;
        for (std::int64_t e = rows.column_start[at(i)]; e < rows.column_start[at(i + 1)]; ++e)
            row.emplace_back(rows.row[at(e)], entries[source[at(e)]]);
        if (!elimination.add(row)) return {};
    }
    return elimination.pivots();
}

} // namespace

template <class S> std::vector<std::int32_t> independent_columns(const Pattern& a, const S* entries) {
    if (a.rows > a.columns || !all_finite(entries, a.entries())) return {};
    std::vector<std::int32_t> result = a.rows <= dense_limit ? by_qr(a, entries) : by_elimination(a, entries);
    std::ranges::sort(result);
    return result;
}

template std::vector<std::int32_t> independent_columns(const Pattern&, const double*);
template std::vector<std::int32_t> independent_columns(const Pattern&, const Quad*);

} // namespace vessiot::linalg
