#include "projection/lagrange_matrix.hpp"

#include <algorithm>

#include "linalg/iterative/krylov.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

namespace {

constexpr std::int64_t few_entries = 32, most_border_rows = 16;

// The entry in this place of a pattern that has one there.
std::size_t entry_at(const linalg::Pattern& p, std::int32_t row, std::int32_t column) {
    const auto first = p.row.begin() + p.column_start[linalg::at(column)];
    const auto last = p.row.begin() + p.column_start[linalg::at(column) + 1];
    return static_cast<std::size_t>(std::lower_bound(first, last, row) - p.row.begin());
}

// eps^(5/8)
template <class S> S small_shift() {
    const S root = linalg::square_root(linalg::epsilon<S>());
    return root * linalg::square_root(linalg::square_root(root));
}

} // namespace

template <class S>
LagrangeMatrix<S>::LagrangeMatrix(Manifold<S>& manifold)
    : manifold_(manifold), m_(manifold.n_coordinates()), k_(manifold.n_constraints()), squares_(k_) {
    split_rows();
    make_matrix();
    const std::int64_t q = std::ssize(border_);
    u_ = linalg::Vector<S>(m_ + std::ssize(sparse_rows_));
    c_ = v_ = linalg::Vector<S>(q);
    dense_.assign(border_.size(), linalg::Vector<S>(m_));
    y_.assign(border_.size(), linalg::Vector<S>(u_.size()));
    if (q > 0) small_ = std::make_unique<linalg::PivotedQr<S>>(static_cast<int>(q), static_cast<int>(q));
}

// Rows with more than ten times as many entries as others form the border, if they are few.
template <class S> void LagrangeMatrix<S>::split_rows() {
    const linalg::Pattern& df = manifold_.pattern();
    std::vector<std::int64_t> count(linalg::at(k_), 0);
    for (const std::int32_t row : df.row) ++count[linalg::at(row)];
    std::vector<std::int64_t> sorted = count;
    std::ranges::sort(sorted);
    const std::int64_t usual = std::max(few_entries, k_ > 0 ? 10 * sorted[sorted.size() / 2] : 0);
    const bool has_border = std::ranges::count_if(count, [&](std::int64_t c) { return c > usual; }) <= most_border_rows;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(k_); ++i) {
        const bool is_border = has_border && count[linalg::at(i)] > usual;
        number_.push_back(is_border ? -1 - static_cast<std::int32_t>(border_.size())
                                    : static_cast<std::int32_t>(m_ + std::ssize(sparse_rows_)));
        (is_border ? border_ : sparse_rows_).push_back(i);
    }
}

// The lower triangle of K0; the upper one mirrors it.
template <class S> std::vector<typename LagrangeMatrix<S>::Part> LagrangeMatrix<S>::parts() const {
    const linalg::Pattern& df = manifold_.pattern();
    const std::vector<std::int32_t>& coordinate = manifold_.column_numbers();
    const expr::SparseMatrix& d2f = manifold_.curvature_matrix();
    std::vector<Part> result;
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(m_); ++j) result.push_back({j, j, {.is_one = true}});
    for (const std::int32_t i : sparse_rows_)
        result.push_back({number_[linalg::at(i)], number_[linalg::at(i)], {.constraint = i}});
    for (std::int64_t c = 0; c < df.columns; ++c)
        for (std::int64_t e = df.column_start[linalg::at(c)]; e < df.column_start[linalg::at(c) + 1]; ++e) {
            const std::int32_t row = number_[linalg::at(df.row[linalg::at(e)])];
            if (row >= 0) result.push_back({row, static_cast<std::int32_t>(c), {.df = static_cast<std::int32_t>(e)}});
        }
    for (std::int64_t c = 0; c < d2f.columns; ++c)
        for (std::int64_t e = d2f.column_start[linalg::at(c)]; e < d2f.column_start[linalg::at(c) + 1]; ++e) {
            const std::int32_t i = coordinate[linalg::at(d2f.row[linalg::at(e)])], j = coordinate[linalg::at(c)];
            if (i >= 0 && j >= 0) result.push_back({i, j, {.curvature = static_cast<std::int32_t>(e)}});
        }
    return result;
}

