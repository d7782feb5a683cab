#include "method/multistep/grid_formula.hpp"

#include <algorithm>
#include <array>

#include "linalg/scalar.hpp"

namespace vessiot::method {

namespace {

using linalg::absolute;

constexpr std::size_t most_coefficients = 2 * most_multistep_steps + 1;
template <class S> using Row = std::array<S, most_coefficients>;

// Chebyshev's polynomials on [end, 0] at theta, and their derivatives: a basis in which the conditions stay apart.
template <class S> struct Basis {
    std::array<S, most_multistep_order + 2> value{}, derivative{};

    Basis() = default;
    Basis(int degree, S end, S theta) {
        const S x = 1 - 2 * theta / end, slope = -2 / end;
        value[0] = 1;
        value[1] = x;
        derivative[1] = slope;
        for (std::size_t q = 2; q <= linalg::at(degree); ++q) {
            value[q] = 2 * x * value[q - 1] - value[q - 2];
            derivative[q] = 2 * (slope * value[q - 1] + x * derivative[q - 1]) - derivative[q - 2];
        }
    }
};

template <class S> S product(std::size_t n, const S* a, const S* b) {
    S sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

} // namespace

// The rows of the conditions, orthogonalised one after the other: A = L Q^T, and the shortest d with A d = r is Q y
// with L y = r.
template <class S>
bool fit_formula(int order, const std::vector<S>& theta, const std::vector<char>& is_free, std::vector<S>& c) {
    const std::size_t k = theta.size(), n = c.size(), n_rows = linalg::at(order) + 1;
    std::array<Basis<S>, most_multistep_steps + 1> at; // the past points, then the new one
    for (std::size_t j = 0; j < k; ++j) at[j] = Basis<S>(order, theta.back(), theta[j]);
    at[k] = Basis<S>(order, theta.back(), S(0));
    std::array<Row<S>, most_multistep_order + 1> rows;
    std::array<S, most_multistep_order + 1> y{};
    Row<S> all{};
    for (std::size_t q = 0; q < n_rows; ++q) {
        for (std::size_t j = 0; j < k; ++j) {
            all[j] = at[j].value[q];
            all[k + 1 + j] = -at[j].derivative[q];
        }
        all[k] = -at[k].derivative[q];
        S rest = -at[k].value[q] - product(n, all.data(), c.data());
        Row<S>& row = rows[q];
        for (std::size_t i = 0; i < n; ++i) row[i] = is_free[i] ? all[i] : S(0);
        const S before = linalg::square_root(product(n, row.data(), row.data()));
        for (int pass = 0; pass < 2; ++pass) // twice: the second one takes the round-off of the first
            for (std::size_t i = 0; i < q; ++i) {
                const S part = product(n, row.data(), rows[i].data()); // of L
                for (std::size_t m = 0; m < n; ++m) row[m] -= part * rows[i][m];
                rest -= part * y[i];
            }
        const S size = linalg::square_root(product(n, row.data(), row.data()));
        if (!(size > S(1e-9) * before)) return false;
        for (std::size_t m = 0; m < n; ++m) row[m] /= size;
        y[q] = rest / size;
    }
    for (std::size_t q = 0; q < n_rows; ++q)
        for (std::size_t i = 0; i < n; ++i) c[i] += y[q] * rows[q][i];
    return true;
}

template <class S>
GridFormula<S>::GridFormula(const MultistepFormula& formula, int order)
    : k_(formula.n_steps()), order_(order), is_explicit_(formula.is_explicit()) {
    const auto k = linalg::at(k_);
    for (std::size_t j = 0; j < k; ++j) even_.push_back(static_cast<S>(formula.alpha[k - 1 - j]));
    for (std::size_t j = 0; j <= k; ++j) even_.push_back(static_cast<S>(formula.beta[k - j]));
    for (const S c : even_) is_free_.push_back(c != S(0));
    all_free_.assign(even_.size(), 1);
    all_free_[k] = !is_explicit_;
    c_ = even_;
}

template <class S> void GridFormula<S>::set(const std::vector<S>& theta, bool is_even) {
    if (theta == theta_) return;
    theta_ = theta;
    c_ = even_;
    if (!is_even) {
        last_.assign(theta.begin(), theta.begin() + k_);
        if (!fit_formula(order_, last_, is_free_, c_)) {
            c_ = even_;
            fit_formula(order_, last_, all_free_, c_);
        }
    }
    extrapolate(theta);
}

// Lagrange's polynomials of the last points at theta = 0, and the factor of the error.
template <class S> void GridFormula<S>::extrapolate(const std::vector<S>& theta) {
    const std::size_t n = std::min(theta.size(), linalg::at(order_) + 1);
    predictor_.assign(n, S(1));
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i)
            if (i != j) predictor_[j] *= theta[i] / (theta[i] - theta[j]);
    const auto power = [](S x, int exponent) {
        S result = 1;
        for (int i = 0; i < exponent; ++i) result *= x;
        return result;
    };
    S defect = 0, divisor = 1; // K
    for (int j = 0; j < k_; ++j) {
        const S t = theta[linalg::at(j)];
        defect += alpha(j) * power(t, order_ + 1) - beta(j) * S(order_ + 1) * power(t, order_);
    }
    for (std::size_t j = 0; j < n; ++j) divisor *= -theta[j];
    error_factor_ = absolute(defect / divisor);
}

template class GridFormula<double>;
template class GridFormula<Quad>;
template bool fit_formula(int, const std::vector<double>&, const std::vector<char>&, std::vector<double>&);
template bool fit_formula(int, const std::vector<Quad>&, const std::vector<char>&, std::vector<Quad>&);

} // namespace vessiot::method
