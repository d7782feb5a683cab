#include "solve/run/parts/events.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

namespace {

constexpr int most_jumps_at_once = 100;
constexpr int most_jump_notes = 5;        // about branches that end
constexpr double shortest_bounce = 4e-14; // of the time, or of the interval: what follows is one with its end
constexpr int most_tries = 50;            // of a step, each half as long as the one before

// The functions of events along the last step, as EventWatch asks for them.
template <class S> struct EventProbe {
    RunState<S>& run;
    S rtol, atol;
    void evaluate(S theta, S* v) {
        run.engine.events.values(run.time_of(run.curve.segment.tau_at(theta), run.work.data()), run.work.data(), v);
    }
    void values(S theta, S* v) {
        run.point_at(theta, run.work);
        evaluate(theta, v);
    }
    bool has_range(std::size_t e) const { return run.engine.event_ranges.has(e); }
    expr::Range range(std::size_t e, S a, S b) { return run.engine.event_ranges(e, run.curve.segment, a, b); }
    void rough(S theta, S* v) {
        run.curve.segment.at(theta, run.work.data());
        evaluate(theta, v);
    }
    void terms(S theta, S* v) {
        run.curve.segment.at(theta, run.work.data());
        run.engine.events.terms(run.time_of(run.curve.segment.tau_at(theta), run.work.data()), run.work.data(), v);
    }
};

} // namespace

template <class S>
RunEvents<S>::RunEvents(RunState<S>& run, Reporter<S>& reporter, RunConditions<S>& conditions)
    : run_(run), reporter_(reporter), conditions_(conditions), watch_(run.problem().system().events),
      is_noted_(functions().size()), values_(functions().size()), rates_(functions().size()),
      rates_before_(functions().size()), largest_gap_(functions().size()), is_flat_(functions().size()),
      ticks_(run.span.t0, run.span.t1) {
    make_ticks();
}

template <class S> void RunEvents<S>::make_ticks() {
    for (std::size_t e = 0; e < functions().size(); ++e) {
        if (!(functions().interval(e) > S(0))) continue;
        const std::string& name = run_.problem().system().events[e].name;
        if (run_.is_arclength)
            throw InvalidInput(fmt::format("the event '{}' happens at given times, and the run is made in arclength, "
                                           "where {} may turn: leave out one of them",
                                           name, run_.solution.independent));
        if (run_.sizes.control.goes_past_end)
            throw InvalidInput(fmt::format("the event '{}' happens at given times, where a step has to end, and "
                                           "--control {} makes steps past the end: leave out one of them",
                                           name, name_or_auto(run_.options.control)));
        ticks_.add(e, functions().interval(e));
    }
}

// NOTE: what stops a run does not stop it before it has begun.
template <class S> void RunEvents<S>::begin_ticks() {
    group_.clear();
    ticks_.take(run_.span.t0, group_);
    if (group_.empty()) return;
    std::copy_n(run_.start.u.data(), run_.problem().n_state(), run_.work.data());
    if (std::ranges::any_of(group_, [&](std::size_t e) { return functions().has_reset(e); }))
        return jump(run_.span.t0, run_.span.t0);
    for (const std::size_t e : group_)
        if (!record(e, run_.span.t0, run_.work)) return;
}

template <class S> void RunEvents<S>::begin(S t, const S* x, std::span<const std::size_t> met) {
    functions().values(t, x, values_.data());
    functions().rates(t, x, rates_.data());
    for (S& rate : rates_) rate *= run_.direction;
    for (const std::size_t e : met) { // what a jump leaves of a rate may be noise
        const S least = S(1000) * linalg::epsilon<S>() * linalg::absolute(rates_before_[e]);
        if (!(linalg::absolute(rates_[e]) > least)) rates_[e] = S(0);
    }
    watch_.begin(values_.data(), run_.is_arclength ? nullptr : rates_.data(), met);
}

