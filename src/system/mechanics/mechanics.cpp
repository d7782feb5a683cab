#include "system/mechanics/mechanics.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "expr/graph/derivative.hpp"
#include "expr/kernel/gather.hpp"
#include "system/mechanics/contacts.hpp"
#include "system/mechanics/instances.hpp"
#include "system/mechanics/velocity_jets.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t most_rows = std::int64_t{1} << 31;

class Mechanics {
public:
    // lambda: the multipliers, `none` where there are no constraints.
    Mechanics(const System& s, ArrayId lambda) : system_(s), graph_(*s.graph), index_(graph_.index()), velocities_(s) {
        std::int64_t first = 1;
        for (const Equation& e : system_.equations) {
            if (e.kind != EquationKind::constraint) continue;
            auto& constraints = velocities_.are_in(e.residual) ? velocity_constraints_ : constraints_;
            constraints.push_back(
                direct({e.domain, index_.list({instance_number(graph_, e.domain, first)}), e.residual}));
            constraints.back().weight = lambda;
            first += index_.count(e.domain, most_rows);
        }
        for (const Contact& c : system_.contacts) add_contact(c);
    }

    std::vector<Equation> equations() { return system_.lagrangian ? lagrangian() : hamiltonian(); }
    // Do the momenta of a lagrangian contain a condition? Where they jump with it, their derivative is not all.
    bool momenta_switch() const { return momenta_switch_; }

    LagrangianRows rows(double penalty) {
        const Partials partials = lagrangian_partials(penalty);
        Terms momenta, forces;
        for (const auto& [a, contributions] : partials.by)
            if (const auto q = partials.velocity.find(a); q != partials.velocity.end())
                append(momenta, q->second, contributions, false);
        add_forces(forces, partials);
        LagrangianRows result;
        for (const ArrayId q : partials.positions)
            for (const auto& [terms, to] : {std::pair{&momenta, &result.momenta}, std::pair{&forces, &result.forces}})
                if (terms->contains(q))
                    for (const Contribution& c : pieces(q, terms->at(q))) to->push_back({q, c});
        return result;
    }

private:
    using Terms = std::map<ArrayId, std::vector<Contribution>>; // of the equation of each unknown

    // L_q and L_q'
    struct Partials {
        std::vector<ArrayId> positions;
        std::map<ArrayId, ArrayId> own, velocity; // to the position
        Terms by;
    };

    // A contact pushes: its force has the other sign than a multiplier. Friction acts along its velocities.
    void add_contact(const Contact& c) {
        constraints_.push_back(direct({c.domain, c.target, graph_.neg(c.gap)}));
        constraints_.back().weight = c.force;
        for (std::size_t k = 0; k < c.sliding.size(); ++k) {
            velocity_constraints_.push_back(direct({c.domain, sliding_target(graph_, c, k), graph_.neg(c.sliding[k])}));
            velocity_constraints_.back().weight = c.friction_force;
        }
    }

    // Sums and small `let` families written out, so that the derived equations show the unknowns themselves.
    Weighted direct(const Contribution& c) {
        const auto terms = unfold_sums(graph_, inline_families(graph_, {c}, true));
        return {inline_families(graph_, terms, true), none, none};
    }

    void append(Terms& terms, ArrayId unknown, const std::vector<Contribution>& contributions, bool negate) {
        for (Contribution c : contributions) {
            if (negate) c.body = graph_.neg(c.body);
            terms[unknown].push_back(c);
        }
    }

    // + G^T lambda - force in the equation of each unknown; `target` maps the unknown of a force to its equation.
    void add_constraint_forces(Terms& terms, const std::map<ArrayId, ArrayId>& target) {
        for (auto& [a, contributions] : adjoint(graph_, constraints_, [&](ArrayId x) { return target.contains(x); }))
            append(terms, target.at(a), contributions, false);
        for (auto& [a, contributions] :
             adjoint(graph_, velocity_constraints_, [&](ArrayId x) { return velocities_.contains(x); }))
            append(terms, target.at(velocities_.positions().at(a)), contributions, false);
        for (const Force& f : system_.forces) {
            auto it = target.find(f.unknown);
            append(terms, it == target.end() ? f.unknown : it->second, {{f.domain, f.target, f.value}}, true);
        }
    }

