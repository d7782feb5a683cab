// The loop: steps that are tried, accepted or tried again smaller, from the start point to the end of the interval.
// It knows methods, projections and fields by their interfaces only.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/controller.hpp"
#include "event/crossing.hpp"
#include "event/ticks.hpp"
#include "event/watch.hpp"
#include "event/zeno.hpp"
#include "projection/projection.hpp"
#include "solve/events/condition_watch.hpp"
#include "solve/problem/engine.hpp"
#include "solve/run/archive.hpp"
#include "solve/run/checkpoint.hpp"
#include "solve/run/dense_curve.hpp"
#include "solve/run/report_times.hpp"
#include "solve/run/segment.hpp"
#include "solve/run/step_grid.hpp"
#include "solve/start/hidden.hpp"

namespace vessiot {

// The run in numbers: from t0 to t1, in arclength perhaps to s1.
template <class S> struct Span {
    S t0 = 0, t1 = 0;
    std::optional<S> s1;
    ReportTimes<S> times;                 // to report, in the direction of travel; empty: every step
    std::optional<std::size_t> section{}; // number of the event whose crossings are reported, and nothing else
};

// What a run counts, beside steps; before_ of a run that goes on in another process is what is missing there.
struct RunCounts {
    StepperCounts stepper{};
    DistributionCounts distribution{};
    ProjectionCounts projection{};
    std::array<std::int64_t, 10> steps_by_order{};
    double seconds = 0;

