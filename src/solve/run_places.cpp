// Singular places that a run passes: where t turns, and where several curves cross.
#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "solve/run.hpp"

namespace vessiot {

namespace {

constexpr std::size_t most_notes = 5;

} // namespace

template <class S> void Run<S>::note_place(const std::string& text) {
    if (++n_places_ <= most_notes)
        solution_.notes.push_back(text);
    else if (n_places_ == most_notes + 1)
        solution_.notes.push_back("further places like these are not listed");
}

template <class S> void Run<S>::follow_curve(S t) {
    const S* v = stepper_->direction();
    if (!v) return;
    arclength_->follow(v);
    if (arclength_->has_changed()) note_crossing(t);
}

template <class S> void Run<S>::note_crossing(S t) {
    note_place(fmt::format("near {} = {} the equations leave the direction open (another solution crosses); the curve "
                           "goes on smoothly",
                           solution_.independent, show(t)));
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
        note_place(fmt::format("{0} turns {1} at {0} = {2} (s = {3}), an impasse point", solution_.independent,
                               forward_ < 0 ? "back" : "forward again", show(segment_.at(theta, m)),
                               show(linalg::absolute(segment_.tau_at(theta)))));
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
    note_place(
        fmt::format("near {} = {:.6g} the constraints become dependent, where branches may cross; the curve goes "
                    "on smoothly",
                    solution_.independent, static_cast<double>(singular)));
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
template void Run<double>::note_place(const std::string&);
template void Run<expr::Quad>::note_place(const std::string&);
template void Run<double>::follow_curve(double);
template void Run<expr::Quad>::follow_curve(expr::Quad);
template void Run<double>::note_crossing(double);
template void Run<expr::Quad>::note_crossing(expr::Quad);
template void Run<double>::note_turns();
template void Run<expr::Quad>::note_turns();

} // namespace vessiot
