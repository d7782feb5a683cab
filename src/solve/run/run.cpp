#include "solve/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "control/initial_step.hpp"
#include "core/cancellation.hpp"
#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/dense_curve.hpp"

namespace vessiot {

namespace {

constexpr double most_moved = 30; // tolerances, along rays

} // namespace

template <class S>
Run<S>::Run(Engine<S>& engine, const Settings& options, const Span<S>& span, StartPoint<S> start, Solution& solution,
            const Prepared<S>* completed)
    : engine_(engine), problem_(engine.problem.get()), method_(engine.method), field_(engine.field.get()),
      arclength_(engine.arclength), projection_(engine.projection.get()), stepper_(engine.stepper.get()),
      recorder_(engine.recorder), events_(engine.events), event_ranges_(engine.event_ranges),
      leap_(engine.leap ? &*engine.leap : nullptr),
      conservation_(engine.conservation ? &*engine.conservation : nullptr), options_(options), span_(span),
      start_(std::move(start)), solution_(solution), is_arclength_(problem_->analysis().is_arclength),
      direction_(span.t1 < span.t0 ? S(-1) : S(1)), control_(engine.control), controller_(control_.controller),
      is_adaptive_(engine.is_adaptive()), segment_(field_->size(), stepper_->dense_degree()),
      work_(problem_->n_state() + 1), event_watch_(problem_->system().events), is_noted_(events_.size()),
      event_values_(events_.size()), event_rates_(events_.size()), rates_before_(events_.size()),
      is_flat_(events_.size()), ticks_(span.t0, span.t1), grid_{span.t0, direction_ * S(options.step)},
      seam_point_(problem_->n_state() + (is_arclength_ ? 1 : 0)), seam_tangent_(seam_point_.size()) {
    at_work_ = stepper_->at_work();
    if (completed && problem_->analysis().conditions) hidden_.emplace(*completed, Search::algebraic);
    make_ticks();
    recorder_.send_to(options.streams, options.keep);
    if (options_.checkpoint.empty()) options_.checkpoint = options_.resume;
    const bool is_short_curve = options.dense_limit > 0;
    if ((options.keep > 0 && !is_short_curve) || !options_.checkpoint.empty()) options_.dense = false;
    solution_.method.projection = projection_ ? std::string(projection_->name()) : "none";
    solution_.method.distribution = std::string(problem_->distribution().name());
}

template <class S> void Run<S>::operator()() {
    start();
    do {
        guarded([&] { make_plain_steps(); });
    } while (advance());
    finish();
}

// What happens in it ends the run, and is told.
template <class S> template <class F> void Run<S>::guarded(const F& f) {
    try {
        f();
    } catch (const std::bad_alloc&) {
        fail_memory();
    } catch (const OutputFailed& e) {
        fail_output(e.what());
    } catch (const Cancelled&) {
        interrupt();
    } catch (const InvalidInput&) { // what cannot be run at all
        throw;
    } catch (...) {
        fail_exception();
    }
}

template <class S> void Run<S>::start() {
    started_ = last_progress_ = Clock::now();
    guarded([&] {
        if (options_.resume.empty())
            begin();
        else
            resume();
        if (is_stopping_) end_if_stopping();
    });
}

template <class S> bool Run<S>::advance() {
    if (is_over_) return false;
    guarded([&] {
        const bool goes_on = step();
        if (is_stopping_) end_if_stopping();
        if (goes_on && !is_over_) seam();
    });
    return !is_over_;
}

template <class S> void Run<S>::finish() {
    guarded([&] { save_last(); });
    collect_statistics();
    recorder_.end(solution_);
    check_result();
}

template <class S> std::optional<CurveData<S>> Run<S>::curve() const {
    if (!options_.dense || kept_.empty()) return std::nullopt;
    return CurveData<S>{kept_, kept_constants_};
}

template <class S> std::optional<CurveData<S>> Run<S>::take_curve() {
    if (!options_.dense || kept_.empty()) return std::nullopt;
    return CurveData<S>{std::move(kept_), std::move(kept_constants_)};
}

// A result is no success off the manifold. Projections end at round-off; where values explode it may be all there is.
template <class S> void Run<S>::check_result() {
    const double residual = solution_.constraint_residual_max;
    if (solution_.status != Status::success || !projection_ || residual <= 1e-6) return;
    fail(
        fmt::format("{}, but the constraints are off by {:.2g} of their largest term there. Try smaller steps: tighter "
                    "tolerances, or a smaller --step",
                    solution_.message, residual));
}

template <class S> void Run<S>::begin() {
    if (is_arclength_) start_.u[problem_->n_state()] = span_.t0;
    const S tau = is_arclength_ ? S(0) : span_.t0;
    try_checkpoint();
    recorder_.begin(solution_, stream_head());
    if (reports_steps()) recorder_.add(solution_, span_.t0, S(0), start_.u.data());
    if (!event_watch_.is_empty()) begin_events(span_.t0, start_.u.data());
    last_jump_ = tau;
    if (problem_->analysis().conditions) begin_conditions(span_.t0, start_.u.data());
    keep_constants();
    recorder_.add_step(solution_, {static_cast<double>(span_.t0), 0, recorder_.residual(span_.t0, start_.u.data())});
    stepper_->begin(tau, start_.u.data());
    engine_.watch.has_changed(span_.t0, start_.u.data());
    if (conservation_ && !is_conserved(span_.t0, start_.u.data())) return;
    if (!ticks_.is_empty()) begin_ticks();
    if (is_over_) return;
    if (next_time_ < span_.times.size() && span_.times[next_time_] == span_.t0) {
        recorder_.add(solution_, span_.t0, S(0), stepper_->point());
        ++next_time_;
    }
    if (span_.t0 == span_.t1) return succeed(fmt::format("reached {} = {}", solution_.independent, show(span_.t1)));

    const S length = linalg::absolute(span_.t1 - span_.t0);
    h_max_ = options_.h_max > 0 ? S(options_.h_max) : is_arclength_ ? S(1e300) : length;
    h_floor_ = S(options_.h_min);
    if (!is_adaptive_) {
        h_ = direction_ * S(options_.step);
    } else if (options_.h_first > 0) {
        h_ = direction_ * std::min(S(options_.h_first), h_max_);
    } else {
        h_ = initial_step(*stepper_, *field_,
                          InitialStep<S>{method_.first_order > 0 ? method_.first_order : method_.order,
                                         S(options_.rtol), S(options_.atol), longest_first_step(), direction_ < S(0)});
        if (linalg::absolute(h_) < h_floor_) h_ = direction_ * h_floor_;
    }
}

// In arclength: what leads through the whole interval of t, as far as the direction at the start says.
template <class S> S Run<S>::longest_first_step() {
    if (!is_arclength_) return h_max_;
    if (span_.s1) return std::min(h_max_, linalg::absolute(*span_.s1));
    const S* v = stepper_->direction();
    const S rate = v ? linalg::absolute(v[problem_->n_state()]) : S(1), length = linalg::absolute(span_.t1 - span_.t0);
    return std::min(h_max_, rate > S(1e-12) ? length / rate : length);
}

// The time of the current point. After a jump constant steps are counted anew.
template <class S> S Run<S>::clock() const {
    return is_adaptive_ || is_arclength_ ? stepper_->tau() : grid_.now();
}

template <class S> inline S Run<S>::limited_by_end(S tau, S h) {
    if (control_.goes_past_end) return h;
    const S end = is_arclength_ ? (span_.s1 ? direction_ * *span_.s1 : S(0)) : span_.t1;
    if (is_arclength_ && !span_.s1) return h;
    const S rest = end - tau;
    // a rest that is a little longer than the step is taken with it
    const S reach = is_adaptive_ ? S(1.01) : S(1) + S(1e-9);
    if (linalg::absolute(rest) <= reach * linalg::absolute(h)) {
        is_last_ = true;
        return rest;
    }
    return h;
}

template <class S> inline S Run<S>::limited(S tau, S h) {
    is_last_ = is_tick_ = false;
    if (!is_adaptive_ && !is_arclength_) h = part_ == S(0) ? grid_.rest() : part_;
    h = limited_by_end(tau, h);
    if (conditions_) h = limited_by_conditions(h);
    return ticks_.is_empty() && !method_.chooses_steps ? h : limited_by_ticks(h);
}

template <class S> S Run<S>::limited_by_ticks(S h) {
    const std::optional<S> next = ticks_.next();
    if (method_.chooses_steps) stepper_->stop_at(next.value_or(span_.t1));
    if (!next) return h;
    tick_ = *next;
    const S rest = tick_ - clock(), near = is_adaptive_ ? S(0.01) : S(1e-9);
    if (linalg::absolute(rest) > (S(1) + near) * linalg::absolute(h)) return h;
    is_tick_ = true;
    is_last_ = tick_ == span_.t1;
    if (ends_at_switch_) ends_at_switch_ = switch_at_ == tick_;
    return rest;
}

template <class S> bool Run<S>::step() {
    S tau, before, t;
    const auto begin = [&] { // also where a condition switches, which may lie a round-off ahead
        tau = clock();
        before = stepper_->tau();
        t = time_of(tau, stepper_->point());
    };
    begin();
    StepReport<S> report;
    is_too_large_ = has_failed_to_converge_ = false;
    if (is_arclength_) follow_curve();
    if (is_over_) return false;
    if (leap_)
        if (const S* v = stepper_->direction()) leap_->record(tau, stepper_->point(), v);
    if (is_adaptive_ && (n_attempts_ > 0 || options_.h_first == 0)) {
        h_ = stepper_->suggest(h_);
        if (linalg::absolute(h_) > h_max_) h_ = direction_ * h_max_;
    }
    S wanted = h_; // without limits
    Meeting meeting = Meeting::nothing;
    while (true) {
        if (n_attempts_ >= options_.max_steps) {
            fail_max_steps(t);
            return false;
        }
        if (has_to_stop()) return false;
        wanted = h_;
        S h = limited(tau, h_);
        const S scale = std::max(linalg::absolute(tau), linalg::absolute(tau + h));
        if (is_adaptive_ && !is_last_ && !is_tick_ && !ends_at_switch_ &&
            (linalg::absolute(h) < h_floor_ || linalg::absolute(h) <= S(8) * linalg::epsilon<S>() * scale)) {
            if (conditions_ && pass_nearest_condition()) {
                begin();
                continue;
            }
            if (is_over_) return false;
            fail_small_step(h, report);
            return false;
        }
        if (!is_adaptive_ && !is_last_ && n_attempts_ == 0 && tau + h == tau && !is_arclength_) {
            fail_small_step(h, report);
            return false;
        }
        const bool samples = n_attempts_ % sample_every == 0;
        engine_.distribution_time.is_sampling = engine_.projection_time.is_sampling = samples;
        n_sampled_ += samples;
        ++n_attempts_;
        report = stepper_->attempt(h);
        if (method_.chooses_steps) h = own_step(tau, h, report);
        // along a ray a point may be moved by far more than it was off: that is an error of the step
        if (is_adaptive_ && report.distance > S(most_moved) && options_.projection->can.goes_along_rays)
            report.error = std::max(report.error, report.distance / S(most_moved));
        if (at_work_) follow_choice();
        is_too_large_ = report.outcome == StepOutcome::done && !is_reportable(stepper_->candidate());
        bool is_good = report.outcome == StepOutcome::done && !is_too_large_ && (!is_adaptive_ || report.error <= S(1));
        // a step of less than a thousand round-offs of tau has no inside that could be read to the tolerances
        const bool has_inside = linalg::absolute(h) > S(1000) * linalg::epsilon<S>() * scale;
        if (is_good && is_adaptive_ && has_inside && reads_inside(tau, h)) {
            report.error = stepper_->error_with_curve(report.error);
            is_good = report.error <= S(1);
        }
        if (is_good) {
            if (conditions_) meeting = meet_conditions(tau, h, report);
            if (meeting == Meeting::again) {
                begin();
                continue;
            }
            h_ = h;
            break;
        }
        if (conditions_ && report.outcome == StepOutcome::no_direction_here && pass_nearest_condition()) {
            begin();
            continue;
        }
        if (is_over_) return false;
        h_ = h;
        if (!reject(report, h_)) return false;
        if (leap_ && leap_->is_slowed(h_) && !creep(report)) return !is_over_;
    }
    const S h = h_;
    if (is_adaptive_) {
        h_ = report.next != S(0) ? report.next : controller_.next(report.error, h, true, report.caution);
        if (linalg::absolute(h_) > h_max_) h_ = direction_ * h_max_;
        // the last step says nothing about the next, but there is none
        const bool is_cut = is_tick_ || meeting == Meeting::here || meeting == Meeting::over;
        if (is_cut && linalg::absolute(h_) < linalg::absolute(wanted)) h_ = wanted;
    }
    if (conditions_ && !is_adaptive_) h_ = direction_ * S(options_.step); // that one may have been a part
    if (meeting == Meeting::over) return !is_over_;
    if (control_.goes_past_end && crosses_end(tau + h)) {
        stepper_->accept();
        finish_past_end(tau, h);
        return !is_over_;
    }
    if (is_arclength_) {
        const S now = stepper_->candidate()[problem_->n_state()];
        const bool passes_end = (now - span_.t1) * direction_ >= S(0);
        const bool returns = (now - span_.t0) * direction_ <= S(0) && solution_.stats.steps > 0;
        if ((passes_end || returns) && !(is_last_ && now == (passes_end ? span_.t1 : span_.t0))) {
            const S target = passes_end ? span_.t1 : span_.t0;
            if (!land(target, h)) return false;
            is_last_ = landed(stepper_->candidate()[problem_->n_state()]) == target; // else a short step follows
        }
    }
    stepper_->accept();
    advance_grid(tau + h);
    finish_step(tau, stepper_->tau() - before, report.residual);
    if (meeting == Meeting::here && !is_over_ && !tries_again_) leave_condition();
    return !is_over_;
}

// Steps have become short. False where a step was made over the place that made them so, or the run is over.
template <class S> bool Run<S>::creep(const StepReport<S>& report) {
    if (leap()) return false;
    if (!leap_->is_lost()) return true;
    fail_small_step(h_, report);
    return false;
}

// A constant step ends at tau.
template <class S> void Run<S>::advance_grid(S tau) {
    grid_before_ = grid_;
    part_ = S(0);
    if (is_adaptive_ || is_arclength_) return;
    if (is_last_ || grid_.is_next(tau))
        grid_.advance();
    else
        grid_.advance_to(tau);
}

// The size of the step that the stepper chose, where it made one.
template <class S> S Run<S>::own_step(S tau, S h, const StepReport<S>& report) {
    if (report.outcome != StepOutcome::done) return h;
    const S end = tau + report.taken;
    is_tick_ =
        !ticks_.is_empty() && linalg::absolute(tick_ - end) <= S(4) * linalg::epsilon<S>() * linalg::absolute(end);
    is_last_ = linalg::absolute(span_.t1 - end) <= S(4) * linalg::epsilon<S>() * linalg::absolute(end);
    return report.taken;
}

template <class S> bool Run<S>::reject(const StepReport<S>& report, S& h) {
    Stats& stats = solution_.stats;
    ++stats.rejected;
    const bool is_by_error = report.outcome == StepOutcome::done && !is_too_large_;
    has_failed_to_converge_ |= is_by_error || report.why == PointStatus::not_converged;
    if (is_by_error)
        ++stats.rejected_error;
    else if (report.outcome == StepOutcome::no_projection)
        ++stats.rejected_projection;
    else if (report.outcome == StepOutcome::no_convergence)
        ++stats.rejected_iteration;
    else
        ++stats.rejected_direction;
    if (report.outcome == StepOutcome::no_direction_here || report.outcome == StepOutcome::no_derivative ||
        report.outcome == StepOutcome::no_way_on || !is_adaptive_) {
        fail_small_step(h, report);
        return false;
    }
    if (is_by_error)
        h = controller_.next(report.error, h, false, report.caution);
    else if (report.outcome == StepOutcome::no_convergence)
        h = controller_.failed(h, static_cast<double>(report.shrink));
    else
        h = controller_.failed(h, report.outcome == StepOutcome::no_projection ? 0.5 : 0.25);
    return true;
}

// Does the candidate, at tau, lie past an end of the interval?
template <class S> bool Run<S>::crosses_end(S tau) const {
    if (span_.s1) return linalg::absolute(tau) > *span_.s1;
    return (time_of(tau, stepper_->candidate()) - span_.t1) * direction_ > S(0);
}

// The step ends where t = target: h between 0 and the one that went past it, by secants on t(h) - target.
template <class S> bool Run<S>::land(S target, S h) {
    const std::int64_t m = problem_->n_state();
    const auto miss = [&](S step) {
        const StepReport<S> report = stepper_->attempt(step);
        return report.outcome == StepOutcome::done ? stepper_->candidate()[m] - target : S(0) / S(0);
    };
    const S before = stepper_->point()[m] - target;
    if (before == S(0)) return true; // it started there, and is back within one step
    const S after = stepper_->candidate()[m] - target;
    const S found =
        direction_ * locate([&](S step) { return miss(direction_ * step); }, S(0), before, linalg::absolute(h), after);
    // where an iteration ends at a tolerance t is not found any better: then rather short of the target
    S step = found;
    StepReport<S> report = stepper_->attempt(step);
    for (int k = 0; k < 8 && report.outcome == StepOutcome::done; ++k) {
        const S t = stepper_->candidate()[m];
        if ((t - target) * before > S(0) || landed(t) == target) break;
        step *= S(1) + S(2) * (t - target) / before;
        report = stepper_->attempt(step);
    }
    if (report.outcome == StepOutcome::done) return true;
    fail_small_step(found, report);
    return false;
}

template <class S> bool Run<S>::has_to_stop() {
    if (options_.stop.stop_requested()) {
        interrupt();
        return true;
    }
    if (!options_.progress || n_attempts_ < next_check_) return false;
    const auto now = Clock::now();
    // clocks are read about a thousand times a second
    const double since = std::chrono::duration<double>(now - started_).count();
    next_check_ =
        n_attempts_ +
        std::clamp<std::int64_t>(
            static_cast<std::int64_t>(1e-3 * static_cast<double>(n_attempts_ - first_attempt_) / (since + 1e-9)), 1,
            1000);
    if (std::chrono::duration<double>(now - last_progress_).count() < 0.1 && n_attempts_ > 0) return false;
    last_progress_ = now;
    const S t = time_of(stepper_->tau(), stepper_->point());
    Progress progress;
    progress.t = static_cast<double>(t);
    progress.h = static_cast<double>(h_);
    progress.steps = solution_.stats.steps;
    progress.fraction = std::clamp(static_cast<double>((t - span_.t0) / (span_.t1 - span_.t0)), 0.0, 1.0);
    if (is_arclength_ && span_.s1)
        progress.fraction = static_cast<double>(linalg::absolute(stepper_->tau()) / *span_.s1);
    if (options_.progress(progress)) return false;
    interrupt();
    return true;
}

template <class S> void Run<S>::interrupt() {
    solution_.status = Status::interrupted;
    solution_.message = fmt::format("interrupted at {} = {}", solution_.independent, show(t())) + unreached();
    is_over_ = true;
}

// Of this process and of those before it.
template <class S> RunCounts Run<S>::counts() const {
    RunCounts all;
    all.stepper = stepper_->counts();
    std::ranges::copy(stepper_->steps_by_order(), all.steps_by_order.begin());
    all.distribution = problem_->distribution().counts();
    if (projection_) all.projection = projection_->counts();
    all.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    all.add(before_);
    return all;
}

template <class S> void Run<S>::collect_statistics() {
    Stats& stats = solution_.stats;
    const RunCounts all = counts();
    stats.stages = all.stepper.stages;
    stats.projections = all.stepper.projections;
    stats.newton_iterations = all.stepper.newton_iterations;
    stats.newton_max = all.stepper.newton_max;
    stats.stage_iterations = all.stepper.stage_iterations;
    stats.rejected += all.stepper.rejected_error + all.stepper.rejected_iteration;
    stats.rejected_error += all.stepper.rejected_error;
    stats.rejected_iteration += all.stepper.rejected_iteration;
    note_orders(all.steps_by_order);
    stats.direction_evaluations = all.distribution.evaluations;
    stats.jacobian_evaluations = all.distribution.jacobians + all.stepper.jacobians + all.projection.jacobians;
    stats.factorisations = all.distribution.factorisations + all.stepper.factorisations + all.projection.factorisations;
    stats.fallbacks = all.projection.fallbacks;
    if (projection_)
        if (std::string note = projection_->note(all.projection, stats.projections, solution_.independent);
            !note.empty())
            solution_.notes.push_back(std::move(note));
    stats.seconds.integrate = all.seconds;
    const double factor = n_sampled_ > 0 ? static_cast<double>(n_attempts_) / static_cast<double>(n_sampled_) : 0.0;
    stats.seconds.distribution = std::min(engine_.distribution_time.seconds * factor, stats.seconds.integrate);
    stats.seconds.projection = std::min(engine_.projection_time.seconds * factor, stats.seconds.integrate);
}

template class Run<double>;
template class Run<expr::Quad>;

} // namespace vessiot
