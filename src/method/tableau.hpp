// Runge-Kutta methods as data.
//
//     k_i = V(t + c_i h, x + h sum_j a_ij k_j)             i = 1 .. S
//     x(t + h)       ~ x + h sum_i b_i k_i                 order `order`
//     error estimate = h sum_i (b_i - b_hat_i) k_i         b_hat: a method of order `embedded_order`
//     x(t + theta h) ~ x + h sum_i b_i(theta) k_i          order `dense_order`, i = 1 .. S + X
//     b_i(theta)     = sum_k dense_ik theta^k              k = 1 .. D
//
// Notation: S stages of the step; X more stages which only the dense output needs; D the degree of the dense output in
// theta, 0 where the method has none of its own; T = S + X. A table is plain data. What follows from the numbers
// (explicit, first same as last, stiffly accurate) is computed here, never declared. [HNW93, II.1, II.4, II.6]
//
// Limits: the conditions checked at compile time reach order 4; the tests check all rooted trees (rooted_trees.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/quad.hpp"
#include "method/number.hpp"

namespace vessiot::method {

template <std::size_t S, std::size_t X = 0, std::size_t D = 0> struct Tableau {
    static constexpr std::size_t n_stages = S;
    static constexpr std::size_t n_extra = X;
    static constexpr std::size_t n_total = S + X;
    static constexpr std::size_t degree = D;

    using Weights = std::array<Quad, S>;
    using Matrix = std::array<std::array<Quad, S + X>, S + X>;
    using Dense = std::array<std::array<Quad, D>, S + X>;

    std::string_view name;
    std::string_view cite;  // key in docs/references.bib
    int order = 0;          // of b
    int embedded_order = 0; // of b_hat; 0: there is none
    int low_order = 0;      // of b_low; 0: there is none
    int dense_order = 0;    // of b(theta); 0: there is none
    Matrix a{};             // the last X rows belong to the extra stages
    Weights b{};
    Weights b_hat{}; // NOTE: b - b_hat is formed before the cast to double, which would leave its last digits to chance
    Weights b_low{}; // a second embedded method, for estimates that combine two [HNW93, II.10]
    std::array<Quad, S + X> c{};
    Dense dense{}; // row i: the coefficients of theta, theta^2, .. in b_i(theta)
};

// Sums of a few hundred products of coefficients of size up to 50 are exact to a few units of 1e-32.
inline constexpr Quad coefficient_tolerance = 1e-30_q;

constexpr bool is_close(Quad x, Quad y) {
    return absolute(x - y) <= coefficient_tolerance;
}

// sum_j a_ij = c_i: the method treats t as it would treat one more unknown with t' = 1.
template <std::size_t S, std::size_t X, std::size_t D> constexpr bool rows_sum_to_c(const Tableau<S, X, D>& t) {
    for (std::size_t i = 0; i < S + X; ++i) {
        Quad sum = 0;
        for (const Quad a_ij : t.a[i]) sum += a_ij;
        if (!is_close(sum, t.c[i])) return false;
    }
    return true;
}

// Each stage needs earlier ones only.
template <std::size_t S, std::size_t X, std::size_t D> constexpr bool is_explicit(const Tableau<S, X, D>& t) {
    for (std::size_t i = 0; i < S + X; ++i)
        for (std::size_t j = i; j < S + X; ++j)
            if (t.a[i][j] != 0) return false;
    return true;
}

// The last stage is the result of the step: a_Sj = b_j.
template <std::size_t S, std::size_t X, std::size_t D> constexpr bool is_stiffly_accurate(const Tableau<S, X, D>& t) {
    for (std::size_t j = 0; j < S; ++j)
        if (t.a[S - 1][j] != t.b[j]) return false;
    return true;
}

// First same as last: the last stage of a step is the first of the next.
template <std::size_t S, std::size_t X, std::size_t D> constexpr bool is_fsal(const Tableau<S, X, D>& t) {
    return S > 1 && is_explicit(t) && is_stiffly_accurate(t) && t.c[S - 1] == 1;
}

// Evaluations of V in an accepted step.
template <std::size_t S, std::size_t X, std::size_t D>
constexpr std::size_t n_effective_stages(const Tableau<S, X, D>& t) {
    return is_fsal(t) ? S - 1 : S;
}

// Do the weights satisfy the order conditions up to `order` <= 4? They are those of the trees with up to four nodes,
// sum_i w_i Phi_i(t) = 1 / gamma(t). Given rows_sum_to_c.
template <std::size_t S, std::size_t X, std::size_t D>
constexpr bool has_order(const Tableau<S, X, D>& t, const std::array<Quad, S>& w, int order) {
    if (order > 4) return false;
    std::array<Quad, S> one{}, c{}, c2{}, c3{}, ac{}, c_ac{}, ac2{}, aac{};
    for (std::size_t i = 0; i < S; ++i) {
        one[i] = 1;
        c[i] = t.c[i];
        c2[i] = c[i] * c[i];
        c3[i] = c2[i] * c[i];
    }
    const auto apply = [&t](const std::array<Quad, S>& x) {
        std::array<Quad, S> y{};
        for (std::size_t i = 0; i < S; ++i)
            for (std::size_t j = 0; j < S; ++j) y[i] += t.a[i][j] * x[j];
        return y;
    };
    ac = apply(c);
    ac2 = apply(c2);
    aac = apply(ac);
    for (std::size_t i = 0; i < S; ++i) c_ac[i] = c[i] * ac[i];
    const auto holds = [&w](const std::array<Quad, S>& phi, int gamma) {
        Quad sum = 0;
        for (std::size_t i = 0; i < S; ++i) sum += w[i] * phi[i];
        return is_close(sum, Quad(1) / gamma);
    };
    if (order >= 1 && !holds(one, 1)) return false;
    if (order >= 2 && !holds(c, 2)) return false;
    if (order >= 3 && !(holds(c2, 3) && holds(ac, 6))) return false;
    if (order >= 4 && !(holds(c3, 4) && holds(c_ac, 8) && holds(ac2, 12) && holds(aac, 24))) return false;
    return true;
}

// What can be checked of a table at compile time: consistent rows, and the declared orders as far as 4.
template <std::size_t S, std::size_t X, std::size_t D> constexpr bool is_consistent(const Tableau<S, X, D>& t) {
    const auto up_to_4 = [](int order) { return order < 4 ? order : 4; };
    return rows_sum_to_c(t) && has_order(t, t.b, up_to_4(t.order)) &&
           (t.embedded_order == 0 || has_order(t, t.b_hat, up_to_4(t.embedded_order))) &&
           (t.low_order == 0 || has_order(t, t.b_low, up_to_4(t.low_order)));
}

// The table with row i of a set to b: stage i (from 0) is V at the result of the step. So that b is written once.
template <std::size_t S, std::size_t X, std::size_t D>
constexpr Tableau<S, X, D> with_result_as_stage(Tableau<S, X, D> t, std::size_t i) {
    t.a[i] = {};
    for (std::size_t j = 0; j < S; ++j) t.a[i][j] = t.b[j];
    return t;
}

// b(1) = b, where there is dense output: the curve ends at the result of the step.
template <std::size_t S, std::size_t X, std::size_t D> constexpr bool dense_ends_at_step(const Tableau<S, X, D>& t) {
    if (D == 0) return true;
    for (std::size_t i = 0; i < S + X; ++i) {
        Quad sum = 0;
        for (const Quad p : t.dense[i]) sum += p;
        if (!is_close(sum, i < S ? t.b[i] : Quad(0))) return false;
    }
    return true;
}

} // namespace vessiot::method
