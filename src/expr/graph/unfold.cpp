#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "expr/graph/derivative.hpp"
#include "expr/kernel/gather.hpp"

namespace vessiot::expr {

namespace {

// A sum in the body whose instances can be added one by one.
struct LinearSum {
    ArrayId array = none;
    NodeId factor = 0;
    DomainId domain = 0; // of the body and the sum together
    NodeId term = 0;
};

// The array enters through sums, factors and branches only: not through a condition, nor anything else whose derivative
// does not tell all.
bool is_linear(const Graph& g, NodeId body, ArrayId a) {
    std::unordered_set<NodeId> dependent;
    for (NodeId n : g.cone({body})) {
        const Node& x = g.node(n);
        if (x.op == Op::read && x.a == a) dependent.insert(n);
        if (arity(x.op) == 0) continue;
        const bool on_a = dependent.contains(x.a), on_b = arity(x.op) > 1 && dependent.contains(x.b),
                   on_c = arity(x.op) > 2 && dependent.contains(x.c);
        if (!on_a && !on_b && !on_c) continue;
        dependent.insert(n);
        const bool is_sum = x.op == Op::add || x.op == Op::sub || x.op == Op::neg;
        const bool is_factor = (x.op == Op::mul && on_a != on_b) || (x.op == Op::div && !on_b);
        const bool is_branch = x.op == Op::select && !on_a;
        if (!is_sum && !is_factor && !is_branch) return false;
    }
    return true;
}

// The loops of the contribution with those of the sum inside, if the sum was written there.
std::optional<DomainId> joint_domain(Graph& g, DomainId outer, const Contribution& sum, ListId at) {
    IndexSpace& index = g.index();
    if (at != sum.target) return std::nullopt;
    Domain joint = index.domain(outer);
    const Domain inner = index.domain(sum.domain);
    const std::size_t n_free = index.forms(sum.target).size();
    if (inner.vars.size() <= n_free) return std::nullopt;
    for (std::size_t k = 0; k < inner.vars.size(); ++k) {
        const VarId v = inner.vars[k];
        const bool is_shared = std::find(joint.vars.begin(), joint.vars.end(), v) != joint.vars.end();
        if (is_shared != (k < n_free)) return std::nullopt;
        if (k < n_free) continue;
        if (!joint.vars.empty() && index.loop_var(joint.vars.back()).level >= index.loop_var(v).level)
            return std::nullopt;
        joint.vars.push_back(v);
    }
    return index.domain(joint.vars, index.both(joint.cond, inner.cond));
}

std::optional<LinearSum> find_linear_sum(Graph& g, const Contribution& c) {
    for (NodeId n : g.cone({c.body})) {
        const Node x = g.node(n);
        if (x.op != Op::read || g.array(x.a).definition.size() != 1) continue;
        const Contribution sum = g.array(x.a).definition[0];
        const auto domain = joint_domain(g, c.domain, sum, x.b);
        if (!domain) continue;
        if (!is_linear(g, c.body, x.a)) continue;
        const auto partials = local_gradient(g, c.body, [&](ArrayId a) { return a == x.a; });
        if (partials.size() == 1) return LinearSum{x.a, partials[0].value, *domain, sum.body};
    }
    return std::nullopt;
}

// The body with an array put to zero.
NodeId without(Graph& g, NodeId body, ArrayId a) {
    std::unordered_map<NodeId, NodeId> done;
    for (NodeId n : g.cone({body})) {
        const Node x = g.node(n);
        if (x.op == Op::read && x.a == a) {
            done[n] = g.zero();
        } else if (arity(x.op) == 0) {
            done[n] = n;
        } else {
            done[n] = g.rebuild_with(n, done);
        }
    }
    return done.at(body);
}

// What a template costs where it is put in: elementary functions count for ten operations.
int cost(const Graph& g, NodeId body) {
    int total = 0;
    for (NodeId n : g.cone({body})) {
        const Op op = g.node(n).op;
        total += is_leaf(op) ? 0 : is_elementary(op) || op == Op::call ? 10 : 1;
    }
    return total;
}

constexpr int max_single_cost = 200, max_repeated_cost = 60;

// let v[i = a..b, j = c..d] = body, one element for each value of the indices
bool is_family(const Graph& g, ArrayId a) {
    const Array& x = g.array(a);
    if (x.role != ArrayRole::defined || x.definition.size() != 1) return false;
    const Contribution& c = x.definition[0];
    const Domain& domain = g.index().domain(c.domain);
    return domain.cond == g.index().always() && domain.vars.size() == x.extent.size() && covers_array(g, x, c);
}

NodeId element(Graph& g, const Contribution& c, ListId at) {
    VarMap map;
    const auto forms = g.index().forms(c.target);
    for (std::size_t k = 0; k < forms.size(); ++k)
        map[g.index().atom(g.index().form(forms[k]).terms[0].atom).a] = g.index().forms(at)[k];
    return g.substitute(c.body, map);
}

NodeId inline_body(Graph& g, NodeId body, bool is_generous) {
    for (;;) {
        const std::vector<NodeId> order = g.cone({body});
        std::unordered_map<ArrayId, int> n_reads; // of families
        for (NodeId n : order) {
            const Node& x = g.node(n);
            if (x.op == Op::read && x.varies && is_family(g, x.a)) ++n_reads[x.a];
        }
        const auto is_cheap = [&](ArrayId a) {
            const auto it = n_reads.find(a);
            if (it == n_reads.end()) return false;
            const int each = cost(g, g.array(a).definition[0].body);
            return it->second == 1 ? each <= max_single_cost : is_generous && it->second * each <= max_repeated_cost;
        };
        if (std::ranges::none_of(n_reads, [&](const auto& entry) { return is_cheap(entry.first); })) return body;
        std::unordered_map<NodeId, NodeId> done;
        for (NodeId n : order) {
            const Node x = g.node(n);
            if (x.op == Op::read && is_cheap(x.a)) {
                done[n] = element(g, Contribution(g.array(x.a).definition[0]), x.b);
            } else if (arity(x.op) == 0) {
                done[n] = n;
            } else {
                done[n] = g.rebuild_with(n, done);
            }
        }
        body = done.at(body);
    }
}

} // namespace

std::vector<Contribution> inline_families(Graph& g, const std::vector<Contribution>& contributions, bool is_generous) {
    std::vector<Contribution> result = contributions;
    for (Contribution& c : result) c.body = inline_body(g, c.body, is_generous);
    return result;
}

std::vector<Contribution> unfold_sums(Graph& g, const std::vector<Contribution>& contributions) {
    std::vector<Contribution> result, open(contributions.rbegin(), contributions.rend());
    while (!open.empty()) {
        const Contribution c = open.back();
        open.pop_back();
        const auto sum = find_linear_sum(g, c);
        if (!sum) {
            if (!g.is_constant(c.body, 0)) result.push_back(c);
            continue;
        }
        open.push_back({sum->domain, c.target, g.mul(sum->factor, sum->term)});
        open.push_back({c.domain, c.target, without(g, c.body, sum->array)});
    }
    return result;
}

} // namespace vessiot::expr
