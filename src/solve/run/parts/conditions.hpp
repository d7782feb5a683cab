// Conditions of the equations along a run: each step ends at the first surface that it meets, and the next one begins
// with other modes. A step of the method itself ends there, so that nothing is lost of its order; only where it cannot
// (a method that chooses its steps) the dense output says where the surface is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "solve/events/condition_watch.hpp"
#include "solve/run/parts/always.hpp"
#include "solve/run/parts/state.hpp"
#include "solve/start/hidden.hpp"
#include "solve/start/violation.hpp"

namespace vessiot {

// What a step that was tried meets.
enum class Meeting : std::uint8_t {
    nothing,
    here,   // it ends at a surface
    inside, // it was accepted, and the curve is cut where a surface is
    again,  // it was made with wrong modes
    over,   // it is finished, or the run is over
};

template <class S> class RunConditions {
public:
    // `completed`: what a method on the equations as they stand does not see; null for others.
    RunConditions(RunState<S>& run, const Prepared<S>* completed) : run_(run), always_(run) {
        if (completed && run.problem().analysis().conditions) hidden_.emplace(*completed, Search::algebraic);
    }

    // The run begins at this point, or is resumed there.
    void begin(S t, const S* x);
    // What events that are looked at always set at the start point. False: the run is over.
    bool begin_always();
    // The same at the point `work`, after something has changed there.
    bool settle_always(S t);
    // Are there any, and have they begun?
    explicit operator bool() const { return watch_ != nullptr; }
    bool has_surfaces() const { return watch_ && watch_->surfaces().size() > 0; }
    bool is_met() const { return watch_ && is_met_; } // a surface, at the end of the step
    bool is_one_pending();                            // where the stepper is, to be met by the next step
    S limited(S h);                                   // conditions of t alone are known ahead
    // In the step that was tried. What an event is about to do where it begins comes before what switches there.
    Meeting meet(S tau, S& h, StepReport<S>& report, const std::function<bool()>& is_event_pending);
    void leave();     // after a step that ends at one
    void pass(S tau); // what the point `work` has met
    bool pass_nearest();
    // The run ends at the point `work`: what switches there has the value that its formula has at the point itself, and
    // what depends on it follows. False: the run is over.
    bool settle_at_end(S t);
    void follow_jump(S tau, S t);
    void restart_at(S tau, S t); // the stepper at the point `work`, with the modes there
    void forget_met() {          // nothing is met where a step begins
        if (watch_) watch_->take_group(S(-1));
    }
    void forget(S t) {
        if (watch_) watch_->forget(t);
    }
    template <class Archive> void exchange(Archive& archive) {
        if (watch_) watch_->exchange(archive);
    }

private:
    bool land(S tau, S& h, StepReport<S>& report);
    bool is_consistent_nearby(S t);
    bool follow_modes(S t, const std::vector<S>& before);
    bool follow_algebraic(S t, const std::vector<S>& before); // what may jump there
    bool leave_branch(S t);
    void move_behind(S tau, const std::vector<S>& held_before);
    void note_branch_end(S t);
    bool follow_hidden(S t, double before); // the same for what a method on the equations as they stand does not see
    double hidden_residual(S t);
    std::vector<double> row(S t); // the values of the point `work`
    void report_jump(S tau, S t, const std::vector<double>& before);
    void begin_moving(S tau, S t);
    bool move_derivatives(S tau, S t);
    S moved_from(const linalg::Vector<S>& x) const;
    void fail_derivatives(S t);
    void note_missed_switching(S t);
    // What the equations determined before, by those behind it; `held_before`: the modes before, where the point may
    // be moved by less than the tolerances tell.
    bool is_determined(S t, const std::vector<S>& held_before = {});
    void fail_sliding(S t);
    void fail_jump(S t, const std::vector<Violation>& off);
    void fail_accumulation(S t);

    RunState<S>& run_;
    AlwaysEvents<S> always_;
    ConditionWatch<S>* watch_ = nullptr;         // of the engine; null until they begin
    std::optional<HiddenConstraints<S>> hidden_; // where conditions are, of a method that does not see them
    bool has_noted_ = false;
    bool is_met_ = false;
    struct { // the side before a surface, for derivatives of the solution
        linalg::Vector<S> direction, point;
        std::vector<S> held;
    } moving_;
};

extern template class RunConditions<double>;
extern template class RunConditions<Quad>;

} // namespace vessiot
