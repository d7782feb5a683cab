#include "distribution/derivative/level_projector.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

template <class S>
LevelProjector<S>::LevelProjector(Manifold<S>& manifold, std::int64_t n, bool by_levels)
    : manifold_(manifold), n_(n), by_levels_(by_levels), f_(manifold.n_constraints()),
      df_(manifold.pattern().entries()), correction_(n) {
    struct Members {
        std::vector<std::int32_t> rows, columns;
    };
    std::map<int, Members> members;
    const auto key = [&](int level) { return by_levels_ ? level : 0; };
    for (std::size_t k = 0; k < manifold_.rows().size(); ++k)
        members[key(manifold_.rows()[k].level)].rows.push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < at(n_); ++k)
        members[key(manifold_.levels()[k])].columns.push_back(static_cast<std::int32_t>(k));
    for (auto& [level, m] : members) {
        if (m.rows.empty()) continue;
        auto [part, source] = linalg::select(manifold_.pattern(), m.rows, m.columns);
        const std::int64_t k = std::ssize(m.rows);
        levels_.push_back({.rows = std::move(m.rows),
                           .columns = std::move(m.columns),
                           .source = std::move(source),
                           .solver = linalg::NormalSolver<S>(part),
                           .entries = linalg::Vector<S>(part.entries()),
                           .b = linalg::Vector<S>(k)});
    }
}

template <class S> bool LevelProjector<S>::moves(std::int64_t constraint, std::int64_t coordinate) const {
    return !by_levels_ || manifold_.rows()[at(constraint)].level == manifold_.levels()[at(coordinate)];
}

template <class S> bool LevelProjector<S>::set(S t, const S* u) {
    is_factored_ = false;
    manifold_.movable_df(t, u, f_.data(), df_.data());
    return linalg::all_finite(df_.data(), df_.size());
}

template <class S> void LevelProjector<S>::factor() {
    if (std::exchange(is_factored_, true)) return;
    for (Level& level : levels_) {
        for (std::size_t e = 0; e < level.source.size(); ++e) level.entries[std::int64_t(e)] = df_[level.source[e]];
        level.is_solvable = level.solver.factor(level.entries.data(), nullptr) || level.solver.leaves_out_rows();
    }
}

template <class S> void LevelProjector<S>::project(S* x, const S* offset) {
    const linalg::Pattern& df = manifold_.pattern();
    factor();
    for (Level& level : levels_) {
        if (!level.is_solvable) continue;
        if (offset)
            std::copy_n(offset, f_.size(), f_.begin());
        else
            std::fill(f_.begin(), f_.end(), S(0));
        for (std::int64_t j = 0; j < df.columns; ++j)
            for (std::int64_t e = df.column_start[at(j)]; e < df.column_start[at(j + 1)]; ++e)
                f_[df.row[at(e)]] += df_[e] * x[j];
        for (std::size_t k = 0; k < level.rows.size(); ++k) level.b[std::int64_t(k)] = f_[level.rows[k]];
        level.solver.solve_correction(level.b.data(), correction_.data());
        for (std::size_t j = 0; j < level.columns.size(); ++j) x[level.columns[j]] -= correction_[std::int64_t(j)];
    }
}

// Each row r, level after level from the last: r - df_s^T l, A_s A_s^T l = A_s r.
template <class S> void LevelProjector<S>::project_rows(S* matrix) {
    const linalg::Pattern& df = manifold_.pattern();
    factor();
    for (Level& level : levels_ | std::views::reverse) {
        if (!level.is_solvable) continue;
        for (std::int64_t i = 0; i < n_; ++i) {
            std::fill(f_.begin(), f_.end(), S(0));
            std::int64_t e = 0;
            for (const std::int32_t j : level.columns)
                for (std::int64_t k = df.column_start[at(j)]; k < df.column_start[at(j + 1)]; ++k)
                    f_[df.row[at(k)]] += df_[k] * matrix[j * n_ + i];
            for (const std::int32_t k : level.rows) level.b[e++] = f_[k];
            level.solver.solve(level.b.data(), level.b.data());
            std::fill(f_.begin(), f_.end(), S(0));
            e = 0;
            for (const std::int32_t k : level.rows) f_[k] = level.b[e++];
            for (std::int64_t j = 0; j < n_; ++j)
                for (std::int64_t k = df.column_start[at(j)]; k < df.column_start[at(j + 1)]; ++k)
                    matrix[j * n_ + i] -= df_[k] * f_[df.row[at(k)]];
        }
    }
}

template class LevelProjector<double>;
template class LevelProjector<Quad>;

} // namespace vessiot
