#include "linalg/sparse/sparse_pattern.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

// counts -> starts: start[j + 1] becomes the sum of the counts up to j
void accumulate(std::vector<std::int64_t>& start) {
    for (std::size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
}

// Keeps one of equal rows; the rows ascend.
void remove_repeated(Pattern& p) {
    std::int64_t kept = 0, first = 0;
    for (std::int64_t j = 0; j < p.columns; ++j) {
        const std::int64_t begin = kept, last = p.column_start[at(j + 1)];
        for (std::int64_t k = first; k < last; ++k)
            if (kept == begin || p.row[at(kept - 1)] != p.row[at(k)]) p.row[at(kept++)] = p.row[at(k)];
        p.column_start[at(j + 1)] = kept;
        first = last;
    }
    p.row.resize(at(kept));
}

} // namespace

Pattern make_pattern(std::int64_t rows, std::int64_t columns, const std::vector<Place>& places) {
    // Sorted by counting twice: first into columns of the transpose, then back.
    Pattern by_row{columns, rows, std::vector<std::int64_t>(at(rows + 1)), std::vector<std::int32_t>(places.size())};
    for (const Place& place : places) ++by_row.column_start[at(place.row + 1)];
    accumulate(by_row.column_start);
    std::vector<std::int64_t> next(by_row.column_start.begin(), by_row.column_start.end() - 1);
    for (const Place& place : places) by_row.row[at(next[at(place.row)]++)] = place.column;
    Pattern result = transposed(by_row);
    remove_repeated(result);
    return result;
}

Pattern transposed(const Pattern& a, std::vector<std::int64_t>* source) {
    Pattern t{a.columns, a.rows, std::vector<std::int64_t>(at(a.rows + 1)), std::vector<std::int32_t>(a.row.size())};
    for (const std::int32_t i : a.row) ++t.column_start[at(i + 1)];
    accumulate(t.column_start);
    std::vector<std::int64_t> next(t.column_start.begin(), t.column_start.end() - 1);
    if (source) source->resize(a.row.size());
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t k = a.column_start[at(j)]; k < a.column_start[at(j + 1)]; ++k) {
            const std::int64_t to = next[at(a.row[at(k)])]++;
            t.row[at(to)] = static_cast<std::int32_t>(j);
            if (source) (*source)[at(to)] = k;
        }
    return t;
}

Pattern neighbours(const Pattern& a) {
    const Pattern t = transposed(a);
    Pattern both{a.rows, a.columns, {0}, {}};
    both.column_start.reserve(at(a.columns + 1));
    both.row.reserve(2 * a.row.size());
    for (std::int64_t j = 0; j < a.columns; ++j) {
        const auto begin = [j](const Pattern& p) { return p.row.begin() + p.column_start[at(j)]; };
        const auto end = [j](const Pattern& p) { return p.row.begin() + p.column_start[at(j + 1)]; };
        const auto first = std::ssize(both.row);
        std::set_union(begin(a), end(a), begin(t), end(t), std::back_inserter(both.row));
        both.row.erase(std::remove(both.row.begin() + first, both.row.end(), static_cast<std::int32_t>(j)),
                       both.row.end());
        both.column_start.push_back(std::ssize(both.row));
    }
    return both;
}

SubPattern select(const Pattern& a, const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns) {
    std::vector<std::int32_t> number(static_cast<std::size_t>(a.rows), -1);
    for (std::size_t k = 0; k < rows.size(); ++k)
        number[static_cast<std::size_t>(rows[k])] = static_cast<std::int32_t>(k);
    SubPattern part{{std::ssize(rows), std::ssize(columns), {0}, {}}, {}};
    for (const std::int32_t c : columns) {
        for (std::int64_t e = a.column_start[static_cast<std::size_t>(c)];
             e < a.column_start[static_cast<std::size_t>(c) + 1]; ++e) {
            const std::int32_t row = number[static_cast<std::size_t>(a.row[static_cast<std::size_t>(e)])];
            if (row < 0) continue;
            part.pattern.row.push_back(row);
            part.source.push_back(static_cast<std::int32_t>(e));
        }
        part.pattern.column_start.push_back(std::ssize(part.pattern.row));
    }
    return part;
}

} // namespace vessiot::linalg
