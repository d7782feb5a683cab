#include "solve/problem/class_check.hpp"

#include <algorithm>

#include "system/own_graph.hpp"

namespace vessiot {

using expr::Graph;
using expr::NodeId;

void set_values(System& system, const std::vector<Quad>& values) {
    std::size_t k = 0;
    for (Parameter& p : system.parameters)
        for (Quad& v : p.values) v = values[k++];
}

// What classify() reads as numbers: derivatives of the equations by the highest derivatives of the unknowns, whether
// one that is constant vanishes; and of systems that may be mechanical all of them, whether forces belong to
// constraints.
void ClassCheck::find_deciding_parameters(const Analysis& now) {
    const System& system = now.system;
    const SystemClass found = now.classification.system_class;
    Graph g = *system.graph;
    std::vector<expr::ArrayId> columns = now.prolongation.z.jets;
    if (found != SystemClass::holonomic && found != SystemClass::general && !system.lagrangian) {
        columns.clear();
        for (const Unknown& u : system.unknowns) {
            expr::ArrayId jet = u.array;
            for (int k = 0; k < u.order; ++k) jet = g.derivative(jet);
            columns.push_back(jet);
        }
    }
    std::vector<RowTemplate> rows;
    for (const Equation& e : system.equations) rows.push_back({e.domain, e.residual});
    std::int64_t n = 0;
    const std::vector<expr::RowBlock> blocks = row_blocks(g, rows, n);
    const expr::SparseMatrix df = jacobian(g, blocks, n, columns);
    std::vector<char>& decides = decides_.emplace(system.parameters.size(), 0);
    if (df.values == expr::none) return;
    std::vector<NodeId> derivatives;
    for (const expr::Contribution& c : g.array(df.values).definition) derivatives.push_back(c.body);
    const auto read = dependencies(g, derivatives);
    for (std::size_t k = 0; k < decides.size(); ++k)
        decides[k] = std::ranges::find(read, system.parameters[k].array) != read.end();
}

bool ClassCheck::may_differ(const Analysis& now, const std::vector<std::size_t>& elements) {
    if (!decides_) find_deciding_parameters(now);
    std::size_t first = 0; // element of the parameter
    for (std::size_t p = 0; p < now.system.parameters.size(); ++p) {
        const std::size_t end = first + now.system.parameters[p].values.size();
        if ((*decides_)[p] && std::ranges::any_of(elements, [&](std::size_t e) { return e >= first && e < end; }))
            return true;
        first = end;
    }
    return false;
}

bool ClassCheck::is_alike(const Analysis& now, const std::vector<Quad>& before, const std::vector<Quad>& parameters) {
    if (!decides_) find_deciding_parameters(now);
    bool is_open = false;
    std::size_t k = 0;
    for (std::size_t p = 0; p < now.system.parameters.size(); ++p)
        for (std::size_t e = 0; e < now.system.parameters[p].values.size(); ++e, ++k)
            is_open |= (*decides_)[p] && parameters[k] != before[k];
    if (!is_open) return true;
    if (!class_) class_.emplace(with_own_graph(now.system));
    return (*class_)(parameters, now.system.held) == now.classification;
}

Classification ClassAnew::operator()(const std::vector<Quad>& parameters, const std::vector<Held>& held) {
    set_values(system_, parameters);
    system_.held = held;
    std::vector<double>& values = functions_.parameters();
    values.clear();
    for (const Quad v : parameter_values(system_)) values.push_back(static_cast<double>(v));
    for (const Quad v : held_values(system_)) values.push_back(static_cast<double>(v));
    functions_.prepare();
    return classify(system_, functions_);
}

} // namespace vessiot