template <class S> std::optional<EventCrossing<S>> RunEvents<S>::find(S theta_end, StepEnd end) {
    run_.attempt.tries_again = false;
    if (watch_.is_empty()) return std::nullopt;
    EventProbe<S> probe{run_, S(run_.options.rtol), S(run_.options.atol)};
    const S tau = run_.curve.segment.tau_at(S(1)), *x = run_.stepper().point();
    const S t = run_.attempt.is_last && !run_.is_arclength ? run_.span.t1
                : run_.attempt.is_tick                     ? run_.attempt.tick
                                                           : run_.time_of(tau, x);
    functions().values(t, x, values_.data());
    watch_.keep();
    watch_.find(probe, run_.curve.segment.tau(), run_.curve.segment.h(), values_.data(), end, crossings_);
    run_.attempt.tries_again =
        !run_.curve.is_given && !run_.is_arclength && !run_.sizes.control.goes_past_end && is_doubtful();
    if (run_.attempt.tries_again) return std::nullopt;
    n_tries_ = 0;
    if (!are_contacts_kept(tau)) return std::nullopt;
    note_flat_events();
    note_missed_crossings();
    if (theta_end == S(1)) add_ticks();
    // where the step is cut, what happens there up to round-off happens before other equations hold
    const S reach = theta_end < S(1) ? theta_end + same_place() : S(1);
    for (const EventCrossing<S>& c : crossings_) {
        if (c.theta > reach) break;
        if (functions().ends_step(c.event)) return c;
        point_of(c);
        if (!record(c.event, tau_of(c), run_.work)) return std::nullopt;
    }
    return std::nullopt;
}

template <class S> bool RunEvents<S>::is_one_pending() {
    const S *const x = run_.stepper().point(), most = S(64) * linalg::epsilon<S>();
    bool has_terms = false;
    for (std::size_t e = 0; e < functions().size(); ++e) {
        if (!functions().ends_step(e) || functions().interval(e) > S(0) || watch_.side(e) == 0) continue;
        if (!has_terms) functions().terms(run_.t(), x, values_.data());
        has_terms = true;
        if (linalg::absolute(watch_.last(e)) <= most * values_[e]) return true;
    }
    return false;
}

// Of parts of the last step: what differs by less is one.
template <class S> S RunEvents<S>::same_place() const {
    return S(64) * linalg::epsilon<S>() *
           (S(1) + linalg::absolute(run_.curve.segment.tau_at(S(1)) / run_.curve.segment.h()));
}

// Those at the end of the step, behind all crossings in it.
template <class S> void RunEvents<S>::add_ticks() {
    if (!run_.attempt.is_tick) return;
    group_.clear();
    ticks_.take(run_.attempt.tick, group_);
    for (const std::size_t e : group_) crossings_.push_back({e, S(1), ZeroKind::touch});
    std::ranges::sort(crossings_, {}, [](const EventCrossing<S>& c) { return std::pair(c.theta, c.event); });
}

template <class S> void RunEvents<S>::point_of(const EventCrossing<S>& c) {
    if (is_tick(c))
        std::copy_n(run_.stepper().point(), run_.problem().n_state(), run_.work.data());
    else
        run_.point_at(c.theta, run_.work);
}

template <class S> bool RunEvents<S>::is_doubtful() {
    for (doubtful_ = 0; doubtful_ < functions().size(); ++doubtful_)
        if (functions().ends_step(doubtful_) && watch_.is_lead_lost(doubtful_)) return true;
    const auto first =
        std::ranges::find_if(crossings_, [&](const EventCrossing<S>& c) { return functions().ends_step(c.event); });
    if (first == crossings_.end()) return false;
    doubtful_ = first->event;
    return is_doubtful(*first);
}

