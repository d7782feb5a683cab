// The options of a run, as one list: reading them from text, checking them, help and documents all go through it.
#pragma once

#include <span>
#include <string_view>
#include <type_traits>

#include "solve/options/settings.hpp"
#include "system/system.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

enum class OptionRange {
    any,
    positive,     // > 0
    not_negative, // >= 0, where 0 stands for the default
};

enum class OptionGroup {
    run,    // what is solved
    result, // what is reported
    how,    // how it is solved
};

// What is known about a member of SolveOptions.
struct OptionField {
    std::string_view name;    // in C++ and, if `is_text`, as `option` of a model; with - for _ on the command line
    std::string_view value{}; // what it takes, for help: "R"
    std::string_view help{};
    std::span<const std::string_view> (*list)() = nullptr; // all that a text may be; null: see check()
    OptionRange range = OptionRange::any;
    OptionGroup group = OptionGroup::run;
    bool is_text = true; // it can be given in a model and on the command line

    std::span<const std::string_view> words() const { return list ? list() : std::span<const std::string_view>{}; }
};

// Calls visit(const OptionField&, SolveOptions::*given, Settings::*used) for every option, in the order of help. A new
// one is a line here, and its two members.
template <class Visitor> void visit_option_members(const Visitor& visit) {
    using O = SolveOptions;
    using U = Settings;
    constexpr auto positive = OptionRange::positive;
    constexpr auto not_negative = OptionRange::not_negative;
    OptionGroup group = OptionGroup::run;
    const auto number = [&](std::string_view name, std::string_view value, auto given, auto used, OptionRange range,
                            std::string_view help) {
        visit(OptionField{.name = name, .value = value, .help = help, .range = range, .group = group}, given, used);
    };
    const auto word = [&](std::string_view name, auto given, auto used, auto list, std::string_view help) {
        visit(OptionField{.name = name, .value = "WORD", .help = help, .list = list, .group = group}, given, used);
    };
    const auto choice = [&]<class E>(std::string_view name, Chosen<E> O::* given, E U::* used, std::string_view help) {
        word(name, given, used, &words_of<E>, help);
    };
    visit(
        OptionField{.name = "method", .value = "NAME", .help = "one of 'vessiot methods'; auto: by rtol and stiffness"},
        &O::method, &U::method);
    number("rtol", "R", &O::rtol, &U::rtol, positive, "relative tolerance of a step (1e-6)");
    number("atol", "A", &O::atol, &U::atol, positive, "absolute tolerance of a step (1e-9)");
    number("step", "H", &O::step, &U::step, not_negative,
           "constant steps of this size, of arclength in that parametrisation");
    number("from", "T", &O::from, &U::from, OptionRange::any, "start of the interval");
    number("to", "T", &O::to, &U::to, OptionRange::any, "end of the interval; before its start to run backwards");
    number("to_s", "S", &O::to_s, &U::to_s, positive, "end at this arclength, with --parametrisation arclength");
    visit(OptionField{.name = "start", .value = "name=value", .help = "start value (repeatable): x[3]'=0.5"}, &O::start,
          &U::start);
    visit(OptionField{.name = "homotopy",
                      .value = "name=value",
                      .help = "for values at both ends: solve first with this value of a parameter, then move to its "
                              "own (repeatable)"},
          &O::homotopy, &U::homotopy);
    number("max_steps", "N", &O::max_steps, &U::max_steps, positive,
           "give up after so many steps, accepted and rejected (1e7)");
    number("max_events", "N", &O::max_events, &U::max_events, positive,
           "give up after so many crossings of events (1e6)");
    group = OptionGroup::result;
    number("at", "T1,T2,…", &O::at, &U::at, OptionRange::any, "report at these points, not at every step");
    number("every", "DT", &O::every, &U::every, not_negative,
           "report at multiples of DT from the start, and at the end");
    visit(OptionField{.name = "section",
                      .value = "NAME",
                      .help = "report the crossings of this event of the model, and nothing else",
                      .group = group},
          &O::section, &U::section);
    visit(OptionField{.name = "sensitivity",
                      .value = "P1,P2,…",
                      .help = "derivatives by parameters g, m[2], by start values start:x'; all: by all parameters",
                      .group = group},
          &O::sensitivity, &U::sensitivity);
    number("checkpoint_every", "SECONDS", &O::checkpoint_every, &U::checkpoint_every, not_negative,
           "seconds between two writings of the checkpoint (10)");
    number("checkpoint_steps", "N", &O::checkpoint_steps, &U::checkpoint_steps, positive,
           "steps after which it may be written (1000)");
    group = OptionGroup::how;
    choice("parametrisation", &O::parametrisation, &U::parametrisation,
           "variable of integration: time, or the arclength of the curve");
    word(
        "projection", &O::projection, &U::projection, [] { return projection_table().words(); },
        "how points are brought onto the constraints");
    choice("init", &O::init, &U::init, "begin the search for the nearest point with a step in closed form");
    choice("newton_start", &O::newton_start, &U::newton_start,
           "begin that search at the point itself (a), or corrected for the curvature");
    choice("newton_stop", &O::newton_stop, &U::newton_stop,
           "stopping rule of the iteration: round-off (sound), those of the papers (printed, increment), of rays "
           "(residual, increment)");
    number("newton_tol", "R", &O::newton_tol, &U::newton_tol, not_negative,
           "tolerance of the stopping rules printed, residual and increment; 0: theirs");
    number("forcing", "EPS0,DECAY", &O::forcing, &U::forcing, positive,
           "of the projection inexact: its linear systems are solved to EPS0, EPS0*DECAY, EPS0*DECAY^2, … (0.1,0.8)");
    visit(
        OptionField{
            .name = "partition",
            .value = "SETS",
            .help =
                "for rays: sets of unknowns, as many as constraints, each of which keeps its direction: [[x, y], [z]]",
            .group = group},
        &O::partition, &U::partition);
    choice("fallback", &O::fallback, &U::fallback, "what to do where a ray misses the constraints");
    choice("project", &O::project, &U::project, "which points are projected: steps only, or stages as well");
    word(
        "distribution", &O::distribution, &U::distribution, [] { return distribution_table().words(); },
        "how the direction of the curve is computed");
    choice("formulation", &O::formulation, &U::formulation, "formulation of the equations");
    choice("invariants", &O::invariants, &U::invariants,
           "an invariant that the equations do not conserve: report it, or impose it");
    choice("conditions", &O::conditions, &U::conditions,
           "locate where if, abs, max, … switch and end steps there, or ignore it");
    choice("continue", &O::continuation, &U::continuation,
           "which result of an embedded pair is continued, the one of higher or lower order");
    word("control", &O::control, &U::control, [] { return control_table().words(); }, "step size control");
    number("safety", "S", &O::safety, &U::safety, not_negative,
           "safety factor of the step size control, below 1; 0: its default");
    number("factor_min", "F", &O::factor_min, &U::factor_min, not_negative,
           "smallest ratio of a step to the one before; 0: its default");
    number("factor_max", "F", &O::factor_max, &U::factor_max, not_negative,
           "largest ratio of a step to the one before; 0: its default");
    choice("error_norm", &O::error_norm, &U::error_norm, "norm of the error estimate");
    choice("sensitivity_control", &O::sensitivity_control, &U::sensitivity_control,
           "include the errors of sensitivities in the error estimate");
    number("max_order", "N", &O::max_order, &U::max_order, not_negative,
           "highest order of methods of variable order; 0: that of the method");
    number("h_first", "H", &O::h_first, &U::h_first, not_negative, "size of the first step; 0: chosen");
    number("h_min", "H", &O::h_min, &U::h_min, not_negative,
           "smallest step; the run ends where a smaller one would be needed; 0: round-off");
    number("h_max", "H", &O::h_max, &U::h_max, not_negative, "largest step; 0: the interval");
    number("order", "P", &O::order, &U::order, not_negative,
           "order of the method taylor, 1 to 30; 0: by the tolerances");
    choice("precision", &O::precision, &U::precision, "16 or 34 digits");
    choice("backend", &O::backend, &U::backend, "what evaluates the equations; jit is native code");
    visit(OptionField{.name = "dense", .is_text = false}, &O::dense, &U::dense);
    visit(OptionField{.name = "dense_limit", .range = not_negative, .is_text = false}, &O::dense_limit,
          &U::dense_limit);
    visit(OptionField{.name = "streams", .is_text = false}, &O::streams, &U::streams);
    visit(OptionField{.name = "keep", .range = not_negative, .is_text = false}, &O::keep, &U::keep);
    visit(OptionField{.name = "checkpoint", .is_text = false}, &O::checkpoint, &U::checkpoint);
    visit(OptionField{.name = "resume", .is_text = false}, &O::resume, &U::resume);
    visit(OptionField{.name = "throw_on_failure", .is_text = false}, &O::throw_on_failure, &U::throw_on_failure);
    visit(OptionField{.name = "progress", .is_text = false}, &O::progress, &U::progress);
    visit(OptionField{.name = "guess", .is_text = false}, &O::guess, &U::guess);
    visit(OptionField{.name = "on_step", .is_text = false}, &O::on_step, &U::on_step);
    visit(OptionField{.name = "on_event", .is_text = false}, &O::on_event, &U::on_event);
    visit(OptionField{.name = "stop", .is_text = false}, &O::stop, &U::stop);
}

