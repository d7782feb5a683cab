#include "solve/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "control/initial_step.hpp"
#include "core/cancellation.hpp"
#include "core/error.hpp"
#include "event/crossing.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

namespace {

constexpr double most_moved = 30;       // tolerances, along rays
constexpr double most_taken_back = 0.5; // of the way of a step

} // namespace

template <class S>
Run<S>::Run(Engine<S>& engine, const Settings& options, const Span<S>& span, StartPoint<S> start, Solution& solution,
            const Prepared<S>* completed)
    : run_(engine, options, span, std::move(start), solution), reporter_(run_), conditions_(run_, completed),
      events_(run_, reporter_, conditions_), places_(run_, reporter_), failure_(run_), choice_(run_),
      seams_(run_, events_, conditions_, choice_), requirements_(run_) {
    run_.recorder().send_to(options.streams, options.keep);
    if (run_.problem().analysis().conditions) run_.sizes.control.goes_past_end = false; // those at the end count
    if (!run_.is_arclength) run_.stepper().stop_at(run_.span.t1); // its workspace may have served other intervals
    solution.method.projection = run_.projection() ? std::string(run_.projection()->name()) : "none";
    solution.method.distribution = std::string(run_.problem().distribution().name());
}

template <class S> void Run<S>::operator()() {
    const linalg::PivotsInUse use = run_.engine.pivots_in_use();
    start();
    go_on();
    finish();
}

template <class S> void Run<S>::go_on() {
    do {
        guarded([&] { make_plain_steps(); });
    } while (advance());
}

// What happens in it ends the run, and is told.
template <class S> template <class F> void Run<S>::guarded(const F& f) {
    try {
        f();
    } catch (const std::bad_alloc&) {
        failure_.memory();
    } catch (const OutputFailed& e) {
        failure_.output(e.what());
    } catch (const Cancelled&) {
        run_.interrupt();
    } catch (const InvalidInput&) { // what cannot be run at all
        throw;
    } catch (...) {
        failure_.exception();
    }
}

template <class S> void Run<S>::start() {
    run_.meter.begin();
    guarded([&] {
        if (run_.options.resume.empty()) {
            begin();
            seams_.begin();
        } else {
            seams_.resume();
        }
        if (run_.is_stopping) run_.end_if_stopping();
    });
}

template <class S> bool Run<S>::advance() {
    if (run_.is_over) return false;
    guarded([&] {
        const bool goes_on = step();
        if (run_.is_stopping) run_.end_if_stopping();
        if (goes_on && !run_.is_over) seams_.after_step();
    });
    return !run_.is_over;
}

template <class S> void Run<S>::report_inside(S tau, const S* coefficients) {
    guarded([&] {
        run_.curve.segment.put(tau, stretch_->taken, coefficients);
        reporter_.report_between(S(1));
    });
}

template <class S> void Run<S>::finish() {
    guarded([&] { seams_.finish(); });
    collect_statistics();
    run_.recorder().end(run_.solution);
    check_result();
}

// A result is no success off the manifold. Projections end at round-off; where values explode it may be all there is.
template <class S> void Run<S>::check_result() {
    const double residual = run_.solution.constraint_residual_max;
    if (run_.solution.status != Status::success || !run_.projection() || residual <= 1e-6) return;
    run_.fail(
        fmt::format("{}, but the constraints are off by {:.2g} of their largest term there. Try smaller steps: tighter "
                    "tolerances, or a smaller --step",
                    run_.solution.message, residual));
}

