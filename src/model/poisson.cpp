// Poisson structures of a C++ model: y' = B grad H + force (system/mechanics/poisson.hpp).
#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "model/builder.hpp"

namespace vessiot {

using expr::NodeId;

namespace {

using Coordinate = PoissonStructure::Coordinate;

bool has(const PoissonStructure& poisson, expr::ArrayId array) {
    return std::ranges::find(poisson.coordinates, array, &Coordinate::array) != poisson.coordinates.end();
}

} // namespace

std::vector<Expr> ModelBuilder::elements(const Array& array) const {
    const std::uint32_t id = draft_->id(array);
    const std::vector<std::int64_t> extent = draft_->array(id).extent;
    const std::int64_t size = std::accumulate(extent.begin(), extent.end(), std::int64_t{1}, std::multiplies<>());
    std::vector<Expr> all;
    std::vector<Index> at(extent.size(), 1);
    for (std::int64_t k = 0; k < size; ++k) {
        std::int64_t rest = k;
        for (std::size_t d = extent.size(); d-- > 0; rest /= extent[d]) at[d] = Index(rest % extent[d] + 1);
        all.push_back(array.element(at));
    }
    return all;
}

void ModelBuilder::set_poisson(const Matrix& B, const std::vector<Expr>& coordinates) {
    check_is_open();
    if (poisson_) fail("the Poisson structure is given twice; a model has one");
    if (!system_.pairs.empty()) fail("poisson: with it a hamiltonian has no pairs: hamiltonian(H)");
    if (coordinates.size() > most_poisson_coordinates)
        fail(fmt::format("poisson: it has at most {} coordinates, but found {}: write larger systems as equations",
                         most_poisson_coordinates, coordinates.size()));
    const auto n = std::ssize(coordinates);
    if (B.rows() != n || B.columns() != n)
        fail(fmt::format("poisson: for {} coordinates a {} x {} matrix is needed, but this one is {} x {}", n, n, n,
                         B.rows(), B.columns()));
    std::vector<std::uint32_t> names, entries;
    for (const Expr& y : coordinates) names.push_back(draft_->id(y));
    for (const Expr& b : B.entries()) entries.push_back(draft_->id(b));
    state("poisson", {}, {}, [=, this](System& system, Elaboration& elaborate, auto&) {
        PoissonStructure made;
        for (const std::uint32_t name : names) {
            const NodeId node = target(elaborate, name, "poisson(B, {x, y})");
            const expr::Node y = system.graph->node(node);
            if (system.graph->array(y.a).order > 0)
                throw InvalidInput(
                    fmt::format("its coordinates are unknowns, not derivatives such as {}", system.graph->print(node)));
            const auto is_same = [&](const Coordinate& c) { return c.array == y.a && c.at == y.b; };
            if (std::ranges::any_of(made.coordinates, is_same))
                throw InvalidInput(fmt::format("'{}' stands among its coordinates twice", system.graph->print(node)));
            made.coordinates.push_back({y.a, y.b});
        }
        for (const std::uint32_t entry : entries) made.matrix.push_back(elaborate(entry));
        if (const auto defect = poisson_defect(system, made)) throw InvalidInput(*defect);
        poisson_ = std::move(made);
    });
}

// What a hamiltonian needs beside itself, and what its forces act on.
void ModelBuilder::check_hamiltonian(const System& system) const {
    if (poisson_ && !system.hamiltonian)
        fail("a Poisson structure belongs to a hamiltonian, which is missing: hamiltonian(H)");
    if (!system.hamiltonian) return;
    if (!poisson_ && system.pairs.empty())
        fail("hamiltonian: positions and momenta must be paired, such as hamiltonian(H, {{x, px}}); or "
             "poisson(B, {x, y}) says what moves");
    const auto is_constraint = [](const Equation& e) { return e.kind == EquationKind::constraint; };
    if (poisson_ && (std::ranges::any_of(system.equations, is_constraint) || !system.contacts.empty()))
        fail("constraints and contacts act on positions, which a Poisson structure does not know: write the equations "
             "out, or use a hamiltonian with pairs");
    for (const Force& force : system.forces) {
        const std::string& name = system.graph->array(force.unknown).name;
        if (poisson_ && !has(*poisson_, force.unknown))
            fail(fmt::format("a force acts on a coordinate of the Poisson structure, but '{}' is none", name));
        if (!poisson_ && std::ranges::find(system.pairs, force.unknown, &ConjugatePair::position) == system.pairs.end())
            fail(fmt::format("a force acts on a position of the hamiltonian, but '{}' is none", name));
    }
}

void ModelBuilder::add_poisson_motion(System& system) const {
    PoissonStructure poisson = *poisson_;
    poisson.hamiltonian = *system.hamiltonian;
    derive_poisson(system, poisson, {});
}

} // namespace vessiot
