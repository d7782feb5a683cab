#include "sensitivity/tangent_projection.hpp"

#include <algorithm>
#include <map>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

namespace {

constexpr int most_corrections = 4;

} // namespace

template <class S> std::vector<std::int32_t> rows_of_blocks(const Manifold<S>& base, const Manifold<S>& all) {
    const std::int64_t k = base.n_constraints();
    const std::int64_t n_invariants = std::ranges::count(base.rows(), ConstraintKind::invariant, &ConstraintRow::kind);
    const std::int64_t n_written = k - n_invariants, n_blocks = k == 0 ? 1 : all.n_constraints() / k;
    std::vector<std::int32_t> result;
    for (std::int64_t b = 0; b < n_blocks; ++b)
        for (std::int64_t i = 0; i < k; ++i)
            result.push_back(static_cast<std::int32_t>(
                i < n_written ? b * n_written + i : n_blocks * n_written + b * n_invariants + (i - n_written)));
    return result;
}

template <class S>
TangentProjection<S>::TangentProjection(std::unique_ptr<Projection<S>> inner, Manifold<S>& base, Manifold<S>& all)
    : inner_(std::move(inner)), base_(base), all_(all), n_(base.n_coordinates()), n_blocks_(all.n_coordinates() / n_),
      is_joint_(!base.has_levels() || base.has_invariants()), row_of_(rows_of_blocks(base, all)), u_(n_),
      f_(base.n_constraints()), entries_(base.pattern().entries()), all_f_(all.n_constraints()),
      terms_(all.n_constraints()), r_(base.n_constraints()) {
    make_levels();
}

template <class S>
typename TangentProjection<S>::Level TangentProjection<S>::make_level(std::vector<std::int32_t> rows,
                                                                      std::vector<std::int32_t> columns) const {
    auto [part, source] = linalg::select(base_.pattern(), rows, columns);
    const std::int64_t k = std::ssize(rows), m = std::ssize(columns), n = std::ssize(source);
    return {.rows = std::move(rows),
            .columns = std::move(columns),
            .source = std::move(source),
            .solver = linalg::NormalSolver<S>(part),
            .entries = linalg::Vector<S>(n),
            .b = linalg::Vector<S>(k),
            .d = linalg::Vector<S>(m),
            .weights = linalg::Vector<S>(m)};
}

template <class S> void TangentProjection<S>::make_levels() {
    struct Members {
        std::vector<std::int32_t> rows, columns;
    };
    std::map<int, Members> by_level;
    const auto key = [&](int level) { return is_joint_ ? 0 : level; };
    for (std::size_t k = 0; k < base_.rows().size(); ++k)
        by_level[key(base_.rows()[k].level)].rows.push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < base_.levels().size(); ++k)
        by_level[key(base_.levels()[k])].columns.push_back(static_cast<std::int32_t>(k));
    for (auto& [level, members] : by_level)
        if (!members.rows.empty()) levels_.push_back(make_level(std::move(members.rows), std::move(members.columns)));
}

template <class S> void TangentProjection<S>::begin_step(S tau, const S* x) {
    std::copy_n(x, n_, u_.data());
    inner_->begin_step(tau, u_.data());
}

// Jointly: max(1, mean square of the coordinates of a level).
template <class S> void TangentProjection<S>::set_weights() {
    std::fill(levels_[0].weights.begin(), levels_[0].weights.end(), S(1));
    if (!is_joint_) return;
    S sum = 0, count = 0;
    const std::vector<int>& level = base_.levels();
    const auto [lowest, highest] = std::ranges::minmax(level);
    for (int s = lowest; s <= highest; ++s) {
        sum = count = S(0);
        for (std::size_t k = 0; k < level.size(); ++k)
            if (level[k] == s) {
                sum += u_[static_cast<std::int64_t>(k)] * u_[static_cast<std::int64_t>(k)];
                count += S(1);
            }
        if (count == S(0)) continue;
        for (std::size_t k = 0; k < level.size(); ++k)
            if (level[k] == s) levels_[0].weights[static_cast<std::int64_t>(k)] = std::max(S(1), sum / count);
    }
}

