// Events of a run: what is met in a step and in which order, where a step ends early, and how the run goes on after an
// event that sets values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "event/ticks.hpp"
#include "event/watch.hpp"
#include "event/zeno.hpp"
#include "solve/run/parts/conditions.hpp"
#include "solve/run/parts/reporter.hpp"
#include "solve/run/parts/state.hpp"

namespace vessiot {

template <class S> class RunEvents {
public:
    // Throws InvalidInput where events at given times do not fit the run.
    RunEvents(RunState<S>& run, Reporter<S>& reporter, RunConditions<S>& conditions);

    bool is_empty() const { return watch_.is_empty(); }
    bool has_ticks() const { return !ticks_.is_empty(); }
    // The run begins, or goes on after a jump at the events `met`.
    void begin(S t, const S* x, std::span<const std::size_t> met = {});
    void start_at(S tau) { last_jump_ = tau; }
    void begin_ticks(); // those at the start
    // Contacts that touch at the start point; throws InvalidInput where they overlap. Before anything else.
    void begin_contacts();
    S limited(S h); // by the next event at a given time
    // The first event, up to theta_end, that ends the step: it stops the run or sets values.
    std::optional<EventCrossing<S>> find(S theta_end, StepEnd end);
    void finish_at(const EventCrossing<S>& c, S residual);
    // Has one that ends steps come to zero where the stepper is, up to round-off, and is it not counted yet?
    bool is_one_pending();
    void try_again(); // the last step, with a part of it
    template <class Archive> void exchange(Archive& archive) {
        archive.part("watch", 1, [&] { watch_.exchange(archive); });
        archive.part("zeno", 1, [&] { zeno_.exchange(archive); });
        archive.part("ticks", 1, [&] { ticks_.exchange(archive); });
        archive.fixed("is_flat", is_flat_);
        archive.fixed("is_noted", is_noted_);
        archive("last_jump", last_jump_);
        archive("n_events", n_events_);
        archive("n_at_once", n_at_once_);
        archive("last_impact", last_impact_);
        archive("n_tries", n_tries_);
        archive("n_fast", n_fast_);
        archive.fixed("largest_gap", largest_gap_);
    }

private:
    EventFunctions<S>& functions() const { return run_.engine.events; }
    // At the point x; with the values after it where it sets some. False: there are too many.
    bool record(std::size_t event, S tau, const linalg::Vector<S>& x, const std::vector<double>& after = {});
    void make_ticks(); // of the events at given times
    bool is_tick(const EventCrossing<S>& c) const { return functions().interval(c.event) > S(0); }
    S tau_of(const EventCrossing<S>& c) const {
        return is_tick(c) ? run_.attempt.tick : run_.curve.segment.tau_at(c.theta);
    }
    S same_place() const;
    void add_ticks();                         // to the crossings in a step
    void point_of(const EventCrossing<S>& c); // into `work`
    // Is the last step too long to show what an event does in it? The curve and the rate of the event's function
    // contradict each other.
    bool is_doubtful();
    bool is_doubtful(const EventCrossing<S>& c);
    void note_flat_events();
    void note_missed_crossings();
    void jump(S tau, S t);                     // of the events in group_, from the point `work`
    std::string touch(S tau, S t);             // the contacts among them
    bool is_touched() const;                   // some are contacts
    bool are_contacts_kept(S tau);             // false: the run is over
    void go_on_from(S tau, S t, bool is_tick); // the point `work`
    void fail_event_side();
    void fail_zeno(const std::string& event, S t, const ZenoWatch::Accumulation& found);

    RunState<S>& run_;
    Reporter<S>& reporter_;
    RunConditions<S>& conditions_;
    EventWatch<S> watch_;
    std::vector<char> is_noted_; // events of which crossings may have been missed
    std::vector<S> values_, rates_;
    std::vector<S> rates_before_; // at the crossing that ends a step
    std::vector<S> largest_gap_;  // of contacts
    std::vector<EventCrossing<S>> crossings_;
    std::vector<char> is_flat_;      // events that were zero along the last step
    std::vector<std::size_t> group_; // events at one point, where a step ends early
    Ticks<S> ticks_;
    ZenoWatch zeno_;
    S last_jump_ = 0; // tau of it
    S last_impact_ = 0;
    int n_fast_ = 0; // impacts that followed each other at once
    std::int64_t n_events_ = 0, n_at_once_ = 0;
    struct {
        std::size_t event = static_cast<std::size_t>(-1);
        S tau = 0;
        linalg::Vector<S> x{};
    } last_;                   // that was recorded
    std::size_t doubtful_ = 0; // the event of which a step shows something else than its rate
    int n_tries_ = 0;          // of a step again, for an event in it
};

extern template class RunEvents<double>;
extern template class RunEvents<Quad>;

} // namespace vessiot
