// The derivative of the unit tangent v = (du, dt) by x = (u, t), in arclength.
//
//   dt r(x) + A(x) z = 0,   du = dt S u + E z,   |v| = 1           F(t, u, w) = r + A w;  z = dt w, finite where w is
//   not
//
// z and dt follow from v; with (dx) on the right and (dz, ddt) unknown
//
//   A dz + r ddt = -(dt F_x|w=0 + F_x|w=z - F_x|w=0) dx           F_x is linear in w
//   v . dv = 0                                                    dv = (ddt S u + dt S dx + E dz, ddt)
//
// whose matrix is regular wherever the tangent is unique, at impasse points (dt = 0) too. Dense, for small systems.
#include <string>

#include "core/error.hpp"
#include "distribution/derivative/linearised.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

namespace {

constexpr std::int64_t tangent_limit = 100; // coordinates

} // namespace

template <class S> void Linearised<S>::plan_tangent() {
    if (n_equations_ != n_tops_ || n_state_ > tangent_limit)
        throw InvalidInput("implicit methods in arclength are for systems of up to " + std::to_string(tangent_limit) +
                           " coordinates with as many equations as unknowns; here are " + std::to_string(n_state_) +
                           " coordinates, and " + std::to_string(n_equations_) + " equations for " +
                           std::to_string(n_tops_) +
                           " unknowns. Take an explicit method, such as dopri54, or --parametrisation time.");
    plan_dense();
    bordered_ = std::make_unique<linalg::DenseLu<S>>(static_cast<int>(n_tops_) + 1);
    at_zero_ = linalg::Vector<S>(entries_.size());
    bordered_b_ = linalg::Vector<S>(n_tops_ + 1);
    std::fill(top_.begin(), top_.end(), S(0));
}

template <class S> PointStatus Linearised<S>::set_tangent(const S* x, const S* v) {
    const S t = x[n_state_];
    const std::int64_t n = n_tops_ + 1;
    has_tops_ = has_levels_ = false;
    std::fill(top_.begin(), top_.end(), S(0));
    function_(jets_.at(t, x, top_.data()), rows_.data(), at_zero_.data());
    std::copy_n(at_zero_.data(), entries_.size(), entries_.data()); // for not_finite()
    if (!linalg::all_finite(at_zero_.data(), at_zero_.size()) || !linalg::all_finite(rows_.data(), n_tops_))
        return PointStatus::not_finite;

    // (A, r) over the row of v . dv
    S* m = bordered_->matrix();
    std::fill_n(m, n * n, S(0));
    for (std::int64_t j = 0; j < n_tops_; ++j)
        for (std::int64_t e = by_w_.column_start[at(j)]; e < by_w_.column_start[at(j + 1)]; ++e)
            m[j * n + by_w_.row[at(e)]] = at_zero_[column_starts_[1] + e];
    for (std::int64_t i = 0; i < n_tops_; ++i) m[n_tops_ * n + i] = rows_[i];
    S* corner = m + n * n - 1;
    *corner = v[n_state_];
    for (std::int64_t k = 0; k < n_state_; ++k) {
        if (next_[at(k)].is_top)
            m[next_[at(k)].at * n + n_tops_] = v[k];
        else
            *corner += v[k] * x[next_[at(k)].at];
    }
    if (!bordered_->factor()) return PointStatus::singular;
    std::fill(bordered_b_.begin(), bordered_b_.end(), S(0));
    bordered_b_[n_tops_] = 1;
    bordered_->solve(bordered_b_.data());
    std::copy_n(bordered_b_.data(), n_tops_, top_.data());
    const S dt = bordered_b_[n_tops_];
    function_(jets_.at(t, x, top_.data()), rows_.data(), entries_.data());
    if (!linalg::all_finite(entries_.data(), entries_.size())) return PointStatus::not_finite;

    const linalg::Pattern& p = function_.pattern();
    for (std::int64_t j = 0; j < n_x_; ++j) { // column by column; that of t is the last of F
        const std::int64_t column = j < n_state_ ? j : n_state_ + n_tops_;
        std::fill(bordered_b_.begin(), bordered_b_.end(), S(0));
        for (std::int64_t e = p.column_start[at(column)]; e < p.column_start[at(column + 1)]; ++e)
            bordered_b_[p.row[at(e)]] = -((dt - 1) * at_zero_[e] + entries_[e]);
        for (std::int64_t k = 0; k < n_state_; ++k)
            if (!next_[at(k)].is_top && next_[at(k)].at == j) bordered_b_[n_tops_] -= dt * v[k];
        bordered_->solve(bordered_b_.data());
        const S ddt = bordered_b_[n_tops_];
        S* slope = slope_.data() + j * n_x_; // -J
        for (std::int64_t k = 0; k < n_state_; ++k) {
            const Next next = next_[at(k)];
            slope[k] = next.is_top ? -bordered_b_[next.at] : -(ddt * x[next.at] + (next.at == j ? dt : S(0)));
        }
        slope[n_state_] = -ddt;
    }
    std::fill(constant_.begin(), constant_.end(), S(0));
    for (std::int64_t j = 0; j < n_x_; ++j) constant_[j * n_x_ + j] = 1;
    if (manifold_) {
        manifold_->movable_df(t, x, f_.data(), df_.data());
        if (!linalg::all_finite(df_.data(), df_.size())) return PointStatus::not_finite;
        project_rows();
    }
    return linalg::all_finite(slope_.data(), slope_.size()) ? PointStatus::good : PointStatus::singular;
}

template void Linearised<double>::plan_tangent();
template void Linearised<Quad>::plan_tangent();
template PointStatus Linearised<double>::set_tangent(const double*, const double*);
template PointStatus Linearised<Quad>::set_tangent(const Quad*, const Quad*);

} // namespace vessiot
