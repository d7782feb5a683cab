#include "solve/run/cone_outputs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "method/registry.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/prepare.hpp"

namespace vessiot {

using expr::FormId;
using expr::Graph;
using expr::NodeId;
using expr::Op;

namespace {

constexpr std::int64_t most_unknowns = 12;

[[noreturn]] void refuse(const std::string& needed, const std::string& found) {
    throw InvalidInput(
        fmt::format("--cone reports the element of SO(n, 1) of each step: it needs {}, but {}", needed, found));
}

// h, with its sign; the scheme and its unknowns have to be those of one cone.
double step_of(const System& system, const SolveOptions& options) {
    const Settings settings = settled(options);
    const method::MethodInfo& method = choose_method(settings);
    if (method.family != method::find_method("gps").family)
        refuse("the method gps or mgps", fmt::format("the method is {}", method.name));
    if (!(settings.step > 0)) refuse("constant steps (--step)", "their size is found");
    if (settings.is_arclength()) refuse("steps in time", "they are of arclength (--parametrisation)");
    if (settings.partition) refuse("one set of unknowns", fmt::format("partition = {}", *settings.partition));
    std::int64_t n = 0;
    for (const Unknown& u : system.unknowns) {
        if (u.order != 1) refuse("a system of first order", fmt::format("{} has order {}", u.name, u.order));
        n += system.graph->array(u.array).size();
    }
    if (n > most_unknowns) refuse(fmt::format("at most {} unknowns", most_unknowns), fmt::format("there are {}", n));
    const auto [from, to] = interval(system, settings);
    return to < from ? -settings.step : settings.step;
}

// All elements of an array, row by row.
void read_all(Graph& g, expr::ArrayId a, std::vector<NodeId>& nodes) {
    expr::IndexSpace& index = g.index();
    const expr::Array x = g.array(a);
    std::vector<std::int64_t> at = x.lo;
    for (std::int64_t k = 0; k < x.size(); ++k) {
        std::vector<FormId> forms;
        for (const std::int64_t i : at) forms.push_back(index.constant(i));
        nodes.push_back(g.read(a, index.list(forms)));
        for (std::size_t d = at.size(); d-- > 0;) {
            if (++at[d] < x.lo[d] + x.extent[d]) break;
            at[d] = x.lo[d];
        }
    }
}

} // namespace

void add_cone_outputs(System& system, const SolveOptions& options) {
    const double h = step_of(system, options);
    Graph& g = *system.graph;
    std::vector<NodeId> x, f;
    for (const Unknown& u : system.unknowns) {
        read_all(g, u.array, x);
        read_all(g, g.derivative(u.array), f);
    }
    const auto square_of = [&](const std::vector<NodeId>& v) {
        std::vector<NodeId> squares;
        for (const NodeId each : v) squares.push_back(g.square(each));
        return g.sum(squares);
    };
    const NodeId length = g.apply(Op::sqrt, square_of(x));
    // NOTE: where f = 0, w is tiny and not 0, and G = 1
    const NodeId speed = g.apply(Op::sqrt, g.add(square_of(f), g.constant(1e-290)));
    const NodeId w = g.div(g.mul(g.constant(h), speed), length);
    const NodeId a = g.apply(Op::cosh, w), b = g.apply(Op::sinh, w);
    std::vector<NodeId> n; // f/|f|
    for (const NodeId each : f) n.push_back(g.div(each, speed));
    const auto add = [&](std::string name, NodeId value) { system.outputs.push_back({std::move(name), value}); };
    add("X0", length);
    for (std::size_t i = 0; i <= n.size(); ++i)
        for (std::size_t j = 0; j <= n.size(); ++j) {
            NodeId value = a;
            if (i < n.size() && j < n.size()) {
                value = g.mul(g.sub(a, g.one()), g.mul(n[i], n[j]));
                if (i == j) value = g.add(g.one(), value);
            } else if (i != j) {
                value = g.mul(b, n[std::min(i, j)]);
            }
            add(fmt::format("G[{},{}]", i + 1, j + 1), value);
        }
}

} // namespace vessiot