// NOTE: a function that jumps over zero has any rate.
template <class S> bool RunEvents<S>::is_doubtful(const EventCrossing<S>& c) {
    if (c.kind == ZeroKind::touch) return false;
    constexpr double small = 1e-6; // of the function on the step
    const S noise = S(1000) * linalg::epsilon<S>();
    run_.point_at(c.theta, run_.work);
    const S t = run_.time_of(run_.curve.segment.tau_at(c.theta), run_.work.data()), scale = watch_.scale(c.event);
    functions().values(t, run_.work.data(), values_.data());
    if (!(linalg::absolute(values_[c.event]) <= S(small) * scale)) return false;
    functions().rates(t, run_.work.data(), rates_.data());
    rates_before_ = rates_;
    const S rise = rates_[c.event] * run_.curve.segment.h();
    return c.kind == ZeroKind::rising ? rise < -noise * scale : rise > noise * scale;
}

template <class S> void RunEvents<S>::try_again() {
    Stats& stats = run_.solution.stats;
    --stats.steps;
    ++stats.rejected;
    ++stats.rejected_error;
    watch_.go_back();
    if (++n_tries_ > most_tries) return fail_event_side();
    const S tau = run_.curve.segment.tau(), h = run_.curve.segment.h() / S(2);
    run_.curve.segment.at(S(0), run_.work.data());
    conditions_.forget_met();
    conditions_.restart_at(tau, tau);
    run_.sizes.grid = run_.sizes.grid_before;
    run_.sizes.h = run_.sizes.part = h;
    run_.attempt.is_last = false;
}

template <class S> void RunEvents<S>::fail_event_side() {
    run_.fail(
        fmt::format("the run ended at {} = {}: there the function of the event '{}' goes one way by its rate and the "
                    "other way on the curve of {}, however small the steps are. Try a method of higher order",
                    run_.solution.independent, run_.show(run_.curve.segment.tau()),
                    run_.problem().system().events[doubtful_].name, run_.solution.method.name));
}

template <class S> void RunEvents<S>::note_flat_events() {
    for (std::size_t e = 0; e < functions().size(); ++e) {
        const bool is_flat = watch_.is_flat(e);
        if (is_flat && !is_flat_[e]) {
            const S t =
                run_.is_arclength ? run_.curve.segment.at(S(0), run_.problem().n_state()) : run_.curve.segment.tau();
            run_.note_place(fmt::format("the event '{}' stays zero from about {} = ",
                                        run_.problem().system().events[e].name, run_.solution.independent),
                            run_.show(t), " on: it is not counted there");
        }
        is_flat_[e] = is_flat;
    }
}

template <class S> void RunEvents<S>::note_missed_crossings() {
    if (!watch_.is_unsure()) return;
    const std::size_t e = watch_.unsure_event();
    if (is_noted_[e]) return;
    is_noted_[e] = 1;
    run_.curve.segment.at(watch_.unsure_from(), run_.work.data());
    const S t = run_.time_of(run_.curve.segment.tau_at(watch_.unsure_from()), run_.work.data());
    run_.solution.notes.push_back(fmt::format(
        "warning: it is not sure that all crossings of the event '{}' are found: near {} = {} it changes too fast for "
        "the steps there. Smaller steps (--h-max) find more of them",
        run_.problem().system().events[e].name, run_.solution.independent, run_.show(t)));
}

// Up to round-off.
template <class S>
bool is_same_crossing(S tau, const linalg::Vector<S>& x, S other_tau, const linalg::Vector<S>& other) {
    const S part = S(16) * linalg::epsilon<S>();
    if (x.size() != other.size() || linalg::absolute(other_tau - tau) > part * linalg::absolute(tau)) return false;
    S size = 0, distance = 0;
    for (std::int64_t k = 0; k < x.size(); ++k) {
        size = std::max(size, linalg::absolute(x[k]));
        distance = std::max(distance, linalg::absolute(other[k] - x[k]));
    }
    return distance <= part * size;
}

