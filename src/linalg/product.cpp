#include "linalg/product.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

std::int64_t count(const Pattern& p, std::int64_t column) {
    return p.column_start[at(column + 1)] - p.column_start[at(column)];
}

std::vector<std::int32_t> counts(const Pattern& p) {
    std::vector<std::int32_t> result(at(p.columns));
    for (std::int64_t c = 0; c < p.columns; ++c) result[at(c)] = static_cast<std::int32_t>(count(p, c));
    return result;
}

} // namespace

// Column j of N: the union of the columns c of A over the entries of row j of B.
Pattern product_pattern(const Pattern& a, const Pattern& b) {
    const Pattern rows_of_b = transposed(b);
    Pattern n{a.rows, b.rows, {0}, {}};
    n.column_start.reserve(at(b.rows + 1));
    std::vector<std::int64_t> seen(at(a.rows), -1);
    for (std::int64_t j = 0; j < b.rows; ++j) {
        const auto first = std::ssize(n.row);
        for (std::int64_t k = rows_of_b.column_start[at(j)]; k < rows_of_b.column_start[at(j + 1)]; ++k) {
            const std::int32_t c = rows_of_b.row[at(k)];
            for (std::int64_t p = a.column_start[at(c)]; p < a.column_start[at(c + 1)]; ++p)
                if (const std::int32_t i = a.row[at(p)]; seen[at(i)] != j) {
                    seen[at(i)] = j;
                    n.row.push_back(i);
                }
        }
        std::sort(n.row.begin() + first, n.row.end());
        n.column_start.push_back(std::ssize(n.row));
    }
    return n;
}

std::int64_t product_count(const Pattern& a, const Pattern& b) {
    std::int64_t result = 0;
    for (std::int64_t c = 0; c < a.columns; ++c) result += count(a, c) * count(b, c);
    return result;
}

ScaledProduct::ScaledProduct(const Pattern& a, const Pattern& b)
    : n_(product_pattern(a, b)), count_a_(counts(a)), count_b_(counts(b)) {
    target_.reserve(at(product_count(a, b)));
    for (std::int64_t c = 0; c < a.columns; ++c)
        for (std::int64_t q = b.column_start[at(c)]; q < b.column_start[at(c + 1)]; ++q) {
            const std::int32_t j = b.row[at(q)];
            auto found = n_.row.begin() + n_.column_start[at(j)];
            const auto end = n_.row.begin() + n_.column_start[at(j + 1)];
            for (std::int64_t p = a.column_start[at(c)]; p < a.column_start[at(c + 1)]; ++p) {
                found = std::lower_bound(found, end, a.row[at(p)]);
                target_.push_back(static_cast<std::int32_t>(found - n_.row.begin()));
            }
        }
}

template <class S> void ScaledProduct::compute(const S* a, const S* weights, const S* b, S* n_entries) const {
    std::fill_n(n_entries, n_.row.size(), S(0));
    const std::int32_t* target = target_.data();
    for (std::size_t c = 0; c < count_a_.size(); ++c) {
        const std::int32_t count_a = count_a_[c], count_b = count_b_[c];
        for (std::int32_t q = 0; q < count_b; ++q) {
            const S factor = weights ? weights[c] * b[q] : b[q];
            for (std::int32_t p = 0; p < count_a; ++p) n_entries[target[p]] += a[p] * factor;
            target += count_a;
        }
        a += count_a;
        b += count_b;
    }
}

template void ScaledProduct::compute(const double*, const double*, const double*, double*) const;
template void ScaledProduct::compute(const Quad*, const Quad*, const Quad*, Quad*) const;

} // namespace vessiot::linalg
