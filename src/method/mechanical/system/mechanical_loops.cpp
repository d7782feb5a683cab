#include "method/mechanical/system/mechanical_loops.hpp"

#include <algorithm>

#include "linalg/clones.hpp"
#include "linalg/scalar.hpp"

#define VESSIOT_INLINE inline __attribute__((always_inline))

namespace vessiot::method {

namespace {

template <class S>
VESSIOT_INLINE void kick_and_drift_of(std::int64_t n, const KickAndDrift<S>& by, S* __restrict y, S* __restrict q) {
    const S *base = by.base, *f = by.f, *d = by.d, *q_0 = by.q_0;
    const S kappa = by.kappa, h = by.h;
    for (std::int64_t k = 0; k < n; ++k) {
        const S now = base[k] + kappa * (f[k] + d[k]);
        y[k] = now;
        q[k] = q_0[k] + h * now;
    }
}

template <class S> VESSIOT_INLINE S weighted_maximum_of(std::int64_t n, const S* __restrict b, const S* __restrict w) {
    constexpr std::int64_t width = 8;
    S largest[width] = {}, sums[width] = {}; // side by side; 0 b is 0 or not a number
    std::int64_t i = 0;
    for (; i + width <= n; i += width)
        for (std::int64_t j = 0; j < width; ++j) {
            const S r = linalg::absolute(b[i + j]) * w[i + j];
            largest[j] = r > largest[j] ? r : largest[j];
            sums[j] += S(0) * b[i + j];
        }
    for (; i < n; ++i) {
        largest[0] = std::max(largest[0], linalg::absolute(b[i]) * w[i]);
        sums[0] += S(0) * b[i];
    }
    S result = 0, sum = 0;
    for (std::int64_t j = 0; j < width; ++j) {
        result = std::max(result, largest[j]);
        sum += sums[j];
    }
    return result + sum;
}

template <class S> VESSIOT_INLINE S largest_size_of(std::int64_t n, const S* __restrict b) {
    constexpr std::int64_t width = 8;
    S largest[width] = {}, result = 0;
    std::int64_t i = 0;
    for (; i + width <= n; i += width)
        for (std::int64_t j = 0; j < width; ++j) {
            const S size = linalg::absolute(b[i + j]);
            largest[j] = size > largest[j] ? size : largest[j];
        }
    for (; i < n; ++i) result = std::max(result, linalg::absolute(b[i]));
    for (const S& part : largest) result = std::max(result, part);
    return result;
}

} // namespace

VESSIOT_CLONES void kick_and_drift(std::int64_t n, const KickAndDrift<double>& by, double* y, double* q) {
    kick_and_drift_of(n, by, y, q);
}
void kick_and_drift(std::int64_t n, const KickAndDrift<Quad>& by, Quad* y, Quad* q) {
    kick_and_drift_of(n, by, y, q);
}

VESSIOT_CLONES double weighted_maximum(std::int64_t n, const double* b, const double* w) {
    return weighted_maximum_of(n, b, w);
}
Quad weighted_maximum(std::int64_t n, const Quad* b, const Quad* w) {
    return weighted_maximum_of(n, b, w);
}

VESSIOT_CLONES double largest_size(std::int64_t n, const double* b) {
    return largest_size_of(n, b);
}
Quad largest_size(std::int64_t n, const Quad* b) {
    return largest_size_of(n, b);
}

VESSIOT_CLONES void add_multiple(std::int64_t n, double factor, const double* __restrict b, double* __restrict a) {
    for (std::int64_t i = 0; i < n; ++i) a[i] += factor * b[i];
}
void add_multiple(std::int64_t n, Quad factor, const Quad* b, Quad* a) {
    for (std::int64_t i = 0; i < n; ++i) a[i] += factor * b[i];
}

} // namespace vessiot::method
