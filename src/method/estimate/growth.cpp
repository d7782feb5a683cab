#include "method/estimate/growth.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace vessiot::method {
namespace {

// R(z) = det(I - z A + z 1 b^T) / det(I - z A)
double determinant(std::vector<double> m, std::size_t n) {
    double result = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::fabs(m[i * n + k]) > std::fabs(m[best * n + k])) best = i;
        if (m[best * n + k] == 0) return 0;
        if (best != k) result = -result;
        for (std::size_t j = 0; j < n; ++j) std::swap(m[k * n + j], m[best * n + j]);
        result *= m[k * n + k];
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = m[i * n + k] / m[k * n + k];
            for (std::size_t j = k; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
        }
    }
    return result;
}

double growth(const TableauView& t, double z) {
    const std::size_t n = t.n_stages;
    std::vector<double> above(n * n), below(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            below[i * n + j] = (i == j ? 1 : 0) - z * static_cast<double>(t.a[i * t.n_total + j]);
            above[i * n + j] = below[i * n + j] + z * static_cast<double>(t.b[j]);
        }
    return determinant(above, n) / determinant(below, n);
}

bool can_amplify(const MethodInfo& info) {
    if (info.family->is_implicit) return !(std::fabs(growth(info.tableau, -1e4)) < 1.1);
    return info.family->can_amplify;
}

} // namespace

SecondLook second_look(const MethodInfo& info) {
    if (info.order < 2 || !can_amplify(info)) return SecondLook::none; // of order 1: R(z/2)^2 = R(z) at 0 alone
    const bool has_own = info.is_adaptive && !info.family->is_implicit;
    return has_own && (info.order > 4 || info.embedded_order > info.order) ? SecondLook::own : SecondLook::simpson;
}

} // namespace vessiot::method