template <class S> void Run<S>::begin() {
    if (run_.is_arclength) run_.start.u[run_.problem().n_state()] = run_.span.t0;
    const S tau = run_.is_arclength ? S(0) : run_.span.t0;
    seams_.check();
    events_.begin_contacts();
    if (!conditions_.begin_always()) return;
    run_.recorder().begin(run_.solution, seams_.stream_head());
    if (run_.reports_steps()) run_.recorder().add(run_.solution, run_.span.t0, S(0), run_.start.u.data());
    if (!events_.is_empty()) events_.begin(run_.span.t0, run_.start.u.data());
    events_.start_at(tau);
    if (run_.problem().analysis().conditions) conditions_.begin(run_.span.t0, run_.start.u.data());
    run_.keep_constants();
    run_.recorder().add_step(run_.solution, {static_cast<double>(run_.span.t0), 0,
                                             run_.recorder().residual(run_.span.t0, run_.start.u.data())});
    run_.stepper().begin(tau, run_.start.u.data());
    run_.engine.watch.has_changed(run_.span.t0, run_.start.u.data());
    run_.engine.divisors.changed(run_.span.t0, run_.start.u.data());
    if (run_.conservation() && !run_.is_conserved(run_.span.t0, run_.start.u.data())) return;
    if (events_.has_ticks()) events_.begin_ticks();
    if (run_.is_over || !requirements_.are_met(run_.span.t0, run_.stepper().point())) return;
    if (run_.next_time < run_.span.times.size() && run_.span.times[run_.next_time] == run_.span.t0) {
        run_.recorder().add(run_.solution, run_.span.t0, S(0), run_.stepper().point());
        ++run_.next_time;
    }
    if (run_.span.t0 == run_.span.t1)
        return run_.succeed(fmt::format("reached {} = {}", run_.solution.independent, run_.show(run_.span.t1)));

    const S length = linalg::absolute(run_.span.t1 - run_.span.t0);
    run_.sizes.most = run_.options.h_max > 0 ? S(run_.options.h_max) : run_.is_arclength ? S(1e300) : length;
    run_.sizes.floor = S(run_.options.h_min);
    if (!run_.sizes.is_adaptive) {
        run_.sizes.h = run_.direction * S(run_.options.step);
    } else if (run_.options.h_first > 0) {
        run_.sizes.h = run_.direction * std::min(S(run_.options.h_first), run_.sizes.most);
    } else {
        run_.sizes.h = initial_step(
            run_.stepper(), run_.field(),
            InitialStep<S>{run_.method().first_order > 0 ? run_.method().first_order : run_.method().order,
                           S(run_.options.rtol), S(run_.options.atol), longest_first_step(), run_.direction < S(0)});
        if (linalg::absolute(run_.sizes.h) < run_.sizes.floor) run_.sizes.h = run_.direction * run_.sizes.floor;
    }
}

// In arclength: what leads through the whole interval of t, as far as the direction at the start says.
template <class S> S Run<S>::longest_first_step() {
    if (!run_.is_arclength) return run_.sizes.most;
    if (run_.span.s1) return std::min(run_.sizes.most, linalg::absolute(*run_.span.s1));
    const S* v = run_.stepper().direction();
    const S rate = v ? linalg::absolute(v[run_.problem().n_state()]) : S(1),
            length = linalg::absolute(run_.span.t1 - run_.span.t0);
    return std::min(run_.sizes.most, rate > S(1e-12) ? length / rate : length);
}

template <class S> inline S Run<S>::limited_by_end(S tau, S h) {
    if (run_.sizes.control.goes_past_end) return h;
    const S end = run_.is_arclength ? (run_.span.s1 ? run_.direction * *run_.span.s1 : S(0)) : run_.span.t1;
    if (run_.is_arclength && !run_.span.s1) return h;
    const S rest = end - tau;
    // a rest that is a little longer than the step is taken with it
    const S reach = run_.sizes.is_adaptive ? S(1.01) : S(1) + S(1e-9);
    if (linalg::absolute(rest) <= reach * linalg::absolute(h)) {
        run_.attempt.is_last = true;
        return rest;
    }
    return h;
}

template <class S> inline S Run<S>::limited(S tau, S h) {
    run_.attempt.is_last = run_.attempt.is_tick = false;
    if (!run_.sizes.is_adaptive && !run_.is_arclength)
        h = run_.sizes.part == S(0) ? run_.sizes.grid.rest() : run_.sizes.part;
    h = limited_by_end(tau, h);
    if (conditions_) h = conditions_.limited(h);
    return !events_.has_ticks() && !run_.method().chooses_steps ? h : events_.limited(h);
}

