#include "method/fits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "manifold/jets.hpp"
#include "method/geometric/quadratic.hpp"
#include "method/geometric/separable.hpp"
#include "method/mechanical/system/mechanical_shape.hpp"

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

// By the structure; where that misleads, the run looks once more.
std::string index_misfit(const MethodInfo& method, const System& system, const Prolongation& p) {
    if (method.max_index == 0 || p.is_raised || p.is_general || p.offsets.c.empty()) return "";
    const int index = *std::ranges::max_element(p.offsets.c) + (std::ranges::find(p.offsets.d, 0) != p.offsets.d.end());
    if (index <= method.max_index) return "";
    return fmt::format("equations of index {} at most, but those of {} have index {}", method.max_index, system.name,
                       index);
}

// What the view of the method lacks.
std::string view_misfit(const MethodInfo& method, const System& system, const Prolongation& prolongation) {
    const std::int64_t n_constraints = std::ssize(prolongation.constraints.selected) + count_invariants(system);
    switch (method.needs) {
    case View::any: return "";
    case View::square:
        if (prolongation.n_equations() == prolongation.n_tops()) return index_misfit(method, system, prolongation);
        return fmt::format("as many equations as unknowns, but {} has {} and {}", system.name,
                           prolongation.n_equations(), prolongation.n_tops());
    case View::mechanical:
        if (!system.contacts.empty()) return fmt::format("no contacts, but {} has some", system.name);
        return mechanical_shape(system, prolongation).misfit;
    case View::lie: return lie_misfit(system, prolongation, false);
    case View::linear_lie: return lie_misfit(system, prolongation, true);
    case View::constraints:
        if (n_constraints > 0) return "";
        return fmt::format("constraints or invariants, which {} does not have", system.name);
    case View::one_constraint:
        if (n_constraints == 1) return "";
        return fmt::format("one constraint or invariant, whose gradient it follows, but {} has {}", system.name,
                           n_constraints == 0 ? "none" : std::to_string(n_constraints));
    case View::separable: {
        const std::string misfit = separate(system, prolongation).misfit;
        if (misfit.empty()) return "";
        return fmt::format("two halves of the unknowns, q' = a(t, p) and p' = b(t, q), which {} does not have: {}",
                           system.name, misfit);
    }
    case View::quadratic: {
        const std::string misfit = quadratic_misfit(system, prolongation);
        if (misfit.empty()) return "";
        return fmt::format("a field of degree 2 at most, which that of {} is not: {}", system.name, misfit);
    }
    }
    return "";
}

} // namespace

std::string misfit(const MethodInfo& method, const System& system, const Prolongation& prolongation) {
    const std::string found = view_misfit(method, system, prolongation);
    return found.empty() && method.family->misfit ? method.family->misfit(system, prolongation) : found;
}

} // namespace vessiot::method
