#include "system/mechanics/contacts.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "expr/graph/derivative.hpp"
#include "system/mechanics/instances.hpp"
#include "system/mechanics/velocity_jets.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t most_instances = 100'000;

class Contacts {
public:
    explicit Contacts(System& s) : system_(s), graph_(*s.graph), index_(graph_.index()) {}

    void add(Contact& c) {
        c.target = index_.list(places(c));
        c.force = unknown(c, "force", {});
        const std::size_t n = c.sliding.size();
        const std::vector<std::int64_t> pair = n == 2 ? std::vector<std::int64_t>{2} : std::vector<std::int64_t>{};
        const ArrayId z = hidden(c, "idle", {});
        c.mode = held(c, "mode", {}, 0);
        c.margin = held(c, "margin", {}, 0);
        c.reach = held(c, "reach", {}, 0);
        const NodeId mode = graph_.read(c.mode, c.target), force = graph_.read(c.force, c.target);
        const NodeId is_closed = graph_.apply(Op::not_equal, mode, graph_.zero());
        const ArrayId z2 = graph_.derivative(graph_.derivative(z));
        add_equation(c, graph_.select(is_closed, c.gap, graph_.read(z, c.target)));
        add_equation(c, graph_.select(is_closed, graph_.read(z2, c.target), force));
        if (n == 0) return;
        c.friction_force = unknown(c, "friction", pair);
        c.heading = held(c, "heading", pair, 1);
        const ArrayId w = hidden(c, "still", pair);
        const NodeId sticks = is_mode(c, contact_sticks), slides = is_mode(c, contact_slides);
        for (std::size_t k = 0; k < n; ++k) {
            const ListId at = sliding_target(graph_, c, k);
            const NodeId T = graph_.read(c.friction_force, at);
            const NodeId law = graph_.add(T, graph_.mul(graph_.mul(c.friction, force), direction(c, k)));
            add_equation(c, graph_.select(sticks, c.sliding[k], graph_.read(w, at)));
            add_equation(c,
                         graph_.select(sticks, graph_.read(graph_.derivative(w), at), graph_.select(slides, law, T)));
        }
    }

    // NOTE: one instance at a time, since an event is a number.
    void add_events(const Contact& c, std::size_t& number) {
        const std::vector<std::pair<ContactChange, NodeId>> all = changes(c);
        index_.for_each(c.domain, [&](const Env& env) {
            VarMap map;
            for (const VarId v : index_.domain(c.domain).vars)
                map[v] = index_.constant(env[static_cast<std::size_t>(index_.loop_var(v).level)]);
            const std::string name = contact_name(system_, c, env);
            for (const auto& [change, value] : all)
                system_.events.push_back({.name = name + suffix(change),
                                          .value = graph_.substitute(value, map),
                                          .direction = EventDirection::falling,
                                          .where = c.where,
                                          .contact = ContactEvent{number, change}});
            ++number;
            return true;
        });
    }

private:
    static std::string suffix(ContactChange change) {
        switch (change) {
        case ContactChange::hit: return "";
        case ContactChange::release: return ".release";
        case ContactChange::slip: return ".slip";
        case ContactChange::stick: return ".stick";
        }
        return "";
    }

    NodeId is_mode(const Contact& c, int mode) {
        return graph_.apply(Op::equal, graph_.read(c.mode, c.target), graph_.integer(mode));
    }