    // r/2 (dg/dt)^2 of the constraints of positions
    std::vector<Weighted> penalties(double r) {
        std::vector<Weighted> result;
        if (r == 0) return result;
        Direction D = total_derivative(graph_);
        for (const Equation& e : system_.equations)
            if (e.kind == EquationKind::constraint && !velocities_.are_in(e.residual))
                result.push_back(direct(
                    {e.domain, index_.list({}), graph_.mul(graph_.constant(r / 2), graph_.square(D(e.residual)))}));
        return result;
    }

    Partials lagrangian_partials(double penalty = 0) {
        Partials p;
        for (const Unknown& u : system_.unknowns)
            if (!u.is_multiplier) {
                p.positions.push_back(u.array);
                p.own[u.array] = u.array;
                p.velocity[graph_.derivative(u.array)] = u.array;
            }
        const Contribution root{index_.scalar_domain(), index_.list({}), *system_.lagrangian};
        std::vector<Weighted> roots = penalties(penalty);
        roots.push_back(direct(root));
        p.by = adjoint(graph_, roots, [&](ArrayId a) { return p.own.contains(a) || p.velocity.contains(a); });
        return p;
    }

    // - L_q + G^T lambda - force
    void add_forces(Terms& terms, const Partials& p) {
        for (const auto& [a, contributions] : p.by)
            if (p.own.contains(a)) append(terms, a, contributions, true);
        add_constraint_forces(terms, p.own);
    }

    // d/dt L_q' - L_q + G^T lambda - force = 0
    std::vector<Equation> lagrangian() {
        Partials partials = lagrangian_partials();
        Direction d = total_derivative(graph_);
        Terms terms;
        for (auto& [a, contributions] : partials.by) {
            if (!partials.velocity.contains(a)) continue;
            for (const Contribution& c : contributions) momenta_switch_ |= switches(c.body);
            std::vector<Contribution> rates = contributions;
            for (Contribution& c : rates) c.body = d(c.body);
            append(terms, partials.velocity.at(a), rates, false);
        }
        add_forces(terms, partials);
        std::vector<Equation> result;
        for (ArrayId q : partials.positions)
            if (terms.contains(q)) add_equations(q, terms.at(q), result);
        return result;
    }

    // q' - H_p = 0,  p' + H_q + G^T lambda - force = 0
    std::vector<Equation> hamiltonian() {
        std::map<ArrayId, ArrayId> momentum, position;
        std::map<ArrayId, ArrayId> equation; // of the force on an unknown
        for (const ConjugatePair& p : system_.pairs) {
            momentum[p.position] = p.momentum;
            position[p.momentum] = p.position;
            equation[p.position] = p.momentum;
        }
        const Contribution root{index_.scalar_domain(), index_.list({}), *system_.hamiltonian};
        auto partials =
            adjoint(graph_, {direct(root)}, [&](ArrayId a) { return momentum.contains(a) || position.contains(a); });
        Terms terms;
        for (const auto& [q, p] : momentum) {
            terms[q].push_back(derivative_of(q));
            terms[p].push_back(derivative_of(p));
        }
        for (auto& [a, contributions] : partials) {
            const bool is_momentum = position.contains(a);
            append(terms, is_momentum ? position.at(a) : momentum.at(a), contributions, is_momentum);
        }
        add_constraint_forces(terms, equation);
        std::vector<Equation> result;
        for (const Unknown& u : system_.unknowns)
            if (terms.contains(u.array)) add_equations(u.array, terms.at(u.array), result);
        return result;
    }

