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
    const bool is_explicit = (at_work_ ? *at_work_ : method_).family->is_explicit;
    return is_explicit && is_adaptive_ && !is_arclength_ && !conditions_ && event_watch_.is_empty() &&
           ticks_.is_empty() && !options_.dense && !options_.on_step && options_.checkpoint.empty() &&
           !control_.goes_past_end && !options_.projection->can.goes_along_rays && !engine_.watch.is_on() &&
           !method_.chooses_steps && method_.max_order == 0;
}

// Up to the next step that somebody wants to look at.
template <class S> void Run<S>::limit(Stretch<S>& s) {
    s.loop = &controller_;
    s.h = h_;
    s.h_max = h_max_;
    s.h_floor = h_floor_;
    s.end = span_.t1;
    s.report =
        next_time_ < span_.times.size() ? span_.times[next_time_] : direction_ * S(std::numeric_limits<double>::max());
    s.slow = leap_ ? S(Leap<S>::slow) : S(0);
    s.longest = leap_ ? leap_->longest() : S(0);
    s.n_allowed = options_.max_steps - n_attempts_;
    s.samples = n_attempts_ / sample_every != (n_attempts_ + Stretch<S>::most_steps) / sample_every;
    s.n_wanted = 1;
    const std::int64_t n = solution_.stats.steps;
    while (s.n_wanted < Stretch<S>::most_steps && !(conservation_ && conservation_->is_due(n + s.n_wanted)))
        ++s.n_wanted;
}

template <class S> void Run<S>::make_plain_steps() {
    if (is_over_ || !is_plain()) return;
    if (!stretch_) {
        stretch_ = std::make_unique<Stretch<S>>();
        const std::int64_t size = linalg::padded(field_->size()) * Stretch<S>::most_steps;
        stretch_->points = stretch_->directions = linalg::Vector<S>(size);
        stretch_->next = [](void* controller, S error, S h, bool is_accepted) {
            return static_cast<Controller<S>*>(controller)->next(error, h, is_accepted);
        };
    }
    is_last_ = is_tick_ = false;
    Stretch<S>& s = *stretch_;
    do {
        if (options_.stop.stop_requested() || (options_.progress && n_attempts_ >= next_check_)) return; // step() looks
        limit(s);
        engine_.distribution_time.is_sampling = engine_.projection_time.is_sampling = s.samples;
        stepper_->run_on(s);
        if (s.n_attempts == 0) return;
        n_sampled_ += s.samples;
        n_attempts_ += s.n_attempts;
        solution_.stats.rejected += s.n_rejected;
        solution_.stats.rejected_error += s.n_rejected;
        h_ = s.h;
    } while (record(s) && s.n > 0);
}

template <class S> bool Run<S>::record(const Stretch<S>& s) {
    const std::int64_t stride = linalg::padded(field_->size());
    for (int k = 0; k < s.n; ++k) {
        const auto& step = s.steps[static_cast<std::size_t>(k)];
        const S *x = s.points.data() + k * stride, *v = s.directions.data() + k * stride;
        ++solution_.stats.steps;
        if (leap_) leap_->record(step.tau, x, v);
        recorder_.add_step(solution_,
                           {static_cast<double>(step.tau), static_cast<double>(linalg::absolute(step.h)),
                            projection_ ? static_cast<double>(step.residual) : recorder_.residual(step.tau, x)});
        if (reports_steps()) recorder_.add(solution_, step.tau, linalg::absolute(step.tau), x);
    }
    if (s.n > 0 && conservation_ && conservation_->is_due(solution_.stats.steps))
        is_conserved(stepper_->tau(), stepper_->point());
    if (!is_over_ && s.n_rejected > 0 && leap_ && leap_->is_slowed(h_)) {
        StepReport<S> report;
        report.error = s.error;
        creep(report);
    }
    return !is_over_;
}

template void Run<double>::make_plain_steps();
template void Run<expr::Quad>::make_plain_steps();

} // namespace vessiot