    void add(const RunCounts& other);
    void subtract(const RunCounts& other);
};

template <class S> class Run {
public:
    // The engine is as good as new, and nobody else's while the run goes on. `completed`: of a method on the equations
    // as they stand, what it does not see; null for others.
    Run(Engine<S>& engine, const Settings& options, const Span<S>& span, StartPoint<S> start, Solution& solution,
        const Prepared<S>* completed = nullptr);

    // Fills the solution, whatever happens.
    void operator()();
    // The same in parts: before the first step; one accepted step, false where the run is over; what remains to be
    // said.
    void start();
    bool advance();
    void finish();
    // The curve of all steps so far; none where it is not kept. After take_curve() the run has none.
    std::optional<CurveData<S>> curve() const;
    std::optional<CurveData<S>> take_curve();

    bool is_over() const { return is_over_; }
    S t() const { return time_of(stepper_->tau(), stepper_->point()); }
    const S* point() const { return stepper_->point(); }
    // The last step as a polynomial, and points on it that satisfy the constraints.
    const Segment<S>& last_segment() const { return kept_.back(); }
    // Did a run in time end near an impasse point, which one in arclength may pass?
    bool is_at_impasse() const { return is_at_impasse_; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr int sample_every = 64; // attempts of which one is timed

    template <class F> void guarded(const F& f);

    void follow_choice(); // of the method, where that is `auto`, or of the order
    void note_orders(std::span<const std::int64_t> steps);
    void begin();
    void check_result();
    bool step(); // one accepted step; false: the run is over
    // Steps of which nothing but the ends matters (run_plain.cpp), as many as there are before one that needs step().
    void make_plain_steps();
    bool is_plain() const;                  // such a run
    void limit(Stretch<S>& stretch);        // the next ones
    bool record(const Stretch<S>& stretch); // false: the run is over
    bool creep(const StepReport<S>& report);
    S longest_first_step();
    S clock() const;
    S limited(S tau, S h); // by the end of the interval, by conditions and by events at given times
    S limited_by_end(S tau, S h);
    S own_step(S tau, S h, const StepReport<S>& report);
    bool reject(const StepReport<S>& report, S& h);
    bool land(S target, S h); // in arclength: repeats the step so that it ends at t = target
    bool crosses_end(S tau) const;
    void finish_step(S tau, S h, S residual);
    bool is_conserved(S t, const S* x); // what is imposed; false: the run is over
    bool was_conserved(S tau, S t);
    void finish_past_end(S tau, S h); // the step that crosses the end, which is not counted
    bool reports_inside(S tau, S h) const;
    bool reads_inside(S tau, S h) const; // reports, keeps the curve, or looks for events and surfaces
    void report_between(S theta_end, bool is_jump = false);
    void report_at(S theta, S t);
    void keep_segment(); // for the curve
    bool reports_steps() const { return span_.times.empty() && !span_.section; }
    // The first event, up to theta_end, that ends the step: it stops the run or sets values.
    std::optional<EventCrossing<S>> find_events(S theta_end, StepEnd end);
    // At the point x; with the values after it where it sets some. False: there are too many.
    bool record_event(std::size_t event, S tau, const linalg::Vector<S>& x, const std::vector<double>& after = {});
    // The run begins, or goes on after a jump at the events `met`.
    void begin_events(S t, const S* x, std::span<const std::size_t> met = {});
    void make_ticks();       // of the events at given times
    void begin_ticks();      // those at the start
    S limited_by_ticks(S h); // by the next of them
    void advance_grid(S tau);
    bool is_tick(const EventCrossing<S>& c) const { return events_.interval(c.event) > S(0); }
    S tau_of(const EventCrossing<S>& c) const { return is_tick(c) ? tick_ : segment_.tau_at(c.theta); }
    S same_place() const;
    void add_ticks();                         // to the crossings in a step
    void point_of(const EventCrossing<S>& c); // into work_
    bool is_at_tick(S t) const;
    // Is the last step too long to show what an event does in it? The curve and the rate of the event's function
    // contradict each other.
    bool is_doubtful();
    bool is_doubtful(const EventCrossing<S>& c);
    void try_again(); // the last step, with a part of it
    void fail_event_side();
    void note_flat_events();
    void note_missed_crossings();
    void finish_at_event(const EventCrossing<S>& c, S residual);
    void jump(S tau, S t);                     // of the events in group_, from the point work_
    void go_on_from(S tau, S t, bool is_tick); // the point work_
    class View;
    // An accepted step that ends at this point: run_observe.cpp.
    void observe(S t, const S* x) {
        if (options_.on_step) [[unlikely]]
            show_step(t, x);
    }
    void show_step(S t, const S* x);
    void show_event(std::size_t event, S t, const S* x, const std::vector<double>& after);
    void end_if_stopping();
    // Of conditions of the equations: run_conditions.cpp.
    enum class Meeting {
        nothing,
        here,  // the step ends at a surface
        again, // the step was made with wrong modes
        over,  // it was finished already, or the run is over
    };
    S limited_by_conditions(S h);                                // conditions of t alone are known ahead
    Meeting meet_conditions(S tau, S& h, StepReport<S>& report); // in the step that was tried
    bool land_on_condition(S tau, S& h, StepReport<S>& report);
    void begin_conditions(S t, const S* x);
    void leave_condition();      // after a step that ends at one
    void pass_conditions(S tau); // which the point work_ has met
    bool pass_nearest_condition();
    bool is_consistent_nearby(S t);
    bool follow_modes(S t, const std::vector<S>& before);
    bool follow_algebraic(S t, const std::vector<S>& before); // what may jump there
    bool follow_hidden(S t, double before); // the same for what a method on the equations as they stand does not see
    double hidden_residual(S t);
    void begin_moving(S tau, S t);
    bool move_derivatives(S tau, S t);
    void follow_jump(S tau, S t);
    void finish_at_condition(S h, S residual);
    void restart_at(S tau, S t); // the point work_
    void keep_constants();
    void note_missed_switching(S t);
    void fail_sliding(S t);
    void fail_jump(S t, const std::vector<Violation>& off);
    void fail_accumulation(S t);
    void fail_zeno(const std::string& event, S t, const ZenoWatch::Accumulation& found);
    Projection<S>* report_projection() { return engine_.report_projection(); }
    void point_at(S theta, linalg::Vector<S>& x);
    bool is_reportable(const S* x) const; // in quad a number may be too large for a double
    bool has_to_stop();                   // asks for progress
    void succeed(const std::string& message);
    void fail(const std::string& message);
    void fail_small_step(S h, const StepReport<S>& report);
    void fail_max_steps(S t);
    void fail_large(S t);
    void fail_memory();
    void fail_exception(); // the one that is handled now
    void interrupt();
    std::string cause(const StepReport<S>& report);
    std::string error_cause(const StepReport<S>& report);
    std::string not_finite_cause();
    std::string singular_cause() const;
    std::string derivative_cause() const;
    std::string convergence_cause(const StepReport<S>& report) const;
    std::string impasse_advice() const;
    std::string end_advice() const;
    std::string fastest();
    void follow_curve();      // in arclength: which way is forward
    void note_turns();        // of t, in the last step
    void look_for_crossing(); // of several curves, in the last step
    S crossing_exponent(S theta);
    S trace_at(S theta, S& t);
    void fail_open(S theta, const std::string& place);
    // One note for all places of a kind: "near t = 1, 2 several curves cross"
    void note_place(const std::string& before, const std::string& place, const std::string& after);
    bool leap();                   // over a point where the constraints are dependent
    std::string unreached() const; // the points asked for that are missing, for the message
    RunCounts counts() const;
    void collect_statistics();

    // Of runs with a checkpoint: run_checkpoint.cpp.
    StreamHead stream_head() const;
    void try_checkpoint() const;      // can it be written?
    void seam();                      // after a step
    void take_state(std::string& to); // all that a process must know to go on from here
    void restart();                   // at seam_point_: what follows depends on the state alone
    void resume();                    // instead of begin()
    void save();                      // the last state that was taken
    void save_last();                 // at the end of the run
    void exchange(Archive& archive);
    void exchange_constants(Archive& archive);
    void exchange_solution(Archive& archive);
    void fail_output(const std::string& why);
    S time_of(S tau, const S* x) const { return is_arclength_ ? x[problem_->n_state()] : tau; }
    std::string show(S t) const;
    S landed(S t) const;
    linalg::Vector<S> end_of_curve(S t);

    Engine<S>& engine_;
    Compiled<S>* const problem_; // and other parts of the engine
    const method::MethodInfo& method_;
    Field<S>* const field_;
    ArclengthField<S>* const arclength_;
    Projection<S>* const projection_; // null where nothing is projected
    Stepper<S>* const stepper_;
    Recorder<S>& recorder_;
    EventFunctions<S>& events_;
    EventRanges<S>& event_ranges_;
    Leap<S>* const leap_;                      // null where nothing is leapt over
    ConservationWatch<S>* const conservation_; // null where nothing is watched

    Settings options_;
    Span<S> span_;
    StartPoint<S> start_;
    Solution& solution_;
    bool is_arclength_;
    S direction_;                                 // 1 or -1
    const method::MethodInfo* at_work_ = nullptr; // method = auto: the one chosen now
    int n_changes_ = 0;
    ControlSettings control_;
    Controller<S> controller_;

    S h_ = 0, h_floor_ = 0, h_max_ = 0;
    bool is_adaptive_, is_last_ = false, is_over_ = false, is_too_large_ = false, has_stray_ = false;
    bool tries_again_ = false;            // the step that was made last
    bool has_failed_to_converge_ = false; // in the step that is tried now
    bool is_at_impasse_ = false;
    bool is_stopping_ = false; // an observer asked for it
    bool has_segment_ = false; // of the last step, without asking the stepper
    int forward_ = 1;          // sign of dt / ds
    Segment<S> segment_;
    std::unique_ptr<Stretch<S>> stretch_; // of plain steps
    linalg::Vector<S> work_;
    std::size_t next_time_ = 0;
    EventWatch<S> event_watch_;
    std::vector<char> is_noted_; // events of which crossings may have been missed
    std::vector<S> event_values_, event_rates_;
    std::vector<S> rates_before_; // at the crossing that ends a step
    std::vector<EventCrossing<S>> crossings_;
    std::vector<char> is_flat_;      // events that were zero along the last step
    std::vector<std::size_t> group_; // events at one point, where a step ends early
    std::optional<ConditionWatch<S>> conditions_;
    std::optional<HiddenConstraints<S>> hidden_; // where conditions are, of a method that does not see them
    bool ends_at_switch_ = false;                // the step ends where a condition of t alone switches
    S switch_at_ = 0;
    bool has_noted_condition_ = false;
    bool is_met_ = false; // a surface, at the end of the step
    struct {
        linalg::Vector<S> direction, point;
        std::vector<S> held;
    } moving_;
    Ticks<S> ticks_;
    bool is_tick_ = false; // the step that is tried ends at the time of events
    S tick_ = 0;           // that time
    ZenoWatch zeno_;
    S last_jump_ = 0; // tau of it
    std::int64_t n_events_ = 0, n_at_once_ = 0;
    std::size_t doubtful_ = 0; // the event of which a step shows something else than its rate
    int n_tries_ = 0;          // of a step again, for an event in it
    StepGrid<S> grid_;         // of constant steps
    StepGrid<S> grid_before_;  // the last one
    S part_ = 0;               // of a constant step, which is to be made next; 0: all of it
    std::vector<Segment<S>> kept_;
    std::vector<ConstantsFrom<S>> kept_constants_; // what was constant along them
    std::int64_t n_attempts_ = 0, n_sampled_ = 0, next_check_ = 0;
    Clock::time_point started_, last_progress_;

    // the point of the last seam, and the state there
    linalg::Vector<S> seam_point_, seam_tangent_;
    S seam_tau_ = 0;
    int seam_mode_ = 0;
    std::string state_;
    bool is_saved_ = true; // state_ is in the file, or there is none
    std::optional<RunIdentity> identity_;
    RunCounts before_; // of earlier processes
    std::int64_t first_attempt_ = 0;
    Clock::time_point last_save_, next_state_;
};

} // namespace vessiot