template <class S> bool Run<S>::step() {
    Stepper<S>& stepper = run_.stepper();
    StepSizes<S>& sizes = run_.sizes;
    Attempt<S>& attempt = run_.attempt;
    S tau, before, t;
    const auto begin = [&] { // also where a condition switches, which may lie a round-off ahead
        tau = run_.clock();
        before = stepper.tau();
        t = run_.time_of(tau, stepper.point());
    };
    begin();
    StepReport<S> report;
    report.error = std::exchange(attempt.error, S(0));
    attempt.is_too_large = attempt.has_failed_to_converge = false;
    if (run_.is_arclength) places_.follow_curve();
    if (run_.is_over) return false;
    Leap<S>* const singular = run_.leap();
    if (singular)
        if (const S* v = stepper.direction()) singular->record(tau, stepper.point(), v);
    if (sizes.is_adaptive && (run_.meter.n_attempts > 0 || run_.options.h_first == 0)) {
        sizes.h = stepper.suggest(sizes.h);
        sizes.limit(run_.direction);
    }
    S wanted = sizes.h; // without limits
    Meeting meeting = Meeting::nothing;
    while (true) {
        if (run_.meter.n_attempts >= run_.options.max_steps) {
            failure_.max_steps(t);
            return false;
        }
        if (has_to_stop()) return false;
        wanted = sizes.h;
        S h = limited(tau, sizes.h);
        const S scale = std::max(linalg::absolute(tau), linalg::absolute(tau + h));
        if (sizes.is_adaptive && !attempt.is_last && !attempt.is_tick && !attempt.ends_at_switch &&
            (linalg::absolute(h) < sizes.floor || linalg::absolute(h) <= S(8) * linalg::epsilon<S>() * scale)) {
            if (conditions_ && conditions_.pass_nearest()) {
                begin();
                continue;
            }
            if (run_.is_over) return false;
            failure_.small_step(h, report);
            return false;
        }
        if (!sizes.is_adaptive && !attempt.is_last && run_.meter.n_attempts == 0 && tau + h == tau &&
            !run_.is_arclength) {
            failure_.small_step(h, report);
            return false;
        }
        run_.engine.distribution_time.weight = run_.engine.projection_time.weight = run_.meter.count();
        report = stepper.attempt(h);
        if (run_.method().chooses_steps) h = own_step(tau, h, report);
        // along a ray a point may be moved by far more than it was off: that is an error of the step
        if (sizes.is_adaptive && report.distance > S(most_moved) && run_.options.projection->can.goes_along_rays)
            report.error = std::max(report.error, report.distance / S(most_moved));
        if (choice_.is_open()) choice_.follow();
        attempt.is_too_large = report.outcome == StepOutcome::done && !is_reportable(stepper.candidate());
        bool is_good = report.outcome == StepOutcome::done && !attempt.is_too_large &&
                       (!sizes.is_adaptive || report.error <= S(1));
        // a step of less than a thousand round-offs of tau has no inside that could be read to the tolerances
        const bool has_inside = linalg::absolute(h) > S(1000) * linalg::epsilon<S>() * scale;
        if (is_good && sizes.is_adaptive && has_inside && reads_inside(tau, h)) {
            report.error = stepper.error_with_curve(report.error);
            is_good = report.error <= S(1);
        }
        if (is_good && (is_taken_back(report.distance) || places_.is_over_fold(tau, h))) {
            report.outcome = StepOutcome::no_direction;
            is_good = false;
        }
        if (is_good) {
            if (conditions_) meeting = conditions_.meet(tau, h, report, [this] { return events_.is_one_pending(); });
            if (meeting == Meeting::inside) {
                finish_at_condition(h, report.residual);
                meeting = Meeting::over;
            }
            if (meeting == Meeting::again) {
                begin();
                continue;
            }
            sizes.h = h;
            break;
        }
        if (conditions_ && report.outcome == StepOutcome::no_direction_here && conditions_.pass_nearest()) {
            begin();
            continue;
        }
        if (run_.is_over) return false;
        sizes.h = h;
        if (!reject(report, sizes.h)) return false;
        if (singular && singular->is_slowed(sizes.h) && !creep(report)) return !run_.is_over;
    }
    const S h = sizes.h;
    if (sizes.is_adaptive) {
        sizes.h = report.next != S(0) ? report.next : next_size(report, h, true);
        sizes.limit(run_.direction);
        // the last step says nothing about the next, but there is none
        const bool is_cut = attempt.is_tick || meeting == Meeting::here || meeting == Meeting::over;
        if (is_cut && linalg::absolute(sizes.h) < linalg::absolute(wanted)) sizes.h = wanted;
    }
    if (conditions_ && !sizes.is_adaptive)
        sizes.h = run_.direction * S(run_.options.step); // that one may have been a part
    if (meeting == Meeting::over) return !run_.is_over;
    if (sizes.control.goes_past_end && crosses_end(tau + h)) {
        stepper.accept();
        finish_past_end(tau, h);
        return !run_.is_over;
    }
    if (run_.is_arclength) {
        const S now = stepper.candidate()[run_.problem().n_state()];
        const bool passes_end = (now - run_.span.t1) * run_.direction >= S(0);
        const bool returns = (now - run_.span.t0) * run_.direction <= S(0) && run_.solution.stats.steps > 0;
        if ((passes_end || returns) && !(attempt.is_last && now == (passes_end ? run_.span.t1 : run_.span.t0))) {
            const S target = passes_end ? run_.span.t1 : run_.span.t0;
            if (!land(target, h)) return false;
            attempt.is_last =
                run_.landed(stepper.candidate()[run_.problem().n_state()]) == target; // else a short step follows
        }
    }
    stepper.accept();
    run_.advance_grid(tau + h);
    finish_step(tau, stepper.tau() - before, report.residual);
    if (meeting == Meeting::here && !run_.is_over && !attempt.tries_again) {
        conditions_.leave();
        if (!run_.is_over) requirements_.are_met(run_.t(), stepper.point());
    }
    return !run_.is_over;
}

