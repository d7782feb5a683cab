#include "solve/problem/prepare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "system/constants.hpp"

namespace vessiot {

std::pair<Quad, Quad> interval(const System& system, const Settings& options, bool is_point_allowed) {
    const auto end = [&](const std::optional<double>& option, const std::optional<expr::NodeId>& node,
                         std::string_view word) {
        if (option) return Quad(*option);
        if (node) return evaluate_constants(system, {*node})[0];
        throw InvalidInput(fmt::format("{0} says nothing about the interval: add a line `solve {1} = 0 .. 10` to the "
                                       "model, or give --{2}",
                                       system.name, system.independent_name, word));
    };
    Quad from = 0;
    if (options.from || system.from) from = end(options.from, system.from, "from");
    const bool ends_by_s = options.to_s && !options.to && !system.to;
    const Quad to = ends_by_s ? Quad(1e300) : end(options.to, system.to, "to");
    for (const Quad t : {from, to})
        if (!linalg::is_finite(t)) throw InvalidInput("an end of the interval is not finite");
    if (!linalg::is_finite(static_cast<double>(to) - static_cast<double>(from)))
        throw InvalidInput(fmt::format("the interval from {} to {} is longer than the largest number",
                                       static_cast<double>(from), static_cast<double>(to)));
    if (from == to && !is_point_allowed)
        throw InvalidInput(fmt::format("the interval has length zero: it starts and ends at {} = {}",
                                       system.independent_name, static_cast<double>(from)));
    return {from, to};
}

namespace {

std::shared_ptr<const Conditions> conditions_of(const System& system, const Settings& options) {
    const auto rule = std::ranges::find_if(system.events, &Event::is_always);
    if (options.conditions != Switchings::locate && rule != system.events.end())
        throw InvalidInput(fmt::format("the event '{}' is looked at always, which needs the places where conditions "
                                       "switch: leave out conditions = ignore",
                                       rule->name));
    if (options.conditions != Switchings::locate) return nullptr;
    auto found = std::make_shared<Conditions>(hold_conditions(system));
    return found->surfaces.empty() ? nullptr : found;
}

template <class S> Prepared<S> prepare_formulas(const System& system, const Settings& options, Quad t) {
    const std::shared_ptr<const Conditions> conditions = conditions_of(system, options);
    auto analysis = std::make_shared<Analysis>(conditions ? conditions->system : system, options, t);
    analysis->conditions = conditions;
    const auto begin = [&] {
        auto problem = std::make_shared<Compiled<S>>(analysis, options);
        auto modes = std::make_shared<StartModes<S>>(*problem);
        StartPoint<S> start = (*modes)(options, t);
        return Prepared<S>{analysis, std::move(problem), std::move(start), std::move(modes)};
    };
    try {
        return begin();
    } catch (const NoDirection&) {
        const bool may_complete =
            options.formulation == Formulation::automatic || options.formulation == Formulation::general;
        if (analysis->involution || !may_complete) throw;
        auto completed = std::make_shared<Analysis>(*analysis);
        completed->complete(options, t);
        const Involution& found = *completed->involution;
        if (found.consequences.empty() && found.open.empty()) throw;
        analysis = std::move(completed);
    }
    return begin();
}

} // namespace

template <class S> Prepared<S> prepare(const System& system, const Settings& options, Quad t) {
    try {
        return prepare_formulas<S>(system, options, t);
    } catch (const NoDirection& e) {
        if (!system.graph->has_externals()) throw;
        throw NoDirection(
            fmt::format("{} Functions that are given as numbers, such as '{}', count as dependent on all of "
                        "their arguments unless they have a pattern: give it, as detect_pattern finds it",
                        e.what(), system.graph->external(0)->name()));
    }
}

template Prepared<double> prepare(const System&, const Settings&, Quad);
template Prepared<Quad> prepare(const System&, const Settings&, Quad);

} // namespace vessiot