template <class S>
bool RunEvents<S>::record(std::size_t event, S tau, const linalg::Vector<S>& x, const std::vector<double>& after) {
    const S t = run_.time_of(tau, x.data());
    // NOTE: near a condition a step may be made again from before the event, which then is met again: it is one
    if (last_.event == event && is_same_crossing(last_.tau, last_.x, tau, x)) return true;
    last_ = {event, tau, x};
    if (++n_events_ > run_.options.max_events) {
        run_.fail(
            fmt::format("{} of events by {} = {} (the last one is '{}'), which is the limit. A larger --max-events "
                        "allows more; an event with `stop` ends the run",
                        plural(static_cast<std::size_t>(run_.options.max_events), "crossing"),
                        run_.solution.independent, run_.show(t), run_.problem().system().events[event].name));
        return false;
    }
    if (run_.span.section == event)
        run_.recorder().add(run_.solution, t, linalg::absolute(tau), x.data());
    else
        run_.recorder().add_event(run_.solution, event, t, x.data(), after);
    if (run_.options.on_event) run_.show_event(event, t, x.data(), after);
    return true;
}

// The step ends there: in the order of the model, all events at that point are met.
template <class S> void RunEvents<S>::finish_at(const EventCrossing<S>& c, S residual) {
    const System& system = run_.problem().system();
    const S tau = tau_of(c);
    const S same = same_place();
    std::size_t stop = system.events[c.event].is_stop ? c.event : system.events.size();
    group_.assign(1, c.event);
    const auto first = std::ranges::find_if(
        crossings_, [&](const EventCrossing<S>& k) { return k.event == c.event && k.theta == c.theta; });
    for (auto k = first + 1; k < crossings_.end(); ++k) {
        if (k->theta - c.theta > same) {
            if (is_tick(*k)) ticks_.give_back(k->event); // not there yet
            continue;
        }
        group_.push_back(k->event);
        if (system.events[k->event].is_stop) stop = std::min(stop, k->event);
    }
    std::ranges::sort(group_);
    const bool is_stop = stop < system.events.size();
    reporter_.report_between(c.theta, !is_stop);
    point_of(c);
    const S t = run_.time_of(tau, run_.work.data());
    run_.curve.segment.cut(c.theta);
    run_.curve.keep();
    run_.recorder().add_step(
        run_.solution,
        {static_cast<double>(t), static_cast<double>(linalg::absolute(c.theta * run_.curve.segment.h())),
         run_.projection() ? static_cast<double>(residual) : run_.recorder().residual(t, run_.work.data())});
    if (run_.reports_steps()) run_.recorder().add(run_.solution, t, linalg::absolute(tau), run_.work.data());
    if (run_.conservation() && !run_.was_conserved(tau, t)) return;
    run_.observe(t, run_.work.data());
    if (is_stop) {
        for (const std::size_t e : group_)
            if (!record(e, tau, run_.work)) return;
        return run_.succeed(fmt::format("stopped by the event '{}' at {} = {}", system.events[stop].name,
                                        run_.solution.independent, run_.show(t)));
    }
    if (run_.is_arclength)
        run_.forward = run_.direction * run_.curve.segment.slope(c.theta, run_.problem().n_state()) < S(0) ? -1 : 1;
    jump(tau, t);
}

