// Symmetric compositions are given by one half of their parts, the middle one last.
#pragma once

#include <array>
#include <cstddef>

#include "core/quad.hpp"

namespace vessiot::method {

// g_1 .. g_m .. g_1 from g_1 .. g_m.
template <std::size_t N> constexpr std::array<Quad, 2 * N - 1> mirrored(const std::array<Quad, N>& half) {
    std::array<Quad, 2 * N - 1> all{};
    for (std::size_t k = 0; k < N; ++k) all[k] = all[2 * N - 2 - k] = half[k];
    return all;
}

} // namespace vessiot::method
