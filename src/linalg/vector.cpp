#include "linalg/vector.hpp"

#include <cstddef>
#include <cstring>

#include "linalg/blocks.hpp"
#include "linalg/clones.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

// `size` blocks at once: their sums stay in registers while j runs.
template <int size>
VESSIOT_INLINE void combine_blocks(std::int64_t i, const double* y, double h, int count, const double* coefficient,
                                   const double* const* k, double* out) {
    Block sum[size] = {};
    for (int j = 0; j < count; ++j)
        for (int b = 0; b < size; ++b) {
            Block term;
            load(k[j] + i + std::ptrdiff_t(8) * b, term);
            sum[b] += coefficient[j] * term;
        }
    for (int b = 0; b < size; ++b) {
        Block start = {};
        if (y) load(y + i + std::ptrdiff_t(8) * b, start);
        store(out + i + std::ptrdiff_t(8) * b, y ? start + h * sum[b] : h * sum[b]);
    }
}

VESSIOT_INLINE void absolute(Block& x) {
    BlockMask bits;
    std::memcpy(&bits, &x, sizeof x);
    bits &= 0x7fffffffffffffff;
    std::memcpy(&x, &bits, sizeof x);
}

// (e / (atol + rtol max(|y0|, |y1|)))^2
VESSIOT_INLINE void add_squares(const Block& e, const Block& y0, const Block& y1, double atol, double rtol,
                                Block& sum) {
    Block a0 = y0, a1 = y1;
    absolute(a0);
    absolute(a1);
    const Block scale = atol + rtol * (a0 > a1 ? a0 : a1);
    const Block ratio = e / scale;
    sum += e == 0.0 ? Block{} : ratio * ratio;
}

template <class S> VESSIOT_INLINE void add_square(S e, S y0, S y1, S atol, S rtol, S& sum) {
    const S a0 = linalg::absolute(y0), a1 = linalg::absolute(y1);
    const S ratio = e / (atol + rtol * (a0 > a1 ? a0 : a1));
    sum += e == 0 ? S(0) : ratio * ratio;
}

VESSIOT_CLONES void combine_double(std::int64_t n, const double* y, double h, int count, const double* coefficient,
                                   const double* const* k, double* out) {
    std::int64_t i = 0;
    for (; i + 16 <= n; i += 16) combine_blocks<2>(i, y, h, count, coefficient, k, out);
    for (; i < n; i += 8) combine_blocks<1>(i, y, h, count, coefficient, k, out);
}

VESSIOT_CLONES void squares_double(std::int64_t n, const double* e, const double* y0, const double* y1, double atol,
                                   double rtol, double* partial) {
    Block sum = {}, eb = {}, b0 = {}, b1 = {};
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        load(e + i, eb);
        load(y0 + i, b0);
        load(y1 + i, b1);
        add_squares(eb, b0, b1, atol, rtol, sum);
    }
    store(partial, sum);
    for (; i < n; ++i) add_square(e[i], y0[i], y1[i], atol, rtol, partial[i % 8]);
}

} // namespace

VESSIOT_CLONES bool all_finite_of_many(const double* x, std::int64_t n) {
    std::uint64_t is_bad = 0; // NOTE: no number waits for the one before it, as in a sum
    for (std::int64_t i = 0; i < n; ++i) is_bad |= static_cast<std::uint64_t>(!(x[i] - x[i] == 0));
    return is_bad == 0;
}

template <>
void combine(std::int64_t n_padded, const double* y, double h, int count, const double* coefficient,
             const double* const* k, double* out) {
    combine_double(n_padded, y, h, count, coefficient, k, out);
}

template <>
double weighted_sum_of_squares(std::int64_t n, const double* e, const double* y0, const double* y1, double atol,
                               double rtol) {
    double partial[8];
    squares_double(n, e, y0, y1, atol, rtol, partial);
    return total(partial);
}

template <class S>
void combine(std::int64_t n_padded, const S* y, S h, int count, const S* coefficient, const S* const* k, S* out) {
    for (std::int64_t i = 0; i < n_padded; ++i) {
        S sum = 0;
        for (int j = 0; j < count; ++j) sum += coefficient[j] * k[j][i];
        out[i] = y ? y[i] + h * sum : h * sum;
    }
}

template <class S> S weighted_sum_of_squares(std::int64_t n, const S* e, const S* y0, const S* y1, S atol, S rtol) {
    S partial[8] = {};
    for (std::int64_t i = 0; i < n; ++i) add_square(e[i], y0[i], y1[i], atol, rtol, partial[i % 8]);
    return total(partial);
}

template void combine(std::int64_t, const Quad*, Quad, int, const Quad*, const Quad* const*, Quad*);
template Quad weighted_sum_of_squares(std::int64_t, const Quad*, const Quad*, const Quad*, Quad, Quad);

} // namespace vessiot::linalg
