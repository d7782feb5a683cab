#include "projection/ray/gradient_map.hpp"

#include <algorithm>

#include "linalg/iterative/krylov.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

namespace {

constexpr int most_iterations = 40;

} // namespace

template <class S>
GradientMap<S>::GradientMap(Manifold<S>& manifold) : manifold_(manifold), rho_(1), df_(manifold.pattern().entries()) {
    const linalg::Pattern& df = manifold.pattern();
    std::vector<std::int32_t> number(at(df.columns), -1); // by coordinate
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(df.columns); ++j) {
        if (df.column_start[at(j)] == df.column_start[at(j) + 1]) continue;
        number[at(j)] = static_cast<std::int32_t>(columns_.size());
        columns_.push_back(j);
    }
    const expr::SparseMatrix& d2f = manifold.curvature_matrix();
    const std::vector<std::int32_t>& coordinate = manifold.column_numbers();
    struct Entry {
        std::int32_t row, column, source;
    };
    std::vector<Entry> entries;
    std::vector<linalg::Place> places;
    for (std::int64_t c = 0; c < d2f.columns; ++c)
        for (std::int64_t e = d2f.column_start[at(c)]; e < d2f.column_start[at(c) + 1]; ++e) {
            const std::int32_t i = coordinate[at(d2f.row[at(e)])], j = coordinate[at(c)];
            if (i < 0 || j < 0 || number[at(i)] < 0 || number[at(j)] < 0) continue;
            entries.push_back({number[at(i)], number[at(j)], static_cast<std::int32_t>(e)});
            if (i != j) entries.push_back({number[at(j)], number[at(i)], static_cast<std::int32_t>(e)});
        }
    for (const Entry& e : entries) places.push_back({e.row, e.column});
    pattern_ = linalg::make_pattern(size(), size(), places);
    source_.assign(pattern_.row.size(), 0);
    for (const Entry& e : entries) {
        const auto first = pattern_.row.begin() + pattern_.column_start[at(e.column)];
        const auto last = pattern_.row.begin() + pattern_.column_start[at(e.column) + 1];
        source_[static_cast<std::size_t>(std::lower_bound(first, last, e.row) - pattern_.row.begin())] = e.source;
    }
    solver_ = std::make_unique<linalg::SquareSolver<S>>(pattern_);
    curvature_ = linalg::Vector<S>(d2f.n_entries());
    second_ = linalg::Vector<S>(pattern_.entries());
    y_ = d_ = linalg::Vector<S>(size());
}

template <class S> S GradientMap<S>::gradient(S t, const S* x, S* y) {
    manifold_.movable_df(t, x, rho_.data(), df_.data());
    for (std::int64_t j = 0; j < size(); ++j) y[j] = df_[j]; // one row: its entries are those of the columns, in order
    return rho_[0];
}

template <class S> void GradientMap<S>::find_second(S t, const S* x) {
    const S one = 1;
    manifold_.curvature(t, x, &one, curvature_.data());
    for (std::size_t e = 0; e < source_.size(); ++e) second_[static_cast<std::int64_t>(e)] = curvature_[source_[e]];
}

template <class S> void GradientMap<S>::multiply(const S* v, S* product) const {
    std::fill_n(product, size(), S(0));
    for (std::int64_t j = 0; j < size(); ++j)
        for (std::int64_t e = pattern_.column_start[at(j)]; e < pattern_.column_start[at(j) + 1]; ++e)
            product[pattern_.row[at(e)]] += second_[e] * v[j];
}

template <class S> bool GradientMap<S>::factor() {
    return linalg::all_finite(second_.data(), second_.size()) && solver_->factor(second_.data());
}

template <class S> bool GradientMap<S>::invert(S t, const S* y, S* x) {
    S before = -1;
    const S length = linalg::norm(size(), y);
    for (int k = 0; k < most_iterations; ++k) {
        gradient(t, x, y_.data());
        for (std::int64_t j = 0; j < size(); ++j) d_[j] = y[j] - y_[j];
        const S r = linalg::norm(size(), d_.data());
        if (!(r == r)) return false;
        // at round-off, where it stops falling
        if (r == S(0) || (before >= S(0) && r >= before / S(2) && r <= S(1e-10) * length)) return true;
        before = r;
        find_second(t, x);
        if (!factor()) return false;
        solve(d_.data());
        for (std::int64_t j = 0; j < size(); ++j) x[columns_[at(j)]] += d_[j];
    }
    return false;
}

template <class S> S GradientMap<S>::size_of_rho(S t, const S* x, S floor) {
    manifold_.sizes(t, x, df_.data(), floor, rho_.data());
    return rho_[0];
}

template class GradientMap<double>;
template class GradientMap<Quad>;

} // namespace vessiot
