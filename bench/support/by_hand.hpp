// The problems of the comparison as programs written by hand: what somebody writes who has one problem and all the time
// for it. Right-hand side and projection are inlined, small problems live in arrays of fixed size on the stack, nothing
// is virtual; compiled at -O3 -march=native with fused and reordered sums.
//
// DOP853 [HNW93, II.10], as in src/method/tableaux/dop853.hpp:
//
//     k_i = V(y + h sum_j a_ij k_j),  p = y + h sum_i b_i k_i
//     err = |h| e_5 / sqrt(n (e_5 + 0.01 e_3)),  e_m = sum_c (sum_i (b_i - b^m_i) k_ic / w_c)^2
//     w_c = tol (1 + max(|y_c|, |p_c|)),  accepted where err <= 1
//     h_new = h min(6, max(1/3, 0.9 err^(-1/8))), not larger than h after a rejection
//
// After every accepted step p is projected on the manifold once, and the next step starts with V there: twelve
// evaluations of V a step. A problem gives its Vector, size(), direction(y, k) with k = V(y), and
// project(y, k), which moves y onto the manifold and sets k = V(y).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "method/tableaux/dop853.hpp"

namespace vessiot::bench {

// The end point at a tolerance (rtol = atol): positions, then velocities.
using HandProgram = std::function<std::vector<double>(double tolerance)>;

HandProgram pendulum_by_hand();            // P1, t to 100
HandProgram chain_by_hand(std::int64_t n); // P2, t to 1; n >= 4
HandProgram kepler_by_hand();              // P4, t to 100 pi
HandProgram top_by_hand();                 // P5, t to 1000
HandProgram henon_heiles_by_hand();        // P6, t to 1100

namespace hand_table {

using Weights = std::array<double, 12>;

// NOTE: differences are formed in quad precision, before the cast.
constexpr Weights less(const std::array<Quad, 12>& b, const std::array<Quad, 12>& other) {
    Weights result{};
    for (std::size_t i = 0; i < 12; ++i) result[i] = static_cast<double>(b[i] - other[i]);
    return result;
}

constexpr std::array<Weights, 12> stages() {
    std::array<Weights, 12> result{};
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 12; ++j) result[i][j] = static_cast<double>(method::dop853.a[i][j]);
    return result;
}

inline constexpr std::array<Weights, 12> a = stages();
inline constexpr Weights b = less(method::dop853.b, {});
inline constexpr Weights e_5 = less(method::dop853.b, method::dop853.b_hat);
inline constexpr Weights e_3 = less(method::dop853.b, method::dop853.b_low);

// sum_j w_j k_j[c] over the weights that are not zero.
template <Weights w, std::size_t J = 0>
[[gnu::always_inline]] inline double sum(const double* const* k, std::size_t c) {
    if constexpr (J == 12)
        return 0;
    else if constexpr (w[J] == 0)
        return sum<w, J + 1>(k, c);
    else
        return w[J] * k[J][c] + sum<w, J + 1>(k, c);
}

} // namespace hand_table

