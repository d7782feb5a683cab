#include "method/fits.hpp"

#include <algorithm>

#include "method/mechanical_shape.hpp"

namespace vessiot::method {

namespace {

// Y' = A Y for matrices that are declared as such, and w' = f for the others.
std::string lie_misfit(const System& system, const Prolongation& p, bool is_linear) {
    if (system.matrices.empty()) return "a matrix with Y' = A(t, Y)*Y, declared as in: matrix Y[3,3] in SO(3)";
    const auto differs = [](int n) { return [n](int k) { return k != n; }; };
    if (p.is_general || p.is_raised || std::ranges::any_of(p.offsets.c, differs(0)) ||
        std::ranges::any_of(p.offsets.d, differs(1)))
        return "equations of first order for the matrices and all other unknowns, without constraints";
    if (is_linear && system.matrices.size() != system.unknowns.size())
        return "Y' = A(t)*Y with matrices as the only unknowns";
    return "";
}

} // namespace

std::string misfit(const MethodInfo& method, const System& system, const Prolongation& prolongation) {
    switch (method.needs) {
    case View::any: return "";
    case View::mechanical: return mechanical_shape(system, prolongation).lacking;
    case View::lie: return lie_misfit(system, prolongation, false);
    case View::linear_lie: return lie_misfit(system, prolongation, true);
    }
    return "";
}

} // namespace vessiot::method
