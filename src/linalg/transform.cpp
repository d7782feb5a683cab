#include "linalg/transform.hpp"

#include <cstddef>

#include "linalg/blocks.hpp"
#include "linalg/clones.hpp"

namespace vessiot::linalg {

namespace {

// Eight rows of all vectors stay in registers for all sums.
template <int count>
VESSIOT_INLINE void transform_blocks(std::int64_t n, const double* matrix, const double* const* in,
                                     double* const* out) {
    for (std::int64_t i = 0; i < n; i += 8) {
        Block x[count];
        for (int j = 0; j < count; ++j) load(in[j] + i, x[j]);
        for (int row = 0; row < count; ++row) {
            Block sum = {};
            for (int j = 0; j < count; ++j) sum += matrix[row * count + j] * x[j];
            store(out[row] + i, sum);
        }
    }
}

// Any number of them.
VESSIOT_INLINE void transform_row(std::int64_t n, int count, const double* row, const double* const* in, double* out) {
    for (std::int64_t i = 0; i < n; i += 8) {
        Block sum = {};
        for (int j = 0; j < count; ++j) {
            Block x;
            load(in[j] + i, x);
            sum += row[j] * x;
        }
        store(out + i, sum);
    }
}

VESSIOT_CLONES void transform_double(std::int64_t n, int count, const double* matrix, const double* const* in,
                                     double* const* out) {
    switch (count) {
    case 1: return transform_blocks<1>(n, matrix, in, out);
    case 2: return transform_blocks<2>(n, matrix, in, out);
    case 3: return transform_blocks<3>(n, matrix, in, out);
    case 4: return transform_blocks<4>(n, matrix, in, out);
    case 5: return transform_blocks<5>(n, matrix, in, out);
    default: break;
    }
    for (int row = 0; row < count; ++row) transform_row(n, count, matrix + std::ptrdiff_t(row) * count, in, out[row]);
}

VESSIOT_CLONES void squares_double(std::int64_t n, const double* e, const double* weight, double* partial) {
    Block sum = {};
    for (std::int64_t i = 0; i < n; i += 8) {
        Block a, w;
        load(e + i, a);
        load(weight + i, w);
        a *= w;
        sum += a * a;
    }
    store(partial, sum);
}

} // namespace

template <>
void transform(std::int64_t n_padded, int count, const double* matrix, const double* const* in, double* const* out) {
    transform_double(n_padded, count, matrix, in, out);
}

template <> double weighted_sum_of_squares(std::int64_t n_padded, const double* e, const double* weight) {
    double partial[8];
    squares_double(n_padded, e, weight, partial);
    return total(partial);
}

template <class S>
void transform(std::int64_t n_padded, int count, const S* matrix, const S* const* in, S* const* out) {
    for (int row = 0; row < count; ++row)
        for (std::int64_t i = 0; i < n_padded; ++i) {
            S sum = 0;
            for (int j = 0; j < count; ++j) sum += matrix[row * count + j] * in[j][i];
            out[row][i] = sum;
        }
}

template <class S> S weighted_sum_of_squares(std::int64_t n_padded, const S* e, const S* weight) {
    S partial[8] = {};
    for (std::int64_t i = 0; i < n_padded; ++i) {
        const S a = e[i] * weight[i];
        partial[i % 8] += a * a;
    }
    return total(partial);
}

template void transform(std::int64_t, int, const Quad*, const Quad* const*, Quad* const*);
template Quad weighted_sum_of_squares(std::int64_t, const Quad*, const Quad*);

} // namespace vessiot::linalg
