#include "linalg/lemke.hpp"

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

// Rows of B^-1 [I, -W, -e, q]; columns: w (0 .. n-1), z (n .. 2n-1), z0 (2n), q (2n+1).
template <class S> class Tableau {
public:
    Tableau(const std::vector<S>& W, const std::vector<S>& q)
        : n_(q.size()), width_(2 * n_ + 2), a_(n_ * width_), basis_(n_), W_(W), q_(q) {
        for (std::size_t i = 0; i < n_; ++i) {
            entry(i, i) = S(1);
            for (std::size_t j = 0; j < n_; ++j) {
                entry(i, n_ + j) = -W[i * n_ + j];
                size_ = std::max(size_, absolute(W[i * n_ + j]));
            }
            entry(i, 2 * n_) = S(-1);
            entry(i, 2 * n_ + 1) = q[i];
            basis_[i] = i;
        }
    }

    std::optional<std::vector<S>> solve() {
        std::size_t row = 0;
        for (std::size_t i = 1; i < n_; ++i)
            if (entry(i, 2 * n_ + 1) < entry(row, 2 * n_ + 1)) row = i;
        if (!(entry(row, 2 * n_ + 1) < S(0))) return std::vector<S>(n_, S(0));
        std::size_t entering = 2 * n_;
        const std::size_t most = 50 * (n_ + 2);
        for (std::size_t k = 0; k < most; ++k) {
            const std::size_t leaving = basis_[row];
            pivot(row, entering);
            if (leaving == 2 * n_) return values();
            entering = leaving < n_ ? leaving + n_ : leaving - n_;
            const std::optional<std::size_t> next = ratio_test(entering);
            if (!next) break;
            row = *next;
        }
        // a ray: where z0 is round-off that is all that is missing (W of contacts that say the same twice is singular)
        const std::vector<S> z = values();
        return is_solution(z) ? std::optional(z) : std::nullopt;
    }

private:
    S& entry(std::size_t i, std::size_t j) { return a_[i * width_ + j]; }

    void pivot(std::size_t row, std::size_t column) {
        const S scale = S(1) / entry(row, column);
        for (std::size_t j = 0; j < width_; ++j) entry(row, j) *= scale;
        entry(row, column) = S(1);
        for (std::size_t i = 0; i < n_; ++i) {
            const S factor = entry(i, column);
            if (i == row || factor == S(0)) continue;
            for (std::size_t j = 0; j < width_; ++j) entry(i, j) -= factor * entry(row, j);
            entry(i, column) = S(0);
        }
        basis_[row] = column;
    }

    // The row that leaves: the lexicographically smallest of (q, B^-1) over the entries of the column; z0 where it is
    // among the smallest.
    std::optional<std::size_t> ratio_test(std::size_t column) {
        const S small = S(64) * epsilon<S>() * std::max(S(1), size_);
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < n_; ++i) {
            if (!(entry(i, column) > small)) continue;
            if (!best || is_smaller(i, *best, column)) best = i;
        }
        if (!best) return best;
        for (std::size_t i = 0; i < n_; ++i)
            if (basis_[i] == 2 * n_ && entry(i, column) > small && ratio(i, column) <= ratio(*best, column)) return i;
        return best;
    }

    S ratio(std::size_t i, std::size_t column) { return entry(i, 2 * n_ + 1) / entry(i, column); }

    bool is_smaller(std::size_t i, std::size_t k, std::size_t column) {
        const S a = ratio(i, column), b = ratio(k, column);
        if (a != b) return a < b;
        for (std::size_t j = 0; j < n_; ++j) {
            const S c = entry(i, j) / entry(i, column), d = entry(k, j) / entry(k, column);
            if (c != d) return c < d;
        }
        return false;
    }

    // By the problem as it was given: each row to round-off of its terms.
    bool is_solution(const std::vector<S>& z) const {
        for (std::size_t i = 0; i < n_; ++i) {
            S w = q_[i], size = absolute(q_[i]);
            for (std::size_t j = 0; j < n_; ++j) {
                const S term = W_[i * n_ + j] * z[j];
                w += term;
                size += absolute(term);
            }
            const S small = S(1024) * epsilon<S>() * size;
            if (!(w >= -small) || (z[i] > S(0) && !(w <= small))) return false;
        }
        return true;
    }

    std::vector<S> values() {
        std::vector<S> z(n_, S(0));
        for (std::size_t i = 0; i < n_; ++i)
            if (basis_[i] >= n_ && basis_[i] < 2 * n_) z[basis_[i] - n_] = std::max(entry(i, 2 * n_ + 1), S(0));
        return z;
    }

    std::size_t n_, width_;
    std::vector<S> a_;
    std::vector<std::size_t> basis_;
    const std::vector<S>& W_;
    const std::vector<S>& q_;
    S size_ = 0;
};

} // namespace

template <class S> std::optional<std::vector<S>> solve_lcp(const std::vector<S>& W, const std::vector<S>& q) {
    if (q.empty()) return std::vector<S>();
    return Tableau<S>(W, q).solve();
}

template std::optional<std::vector<double>> solve_lcp(const std::vector<double>&, const std::vector<double>&);
template std::optional<std::vector<Quad>> solve_lcp(const std::vector<Quad>&, const std::vector<Quad>&);

} // namespace vessiot::linalg