template <class S> void RunEvents<S>::jump(S tau, S t) {
    const System& system = run_.problem().system();
    const linalg::Vector<S> before = run_.work;
    const std::span<S> constants = run_.problem().jets().constants();
    std::vector<S> others(constants.begin(), constants.end()); // before it, and while that is recorded, after it
    std::string wrong;
    const auto n_jumps = std::ranges::count_if(group_, [&](std::size_t e) { return functions().has_reset(e); });
    if (run_.problem().base() && n_jumps > 1)
        wrong =
            "several events set values at this point, where derivatives of the solution by parameters do not exist: "
            "for other parameters one of them is met before the other. Leave out --sensitivity";
    for (const std::size_t e : group_)
        if (functions().has_reset(e) && wrong.empty()) {
            wrong = (*run_.engine.jump)(e, t, run_.work);
            const auto is_like = [](const std::string& note) { return note.starts_with("after the event '"); };
            if (!run_.engine.jump->note().empty() &&
                std::ranges::count_if(run_.solution.notes, is_like) < most_jump_notes)
                run_.solution.notes.push_back(run_.engine.jump->note());
        }
    if (wrong.empty() && run_.engine.jump->contacts() && (n_jumps > 0 || is_touched())) wrong = touch(tau, t);
    if (conditions_ && wrong.empty()) conditions_.follow_jump(tau, t);
    if (run_.is_over || (wrong.empty() && !conditions_.settle_always(t))) return;
    std::vector<double> after;
    run_.recorder().values(t, run_.work.data(), after);
    std::ranges::swap_ranges(constants, others);
    for (const std::size_t e : group_) {
        const bool has_after = (functions().has_reset(e) || functions().contact(e)) && wrong.empty();
        if (!record(e, tau, before, has_after ? after : std::vector<double>{})) return;
    }
    if (wrong.empty()) std::ranges::swap_ranges(constants, others);
    if (!wrong.empty())
        return run_.fail(fmt::format("the run ended at {} = {}: {}", run_.solution.independent, run_.show(t), wrong));
    if (run_.reports_steps()) run_.recorder().add(run_.solution, t, linalg::absolute(tau), run_.work.data());
    const bool is_tick = std::ranges::any_of(group_, [&](std::size_t e) { return functions().interval(e) > S(0); });
    const auto interval = static_cast<double>(linalg::absolute(tau - last_jump_));
    const double round_off = static_cast<double>(S(64) * linalg::epsilon<S>() * linalg::absolute(tau));
    n_at_once_ = interval <= round_off ? n_at_once_ + 1 : 0;
    const std::string& name = system.events[group_.front()].name;
    go_on_from(tau, t, is_tick);
    if (n_at_once_ > most_jumps_at_once)
        return run_.fail(
            fmt::format("the run ended at {} = {}: the event '{}' is met there again and again, since it is "
                        "crossed at once after what it sets. Set values that lie on one side of it",
                        run_.solution.independent, run_.show(t), name));
    if (interval > round_off && !is_tick && !is_touched())
        if (const auto found = zeno_.add(interval)) return fail_zeno(name, t, *found);
    const S rest = (run_.span.t1 - t) * run_.direction;
    if (run_.is_arclength || rest > S(8) * linalg::epsilon<S>() * linalg::absolute(run_.span.t1)) return;
    // the event is at the end of the interval
    for (; run_.next_time < run_.span.times.size(); ++run_.next_time)
        run_.recorder().add(run_.solution, run_.span.t1, S(0), run_.work.data());
    run_.succeed(fmt::format("reached {} = {}", run_.solution.independent, run_.show(t)));
}

// At the end of a step: a contact that was missed is no result.
template <class S> bool RunEvents<S>::are_contacts_kept(S tau) {
    constexpr double deep = 1e-6; // of the largest gap so far
    for (std::size_t e = 0; e < functions().size(); ++e) {
        const ContactEvent* contact = functions().contact(e);
        if (!contact || contact->change != ContactChange::hit) continue;
        largest_gap_[e] = std::max(largest_gap_[e], values_[e]);
        const bool is_met = std::ranges::any_of(crossings_, [&](const EventCrossing<S>& c) { return c.event == e; });
        if (is_met || !(values_[e] < S(-deep) * largest_gap_[e])) continue;
        run_.fail(fmt::format("the run ended at {} = {}: the contact '{}' is passed through, by {:.3g}. Smaller steps "
                              "(--h-max) or tighter tolerances show where it is met",
                              run_.solution.independent, run_.show(tau), run_.problem().system().events[e].name,
                              static_cast<double>(-values_[e])));
        return false;
    }
    return true;
}

template <class S> bool RunEvents<S>::is_touched() const {
    return std::ranges::any_of(group_, [&](std::size_t e) { return functions().contact(e) != nullptr; });
}

