#include "linalg/sparse/sparse_lu.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "linalg/scalar.hpp"
#include "linalg/sparse/matching.hpp"
#include "linalg/sparse/ordering.hpp"

namespace vessiot::linalg {

namespace {

using Index = std::int32_t;

// The order of columns, given the row that each prefers: minimum degree of A + A^T, rows renamed after their columns.
std::vector<Index> order_columns(const Pattern& a, const std::vector<Index>& row_of) {
    std::vector<Index> column_of(row_of.size());
    for (std::size_t j = 0; j < row_of.size(); ++j) column_of[at(row_of[j])] = static_cast<Index>(j);
    std::vector<Place> places;
    places.reserve(a.row.size());
    for (Index j = 0; j < a.columns; ++j)
        for (std::int64_t k = a.column_start[at(j)]; k < a.column_start[at(j + 1)]; ++k)
            places.push_back({column_of[at(a.row[at(k)])], j});
    return minimum_degree(neighbours(make_pattern(a.rows, a.columns, places)));
}

} // namespace

// The first factorisation: finds P, Q and the patterns of L and U. Rows of L keep their numbers in A until the end.
template <class S> class SparseLu<S>::Search {
public:
    Search(SparseLu& f, const S* entries)
        : f_(f), entries_(entries), pivot_row_(at(f.n_)), seen_(at(f.n_), -1), next_(at(f.n_)) {}

    bool operator()() {
        preferred_ = match_rows(f_.a_, entries_, f_.weight_);
        if (std::ssize(preferred_) < f_.n_) return false;
        f_.column_ = order_columns(f_.a_, preferred_);
        f_.place_.assign(at(f_.n_), -1);
        std::fill(f_.x_.begin(), f_.x_.end(), S(0));
        for (Triangle* t : {&f_.l_, &f_.u_}) {
            t->start.assign(1, 0);
            t->row.clear();
            t->value.clear();
        }
        for (Index k = 0; k < f_.n_; ++k)
            if (!add_column(k)) return false;
        for (Index& i : f_.l_.row) i = f_.place_[at(i)];
        return true;
    }

private:
    bool add_column(Index k) {
        const Index column = f_.column_[at(k)];
        const std::int64_t first = f_.a_.column_start[at(column)], last = f_.a_.column_start[at(column + 1)];
        reached_.clear();
        candidates_.clear();
        for (std::int64_t p = first; p < last; ++p) reach(f_.a_.row[at(p)], k);
        Real<S> size = 0;
        for (std::int64_t p = first; p < last; ++p) {
            const Index i = f_.a_.row[at(p)];
            f_.x_[at(i)] = entries_[p] * f_.weight_[at(i)];
            size = std::max(size, absolute(f_.x_[at(i)]));
        }
        eliminate();
        return take_pivot(k, size);
    }

    // All rows that row i leads to in the graph of L: those with pivots in reverse order of elimination.
    void reach(Index i, Index k) {
        if (seen_[at(i)] == k) return;
        visit(i, k);
        while (!path_.empty()) {
            const Index j = path_.back();
            if (next_[at(j)] == f_.l_.start[at(j + 1)]) {
                path_.pop_back();
                reached_.push_back(j);
            } else if (const Index row = f_.l_.row[at(next_[at(j)]++)]; seen_[at(row)] != k) {
                visit(row, k);
            }
        }
    }

    void visit(Index row, Index k) {
        seen_[at(row)] = k;
        const Index j = f_.place_[at(row)];
        if (j < 0) {
            candidates_.push_back(row);
            return;
        }
        next_[at(j)] = f_.l_.start[at(j)];
        path_.push_back(j);
    }

    // x = L^-1 x
    void eliminate() {
        for (const Index j : reached_ | std::views::reverse) {
            const S u = std::exchange(f_.x_[at(pivot_row_[at(j)])], S(0));
            f_.u_.row.push_back(j);
            f_.u_.value.push_back(u);
            for (std::int64_t p = f_.l_.start[at(j)]; p < f_.l_.start[at(j + 1)]; ++p)
                f_.x_[at(f_.l_.row[at(p)])] -= f_.l_.value[at(p)] * u;
        }
        f_.u_.start.push_back(std::ssize(f_.u_.row));
    }

    bool take_pivot(Index k, Real<S> size) {
        Index pivot = -1;
        for (const Index i : candidates_)
            if (pivot < 0 || absolute(f_.x_[at(i)]) > absolute(f_.x_[at(pivot)])) pivot = i;
        if (pivot < 0) return false;
        const Index wish = preferred_[at(f_.column_[at(k)])];
        if (f_.place_[at(wish)] < 0 && 10 * absolute(f_.x_[at(wish)]) >= absolute(f_.x_[at(pivot)])) pivot = wish;
        const S value = std::exchange(f_.x_[at(pivot)], S(0));
        if (!(absolute(value) > rank_tolerance<S> * size) || !is_finite(value)) return false;
        f_.place_[at(pivot)] = k;
        pivot_row_[at(k)] = pivot;
        f_.inverse_[at(k)] = S(1) / value;
        f_.smallest_ = std::min(f_.smallest_, absolute(value));
        f_.largest_ = std::max(f_.largest_, absolute(value));
        for (const Index i : candidates_) {
            if (i == pivot) continue;
            f_.l_.row.push_back(i);
            f_.l_.value.push_back(std::exchange(f_.x_[at(i)], S(0)) * f_.inverse_[at(k)]);
        }
        f_.l_.start.push_back(std::ssize(f_.l_.row));
        return true;
    }

    SparseLu& f_;
    const S* entries_;
    std::vector<Index> preferred_;        // row of a column
    std::vector<Index> pivot_row_, seen_; // of a pivot; the column that last reached a row
    std::vector<std::int64_t> next_;      // of a pivot: where the search in its column of L is
    std::vector<Index> path_, reached_, candidates_;
};

template <class S>
SparseLu<S>::SparseLu(Pattern a)
    : a_(std::move(a)), n_(a_.columns), pivots_(PivotsInUse::now()), inverse_(at(n_)), weight_(at(n_)), x_(at(n_)),
      work_(at(n_)) {}

template <class S> std::int64_t SparseLu<S>::fill() const {
    return std::ssize(l_.row) + std::ssize(u_.row) + n_;
}

template <class S> bool SparseLu<S>::scale(const S* entries) {
    if (!all_finite(entries, a_.entries())) return false;
    std::fill(weight_.begin(), weight_.end(), Real<S>(0));
    for (std::size_t k = 0; k < a_.row.size(); ++k) {
        Real<S>& largest = weight_[at(a_.row[k])];
        largest = std::max(largest, absolute(entries[k]));
    }
    for (Real<S>& weight : weight_) {
        weight = 1 / weight;
        if (!is_finite(weight) || weight == 0) return false;
    }
    return true;
}

template <class S> bool SparseLu<S>::factor(const S* entries) {
    ratio_ = 0;
    if (!scale(entries)) return false;
    if (pivots_ && std::exchange(epoch_, pivots_->epoch()) != pivots_->epoch()) has_pivots_ = false;
    if (!has_pivots_ || !refactor(entries)) {
        smallest_ = Real<S>(1) / epsilon<Real<S>>();
        largest_ = 0;
        has_pivots_ = Search(*this, entries)();
        if (!has_pivots_) return false;
    }
    ratio_ = n_ > 0 ? smallest_ / largest_ : Real<S>(1);
    return true;
}

template <class S> bool SparseLu<S>::refactor(const S* entries) {
    smallest_ = Real<S>(1) / epsilon<Real<S>>();
    largest_ = 0;
    for (std::int64_t k = 0; k < n_; ++k)
        if (!refactor_column(k, entries)) return false;
    return true;
}

template <class S> bool SparseLu<S>::refactor_column(std::int64_t k, const S* entries) {
    S* x = x_.data();
    Real<S> size = 0, rest = 0;
    const Index column = column_[at(k)];
    for (std::int64_t p = a_.column_start[at(column)]; p < a_.column_start[at(column + 1)]; ++p) {
        const Index i = a_.row[at(p)];
        const S value = x[place_[at(i)]] = entries[p] * weight_[at(i)];
        size = std::max(size, absolute(value));
    }
    for (std::int64_t p = u_.start[at(k)]; p < u_.start[at(k + 1)]; ++p) {
        const Index j = u_.row[at(p)];
        const S u = u_.value[at(p)] = std::exchange(x[j], S(0));
        for (std::int64_t q = l_.start[at(j)]; q < l_.start[at(j + 1)]; ++q) x[l_.row[at(q)]] -= l_.value[at(q)] * u;
    }
    const S pivot = std::exchange(x[k], S(0));
    const S inverse = inverse_[at(k)] = S(1) / pivot;
    for (std::int64_t q = l_.start[at(k)]; q < l_.start[at(k + 1)]; ++q) {
        const S value = std::exchange(x[l_.row[at(q)]], S(0));
        rest = std::max(rest, absolute(value));
        l_.value[at(q)] = value * inverse;
    }
    smallest_ = std::min(smallest_, absolute(pivot));
    largest_ = std::max(largest_, absolute(pivot));
    return absolute(pivot) > rank_tolerance<S> * size && 1000 * absolute(pivot) >= rest && is_finite(pivot);
}

template <class S> void SparseLu<S>::solve(S* b) const {
    if (!has_pivots_) return;
    S* y = work_.data();
    for (std::int64_t i = 0; i < n_; ++i) y[place_[at(i)]] = b[i] * weight_[at(i)];
    for (std::int64_t k = 0; k < n_; ++k)
        for (std::int64_t p = l_.start[at(k)]; p < l_.start[at(k + 1)]; ++p) y[l_.row[at(p)]] -= l_.value[at(p)] * y[k];
    for (std::int64_t k = n_ - 1; k >= 0; --k) {
        y[k] *= inverse_[at(k)];
        for (std::int64_t p = u_.start[at(k)]; p < u_.start[at(k + 1)]; ++p) y[u_.row[at(p)]] -= u_.value[at(p)] * y[k];
    }
    for (std::int64_t k = 0; k < n_; ++k) b[column_[at(k)]] = y[k];
}

template class SparseLu<double>;
template class SparseLu<Quad>;
template class SparseLu<Complex<double>>;
template class SparseLu<Complex<Quad>>;

} // namespace vessiot::linalg
