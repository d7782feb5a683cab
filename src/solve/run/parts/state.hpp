// What the parts of a run share: what it works with, from where to where it goes, the step that is tried, the curve of
// the last one, the point at hand, and how it ends.
#pragma once

#include <string>
#include <vector>

#include "solve/problem/engine.hpp"
#include "solve/run/parts/meter.hpp"
#include "solve/run/parts/run_curve.hpp"
#include "solve/run/parts/span.hpp"
#include "solve/run/parts/step_sizes.hpp"

namespace vessiot {

template <class S> struct RunState {
    RunState(Engine<S>& parts, const Settings& how, const Span<S>& where, StartPoint<S> from, Solution& result);

    Engine<S>& engine;
    Settings options;
    Span<S> span;
    StartPoint<S> start;
    Solution& solution;
    bool is_arclength;
    S direction; // 1 or -1
    StepSizes<S> sizes;
    Attempt<S> attempt{};
    RunCurve<S> curve;
    linalg::Vector<S> work;    // a point: where events and conditions are met, where the run goes on from
    std::size_t next_time = 0; // the first of span.times that was not reported
    int forward = 1;           // in arclength: sign of dt / ds
    S farthest = 0;            // in arclength: the largest |t - t0| at the ends of steps
    Meter meter{};
    bool has_stray = false; // a point inside of a step was not found on the constraints
    bool is_over = false;
    bool is_at_impasse = false; // it ended near one
    bool is_stopping = false;   // an observer asked for it

    Compiled<S>& problem() const { return *engine.problem; }
    const method::MethodInfo& method() const { return engine.method; }
    Field<S>& field() const { return *engine.field; }
    ArclengthField<S>& arclength() const { return *engine.arclength; }
    Projection<S>* projection() const { return engine.projection.get(); } // null where nothing is projected
    Stepper<S>& stepper() const { return *engine.stepper; }
    Recorder<S>& recorder() const { return engine.recorder; }
    Leap<S>* leap() const { return engine.leap ? &*engine.leap : nullptr; } // null where nothing is leapt over
    // Null where nothing is watched.
    ConservationWatch<S>* conservation() const { return engine.conservation ? &*engine.conservation : nullptr; }

    // ---- where it is ----
    S time_of(S tau, const S* x) const { return is_arclength ? x[problem().n_state()] : tau; }
    S t() const { return time_of(stepper().tau(), stepper().point()); }
    // The time of the current point. After a jump constant steps are counted anew.
    S clock() const { return sizes.is_adaptive || is_arclength ? stepper().tau() : sizes.grid.now(); }
    S landed(S t) const;
    linalg::Vector<S> end_of_curve(S t);
    void point_at(S theta, linalg::Vector<S>& x);
    std::string show(S t) const;
    bool reports_steps() const { return span.times.empty() && !span.section; }

    // ---- how it goes on ----
    void advance_grid(S tau); // a constant step ends at tau
    void restart_at(S tau, S t);
    void keep_constants() { curve.keep_constants(problem().jets().constants()); }
    bool is_conserved(S t, const S* x);                    // what is imposed; false: the run is over
    bool is_conserved(S tau, S t, const S* x, const S* v); // with the direction there
    bool was_conserved(S tau, S t); // the same at the point `work`, behind which other equations or kept values hold
    RunCounts counts() const;

    // ---- what it says ----
    void succeed(const std::string& message);
    void fail(const std::string& message);
    void interrupt();
    // One note for all places of a kind: "near t = 1, 2 several curves cross"
    void note_place(const std::string& before, const std::string& place, const std::string& after);
    std::string unreached() const; // the points asked for that are missing, for the message

    // ---- observers: observe.cpp ----
    // An accepted step that ends at this point.
    void observe(S t, const S* x) {
        if (options.on_step) [[unlikely]]
            show_step(t, x);
    }
    void show_step(S t, const S* x);
    void show_event(std::size_t event, S t, const S* x, const std::vector<double>& after);
    void end_if_stopping();
};

extern template struct RunState<double>;
extern template struct RunState<Quad>;

} // namespace vessiot
