#include "system/check.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "expr/derivative.hpp"
#include "system/incidence.hpp"

namespace vessiot {

using namespace expr;

namespace {

// Arrays in the equations, definitions included.
std::set<ArrayId> used_arrays(const System& s) {
    std::vector<NodeId> roots;
    roots.reserve(s.equations.size());
    for (const Equation& e : s.equations) roots.push_back(e.residual);
    const auto all = dependencies(*s.graph, roots);
    return {all.begin(), all.end()};
}

std::string quoted(const std::vector<std::string>& names) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t k = 0; k < std::min(names.size(), most); ++k) text += (k ? ", '" : "'") + names[k] + "'";
    if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
    return text;
}

} // namespace

void determine_orders(System& system) {
    const std::set<ArrayId> used = used_arrays(system);
    for (Unknown& u : system.unknowns) {
        u.order = 0;
        for (ArrayId jet = u.array; jet != none; jet = system.graph->array(jet).derivative)
            if (used.contains(jet)) u.order = system.graph->array(jet).order;
    }
}

std::optional<Problem> check_structure(System& system) {
    const Graph& g = *system.graph;
    if (system.unknowns.empty())
        return Problem{{}, "the model has no unknowns; declare them, for example: unknown x, y"};
    if (system.equations.empty()) {
        const std::string hint = system.invariants.empty() ? "" : " (an invariant is not an equation)";
        return Problem{{},
                       "the model has no equations" + hint + "; write one on a line of its own, for example: x' = -x"};
    }
    const std::set<ArrayId> used = used_arrays(system);
    for (const Unknown& u : system.unknowns) {
        bool is_used = false;
        for (ArrayId jet = u.array; jet != none; jet = g.array(jet).derivative) is_used |= used.contains(jet);
        if (!is_used && g.array(u.array).size() > 0)
            return Problem{u.where, fmt::format("no equation uses the unknown '{}'", u.name)};
    }
    const Incidence incidence = make_incidence(system);
    const Matching matching = maximum_matching(incidence);
    if (matching.size < incidence.n_unknowns) {
        std::vector<std::string> names;
        for (std::int64_t k = 0; k < incidence.n_unknowns; ++k)
            if (matching.equation_of[static_cast<std::size_t>(k)] < 0) names.push_back(element_name(system, k));
        const std::string few =
            incidence.n_equations < incidence.n_unknowns
                ? fmt::format("{} unknown{}, but only {} independent equation{}", incidence.n_unknowns,
                              incidence.n_unknowns == 1 ? "" : "s", matching.size, matching.size == 1 ? "" : "s")
                : fmt::format("{} unknown{} and {} equations, but only {} of these are independent",
                              incidence.n_unknowns, incidence.n_unknowns == 1 ? "" : "s", incidence.n_equations,
                              matching.size);
        return Problem{{}, fmt::format("{}: nothing determines {}", few, quoted(names))};
    }
    return std::nullopt;
}

} // namespace vessiot
