// Singular places that a run passes: where t turns, and where several curves cross.
#include <algorithm>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "solve/run/run.hpp"

namespace vessiot {

namespace {

constexpr std::size_t most_places = 5; // in a note
constexpr double least_exponent = 0.01;

} // namespace

template <class S>
void Run<S>::note_place(const std::string& before, const std::string& place, const std::string& after) {
    for (std::string& note : solution_.notes) {
        if (!note.starts_with(before) || !note.ends_with(after)) continue;
        const std::string_view places =
            std::string_view(note).substr(before.size(), note.size() - before.size() - after.size());
        if (places.ends_with("…")) return;
        const auto n = static_cast<std::size_t>(std::ranges::count(places, ',')) + 1;
        note.insert(note.size() - after.size(), ", " + (n < most_places ? place : "…"));
        return;
    }
    solution_.notes.push_back(before + place + after);
}

template <class S> void Run<S>::follow_curve() {
    const S* v = stepper_->direction();
    if (!v) return;
    arclength_->follow(v);
    if (arclength_->has_changed()) look_for_crossing();
}

template <class S> void Run<S>::look_for_crossing() {
    const std::int64_t m = problem_->n_state();
    const auto curve = [&](S theta, S* u) {
        segment_.at(theta, work_.data());
        std::copy_n(work_.data(), m, u);
        return time_of(segment_.tau_at(theta), work_.data());
    };
    const auto found = engine_.watch.opening(curve);
    if (!found.is_there) return;
    segment_.at(found.theta, work_.data());
    const S t = time_of(segment_.tau_at(found.theta), work_.data());
    const bool is_zero = linalg::absolute(t) < S(1e-9) * linalg::absolute(segment_.h());
    const std::string place = fmt::format("{:.6g}", is_zero ? 0.0 : static_cast<double>(t));
    const bool is_raised = problem_->prolongation().is_raised;
    const S exponent = is_raised ? S(0) : crossing_exponent(found.theta);
    if (exponent > S(least_exponent)) return fail_open(found.theta, place);
    if (is_arclength_ || is_raised)
        return note_place(
            fmt::format("near {} = ", solution_.independent), place,
            " the equations leave the direction open (another solution crosses); the curve goes on smoothly");
    if (exponent >= -S(least_exponent)) return; // one solution is continuous there
    note_place(fmt::format("warning: at {} = ", solution_.independent), place,
               fmt::format(" the equations do not determine {}, and solutions beside this one have a pole there: what "
                           "follows may be far off. Begin beyond it, or end before it",
                           problem_->analysis().top_names()));
}

// Where A(t) u' = -r(t, u) gets singular at t*, what is beside the solution goes as |t - t*|^k: with k > 0 all
// solutions near it meet there, and go on from it as they like (a node); with k < 0 all but one have a pole. Near t*
// the trace of the derivative of u' by u is k/(t - t*): two of them say what k is.
template <class S> S Run<S>::crossing_exponent(S theta) {
    const S near = theta > S(0.5) ? S(0.99) * theta : theta + S(0.01) * (S(1) - theta);
    const S far = theta > S(0.5) ? S(0.98) * theta : theta + S(0.02) * (S(1) - theta);
    S t_near = 0, t_far = 0;
    const S a = trace_at(near, t_near), b = trace_at(far, t_far);
    const S k = (t_far - t_near) / (S(1) / b - S(1) / a);
    return linalg::is_finite(k) ? k : S(0);
}

// Of the derivative of u' by u, on the last step.
template <class S> S Run<S>::trace_at(S theta, S& t) {
    const std::int64_t m = problem_->n_state();
    const S tau = segment_.tau_at(theta);
    linalg::Vector<S> u(field_->size()), v(field_->size());
    segment_.at(theta, u.data());
    t = time_of(tau, u.data());
    const auto rate = [&](std::int64_t k) {
        if (field_->direction(tau, u.data(), v.data()) != PointStatus::good) return S(0) / S(0);
        return is_arclength_ ? v[k] / v[m] : v[k];
    };
    S trace = 0;
    for (std::int64_t k = 0; k < m; ++k) {
        const S before = u[k], by = linalg::square_root(linalg::epsilon<S>()) * (S(1e-3) + linalg::absolute(before));
        const S rate_before = rate(k);
        u[k] = before + by;
        trace += (rate(k) - rate_before) / (u[k] - before);
        u[k] = before;
    }
    return trace;
}

// The run goes as far as that point.
template <class S> void Run<S>::fail_open(S theta, const std::string& place) {
    if (!is_arclength_) { // there the step has been reported
        segment_.cut(theta);
        if (!span_.times.empty()) report_between(theta, true);
        keep_segment();
    }
    fail(
        fmt::format("the run ended at {0} = {1}: there the equations do not determine {2}, and infinitely many "
                    "solutions meet, of which each may be the one that goes on. Begin beyond that point, or end before "
                    "it (--to)",
                    solution_.independent, place, problem_->analysis().top_names()));
}

// Zeros of dt / ds on the last step; t comes back at each.
template <class S> void Run<S>::note_turns() {
    constexpr int n_pieces = 4;
    const std::int64_t m = problem_->n_state();
    const auto slope = [&](S theta) { return direction_ * segment_.slope(theta, m); }; // > 0: towards the end
    for (int k = 0; k < n_pieces; ++k) {
        const S a = S(k) / S(n_pieces), b = S(k + 1) / S(n_pieces);
        const S at_a = slope(a), at_b = slope(b);
        const int before = forward_;
        if (at_b != S(0)) forward_ = at_b > S(0) ? 1 : -1;
        if (forward_ == before) continue;
        const bool is_inside = (at_a > S(0)) != (at_b > S(0));
        const S theta = is_inside ? locate(slope, a, at_a, b, at_b) : a;
        note_place(fmt::format("{} turns {} at ", solution_.independent, forward_ < 0 ? "back" : "forward again"),
                   fmt::format("{} = {} (s = {})", solution_.independent, show(segment_.at(theta, m)),
                               show(linalg::absolute(segment_.tau_at(theta)))),
                   ", an impasse point");
    }
}

template <class S> bool Run<S>::leap() {
    if (n_attempts_ >= options_.max_steps) return false;
    const std::optional<Landing<S>> landing = leap_->attempt();
    if (!landing) return false;
    const S tau = stepper_->tau(), h = landing->tau - tau;
    const S t = time_of(landing->tau, landing->x.data());
    if ((t - span_.t1) * direction_ > S(0) || (span_.s1 && linalg::absolute(landing->tau) > *span_.s1)) return false;
    const S singular = is_arclength_ ? time_of(tau, stepper_->point()) : landing->singular;
    note_place(fmt::format("near {} = ", solution_.independent), fmt::format("{:.6g}", static_cast<double>(singular)),
               " the constraints become dependent, where branches may cross; the curve goes on smoothly");
    ++n_attempts_;
    const Segment<S> usual = segment_;
    segment_ = Segment<S>::hermite(field_->size(), tau, h, stepper_->point(), stepper_->direction(), landing->x.data(),
                                   landing->dx.data());
    has_segment_ = true;
    is_last_ = false;
    stepper_->begin(landing->tau, landing->x.data());
    finish_step(tau, h, S(recorder_.residual(t, landing->x.data())));
    has_segment_ = false;
    segment_ = usual;
    leap_->forget();
    h_ = h / S(2);
    return true;
}

template bool Run<double>::leap();
template bool Run<expr::Quad>::leap();
template void Run<double>::note_place(const std::string&, const std::string&, const std::string&);
template void Run<expr::Quad>::note_place(const std::string&, const std::string&, const std::string&);
template void Run<double>::follow_curve();
template void Run<expr::Quad>::follow_curve();
template void Run<double>::look_for_crossing();
template void Run<expr::Quad>::look_for_crossing();
template void Run<double>::note_turns();
template void Run<expr::Quad>::note_turns();

} // namespace vessiot
