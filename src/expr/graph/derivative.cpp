#include "expr/graph/derivative.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/error.hpp"
#include "expr/graph/split.hpp"
#include "expr/kernel/gather.hpp"

namespace vessiot::expr {

namespace {

constexpr int most_backward = 2; // derivatives of derivatives that are made by Direction::backward()

// adjoint * (partial derivative of node n with respect to operand k), formulas of elementary calculus
NodeId pull_back(Graph& g, NodeId n, int k, NodeId adjoint) {
    const Node x = g.node(n);
    const NodeId a = x.a, b = x.b;
    switch (x.op) {
    case Op::add: return adjoint;
    case Op::sub: return k == 0 ? adjoint : g.neg(adjoint);
    case Op::mul: return g.mul(adjoint, k == 0 ? b : a);
    case Op::div: // a/b: 1/b, -(a/b)/b
        return k == 0 ? g.div(adjoint, b) : g.neg(g.mul(adjoint, g.div(n, b)));
    case Op::neg: return g.neg(adjoint);
    case Op::sqrt: return g.mul(g.constant(0.5), g.div(adjoint, n));
    case Op::abs: return g.mul(adjoint, g.apply(Op::sign, a));
    case Op::min: // a where a < b, else b
    case Op::max: {
        const NodeId is_a = x.op == Op::min ? g.apply(Op::less, a, b) : g.apply(Op::less, b, a);
        return k == 0 ? g.select(is_a, adjoint, g.zero()) : g.select(is_a, g.zero(), adjoint);
    }
    case Op::select:
        if (k == 0) return g.zero();
        return k == 1 ? g.select(a, adjoint, g.zero()) : g.select(a, g.zero(), adjoint);
    case Op::sin: return g.mul(adjoint, g.apply(Op::cos, a));
    case Op::cos: return g.neg(g.mul(adjoint, g.apply(Op::sin, a)));
    case Op::tan: return g.mul(adjoint, g.add(g.square(n), g.one()));
    case Op::asin: return g.div(adjoint, g.apply(Op::sqrt, g.sub(g.one(), g.square(a))));
    case Op::acos: return g.neg(g.div(adjoint, g.apply(Op::sqrt, g.sub(g.one(), g.square(a)))));
    case Op::atan: return g.div(adjoint, g.add(g.square(a), g.one()));
    case Op::sinh: return g.mul(adjoint, g.apply(Op::cosh, a));
    case Op::cosh: return g.mul(adjoint, g.apply(Op::sinh, a));
    case Op::tanh: return g.mul(adjoint, g.sub(g.one(), g.square(n)));
    case Op::asinh: return g.div(adjoint, g.apply(Op::sqrt, g.add(g.square(a), g.one())));
    case Op::acosh:
        return g.div(adjoint, g.mul(g.apply(Op::sqrt, g.sub(a, g.one())), g.apply(Op::sqrt, g.add(a, g.one()))));
    case Op::atanh: return g.div(adjoint, g.sub(g.one(), g.square(a)));
    case Op::exp: return g.mul(adjoint, n);
    case Op::log: return g.div(adjoint, a);
    case Op::log10: return g.div(adjoint, g.mul(g.apply(Op::log, g.integer(10)), a));
    case Op::cbrt: // 1/(3 n^2)
        return g.div(adjoint, g.mul(g.integer(3), g.square(n)));
    case Op::erf: { // 2/sqrt(pi) exp(-a^2)
        const NodeId pi = g.mul(g.integer(4), g.apply(Op::atan, g.one()));
        const NodeId factor = g.div(g.integer(2), g.apply(Op::sqrt, pi));
        return g.mul(adjoint, g.mul(factor, g.apply(Op::exp, g.neg(g.square(a)))));
    }
    case Op::atan2: { // atan2(y, x): x/(x^2+y^2), -y/(x^2+y^2)
        const NodeId r2 = g.add(g.square(a), g.square(b));
        return k == 0 ? g.mul(adjoint, g.div(b, r2)) : g.neg(g.mul(adjoint, g.div(a, r2)));
    }
    case Op::hypot: return g.mul(adjoint, g.div(k == 0 ? a : b, n));
    case Op::pow:
        if (k == 0) // b a^(b-1)
            return g.mul(adjoint, g.mul(b, g.pow(a, g.sub(b, g.one()))));
        // a^b log a; 0^b does not move with b > 0
        return g.select(g.apply(Op::equal, a, g.zero()), g.zero(), g.mul(adjoint, g.mul(n, g.apply(Op::log, a))));
    default: // floor, ceil, sign, comparisons, lists: constant between their jumps
        return g.zero();
    }
}

} // namespace

std::vector<Partial> local_gradient(Graph& g, NodeId body, const std::function<bool(ArrayId)>& is_active) {
    const std::vector<NodeId> order = g.cone({body});
    // Only nodes above an active read carry an adjoint.
    std::unordered_map<NodeId, NodeId> adjoint; // present = active; none = not reached yet
    adjoint.reserve(2 * order.size());
    for (NodeId n : order) {
        const Node x = g.node(n); // a copy: is_active may make nodes
        bool active = x.op == Op::read && is_active(x.a);
        const NodeId operands[] = {x.a, x.b, x.c};
        for (int k = 0; k < arity(x.op); ++k) active |= adjoint.contains(operands[k]);
        if (active) adjoint.emplace(n, none);
    }
    if (!adjoint.contains(body)) return {};
    adjoint[body] = g.one();
    std::vector<Partial> result;
    for (std::size_t i = order.size(); i-- > 0;) {
        auto it = adjoint.find(order[i]);
        if (it == adjoint.end() || it->second == none) continue;
        const NodeId bar = it->second;
        const Node x = g.node(order[i]);
        if (x.op == Op::read) {
            if (!g.is_constant(bar, 0)) result.push_back({order[i], bar});
            continue;
        }
        const auto add = [&](NodeId to, const auto& part_of) {
            auto operand = adjoint.find(to);
            if (operand == adjoint.end()) return;
            const NodeId part = part_of();
            operand->second = operand->second == none ? part : g.add(operand->second, part);
        };
        if (x.op == Op::call) { // lists have no adjoint: what is in them does
            const std::vector<NodeId> arguments = g.arguments(order[i]);
            for (std::size_t k = 0; k < arguments.size(); ++k)
                if (g.external(x.b)->entry(x.c, static_cast<std::int64_t>(k)) >= 0)
                    add(arguments[k], [&] { return g.mul(bar, g.call_derivative(order[i], k)); });
            continue;
        }
        const NodeId operands[] = {x.a, x.b, x.c};
        for (int k = 0; k < arity(x.op); ++k) add(operands[k], [&] { return pull_back(g, order[i], k, bar); });
    }
    std::reverse(result.begin(), result.end());
    return result;
}

// ---- directions ----

std::uint32_t Direction::tangent(ArrayId a) {
    if (auto it = known_.find(a); it != known_.end()) return it->second;
    if (graph_.array(a).role != ArrayRole::defined) return known_[a] = tangent_(a);
    // A[target] += body  =>  dA[target] += d body
    const Array definition = graph_.array(a); // a copy: making arrays below moves the storage
    std::vector<Contribution> moved;
    for (const Contribution& c : definition.definition) {
        const NodeId body = (*this)(c.body);
        if (!graph_.is_constant(body, 0)) moved.push_back({c.domain, c.target, body});
    }
    if (moved.empty()) return known_[a] = none;
    return known_[a] = graph_.define(definition.name + suffix_, definition.lo, definition.extent, std::move(moved));
}

NodeId Direction::operator()(NodeId body) {
    if (auto it = done_.find(body); it != done_.end()) return it->second;
    const auto found = times_.find(body);
    const int times = found == times_.end() ? 0 : found->second;
    const NodeId result = times < most_backward ? backward(body) : forward(body);
    times_.try_emplace(result, times + 1);
    return done_[body] = result;
}

// Each operation moves by what its operands move: D(a b) = Da b + a Db. The derivative of every node is made once, so
// that D^k(a b) consists of the k + 1 products D^i a D^j b and their sums, and so on downwards.
NodeId Direction::forward(NodeId body) {
    for (const NodeId n : graph_.cone({body})) {
        if (moved_.contains(n)) continue;
        const Node x = graph_.node(n); // a copy: nodes are made below
        NodeId result = graph_.zero();
        if (x.op == Op::read) {
            const std::uint32_t to = tangent(x.a);
            if (to != none) result = to == unit ? graph_.one() : graph_.read(to, x.b);
        } else if (x.op == Op::div) { // (a/b)' = (a' - (a/b) b')/b
            result = graph_.div(graph_.sub(moved_.at(x.a), graph_.mul(n, moved_.at(x.b))), x.b);
        } else if (x.op == Op::select) {
            result = graph_.select(x.a, moved_.at(x.b), moved_.at(x.c));
        } else if (x.op == Op::call) {
            const std::vector<NodeId> arguments = graph_.arguments(n);
            for (std::size_t k = 0; k < arguments.size(); ++k)
                if (const NodeId by = moved_.at(arguments[k]); !graph_.is_constant(by, 0))
                    result = graph_.add(result, graph_.mul(graph_.call_derivative(n, k), by));
        } else if (x.op != Op::argument) { // a list does not move, what is in it does
            const NodeId operands[] = {x.a, x.b, x.c};
            for (int k = 0; k < arity(x.op); ++k) {
                const NodeId by = moved_.at(operands[k]);
                if (!graph_.is_constant(by, 0)) result = graph_.add(result, pull_back(graph_, n, k, by));
            }
        }
        moved_[n] = result;
    }
    return moved_.at(body);
}

// The sum of partial derivative times movement over the elements that are read: short for a first derivative, but the
// partial derivatives of each order are new expressions.
NodeId Direction::backward(NodeId body) {
    std::vector<NodeId> terms;
    const auto partials = local_gradient(graph_, body, [&](ArrayId a) { return tangent(a) != none; });
    for (const Partial& p : partials) {
        const Node r = graph_.node(p.read);
        const std::uint32_t moved = tangent(r.a);
        terms.push_back(moved == unit ? p.value : graph_.mul(p.value, graph_.read(moved, r.b)));
    }
    return graph_.sum(terms);
}

ArrayId Direction::array(ArrayId a) {
    return tangent(a);
}

Direction total_derivative(Graph& g) {
    return Direction(
        g,
        [&g](ArrayId a) -> std::uint32_t {
            switch (g.array(a).role) {
            case ArrayRole::independent: return Direction::unit;
            case ArrayRole::unknown: return g.derivative(a);
            default: return none;
            }
        },
        "'");
}

// ---- dependencies and adjoints ----

std::vector<ArrayId> dependencies(const Graph& g, const std::vector<NodeId>& roots) {
    std::vector<ArrayId> order;
    std::set<ArrayId> seen;
    // Defined arrays are numbered after what they read, so that ascending numbers are a valid order.
    std::vector<NodeId> front = roots;
    while (!front.empty()) {
        std::vector<NodeId> next;
        for (NodeId n : g.cone(front)) {
            const Node& x = g.node(n);
            if (x.op != Op::read || !seen.insert(x.a).second) continue;
            for (const Contribution& c : g.array(x.a).definition) next.push_back(c.body);
        }
        front = std::move(next);
    }
    order.assign(seen.begin(), seen.end());
    return order;
}

namespace {

// The definition of A[target] for the elements that a piece stands for: its free variables are replaced by the indices
// of the piece, its own (those of a sum) follow those of the piece. Nothing if loops would nest too deeply.
std::optional<Contribution> definition_at(Graph& g, const Contribution& c, const Contribution& piece) {
    IndexSpace& index = g.index();
    VarMap map;
    const std::vector<FormId> target(index.forms(c.target).begin(), index.forms(c.target).end());
    for (std::size_t k = 0; k < target.size(); ++k)
        map[index.atom(index.form(target[k]).terms[0].atom).a] = index.forms(piece.target)[k];
    Domain domain = index.domain(piece.domain);
    int level = domain.vars.empty() ? 0 : index.loop_var(domain.vars.back()).level + 1;
    for (VarId v : std::vector<VarId>(index.domain(c.domain).vars)) {
        if (map.contains(v)) continue;
        const LoopVar own = index.loop_var(v);
        if (level == max_levels) return std::nullopt;
        domain.vars.push_back(
            index.loop_var(own.name, level++, index.substitute(own.lo, map), index.substitute(own.hi, map)));
        map[v] = index.var(domain.vars.back());
    }
    const CondId cond = index.both(domain.cond, index.substitute_cond(index.domain(c.domain).cond, map));
    return Contribution{index.domain(domain.vars, cond), piece.target, g.substitute(c.body, map)};
}

} // namespace

std::map<ArrayId, std::vector<Contribution>> adjoint(Graph& g, const std::vector<Weighted>& roots,
                                                     const std::function<bool(ArrayId)>& wrt) {
    std::vector<NodeId> bodies;
    for (const Weighted& w : roots)
        for (const Contribution& c : w.contributions) bodies.push_back(c.body);
    // an array matters if it is asked for or defined by one that matters
    std::set<ArrayId> active;
    const std::vector<ArrayId> order = dependencies(g, bodies);
    for (ArrayId a : order) {
        bool matters = g.array(a).role != ArrayRole::defined && wrt(a);
        std::vector<NodeId> definition;
        for (const Contribution& c : g.array(a).definition) definition.push_back(c.body);
        for (NodeId n : g.cone(definition)) matters |= g.node(n).op == Op::read && active.contains(g.node(n).a);
        if (matters) active.insert(a);
    }
    const auto is_active = [&](ArrayId a) { return active.contains(a); };
    std::map<ArrayId, std::vector<Contribution>> bar;
    const auto spread = [&](const Weighted& w) {
        for (const Contribution& c : without_conditions(g, w.contributions))
            for (const Partial& p : local_gradient(g, c.body, is_active)) {
                const Node r = g.node(p.read);
                NodeId body = p.value;
                if (w.factor != none) body = g.mul(w.factor, body);
                if (w.weight != none) body = g.mul(g.read(w.weight, c.target), body);
                bar[r.a].push_back({c.domain, r.b, body});
            }
    };
    for (const Weighted& w : roots) spread(w);
    for (std::size_t k = order.size(); k-- > 0;) {
        const ArrayId a = order[k];
        if (g.array(a).role != ArrayRole::defined || !bar.contains(a)) continue;
        const Array x = g.array(a);
        const std::vector<Contribution> pieces = gather(g, bar.at(a), &x);
        bar.erase(a);
        // The chain rule element by element: the adjoint stays an expression, and elements that nobody reads (r[i,i],
        // with its infinite derivative) do not enter.
        if (x.definition.size() == 1 && covers_array(g, x, x.definition[0])) {
            for (const Contribution& p : pieces)
                if (auto c = definition_at(g, x.definition[0], p)) spread({{*c}, none, p.body});
            continue;
        }
        spread({x.definition, g.define(x.name + "_bar", x.lo, x.extent, pieces), none});
    }
    return bar;
}

std::map<ArrayId, ArrayId> gradient(Graph& g, NodeId scalar, const std::function<bool(ArrayId)>& wrt) {
    const Contribution root{g.index().scalar_domain(), g.index().list({}), scalar};
    std::map<ArrayId, ArrayId> result;
    for (auto& [a, contributions] : adjoint(g, {Weighted{{root}, none, none}}, wrt)) {
        const Array shape = g.array(a);
        result[a] = g.define("d_" + shape.name, shape.lo, shape.extent, gather(g, contributions, &shape));
    }
    return result;
}

NodeId partial_derivative(Graph& g, NodeId body, ArrayId a, ListId indices) {
    IndexSpace& index = g.index();
    // Without loop variables the whole gradient serves: one element of it is asked for.
    if (g.node(body).levels == 0) {
        const Contribution root{index.scalar_domain(), index.list({}), body};
        auto bar = adjoint(g, {Weighted{{root}, none, none}}, [&](ArrayId b) { return b == a; });
        if (!bar.contains(a)) return g.zero();
        const Array whole = g.array(a);
        const std::vector<Contribution> pieces = gather(g, bar.at(a), &whole);
        if (pieces.size() == 1 && pieces[0].domain == index.scalar_domain() && pieces[0].target == indices)
            return pieces[0].body;
        return g.read(g.define("d_" + whole.name, whole.lo, whole.extent, pieces), indices);
    }
    // Otherwise: the sum over the reads of  d body / d read * [read is the element asked for].
    std::vector<NodeId> terms;
    const auto reaches = [&](ArrayId b) {
        if (b == a) return true;
        if (g.array(b).role != ArrayRole::defined) return false;
        std::vector<NodeId> bodies;
        for (const Contribution& c : g.array(b).definition) bodies.push_back(c.body);
        const auto all = dependencies(g, bodies);
        return std::find(all.begin(), all.end(), a) != all.end();
    };
    for (const Partial& p : local_gradient(g, body, reaches)) {
        const Node r = g.node(p.read);
        NodeId factor = g.one();
        if (r.a == a) {
            const std::vector<FormId> left(index.forms(r.b).begin(), index.forms(r.b).end());
            const std::vector<FormId> right(index.forms(indices).begin(), index.forms(indices).end());
            for (std::size_t k = 0; k < left.size(); ++k)
                factor = g.mul(factor, g.apply(Op::equal, g.index_value(index.subtract(left[k], right[k])), g.zero()));
        } else {
            // A `let` family: its own template at the indices in question.
            const Array definition = g.array(r.a);
            if (definition.definition.size() != 1)
                throw InvalidInput("diff of an expression that contains a sum, inside a loop");
            const Contribution c = definition.definition[0];
            const auto& vars = index.domain(c.domain).vars;
            VarMap map;
            for (std::size_t k = 0; k < vars.size(); ++k) {
                if (k >= index.forms(c.target).size() || index.forms(c.target)[k] != index.var(vars[k]))
                    throw InvalidInput("diff of an expression that contains a sum, inside a loop");
                map[vars[k]] = index.forms(r.b)[k];
            }
            factor = partial_derivative(g, g.substitute(c.body, map), a, indices);
        }
        terms.push_back(g.mul(p.value, factor));
    }
    return g.sum(terms);
}

} // namespace vessiot::expr
