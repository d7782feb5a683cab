#include "projection/newton.hpp"

#include <algorithm>
#include <map>

#include "linalg/scalar.hpp"

namespace vessiot {

template <class S>
NewtonProjection<S>::NewtonProjection(Manifold<S>& manifold, const ProjectionOptions& options)
    : manifold_(manifold), fallback_(manifold, options),
      tolerance_(options.tolerance > 0 ? S(options.tolerance) : S(64) * linalg::epsilon<S>()),
      acceptable_(std::max(tolerance_, S(20000) * linalg::epsilon<S>())), floor_(S(options.floor)),
      max_iterations_(options.max_iterations), m_(manifold.n_coordinates()), k_(manifold.n_constraints()), a_(m_),
      mu_(k_), f_(k_), df_(manifold.pattern().entries()), curvature_(manifold.curvature_matrix().n_entries()),
      b_(m_ + k_), size_(k_) {
    if (k_ > 0) make_matrix();
}

template <class S> void NewtonProjection<S>::make_matrix() {
    std::map<std::pair<std::int32_t, std::int32_t>, Source> places; // column, row
    const auto at = [&](std::int64_t row, std::int64_t column) -> Source& {
        return places[{static_cast<std::int32_t>(column), static_cast<std::int32_t>(row)}];
    };
    for (std::int64_t j = 0; j < m_; ++j) at(j, j).is_diagonal = true;
    const linalg::Pattern& df = manifold_.pattern();
    for (std::int64_t c = 0; c < df.columns; ++c)
        for (std::int64_t e = df.column_start[static_cast<std::size_t>(c)];
             e < df.column_start[static_cast<std::size_t>(c) + 1]; ++e) {
            const std::int64_t row = m_ + df.row[static_cast<std::size_t>(e)];
            at(row, c).df = at(c, row).df = static_cast<std::int32_t>(e);
        }
    const std::vector<std::int32_t>& column = manifold_.column_numbers();
    const expr::SparseMatrix& d2f = manifold_.curvature_matrix();
    for (std::int64_t c = 0; c < d2f.columns; ++c)
        for (std::int64_t e = d2f.column_start[static_cast<std::size_t>(c)];
             e < d2f.column_start[static_cast<std::size_t>(c) + 1]; ++e) {
            const std::int32_t i = column[static_cast<std::size_t>(d2f.row[static_cast<std::size_t>(e)])];
            const std::int32_t j = column[static_cast<std::size_t>(c)];
            if (i >= 0 && j >= 0) at(i, j).curvature = at(j, i).curvature = static_cast<std::int32_t>(e);
        }
    pattern_ = {m_ + k_, m_ + k_, {}, {}};
    pattern_.column_start.assign(static_cast<std::size_t>(m_ + k_) + 1, 0);
    for (const auto& [place, source] : places) {
        pattern_.row.push_back(place.second);
        source_.push_back(source);
        ++pattern_.column_start[static_cast<std::size_t>(place.first) + 1];
    }
    for (std::size_t c = 1; c < pattern_.column_start.size(); ++c)
        pattern_.column_start[c] += pattern_.column_start[c - 1];
    entries_ = linalg::Vector<S>(std::ssize(source_));
    solver_ = std::make_unique<linalg::SquareSolver<S>>(pattern_);
}

template <class S> void NewtonProjection<S>::begin_step(S, const S*) {}

template <class S> S NewtonProjection<S>::residual() const {
    S largest = 0;
    for (std::int64_t i = 0; i < k_; ++i) {
        if (f_[i] == S(0)) continue;
        const S r = linalg::absolute(f_[i]) / size_[i];
        if (!(r == r)) return r;
        largest = std::max(largest, r);
    }
    return largest;
}

template <class S> void NewtonProjection<S>::fill_matrix() {
    for (std::size_t e = 0; e < source_.size(); ++e) {
        S value = source_[e].is_diagonal ? S(1) : S(0);
        if (source_[e].df >= 0) value += df_[source_[e].df];
        if (source_[e].curvature >= 0) value += curvature_[source_[e].curvature];
        entries_[static_cast<std::int64_t>(e)] = value;
    }
}

template <class S> bool NewtonProjection<S>::newton_step(S t, S* x) {
    ++counts_.jacobians;
    ++counts_.factorisations;
    manifold_.df(t, x, f_.data(), df_.data());
    manifold_.sizes(t, x, df_.data(), floor_, size_.data());
    manifold_.curvature(t, x, mu_.data(), curvature_.data());
    fill_matrix();
    if (!solver_->factor(entries_.data())) return false;
    // b = -(p - a + df^T mu, f)
    for (std::int64_t j = 0; j < m_; ++j) {
        S sum = x[j] - a_[j];
        for (std::int64_t e = manifold_.pattern().column_start[static_cast<std::size_t>(j)];
             e < manifold_.pattern().column_start[static_cast<std::size_t>(j) + 1]; ++e)
            sum += df_[e] * mu_[manifold_.pattern().row[static_cast<std::size_t>(e)]];
        b_[j] = -sum;
    }
    for (std::int64_t i = 0; i < k_; ++i) b_[m_ + i] = -f_[i];
    solver_->solve(b_.data());
    for (std::int64_t j = 0; j < m_; ++j) x[j] += b_[j];
    for (std::int64_t i = 0; i < k_; ++i) mu_[i] += b_[m_ + i];
    return true;
}

template <class S> ProjectionReport<S> NewtonProjection<S>::project(S tau, S* x) {
    ProjectionReport<S> report;
    if (k_ == 0) return report;
    std::copy_n(x, m_, a_.data());
    std::fill(mu_.begin(), mu_.end(), S(0));
    manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    S before = -1;
    while (true) {
        const S r = residual();
        if (r <= tolerance_ || (before >= S(0) && r <= acceptable_ && r > before / S(2))) break;
        report.status = r == r ? PointStatus::not_converged : PointStatus::not_finite;
        if (!(r == r) || report.iterations == max_iterations_) return report;
        before = r;
        if (!newton_step(time_at(manifold_, tau, x), x)) {
            std::copy_n(a_.data(), m_, x);
            fallback_.begin_step(tau, x);
            return fallback_.project(tau, x);
        }
        ++report.iterations;
        manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    }
    report.status = PointStatus::good;
    for (const S& r : f_) report.residual = std::max(report.residual, linalg::absolute(r));
    return report;
}

template class NewtonProjection<double>;
template class NewtonProjection<expr::Quad>;

} // namespace vessiot
