#include "linalg/solver/normal_solver.hpp"

#include <algorithm>

#include "linalg/product.hpp"
#include "linalg/scalar.hpp"
#include "linalg/solver/normal_part.hpp"

namespace vessiot::linalg {

namespace {

constexpr std::int64_t dense_rows = 40;
constexpr std::int64_t border_rows = 64;          // more make the Schur complement the larger part of the work
constexpr std::int64_t most_products = 200000000; // a plan of N beyond this does not pay

// What has very many entries among `counts`: over 32 and over ten times the average.
std::vector<int> crowded(const std::vector<std::int64_t>& counts) {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    std::vector<int> result;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > 32 && counts[i] * std::ssize(counts) > 10 * sum) result.push_back(static_cast<int>(i));
    return result;
}

std::vector<std::int64_t> counts_of_columns(const Pattern& a) {
    std::vector<std::int64_t> counts(at(a.columns));
    for (std::int64_t c = 0; c < a.columns; ++c) counts[at(c)] = a.column_start[at(c + 1)] - a.column_start[at(c)];
    return counts;
}

// Products a_ic a_jc of N, and how many of them come from crowded columns.
bool is_filled_by_columns(const std::vector<std::int64_t>& counts) {
    std::int64_t all = 0, by_crowded = 0;
    for (const std::int64_t count : counts) all += count * count;
    for (const int c : crowded(counts)) by_crowded += counts[at(c)] * counts[at(c)];
    return 4 * (all - by_crowded) < all || all > most_products;
}

template <class S> std::unique_ptr<NormalPart<S>> make_part(const Pattern& a) {
    if (a.rows <= dense_rows) return make_dense_normal<S>(a);
    std::vector<std::int64_t> counts_of_rows(at(a.rows), 0);
    for (const std::int32_t i : a.row) ++counts_of_rows[at(i)];
    std::vector<int> border = crowded(counts_of_rows);
    if (std::ssize(border) > border_rows) border.clear();
    if (is_filled_by_columns(counts_of_columns(a))) return make_augmented_normal<S>(a);
    return make_sparse_normal<S>(a, border);
}

} // namespace

template <class S>
NormalSolver<S>::NormalSolver(const Pattern& a) : a_(a), part_(make_part<S>(a)), lambda_(at(a.rows)) {}
template <class S> NormalSolver<S>::NormalSolver(NormalSolver&&) noexcept = default;
template <class S> NormalSolver<S>& NormalSolver<S>::operator=(NormalSolver&&) noexcept = default;
template <class S> NormalSolver<S>::~NormalSolver() = default;

template <class S> bool NormalSolver<S>::factor(const S* entries, const S* w) {
    entries_ = entries;
    w_ = w;
    return part_->factor(entries, w);
}

template <class S> void NormalSolver<S>::solve(const S* b, S* lambda) {
    if (b != lambda) std::copy_n(b, a_.rows, lambda);
    part_->solve(lambda);
}

template <class S> void NormalSolver<S>::correction(const S* entries, const S* w, const S* lambda, S* d) const {
    const std::int32_t* row = a_.row.data();
    const std::int64_t* start = a_.column_start.data();
    for (std::int64_t c = 0; c < a_.columns; ++c) {
        S sum = 0;
        for (std::int64_t p = start[c]; p < start[c + 1]; ++p) sum += entries[p] * lambda[row[p]];
        d[c] = w ? w[c] * sum : sum;
    }
}

template <class S> void NormalSolver<S>::solve_correction(const S* b, S* d) {
    solve(b, lambda_.data());
    correction(entries_, w_, lambda_.data(), d);
}

template <class S> bool NormalSolver<S>::leaves_out_rows() const {
    return part_->leaves_out_rows();
}

template <class S> int NormalSolver<S>::rank() const {
    return part_->rank();
}
template <class S> std::vector<int> NormalSolver<S>::dependent_rows() const {
    return part_->dependent_rows();
}
template <class S> std::string_view NormalSolver<S>::kind() const {
    return part_->kind();
}

template class NormalSolver<double>;
template class NormalSolver<Quad>;

} // namespace vessiot::linalg
