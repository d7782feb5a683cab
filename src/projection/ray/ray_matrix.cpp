#include "projection/ray/ray_matrix.hpp"

#include <algorithm>

#include "linalg/matrix.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

template <class S>
RayMatrix<S>::RayMatrix(const linalg::Pattern& df, const Partition& partition, bool has_determinant)
    : df_(df), partition_(partition), k_(df.rows), set_(at(df.columns), -1), place_(df.row.size(), -1) {
    take_sets();
    if (!has_determinant) return;
    dense_.resize(at(k_ * k_));
    row_.resize(at(k_));
}

template <class S> void RayMatrix<S>::take_sets() {
    std::ranges::fill(set_, -1);
    for (std::size_t j = 0; j < partition_.sets.size(); ++j)
        for (const std::int32_t l : partition_.sets[j]) set_[at(l)] = static_cast<std::int32_t>(j);
    const auto visit = [&](const auto& function) {
        for (std::int64_t l = 0; l < df_.columns; ++l)
            for (std::int64_t e = df_.column_start[at(l)]; e < df_.column_start[at(l) + 1]; ++e)
                if (set_[at(l)] >= 0) function(e, df_.row[at(e)], set_[at(l)]);
    };
    if (!solver_) {
        std::vector<linalg::Place> places;
        visit([&](std::int64_t, std::int32_t i, std::int32_t j) { places.push_back({i, j}); });
        if (partition_.is_chosen)
            for (std::int32_t j = 0; j < static_cast<std::int32_t>(k_); ++j)
                for (std::int32_t i = 0; i < static_cast<std::int32_t>(k_); ++i) places.push_back({i, j});
        pattern_ = linalg::make_pattern(k_, k_, places);
        solver_ = std::make_unique<linalg::SquareSolver<S>>(pattern_);
        entries_ = linalg::Vector<S>(pattern_.entries());
    }
    std::ranges::fill(place_, -1);
    visit([&](std::int64_t e, std::int32_t i, std::int32_t j) {
        const auto first = pattern_.row.begin() + pattern_.column_start[at(j)];
        const auto last = pattern_.row.begin() + pattern_.column_start[at(j) + 1];
        place_[at(e)] = std::lower_bound(first, last, i) - pattern_.row.begin();
    });
}

template <class S> void RayMatrix<S>::lengths(const S* a, S* length) const {
    std::fill_n(length, k_, S(0));
    for (std::int64_t l = 0; l < df_.columns; ++l)
        if (set_[at(l)] >= 0) length[set_[at(l)]] += a[l] * a[l];
    for (std::int64_t j = 0; j < k_; ++j) length[j] = linalg::square_root(length[j]);
}

template <class S> void RayMatrix<S>::scale(const S* s, const S* a, S* x) const {
    for (std::int64_t l = 0; l < df_.columns; ++l)
        if (set_[at(l)] >= 0) x[l] = s[set_[at(l)]] * a[l];
}

template <class S> void RayMatrix<S>::fill(const S* df, const S* a) {
    std::fill(entries_.begin(), entries_.end(), S(0));
    for (std::int64_t l = 0; l < df_.columns; ++l) {
        if (set_[at(l)] < 0) continue;
        for (std::int64_t e = df_.column_start[at(l)]; e < df_.column_start[at(l) + 1]; ++e)
            entries_[place_[at(e)]] += df[e] * a[l];
    }
}

template <class S> S RayMatrix<S>::determinant(const S* df, const S* length) {
    std::ranges::fill(dense_, S(0));
    std::ranges::fill(row_, S(0));
    for (std::size_t e = 0; e < df_.row.size(); ++e) row_[at(df_.row[e])] += df[e] * df[e];
    for (std::int64_t j = 0; j < k_; ++j)
        for (std::int64_t e = pattern_.column_start[at(j)]; e < pattern_.column_start[at(j) + 1]; ++e) {
            const std::int32_t i = pattern_.row[at(e)];
            const S size = linalg::square_root(row_[at(i)]) * length[j];
            if (size > S(0)) dense_[at(j * k_ + i)] = entries_[e] / size;
        }
    return linalg::invert<S>(k_, dense_.data(), nullptr);
}

template class RayMatrix<double>;
template class RayMatrix<Quad>;

} // namespace vessiot
