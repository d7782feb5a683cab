#include "method/mechanical/system/constraint_matrix.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "linalg/sparse/entries.hpp"

namespace vessiot::method {

using linalg::at;

namespace {

std::int32_t entry_of(const linalg::Pattern& pattern, std::int64_t row, std::int64_t column) {
    return static_cast<std::int32_t>(linalg::entry_at(pattern, row, column));
}

// With numbers as they are stored here.
template <class Visit> void visit_entries(const linalg::Pattern& pattern, const Visit& visit) {
    linalg::for_each_entry(pattern, [&](std::int32_t i, std::int64_t j, std::int64_t e) {
        visit(i, static_cast<std::int32_t>(j), static_cast<std::size_t>(e));
    });
}

} // namespace

template <class S>
ConstraintMatrix<S>::ConstraintMatrix(const Blocks& blocks, bool is_definite)
    : n_(blocks.n), m_(blocks.m), is_diagonal_(blocks.forces.is_diagonal()), is_definite_(is_definite) {
    if (m_ == 0) return;
    if (is_diagonal_)
        plan_products(blocks);
    else
        plan_blocks(blocks);
    entries_ = linalg::Vector<S>(pattern_.entries());
    work_ = linalg::Vector<S>(pattern_.rows);
}

// n_ij = sum_c G_ic Z_jc, entries in the order of diagonals.
template <class S> void ConstraintMatrix<S>::plan_products(const Blocks& blocks) {
    const linalg::Pattern& G_rows = blocks.constraints.G_rows();
    const std::vector<std::int32_t>&G_slot = blocks.constraints.G_slot(), &Y_slot = blocks.forces.Y_slot();
    const linalg::Pattern& Z = blocks.velocities ? blocks.velocities->Z_pattern() : blocks.forces.Y_pattern();
    linalg::Pattern G = blocks.constraints.G_pattern(); // without the column of t
    G.columns = n_;
    G.column_start.resize(at(n_) + 1);
    G.row.resize(at(G.column_start.back()));
    pattern_ = linalg::product_pattern(G, Z);
    std::vector<std::vector<linalg::SumPlan::Term>> sums(pattern_.row.size());
    visit_entries(G_rows, [&](std::int32_t c, std::int32_t i, std::size_t p) {
        if (c >= n_) return;
        for (std::int64_t q = Z.column_start[at(c)]; q < Z.column_start[at(c) + 1]; ++q)
            sums[at(entry_of(pattern_, i, Z.row[at(q)]))].push_back(
                {G_slot[p], blocks.velocities ? static_cast<std::int32_t>(q) : Y_slot[at(q)]});
    });
    std::vector<std::int32_t> diagonal(pattern_.row.size());
    visit_entries(pattern_, [&](std::int32_t i, std::int32_t j, std::size_t e) { diagonal[e] = i - j; });
    order_ = count_from(0, pattern_.entries());
    // NOTE: of large bands that are no diagonals the order of the columns reads and writes neighbours
    std::ranges::stable_sort(order_, {}, [&](std::int32_t e) { return diagonal[at(e)]; });
    std::vector<std::vector<linalg::SumPlan::Term>> ordered;
    for (const std::int32_t e : order_) ordered.push_back(std::move(sums[at(e)]));
    plan_ = linalg::SumPlan(ordered);
}

template <class S> void ConstraintMatrix<S>::plan_blocks(const Blocks& blocks) {
    const linalg::Pattern &E = blocks.forces.mass().pattern, &Y = blocks.forces.Y_pattern(),
                          &G = blocks.constraints.G_rows();
    const auto last = static_cast<std::int32_t>(n_);
    std::vector<linalg::Place> places;
    visit_entries(E, [&](std::int32_t i, std::int32_t j, std::size_t) { places.push_back({i, j}); });
    visit_entries(Y, [&](std::int32_t i, std::int32_t j, std::size_t) { places.push_back({j, last + i}); });
    visit_entries(G, [&](std::int32_t j, std::int32_t i, std::size_t) {
        if (j < last) places.push_back({last + i, j});
    });
    pattern_ = linalg::make_pattern(n_ + m_, n_ + m_, places);
    visit_entries(E, [&](std::int32_t i, std::int32_t j, std::size_t e) {
        mass_.push_back({entry_of(pattern_, i, j), blocks.forces.mass().source[e]});
    });
    visit_entries(Y, [&](std::int32_t i, std::int32_t j, std::size_t e) {
        B_.push_back({entry_of(pattern_, j, last + i), blocks.forces.Y_source()[e]});
    });
    visit_entries(G, [&](std::int32_t j, std::int32_t i, std::size_t e) {
        if (j < last) G_.push_back({entry_of(pattern_, last + i, j), blocks.constraints.G_slot()[e]});
    });
}

template <class S> void ConstraintMatrix<S>::make(Point& p) const {
    if (m_ == 0) return;
    p.normal = is_diagonal_ ? std::make_unique<linalg::SquareSolver<S>>(pattern_, is_definite_, order_)
                            : std::make_unique<linalg::SquareSolver<S>>(pattern_, false);
}

template <class S> bool ConstraintMatrix<S>::factor(const S* G, const Point& directions, Point& p) {
    if (is_diagonal_) {
        const S* Z = directions.Z.size() > 0 ? directions.Z.data() : directions.Y.data();
        plan_.compute(G, Z, entries_.data());
    } else {
        for (const auto& [to, from] : mass_) entries_[to] = directions.entries[from];
        for (const auto& [to, from] : B_) entries_[to] = directions.entries[from];
        for (const auto& [to, from] : G_) entries_[to] = G[from];
    }
    // NOTE: eliminated without pivoting, a number that is not finite makes a pivot that is none
    const bool shows_itself = is_diagonal_ && is_definite_ && p.normal->kind() == "band";
    return (shows_itself || linalg::all_finite(entries_.data(), entries_.size())) && p.normal->factor(entries_.data());
}

template <class S> void ConstraintMatrix<S>::solve(Point& p, S* b) {
    if (is_diagonal_) return p.normal->solve(b);
    std::fill_n(work_.data(), n_, S(0));
    std::copy_n(b, m_, work_.data() + n_);
    p.normal->solve(work_.data());
    std::copy_n(work_.data() + n_, m_, b);
}

template class ConstraintMatrix<double>;
template class ConstraintMatrix<Quad>;

} // namespace vessiot::method
