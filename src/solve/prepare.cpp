#include "solve/prepare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "solve/given.hpp"
#include "solve/surfaces.hpp"
#include "system/constants.hpp"

namespace vessiot {

std::pair<expr::Quad, expr::Quad> interval(const System& system, const SolveOptions& options, bool is_point_allowed) {
    const auto end = [&](const std::optional<double>& option, const std::optional<expr::NodeId>& node,
                         std::string_view word) {
        if (option) return expr::Quad(*option);
        if (node) return evaluate_constants(system, {*node})[0];
        throw InvalidInput(fmt::format("{0} says nothing about the interval: add a line `solve {1} = 0 .. 10` to the "
                                       "model, or give --{2}",
                                       system.name, system.independent_name, word));
    };
    expr::Quad from = 0;
    if (options.from || system.from) from = end(options.from, system.from, "from");
    const bool ends_by_s = options.to_s && !options.to && !system.to;
    const expr::Quad to = ends_by_s ? expr::Quad(1e300) : end(options.to, system.to, "to");
    for (const expr::Quad t : {from, to})
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

constexpr int most_tries = 20; // to find modes and a start point that fit each other

// A start point depends on the modes of conditions, and they on it.
template <class S> StartPoint<S> start_with_modes(Compiled<S>& problem, const SolveOptions& options, expr::Quad t) {
    const Analysis& analysis = problem.analysis();
    if (!analysis.conditions) return make_start(problem, options, static_cast<S>(t));
    expr::EvaluatorOptions interpreted; // a few evaluations only
    interpreted.backend = expr::Backend::interpreter;
    const bool has_end = options.to || analysis.system.to || options.to_s; // else only the point is of interest
    const expr::Quad to = has_end ? interval(analysis.system, options).second : t + 1;
    Surfaces<S> surfaces(problem, S(to < t ? -1 : 1), static_cast<S>(to), interpreted);
    const Given<S> given = read_start<S>(analysis.system, analysis.prolongation, options, problem.start_functions());
    linalg::Vector<S> u(problem.n_state() + 1);
    for (std::size_t k = 0; k < analysis.prolongation.state.size(); ++k)
        u[static_cast<std::int64_t>(k)] = given.value[static_cast<std::size_t>(analysis.prolongation.state[k])];
    u[problem.n_state()] = static_cast<S>(t);
    surfaces.settle(static_cast<S>(t), u.data(), true);
    for (int k = 0; k < most_tries; ++k) {
        StartPoint<S> start = make_start(problem, options, static_cast<S>(t));
        const std::span<const S> held = problem.jets().held();
        const std::vector<S> before(held.begin(), held.end());
        surfaces.settle(static_cast<S>(t), start.u.data(), true);
        if (std::ranges::equal(before, held)) return start;
    }
    throw InvalidInput(
        fmt::format("no start point was found at which the condition {} agrees with what follows from it: "
                    "give start values that lie on one side of it",
                    surfaces.open()));
}

std::shared_ptr<const Conditions> conditions_of(const System& system, const SolveOptions& options) {
    if (options.conditions != "locate") return nullptr;
    auto found = std::make_shared<Conditions>(hold_conditions(system));
    return found->surfaces.empty() ? nullptr : found;
}

} // namespace

template <class S> Prepared<S> prepare(const System& system, const SolveOptions& options, expr::Quad t) {
    const std::shared_ptr<const Conditions> conditions = conditions_of(system, options);
    auto analysis = std::make_shared<Analysis>(conditions ? conditions->system : system, options, t);
    analysis->conditions = conditions;
    const auto begin = [&] {
        auto problem = std::make_shared<Compiled<S>>(analysis, options);
        StartPoint<S> start = start_with_modes(*problem, options, t);
        return Prepared<S>{analysis, std::move(problem), std::move(start)};
    };
    try {
        return begin();
    } catch (const NoDirection&) {
        if (analysis->involution || options.formulation != "auto") throw;
        auto completed = std::make_shared<Analysis>(*analysis);
        completed->complete(options, t);
        const Involution& found = *completed->involution;
        if (found.consequences.empty() && found.open.empty()) throw;
        analysis = std::move(completed);
    }
    return begin();
}

template Prepared<double> prepare(const System&, const SolveOptions&, expr::Quad);
template Prepared<expr::Quad> prepare(const System&, const SolveOptions&, expr::Quad);

} // namespace vessiot
