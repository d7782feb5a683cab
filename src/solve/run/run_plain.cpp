// Plain steps: nothing is read inside of them, no event, condition or checkpoint is looked for, and their ends are all
// that matters. What they do is what step() does, without the rest.
#include <algorithm>
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
           !method_.chooses_steps && method_.max_order == 0 && (n_attempts_ > 0 || options_.h_first == 0);
}

// Not the last one, none that is too small or has a point to report inside, and nobody wants to know how far it is.
template <class S> bool Run<S>::is_plain_step(S tau, S h) const {
    const S size = linalg::absolute(h), scale = std::max(linalg::absolute(tau), linalg::absolute(tau + h));
    if (!(linalg::absolute(span_.t1 - tau) > S(1.01) * size)) return false;
    if (size < h_floor_ || size <= S(8) * linalg::epsilon<S>() * scale) return false;
    if (n_attempts_ >= options_.max_steps || options_.stop.stop_requested()) return false;
    if (options_.progress && n_attempts_ >= next_check_) return false;
    return !reports_inside(tau, h);
}

template <class S> void Run<S>::make_plain_steps() {
    if (is_over_ || !is_plain()) return;
    is_last_ = is_tick_ = false;
    bool is_retry = false;
    for (S tau = stepper_->tau(); is_plain_step(tau, h_);) {
        if (leap_ && !is_retry)
            if (const S* v = stepper_->direction()) leap_->record(tau, stepper_->point(), v);
        const bool samples = n_attempts_ % sample_every == 0;
        engine_.distribution_time.is_sampling = engine_.projection_time.is_sampling = samples;
        n_sampled_ += samples;
        ++n_attempts_;
        const StepReport<S> report = stepper_->attempt(h_);
        if (at_work_) follow_choice();
        is_retry = !(report.outcome == StepOutcome::done && report.error <= S(1));
        if (is_retry) {
            if (!reject(report, h_)) return;
            if (leap_ && leap_->is_slowed(h_) && !creep(report)) return;
            continue;
        }
        const S h = h_;
        h_ = controller_.next(report.error, h, true, report.caution);
        if (linalg::absolute(h_) > h_max_) h_ = direction_ * h_max_;
        stepper_->accept();
        const S before = tau;
        tau = stepper_->tau();
        finish_plain_step(tau - before, report);
        if (is_over_ || (at_work_ && !at_work_->family->is_explicit)) return;
    }
}

template <class S> void Run<S>::finish_plain_step(S h, const StepReport<S>& report) {
    const std::int64_t n = ++solution_.stats.steps;
    const S t = stepper_->tau();
    const S* const x = stepper_->point();
    recorder_.add_step(solution_, {static_cast<double>(t), static_cast<double>(linalg::absolute(h)),
                                   projection_ ? static_cast<double>(report.residual) : recorder_.residual(t, x)});
    if (reports_steps()) recorder_.add(solution_, t, linalg::absolute(t), x);
    if (conservation_ && conservation_->is_due(n)) is_conserved(t, x);
}

template void Run<double>::make_plain_steps();
template void Run<expr::Quad>::make_plain_steps();

} // namespace vessiot