template <class Problem> class HandSolver {
public:
    using Vector = typename Problem::Vector;

    HandSolver(const Problem& problem, const Vector& start, double tolerance)
        : problem_(problem), tolerance_(tolerance), y_(start), p_(start), s_(start) {
        k_.fill(start);
        for (std::size_t i = 0; i < 12; ++i) at_[i] = k_[i].data();
    }
    HandSolver(const HandSolver&) = delete;
    HandSolver& operator=(const HandSolver&) = delete;

    // The point at time `to`, from time 0.
    const Vector& operator()(double to) {
        problem_.direction(y_, k_[0]);
        double t = 0, h = first_step(to);
        bool was_rejected = false;
        for (int step = 0; step < max_steps; ++step) {
            const bool is_last = t + 1.01 * h >= to;
            if (is_last) h = to - t;
            stages(h, std::make_index_sequence<11>());
            const double err = finish(h);
            const double factor = 0.9 / std::sqrt(std::sqrt(std::sqrt(err)));
            if (err <= 1) {
                std::swap(y_, p_);
                problem_.project(y_, k_[0]);
                if (is_last) return y_;
                t += h;
                h *= std::clamp(factor, 1. / 3, was_rejected ? 1. : 6.);
            } else {
                h *= factor > 1. / 3 ? factor : 1. / 3; // NaN as well
            }
            was_rejected = !(err <= 1);
        }
        throw InvalidInput("the program written by hand does not reach the end");
    }

private:
    static constexpr int max_steps = 10'000'000;

    template <std::size_t... I> [[gnu::always_inline]] void stages(double h, std::index_sequence<I...>) {
        (stage<I + 1>(h), ...);
    }

    // k_i = V(y + h sum_j a_ij k_j)
    template <std::size_t I> [[gnu::always_inline]] void stage(double h) {
        const std::array<const double*, 12> k = at_;
        const double* y = y_.data();
        double* s = s_.data();
        const std::size_t n = problem_.size();
#pragma GCC ivdep
        for (std::size_t c = 0; c < n; ++c) s[c] = y[c] + h * hand_table::sum<hand_table::a[I]>(&k[0], c);
        problem_.direction(s_, k_[I]);
    }

    // p = y + h sum_i b_i k_i; the error.
    [[gnu::always_inline]] double finish(double h) {
        const std::array<const double*, 12> k = at_;
        const double* y = y_.data();
        double *p = p_.data(), five = 0, three = 0;
        const std::size_t n = problem_.size();
#pragma GCC ivdep
        for (std::size_t c = 0; c < n; ++c) {
            p[c] = y[c] + h * hand_table::sum<hand_table::b>(&k[0], c);
            const double w = weight(y[c], p[c]);
            const double e_5 = w * hand_table::sum<hand_table::e_5>(&k[0], c);
            const double e_3 = w * hand_table::sum<hand_table::e_3>(&k[0], c);
            five += e_5 * e_5;
            three += e_3 * e_3;
        }
        const double divisor = five + 0.01 * three;
        return divisor == 0 ? 1e-16 : h * five / std::sqrt(divisor * static_cast<double>(n));
    }

    [[gnu::always_inline]] double weight(double y, double p) const {
        const double a = std::fabs(y), b = std::fabs(p);
        return 1 / (tolerance_ + tolerance_ * (a > b ? a : b));
    }

    // h_0 = 0.01 |y|/|V|; then h with h^8 max(|V|, |V'|) = 0.01, V' from an Euler step. [HNW93, II.4]
    double first_step(double to) {
        double size = 0, speed = 0, bend = 0;
        for (std::size_t c = 0; c < problem_.size(); ++c) {
            const double w = weight(y_[c], y_[c]);
            size += w * y_[c] * w * y_[c];
            speed += w * k_[0][c] * w * k_[0][c];
        }
        const double h_0 = size < 1e-10 || speed < 1e-10 ? 1e-6 : 0.01 * std::sqrt(size / speed);
        for (std::size_t c = 0; c < problem_.size(); ++c) s_[c] = y_[c] + h_0 * k_[0][c];
        problem_.direction(s_, k_[1]);
        for (std::size_t c = 0; c < problem_.size(); ++c) {
            const double e = weight(y_[c], y_[c]) * (k_[1][c] - k_[0][c]) / h_0;
            bend += e * e;
        }
        const double largest = std::sqrt(std::max(speed, bend) / static_cast<double>(problem_.size()));
        const double h_1 = largest < 1e-15 ? std::max(1e-6, 1e-3 * h_0) : std::pow(0.01 / largest, 1. / 8);
        return std::min({100 * h_0, h_1, to});
    }

    Problem problem_;
    double tolerance_;
    Vector y_, p_, s_; // the point, the end of the step, the argument of a stage
    std::array<Vector, 12> k_;
    std::array<const double*, 12> at_; // of k_
};

} // namespace vessiot::bench
