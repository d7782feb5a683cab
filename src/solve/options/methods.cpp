// What there is to choose from, for programs: vessiot/methods.hpp.
#include "vessiot/methods.hpp"

#include <fmt/format.h>

#include "distribution/kind.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"
#include "method/user/user_formula.hpp"
#include "method/user/user_tableau.hpp"
#include "projection/kind.hpp"
#include "solve/sensitivity/sensitivity.hpp"

namespace vessiot {

namespace {

ProjectionDescription described(const ProjectionKind& kind) {
    return {.name = std::string(kind.name),
            .help = std::string(kind.help),
            .needs = std::string(kind.needs),
            .projects = kind.can.projects,
            .finds_nearest = kind.can.finds_nearest,
            .goes_along_rays = kind.can.goes_along_rays,
            .has_charts = kind.can.has_charts,
            .has_sensitivities = kind.can.carries_derivatives,
            .has_partition = kind.can.has_sets,
            .stops_by_increments = kind.can.goes_by_increments,
            .has_forcing = kind.can.has_forcing};
}

DistributionDescription described(const DistributionKind& kind) {
    return {.name = std::string(kind.name), .help = std::string(kind.help), .needs = std::string(kind.needs)};
}

// The entries of a table after `auto`.
template <class Description, class Entry>
std::vector<Description> described(const Table<Entry>& table, const std::string& of_auto) {
    std::vector<Description> all{{.name = std::string(automatic_word), .help = of_auto, .needs = ""}};
    for (const Entry& entry : table) all.push_back(described(entry));
    return all;
}

MethodDescription described(const method::MethodInfo& m) {
    const std::string order = m.least_order > 0 ? fmt::format("orders {} to {}", m.least_order, m.order)
                              : m.max_order > 0 ? fmt::format("orders 1 to {}", m.max_order)
                                                : fmt::format("order {}", m.order);
    return {.name = std::string(m.name),
            .family = std::string(m.family->name),
            .help = fmt::format("{}, {}{}", m.family->name, order,
                                method::is_direct(m) ? ", on the equations as they stand" : ""),
            .needs = m.needs == method::View::any ? "" : std::string(name(m.needs)),
            .projection = std::string(m.projection),
            .cite = std::string(m.cite),
            .order = m.order,
            .stages = static_cast<int>(m.n_stages),
            .least_order = m.least_order,
            .max_order = m.max_order,
            .embedded_order = m.embedded_order,
            .dense_order = dense_order(m),
            .max_index = m.max_index,
            .is_adaptive = m.is_adaptive,
            .is_implicit = m.family->solves_equations,
            .is_direct = method::is_direct(m),
            .has_arclength = m.family->has_arclength && m.needs != method::View::one_constraint,
            .has_sensitivities = carries_sensitivities(m),
            .has_quad = m.family->has_quad};
}

} // namespace

Coefficient::Coefficient(int value) : text(std::to_string(value)) {}
Coefficient::Coefficient(double value) : text(fmt::format("{}", value)) {}

MethodDescription add_tableau(const ButcherTableau& tableau) {
    return described(method::add_tableau(tableau, "the tableau '" + tableau.name + "'"));
}

MethodDescription load_tableau(const std::string& path) {
    return described(method::load_tableau(path));
}

MethodDescription add_multistep(const LinearMultistep& formula) {
    return described(method::add_multistep(formula, "the multistep formula '" + formula.name + "'"));
}

MethodDescription load_multistep(const std::string& path) {
    return described(method::load_multistep(path));
}

const std::vector<MethodDescription>& methods() {
    static const std::vector<MethodDescription> all = [] {
        std::vector<MethodDescription> made;
        for (const method::MethodInfo& m : method::methods()) made.push_back(described(m));
        return made;
    }();
    return all;
}

const std::vector<ProjectionDescription>& projections() {
    static const auto all = [] {
        auto found = described<ProjectionDescription>(projection_table(), "that of the method");
        found.front().has_sensitivities = true; // those of the methods carry derivatives
        return found;
    }();
    return all;
}

const std::vector<DistributionDescription>& distributions() {
    static const auto all =
        described<DistributionDescription>(distribution_table(), "what suits the structure of the equations");
    return all;
}

} // namespace vessiot