template <class S> bool TangentProjection<S>::factor(S t) {
    base_.movable_df(t, u_.data(), f_.data(), entries_.data());
    set_weights();
    bool is_good = true;
    for (Level& s : levels_) {
        for (std::size_t k = 0; k < s.source.size(); ++k)
            s.entries[static_cast<std::int64_t>(k)] = entries_[s.source[k]];
        is_good &=
            s.solver.factor(s.entries.data(), is_joint_ ? s.weights.data() : nullptr) || s.solver.leaves_out_rows();
    }
    return is_good;
}

template <class S> void TangentProjection<S>::take_residuals(S t, const S* x) {
    all_.f(t, x, all_f_.data());
}

template <class S> S TangentProjection<S>::largest() const {
    S result = 0;
    for (std::size_t k = at(base_.n_constraints()); k < row_of_.size(); ++k) {
        const S r = linalg::absolute(all_f_[row_of_[k]]);
        if (r == S(0)) continue;
        const S ratio = r / terms_[row_of_[k]];
        if (!(ratio <= result)) result = ratio; // NaN stays
        if (!(result == result)) break;
    }
    return result;
}

// Level after level; what a correction of one does to the rows of the others is A d.
template <class S> void TangentProjection<S>::correct(std::int64_t block, S* s) {
    const std::int64_t k = base_.n_constraints();
    for (std::int64_t i = 0; i < k; ++i) r_[i] = all_f_[row_of_[at(block * k + i)]];
    const linalg::Pattern& a = base_.pattern();
    for (std::size_t number = 0; number < levels_.size(); ++number) {
        Level& level = levels_[number];
        for (std::size_t i = 0; i < level.rows.size(); ++i) level.b[static_cast<std::int64_t>(i)] = r_[level.rows[i]];
        level.solver.solve_correction(level.b.data(), level.d.data());
        for (std::size_t c = 0; c < level.columns.size(); ++c) {
            const S d = level.d[static_cast<std::int64_t>(c)];
            s[level.columns[c]] -= d;
            if (number + 1 == levels_.size()) continue;
            for (std::int64_t e = a.column_start[at(level.columns[c])]; e < a.column_start[at(level.columns[c] + 1)];
                 ++e)
                r_[a.row[at(e)]] -= entries_[e] * d;
        }
    }
}

template <class S> ProjectionReport<S> TangentProjection<S>::project(S tau, S* x) {
    std::copy_n(x, n_, u_.data());
    ProjectionReport<S> report = inner_->project(tau, u_.data());
    std::copy_n(u_.data(), n_, x);
    if (report.status != PointStatus::good || levels_.empty()) return report;
    if (!factor(tau)) {
        report.status =
            linalg::all_finite(entries_.data(), entries_.size()) ? PointStatus::singular : PointStatus::not_finite;
        return report;
    }
    // linear: one correction is all but for round-off, which the condition of A magnifies
    take_residuals(tau, x);
    S before = S(0);
    for (int k = 0; k < most_corrections; ++k) {
        for (std::int64_t b = 1; b < n_blocks_; ++b) correct(b, x + b * n_);
        take_residuals(tau, x);
        all_.terms(tau, x, terms_.data());
        const S now = largest();
        if (!(now == now)) {
            report.status = PointStatus::not_finite;
            return report;
        }
        if (now <= S(16) * linalg::epsilon<S>() || (k > 0 && now > before / S(2))) break;
        before = now;
    }
    for (const S& r : all_f_) report.residual = std::max(report.residual, linalg::absolute(r));
    return report;
}

template class TangentProjection<double>;
template class TangentProjection<Quad>;
template std::vector<std::int32_t> rows_of_blocks(const Manifold<double>&, const Manifold<double>&);
template std::vector<std::int32_t> rows_of_blocks(const Manifold<Quad>&, const Manifold<Quad>&);

} // namespace vessiot
