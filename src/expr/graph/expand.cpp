// Families written out element by element, for systems that are small enough.
#include <algorithm>
#include <unordered_map>

#include "expr/graph/derivative.hpp"
#include "expr/kernel/lower.hpp"

namespace vessiot::expr {

namespace {

class Expander {
public:
    explicit Expander(Graph& g) : graph_(g) {}

    std::vector<Contribution> operator()(const std::vector<Contribution>& contributions) {
        std::vector<Contribution> result;
        for (const Contribution& c : contributions)
            graph_.index().for_each(c.domain, [&](const Env& env) {
                const VarMap map = constants(c.domain, env);
                const ListId target = graph_.index().substitute_list(c.target, map);
                result.push_back({graph_.index().scalar_domain(), target, instance(c.body, map)});
                return true;
            });
        return result;
    }

private:
    VarMap constants(DomainId d, const Env& env) {
        VarMap map;
        for (VarId v : graph_.index().domain(d).vars)
            map[v] = graph_.index().constant(env[static_cast<std::size_t>(graph_.index().loop_var(v).level)]);
        return map;
    }

    // The body for one instance, with elements of defined arrays replaced by what they are.
    NodeId instance(NodeId body, const VarMap& map) {
        NodeId n = graph_.substitute(body, map);
        const std::vector<NodeId> order = graph_.cone({n});
        const bool has_defined = std::ranges::any_of(order, [&](NodeId k) {
            return graph_.node(k).op == Op::read && graph_.array(graph_.node(k).a).role == ArrayRole::defined;
        });
        if (!has_defined) return n;
        std::unordered_map<NodeId, NodeId> done;
        for (NodeId k : order) {
            const Node x = graph_.node(k);
            if (x.op == Op::read && graph_.array(x.a).role == ArrayRole::defined) {
                done[k] = element(x.a, graph_.address(x.a, x.b, {}));
            } else if (arity(x.op) > 0) {
                done[k] = graph_.rebuild_with(k, done);
            } else {
                done[k] = k;
            }
        }
        return done.at(n);
    }

    NodeId element(ArrayId a, std::int64_t address) {
        auto it = elements_.find(a);
        if (it == elements_.end()) {
            const Array definition = graph_.array(a);
            std::vector<NodeId> values(static_cast<std::size_t>(definition.size()), graph_.zero());
            for (const Contribution& c : (*this)(definition.definition)) {
                NodeId& v = values[static_cast<std::size_t>(graph_.address(a, c.target, {}))];
                v = graph_.add(v, c.body);
            }
            it = elements_.emplace(a, std::move(values)).first;
        }
        return it->second[static_cast<std::size_t>(address)];
    }

    Graph& graph_;
    std::unordered_map<ArrayId, std::vector<NodeId>> elements_;
};

std::int64_t operations(const Graph& g, NodeId body) {
    return std::ranges::count_if(g.cone({body}), [&](NodeId n) { return !is_leaf(g.node(n).op); });
}

} // namespace

std::vector<Contribution> expand(Graph& g, const std::vector<Contribution>& contributions) {
    return Expander(g)(contributions);
}

std::int64_t expanded_size(const Graph& g, const std::vector<Contribution>& contributions, std::int64_t limit) {
    std::vector<NodeId> bodies;
    std::int64_t total = 0;
    // a family costs its instances times its template; scalars share what they have in common
    std::vector<NodeId> scalars;
    const auto count = [&](const Contribution& c) {
        const std::int64_t n = g.index().count(c.domain, limit);
        if (c.domain == g.index().scalar_domain())
            scalars.push_back(c.body);
        else if (total <= limit)
            total += n * std::max<std::int64_t>(1, operations(g, c.body));
        bodies.push_back(c.body);
    };
    for (const Contribution& c : contributions) count(c);
    for (ArrayId a : dependencies(g, std::vector<NodeId>(bodies))) {
        if (total > limit) return limit + 1;
        for (const Contribution& c : g.array(a).definition) count(c);
    }
    total += std::ranges::count_if(g.cone(scalars), [&](NodeId n) { return !is_leaf(g.node(n).op); });
    return std::min(total, limit + 1);
}

} // namespace vessiot::expr
