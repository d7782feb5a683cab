#include "system/mechanics/velocity_jets.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "expr/graph/derivative.hpp"

namespace vessiot {

using namespace expr;

VelocityJets::VelocityJets(const System& system) : system_(system), graph_(*system.graph) {
    const auto add = [&](ArrayId q) { position_[graph_.derivative(q)] = q; };
    if (system.hamiltonian)
        for (const ConjugatePair& p : system.pairs) add(p.position);
    else if (system.lagrangian)
        for (const Unknown& u : system.unknowns)
            if (!u.is_multiplier) add(u.array);
}

bool VelocityJets::are_in(NodeId residual) const {
    return std::ranges::any_of(dependencies(graph_, {residual}), [&](ArrayId a) { return contains(a); });
}

bool VelocityJets::are_constrained() const {
    return std::ranges::any_of(
        system_.equations, [&](const Equation& e) { return e.kind == EquationKind::constraint && are_in(e.residual); });
}

bool VelocityJets::is_momentum(ArrayId a) const {
    return std::ranges::any_of(system_.pairs, [&](const ConjugatePair& p) {
        return a == p.momentum || a == graph_.array(p.momentum).derivative;
    });
}

// dg/dq' in some direction does not depend on q'.
bool VelocityJets::is_affine(NodeId residual) const {
    std::map<ArrayId, ArrayId> direction;
    Direction d(
        graph_,
        [&](ArrayId a) -> std::uint32_t {
            if (!contains(a)) return none;
            const auto [it, is_new] = direction.try_emplace(a, none);
            if (is_new) {
                const Array x = graph_.array(a);
                it->second = graph_.add_array(
                    {.name = "d" + x.name, .role = ArrayRole::auxiliary, .lo = x.lo, .extent = x.extent});
            }
            return it->second;
        },
        "_d");
    return !are_in(d(residual));
}

std::string VelocityJets::misfit(const Equation& e) const {
    for (const ArrayId a : dependencies(graph_, {e.residual})) {
        const Array& x = graph_.array(a);
        if (x.role != ArrayRole::unknown || contains(a)) continue;
        if (is_momentum(a))
            return fmt::format("{}, which belongs to the momenta: constraints act by forces that follow from their "
                               "derivative by the velocities. Write it in positions and velocities, {}' and so on",
                               x.name, graph_.array(system_.pairs.front().position).name);
        if (x.order > 0)
            return fmt::format("{}, but constraints of a {} are of positions and velocities: write the forces that you "
                               "mean as `force`, or all equations without one",
                               x.name, system_.lagrangian ? "lagrangian" : "hamiltonian");
    }
    if (!are_in(e.residual) || is_affine(e.residual)) return "";
    return "velocities and is not affine in them (of the form a(t, q) q' + b(t, q) = 0). Its forces would be "
           "(dg/dq')^T lambda, by d'Alembert's principle, which is known to hold for affine constraints alone. Solve "
           "it for a velocity, or write the equations of motion with the forces that you mean";
}

std::optional<Mistake> VelocityJets::check_constraints() const {
    for (const Equation& e : system_.equations) {
        if (e.kind != EquationKind::constraint) continue;
        const std::string wrong = misfit(e);
        if (!wrong.empty()) return Mistake{e.where, "the constraint contains " + wrong};
    }
    return std::nullopt;
}

} // namespace vessiot