// Where no solution goes on, at a fold, where |det A| is small, the projection takes away what the step has gained.
// `distance`: how far it moved the point, in tolerances.
template <class S> bool Run<S>::is_taken_back(S distance) const {
    if (!(distance > S(1e-2)) || run_.is_arclength || !run_.engine.watch.is_in_dip()) return false;
    const S *const from = run_.stepper().point(), *const to = run_.stepper().candidate();
    const std::int64_t n = run_.problem().n_state();
    S sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
        const S weight =
            S(run_.options.atol) + S(run_.options.rtol) * std::max(linalg::absolute(from[j]), linalg::absolute(to[j]));
        sum += (to[j] - from[j]) / weight * ((to[j] - from[j]) / weight);
    }
    return distance > S(most_taken_back) * linalg::square_root(sum / S(n));
}

template <class S> bool Run<S>::creep(const StepReport<S>& report) {
    if (leap()) return false;
    if (!run_.leap()->is_lost()) return true;
    failure_.small_step(run_.sizes.h, report);
    return false;
}

// The size of the step that the stepper chose, where it made one.
template <class S> S Run<S>::own_step(S tau, S h, const StepReport<S>& report) {
    if (report.outcome != StepOutcome::done) return h;
    const S end = tau + report.taken;
    run_.attempt.is_tick = events_.has_ticks() && linalg::absolute(run_.attempt.tick - end) <=
                                                      S(4) * linalg::epsilon<S>() * linalg::absolute(end);
    run_.attempt.is_last = linalg::absolute(run_.span.t1 - end) <= S(4) * linalg::epsilon<S>() * linalg::absolute(end);
    return report.taken;
}

// NOTE: others may have found a larger error than the step itself
template <class S> S Run<S>::next_size(const StepReport<S>& report, S h, bool is_accepted) {
    const bool is_own = report.square.is_known() && report.error == S(report.square.root());
    return run_.sizes.controller.next(report.error, h, is_accepted, report.caution,
                                      is_own ? report.square : ErrorSquare{});
}

template <class S> bool Run<S>::reject(const StepReport<S>& report, S& h) {
    Stats& stats = run_.solution.stats;
    ++stats.rejected;
    const bool is_by_error = report.outcome == StepOutcome::done && !run_.attempt.is_too_large;
    run_.attempt.has_failed_to_converge |= is_by_error || report.why == PointStatus::not_converged;
    if (is_by_error)
        ++stats.rejected_error;
    else if (report.outcome == StepOutcome::no_projection)
        ++stats.rejected_projection;
    else if (report.outcome == StepOutcome::no_convergence)
        ++stats.rejected_iteration;
    else
        ++stats.rejected_direction;
    if (report.outcome == StepOutcome::no_direction_here || report.outcome == StepOutcome::no_derivative ||
        report.outcome == StepOutcome::no_way_on || !run_.sizes.is_adaptive) {
        failure_.small_step(h, report);
        return false;
    }
    if (is_by_error)
        h = next_size(report, h, false);
    else if (report.outcome == StepOutcome::no_convergence)
        h = run_.sizes.controller.failed(h, static_cast<double>(report.shrink));
    else
        h = run_.sizes.controller.failed(h, report.outcome == StepOutcome::no_projection ? 0.5 : 0.25);
    return true;
}

// Does the candidate, at tau, lie past an end of the interval?
template <class S> bool Run<S>::crosses_end(S tau) const {
    if (run_.span.s1) return linalg::absolute(tau) > *run_.span.s1;
    return (run_.time_of(tau, run_.stepper().candidate()) - run_.span.t1) * run_.direction > S(0);
}

