#include "expr/graph/split.hpp"

#include <optional>
#include <unordered_map>

#include "core/error.hpp"

namespace vessiot::expr {

namespace {

constexpr std::size_t max_pieces = 256;

std::optional<FormId> as_form(Graph& g, NodeId n) {
    const Node& x = g.node(n);
    if (x.op == Op::index_value) return x.a;
    if (x.op != Op::constant) return std::nullopt;
    const Quad value = g.value(n);
    if (value > 1e15 || value < -1e15 || static_cast<Quad>(static_cast<std::int64_t>(value)) != value)
        return std::nullopt;
    return g.index().constant(static_cast<std::int64_t>(value));
}

// The condition as one on indices, if it is one.
std::optional<CondId> as_condition(Graph& g, NodeId n) {
    IndexSpace& index = g.index();
    const Node x = g.node(n);
    switch (x.op) {
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal: {
        const auto a = as_form(g, x.a), b = as_form(g, x.b);
        if (!a || !b) return std::nullopt;
        if (x.op == Op::less) return index.less(*a, *b);
        if (x.op == Op::less_equal) return index.complement(index.less(*b, *a));
        return x.op == Op::equal ? index.equal(*a, *b) : index.complement(index.equal(*a, *b));
    }
    case Op::logical_and:
    case Op::logical_or: {
        const auto a = as_condition(g, x.a), b = as_condition(g, x.b);
        if (!a || !b) return std::nullopt;
        return x.op == Op::logical_and ? index.both(*a, *b) : index.either(*a, *b);
    }
    case Op::logical_not: {
        const auto a = as_condition(g, x.a);
        return a ? std::optional(index.complement(*a)) : std::nullopt;
    }
    default: return std::nullopt;
    }
}

// The body with every `if` on this condition decided.
NodeId decide(Graph& g, NodeId body, NodeId condition, bool value) {
    std::unordered_map<NodeId, NodeId> done;
    for (NodeId n : g.cone({body})) {
        const Node x = g.node(n);
        if (arity(x.op) == 0) {
            done[n] = n;
            continue;
        }
        const bool is_decided = x.op == Op::select && x.a == condition;
        done[n] = is_decided ? done.at(value ? x.b : x.c) : g.rebuild_with(n, done);
    }
    return done.at(body);
}

} // namespace

std::vector<Piece> split_by_index_conditions(Graph& g, DomainId domain, NodeId body) {
    std::vector<Piece> done, open{{domain, body}};
    while (!open.empty()) {
        const Piece p = open.back();
        open.pop_back();
        std::optional<CondId> cond;
        NodeId test = 0;
        for (NodeId n : g.cone({p.body})) {
            if (g.node(n).op != Op::select || g.node(g.node(n).a).varies) continue;
            test = g.node(n).a;
            cond = as_condition(g, test);
            if (cond) break;
        }
        if (!cond) {
            done.push_back(p);
            continue;
        }
        const Domain d = g.index().domain(p.domain);
        for (const bool value : {true, false}) {
            const CondId side = value ? *cond : g.index().complement(*cond);
            const DomainId part = g.index().domain(d.vars, g.index().both(d.cond, side));
            if (g.index().count(part, 0) > 0) open.push_back({part, decide(g, p.body, test, value)});
        }
        if (open.size() + done.size() > max_pieces)
            throw InvalidInput("more than 256 different cases of 'if' on loop indices in one equation; "
                               "write the special cases as equations of their own");
    }
    return done;
}

std::vector<Contribution> without_conditions(Graph& g, const std::vector<Contribution>& contributions) {
    std::vector<Contribution> result;
    for (const Contribution& c : contributions)
        for (const Piece& p : split_by_index_conditions(g, c.domain, c.body))
            result.push_back({p.domain, c.target, p.body});
    return result;
}

} // namespace vessiot::expr