    // Functions that are positive while nothing changes.
    std::vector<std::pair<ContactChange, NodeId>> changes(const Contact& c) {
        const NodeId one = graph_.one(), force = graph_.read(c.force, c.target);
        const NodeId is_free = is_mode(c, contact_free);
        std::vector<std::pair<ContactChange, NodeId>> all{
            {ContactChange::hit, graph_.select(is_free, graph_.add(c.gap, graph_.read(c.margin, c.target)), one)},
            {ContactChange::release, graph_.select(is_free, one, force)}};
        if (c.sliding.empty()) return all;
        const auto read = [&](ArrayId a, std::size_t k) { return graph_.read(a, sliding_target(graph_, c, k)); };
        const auto size = [&](NodeId a, NodeId b) { return graph_.apply(Op::hypot, a, b); };
        const bool is_pair = c.sliding.size() == 2;
        const NodeId T = is_pair ? size(read(c.friction_force, 0), read(c.friction_force, 1))
                                 : graph_.apply(Op::abs, read(c.friction_force, 0));
        all.emplace_back(ContactChange::slip,
                         graph_.select(is_mode(c, contact_sticks), graph_.sub(graph_.mul(c.friction, force), T), one));
        const NodeId speed =
            is_pair
                ? graph_.sub(size(c.sliding[0], c.sliding[1]),
                             graph_.mul(graph_.constant(heading_share), size(read(c.heading, 0), read(c.heading, 1))))
                : graph_.add(graph_.mul(c.sliding[0], read(c.heading, 0)), graph_.read(c.margin, c.target));
        all.emplace_back(ContactChange::stick, graph_.select(is_mode(c, contact_slides), speed, one));
        return all;
    }

    // Of sliding.
    NodeId direction(const Contact& c, std::size_t k) {
        const auto heading = [&](std::size_t j) { return graph_.read(c.heading, sliding_target(graph_, c, j)); };
        if (c.sliding.size() == 1) return heading(0);
        const NodeId a = graph_.add(c.sliding[0], heading(0)), b = graph_.add(c.sliding[1], heading(1));
        return graph_.div(k == 0 ? a : b, graph_.apply(Op::sqrt, graph_.add(graph_.square(a), graph_.square(b))));
    }

    // The element of an instance: its loop indices where they run from 1, else its number.
    std::vector<FormId> places(const Contact& c) {
        const std::vector<VarId> vars = index_.domain(c.domain).vars;
        std::vector<std::int64_t> lo;
        dims_.clear();
        const bool is_there = index_.bounding_box(c.domain, lo, dims_);
        std::vector<FormId> at;
        is_plain_ = is_there && index_.is_box(c.domain) && std::ranges::all_of(lo, [](auto k) { return k == 1; });
        if (is_plain_) {
            for (const VarId v : vars) at.push_back(index_.var(v));
            return at;
        }
        dims_ = {index_.count(c.domain, most_instances)};
        return {instance_number(graph_, c.domain, 1)};
    }

    // "floor[#].force": '#' for each index (core/element_name.hpp).
    std::string name_of(const Contact& c, const std::string& what) const {
        std::string name = c.name;
        if (!is_plain_)
            for (std::size_t k = name.find("[#"); k != std::string::npos; k = name.find("[#"))
                name.erase(k, name.find(']', k) - k + 1);
        const auto n = static_cast<std::size_t>(std::ranges::count(name, '#'));
        for (std::size_t k = n; k < dims_.size(); ++k) name += k == n ? "[#" : ",#";
        return name + (dims_.size() > n ? "]." : ".") + what;
    }

    std::vector<std::int64_t> extent(std::vector<std::int64_t> more) const {
        more.insert(more.begin(), dims_.begin(), dims_.end());
        return more;
    }

    ArrayId add_array(const Contact& c, const std::string& what, const std::vector<std::int64_t>& more,
                      ArrayRole role) {
        const std::vector<std::int64_t> sizes = extent(more);
        return graph_.add_array({.name = name_of(c, what),
                                 .role = role,
                                 .lo = std::vector<std::int64_t>(sizes.size(), 1),
                                 .extent = sizes});
    }

    ArrayId unknown(const Contact& c, const std::string& what, const std::vector<std::int64_t>& more) {
        const ArrayId a = add_array(c, what, more, ArrayRole::unknown);
        system_.unknowns.push_back({.name = name_of(c, what), .array = a, .is_multiplier = true, .where = c.where});
        return a;
    }

    ArrayId hidden(const Contact& c, const std::string& what, const std::vector<std::int64_t>& more) {
        const ArrayId a = unknown(c, what, more);
        system_.unknowns.back().is_hidden = true;
        return a;
    }

