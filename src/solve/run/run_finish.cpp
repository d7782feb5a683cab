// How a step ends that was accepted: what is recorded, which events and conditions are met, and whether the run is
// over.
#include <algorithm>

#include <fmt/format.h>

#include "event/crossing.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/run.hpp"

namespace vessiot {

template <class S> void Run<S>::finish_step(S tau, S h, S residual) {
    Stats& stats = run_.solution.stats;
    ++stats.steps;
    const S* x = run_.stepper().point();
    const S end_tau = run_.attempt.is_last && !run_.is_arclength ? run_.span.t1
                      : run_.attempt.is_tick                     ? run_.attempt.tick
                                                                 : run_.clock();
    S t = run_.time_of(end_tau, x);
    linalg::Vector<S> at_end;
    if (run_.is_arclength && run_.attempt.is_last && run_.landed(t) != t) {
        t = run_.landed(t);
        at_end = run_.end_of_curve(t);
        x = at_end.data();
    }
    // NOTE: steps at the round-off of tau, where a run in time creeps up to an impasse point, show no crossing.
    const S round_off = S(1000) * linalg::epsilon<S>() * std::max(linalg::absolute(tau), linalg::absolute(tau + h));
    if (run_.engine.watch.has_changed(t, x) && linalg::absolute(h) > round_off) {
        run_.curve.take(run_.stepper(), tau, h);
        places_.look_for_crossing();
        if (run_.is_over) return;
    }
    if (const auto divisor = run_.engine.divisors.changed(t, x)) {
        run_.curve.take(run_.stepper(), tau, h);
        places_.look_for_pole(*divisor);
        if (run_.is_over) return;
    }
    if (const auto place = run_.engine.watch.near_miss(S(run_.options.rtol))) places_.note_near_miss(*place);
    const bool may_switch = run_.attempt.is_last && conditions_;
    if (run_.curve.is_kept() || run_.is_arclength || !events_.is_empty() || run_.options.on_step ||
        reporter_.reports_inside(tau, h)) {
        run_.curve.take(run_.stepper(), tau, h);
        if (run_.is_arclength) places_.note_turns();
        if (run_.is_over) return;
        const bool is_switching = conditions_.is_met();
        // what gets to zero at a given time is met then, before or after what that sets, by the order of the model
        const auto cut = events_.find(S(1), run_.attempt.is_last                   ? StepEnd::last
                                            : is_switching || run_.attempt.is_tick ? StepEnd::switching
                                                                                   : StepEnd::inside);
        if (run_.attempt.tries_again) return events_.try_again();
        if (cut) return events_.finish_at(*cut, residual);
        // what jumps at the end itself is reported as it is behind that, with the next step
        const bool jumps_there =
            run_.attempt.ends_at_switch || may_switch ||
            ((conditions_ || !events_.is_empty()) && !run_.attempt.is_last && reporter_.reports_at_end() &&
             (is_switching || events_.is_one_pending() || conditions_.is_one_pending()));
        if (!run_.span.times.empty()) reporter_.report_between(S(1), jumps_there);
        run_.curve.keep();
    } else if (run_.attempt.is_last && run_.next_time < run_.span.times.size() && !may_switch) {
        run_.recorder().add(run_.solution, run_.span.times[run_.next_time++], S(0), x); // the end itself
    }
    run_.recorder().add_step(run_.solution,
                             {static_cast<double>(t), static_cast<double>(linalg::absolute(h)),
                              run_.projection() ? static_cast<double>(residual) : run_.recorder().residual(t, x)});
    if (run_.is_over) return; // too many events
    if (run_.reports_steps()) run_.recorder().add(run_.solution, t, linalg::absolute(run_.stepper().tau()), x);
    const bool is_behind_other = conditions_.is_met();           // other equations hold there
    const bool is_long = !choice_.at_work().family->is_explicit; // such steps cover more, and cost more than a look
    if (run_.conservation() &&
        (run_.conservation()->is_due(stats.steps, h) || run_.attempt.is_last || is_behind_other || is_long) &&
        !run_.is_conserved(t, x))
        return;
    if (!requirements_.are_met(t, x)) return;
    run_.observe(t, x);
    run_.farthest = std::max(run_.farthest, linalg::absolute(t - run_.span.t0));
    if (!run_.attempt.is_last || (may_switch && !finish_at_end(t, x))) return;
    // a curve that goes straight up is no solution: where it begins the equations leave its direction open
    if (run_.is_arclength && !run_.span.s1 && run_.farthest <= S(1e-12) * linalg::absolute(run_.span.t1 - run_.span.t0))
        return run_.fail(
            fmt::format("the run does not get away from {0} = {1}: there the equations leave the direction "
                        "of the curve open. Begin elsewhere, or try --parametrisation time",
                        run_.solution.independent, run_.show(run_.span.t0)));
    if (run_.is_arclength && linalg::absolute(t - run_.span.t0) < linalg::absolute(t - run_.span.t1) && !run_.span.s1)
        run_.succeed(fmt::format("returned to {} = {}", run_.solution.independent, run_.show(t)));
    else if (run_.is_arclength && run_.span.s1)
        run_.succeed(fmt::format("reached s = {}, {} = {}", run_.show(linalg::absolute(run_.stepper().tau())),
                                 run_.solution.independent, run_.show(t)));
    else
        run_.succeed(fmt::format("reached {} = {}", run_.solution.independent, run_.show(t)));
}

// A condition may switch at the very end: the points asked for there are those behind it.
template <class S> bool Run<S>::finish_at_end(S t, const S* x) {
    std::copy_n(x, run_.field().size(), run_.work.data());
    if (!conditions_.settle_at_end(t) || !requirements_.are_met(t, run_.work.data())) return false;
    if (run_.is_arclength) {
        for (std::size_t k = 0; k < run_.span.times.size(); ++k)
            if (run_.span.times[k] == t)
                run_.recorder().add(run_.solution, t, linalg::absolute(run_.stepper().tau()), run_.work.data());
        return true;
    }
    for (; run_.next_time < run_.span.times.size(); ++run_.next_time)
        run_.recorder().add(run_.solution, run_.span.t1, S(0), run_.work.data());
    return true;
}

template <class S> void Run<S>::finish_past_end(S tau, S h) {
    run_.curve.segment.take(run_.stepper(), tau, h);
    const std::int64_t m = run_.problem().n_state();
    S theta = run_.span.s1 ? (run_.direction * *run_.span.s1 - tau) / h : (run_.span.t1 - tau) / h;
    if (run_.is_arclength && !run_.span.s1)
        theta =
            locate([&](S at) { return run_.curve.segment.at(at, m) - run_.span.t1; }, S(0),
                   run_.curve.segment.at(S(0), m) - run_.span.t1, S(1), run_.curve.segment.at(S(1), m) - run_.span.t1);
    if (const auto cut = events_.find(theta, StepEnd::last)) return events_.finish_at(*cut, S(0));
    if (run_.is_over) return;
    reporter_.report_between(theta);
    if (run_.reports_steps()) {
        run_.point_at(theta, run_.work);
        const S end = run_.curve.segment.tau_at(theta);
        run_.recorder().add(run_.solution, run_.time_of(end, run_.work.data()), linalg::absolute(end),
                            run_.work.data());
    }
    run_.curve.segment.cut(theta);
    run_.curve.keep();
    if (run_.options.on_step) {
        run_.point_at(theta, run_.work);
        run_.observe(run_.time_of(run_.curve.segment.tau_at(theta), run_.work.data()), run_.work.data());
    }
    run_.succeed(fmt::format("reached {} = {} within step {}, which is not counted", run_.solution.independent,
                             run_.show(run_.time_of(run_.curve.segment.tau_at(theta), run_.work.data())),
                             run_.solution.stats.steps + 1));
}

// The step that the stepper accepted, up to where its segment was cut.
template <class S> void Run<S>::finish_at_condition(S h, S residual) {
    const S theta = run_.curve.segment.end();
    const S end = run_.attempt.ends_at_switch ? run_.attempt.switch_at : run_.curve.segment.tau_at(theta);
    ++run_.solution.stats.steps;
    run_.advance_grid(end);
    const auto cut = events_.find(theta, StepEnd::inside);
    if (run_.attempt.tries_again) return events_.try_again();
    if (cut) return events_.finish_at(*cut, residual);
    if (run_.is_over) return;
    if (!run_.span.times.empty()) reporter_.report_between(theta, true);
    run_.point_at(theta, run_.work);
    const S t = run_.time_of(end, run_.work.data());
    run_.curve.keep();
    run_.recorder().add_step(run_.solution, {static_cast<double>(t), static_cast<double>(linalg::absolute(theta * h)),
                                             run_.projection() ? static_cast<double>(residual)
                                                               : run_.recorder().residual(t, run_.work.data())});
    if (run_.reports_steps()) run_.recorder().add(run_.solution, t, linalg::absolute(end), run_.work.data());
    if (run_.conservation() && !run_.was_conserved(end, t)) return;
    if (!requirements_.are_met(t, run_.work.data())) return;
    run_.observe(t, run_.work.data());
    events_.begin(t, run_.work.data());
    conditions_.pass(end);
    if (!run_.is_over) requirements_.are_met(t, run_.stepper().point());
}

template <class S> bool Run<S>::leap() {
    if (run_.meter.n_attempts >= run_.options.max_steps) return false;
    const std::optional<Landing<S>> landing = run_.leap()->attempt();
    if (!landing) return false;
    const S tau = run_.stepper().tau(), h = landing->tau - tau;
    const S t = run_.time_of(landing->tau, landing->x.data());
    if ((t - run_.span.t1) * run_.direction > S(0) || (run_.span.s1 && linalg::absolute(landing->tau) > *run_.span.s1))
        return false;
    const S singular = run_.is_arclength ? run_.time_of(tau, run_.stepper().point()) : landing->singular;
    run_.note_place(fmt::format("near {} = ", run_.solution.independent),
                    fmt::format("{:.6g}", static_cast<double>(singular)),
                    " the constraints become dependent, where branches may cross; the curve goes on smoothly");
    ++run_.meter.n_attempts;
    const Segment<S> usual = run_.curve.segment;
    run_.curve.segment = Segment<S>::hermite(run_.field().size(), tau, h, run_.stepper().point(),
                                             run_.stepper().direction(), landing->x.data(), landing->dx.data());
    run_.curve.is_given = true;
    run_.attempt.is_last = false;
    run_.stepper().begin(landing->tau, landing->x.data());
    finish_step(tau, h, S(run_.recorder().residual(t, landing->x.data())));
    run_.curve.is_given = false;
    run_.curve.segment = usual;
    run_.leap()->forget();
    run_.sizes.h = h / S(2);
    return true;
}

#define VESSIOT_RUN_FINISH(S)                                                                                          \
    template void Run<S>::finish_step(S, S, S);                                                                        \
    template bool Run<S>::finish_at_end(S, const S*);                                                                  \
    template void Run<S>::finish_past_end(S, S);                                                                       \
    template void Run<S>::finish_at_condition(S, S);                                                                   \
    template bool Run<S>::leap()
VESSIOT_RUN_FINISH(double);
VESSIOT_RUN_FINISH(Quad);
#undef VESSIOT_RUN_FINISH

} // namespace vessiot
