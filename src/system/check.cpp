#include "system/check.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "expr/graph/derivative.hpp"
#include "system/incidence.hpp"
#include "system/mechanics/contacts.hpp"
#include "system/mechanics/velocity_jets.hpp"

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

// What can be set are the unknowns and their derivatives below the highest.
std::optional<Mistake> check_reset(const System& system, const Event& e, const Reset& r) {
    const Graph& g = *system.graph;
    for (const Unknown& u : system.unknowns) {
        ArrayId jet = u.array;
        for (int k = 0; k < u.order && jet != none; ++k, jet = g.array(jet).derivative)
            if (jet == r.jet) return std::nullopt;
        for (; jet != none; jet = g.array(jet).derivative) {
            if (jet != r.jet) continue;
            const std::string name = u.name + std::string(static_cast<std::size_t>(g.array(jet).order), '\'');
            return Mistake{r.where,
                           u.order == 0
                               ? fmt::format("the event '{}' cannot set {}: it follows from the equations at every "
                                             "point",
                                             e.name, name)
                               : fmt::format("the event '{}' cannot set {}: the equations determine it; what can be "
                                             "set of '{}' is {}",
                                             e.name, name, u.name,
                                             u.order == 1 ? u.name
                                                          : fmt::format("{} and its derivatives below order {}", u.name,
                                                                        u.order))};
        }
    }
    return std::nullopt;
}

// What is looked for is algebraic: the rest stays, or is set.
std::optional<Mistake> check_guess(const System& system, const Event& e, const Reset& r) {
    const Graph& g = *system.graph;
    if (system.find_held(r.jet))
        return Mistake{r.where,
                       fmt::format("the event '{0}' guesses {1}, which is discrete and stays as it is: a guess is "
                                   "for algebraic unknowns. Set it: then {1} = …",
                                   e.name, g.array(r.jet).name)};
    for (const Unknown& u : system.unknowns) {
        ArrayId jet = u.array;
        for (int k = 0; k < u.order && jet != none; ++k, jet = g.array(jet).derivative)
            if (jet == r.jet)
                return Mistake{r.where,
                               fmt::format("the event '{0}' guesses {1}, which has a derivative and stays as it "
                                           "is: a guess is for algebraic unknowns. Set it: then {1} = …",
                                           e.name, g.array(jet).name)};
    }
    return std::nullopt;
}

std::optional<Mistake> check_section(const System& system) {
    if (!system.section) return std::nullopt;
    std::vector<std::string_view> names;
    for (const Event& e : system.events) names.push_back(e.name);
    if (std::ranges::find(names, system.section->event) != names.end()) return std::nullopt;
    const auto meant = nearest(system.section->event, names);
    return Mistake{system.section->where,
                   fmt::format("a section shows the crossings of an event, but '{}' is none of this model{}",
                               system.section->event, meant ? fmt::format("; did you mean '{}'?", *meant) : "")};
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

std::optional<Mistake> check_structure(System& system) {
    const Graph& g = *system.graph;
    if (system.unknowns.empty())
        return Mistake{{}, "the model has no unknowns; declare them, for example: unknown x, y"};
    if (system.equations.empty()) {
        const std::string hint = system.invariants.empty() ? "" : " (an invariant is not an equation)";
        return Mistake{{},
                       "the model has no equations" + hint + "; write one on a line of its own, for example: x' = -x"};
    }
    if (auto problem = VelocityJets(system).check_constraints()) return problem;
    if (auto problem = check_contacts(system)) return problem;
    const std::set<ArrayId> used = used_arrays(system);
    for (const Unknown& u : system.unknowns) {
        bool is_used = false;
        for (ArrayId jet = u.array; jet != none; jet = g.array(jet).derivative) is_used |= used.contains(jet);
        if (!is_used && g.array(u.array).size() > 0)
            return Mistake{u.where, fmt::format("no equation uses the unknown '{}'", u.name)};
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
        return Mistake{{}, fmt::format("{}: nothing determines {}", few, quoted(names))};
    }
    for (const Event& e : system.events)
        for (const Reset& r : e.then)
            if (auto problem = check_reset(system, e, r)) return problem;
    for (const Event& e : system.events)
        for (const Reset& r : e.guesses)
            if (auto problem = check_guess(system, e, r)) return problem;
    return check_section(system);
}

} // namespace vessiot
