// The loop: steps that are tried, accepted or tried again smaller, from the start point to the end of the interval.
// It knows methods, projections and fields by their interfaces only. What happens on the way is for its parts: events,
// conditions of the equations, singular places, reports, checkpoints, the texts of failures.
#pragma once

#include <memory>
#include <optional>

#include "solve/problem/engine.hpp"
#include "solve/run/dense_curve.hpp"
#include "solve/run/parts/choice.hpp"
#include "solve/run/parts/conditions.hpp"
#include "solve/run/parts/events.hpp"
#include "solve/run/parts/failure.hpp"
#include "solve/run/parts/places.hpp"
#include "solve/run/parts/reporter.hpp"
#include "solve/run/parts/seams.hpp"
#include "solve/run/parts/state.hpp"
#include "solve/run/requirements.hpp"

namespace vessiot {

template <class S> class Run {
public:
    // The engine is as good as new, and nobody else's while the run goes on. `completed`: of a method on the equations
    // as they stand, what it does not see; null for others.
    Run(Engine<S>& engine, const Settings& options, const Span<S>& span, StartPoint<S> start, Solution& solution,
        const Prepared<S>* completed = nullptr);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // Fills the solution, whatever happens.
    void operator()();
    // The same in parts: before the first step; one accepted step, false where the run is over; what remains to be
    // said.
    void start();
    bool advance();
    void go_on(); // all that are left
    void finish();
    // The curve of all steps so far; none where it is not kept. After take_curve() the run has none.
    std::optional<CurveData<S>> curve() const { return run_.curve.data(); }
    std::optional<CurveData<S>> take_curve() { return run_.curve.take_data(); }

    // Between two calls of advance(), plain steps that are made elsewhere (src/lanes): the kernels of their attempts
    // and how far they may go, null where step() has to be called; then what was made, with the last point and V there.
    struct Lent {
        method::FusedAttempt* kernels;
        Stretch<S>* stretch;
        Controller<S>* controller;
    };
    std::optional<Lent> lend();
    void take_back(const S* x, const S* v);
    // The points that are to be reported inside of the last of those steps, which began at tau: its polynomial, as
    // Stepper::dense() has it.
    void report_inside(S tau, const S* coefficients);
    // Was something asked for that was lost with those steps? Then the run is worth nothing.
    bool was_blind() const;
    // What is watched in them.
    std::vector<std::int32_t> watched_rows() const;

    bool is_over() const { return run_.is_over; }
    S t() const { return run_.t(); }
    S h() const { return run_.sizes.h; } // to be tried next
    const S* point() const { return run_.stepper().point(); }
    const S* direction() { return run_.stepper().direction(); } // V there; null where it has none
    const expr::EvaluatorOptions& evaluator() const { return run_.problem().evaluator(); }
    // The last step as a polynomial, and points on it that satisfy the constraints.
    const Segment<S>& last_segment() const { return run_.curve.last(); }
    // Did a run in time end near an impasse point, which one in arclength may pass?
    bool is_at_impasse() const { return run_.is_at_impasse; }

private:
    template <class F> void guarded(const F& f);

    void begin();
    void check_result();
    bool step(); // one accepted step; false: the run is over
    // Steps of which nothing but the ends matters, as many as there are before one that needs step(): run_plain.cpp.
    void make_plain_steps();
    bool is_plain() const;   // such a run
    bool keeps_ends() const; // of points that are reported, at most
    void make_stretch();
    bool make_rounds(Stretch<S>& stretch); // by native code, many in one call; false: none were made
    void count(const Stretch<S>& stretch);
    void limit(Stretch<S>& stretch);        // the next ones
    bool record(const Stretch<S>& stretch); // false: the run is over
    bool is_taken_back(S distance) const;
    bool creep(const StepReport<S>& report); // after steps that have become short; false: over the place, or at the end
    S longest_first_step();
    S limited(S tau, S h); // by the end of the interval, by conditions and by events at given times
    S limited_by_end(S tau, S h);
    S own_step(S tau, S h, const StepReport<S>& report);
    bool reject(const StepReport<S>& report, S& h);
    S next_size(const StepReport<S>& report, S h, bool is_accepted);
    bool land(S target, S h); // in arclength: repeats the step so that it ends at t = target
    bool crosses_end(S tau) const;
    bool reads_inside(S tau, S h) const;  // reports, keeps the curve, or looks for events and surfaces
    bool is_reportable(const S* x) const; // in quad a number may be too large for a double
    bool has_to_stop();                   // asks for progress
    void collect_statistics();

    // How a step ends: run_finish.cpp.
    void finish_step(S tau, S h, S residual);
    bool finish_at_end(S t, const S* x);       // false: the run is over
    void finish_past_end(S tau, S h);          // the step that crosses the end, which is not counted
    void finish_at_condition(S h, S residual); // inside of it
    bool leap();                               // over a point where the constraints are dependent

    RunState<S> run_;
    Reporter<S> reporter_;
    RunConditions<S> conditions_;
    RunEvents<S> events_;
    SingularPlaces<S> places_;
    FailureTexts<S> failure_;
    MethodChoice<S> choice_;
    Seams<S> seams_;
    Requirements<S> requirements_;
    std::unique_ptr<Stretch<S>> stretch_; // of plain steps
};

} // namespace vessiot
