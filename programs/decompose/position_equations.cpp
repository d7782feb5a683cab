#include "decompose/position_equations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/kernel/lower.hpp"
#include "system/incidence.hpp"

namespace vessiot::decompose {

using namespace expr;

namespace {

constexpr std::int64_t most_constraints = 200;
constexpr std::int64_t most_operations = 50'000;

// Every instance has unknowns, none of them differentiated.
std::vector<char> is_on_positions(const System& system) {
    const Incidence incidence = make_incidence(system);
    std::vector<char> result(system.equations.size(), 1);
    for (std::size_t k = 0; k < system.equations.size(); ++k) {
        const std::int64_t first = incidence.family[k], last = incidence.family[k + 1];
        const auto begin = incidence.order.begin();
        const std::int64_t from = incidence.start[static_cast<std::size_t>(first)];
        const std::int64_t to = incidence.start[static_cast<std::size_t>(last)];
        result[k] = from < to && std::all_of(begin + from, begin + to, [](std::int32_t order) { return order == 0; });
    }
    return result;
}

std::vector<std::size_t> chosen_equations(const System& system, std::vector<std::string>& notes) {
    const std::vector<char> is_fit = is_on_positions(system);
    const EquationKind wanted =
        system.lagrangian || system.hamiltonian ? EquationKind::constraint : EquationKind::written;
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < system.equations.size(); ++k) {
        const Equation& e = system.equations[k];
        if (e.kind == wanted && is_fit[k])
            chosen.push_back(k);
        else if (e.kind == EquationKind::constraint)
            notes.push_back(fmt::format("line {}: '{}' contains derivatives and stays as it is", e.where.line, e.text));
        else if (e.kind == EquationKind::written && is_fit[k])
            notes.push_back(fmt::format("line {}: the equation '{}' is no constraint of the {} and stays as it is",
                                        e.where.line, e.text, system.lagrangian ? "lagrangian" : "hamiltonian"));
    }
    if (chosen.empty())
        throw InvalidInput(fmt::format("{} has no constraints on positions (equations without derivatives): there is "
                                       "nothing to decompose",
                                       system.name));
    return chosen;
}

} // namespace

std::vector<WrittenOut> position_equations(const System& system, std::vector<std::string>& notes) {
    Graph& graph = *system.graph;
    const std::vector<std::size_t> chosen = chosen_equations(system, notes);
    std::vector<Contribution> families;
    std::int64_t n_constraints = 0;
    for (const std::size_t k : chosen) {
        const Equation& e = system.equations[k];
        families.push_back({e.domain, graph.index().list({}), e.residual});
        n_constraints += graph.index().count(e.domain, most_constraints);
    }
    const bool is_long = expanded_size(graph, families, most_operations) > most_operations;
    if (n_constraints > most_constraints || is_long)
        throw InvalidInput(fmt::format(
            "{} has {} on positions{}: a decomposition treats some ten constraints, and {} "
            "at most. Try it with a smaller size (--set n=4)",
            system.name,
            n_constraints > most_constraints ? fmt::format("more than {} constraints", most_constraints)
                                             : plural(static_cast<std::size_t>(n_constraints), "constraint"),
            is_long ? fmt::format(", of more than {} operations", most_operations) : "", most_constraints));
    std::vector<WrittenOut> result;
    for (std::size_t k = 0; k < chosen.size(); ++k)
        for (const Contribution& c : expand(graph, {families[k]}))
            if (!graph.is_constant(c.body, 0)) result.push_back({chosen[k], c.body});
    return result;
}

} // namespace vessiot::decompose
