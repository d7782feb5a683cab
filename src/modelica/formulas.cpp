#include "modelica/formulas.hpp"

#include <algorithm>

#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

std::shared_ptr<Graph> graph_of(System& system) {
    system.graph = std::make_shared<Graph>();
    system.independent = system.graph->add_array({.name = "time", .role = ArrayRole::independent});
    return system.graph;
}

} // namespace

Formulas::Formulas(FlatModel& flat, const Elimination& elimination, System& system)
    : flat_(flat), el_(elimination), system_(system), h_(*graph_of(system)), total_(total_derivative(h_)) {
    const std::size_t n = flat.variables.size();
    unknowns_.assign(n, none);
    held_.assign(n, none);
    for (Context* c : {&now_, &event_}) {
        c->formula.assign(n, none);
        c->is_open.assign(n, 0);
    }
    event_.is_event = true;
    for (std::size_t v = 0; v < n; ++v) {
        ArrayId a = flat.variables[v].array;
        for (int k = 0; a != none; ++k, a = flat.graph->array(a).derivative) jets_[a] = {v, k};
    }
    for (const auto& [v, array] : flat.pre) pre_[array] = v;
    for (const FlatUpdate& u : flat.updates) updates_[u.variable] = u.value;
}

void Formulas::begin() {
    for (const std::size_t v : el_.order) now_.formula[v] = now(*el_.defined[v]);
}

std::pair<std::size_t, int> Formulas::jet(ArrayId old) const {
    const auto it = jets_.find(old);
    return it == jets_.end() ? std::pair<std::size_t, int>(nothing, 0) : it->second;
}

bool Formulas::is_column(std::size_t v) const {
    return unknowns_[v] != none || (held_[v] != none && !flat_.variables[v].name.starts_with('$'));
}

ArrayId Formulas::unknown(std::size_t v) {
    if (unknowns_[v] != none) return unknowns_[v];
    const Variable& x = flat_.variables[v];
    unknowns_[v] = h_.add_array({.name = x.name, .role = ArrayRole::unknown});
    Unknown u;
    u.name = x.name;
    u.array = unknowns_[v];
    u.where = {static_cast<int>(v) + 1, 1};
    system_.unknowns.push_back(std::move(u));
    return unknowns_[v];
}

ArrayId Formulas::parameter(ArrayId old) const {
    const auto it = parameters_.find(old);
    return it == parameters_.end() ? none : it->second;
}

NodeId Formulas::in(Context& c, NodeId old) {
    const Graph& g = *flat_.graph;
    if (old < c.image.size() && c.image[old] != none) return c.image[old];
    for (const NodeId n : g.cone({old})) {
        if (c.image.size() <= n) c.image.resize(g.n_nodes(), none);
        if (c.image[n] != none) continue;
        const Node x = g.node(n);
        NodeId made = none;
        if (x.op == Op::constant) {
            made = h_.constant(g.value(n));
        } else if (x.op == Op::read) {
            made = read(c, x.a);
        } else {
            const int k = arity(x.op);
            made = rebuilt(h_, x, c.image[x.a], k > 1 ? c.image[x.b] : 0, k > 2 ? c.image[x.c] : 0);
        }
        // NOTE: while a formula at an event reads itself, what it becomes is not known yet
        c.image[n] = made;
    }
    return c.image[old];
}

NodeId Formulas::read(Context& c, ArrayId old) {
    if (old == flat_.time) return h_.read(system_.independent);
    if (old == flat_.initial_flag) {
        if (flag_ == none) flag_ = h_.add_array({.name = "initial()", .role = ArrayRole::auxiliary});
        return h_.read(flag_);
    }
    if (const auto it = pre_.find(old); it != pre_.end()) {
        const std::size_t v = it->second;
        if (!el_.alias[v]) return before(v);
        const Alias& alias = *el_.alias[v];
        if (alias.to == nothing) return in(c, alias.offset);
        const NodeId root = before(alias.to);
        return h_.add(alias.sign > 0 ? root : h_.neg(root), in(c, alias.offset));
    }
    if (const auto [v, order] = jet(old); v != nothing) return variable(c, v, order);
    const auto [it, is_new] = parameters_.emplace(old, none);
    if (is_new)
        it->second =
            h_.add_array({.name = flat_.graph->array(old).name, .role = ArrayRole::parameter, .varies = false});
    return h_.read(it->second);
}

