// poisson B for y1, y2, y3
#include <algorithm>

#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"
#include "system/mechanics/poisson.hpp"

namespace vessiot::lang {

namespace {

constexpr std::string_view poisson_example = "poisson B for y1, y2, y3";

} // namespace

// The elements of an unknown, or the one that is named.
void Elaborator::add_poisson_coordinates(ExprPtr expr, PoissonStructure& poisson) {
    const Target target = resolve_unknown(expr, "poisson");
    if (target.order > 0)
        fail(expr->span,
             fmt::format("the coordinates of a Poisson structure are unknowns, without primes: {}", poisson_example));
    const auto add = [&](const Forms& at) {
        const PoissonStructure::Coordinate c{target.array, index_.list(target.with(at))};
        for (const auto& other : poisson.coordinates)
            if (other.array == c.array && other.at == c.at)
                fail(expr->span, fmt::format("'{}' stands among the coordinates of the Poisson structure twice",
                                             graph_.print(graph_.read(c.array, c.at))));
        poisson.coordinates.push_back(c);
        if (poisson.coordinates.size() > most_poisson_coordinates)
            fail(expr->span, fmt::format("a Poisson structure has at most {} coordinates: write larger systems as "
                                         "equations",
                                         most_poisson_coordinates));
    };
    if (!target.is_whole) {
        add({});
        return;
    }
    for_components(target.rest(), true, expr->span, add);
}

void Elaborator::add_poisson(const PoissonStatement& statement, Span span) {
    note_once("poisson", span);
    const auto given = said_.once.find("hamiltonian");
    if (given == said_.once.end())
        fail(span, "a Poisson structure belongs to a hamiltonian, which is missing: y' = B grad H");
    if (!system_.pairs.empty())
        fail(span, fmt::format("with a Poisson structure a hamiltonian has no pairs: leave out 'with …' in {}",
                               line_of(given->second)));
    if (const auto e = std::ranges::find(system_.equations, EquationKind::constraint, &Equation::kind);
        e != system_.equations.end() || !system_.contacts.empty())
        fail(span, "constraints and contacts act on positions, which a Poisson structure does not know: write the "
                   "equations out, or use a hamiltonian with pairs");
    PoissonStructure poisson{.hamiltonian = *system_.hamiltonian};
    for (ExprPtr target : statement.targets) add_poisson_coordinates(target, poisson);
    const Value matrix = evaluate(statement.matrix);
    const auto n = static_cast<std::int64_t>(poisson.coordinates.size());
    if (matrix.dims() != Dims{n, n})
        fail(statement.matrix->span,
             fmt::format("a Poisson matrix for {} coordinates is a {} x {} matrix, but this is {}", n, n, n,
                         describe(matrix.dims())));
    for (std::int64_t i = 1; i <= n; ++i)
        for (std::int64_t j = 1; j <= n; ++j)
            poisson.matrix.push_back(element(matrix, {index_.constant(i), index_.constant(j)}, statement.matrix->span));
    for (std::size_t k = 0; k < system_.forces.size(); ++k)
        if (std::ranges::find(poisson.coordinates, system_.forces[k].unknown, &PoissonStructure::Coordinate::array) ==
            poisson.coordinates.end())
            fail(said_.forces[k], fmt::format("a force acts on a coordinate of the Poisson structure, but '{}' is none",
                                              graph_.array(system_.forces[k].unknown).name));
    if (const auto defect = poisson_defect(system_, poisson)) fail(statement.matrix->span, *defect);
    derive_poisson(system_, poisson, locate(span));
}

} // namespace vessiot::lang
