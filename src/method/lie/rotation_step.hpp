// Steps of rotations of space. Their numbers, three of a vector and nine of a matrix, stay in registers: this file is
// compiled without vector instructions, which would load pairs that were just stored one by one, and wait for them.
#pragma once

#include <cstdint>

#include "core/quad.hpp"

namespace vessiot::method {

enum class RotationMap : std::uint8_t { exponential, cayley };

// exp(W) Y, or cay(W) Y, for the skew matrix W of w; the result may be Y.
template <class S> void rotate(const S* w, RotationMap map, const S* y, S* result);

// Y_1 = exp(Omega) Y_0 of the Magnus method of an order, from the directions at Y = 1 in the nodes of Gauss, which are
// the matrices A_i; false where Omega is not finite.
template <class S> bool magnus_rotation(int order, S h, const S* const* directions, const S* y, S* result);

extern template void rotate(const double*, RotationMap, const double*, double*);
extern template void rotate(const Quad*, RotationMap, const Quad*, Quad*);
extern template bool magnus_rotation(int, double, const double* const*, const double*, double*);
extern template bool magnus_rotation(int, Quad, const Quad* const*, const Quad*, Quad*);

} // namespace vessiot::method