    ArrayId held(const Contact& c, const std::string& what, const std::vector<std::int64_t>& more, int value) {
        const ArrayId a = add_array(c, what, more, ArrayRole::auxiliary);
        system_.held.push_back({.name = name_of(c, what),
                                .array = a,
                                .values = std::vector<Quad>(static_cast<std::size_t>(graph_.array(a).size()), value),
                                .where = c.where,
                                .is_hidden = true});
        return a;
    }

    void add_equation(const Contact& c, NodeId residual) {
        system_.equations.push_back({.kind = EquationKind::written,
                                     .domain = c.domain,
                                     .residual = residual,
                                     .lhs = residual,
                                     .rhs = graph_.zero(),
                                     .text = c.text,
                                     .where = c.where});
    }

    System& system_;
    Graph& graph_;
    IndexSpace& index_;
    std::vector<std::int64_t> dims_; // of the contact at hand
    bool is_plain_ = true;           // its indices are those of its loops
};

std::string misfit(const System& system, const Contact& c) {
    Graph& g = *system.graph;
    if (!system.lagrangian && !system.hamiltonian)
        return "it needs a lagrangian or hamiltonian, from which the law of impacts and the forces follow";
    if (g.index().count(c.domain, most_instances) > most_instances)
        return fmt::format("it has more than {} instances", most_instances);
    const VelocityJets velocities(system);
    bool has_position = false;
    for (const ArrayId a : dependencies(g, {c.gap})) {
        const Array& x = g.array(a);
        if (x.role != ArrayRole::unknown) continue;
        const auto is_it = [&](const auto& of) { return of.second == a; };
        if (!std::ranges::any_of(velocities.positions(), is_it))
            return fmt::format("it is a condition of positions and time, but this one contains {}{}", x.name,
                               std::string(static_cast<std::size_t>(x.order), '\''));
        has_position = true;
    }
    if (!has_position) return "it contains no position: nothing can keep or break it";
    for (const NodeId v : c.sliding) {
        if (!velocities.are_in(v))
            return "friction acts along a sliding velocity, but there is no velocity behind 'along': write, for a "
                   "block that slides along x, friction 0.3 along x'";
        if (!velocities.is_affine(v)) return "the sliding velocity behind 'along' must be affine in the velocities";
    }
    return "";
}

} // namespace

std::optional<Mistake> check_contacts(const System& system) {
    for (const Contact& c : system.contacts)
        if (const std::string wrong = misfit(system, c); !wrong.empty())
            return Mistake{c.where, fmt::format("the contact '{}': {}", c.name, wrong)};
    return std::nullopt;
}

ListId sliding_target(Graph& g, const Contact& contact, std::size_t k) {
    if (contact.sliding.size() == 1) return contact.target;
    const std::span<const FormId> first = g.index().forms(contact.target);
    std::vector<FormId> at(first.begin(), first.end());
    at.push_back(g.index().constant(static_cast<std::int64_t>(k) + 1));
    return g.index().list(std::move(at));
}

void for_each_contact(const System& system, const std::function<void(const Contact&, const Env&)>& visit) {
    for (const Contact& c : system.contacts)
        system.graph->index().for_each(c.domain, [&](const Env& env) {
            visit(c, env);
            return true;
        });
}

std::string contact_name(const System& system, const Contact& contact, const Env& env) {
    Graph& g = *system.graph;
    const std::string force =
        g.print_read(contact.force, g.indices_at(contact.force, g.address(contact.force, contact.target, env)));
    return force.substr(0, force.rfind(".force"));
}

void derive_contacts(System& system) {
    if (system.contacts.empty() || check_contacts(system)) return; // what is wrong is told later
    Contacts contacts(system);
    std::size_t number = 0;
    for (Contact& c : system.contacts) contacts.add(c);
    for (const Contact& c : system.contacts) contacts.add_events(c, number);
}

} // namespace vessiot
