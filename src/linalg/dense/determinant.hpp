// |det A| of a small dense matrix.
#pragma once

#include <cstdint>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

// Column-major, n x n, overwritten; by elimination with row pivoting. 0 where A is singular or not finite.
template <class S> S absolute_determinant(std::int64_t n, S* a) {
    S result = 1;
    for (std::int64_t c = 0; c < n; ++c) {
        std::int64_t pivot = c;
        for (std::int64_t i = c + 1; i < n; ++i)
            if (absolute(a[c * n + i]) > absolute(a[c * n + pivot])) pivot = i;
        const S p = a[c * n + pivot];
        if (p == S(0) || !is_finite(p)) return S(0);
        result *= absolute(p);
        for (std::int64_t j = c; j < n; ++j) std::swap(a[j * n + c], a[j * n + pivot]);
        for (std::int64_t j = c + 1; j < n; ++j)
            for (std::int64_t i = c + 1; i < n; ++i) a[j * n + i] -= a[c * n + i] / p * a[j * n + c];
    }
    return result;
}

} // namespace vessiot::linalg