// Calls visit(const OptionField&, member) for every member of these options, or settings.
template <class Options, class Visitor> void fields(Options& options, const Visitor& visit) {
    visit_option_members([&](const OptionField& field, auto given, auto used) {
        if constexpr (std::is_same_v<std::remove_const_t<Options>, Settings>)
            visit(field, options.*used);
        else
            visit(field, options.*given);
    });
}

// Sets the option of that name: `h_max` as in a model, or `--h-max` as on the command line, which is how messages then
// call it. Numbers may be formulas of numbers, 2*pi; lists may stand in brackets. `start` takes name=value, and adds to
// those before. Throws InvalidInput, with the nearest name or word where it is unknown.
void apply_option(SolveOptions& options, std::string_view name, std::string_view text);

// The number that a formula of numbers stands for: 1e-8, 2*pi, sqrt(2). `what` names it in messages. Throws
// InvalidInput.
double parse_number(std::string_view what, std::string_view text);

// Throws InvalidInput for values out of range and for options that contradict each other.
void check(const SolveOptions& options);
void check(const Settings& settings);

// What the `option` lines of a model give. Throws InvalidInput with the line.
SolveOptions model_options(const System& system);

// The same, and over it what is given.
SolveOptions with_model_options(const System& system, const SolveOptions& given);

} // namespace vessiot
