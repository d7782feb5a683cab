#include "method/mechanical/system/mechanical_shape.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "expr/graph/derivative.hpp"
#include "system/mechanics/velocity_jets.hpp"

namespace vessiot::method {

using namespace expr;

namespace {

constexpr std::int32_t nothing = -1;

std::vector<std::int32_t> numbers_in_z(const Prolongation& p, const std::vector<std::int32_t>& places) {
    std::vector<std::int32_t> number(static_cast<std::size_t>(p.z.size), nothing);
    for (std::size_t k = 0; k < places.size(); ++k)
        number[static_cast<std::size_t>(places[k])] = static_cast<std::int32_t>(k);
    return number;
}

// The unknown that an element belongs to.
const Unknown& unknown_of(const System& system, std::int64_t element) {
    for (const Unknown& u : system.unknowns) {
        element -= system.graph->array(u.array).size();
        if (element < 0) return u;
    }
    return system.unknowns.back();
}

// The rows of the families of one order for which `belongs` says so, all others left out.
template <class Belongs> ShapeRows rows_of(const RowSet& set, const Belongs& belongs) {
    ShapeRows result;
    std::size_t selected = 0;
    for (const RowFamily& f : set.families) {
        const bool takes = belongs(f);
        if (takes) {
            result.families.push_back({f.domain, f.residual});
            result.number.resize(result.number.size() + static_cast<std::size_t>(f.count), nothing);
        }
        const std::size_t end = result.number.size();
        for (; selected < set.selected.size() && set.selected[selected] < f.first + f.count; ++selected) {
            if (!takes) continue;
            const auto at = static_cast<std::size_t>(set.selected[selected] - f.first);
            result.number[end - static_cast<std::size_t>(f.count) + at] = static_cast<std::int32_t>(result.n++);
        }
    }
    return result;
}

MechanicalShape missing(std::string what) {
    MechanicalShape shape;
    shape.misfit = std::move(what);
    return shape;
}

// ---- second order ----

MechanicalShape second_order(const System& system, const Prolongation& p) {
    MechanicalShape s;
    for (std::size_t e = 0; e < p.offsets.d.size(); ++e)
        if (p.offsets.d[e] != 2 && p.offsets.d[e] != 0) {
            const Unknown& u = unknown_of(system, static_cast<std::int64_t>(e));
            return missing(fmt::format("positions with second derivatives, with multipliers for their constraints, or "
                                       "a hamiltonian; but '{}' is an unknown of order {}",
                                       u.name, u.order));
        }
    if (std::ranges::any_of(p.offsets.c, [](int c) { return c != 0 && c != 2; }))
        return missing("constraints on the positions alone; but some contain velocities or multipliers");
    // the coordinate whose derivative is at a place of z
    std::vector<std::int32_t> below(static_cast<std::size_t>(p.z.size), nothing);
    for (std::size_t k = 0; k < p.next.size(); ++k)
        below[static_cast<std::size_t>(p.next[k])] = static_cast<std::int32_t>(k);
    for (std::size_t e = 0; e < p.top.size(); ++e) {
        if (p.offsets.d[e] == 0) {
            s.multiplier.push_back(p.top[e]);
            continue;
        }
        const std::int32_t y = below[static_cast<std::size_t>(p.top[e])];
        // where hidden constraints were found otherwise, the highest derivative need not be that of a coordinate
        if (y == nothing || below[static_cast<std::size_t>(p.state[static_cast<std::size_t>(y)])] == nothing)
            return missing(fmt::format("positions with second derivatives; but that of '{}' is determined otherwise",
                                       unknown_of(system, static_cast<std::int64_t>(e)).name));
        s.lead.push_back(p.top[e]);
        s.y.push_back(y);
        s.q.push_back(below[static_cast<std::size_t>(p.state[static_cast<std::size_t>(y)])]);
    }
    s.rate.assign(s.q.size(), nothing);
    s.forces = rows_of(p.tops, [](const RowFamily& f) { return f.order == 0; });
    s.constraints = rows_of(p.constraints, [](const RowFamily& f) { return f.order == 0; });
    if (s.q.empty()) return missing("positions with second derivatives; but there are none");
    if (s.forces.n != s.n() || s.constraints.n != s.m())
        return missing(fmt::format("an equation of motion for each position and a multiplier for each constraint; but "
                                   "there are {} and {} of the former, {} and {} of the latter",
                                   s.forces.n, s.n(), s.m(), s.constraints.n));
    return s;
}

// ---- hamiltonian ----

ShapeRows rows_of(const System& system, const std::vector<const Equation*>& equations) {
    ShapeRows result;
    for (const Equation* e : equations) {
        const std::int64_t count = system.graph->index().count(e->domain, std::int64_t{1} << 31);
        if (count == 0) continue;
        result.families.push_back({e->domain, e->residual});
        for (std::int64_t k = 0; k < count; ++k) result.number.push_back(static_cast<std::int32_t>(result.n++));
    }
    return result;
}

MechanicalShape hamiltonian(const System& system, const Prolongation& p) {
    Graph& g = *system.graph;
    MechanicalShape s;
    s.is_hamiltonian = true;
    const std::vector<std::int32_t> state_at = numbers_in_z(p, p.state);
    const auto place = [&](ArrayId a) { // of the first element, in z
        const auto it = std::ranges::find(p.z.jets, a);
        return it == p.z.jets.end() ? std::int64_t{nothing}
                                    : p.z.first[static_cast<std::size_t>(it - p.z.jets.begin())];
    };
    std::set<ArrayId> leads;
    for (const ConjugatePair& pair : system.pairs) {
        const std::int64_t q = place(pair.position), y = place(pair.momentum);
        const std::int64_t rate = place(g.derivative(pair.position)), lead = place(g.derivative(pair.momentum));
        leads.insert(g.derivative(pair.momentum));
        for (std::int64_t k = 0; k < g.array(pair.position).size(); ++k) {
            s.q.push_back(state_at[static_cast<std::size_t>(q + k)]);
            s.y.push_back(state_at[static_cast<std::size_t>(y + k)]);
            s.rate.push_back(state_at[static_cast<std::size_t>(rate + k)]);
            s.lead.push_back(static_cast<std::int32_t>(lead + k));
        }
    }
    for (const Unknown& u : system.unknowns)
        if (u.is_multiplier)
            for (std::int64_t k = 0; k < g.array(u.array).size(); ++k)
                s.multiplier.push_back(static_cast<std::int32_t>(place(u.array) + k));
    std::vector<const Equation*> forces, velocities, constraints;
    for (const Equation& e : system.equations) {
        const auto reads = dependencies(g, {e.residual});
        const bool is_force = std::ranges::any_of(reads, [&](ArrayId a) { return leads.contains(a); });
        (e.kind == EquationKind::constraint ? constraints : is_force ? forces : velocities).push_back(&e);
    }
    s.forces = rows_of(system, forces);
    s.velocities = rows_of(system, velocities);
    s.constraints = rows_of(system, constraints);
    return s;
}

bool is_written(const Equation& e) {
    return e.kind == EquationKind::written;
}

} // namespace

MechanicalShape mechanical_shape(const System& system, const Prolongation& p) {
    if (p.is_general || p.is_raised)
        return missing("equations that are linear in the highest derivatives and the multipliers, in a formulation of "
                       "their own (not --formulation general)");
    if (!system.hamiltonian) return second_order(system, p);
    if (VelocityJets(system).are_constrained())
        return missing("constraints on the positions alone; but some contain velocities");
    if (std::ranges::any_of(system.equations, is_written))
        return missing("a hamiltonian and its constraints alone; but there are other equations");
    return hamiltonian(system, p);
}

} // namespace vessiot::method
