#include "linalg/sparse/matching.hpp"

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

using Index = std::int32_t;

template <class S> class Matching {
public:
    Matching(const Pattern& a, const S* entries, const std::vector<Real<S>>& weight)
        : a_(a), entries_(entries), weight_(weight), row_of_(at(a.columns), -1), column_of_(at(a.rows), -1),
          seen_(at(a.rows), 0), next_(at(a.columns)) {}

    std::vector<Index> operator()() {
        for (Index j = 0; j < a_.columns; ++j) take_diagonal(j);
        std::int64_t free = 0;
        for (Index j = 0; j < a_.columns; ++j)
            if (row_of_[at(j)] < 0 && !take_largest(j)) ++free;
        for (bool goes_on = true; free > 0 && goes_on;) {
            goes_on = false;
            ++round_;
            for (Index j = 0; j < a_.columns; ++j) next_[at(j)] = a_.column_start[at(j)];
            for (Index j = 0; j < a_.columns; ++j)
                if (row_of_[at(j)] < 0 && find_path(j)) {
                    --free;
                    goes_on = true;
                }
        }
        if (free > 0) row_of_.clear();
        return std::move(row_of_);
    }

private:
    Real<S> size(std::int64_t k) const { return absolute(entries_[k]) * weight_[at(a_.row[at(k)])]; }
    std::int64_t begin(Index j) const { return a_.column_start[at(j)]; }
    std::int64_t end(Index j) const { return a_.column_start[at(j + 1)]; }

    void pair(Index row, Index column) {
        row_of_[at(column)] = row;
        column_of_[at(row)] = column;
    }

    void take_diagonal(Index j) {
        Real<S> largest = 0, diagonal = 0;
        for (std::int64_t k = begin(j); k < end(j); ++k) {
            largest = size(k) > largest ? size(k) : largest;
            if (a_.row[at(k)] == j) diagonal = size(k);
        }
        if (diagonal > 0 && 10 * diagonal >= largest) pair(j, j);
    }

    bool take_largest(Index j) {
        std::int64_t best = -1;
        for (std::int64_t k = begin(j); k < end(j); ++k)
            if (size(k) > 0 && column_of_[at(a_.row[at(k)])] < 0 && (best < 0 || size(k) > size(best))) best = k;
        if (best >= 0) pair(a_.row[at(best)], j);
        return best >= 0;
    }

    // Depth first from a free column to a free row; every row is visited once a round.
    bool find_path(Index root) {
        path_.assign(1, root);
        while (!path_.empty()) {
            const Index j = path_.back();
            if (next_[at(j)] == end(j)) {
                path_.pop_back();
                if (!path_.empty()) ++next_[at(path_.back())];
                continue;
            }
            const std::int64_t k = next_[at(j)];
            const Index i = a_.row[at(k)];
            if (!(size(k) > 0) || seen_[at(i)] == round_) {
                ++next_[at(j)];
                continue;
            }
            seen_[at(i)] = round_;
            if (column_of_[at(i)] < 0) {
                turn_path();
                return true;
            }
            path_.push_back(column_of_[at(i)]);
        }
        return false;
    }

    // Every column of the path takes the row it was looking at.
    void turn_path() {
        for (const Index j : path_) pair(a_.row[at(next_[at(j)])], j);
        for (const Index j : path_) next_[at(j)] = end(j);
    }

    const Pattern& a_;
    const S* entries_;
    const std::vector<Real<S>>& weight_;
    std::vector<Index> row_of_, column_of_, seen_;
    std::vector<std::int64_t> next_; // the entry of each column that the search looks at
    std::vector<Index> path_;
    Index round_ = 0;
};

} // namespace

template <class S>
std::vector<std::int32_t> match_rows(const Pattern& a, const S* entries, const std::vector<Real<S>>& weight) {
    return Matching<S>(a, entries, weight)();
}

template std::vector<std::int32_t> match_rows(const Pattern&, const double*, const std::vector<double>&);
template std::vector<std::int32_t> match_rows(const Pattern&, const Quad*, const std::vector<Quad>&);
template std::vector<std::int32_t> match_rows(const Pattern&, const Complex<double>*, const std::vector<double>&);
template std::vector<std::int32_t> match_rows(const Pattern&, const Complex<Quad>*, const std::vector<Quad>&);

} // namespace vessiot::linalg
