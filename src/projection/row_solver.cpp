#include "projection/row_solver.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::absolute;
using linalg::at;

namespace {

constexpr int most_corrections = 100;
constexpr double least_damping = 1e-6, least_step = 1e-6;
constexpr double noticed_jump = 1e-3; // residuals after the least step, which are about that where F is continuous

} // namespace

template <class S>
RowSolver<S>::RowSolver(Manifold<S>& manifold, std::vector<std::int32_t> rows, std::vector<std::int32_t> columns,
                        const linalg::Vector<S>& from)
    : manifold_(manifold), rows_(std::move(rows)), columns_(std::move(columns)),
      part_(linalg::select(manifold.pattern(), rows_, columns_)), size_(manifold.n_coordinates()),
      f_(manifold.n_constraints()), df_(manifold.pattern().entries()), entries_(part_.pattern.entries()),
      b_(std::ssize(rows_)), lifted_(std::ssize(rows_)) {
    if (rows_.size() == columns_.size())
        square_.emplace(part_.pattern);
    else
        normal_.emplace(part_.pattern);
    grow(from.data());
}

template <class S> void RowSolver<S>::grow(const S* u) {
    for (std::int64_t j = 0; j < size_.size(); ++j) size_[j] = std::max(size_[j], absolute(u[j]));
}

template <class S> bool RowSolver<S>::correct(S t, const S* u, bool is_new, linalg::Vector<S>& d) {
    if (is_new)
        manifold_.df(t, u, f_.data(), df_.data());
    else
        manifold_.f(t, u, f_.data());
    for (std::int64_t k = 0; k < b_.size(); ++k) b_[k] = f_[rows_[at(k)]] - lift_ * lifted_[k];
    if (!linalg::all_finite(b_.data(), b_.size())) return false;
    if (is_new) {
        for (std::size_t k = 0; k < part_.source.size(); ++k)
            entries_[static_cast<std::int64_t>(k)] = df_[part_.source[k]];
        if (!linalg::all_finite(entries_.data(), entries_.size())) return false;
        const bool is_regular = square_ ? square_->factor(entries_.data()) : normal_->factor(entries_.data(), nullptr);
        if (!is_regular && (square_ || !normal_->leaves_out_rows())) return false;
    }
    if (square_) {
        square_->solve(b_.data());
        std::copy_n(b_.data(), d.size(), d.data());
    } else {
        normal_->solve_correction(b_.data(), d.data());
    }
    return linalg::all_finite(d.data(), d.size());
}

template <class S> S RowSolver<S>::length(const linalg::Vector<S>& d) const {
    S largest = 0;
    for (std::int64_t k = 0; k < d.size(); ++k)
        if (d[k] != S(0))
            largest = std::max(largest, absolute(d[k]) / std::max(size_[columns_[at(k)]], absolute(d[k])));
    return largest;
}

template <class S> S RowSolver<S>::contraction(const linalg::Vector<S>& next, const linalg::Vector<S>& d) const {
    S a = 0, b = 0;
    for (std::int64_t k = 0; k < d.size(); ++k) {
        const S scale = std::max(size_[columns_[at(k)]], std::max(absolute(d[k]), absolute(next[k])));
        if (scale == S(0)) continue;
        a = std::max(a, absolute(next[k]) / scale);
        b = std::max(b, absolute(d[k]) / scale);
    }
    return a == S(0) ? S(0) : a / b;
}

template <class S> void RowSolver<S>::move(const linalg::Vector<S>& d, S damping, linalg::Vector<S>& u) const {
    for (std::size_t k = 0; k < columns_.size(); ++k) u[columns_[k]] -= damping * d[static_cast<std::int64_t>(k)];
}

template <class S> bool RowSolver<S>::solve(S t, linalg::Vector<S>& u) {
    linalg::Vector<S> at_point = u, trial = u, d(std::ssize(columns_)), next(std::ssize(columns_));
    S last = 2;
    for (int k = 0; k < most_corrections; ++k) {
        if (!correct(t, at_point.data(), true, d)) return false;
        const S step = length(d);
        const bool is_round_off = step <= S(1e-9) && step >= last / S(4);
        if (step <= S(4) * linalg::epsilon<S>() || is_round_off) {
            u = std::move(at_point);
            return true;
        }
        S damping = 1;
        for (;; damping /= S(2)) {
            if (!(damping >= S(least_damping))) return false;
            std::copy(at_point.begin(), at_point.end(), trial.begin());
            move(d, damping, trial);
            if (correct(t, trial.data(), false, next) && contraction(next, d) <= S(1) - damping / S(2)) break;
        }
        swap(at_point, trial);
        grow(at_point.data());
        last = step;
    }
    return false;
}