    // The contribution q'[i] to the equation of q[i].
    Contribution derivative_of(ArrayId q) {
        const Array x = graph_.array(q);
        std::vector<VarId> vars;
        std::vector<FormId> at;
        for (std::size_t k = 0; k < x.extent.size(); ++k) {
            vars.push_back(index_.loop_var(std::string(1, static_cast<char>('i' + k)), static_cast<int>(k),
                                           index_.constant(1), index_.constant(x.extent[k])));
            at.push_back(index_.var(vars.back()));
        }
        const ListId target = index_.list(at);
        return {index_.domain(vars), target, graph_.read(graph_.derivative(q), target)};
    }

    // The equations of an unknown, or rows of its elements: one for each piece in which they are the same template.
    std::vector<Contribution> pieces(ArrayId unknown, const std::vector<Contribution>& terms) {
        const Array whole = graph_.array(unknown);
        std::vector<Contribution> result = gather(graph_, terms, &whole);
        if (are_disjoint(index_, result)) return result;
        // terms that stay sums (every body acts on every other): the equation reads the assembled array
        const ArrayId total = graph_.define("motion_" + whole.name, whole.lo, whole.extent, std::move(result));
        result = {derivative_of(unknown)};
        result[0].body = graph_.read(total, result[0].target);
        return result;
    }

    bool switches(NodeId root) const {
        std::vector<NodeId> open{root};
        std::set<NodeId> seen;
        while (!open.empty()) {
            const NodeId n = open.back();
            open.pop_back();
            const Node node = graph_.node(n);
            if (!node.varies || !seen.insert(n).second) continue;
            if (node.op == Op::select || node.op == Op::floor || node.op == Op::ceil) return true;
            const int n_operands = arity(node.op);
            if (n_operands > 0) open.push_back(node.a);
            if (n_operands > 1) open.push_back(node.b);
        }
        return false;
    }

    void add_equations(ArrayId unknown, const std::vector<Contribution>& terms, std::vector<Equation>& to) {
        for (const Contribution& c : pieces(unknown, terms))
            to.push_back({.kind = EquationKind::motion,
                          .domain = c.domain,
                          .residual = c.body,
                          .lhs = c.body,
                          .rhs = graph_.zero()});
    }

    const System& system_;
    Graph& graph_;
    IndexSpace& index_;
    VelocityJets velocities_;
    std::vector<Weighted> constraints_, velocity_constraints_; // of positions alone; with velocities
    bool momenta_switch_ = false;
};

ArrayId add_multipliers(System& system) {
    Graph& g = *system.graph;
    std::int64_t n = 0;
    for (const Equation& e : system.equations)
        if (e.kind == EquationKind::constraint) n += g.index().count(e.domain, most_rows);
    if (n == 0) return none;
    const ArrayId lambda = g.add_array({.name = "lambda", .role = ArrayRole::unknown, .extent = {n}});
    system.unknowns.push_back({.name = "lambda", .array = lambda, .is_multiplier = true});
    return lambda;
}

} // namespace

void derive_motion(System& system) {
    if (!system.lagrangian && !system.hamiltonian) return;
    const ArrayId lambda = add_multipliers(system);
    derive_contacts(system);
    Mechanics mechanics(system, lambda);
    for (const Equation& e : mechanics.equations()) system.equations.push_back(e);
    if (mechanics.momenta_switch())
        system.warnings.push_back("warning: masses of the Lagrangian contain a condition: where they jump with it, "
                                  "velocities are kept, and momenta are not. Where that is not meant, set the "
                                  "velocities by an event (event … then …), or write a Hamiltonian");
}

LagrangianRows lagrangian_rows(const System& system, double penalty) {
    const Unknown* lambda = system.unknown("lambda");
    return Mechanics(system, lambda && lambda->is_multiplier ? lambda->array : none).rows(penalty);
}

} // namespace vessiot
