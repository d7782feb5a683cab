#include "method/lie/rotation_step.hpp"

#include <type_traits>

#include "linalg/dense/rotation.hpp"
#include "linalg/matrix.hpp"
#include "method/lie/magnus.hpp"

namespace vessiot::method {

namespace {

template <class S> inline void multiply(const S* matrix, const S* y, S* result) {
    S product[9];
    linalg::fixed::multiply<3>(matrix, y, product);
    for (int e = 0; e < 9; ++e) result[e] = product[e];
}

template <int order, class S> bool magnus(S h, const S* const* directions, const S* y, S* result) {
    S a[3 * (order / 2)], work[9], omega[3], matrix[9];
    for (int i = 0; i < order / 2; ++i) linalg::skew_vector(directions[i], a + 3 * i);
    constexpr std::integral_constant<std::int64_t, 3> three;
    magnus_element(order, h, three, a, work, omega, linalg::cross<S>);
    linalg::rodrigues(omega, matrix);
    multiply(matrix, y, result);
    return linalg::is_finite(omega[0] + omega[1] + omega[2]);
}

} // namespace

template <class S> void rotate(const S* w, RotationMap map, const S* y, S* result) {
    S matrix[9];
    map == RotationMap::cayley ? linalg::cayley_rotation(w, matrix) : linalg::rodrigues(w, matrix);
    multiply(matrix, y, result);
}

template <class S> bool magnus_rotation(int order, S h, const S* const* directions, const S* y, S* result) {
    switch (order) {
    case 2: return magnus<2>(h, directions, y, result);
    case 4: return magnus<4>(h, directions, y, result);
    default: return magnus<6>(h, directions, y, result);
    }
}

template void rotate(const double*, RotationMap, const double*, double*);
template void rotate(const Quad*, RotationMap, const Quad*, Quad*);
template bool magnus_rotation(int, double, const double* const*, const double*, double*);
template bool magnus_rotation(int, Quad, const Quad* const*, const Quad*, Quad*);

} // namespace vessiot::method
