// What a run reports: points between and at the ends of steps, events, the end.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "solve/run/place.hpp"
#include "solve/run/run.hpp"

namespace vessiot {

template <class S> void Run<S>::finish_step(S tau, S h, S residual) {
    Stats& stats = solution_.stats;
    ++stats.steps;
    const S* x = stepper_->point();
    const S end_tau = is_last_ && !is_arclength_ ? span_.t1 : is_tick_ ? tick_ : clock();
    S t = time_of(end_tau, x);
    linalg::Vector<S> at_end;
    if (is_arclength_ && is_last_ && landed(t) != t) {
        t = landed(t);
        at_end = end_of_curve(t);
        x = at_end.data();
    }
    if (engine_.watch.has_changed(t, x)) {
        if (!has_segment_) segment_.take(*stepper_, tau, h);
        look_for_crossing();
        if (is_over_) return;
    }
    if (options_.dense || is_arclength_ || !event_watch_.is_empty() || options_.on_step || reports_inside(tau, h)) {
        if (!has_segment_) segment_.take(*stepper_, tau, h);
        if (is_arclength_) note_turns();
        const bool is_switching = conditions_ && is_met_;
        const auto cut = find_events(S(1), is_last_       ? StepEnd::last
                                           : is_switching ? StepEnd::switching
                                                          : StepEnd::inside);
        if (tries_again_) return try_again();
        if (cut) return finish_at_event(*cut, residual);
        if (!span_.times.empty()) report_between(S(1), ends_at_switch_);
        keep_segment();
    } else if (is_last_ && next_time_ < span_.times.size()) {
        recorder_.add(solution_, span_.times[next_time_++], S(0), x); // the end itself
    }
    recorder_.add_step(solution_, {static_cast<double>(t), static_cast<double>(linalg::absolute(h)),
                                   projection_ ? static_cast<double>(residual) : recorder_.residual(t, x)});
    if (is_over_) return; // too many events
    if (reports_steps()) recorder_.add(solution_, t, linalg::absolute(stepper_->tau()), x);
    const bool is_behind_other = conditions_ && is_met_; // other equations hold there
    if (conservation_ && (is_last_ || is_behind_other || conservation_->is_due(stats.steps)) && !is_conserved(t, x))
        return;
    observe(t, x);
    if (!is_last_) return;
    if (is_arclength_ && linalg::absolute(t - span_.t0) < linalg::absolute(t - span_.t1) && !span_.s1)
        succeed(fmt::format("returned to {} = {}", solution_.independent, show(t)));
    else if (is_arclength_ && span_.s1)
        succeed(fmt::format("reached s = {}, {} = {}", show(linalg::absolute(stepper_->tau())), solution_.independent,
                            show(t)));
    else
        succeed(fmt::format("reached {} = {}", solution_.independent, show(t)));
}

// In arclength: the current point, which misses the end by what an iteration leaves, moved along its tangent to that t.
template <class S> linalg::Vector<S> Run<S>::end_of_curve(S t) {
    const std::int64_t m = problem_->n_state();
    linalg::Vector<S> x(m + 1);
    std::copy_n(stepper_->point(), m + 1, x.data());
    const S miss = t - x[m];
    const S* const v = stepper_->direction();
    if (v && linalg::absolute(miss) <= S(1e-6) * linalg::absolute(v[m])) // not where t turns
        for (std::int64_t k = 0; k < m; ++k) x[k] += miss / v[m] * v[k];
    x[m] = t;
    return x;
}

// In arclength: the end of the interval where that is t, up to round-off; up to what an iteration leaves where a step
// was made to end there.
template <class S> S Run<S>::landed(S t) const {
    const S near = span_.s1 ? S(1e-13) : S(1e-9);
    for (const S end : {span_.t0, span_.t1})
        if (linalg::absolute(t - end) <= near * (S(1) + linalg::absolute(end))) return end;
    return t;
}

template <class S> bool Run<S>::is_conserved(S t, const S* x) {
    const S* v = stepper_->direction();
    if (!v) return true;
    const std::optional<std::string> broken = conservation_->look(stepper_->tau(), t, x, v);
    if (broken) fail(*broken);
    return !broken;
}

// At the point work_, behind which other equations or other levels hold.
template <class S> bool Run<S>::was_conserved(S tau, S t) {
    linalg::Vector<S> v(field_->size());
    if (field_->direction(tau, work_.data(), v.data()) != PointStatus::good) return true;
    const std::optional<std::string> broken = conservation_->look(tau, t, work_.data(), v.data());
    if (broken) fail(*broken);
    return !broken;
}

template <class S> void Run<S>::finish_past_end(S tau, S h) {
    segment_.take(*stepper_, tau, h);
    const std::int64_t m = problem_->n_state();
    S theta = span_.s1 ? (direction_ * *span_.s1 - tau) / h : (span_.t1 - tau) / h;
    if (is_arclength_ && !span_.s1)
        theta = locate([&](S at) { return segment_.at(at, m) - span_.t1; }, S(0), segment_.at(S(0), m) - span_.t1, S(1),
                       segment_.at(S(1), m) - span_.t1);
    if (const auto cut = find_events(theta, StepEnd::last)) return finish_at_event(*cut, S(0));
    if (is_over_) return;
    report_between(theta);
    if (reports_steps()) {
        point_at(theta, work_);
        const S end = segment_.tau_at(theta);
        recorder_.add(solution_, time_of(end, work_.data()), linalg::absolute(end), work_.data());
    }
    segment_.cut(theta);
    keep_segment();
    if (options_.on_step) {
        point_at(theta, work_);
        observe(time_of(segment_.tau_at(theta), work_.data()), work_.data());
    }
    succeed(fmt::format("reached {} = {} within step {}, which is not counted", solution_.independent,
                        show(time_of(segment_.tau_at(theta), work_.data())), solution_.stats.steps + 1));
}

// A curve that gets too long is dropped.
template <class S> void Run<S>::keep_segment() {
    if (!options_.dense) return;
    kept_.push_back(segment_);
    if (options_.dense_limit == 0 || std::ssize(kept_) <= options_.dense_limit) return;
    options_.dense = false;
    kept_ = {};
    kept_constants_ = {};
}

// Is a point to be reported before the end of this step, or, in arclength, perhaps?
template <class S> bool Run<S>::reports_inside(S tau, S h) const {
    if (span_.times.empty()) return false;
    if (is_arclength_) return true;
    if (next_time_ == span_.times.size()) return false;
    const S wanted = span_.times[next_time_];
    return (wanted - tau) / h <= S(1) && !(is_last_ && wanted == span_.t1);
}

// Before the step is accepted. In arclength t may turn in it, a little farther on.
template <class S> bool Run<S>::reads_inside(S tau, S h) const {
    if (options_.dense || !event_watch_.is_empty() || options_.on_step) return true;
    if (conditions_ && conditions_->surfaces().size() > 0) return true;
    if (!is_arclength_ || span_.times.empty()) return reports_inside(tau, h);
    const std::int64_t m = problem_->n_state();
    const S from = stepper_->point()[m], to = stepper_->candidate()[m];
    return !span_.times.between(from, to + (to - from)).empty();
}

// The point of the curve at theta, on the manifold.
template <class S> void Run<S>::point_at(S theta, linalg::Vector<S>& x) {
    if (place_on_curve(*problem_, report_projection(), segment_, theta, x) || has_stray_) return;
    has_stray_ = true;
    solution_.notes.push_back(
        fmt::format("warning: inside of the step at {} = {} no point on the constraints was found; "
                    "tighter tolerances make shorter steps",
                    solution_.independent, show(time_of(segment_.tau_at(theta), x.data()))));
}

template <class S> bool Run<S>::is_reportable(const S* x) const {
    if constexpr (std::is_same_v<S, double>) return true; // the step has looked
    return std::all_of(x, x + problem_->n_state(), [](const S& v) { return std::isfinite(static_cast<double>(v)); });
}

// In arclength, where t is what was asked for: t is a coordinate, which the projection moves, too.
template <class S> void Run<S>::report_at(S theta, S t) {
    const std::int64_t m = problem_->n_state();
    point_at(theta, work_);
    for (int k = 0; k < 4; ++k) {
        const S miss = work_[m] - t, part = S(1e-3);
        if (linalg::absolute(miss) <= S(2) * linalg::epsilon<S>() * linalg::absolute(t)) break;
        const S rate = (segment_.at(theta + part, m) - segment_.at(theta - part, m)) / (S(2) * part);
        const S next = theta - miss / rate;
        if (!(next >= S(0) && next <= segment_.end()) || linalg::absolute(next - theta) > S(0.1)) break; // t turns
        theta = next;
        point_at(theta, work_);
    }
    if (linalg::absolute(work_[m] - t) <= S(1e-12) * (S(1) + linalg::absolute(t))) work_[m] = t;
    t = work_[m];
    recorder_.add(solution_, t, linalg::absolute(segment_.tau_at(theta)), work_.data());
}

// Where the step ends at the time of events: is it that one?
template <class S> bool Run<S>::is_at_tick(S t) const {
    return is_tick_ && linalg::absolute(t - tick_) <= S(16) * linalg::epsilon<S>() * linalg::absolute(tick_);
}

// A point at theta_end itself is that after the jump, if there is one.
template <class S> void Run<S>::report_between(S theta_end, bool is_jump) {
    if (!is_arclength_) {
        // times are met in order
        const bool is_end = is_last_ && theta_end == S(1);
        for (; next_time_ < span_.times.size(); ++next_time_) {
            const S wanted = span_.times[next_time_];
            const S theta = (wanted - segment_.tau()) / segment_.h();
            if (is_jump && (theta == theta_end || wanted == segment_.tau_at(theta_end) || is_at_tick(wanted))) return;
            if (theta > theta_end && !(is_end && wanted == span_.t1)) return;
            if (theta == S(1) || (is_end && wanted == span_.t1)) {
                recorder_.add(solution_, wanted, S(0), stepper_->point());
            } else {
                point_at(theta, work_);
                recorder_.add(solution_, wanted, S(0), work_.data());
            }
        }
        return;
    }
    // t may turn: every passage, found on pieces of the step. The next one begins at the point where this one ends
    constexpr int n_pieces = 16;
    const std::int64_t m = problem_->n_state();
    S t_end = stepper_->point()[m];
    if (theta_end < S(1)) {
        point_at(theta_end, work_);
        t_end = work_[m];
    }
    for (int k = 0; k < n_pieces; ++k) {
        const S a = theta_end * S(k) / S(n_pieces), b = theta_end * S(k + 1) / S(n_pieces);
        const S ta = segment_.at(a, m), tb = k + 1 < n_pieces ? segment_.at(b, m) : is_last_ ? landed(t_end) : t_end;
        for (const S wanted : span_.times.between(ta, tb))
            report_at(locate([&](S theta) { return segment_.at(theta, m) - wanted; }, a, ta - wanted, b, tb - wanted),
                      wanted);
    }
}

template <class S> void Run<S>::succeed(const std::string& message) {
    solution_.status = Status::success;
    solution_.message = message + unreached();
    is_over_ = true;
}

// NOTE: in arclength a point may be met more than once, so that none is missing for sure before the end.
template <class S> std::string Run<S>::unreached() const {
    const std::size_t n = is_arclength_ ? 0 : span_.times.size() - next_time_;
    return n == 0 ? "" : fmt::format("; {} of the points asked for {} not reached", n, n == 1 ? "was" : "were");
}

template <class S> std::string Run<S>::show(S t) const {
    return fmt::format("{:.10g}", static_cast<double>(t));
}

template void Run<double>::finish_step(double, double, double);
template void Run<expr::Quad>::finish_step(expr::Quad, expr::Quad, expr::Quad);
template bool Run<double>::is_conserved(double, const double*);
template bool Run<expr::Quad>::is_conserved(expr::Quad, const expr::Quad*);
template bool Run<double>::was_conserved(double, double);
template bool Run<expr::Quad>::was_conserved(expr::Quad, expr::Quad);
template void Run<double>::finish_past_end(double, double);
template void Run<expr::Quad>::finish_past_end(expr::Quad, expr::Quad);
template linalg::Vector<double> Run<double>::end_of_curve(double);
template linalg::Vector<expr::Quad> Run<expr::Quad>::end_of_curve(expr::Quad);
template double Run<double>::landed(double) const;
template expr::Quad Run<expr::Quad>::landed(expr::Quad) const;
template void Run<double>::keep_segment();
template void Run<expr::Quad>::keep_segment();
template bool Run<double>::reports_inside(double, double) const;
template bool Run<expr::Quad>::reports_inside(expr::Quad, expr::Quad) const;
template bool Run<double>::reads_inside(double, double) const;
template bool Run<expr::Quad>::reads_inside(expr::Quad, expr::Quad) const;
template void Run<double>::report_between(double, bool);
template void Run<expr::Quad>::report_between(expr::Quad, bool);
template void Run<double>::point_at(double, linalg::Vector<double>&);
template void Run<expr::Quad>::point_at(expr::Quad, linalg::Vector<expr::Quad>&);
template void Run<double>::succeed(const std::string&);
template void Run<expr::Quad>::succeed(const std::string&);
template std::string Run<double>::unreached() const;
template std::string Run<expr::Quad>::unreached() const;
template bool Run<double>::is_reportable(const double*) const;
template bool Run<expr::Quad>::is_reportable(const expr::Quad*) const;
template std::string Run<double>::show(double) const;
template std::string Run<expr::Quad>::show(expr::Quad) const;

} // namespace vessiot
