// Plain steps: nothing is read inside of them, no event, condition or checkpoint is looked for, and their ends are all
// that matters. What they do is what step() does, without the rest.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "linalg/scalar.hpp"
#include "solve/run/run.hpp"

namespace vessiot {

template <class S> bool Run<S>::is_plain() const {
    if constexpr (!std::is_same_v<S, double>) return false; // the time goes elsewhere
    const Settings& o = run_.options;
    const method::Family& family = *choice_.at_work().family;
    return (family.is_explicit || family.reads_steps_from_series) && run_.sizes.is_adaptive && !run_.is_arclength &&
           !conditions_ && events_.is_empty() && requirements_.is_empty() && !events_.has_ticks() && !o.dense &&
           !o.on_step && o.checkpoint.empty() && !run_.sizes.control.goes_past_end &&
           !o.projection->can.goes_along_rays && (!run_.engine.watch.is_on() || run_.engine.watch.is_coarse()) &&
           !run_.method().chooses_steps && run_.method().max_order == 0;
}

// Up to the next step that somebody wants to look at.
template <class S> void Run<S>::limit(Stretch<S>& s) {
    s.loop = &run_.sizes.controller;
    s.h = run_.sizes.h;
    s.h_max = run_.sizes.most;
    s.h_floor = run_.sizes.floor;
    s.end = run_.span.t1;
    s.report = run_.next_time < run_.span.times.size() ? run_.span.times[run_.next_time]
                                                       : run_.direction * S(std::numeric_limits<double>::max());
    s.slow = run_.leap() ? S(Leap<S>::slow) : S(0);
    s.longest = run_.leap() ? run_.leap()->longest() : S(0);
    s.n_allowed = run_.options.max_steps - run_.meter.n_attempts;
    s.samples = run_.meter.is_sampled(Stretch<S>::most_steps);
    s.n_wanted = Stretch<S>::most_steps;
}

template <class S> void Run<S>::make_stretch() {
    stretch_ = std::make_unique<Stretch<S>>();
    stretch_->next = [](void* controller, S error, const ErrorSquare& square, S h, bool is_accepted) {
        return static_cast<Controller<S>*>(controller)->next(error, h, is_accepted, S(1), square);
    };
}

template <class S> void Run<S>::count(const Stretch<S>& s) {
    run_.meter.count(s.n_attempts, s.samples);
    run_.solution.stats.rejected += s.n_rejected;
    run_.solution.stats.rejected_error += s.n_rejected;
    run_.sizes.h = s.h;
    run_.attempt.error = s.error > S(1) ? s.error : S(0);
}

// The first and the last point, or those at given times.
template <class S> bool Run<S>::keeps_ends() const {
    constexpr std::int64_t ends = 2;
    return !run_.reports_steps() || (run_.options.keep == ends && run_.options.streams.empty());
}

template <class S> std::optional<typename Run<S>::Lent> Run<S>::lend() {
    if (run_.is_over || !is_plain() || !keeps_ends() || run_.options.stop.stop_requested()) return std::nullopt;
    if (run_.options.progress || run_.sizes.controller.options().is_predictive) return std::nullopt;
    if (run_.conservation() && (!run_.projection() || !run_.conservation()->plain_rows())) return std::nullopt;
    if (!stretch_) make_stretch();
    Stretch<S>& s = *stretch_;
    limit(s);
    s.samples = false;
    s.n_wanted = std::numeric_limits<int>::max();
    s.n = 0;
    s.n_attempts = s.n_rejected = 0;
    method::FusedAttempt* const kernels = run_.stepper().lend(s);
    if (!kernels) return std::nullopt;
    return Lent{kernels, &s, &run_.sizes.controller};
}

template <class S> void Run<S>::take_back(const S* x, const S* v) {
    const Stretch<S>& s = *stretch_;
    run_.attempt.is_last = run_.attempt.is_tick = false;
    run_.stepper().take_back(s, x, v);
    if (s.n_attempts == 0) return;
    count(s);
    run_.solution.stats.steps += s.n;
    if (s.n > 0 && run_.leap()) run_.leap()->pass(s.longest);
    if (s.n > 0 && run_.conservation()) run_.conservation()->pass();
    if (s.n_rejected > 0 && run_.leap()) run_.leap()->is_slowed(run_.sizes.h);
}

template <class S> bool Run<S>::was_blind() const {
    return (run_.leap() && run_.leap()->was_blind()) || (run_.conservation() && run_.conservation()->was_blind());
}

template <class S> std::vector<std::int32_t> Run<S>::watched_rows() const {
    return run_.conservation() ? run_.conservation()->plain_rows().value_or(std::vector<std::int32_t>())
                               : std::vector<std::int32_t>();
}

template <class S> bool Run<S>::make_rounds([[maybe_unused]] Stretch<S>& s) {
    if constexpr (std::is_same_v<S, double>) {
        if (run_.sizes.controller.options().is_predictive) return false;
        if (!run_.engine.rounds) run_.engine.rounds.emplace(run_.problem().evaluator());
        lanes::SingleRun& rounds = *run_.engine.rounds;
        method::FusedAttempt* const kernels = run_.stepper().lend(s);
        if (!kernels) return false;
        const lanes::LaneRun run{kernels, &s, &run_.sizes.controller};
        const S tau = run_.stepper().tau();
        const bool is_ready = rounds.is_ready(run);
        if (const double waited = rounds.waited(); waited > 0) {
            run_.meter.leave_out(waited);
            run_.solution.stats.seconds.compile += waited;
        }
        if (!is_ready || !lanes::is_plain(s, tau)) return false;
        rounds(run, tau, run_.stepper().point(), run_.stepper().direction());
        s.samples = false;
        run_.stepper().take_back(s, rounds.point(), rounds.direction());
        return s.n_attempts > 0;
    }
    return false;
}

template <class S> void Run<S>::make_plain_steps() {
    if (run_.is_over || !is_plain()) return;
    if (!stretch_) make_stretch();
    if (stretch_->points.size() == 0) {
        const std::int64_t size = linalg::padded(run_.field().size()) * Stretch<S>::most_steps;
        stretch_->points = stretch_->directions = linalg::Vector<S>(size);
    }
    run_.attempt.is_last = run_.attempt.is_tick = false;
    Stretch<S>& s = *stretch_;
    while (true) {
        // NOTE: here, not by step(): which steps are made one by one must not depend on the clock
        if (has_to_stop()) return;
        limit(s);
        if (!make_rounds(s)) {
            if (run_.engine.rounds && run_.engine.rounds->is_in_use()) s.n_wanted = 1; // between two of them
            run_.engine.distribution_time.weight = run_.engine.projection_time.weight = run_.meter.weight(s.samples);
            run_.stepper().run_on(s);
            if (s.n_attempts == 0) return;
            if (run_.engine.rounds) run_.engine.rounds->count(s.n_attempts);
        }
        count(s);
        if (!record(s) || s.n == 0) return;
    }
}

template <class S> bool Run<S>::record(const Stretch<S>& s) {
    const std::int64_t stride = linalg::padded(run_.field().size());
    const auto trace = [&](std::int64_t k) {
        const auto& step = s.steps[static_cast<std::size_t>(k)];
        const double residual = run_.projection() ? static_cast<double>(step.residual)
                                                  : run_.recorder().residual(step.tau, s.points.data() + k * stride);
        return StepTrace{static_cast<double>(step.tau), static_cast<double>(linalg::absolute(step.h)), residual};
    };
    if (run_.leap()) run_.leap()->record(s);
    const bool is_long = !choice_.at_work().family->is_explicit; // each is looked at
    int first = 0;                                               // that is not in the trace
    const auto add_trace = [&](int end) {
        run_.recorder().store().add_steps(run_.solution, end - first, [&](std::int64_t k) { return trace(first + k); });
        first = end;
    };
    for (int k = 0; k < s.n; ++k) {
        const auto& step = s.steps[static_cast<std::size_t>(k)];
        const S* const x = s.points.data() + k * stride;
        ++run_.solution.stats.steps;
        if (run_.reports_steps()) {
            add_trace(k + 1);
            run_.recorder().add(run_.solution, step.tau, linalg::absolute(step.tau), x);
        }
        if (run_.conservation() && (run_.conservation()->is_due(run_.solution.stats.steps, step.h) || is_long) &&
            !run_.is_conserved(step.tau, step.tau, x, s.directions.data() + k * stride)) {
            add_trace(k + 1);
            return false;
        }
    }
    add_trace(s.n);
    if (!run_.is_over && s.n_rejected > 0 && run_.leap() && run_.leap()->is_slowed(run_.sizes.h)) {
        StepReport<S> report;
        report.error = s.error;
        creep(report);
    }
    return !run_.is_over;
}

#define VESSIOT_RUN_PLAIN(S)                                                                                           \
    template void Run<S>::make_plain_steps();                                                                          \
    template std::optional<typename Run<S>::Lent> Run<S>::lend();                                                      \
    template void Run<S>::take_back(const S*, const S*);                                                               \
    template bool Run<S>::was_blind() const;                                                                           \
    template std::vector<std::int32_t> Run<S>::watched_rows() const
VESSIOT_RUN_PLAIN(double);
VESSIOT_RUN_PLAIN(Quad);
#undef VESSIOT_RUN_PLAIN

} // namespace vessiot
