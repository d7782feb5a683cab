// What a run works with: field, projection, method, the functions of events, all compiled and with memory of their own.
// Made once, it serves one run after another; renew() makes it as good as new.
#pragma once

#include <memory>
#include <optional>

#include "control/settings.hpp"
#include "distribution/curve_field.hpp"
#include "lanes/single_run.hpp"
#include "linalg/sparse/sparse_lu.hpp"
#include "method/parts.hpp"
#include "method/stepper.hpp"
#include "solve/events/condition_watch.hpp"
#include "solve/events/event_functions.hpp"
#include "solve/events/event_ranges.hpp"
#include "solve/events/jump.hpp"
#include "solve/events/surface_rates.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/run/recorder.hpp"
#include "solve/start/start.hpp"
#include "solve/watch/conservation.hpp"
#include "solve/watch/divisors.hpp"
#include "solve/watch/impasse.hpp"
#include "solve/watch/leap.hpp"
#include "solve/watch/requirement_values.hpp"

namespace vessiot {

template <class S> struct Engine {
    // A first run goes from `start` to t1. Throws InvalidInput where options, method and system do not fit.
    Engine(std::shared_ptr<Compiled<S>> compiled, const Settings& how, const method::MethodInfo& chosen, S t1,
           const StartPoint<S>& start);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // For another run of the same problem, whose sets of unknowns (rays) are those of the first.
    void renew();
    // Of its own, so that what is reported does not change the run; null where nothing is projected.
    Projection<S>* report_projection();
    bool is_adaptive() const { return options.step == 0; }
    // Of conditions along a run that begins in this direction and goes to `end`.
    ConditionWatch<S>& condition_watch(S direction, S end);

    // Factorisations that are made now, by a run, belong to it as the others do.
    linalg::PivotsInUse pivots_in_use() const { return linalg::PivotsInUse(problem->pivots()); }
    void forget_pivots() { problem->pivots()->forget(); }

    std::shared_ptr<Compiled<S>> problem;
    Settings options; // of how it is solved
    const method::MethodInfo& method;
    std::shared_ptr<Partition> partition; // of rays
    SampledTime distribution_time{}, projection_time{};
    std::unique_ptr<Field<S>> field{};
    ArclengthField<S>* arclength = nullptr; // the same, if it is one
    std::unique_ptr<Projection<S>> projection{}, measured{}, for_reports{};
    Parts<S> parts;
    std::optional<Parts<S>> base_parts{}; // without derivatives of the solution
    ControlSettings control;              // of the method that a run begins with
    std::unique_ptr<Stepper<S>> stepper{};
    Recorder<S> recorder;
    DeterminantWatch<S> watch;
    DivisorWatch<S> divisors; // of constant steps
    EventFunctions<S> events;
    EventRanges<S> event_ranges;
    RequirementValues<S> requirements;
    std::optional<EventFunctions<S>> base_events{}; // without derivatives of the solution, where events set values
    std::optional<Saltation<S>> saltation{};        // of these derivatives
    std::optional<Jump<S>> jump{};                  // where events set values
    std::optional<Leap<S>> leap{};
    std::optional<ConservationWatch<S>> conservation{}; // of what the projection imposes
    std::optional<lanes::SingleRun> rounds{};           // of plain steps: made with the first of them
    std::optional<SurfaceRates<S>> surface_rates{};     // where the solution is differentiated: made when needed

private:
    std::optional<ConditionWatch<S>> conditions_{}; // made when needed
    void make_field();
    StepperOptions<S> stepping(S t1);
    void make_stepper_of(const StepperOptions<S>& stepping);

    Partition first_sets_{}; // a run may choose others
};

extern template struct Engine<double>;
extern template struct Engine<Quad>;

} // namespace vessiot
