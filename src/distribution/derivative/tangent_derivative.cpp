#include "distribution/derivative/tangent_derivative.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

namespace {

constexpr std::int64_t tangent_limit = 100; // coordinates

template <class S> int checked_size(const TopDerivatives<S>& equations) {
    if (equations.n_equations() != equations.n_tops() || equations.n_state() > tangent_limit)
        throw InvalidInput("implicit methods in arclength are for systems of up to " + std::to_string(tangent_limit) +
                           " coordinates with as many equations as unknowns; here are " +
                           std::to_string(equations.n_state()) + " coordinates, and " +
                           std::to_string(equations.n_equations()) + " equations for " +
                           std::to_string(equations.n_tops()) +
                           " unknowns. Take an explicit method, such as dopri54, or --parametrisation time.");
    return static_cast<int>(equations.n_tops()) + 1;
}

} // namespace

template <class S>
TangentDerivative<S>::TangentDerivative(TopDerivatives<S>& equations)
    : equations_(equations), bordered_(checked_size(equations)), at_zero_(equations.entries().size()),
      b_(equations.n_tops() + 1), top_(equations.n_tops()) {}

// (A, r) over the row of v . dv
template <class S> bool TangentDerivative<S>::factor(const S* x, const S* v) {
    const std::int64_t n_tops = equations_.n_tops(), m = equations_.n_state(), n = n_tops + 1;
    S* matrix = bordered_.matrix();
    std::fill_n(matrix, n * n, S(0));
    for_each_entry(equations_.by_w(),
                   [&](auto i, auto j, auto e) { matrix[j * n + i] = at_zero_[equations_.w_first() + e]; });
    for (std::int64_t i = 0; i < n_tops; ++i) matrix[n_tops * n + i] = equations_.rows()[i];
    S* corner = matrix + n * n - 1;
    *corner = v[m];
    for (std::int64_t k = 0; k < m; ++k) {
        if (const auto next = equations_.next(k); next.is_top)
            matrix[next.at * n + n_tops] = v[k];
        else
            *corner += v[k] * x[next.at];
    }
    return bordered_.factor();
}

template <class S> PointStatus TangentDerivative<S>::find(const S* x, const S* v, S* minus_J) {
    const std::int64_t n_tops = equations_.n_tops(), m = equations_.n_state();
    const S t = x[m];
    std::fill(top_.begin(), top_.end(), S(0));
    const bool is_finite = equations_.evaluate(t, x, top_.data(), at_zero_);
    equations_.take(at_zero_); // for not_finite()
    if (!is_finite || !linalg::all_finite(equations_.rows().data(), n_tops)) return PointStatus::not_finite;
    if (!factor(x, v)) return PointStatus::singular;
    std::fill(b_.begin(), b_.end(), S(0));
    b_[n_tops] = 1;
    bordered_.solve(b_.data());
    std::copy_n(b_.data(), n_tops, top_.data());
    const S dt = b_[n_tops];
    if (!equations_.evaluate(t, x, top_.data())) return PointStatus::not_finite;

    const linalg::Pattern& p = equations_.pattern();
    for (std::int64_t j = 0; j <= m; ++j) { // column by column; that of t is the last of F
        const std::int64_t column = j < m ? j : m + n_tops;
        std::fill(b_.begin(), b_.end(), S(0));
        for (std::int64_t e = p.column_start[at(column)]; e < p.column_start[at(column + 1)]; ++e)
            b_[p.row[at(e)]] = -((dt - 1) * at_zero_[e] + equations_.entries()[e]);
        for (std::int64_t k = 0; k < m; ++k)
            if (const auto next = equations_.next(k); !next.is_top && next.at == j) b_[n_tops] -= dt * v[k];
        bordered_.solve(b_.data());
        const S ddt = b_[n_tops];
        S* slope = minus_J + j * (m + 1);
        for (std::int64_t k = 0; k < m; ++k) {
            const auto next = equations_.next(k);
            slope[k] = next.is_top ? -b_[next.at] : -(ddt * x[next.at] + (next.at == j ? dt : S(0)));
        }
        slope[m] = -ddt;
    }
    return PointStatus::good;
}

template class TangentDerivative<double>;
template class TangentDerivative<Quad>;

} // namespace vessiot
