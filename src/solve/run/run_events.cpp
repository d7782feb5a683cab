// Events of a run: what is met in a step and in which order, where a step ends early, and how the run goes on after an
// event that sets values.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/run.hpp"

namespace vessiot {

namespace {

constexpr int most_jumps_at_once = 100;
constexpr int most_jump_notes = 5; // about branches that end
constexpr int most_tries = 50;     // of a step, each half as long as the one before

} // namespace

template <class S> void Run<S>::make_ticks() {
    for (std::size_t e = 0; e < events_.size(); ++e) {
        if (!(events_.interval(e) > S(0))) continue;
        const std::string& name = problem_->system().events[e].name;
        if (is_arclength_)
            throw InvalidInput(fmt::format("the event '{}' happens at given times, and the run is made in arclength, "
                                           "where {} may turn: leave out one of them",
                                           name, solution_.independent));
        if (control_.goes_past_end)
            throw InvalidInput(fmt::format("the event '{}' happens at given times, where a step has to end, and "
                                           "--control {} makes steps past the end: leave out one of them",
                                           name, name_or_auto(options_.control)));
        ticks_.add(e, events_.interval(e));
    }
}

// NOTE: what stops a run does not stop it before it has begun.
template <class S> void Run<S>::begin_ticks() {
    group_.clear();
    ticks_.take(span_.t0, group_);
    if (group_.empty()) return;
    std::copy_n(start_.u.data(), problem_->n_state(), work_.data());
    if (std::ranges::any_of(group_, [&](std::size_t e) { return events_.has_reset(e); }))
        return jump(span_.t0, span_.t0);
    for (const std::size_t e : group_)
        if (!record_event(e, span_.t0, work_)) return;
}

template <class S> void Run<S>::begin_events(S t, const S* x, std::span<const std::size_t> met) {
    events_.values(t, x, event_values_.data());
    events_.rates(t, x, event_rates_.data());
    for (S& rate : event_rates_) rate *= direction_;
    for (const std::size_t e : met) { // what a jump leaves of a rate may be noise
        const S least = S(1000) * linalg::epsilon<S>() * linalg::absolute(rates_before_[e]);
        if (!(linalg::absolute(event_rates_[e]) > least)) event_rates_[e] = S(0);
    }
    event_watch_.begin(event_values_.data(), is_arclength_ ? nullptr : event_rates_.data(), met);
}

template <class S> std::optional<EventCrossing<S>> Run<S>::find_events(S theta_end, StepEnd end) {
    tries_again_ = false;
    if (event_watch_.is_empty()) return std::nullopt;
    struct Probe {
        Run& run;
        S rtol, atol;
        void evaluate(S theta, S* v) {
            run.events_.values(run.time_of(run.segment_.tau_at(theta), run.work_.data()), run.work_.data(), v);
        }
        void values(S theta, S* v) {
            run.point_at(theta, run.work_);
            evaluate(theta, v);
        }
        bool has_range(std::size_t e) const { return run.event_ranges_.has(e); }
        expr::Range range(std::size_t e, S a, S b) { return run.event_ranges_(e, run.segment_, a, b); }
        void rough(S theta, S* v) {
            run.segment_.at(theta, run.work_.data());
            evaluate(theta, v);
        }
        void terms(S theta, S* v) {
            run.segment_.at(theta, run.work_.data());
            run.events_.terms(run.time_of(run.segment_.tau_at(theta), run.work_.data()), run.work_.data(), v);
        }
    };
    Probe probe{*this, S(options_.rtol), S(options_.atol)};
    const S tau = segment_.tau_at(S(1)), *x = stepper_->point();
    const S t = is_last_ && !is_arclength_ ? span_.t1 : is_tick_ ? tick_ : time_of(tau, x);
    events_.values(t, x, event_values_.data());
    event_watch_.keep();
    event_watch_.find(probe, segment_.tau(), segment_.h(), event_values_.data(), end, crossings_);
    tries_again_ = !has_segment_ && !is_arclength_ && !control_.goes_past_end && is_doubtful();
    if (tries_again_) return std::nullopt;
    n_tries_ = 0;
    note_flat_events();
    note_missed_crossings();
    if (theta_end == S(1)) add_ticks();
    // where the step is cut, what happens there up to round-off happens before other equations hold
    const S reach = theta_end < S(1) ? theta_end + same_place() : S(1);
    for (const EventCrossing<S>& c : crossings_) {
        if (c.theta > reach) break;
        if (events_.ends_step(c.event)) return c;
        point_of(c);
        if (!record_event(c.event, tau_of(c), work_)) return std::nullopt;
    }
    return std::nullopt;
}

// Of parts of the last step: what differs by less is one.
template <class S> S Run<S>::same_place() const {
    return S(64) * linalg::epsilon<S>() * (S(1) + linalg::absolute(segment_.tau_at(S(1)) / segment_.h()));
}

// Those at the end of the step, behind all crossings in it.
template <class S> void Run<S>::add_ticks() {
    if (!is_tick_) return;
    group_.clear();
    ticks_.take(tick_, group_);
    for (const std::size_t e : group_) crossings_.push_back({e, S(1), ZeroKind::touch});
    std::ranges::sort(crossings_, {}, [](const EventCrossing<S>& c) { return std::pair(c.theta, c.event); });
}

template <class S> void Run<S>::point_of(const EventCrossing<S>& c) {
    if (is_tick(c))
        std::copy_n(stepper_->point(), problem_->n_state(), work_.data());
    else
        point_at(c.theta, work_);
}

template <class S> bool Run<S>::is_doubtful() {
    for (doubtful_ = 0; doubtful_ < events_.size(); ++doubtful_)
        if (events_.ends_step(doubtful_) && event_watch_.is_lead_lost(doubtful_)) return true;
    const auto first =
        std::ranges::find_if(crossings_, [&](const EventCrossing<S>& c) { return events_.ends_step(c.event); });
    if (first == crossings_.end()) return false;
    doubtful_ = first->event;
    return is_doubtful(*first);
}

// NOTE: a function that jumps over zero has any rate.
template <class S> bool Run<S>::is_doubtful(const EventCrossing<S>& c) {
    if (c.kind == ZeroKind::touch) return false;
    constexpr double small = 1e-6; // of the function on the step
    const S noise = S(1000) * linalg::epsilon<S>();
    point_at(c.theta, work_);
    const S t = time_of(segment_.tau_at(c.theta), work_.data()), scale = event_watch_.scale(c.event);
    events_.values(t, work_.data(), event_values_.data());
    if (!(linalg::absolute(event_values_[c.event]) <= S(small) * scale)) return false;
    events_.rates(t, work_.data(), event_rates_.data());
    rates_before_ = event_rates_;
    const S rise = event_rates_[c.event] * segment_.h();
    return c.kind == ZeroKind::rising ? rise < -noise * scale : rise > noise * scale;
}

template <class S> void Run<S>::try_again() {
    Stats& stats = solution_.stats;
    --stats.steps;
    ++stats.rejected;
    ++stats.rejected_error;
    event_watch_.go_back();
    if (++n_tries_ > most_tries) return fail_event_side();
    const S tau = segment_.tau(), h = segment_.h() / S(2);
    segment_.at(S(0), work_.data());
    if (conditions_) conditions_->take_group(S(-1)); // nothing is met where it begins
    restart_at(tau, tau);
    grid_ = grid_before_;
    h_ = part_ = h;
    is_last_ = false;
}

template <class S> void Run<S>::fail_event_side() {
    fail(fmt::format("the run ended at {} = {}: there the function of the event '{}' goes one way by its rate and the "
                     "other way on the curve of {}, however small the steps are. Try a method of higher order",
                     solution_.independent, show(segment_.tau()), problem_->system().events[doubtful_].name,
                     solution_.method.name));
}

template <class S> void Run<S>::note_flat_events() {
    for (std::size_t e = 0; e < events_.size(); ++e) {
        const bool is_flat = event_watch_.is_flat(e);
        if (is_flat && !is_flat_[e]) {
            const S t = is_arclength_ ? segment_.at(S(0), problem_->n_state()) : segment_.tau();
            note_place(fmt::format("the event '{}' stays zero from about {} = ", problem_->system().events[e].name,
                                   solution_.independent),
                       show(t), " on: it is not counted there");
        }
        is_flat_[e] = is_flat;
    }
}

template <class S> void Run<S>::note_missed_crossings() {
    if (!event_watch_.is_unsure()) return;
    const std::size_t e = event_watch_.unsure_event();
    if (is_noted_[e]) return;
    is_noted_[e] = 1;
    segment_.at(event_watch_.unsure_from(), work_.data());
    const S t = time_of(segment_.tau_at(event_watch_.unsure_from()), work_.data());
    solution_.notes.push_back(fmt::format(
        "warning: it is not sure that all crossings of the event '{}' are found: near {} = {} it changes too fast for "
        "the steps there. Smaller steps (--h-max) find more of them",
        problem_->system().events[e].name, solution_.independent, show(t)));
}

template <class S>
bool Run<S>::record_event(std::size_t event, S tau, const linalg::Vector<S>& x, const std::vector<double>& after) {
    const S t = time_of(tau, x.data());
    if (++n_events_ > options_.max_events) {
        fail(fmt::format("{} of events by {} = {} (the last one is '{}'), which is the limit. A larger --max-events "
                         "allows more; an event with `stop` ends the run",
                         plural(static_cast<std::size_t>(options_.max_events), "crossing"), solution_.independent,
                         show(t), problem_->system().events[event].name));
        return false;
    }
    if (span_.section == event)
        recorder_.add(solution_, t, linalg::absolute(tau), x.data());
    else
        recorder_.add_event(solution_, event, t, x.data(), after);
    if (options_.on_event) show_event(event, t, x.data(), after);
    return true;
}

// The step ends there: in the order of the model, all events at that point are met.
template <class S> void Run<S>::finish_at_event(const EventCrossing<S>& c, S residual) {
    const System& system = problem_->system();
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
    report_between(c.theta, !is_stop);
    point_of(c);
    const S t = time_of(tau, work_.data());
    segment_.cut(c.theta);
    keep_segment();
    recorder_.add_step(solution_,
                       {static_cast<double>(t), static_cast<double>(linalg::absolute(c.theta * segment_.h())),
                        projection_ ? static_cast<double>(residual) : recorder_.residual(t, work_.data())});
    if (reports_steps()) recorder_.add(solution_, t, linalg::absolute(tau), work_.data());
    if (conservation_ && !was_conserved(tau, t)) return;
    observe(t, work_.data());
    if (is_stop) {
        for (const std::size_t e : group_)
            if (!record_event(e, tau, work_)) return;
        return succeed(fmt::format("stopped by the event '{}' at {} = {}", system.events[stop].name,
                                   solution_.independent, show(t)));
    }
    if (is_arclength_) forward_ = direction_ * segment_.slope(c.theta, problem_->n_state()) < S(0) ? -1 : 1;
    jump(tau, t);
}

template <class S> void Run<S>::jump(S tau, S t) {
    const System& system = problem_->system();
    const linalg::Vector<S> before = work_;
    const std::span<S> constants = problem_->jets().constants();
    std::vector<S> others(constants.begin(), constants.end()); // before it, and while that is recorded, after it
    std::string wrong;
    const auto n_jumps = std::ranges::count_if(group_, [&](std::size_t e) { return events_.has_reset(e); });
    if (problem_->base() && n_jumps > 1)
        wrong =
            "several events set values at this point, where derivatives of the solution by parameters do not exist: "
            "for other parameters one of them is met before the other. Leave out --sensitivity";
    for (const std::size_t e : group_)
        if (events_.has_reset(e) && wrong.empty()) {
            wrong = (*engine_.jump)(e, t, work_);
            const auto is_like = [](const std::string& note) { return note.starts_with("after the event '"); };
            if (!engine_.jump->note().empty() && std::ranges::count_if(solution_.notes, is_like) < most_jump_notes)
                solution_.notes.push_back(engine_.jump->note());
        }
    if (conditions_ && wrong.empty()) follow_jump(tau, t);
    if (is_over_) return;
    std::vector<double> after;
    recorder_.values(t, work_.data(), after);
    std::ranges::swap_ranges(constants, others);
    for (const std::size_t e : group_) {
        const bool has_after = events_.has_reset(e) && wrong.empty();
        if (!record_event(e, tau, before, has_after ? after : std::vector<double>{})) return;
    }
    if (wrong.empty()) std::ranges::swap_ranges(constants, others);
    if (!wrong.empty()) return fail(fmt::format("the run ended at {} = {}: {}", solution_.independent, show(t), wrong));
    if (reports_steps()) recorder_.add(solution_, t, linalg::absolute(tau), work_.data());
    const bool is_tick = std::ranges::any_of(group_, [&](std::size_t e) { return events_.interval(e) > S(0); });
    const auto interval = static_cast<double>(linalg::absolute(tau - last_jump_));
    const double round_off = static_cast<double>(S(64) * linalg::epsilon<S>() * linalg::absolute(tau));
    n_at_once_ = interval <= round_off ? n_at_once_ + 1 : 0;
    const std::string& name = system.events[group_.front()].name;
    go_on_from(tau, t, is_tick);
    if (n_at_once_ > most_jumps_at_once)
        return fail(fmt::format("the run ended at {} = {}: the event '{}' is met there again and again, since it is "
                                "crossed at once after what it sets. Set values that lie on one side of it",
                                solution_.independent, show(t), name));
    if (interval > round_off && !is_tick)
        if (const auto found = zeno_.add(interval)) return fail_zeno(name, t, *found);
    const S rest = (span_.t1 - t) * direction_;
    if (is_arclength_ || rest > S(8) * linalg::epsilon<S>() * linalg::absolute(span_.t1)) return;
    // the event is at the end of the interval
    for (; next_time_ < span_.times.size(); ++next_time_) recorder_.add(solution_, span_.t1, S(0), work_.data());
    succeed(fmt::format("reached {} = {}", solution_.independent, show(t)));
}

// NOTE: steps after a jump are no longer than the time since the last one: events tend to come back, and what comes
// back within a small part of a step is easily overlooked.
template <class S> void Run<S>::go_on_from(S tau, S t, bool is_tick) {
    if (is_arclength_) work_[problem_->n_state()] = t;
    restart_at(tau, t);
    begin_events(t, work_.data(), group_);
    grid_ = {tau, grid_.step};
    is_last_ = false;
    if (is_tick) return;
    const S interval = linalg::absolute(tau - last_jump_);
    const S shortest = S(1000) * linalg::epsilon<S>() * linalg::absolute(tau);
    if (is_adaptive_) h_ = direction_ * std::min(linalg::absolute(h_), std::max(interval, shortest));
    last_jump_ = tau;
}

template <class S> void Run<S>::fail_zeno(const std::string& event, S t, const ZenoWatch::Accumulation& found) {
    const S at = t + direction_ * S(found.rest);
    fail(
        fmt::format("the event '{0}' is met faster and faster: the time between its jumps shrinks by a factor of about "
                    "{1:.3g}, and they accumulate at {2} = {3:.8g}, beyond which nothing is said. End the run before, "
                    "with an event that has `stop` (a speed that gets small, say) or --to",
                    event, found.factor, solution_.independent, static_cast<double>(at)));
}

template std::optional<EventCrossing<double>> Run<double>::find_events(double, StepEnd);
template std::optional<EventCrossing<expr::Quad>> Run<expr::Quad>::find_events(expr::Quad, StepEnd);
template void Run<double>::make_ticks();
template void Run<expr::Quad>::make_ticks();
template void Run<double>::begin_ticks();
template void Run<expr::Quad>::begin_ticks();
template void Run<double>::begin_events(double, const double*, std::span<const std::size_t>);
template void Run<expr::Quad>::begin_events(expr::Quad, const expr::Quad*, std::span<const std::size_t>);
template void Run<double>::try_again();
template void Run<expr::Quad>::try_again();
template void Run<double>::finish_at_event(const EventCrossing<double>&, double);
template void Run<expr::Quad>::finish_at_event(const EventCrossing<expr::Quad>&, expr::Quad);

} // namespace vessiot
