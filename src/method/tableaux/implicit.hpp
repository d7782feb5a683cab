// The implicit Runge-Kutta methods: all are collocation methods.
#pragma once

#include "method/implicit/collocation.hpp"

namespace vessiot::method {

inline constexpr auto implicit_euler = collocation<1>("implicit_euler", "HW96", Nodes::radau_right, 1);
inline constexpr auto implicit_midpoint = collocation<1>("implicit_midpoint", "HLW06", Nodes::gauss);
inline constexpr auto trapezoidal = collocation<2>("trapezoidal", "HW96", Nodes::lobatto);

// Radau I: the first stage is explicit. [But64]
inline constexpr auto radau_i3 = collocation<2>("radau_i3", "But64", Nodes::radau_left);
inline constexpr auto radau_i5 = collocation<3>("radau_i5", "But64", Nodes::radau_left);

// Radau IIA: stiffly accurate and L-stable; the number is the order. [Ehl69; HW96, IV.5]
inline constexpr auto radau3 = collocation<2>("radau3", "Ehl69", Nodes::radau_right, 2);
inline constexpr auto radau5 = collocation<3>("radau5", "Ehl69", Nodes::radau_right, 3);
inline constexpr auto radau9 = collocation<5>("radau9", "Ehl69", Nodes::radau_right, 5);

// Lobatto IIIA with three stages. [Ehl69]
inline constexpr auto lobatto4 = collocation<3>("lobatto4", "Ehl69", Nodes::lobatto);

// Gauss: symplectic, and quadratic invariants are kept. [But64]
inline constexpr auto gauss4 = collocation<2>("gauss4", "But64", Nodes::gauss);
inline constexpr auto gauss6 = collocation<3>("gauss6", "But64", Nodes::gauss);
inline constexpr auto gauss8 = collocation<4>("gauss8", "But64", Nodes::gauss);

template <std::size_t S, std::size_t D> constexpr bool is_right(const Tableau<S, 0, D>& t) {
    return rows_sum_to_c(t) && has_order(t, t.b, t.order < 4 ? t.order : 4) && dense_ends_at_step(t);
}
static_assert(is_right(implicit_euler) && is_stiffly_accurate(implicit_euler));
static_assert(is_right(implicit_midpoint) && is_right(trapezoidal) && is_right(radau_i3) && is_right(radau_i5));
static_assert(is_right(radau3) && is_stiffly_accurate(radau3) && is_close(radau3.a[0][1], -1_q / 12));
static_assert(is_right(radau5) && is_stiffly_accurate(radau5));
static_assert(is_right(radau9) && is_stiffly_accurate(radau9));
static_assert(is_right(lobatto4) && is_stiffly_accurate(lobatto4) && is_close(lobatto4.a[1][2], -1_q / 24));
static_assert(is_right(gauss4) && is_right(gauss6) && is_right(gauss8));

} // namespace vessiot::method
