#include "system/incidence.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "core/cancellation.hpp"
#include "core/element_name.hpp"
#include "expr/graph/derivative.hpp"

namespace vessiot {

using namespace expr;

namespace {

// An element of an unknown, differentiated `order` times.
struct JetElement {
    std::int32_t unknown, order;
    auto operator<=>(const JetElement&) const = default;
};

// Each unknown once, with its highest derivative.
void keep_highest(std::vector<JetElement>& elements) {
    std::sort(elements.begin(), elements.end(), std::greater<>());
    const auto is_same = [](const JetElement& a, const JetElement& b) { return a.unknown == b.unknown; };
    elements.erase(std::unique(elements.begin(), elements.end(), is_same), elements.end());
    std::reverse(elements.begin(), elements.end());
}

// Unknowns below a node: reads, and through defined arrays the elements these are made of.
class UnknownReads {
public:
    UnknownReads(const System& s) : graph_(*s.graph) {
        std::int64_t first = 0;
        for (const Unknown& u : s.unknowns) {
            for (ArrayId jet = u.array; jet != none; jet = graph_.array(jet).derivative) first_[jet] = first;
            first += graph_.array(u.array).size();
        }
    }

    // Elements that a body reads, as pairs of array and index list, found once for each template.
    const std::vector<std::pair<ArrayId, ListId>>& of(NodeId body) {
        auto [it, is_new] = reads_.try_emplace(body);
        if (is_new)
            for (NodeId n : needed(body)) {
                const Node& x = graph_.node(n);
                if (x.op != Op::read) continue;
                if (first_.contains(x.a) || graph_.array(x.a).role == ArrayRole::defined)
                    it->second.emplace_back(x.a, x.b);
            }
        return it->second;
    }

    void collect(NodeId body, const Env& env, std::vector<JetElement>& out) {
        for (auto [a, list] : of(body)) {
            const std::int64_t address = graph_.address(a, list, env);
            if (address < 0) continue; // in a branch that this instance does not take
            if (auto it = first_.find(a); it != first_.end()) {
                out.push_back({static_cast<std::int32_t>(it->second + address), graph_.array(a).order});
            } else {
                const auto& inner = defined(a)[static_cast<std::size_t>(address)];
                out.insert(out.end(), inner.begin(), inner.end());
            }
        }
    }

private:
    // What is below a node, without arguments that the result of a function does not depend on.
    std::vector<NodeId> needed(NodeId body) {
        if (!graph_.has_externals()) return graph_.cone({body});
        std::set<NodeId> found{body};
        std::vector<NodeId> open{body};
        const auto visit = [&](NodeId n) {
            if (found.insert(n).second) open.push_back(n);
        };
        while (!open.empty()) {
            const NodeId n = open.back();
            const Node& x = graph_.node(n);
            open.pop_back();
            if (x.op == Op::call) {
                const std::vector<NodeId> arguments = graph_.arguments(n);
                for (std::size_t k = 0; k < arguments.size(); ++k)
                    if (graph_.external(x.b)->entry(x.c, static_cast<std::int64_t>(k)) >= 0) visit(arguments[k]);
                continue;
            }
            const NodeId operands[] = {x.a, x.b, x.c};
            for (int k = 0; k < arity(x.op); ++k) visit(operands[k]);
        }
        return {found.begin(), found.end()};
    }

    const std::vector<std::vector<JetElement>>& defined(ArrayId a) {
        if (auto it = defined_.find(a); it != defined_.end()) return it->second;
        std::vector<std::vector<JetElement>> elements(static_cast<std::size_t>(graph_.array(a).size()));
        for (const Contribution& c : graph_.array(a).definition)
            graph_.index().for_each(c.domain, [&](const Env& env) {
                auto& e = elements[static_cast<std::size_t>(graph_.address(a, c.target, env))];
                collect(c.body, env, e);
                return true;
            });
        for (auto& e : elements) keep_highest(e);
        return defined_.emplace(a, std::move(elements)).first->second;
    }

