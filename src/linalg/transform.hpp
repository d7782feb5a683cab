// What the iterations of implicit Runge-Kutta methods do to all stages at once. Compiled for several vector units, with
// the same results on all of them, as the kernels of vector.hpp.
#pragma once

#include <cstdint>

#include "core/quad.hpp"

namespace vessiot::linalg {

// out_i = sum_j matrix_ij in_j for `count` vectors, i < count; n_padded, a multiple of 8, is their length. No out may
// be an in.
template <class S> void transform(std::int64_t n_padded, int count, const S* matrix, const S* const* in, S* const* out);

// sum_i (e_i weight_i)^2
template <class S> S weighted_sum_of_squares(std::int64_t n_padded, const S* e, const S* weight);

template <>
void transform(std::int64_t n_padded, int count, const double* matrix, const double* const* in, double* const* out);
template <> double weighted_sum_of_squares(std::int64_t n_padded, const double* e, const double* weight);
extern template void transform(std::int64_t, int, const Quad*, const Quad* const*, Quad* const*);
extern template Quad weighted_sum_of_squares(std::int64_t, const Quad*, const Quad*);

} // namespace vessiot::linalg