template <class S> std::string RunEvents<S>::touch(S tau, S t) {
    constexpr int most_fast = 20;
    std::vector<ContactEvent> met;
    for (const std::size_t e : group_)
        if (const ContactEvent* c = functions().contact(e)) met.push_back(*c);
    Jump<S>& law = *run_.engine.jump;
    typename ContactLaw<S>::Circumstances now;
    now.t = t;
    now.span = linalg::absolute(run_.span.t1 - run_.span.t0);
    now.shortest = S(shortest_bounce) * std::max(linalg::absolute(t), now.span);
    now.settles = n_fast_ >= most_fast;
    std::string wrong = law.touch(now, met, run_.work);
    if (law.contacts()->was_impact()) {
        const bool is_fast = n_events_ > 0 && linalg::absolute(tau - last_impact_) <= now.shortest;
        n_fast_ = is_fast && !now.settles ? n_fast_ + 1 : 0;
        last_impact_ = tau;
    }
    const auto is_like = [](const std::string& note) { return note.starts_with("with its coefficients"); };
    if (!law.note().empty() && std::ranges::none_of(run_.solution.notes, is_like))
        run_.solution.notes.push_back(law.note());
    return wrong;
}

template <class S> void RunEvents<S>::begin_contacts() {
    if (!run_.engine.jump || !run_.engine.jump->contacts()) return;
    ContactLaw<S>& law = *run_.engine.jump->contacts();
    law.check_start(run_.span.t0, run_.start.u.data());
    if (!law.touches(run_.span.t0, run_.start.u.data())) return;
    std::copy_n(run_.start.u.data(), run_.problem().n_state(), run_.work.data());
    group_.clear();
    if (const std::string wrong = touch(run_.span.t0, run_.span.t0); !wrong.empty()) throw InvalidInput(wrong);
    std::copy_n(run_.work.data(), run_.problem().n_state(), run_.start.u.data());
}

// NOTE: steps after a jump are no longer than the time since the last one: events tend to come back, and what comes
// back within a small part of a step is easily overlooked.
template <class S> void RunEvents<S>::go_on_from(S tau, S t, bool is_tick) {
    if (run_.is_arclength) run_.work[run_.problem().n_state()] = t;
    conditions_.restart_at(tau, t);
    begin(t, run_.work.data(), group_);
    run_.sizes.grid = {tau, run_.sizes.grid.step};
    run_.attempt.is_last = false;
    if (is_tick) return;
    const S interval = linalg::absolute(tau - last_jump_);
    const S shortest = S(1000) * linalg::epsilon<S>() * linalg::absolute(tau);
    if (run_.sizes.is_adaptive)
        run_.sizes.h = run_.direction * std::min(linalg::absolute(run_.sizes.h), std::max(interval, shortest));
    last_jump_ = tau;
}

template <class S> void RunEvents<S>::fail_zeno(const std::string& event, S t, const ZenoWatch::Accumulation& found) {
    const S at = t + run_.direction * S(found.rest);
    run_.fail(
        fmt::format("the event '{0}' is met faster and faster: the time between its jumps shrinks by a factor of about "
                    "{1:.3g}, and they accumulate at {2} = {3:.8g}, beyond which nothing is said. End the run before, "
                    "with an event that has `stop` (a speed that gets small, say) or --to",
                    event, found.factor, run_.solution.independent, static_cast<double>(at)));
}

template <class S> S RunEvents<S>::limited(S h) {
    const std::optional<S> next = ticks_.next();
    if (run_.method().chooses_steps) run_.stepper().stop_at(next.value_or(run_.span.t1));
    if (!next) return h;
    run_.attempt.tick = *next;
    const S rest = run_.attempt.tick - run_.clock(), near = run_.sizes.is_adaptive ? S(0.01) : S(1e-9);
    if (linalg::absolute(rest) > (S(1) + near) * linalg::absolute(h)) return h;
    run_.attempt.is_tick = true;
    run_.attempt.is_last = run_.attempt.tick == run_.span.t1;
    if (run_.attempt.ends_at_switch) run_.attempt.ends_at_switch = run_.attempt.switch_at == run_.attempt.tick;
    return rest;
}

template class RunEvents<double>;
template class RunEvents<Quad>;

} // namespace vessiot