template <class S> void LagrangeMatrix<S>::make_matrix() {
    const std::vector<Part> all = parts();
    std::vector<linalg::Place> places;
    for (const Part& p : all) {
        places.push_back({p.row, p.column});
        places.push_back({p.column, p.row});
    }
    const std::int64_t n = m_ + std::ssize(sparse_rows_);
    pattern_ = linalg::make_pattern(n, n, places);
    source_.resize(pattern_.row.size());
    const auto add = [&](std::int32_t row, std::int32_t column, const Source& part) {
        Source& s = source_[entry_at(pattern_, row, column)];
        s.df = std::max(s.df, part.df);
        s.curvature = std::max(s.curvature, part.curvature);
        s.constraint = std::max(s.constraint, part.constraint);
        s.is_one |= part.is_one;
    };
    for (const Part& p : all) {
        add(p.row, p.column, p.source);
        add(p.column, p.row, p.source);
    }
    entries_ = linalg::Vector<S>(std::ssize(source_));
    solver_ = std::make_unique<linalg::SquareSolver<S>>(pattern_);
}

template <class S> void LagrangeMatrix<S>::fill(const S* df, const S* curvature, S delta) {
    for (std::size_t e = 0; e < source_.size(); ++e) {
        const Source& s = source_[e];
        S value = s.is_one ? S(1) : S(0);
        if (s.df >= 0) value += df[s.df];
        if (s.curvature >= 0) value += curvature[s.curvature];
        if (s.constraint >= 0) value -= delta * squares_[s.constraint];
        entries_[static_cast<std::int64_t>(e)] = value;
    }
}

template <class S> bool LagrangeMatrix<S>::factor_sparse(const S* df, const S* curvature) {
    fill(df, curvature, S(0));
    if (solver_->factor(entries_.data())) return true;
    std::fill(squares_.begin(), squares_.end(), S(0));
    const std::vector<std::int32_t>& row = manifold_.pattern().row;
    for (std::size_t e = 0; e < row.size(); ++e) squares_[row[e]] += df[e] * df[e];
    for (S& s : squares_)
        if (s == S(0)) s = S(1); // a row without derivatives says nothing
    fill(df, curvature, small_shift<S>());
    return solver_->factor(entries_.data());
}

template <class S> bool LagrangeMatrix<S>::factor_border(const S* df) {
    const linalg::Pattern& p = manifold_.pattern();
    const std::size_t q = border_.size();
    for (std::int64_t c = 0; c < p.columns; ++c)
        for (std::int64_t e = p.column_start[linalg::at(c)]; e < p.column_start[linalg::at(c) + 1]; ++e) {
            const std::int32_t row = number_[linalg::at(p.row[linalg::at(e)])];
            if (row < 0) dense_[linalg::at(-1 - row)][c] = df[e];
        }
    for (std::size_t j = 0; j < q; ++j) {
        std::fill(y_[j].begin(), y_[j].end(), S(0));
        std::copy(dense_[j].begin(), dense_[j].end(), y_[j].begin());
        solver_->solve(y_[j].data());
        for (std::size_t i = 0; i < q; ++i)
            small_->matrix()[j * q + i] = linalg::dot(m_, dense_[i].data(), y_[j].data());
    }
    small_->factor(small_shift<S>());
    return small_->rank() > 0;
}

template <class S> bool LagrangeMatrix<S>::factor(const S* df, const S* curvature) {
    return factor_sparse(df, curvature) && (border_.empty() || factor_border(df));
}

template <class S> void LagrangeMatrix<S>::solve(S* b) {
    std::copy_n(b, m_, u_.data());
    for (const std::int32_t i : sparse_rows_) u_[number_[linalg::at(i)]] = b[m_ + i];
    solver_->solve(u_.data());
    for (std::size_t j = 0; j < border_.size(); ++j)
        c_[static_cast<std::int64_t>(j)] = linalg::dot(m_, dense_[j].data(), u_.data()) - b[m_ + border_[j]];
    if (small_) small_->solve_min_norm(c_.data(), v_.data());
    for (std::size_t j = 0; j < border_.size(); ++j) {
        const S v = v_[static_cast<std::int64_t>(j)];
        linalg::add_multiple(u_.size(), -v, y_[j].data(), u_.data());
        b[m_ + border_[j]] = v;
    }
    std::copy_n(u_.data(), m_, b);
    for (const std::int32_t i : sparse_rows_) b[m_ + i] = u_[number_[linalg::at(i)]];
}

template class LagrangeMatrix<double>;
template class LagrangeMatrix<Quad>;

} // namespace vessiot
