#include "system/describe/fingerprint.hpp"

#include <array>
#include <bit>
#include <unordered_map>

#include "expr/graph/derivative.hpp"
#include "expr/table/number_list.hpp"

namespace vessiot {

namespace {

using namespace expr;
using Hash = std::uint64_t;

// h' = (rotated h xor x) times an odd number, and its high bits brought down: order matters.
Hash joined(Hash h, Hash x) {
    h = (std::rotl(h, 23) ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

class Fingerprint {
public:
    explicit Fingerprint(const System& s) : system_(s), graph_(*s.graph), index_(s.graph->index()) {}

    Hash operator()() {
        text(system_.independent_name);
        for (const Parameter& p : system_.parameters) named_values(p.name, p.array, p.values);
        for (const Held& h : system_.held) named_values(h.name, h.array, h.values);
        for (const Unknown& u : system_.unknowns) number(array(u.array));
        for (const Equation& e : system_.equations) {
            number(static_cast<Hash>(e.kind));
            formula(e.domain, e.residual);
        }
        for (const Invariant& v : system_.invariants) {
            formula(v.domain, v.value);
            optional(v.kept);
        }
        for (const Force& f : system_.forces) assignment(f.unknown, f);
        optional(system_.lagrangian);
        optional(system_.hamiltonian);
        for (const auto* values : {&system_.start, &system_.guesses, &system_.ends}) {
            if (values == &system_.ends && values->empty()) continue;
            number(values->size());
            for (const StartValue& v : *values) assignment(v.jet, v);
        }
        for (const Hold& h : system_.holds) number(joined(joined(array(h.jet), domain(h.domain)), list(h.target)));
        for (const Equation& e : system_.initially) formula(e.domain, e.residual);
        for (const Hold& h : system_.periodic) number(joined(joined(array(h.jet), domain(h.domain)), list(h.target)));
        for (const FreeParameter& f : system_.free) number(joined(f.parameter, static_cast<Hash>(f.element)));
        optional(system_.from);
        optional(system_.output_every);
        for (const NodeId t : system_.output_at) number(node(t));
        for (const Output& o : system_.outputs) {
            text(o.name);
            number(node(o.value));
        }
        for (const Event& e : system_.events) event(e);
        return result_;
    }
    Hash end() {
        optional(system_.to);
        text(system_.section ? system_.section->event : "");
        return result_;
    }

private:
    void number(Hash x) { result_ = joined(result_, x); }
    void text(const std::string& s) { number(of_text(s)); }
    void optional(const std::optional<NodeId>& n) { number(n ? joined(1, node(*n)) : 0); }
    void formula(DomainId d, NodeId n) { number(joined(domain(d), node(n))); }
    template <class Assignment> void assignment(ArrayId to, const Assignment& x) {
        number(joined(array(to), list(x.target)));
        formula(x.domain, x.value);
    }
    void named_values(const std::string& name, ArrayId a, const std::vector<Quad>& values) {
        text(name);
        for (const std::int64_t extent : graph_.array(a).extent) number(static_cast<Hash>(extent));
        for (const Quad v : values) number(of_number(v));
    }
    void event(const Event& e) {
        text(e.name);
        number(joined(static_cast<Hash>(e.direction), e.is_always ? 2 : e.is_stop ? 1 : 0));
        number(node(e.value));
        optional(e.every);
        for (const Reset& r : e.then) assignment(r.jet, r);
        for (const Reset& r : e.guesses) assignment(r.jet, r);
    }

    static Hash of_text(std::string_view s) {
        Hash h = s.size();
        for (const char c : s) h = joined(h, static_cast<unsigned char>(c));
        return h;
    }
    static Hash of_number(Quad value) {
        const auto bits = std::bit_cast<std::array<std::uint64_t, 2>>(value);
        return joined(bits[0], bits[1]);
    }

    // ---- index arithmetic: loops by their level and bounds, not by their names ----

    Hash form(FormId f) {
        const auto [known, is_new] = forms_.try_emplace(f, 0);
        if (!is_new) return known->second;
        const Form& x = index_.form(f);
        Hash sum = static_cast<Hash>(x.constant);
        for (const Term& term : x.terms) // in any order
            sum += joined(atom(index_.atom(term.atom)), static_cast<Hash>(term.coefficient));
        return forms_[f] = sum;
    }
    Hash atom(const Atom& a) {
        const auto kind = static_cast<Hash>(a.kind);
        switch (a.kind) {
        case Atom::Kind::var: return joined(kind, var(a.a));
        case Atom::Kind::lookup: {
            Hash h = joined(kind, list(a.b));
            for (const std::int64_t value : index_.table(a.a).values) h = joined(h, static_cast<Hash>(value));
            return h;
        }
        case Atom::Kind::product: return joined(kind, form(a.a) + form(a.b));
        default: return joined(joined(kind, form(a.a)), form(a.b));
        }
    }
    Hash var(VarId v) {
        const LoopVar& x = index_.loop_var(v);
        return joined(joined(static_cast<Hash>(x.level), form(x.lo)), form(x.hi));
    }
    Hash list(ListId l) {
        Hash h = 0;
        for (const FormId f : index_.forms(l)) h = joined(h, form(f));
        return h;
    }
    Hash condition(CondId c) {
        const Cond& x = index_.cond(c);
        const auto kind = static_cast<Hash>(x.kind);
        switch (x.kind) {
        case Cond::Kind::negative:
        case Cond::Kind::zero: return joined(kind, form(x.a));
        case Cond::Kind::both: return joined(kind, condition(x.a) + condition(x.b));
        case Cond::Kind::complement: return joined(kind, condition(x.a));
        default: return kind;
        }
    }
    Hash domain(DomainId d) {
        Hash h = condition(index_.domain(d).cond);
        for (const VarId v : index_.domain(d).vars) h = joined(h, var(v));
        return h;
    }

    // ---- expressions ----

    Hash array(ArrayId a) {
        if (const auto known = arrays_.find(a); known != arrays_.end()) return known->second;
        const Array& x = graph_.array(a);
        Hash h = joined(static_cast<Hash>(x.role), static_cast<Hash>(x.order));
        // what an array of the model is called matters to nobody but where values come from outside
        if (x.role != ArrayRole::defined) h = joined(h, of_text(x.name));
        for (std::size_t k = 0; k < x.extent.size(); ++k)
            h = joined(joined(h, static_cast<Hash>(x.lo[k])), static_cast<Hash>(x.extent[k]));
        for (const Contribution& c : x.definition)
            h = joined(joined(joined(h, domain(c.domain)), list(c.target)), node(c.body));
        return arrays_[a] = h;
    }

    Hash node(NodeId root) {
        if (const auto known = nodes_.find(root); known != nodes_.end()) return known->second;
        for (const NodeId n : graph_.cone({root})) {
            if (nodes_.contains(n)) continue;
            const Node x = graph_.node(n);
            Hash h = joined(1, static_cast<Hash>(x.op));
            if (x.op == Op::constant) {
                h = joined(h, of_number(graph_.value(n)));
            } else if (x.op == Op::read) {
                h = joined(joined(h, array(x.a)), list(x.b));
            } else if (x.op == Op::index_value) {
                h = joined(h, form(x.a));
            } else if (x.op == Op::call) { // what it computes is not known: another function needs another name
                h = joined(joined(joined(h, of_text(graph_.external(x.b)->name())), x.c), nodes_.at(x.a));
            } else if (is_of_list(x.op)) {
                h = joined(joined(h, list_of(graph_, n).hash()), nodes_.at(x.a));
            } else {
                const NodeId operands[] = {x.a, x.b, x.c};
                for (int k = 0; k < arity(x.op); ++k) h = joined(h, nodes_.at(operands[k]));
            }
            nodes_[n] = h;
        }
        return nodes_.at(root);
    }

    const System& system_;
    const Graph& graph_;
    const IndexSpace& index_;
    std::unordered_map<FormId, Hash> forms_;
    std::unordered_map<ArrayId, Hash> arrays_;
    std::unordered_map<NodeId, Hash> nodes_;
    Hash result_ = 0;
};

} // namespace

std::string formulas_text(const System& system) {
    const Graph& graph = *system.graph;
    std::string text;
    std::vector<NodeId> bodies;
    const auto add = [&](const std::string& line) { text += "  " + line + "\n"; };
    for (const Equation& e : system.equations) {
        bodies.push_back(e.residual);
        if (e.kind != EquationKind::motion) add(graph.print(e.lhs) + " = " + graph.print(e.rhs));
    }
    for (const Invariant& v : system.invariants) {
        bodies.push_back(v.value);
        add(graph.print(v.value));
    }
    for (const ArrayId a : dependencies(graph, bodies)) {
        const Array& x = graph.array(a);
        if (x.role != ArrayRole::defined || x.name == "sum") continue; // a sum stands in the formula itself
        for (const Contribution& c : x.definition) add(graph.print_read(a, c.target) + " = " + graph.print(c.body));
    }
    return text;
}

std::uint64_t fingerprint(const System& system) {
    return Fingerprint(system)();
}

std::uint64_t fingerprint_of_end(const System& system) {
    return Fingerprint(system).end();
}

} // namespace vessiot
