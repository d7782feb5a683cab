// A function on a piece a .. b by its values at Chebyshev's nodes, as a sum of his polynomials. [Tre13, 2-3]
//
//     theta_k = a + (b - a) (1 - cos(k pi / N)) / 2,  k = 0 .. N        g(theta) ~ sum_j c_j T_j(x),  x = -1 .. 1
//
// The last coefficients say how good that is: for a smooth function they fall geometrically.
#pragma once

#include <array>
#include <cstddef>

#include "linalg/scalar.hpp"

namespace vessiot {

// cos(k pi / 8) for k = 0 .. 15.
template <class S> const std::array<S, 16>& cosines() {
    static const std::array<S, 16> table = [] {
        const S root = linalg::square_root(S(2));
        const S quarter[5] = {S(1), linalg::square_root(S(2) + root) / S(2), root / S(2),
                              linalg::square_root(S(2) - root) / S(2), S(0)};
        std::array<S, 16> all{};
        for (std::size_t k = 0; k < 16; ++k) {
            const std::size_t m = k <= 8 ? k : 16 - k;
            all[k] = m <= 4 ? quarter[m] : -quarter[8 - m];
        }
        return all;
    }();
    return table;
}

// N = 4 or 8.
template <class S, std::size_t N> class Fit {
public:
    static_assert(N == 4 || N == 8);

    // Of node k, as a part of the piece.
    static S node(std::size_t k) { return (S(1) - cosine(k)) / S(2); }

    explicit Fit(const std::array<S, N + 1>& values) {
        for (std::size_t j = 0; j <= N; ++j) {
            S sum = 0;
            for (std::size_t k = 0; k <= N; ++k) {
                const S term = values[k] * cosine(j * k);
                sum += k == 0 || k == N ? term / S(2) : term;
            }
            c_[j] = sum * S(2) / S(N);
            if (j % 2 == 1) c_[j] = -c_[j]; // x = -cos
        }
        c_[0] /= S(2);
        c_[N] /= S(2);
        // d/dx: d_(j-1) = d_(j+1) + 2 j c_j
        S next = 0, after = 0;
        for (std::size_t j = N; j > 0; --j) {
            const S d = after + S(2) * S(j) * c_[j];
            after = next;
            next = d;
            slope_[j - 1] = d;
        }
        slope_[0] /= S(2);
    }

    S value(S x) const { return sum(c_, x); }
    S slope(S x) const { return sum(slope_, x); } // d/dx
    S coefficient(std::size_t j) const { return c_[j]; }
    // Of all but the first: the function changes by less than twice that.
    S change() const {
        S all = 0;
        for (std::size_t j = 1; j <= N; ++j) all += linalg::absolute(c_[j]);
        return all;
    }
    S tail() const { return linalg::absolute(c_[N]) + linalg::absolute(c_[N - 1]); }

private:
    static S cosine(std::size_t k) { return cosines<S>()[k * (8 / N) % 16]; }

    // Clenshaw's rule
    template <std::size_t M> static S sum(const std::array<S, M>& c, S x) {
        S b1 = 0, b2 = 0;
        for (std::size_t j = M; j-- > 1;) {
            const S b = c[j] + S(2) * x * b1 - b2;
            b2 = b1;
            b1 = b;
        }
        return c[0] + x * b1 - b2;
    }

    std::array<S, N + 1> c_{};
    std::array<S, N> slope_{};
};

} // namespace vessiot
