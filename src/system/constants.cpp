#include "system/constants.hpp"

#include <algorithm>

#include "expr/graph/function.hpp"
#include "system/functions.hpp"

namespace vessiot {

using namespace expr;

std::vector<Quad> evaluate_constants(const System& system, const std::vector<NodeId>& expressions) {
    if (std::ranges::all_of(expressions, [&](NodeId e) { return system.graph->is_constant(e); })) {
        std::vector<Quad> numbers; // most models have nothing else
        for (const NodeId e : expressions) numbers.push_back(system.graph->value(e));
        return numbers;
    }
    Graph g = *system.graph; // which others may share
    std::vector<Quad> values(expressions.size());
    std::vector<Contribution> open;
    for (std::size_t k = 0; k < expressions.size(); ++k) {
        if (g.is_constant(expressions[k]))
            values[k] = g.value(expressions[k]);
        else
            open.push_back({g.index().scalar_domain(),
                            g.index().list({g.index().constant(static_cast<std::int64_t>(k))}), expressions[k]});
    }
    const auto n = static_cast<std::int64_t>(expressions.size());
    BufferSpec parameters{"p", {}};
    for (const Parameter& p : system.parameters) parameters.arrays.push_back(p.array);
    Function<Quad> function(g, {parameters}, {{"values", {g.define("constants", {0}, {n}, open, true)}}},
                            {.backend = Backend::interpreter});
    const std::vector<Quad> p = parameter_values(system);
    std::vector<Quad> computed(expressions.size());
    const Quad* inputs[] = {p.data()};
    Quad* outputs[] = {computed.data()};
    function.prepare(inputs);
    function(inputs, outputs);
    for (std::size_t k = 0; k < expressions.size(); ++k)
        if (!g.is_constant(expressions[k])) values[k] = computed[k];
    return values;
}

} // namespace vessiot