// The step ends where t = target: h between 0 and the one that went past it, by secants on t(h) - target.
template <class S> bool Run<S>::land(S target, S h) {
    const std::int64_t m = run_.problem().n_state();
    const auto miss = [&](S step) {
        const StepReport<S> report = run_.stepper().attempt(step);
        return report.outcome == StepOutcome::done ? run_.stepper().candidate()[m] - target : S(0) / S(0);
    };
    const S before = run_.stepper().point()[m] - target;
    if (before == S(0)) return true; // it started there, and is back within one step
    const S after = run_.stepper().candidate()[m] - target;
    const S found = run_.direction * locate([&](S step) { return miss(run_.direction * step); }, S(0), before,
                                            linalg::absolute(h), after);
    // where an iteration ends at a tolerance t is not found any better: then rather short of the target
    S step = found;
    StepReport<S> report = run_.stepper().attempt(step);
    for (int k = 0; k < 8 && report.outcome == StepOutcome::done; ++k) {
        const S t = run_.stepper().candidate()[m];
        if ((t - target) * before > S(0) || run_.landed(t) == target) break;
        step *= S(1) + S(2) * (t - target) / before;
        report = run_.stepper().attempt(step);
    }
    if (report.outcome == StepOutcome::done) return true;
    failure_.small_step(found, report);
    return false;
}

template <class S> bool Run<S>::has_to_stop() {
    if (run_.options.stop.stop_requested()) {
        run_.interrupt();
        return true;
    }
    if (!run_.options.progress || !run_.meter.is_due()) return false;
    const S t = run_.t();
    Progress progress;
    progress.t = static_cast<double>(t);
    progress.h = static_cast<double>(run_.sizes.h);
    progress.steps = run_.solution.stats.steps;
    progress.fraction = std::clamp(static_cast<double>((t - run_.span.t0) / (run_.span.t1 - run_.span.t0)), 0.0, 1.0);
    if (run_.is_arclength && run_.span.s1)
        progress.fraction = static_cast<double>(linalg::absolute(run_.stepper().tau()) / *run_.span.s1);
    if (run_.options.progress(progress)) return false;
    run_.interrupt();
    return true;
}

template <class S> void Run<S>::collect_statistics() {
    Stats& stats = run_.solution.stats;
    const RunCounts all = run_.counts();
    stats.stages = all.stepper.stages;
    stats.projections = all.stepper.projections;
    stats.newton_iterations = all.stepper.newton_iterations;
    stats.newton_max = all.stepper.newton_max;
    stats.stage_iterations = all.stepper.stage_iterations;
    stats.rejected += all.stepper.rejected_error + all.stepper.rejected_iteration;
    stats.rejected_error += all.stepper.rejected_error;
    stats.rejected_iteration += all.stepper.rejected_iteration;
    choice_.note_orders(all.steps_by_order);
    stats.direction_evaluations = all.distribution.evaluations;
    stats.jacobian_evaluations = all.distribution.jacobians + all.stepper.jacobians + all.projection.jacobians;
    stats.factorisations = all.distribution.factorisations + all.stepper.factorisations + all.projection.factorisations;
    stats.fallbacks = all.projection.fallbacks;
    if (run_.projection())
        if (std::string note = run_.projection()->note(all.projection, stats.projections, run_.solution.independent);
            !note.empty())
            run_.solution.notes.push_back(std::move(note));
    stats.seconds.integrate = all.seconds;
    const double factor = run_.meter.factor();
    stats.seconds.distribution = std::min(run_.engine.distribution_time.seconds * factor, stats.seconds.integrate);
    stats.seconds.projection = std::min(run_.engine.projection_time.seconds * factor, stats.seconds.integrate);
}

// Before the step is accepted. In arclength t may turn in it, a little farther on.
template <class S> bool Run<S>::reads_inside(S tau, S h) const {
    if (run_.curve.is_kept() || !events_.is_empty() || run_.options.on_step) return true;
    if (conditions_.has_surfaces()) return true;
    if (!run_.is_arclength || run_.span.times.empty()) return reporter_.reports_inside(tau, h);
    const std::int64_t m = run_.problem().n_state();
    const S from = run_.stepper().point()[m], to = run_.stepper().candidate()[m];
    return !run_.span.times.between(from, to + (to - from)).empty();
}

template <class S> bool Run<S>::is_reportable(const S* x) const {
    if constexpr (std::is_same_v<S, double>) return true; // the step has looked
    return std::all_of(x, x + run_.problem().n_state(),
                       [](const S& v) { return std::isfinite(static_cast<double>(v)); });
}

template class Run<double>;
template class Run<Quad>;

} // namespace vessiot