    const Graph& graph_;
    std::map<ArrayId, std::int64_t> first_;
    std::map<NodeId, std::vector<std::pair<ArrayId, ListId>>> reads_;
    std::map<ArrayId, std::vector<std::vector<JetElement>>> defined_;
};

} // namespace

Incidence make_incidence(const System& system) {
    Incidence result;
    UnknownReads reads(system);
    for (const Unknown& u : system.unknowns) result.n_unknowns += system.graph->array(u.array).size();
    result.start.push_back(0);
    std::vector<JetElement> row;
    for (const Equation& e : system.equations) {
        result.family.push_back(static_cast<std::int64_t>(result.start.size()) - 1);
        system.graph->index().for_each(e.domain, [&](const Env& env) {
            row.clear();
            reads.collect(e.residual, env, row);
            keep_highest(row);
            for (const JetElement& x : row) {
                result.unknown.push_back(x.unknown);
                result.order.push_back(x.order);
            }
            result.start.push_back(static_cast<std::int64_t>(result.unknown.size()));
            return true;
        });
    }
    result.n_equations = static_cast<std::int64_t>(result.start.size()) - 1;
    result.family.push_back(result.n_equations);
    return result;
}

Matching maximum_matching(const Incidence& g, Matching known) {
    const auto n = static_cast<std::size_t>(g.n_equations);
    Matching m = std::move(known);
    m.equation_of.resize(static_cast<std::size_t>(g.n_unknowns), -1);
    std::vector<std::int32_t> unknown_of(n, -1), level(n), queue;
    std::vector<std::int64_t> next(n);
    for (std::size_t u = 0; u < m.equation_of.size(); ++u)
        if (m.equation_of[u] >= 0)
            unknown_of[static_cast<std::size_t>(m.equation_of[u])] = static_cast<std::int32_t>(u);

    // a cheap first guess leaves little to do
    for (std::size_t e = 0; e < n; ++e)
        for (std::int64_t k = g.start[e]; unknown_of[e] < 0 && k < g.start[e + 1]; ++k) {
            auto& partner = m.equation_of[static_cast<std::size_t>(g.unknown[static_cast<std::size_t>(k)])];
            if (partner >= 0) continue;
            partner = static_cast<std::int32_t>(e);
            unknown_of[e] = g.unknown[static_cast<std::size_t>(k)];
            ++m.size;
        }

    const auto layers = [&] {
        queue.clear();
        for (std::size_t e = 0; e < n; ++e) {
            level[e] = unknown_of[e] < 0 ? 0 : -1;
            if (level[e] == 0) queue.push_back(static_cast<std::int32_t>(e));
        }
        bool found = false;
        for (std::size_t head = 0; head < queue.size(); ++head) {
            const auto e = static_cast<std::size_t>(queue[head]);
            for (std::int64_t k = g.start[e]; k < g.start[e + 1]; ++k) {
                const std::int32_t f = m.equation_of[static_cast<std::size_t>(g.unknown[static_cast<std::size_t>(k)])];
                if (f < 0) {
                    found = true;
                } else if (level[static_cast<std::size_t>(f)] < 0) {
                    level[static_cast<std::size_t>(f)] = level[e] + 1;
                    queue.push_back(f);
                }
            }
        }
        return found;
    };

    // an alternating path from a free equation, walked with an explicit stack
    std::vector<std::size_t> path;
    const auto augment = [&](std::size_t root) {
        path.assign(1, root);
        while (!path.empty()) {
            const std::size_t e = path.back();
            if (next[e] == g.start[e + 1]) {
                level[e] = -1;
                path.pop_back();
                continue;
            }
            const auto u = static_cast<std::size_t>(g.unknown[static_cast<std::size_t>(next[e]++)]);
            const std::int32_t f = m.equation_of[u];
            if (f < 0) {
                // each equation on the path takes the unknown it last looked at
                for (std::size_t p : path) {
                    const std::int32_t taken = g.unknown[static_cast<std::size_t>(next[p] - 1)];
                    unknown_of[p] = taken;
                    m.equation_of[static_cast<std::size_t>(taken)] = static_cast<std::int32_t>(p);
                }
                return true;
            }
            if (level[static_cast<std::size_t>(f)] == level[e] + 1) path.push_back(static_cast<std::size_t>(f));
        }
        return false;
    };

    while (m.size < g.n_unknowns && layers()) {
        check_cancelled();
        std::copy(g.start.begin(), g.start.end() - 1, next.begin());
        bool progress = false;
        for (std::size_t e = 0; e < n; ++e)
            if (unknown_of[e] < 0 && level[e] == 0 && augment(e)) {
                ++m.size;
                progress = true;
            }
        if (!progress) break;
    }
    return m;
}

std::string element_name(const System& system, std::int64_t k) {
    for (const Unknown& u : system.unknowns) {
        const Array& x = system.graph->array(u.array);
        if (k >= x.size()) {
            k -= x.size();
            continue;
        }
        std::vector<std::string> indices(x.extent.size());
        for (std::size_t d = x.extent.size(); d-- > 0;) {
            indices[d] = std::to_string(k % x.extent[d] + 1);
            k /= x.extent[d];
        }
        return vessiot::element_name(u.name, indices);
    }
    return "?";
}

} // namespace vessiot