template <class S> bool RowSolver<S>::advance(S t, S to, const Place& place, linalg::Vector<S>& u, S& ratio) {
    linalg::Vector<S> trial = u, d(std::ssize(columns_)), next(std::ssize(columns_));
    place(to, trial);
    ratio = 0;
    if (!correct(t, trial.data(), true, d)) return false;
    if (length(d) > S(16) * linalg::epsilon<S>()) {
        move(d, S(1), trial);
        if (!correct(t, trial.data(), false, next)) return false;
        ratio = contraction(next, d);
        if (!(ratio <= S(0.25)) || !solve(t, trial)) return false;
    }
    swap(u, trial);
    grow(u.data());
    return true;
}

template <class S> S RowSolver<S>::follow(S t, linalg::Vector<S>& u, const Place& place) {
    S s = 0, h = 1, ratio = 0;
    while (s < S(1)) {
        h = std::min(h, S(1) - s);
        const S to = h == S(1) - s ? S(1) : s + h;
        if (advance(t, to, place, u, ratio)) {
            s = to;
            h *= S(ratio <= S(0.1) ? 2 : 1);
        } else if (h >= S(least_step)) {
            h /= S(2);
        } else {
            if (!cross(t, to, place, u)) break;
            s = to;
            h = 1;
        }
    }
    if (s < S(1)) place(s, u);
    return s;
}

template <class S> bool RowSolver<S>::take_back(S t, linalg::Vector<S>& u) {
    linalg::Vector<S> trial = u;
    manifold_.f(t, trial.data(), f_.data());
    for (std::size_t k = 0; k < rows_.size(); ++k) lifted_[static_cast<std::int64_t>(k)] = f_[rows_[k]];
    is_crossing_ = true;
    const S reached = follow(t, trial, [&](S r, linalg::Vector<S>&) { lift_ = S(1) - r; });
    is_crossing_ = false;
    lift_ = 0;
    if (reached < S(1)) return false;
    swap(u, trial);
    return true;
}

// F jumps with s, as it does where a condition changes.
template <class S> bool RowSolver<S>::cross(S t, S to, const Place& place, linalg::Vector<S>& u) {
    linalg::Vector<S> trial = u;
    place(to, trial);
    if (is_crossing_ || !(relative_residual(manifold_, rows_, t, u, trial) > S(noticed_jump))) return false;
    if (!take_back(t, trial)) return false;
    swap(u, trial);
    return true;
}

template <class S>
S relative_residual(Manifold<S>& manifold, const std::vector<std::int32_t>& rows, S t, const linalg::Vector<S>& from,
                    const linalg::Vector<S>& u) {
    if (rows.empty()) return 0;
    const std::int64_t n = manifold.n_constraints();
    linalg::Vector<S> f(n), terms(n), size(n), df(manifold.pattern().entries()), largest(manifold.n_coordinates());
    for (std::int64_t j = 0; j < largest.size(); ++j) largest[j] = std::max(absolute(from[j]), absolute(u[j]));
    manifold.df(t, u.data(), f.data(), df.data());
    manifold.terms(t, u.data(), terms.data());
    manifold.sizes(terms.data(), largest.data(), df.data(), S(1e-12), size.data());
    S worst = 0;
    for (const std::int32_t k : rows) {
        if (f[k] == S(0)) continue;
        const S r = absolute(f[k]) / size[k];
        if (!(r <= worst)) worst = r; // NaN stays
    }
    return worst;
}

template double relative_residual(Manifold<double>&, const std::vector<std::int32_t>&, double,
                                  const linalg::Vector<double>&, const linalg::Vector<double>&);
template Quad relative_residual(Manifold<Quad>&, const std::vector<std::int32_t>&, Quad, const linalg::Vector<Quad>&,
                                const linalg::Vector<Quad>&);
template class RowSolver<double>;
template class RowSolver<Quad>;

} // namespace vessiot