NodeId Formulas::raised(NodeId node, int order) {
    for (int k = 0; k < order; ++k) node = total_(node);
    return node;
}

// A variable, or its derivative.
NodeId Formulas::variable(Context& c, std::size_t v, int order) {
    if (el_.alias[v]) {
        const Alias& alias = *el_.alias[v];
        if (alias.to == nothing) return order == 0 ? in(c, alias.offset) : h_.zero();
        const NodeId root = variable(c, alias.to, order);
        const NodeId signed_root = alias.sign > 0 ? root : h_.neg(root);
        return order == 0 ? h_.add(signed_root, in(c, alias.offset)) : signed_root;
    }
    const Variable& x = flat_.variables[v];
    if (x.is_assigned_in_when) {
        if (order > 0) return h_.zero();
        if (!c.is_event || c.is_open[v]) return held(v);
        if (c.formula[v] != none) return c.formula[v];
        c.is_open[v] = 1;
        const auto it = updates_.find(v);
        // a context of its own while a circle is open, since images of what is inside are those of the circle
        Context fresh{true, {}, c.formula, c.is_open};
        const NodeId made = it == updates_.end() ? held(v) : in(fresh, it->second);
        c.is_open[v] = 0;
        return c.formula[v] = made;
    }
    if (el_.defined[v]) {
        if (c.formula[v] == none) {
            if (c.is_open[v]) return held(v);
            c.is_open[v] = 1;
            c.formula[v] = in(c, *el_.defined[v]);
            c.is_open[v] = 0;
        }
        return raised(c.formula[v], order);
    }
    ArrayId a = unknown(v);
    for (int k = 0; k < order; ++k) a = h_.derivative(a);
    return h_.read(a);
}

// pre(v): of what is continuous the value where an event is met.
NodeId Formulas::before(std::size_t v) {
    const Variable& x = flat_.variables[v];
    return x.is_discrete() || x.is_assigned_in_when ? held(v) : variable(now_, v, 0);
}

NodeId Formulas::held(std::size_t v) {
    if (held_[v] == none) {
        const Variable& x = flat_.variables[v];
        held_[v] = h_.add_array({.name = x.name, .role = ArrayRole::auxiliary});
        open_.push_back(v);
    }
    return h_.read(held_[v]);
}

std::optional<Formulas::RemainingJet> Formulas::remaining_jet(ArrayId old) {
    const auto [v, order] = jet(old);
    if (v == nothing) return {};
    const NodeId node = variable(now_, v, order);
    Node n = h_.node(node);
    RemainingJet result;
    result.offset = h_.zero();
    if (n.op == Op::neg) {
        result.is_negative = true;
        n = h_.node(n.a);
    }
    if (n.op != Op::read || h_.array(n.a).role != ArrayRole::unknown) return {};
    result.array = n.a;
    return result;
}

std::optional<Formulas::RemainingJet> Formulas::jet_of(std::size_t v) {
    if (el_.alias[v] && el_.alias[v]->to != nothing) {
        auto result = jet_of(el_.alias[v]->to);
        if (!result) return {};
        const NodeId offset = now(el_.alias[v]->offset);
        result->offset = h_.add(offset, el_.alias[v]->sign > 0 ? result->offset : h_.neg(result->offset));
        if (el_.alias[v]->sign < 0) result->is_negative = !result->is_negative;
        return result;
    }
    return remaining_jet(flat_.variables[v].array);
}

} // namespace vessiot::modelica
