// Values of graph expressions by the definition, one element at a time: obviously right, and as slow as that.
#pragma once

#include <map>
#include <vector>

#include "expr/functions/vmath.hpp"
#include "expr/graph/graph.hpp"

namespace vessiot::test {

template <class S> class NaiveGraph {
public:
    NaiveGraph(const expr::Graph& g, std::map<expr::ArrayId, std::vector<S>> given)
        : graph_(g), arrays_(std::move(given)) {}

    S value(expr::NodeId n, const expr::Env& env = {}) {
        const expr::Node& x = graph_.node(n);
        switch (x.op) {
        case expr::Op::constant: return static_cast<S>(graph_.value(n));
        case expr::Op::index_value: return static_cast<S>(graph_.index().value(x.a, env));
        case expr::Op::read: return array(x.a).at(static_cast<std::size_t>(graph_.address(x.a, x.b, env)));
        case expr::Op::select: // only the branch that is taken: the other may read outside its array
            return value(x.a, env) != S(0) ? value(x.b, env) : value(x.c, env);
        default: {
            const S a = value(x.a, env), b = expr::arity(x.op) > 1 ? value(x.b, env) : S(0);
            return expr::apply<S>(x.op, a, b);
        }
        }
    }

    const std::vector<S>& array(expr::ArrayId a) {
        if (auto it = arrays_.find(a); it != arrays_.end()) return it->second;
        const expr::Array& x = graph_.array(a);
        std::vector<S> values(static_cast<std::size_t>(x.size()), S(0));
        for (const expr::Contribution& c : x.definition)
            graph_.index().for_each(c.domain, [&](const expr::Env& env) {
                values.at(static_cast<std::size_t>(graph_.address(a, c.target, env))) += value(c.body, env);
                return true;
            });
        return arrays_.emplace(a, std::move(values)).first->second;
    }

private:
    const expr::Graph& graph_;
    std::map<expr::ArrayId, std::vector<S>> arrays_;
};

} // namespace vessiot::test
