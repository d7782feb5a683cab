// Collocation methods: the nodes are the method. [HNW93, II.7; HW96, IV.5]
//
//     b_j(theta) = int_0^theta l_j,   a_ij = b_j(c_i),   b_j = b_j(1),   l_j the Lagrange polynomials of c_1 .. c_S
//
// The polynomial x + h sum_j b_j(theta) k_j satisfies the differential equation at the nodes, and is the dense output,
// of order S. Nodes are roots of combinations of Legendre polynomials P_S(2c - 1), computed at compile time to the last
// digit of Quad:
//
//     Gauss      P_S                 order 2S
//     Radau I    P_S + P_(S-1)       order 2S - 1, c_1 = 0
//     Radau IIA  P_S - P_(S-1)       order 2S - 1, c_S = 1
//     Lobatto    P_S - P_(S-2)       order 2S - 2, c_1 = 0, c_S = 1
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "method/tableau.hpp"

namespace vessiot::method {

enum class Nodes { gauss, radau_left, radau_right, lobatto };

namespace collocation_detail {

// P_n(2c - 1)
constexpr Quad legendre(int n, Quad c) {
    const Quad x = 2 * c - 1;
    Quad before = 0, now = 1;
    for (int k = 0; k < n; ++k) {
        const Quad next = ((2 * k + 1) * x * now - k * before) / (k + 1);
        before = now;
        now = next;
    }
    return now;
}

constexpr Quad node_polynomial(Nodes kind, int n, Quad c) {
    const Quad p = legendre(n, c);
    if (kind == Nodes::radau_left) return p + legendre(n - 1, c);
    if (kind == Nodes::radau_right) return p - legendre(n - 1, c);
    if (kind == Nodes::lobatto) return p - legendre(n - 2, c);
    return p;
}

// The root between low and high, where the signs differ, by bisection.
constexpr Quad root(Nodes kind, int n, Quad low, Quad high) {
    const bool is_rising = node_polynomial(kind, n, low) < 0;
    for (int k = 0; k < 130; ++k) {
        const Quad middle = (low + high) / 2, value = node_polynomial(kind, n, middle);
        if (value == 0) return middle;
        ((value < 0) == is_rising ? low : high) = middle;
    }
    return (low + high) / 2;
}

template <std::size_t S> constexpr std::array<Quad, S> nodes(Nodes kind) {
    std::array<Quad, S> c{};
    std::size_t found = 0;
    if (kind == Nodes::radau_left || kind == Nodes::lobatto) c[found++] = 0;
    constexpr int n_cells = 61; // odd, so that no root is on the grid: 1/2 is the middle of a cell
    for (int k = 0; k < n_cells; ++k) {
        const Quad low = k == 0 ? 0.001_q : Quad(k) / n_cells;
        const Quad high = k + 1 == n_cells ? 1 - 0.001_q : Quad(k + 1) / n_cells;
        if ((node_polynomial(kind, int(S), low) < 0) != (node_polynomial(kind, int(S), high) < 0))
            c[found++] = root(kind, int(S), low, high);
    }
    if (kind == Nodes::radau_right || kind == Nodes::lobatto) c[found++] = 1;
    if (found != S) throw std::invalid_argument("a node was missed");
    return c;
}

} // namespace collocation_detail

// `estimate_order`: that of the error estimate, 0 where the method has none (implicit_rk.hpp).
template <std::size_t S>
constexpr Tableau<S, 0, S> collocation(std::string_view name, std::string_view cite, Nodes kind,
                                       int estimate_order = 0) {
    Tableau<S, 0, S> t{.name = name, .cite = cite};
    const int loss = kind == Nodes::gauss ? 0 : kind == Nodes::lobatto ? 2 : 1;
    t.order = 2 * int(S) - loss;
    t.embedded_order = estimate_order;
    t.dense_order = int(S);
    t.c = collocation_detail::nodes<S>(kind);
    for (std::size_t j = 0; j < S; ++j) {
        std::array<Quad, S + 1> l{1}; // coefficients of l_j, ascending
        Quad divisor = 1;
        std::size_t degree = 0;
        for (std::size_t k = 0; k < S; ++k) {
            if (k == j) continue;
            ++degree; // l = l (theta - c_k)
            for (std::size_t m = degree; m > 0; --m) l[m] = l[m - 1] - t.c[k] * l[m];
            l[0] *= -t.c[k];
            divisor *= t.c[j] - t.c[k];
        }
        for (std::size_t m = 0; m < S; ++m) t.dense[j][m] = l[m] / divisor / static_cast<Quad>(m + 1);
    }
    const auto integral = [&](std::size_t j, Quad theta) {
        Quad sum = 0;
        for (std::size_t m = S; m-- > 0;) sum = (sum + t.dense[j][m]) * theta;
        return sum;
    };
    for (std::size_t j = 0; j < S; ++j) {
        t.b[j] = integral(j, 1);
        for (std::size_t i = 0; i < S; ++i) t.a[i][j] = integral(j, t.c[i]);
    }
    return t;
}

} // namespace vessiot::method
