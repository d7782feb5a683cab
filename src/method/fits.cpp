#include "method/fits.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "manifold/jets.hpp"
#include "method/quadratic.hpp"
#include "method/separable.hpp"

namespace vessiot::method {

std::string misfit(const MethodInfo& method, const System& system, const Prolongation& prolongation) {
    const std::int64_t n_constraints = std::ssize(prolongation.constraints.selected) + count_invariants(system);
    switch (method.needs) {
    case View::any: return "";
    case View::square:
        if (prolongation.n_equations() == prolongation.n_tops()) return "";
        return fmt::format("as many equations as unknowns, but {} has {} and {}", system.name,
                           prolongation.n_equations(), prolongation.n_tops());
    case View::constraints:
        if (n_constraints > 0) return "";
        return fmt::format("constraints or invariants, which {} does not have", system.name);
    case View::one_constraint:
        if (n_constraints == 1) return "";
        return fmt::format("one constraint or invariant, whose gradient it follows, but {} has {}", system.name,
                           n_constraints == 0 ? "none" : std::to_string(n_constraints));
    case View::separable: {
        const std::string obstacle = separate(system, prolongation).obstacle;
        if (obstacle.empty()) return "";
        return fmt::format("two halves of the unknowns, q' = a(t, p) and p' = b(t, q), which {} does not have: {}",
                           system.name, obstacle);
    }
    case View::quadratic: {
        const std::string obstacle = quadratic_obstacle(system, prolongation);
        if (obstacle.empty()) return "";
        return fmt::format("a field of degree 2 at most, which that of {} is not: {}", system.name, obstacle);
    }
    }
    return "";
}

} // namespace vessiot::method
