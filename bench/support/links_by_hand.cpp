#include "support/links_by_hand.hpp"

namespace vessiot::bench {

void links_by_hand(std::int64_t n, const double* __restrict z, const double* __restrict mu, double* __restrict f,
                   double* __restrict df, double* __restrict d2f) {
    const std::int64_t m = n - 1;
    const double *x = z, *y = z + n;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < m; ++i) {
        const double dx = x[i] - x[i + 1], dy = y[i] - y[i + 1], w = mu[i];
        f[i] = 0.5 * (dx * dx + dy * dy - 1);
        df[i] = dx;
        df[m + i] = -dx;
        df[2 * m + i] = dy;
        df[3 * m + i] = -dy;
        d2f[i] = w;
        d2f[m + i] = -w;
        d2f[2 * m + i] = w;
        d2f[3 * m + i] = w;
        d2f[4 * m + i] = -w;
        d2f[5 * m + i] = w;
    }
}

} // namespace vessiot::bench
