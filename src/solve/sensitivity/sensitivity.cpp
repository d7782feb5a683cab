#include "solve/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "projection/kind.hpp"

namespace vessiot {

namespace {

std::vector<std::string_view> fitting_projections() {
    std::vector<std::string_view> names;
    for (const ProjectionKind& kind : projection_table())
        if (kind.can.carries_derivatives) names.push_back(kind.name);
    return names;
}

} // namespace

bool carries_sensitivities(const method::MethodInfo& method) {
    return method.family->carries_derivatives;
}

void check_sensitivity(const Settings& options, const method::MethodInfo& method) {
    if (options.sensitivity.empty()) return;
    if (!carries_sensitivities(method))
        throw InvalidInput(fmt::format("the method {} does not carry derivatives of the solution: with --sensitivity "
                                       "take a Runge-Kutta method on the constraints, such as dopri54 or radau5, or "
                                       "taylor",
                                       method.name));
    if (options.is_arclength())
        throw InvalidInput("derivatives of the solution are taken at a fixed time, but in arclength the point of a "
                           "given s moves in time too: leave out --parametrisation arclength, or --sensitivity");
    if (!options.projection->can.carries_derivatives)
        throw InvalidInput(fmt::format("--projection {} does not carry derivatives of the solution: with --sensitivity "
                                       "it is one of {}",
                                       options.projection->name, fmt::join(fitting_projections(), ", ")));
    if (!options.checkpoint.empty() || !options.resume.empty())
        throw InvalidInput(
            "checkpoints do not hold derivatives of the solution: leave out --checkpoint and --resume, or "
            "--sensitivity");
    if (options.project == Projected::symmetric)
        throw InvalidInput("--project symmetric does not carry derivatives of the solution: with --sensitivity it is "
                           "steps or stages");
}

template <class S> Prepared<S> with_sensitivities(const Prepared<S>& completed, const Settings& options) {
    const Analysis& base = *completed.analysis;
    if (base.involution && !base.involution->open.empty())
        throw InvalidInput(fmt::format("{} not unique in {}, since constraints are redundant, and neither are the "
                                       "derivatives by --sensitivity: leave out what follows from the others",
                                       base.involution->open, base.system.name));
    if (completed.problem->initial_equations())
        throw InvalidInput(fmt::format("--sensitivity does not know how the start point of {} depends on its equations "
                                       "at the start (initially …, hold of what is computed): leave it out, or give "
                                       "the start values",
                                       base.system.name));
    if (const auto rule = std::ranges::find_if(base.system.events, &Event::is_always); rule != base.system.events.end())
        throw InvalidInput(fmt::format("--sensitivity: derivatives of the solution cannot be followed through the "
                                       "event '{}', which is looked at always; leave it out",
                                       rule->name));
    StartPoint<S> start = completed.start;
    std::vector<SensitivityVariable> by =
        sensitivity_variables(base.system, base.conditions.get(), options.sensitivity, start.notes);
    auto analysis = std::make_shared<Analysis>(base);
    analysis->augmentation = std::make_shared<Augmentation>(base.system, base.prolongation, std::move(by));
    analysis->system = analysis->augmentation->system();
    analysis->prolongation = analysis->augmentation->prolongation();
    auto problem = std::make_shared<Compiled<S>>(analysis, completed.problem);
    std::ranges::copy(completed.problem->jets().held(), problem->jets().held().begin());
    start.u = linalg::Vector<S>(problem->n_state() + 1);
    std::copy_n(completed.start.u.data(), completed.problem->n_state(), start.u.data());
    differentiate_start(*problem, options, start.t, !start.report.violations.empty(), start.u, start.notes);
    return {std::move(analysis), std::move(problem), std::move(start)};
}

template Prepared<double> with_sensitivities(const Prepared<double>&, const Settings&);
template Prepared<Quad> with_sensitivities(const Prepared<Quad>&, const Settings&);

} // namespace vessiot
