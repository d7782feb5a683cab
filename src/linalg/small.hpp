// Sizes of small systems as constants: loops over them become straight code, with the same operations in their order.
#pragma once

#include <cstdint>
#include <type_traits>

#include "linalg/complex.hpp"

namespace vessiot::linalg {

// f(std::integral_constant<int, N>): N is n where that is at most 8, else 0, for any size. Quad has no small sizes.
template <class S, class F> auto by_size(std::int64_t n, const F& f) {
    if constexpr (std::is_same_v<Real<S>, double>) {
        switch (n) {
        case 1: return f(std::integral_constant<int, 1>());
        case 2: return f(std::integral_constant<int, 2>());
        case 3: return f(std::integral_constant<int, 3>());
        case 4: return f(std::integral_constant<int, 4>());
        case 5: return f(std::integral_constant<int, 5>());
        case 6: return f(std::integral_constant<int, 6>());
        case 7: return f(std::integral_constant<int, 7>());
        case 8: return f(std::integral_constant<int, 8>());
        default: break;
        }
    }
    return f(std::integral_constant<int, 0>());
}

} // namespace vessiot::linalg
