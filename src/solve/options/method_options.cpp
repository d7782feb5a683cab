#include "solve/options/method_options.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "solve/options/option_text.hpp"

namespace vessiot {

namespace {

void check_order(const Settings& o, const method::MethodInfo& method) {
    if (o.max_order == 0) return;
    std::vector<std::string> fitting;
    for (const method::MethodInfo& m : method::methods())
        if (m.max_order > 0) fitting.push_back(fmt::format("{} (up to {})", m.name, m.max_order));
    if (method.max_order == 0)
        throw InvalidInput(fmt::format("max_order = {}, but the order of {} does not vary: it is {}. Methods whose "
                                       "order varies: {}",
                                       o.max_order, o.method ? method.name : "the methods of auto", method.order,
                                       fmt::join(fitting, ", ")));
    if (o.max_order > method.max_order)
        throw InvalidInput(fmt::format("max_order = {}, but the highest order of {} is {}", o.max_order, method.name,
                                       method.max_order));
}

// Of methods that choose their steps, and measure their errors, themselves.
void check_own_steps(const Settings& o, const method::MethodInfo& method) {
    const auto refuse = [&](bool is_asked, const std::string& found, std::string_view instead) {
        if (is_asked)
            throw InvalidInput(fmt::format("the method {} chooses its own steps, but {} was asked for: leave it out, "
                                           "or take another method, such as {}",
                                           method.name, found, instead));
    };
    refuse(o.step > 0, fmt::format("step = {} (constant steps)", o.step), "bdf3 or radau5");
    refuse(o.control, fmt::format("control = {}", name_or_auto(o.control)), "radau5");
    refuse(o.safety > 0, fmt::format("safety = {}", o.safety), "radau5");
    refuse(o.factor_min > 0, fmt::format("factor_min = {}", o.factor_min), "radau5");
    refuse(o.factor_max > 0, fmt::format("factor_max = {}", o.factor_max), "radau5");
    refuse(o.error_norm != NormKind::rms, fmt::format("error_norm = {}", word(o.error_norm)), "radau5");
    const auto refuse_kind = [&](bool is_asked, std::string_view does, const std::string& found,
                                 std::string_view instead) {
        if (is_asked)
            throw InvalidInput(fmt::format("the method {} {}, but {} was asked for: leave it out, or take another "
                                           "method, such as {}",
                                           method.name, does, found, instead));
    };
    refuse_kind(o.precision == Precision::quad, "computes in double", "precision = quad", "radau9");
    if (o.is_arclength())
        throw InvalidInput(fmt::format("the method {} makes steps in time, but parametrisation = arclength was asked "
                                       "for: set it to time (--parametrisation time), or take another method, such as "
                                       "dopri54",
                                       method.name));
    refuse_kind(o.project == Projected::stages || o.project == Projected::symmetric,
                "has no stages that could be projected", fmt::format("project = {}", word(o.project)), "radau5");
}

// ---- what each option acts on ----

using Info = method::MethodInfo;

bool goes_along_rays(const Settings& o) {
    return o.projection->can.goes_along_rays;
}

// Is the nearest point looked for, always or where a ray misses?
bool finds_nearest(const Settings& o) {
    return o.projection->can.finds_nearest || (goes_along_rays(o) && o.fallback != Fallback::none);
}

// Is it a rule of rays?
bool is_of_rays(StopRule rule) {
    return rule == StopRule::residual || rule == StopRule::increment;
}

// Is it a rule that also other projections know?
bool goes_by_increments(const Settings& o) {
    return o.newton_stop == StopRule::increment && o.projection->can.goes_by_increments;
}

std::string projection_is(const Settings& o) {
    return fmt::format("the projection is {}", o.projection->name);
}

std::string method_is(const Info& m) {
    return fmt::format("the method is {}", m.name);
}

std::string of_adaptive_steps(const Settings& o, const Info&) {
    return o.step > 0 ? fmt::format("they are constant (step = {})", o.step) : "";
}

std::string of_nearest(const Settings& o, const Info&) {
    return finds_nearest(o) ? "" : projection_is(o);
}

std::string of_first_step(const Settings& o, const Info& m) {
    if (!finds_nearest(o)) return of_nearest(o, m);
    return o.newton_start == NewtonStart::a ? "" : fmt::format("newton_start is {}", word(o.newton_start));
}

std::string iterates_itself(const Info& m) {
    return method_is(m) + ", which solves for the constraints itself";
}

std::string of_stop(const Settings& o, const Info& m) {
    if (m.family->keeps_constraints) return iterates_itself(m);
    const bool acts = is_of_rays(o.newton_stop)            ? goes_along_rays(o) || goes_by_increments(o)
                      : o.newton_stop == StopRule::printed ? o.projection->can.finds_nearest
                                                           : finds_nearest(o) || goes_along_rays(o);
    return acts ? "" : projection_is(o);
}

std::string of_rules(const Settings& o, const Info& m) {
    if (m.family->keeps_constraints) return iterates_itself(m);
    const bool is_printed = o.newton_stop == StopRule::printed;
    if (!is_printed && !is_of_rays(o.newton_stop)) return fmt::format("newton_stop is {}", word(o.newton_stop));
    const bool acts = is_printed ? o.projection->can.finds_nearest : goes_along_rays(o) || goes_by_increments(o);
    return acts ? "" : projection_is(o);
}

std::string of_forcing(const Settings& o, const Info&) {
    return o.projection->can.has_forcing ? "" : projection_is(o);
}

std::string of_rays(const Settings& o, const Info&) {
    return goes_along_rays(o) ? "" : projection_is(o);
}

std::string of_sets(const Settings& o, const Info& m) {
    return o.projection->can.has_sets || m.family->has_sets ? ""
                                                            : fmt::format("{} and {}", projection_is(o), method_is(m));
}

std::string of_projected(const Settings& o, const Info& m) {
    if (o.project == Projected::steps) return "";
    if (!o.is_projected()) return projection_is(o);
    return o.project != Projected::stages || m.family->has_stages || m.chooses_steps ? "" : method_is(m);
}

std::string of_pairs(const Settings& o, const Info& m) {
    if (!m.family->is_explicit || m.tableau.b_hat.empty()) return method_is(m);
    return o.control && control_of(o, m).estimate == Estimate::by_doubling
               ? fmt::format("control is {}, where the point of two half steps goes on", o.control->name)
               : "";
}

// The series of `taylor` says how long a step may be; only a rejected one is left to the control.
std::string of_found_steps(const Settings& o, const Info& m) {
    return o.step == 0 && m.family->reads_steps_from_series ? method_is(m) + ", which reads them from its series"
                                                            : of_adaptive_steps(o, m);
}

std::string of_control(const Settings& o, const Info& m) {
    const bool acts_otherwise = !control_of(o, m).options.empty(); // by the options that it stands for
    return acts_otherwise ? "" : of_adaptive_steps(o, m);
}

std::string of_sensitivities(const Settings& o, const Info& m) {
    return o.sensitivity.empty() ? "none are asked for" : of_adaptive_steps(o, m);
}

std::string of_checkpoints(const Settings& o, const Info&) {
    return o.checkpoint.empty() && o.resume.empty() ? "none is asked for" : "";
}

std::string of_fields(const Settings&, const Info& m) {
    return method::is_direct(m) ? method_is(m) + ", which works on the equations as they stand" : "";
}

// What an option acts on, in words, and what is missing for it, empty where it acts.
struct Effect {
    std::string_view option, acts_on;
    std::string (*misfit)(const Settings&, const Info&);
};

constexpr std::string_view nearest_text = "the search for the nearest point (projection newton, chord, inexact, or a "
                                          "ray with its fallback)";
constexpr std::string_view adaptive_text = "steps whose size is found";

constexpr Effect effects[] = {
    {"init", nearest_text, of_first_step},
    {"newton_start", nearest_text, of_nearest},
    {"newton_stop",
     "projections newton, chord and inexact (sound, printed, increment), simplified, partition and tangent (sound, "
     "increment), ray and gradient-ray (sound, residual, increment)",
     of_stop},
    {"newton_tol", "the rules printed, residual and increment (newton_stop), with the projections that know them",
     of_rules},
    {"forcing", "projection inexact, whose linear systems are solved by iteration", of_forcing},
    {"partition", "projection ray and group preserving methods", of_sets},
    {"fallback", "projection ray and gradient-ray", of_rays},
    {"project", "the projected points of Runge-Kutta methods (stages), or of all (symmetric)", of_projected},
    {"continue", "explicit methods with an embedded one, such as dopri54", of_pairs},
    {"control", adaptive_text, of_control},
    {"safety", adaptive_text, of_found_steps},
    {"factor_min", adaptive_text, of_adaptive_steps},
    {"factor_max", adaptive_text, of_found_steps},
    {"error_norm", adaptive_text, of_adaptive_steps},
    {"h_first", adaptive_text, of_adaptive_steps},
    {"h_min", adaptive_text, of_adaptive_steps},
    {"h_max", adaptive_text, of_adaptive_steps},
    {"sensitivity_control", "steps with sensitivities", of_sensitivities},
    {"checkpoint_every", "the checkpoint of a run (--checkpoint)", of_checkpoints},
    {"checkpoint_steps", "the checkpoint of a run (--checkpoint)", of_checkpoints},
    {"distribution", "methods that follow a field of directions", of_fields},
};

// The text of an option that was given; empty where it was not, or is the default.
std::string given_text(const std::vector<GivenOption>& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &GivenOption::name);
    return found == all.end() ? "" : found->text;
}

} // namespace

bool continues_with_embedded(Continuation continuation, const method::MethodInfo& m) {
    if (continuation == Continuation::automatic) return false;
    return (continuation == Continuation::high) == (m.embedded_order > m.order);
}

void check_effects(const SolveOptions& given, const Settled& run, const SolveOptions& lines,
                   const std::function<Settled(const SolveOptions&)>& settle) {
    const std::vector<GivenOption> all = given_options(given);
    for (const Effect& effect : effects) {
        const std::string text = given_text(all, effect.option);
        if (text.empty()) continue;
        const std::string misfit = effect.misfit(run.settings, run.method);
        if (misfit.empty()) continue;
        if (text == given_text(given_options(lines), effect.option)) {
            const Settled model = settle(lines);
            if (effect.misfit(model.settings, model.method).empty()) continue;
        }
        throw InvalidInput(
            fmt::format("{} = {} acts on {}, but {}: leave it out", effect.option, text, effect.acts_on, misfit));
    }
}

void check_method_options(const Settings& options, const method::MethodInfo& method) {
    check_order(options, method);
    if (method.chooses_steps) check_own_steps(options, method);
}

} // namespace vessiot
