#include "solve/run/parts/reporter.hpp"

#include "event/crossing.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

namespace {

// Up to the round-off that a place on a curve is found with.
template <class S> bool is_same_time(S a, S b) {
    return linalg::absolute(a - b) <= S(16) * linalg::epsilon<S>() * linalg::absolute(b);
}

} // namespace

// Is a point to be reported before the end of this step, or, in arclength, perhaps?
template <class S> bool Reporter<S>::reports_inside(S tau, S h) const {
    if (run_.span.times.empty()) return false;
    if (run_.is_arclength) return true;
    if (run_.next_time == run_.span.times.size()) return false;
    const S wanted = run_.span.times[run_.next_time];
    return (wanted - tau) / h <= S(1) && !(run_.attempt.is_last && wanted == run_.span.t1);
}

template <class S> bool Reporter<S>::reports_at_end() const {
    if (run_.is_arclength) return false;
    const S end = run_.curve.segment.tau_at(S(1));
    for (std::size_t k = run_.next_time; k < run_.span.times.size(); ++k) {
        const S wanted = run_.span.times[k];
        if (is_same_time(wanted, end)) return true;
        if ((wanted - end) * run_.direction > S(0)) return false;
    }
    return false;
}

// In arclength, where t is what was asked for: t is a coordinate, which the projection moves, too.
template <class S> void Reporter<S>::report_at(S theta, S t) {
    const std::int64_t m = run_.problem().n_state();
    run_.point_at(theta, run_.work);
    for (int k = 0; k < 4; ++k) {
        const S miss = run_.work[m] - t, part = S(1e-3);
        if (linalg::absolute(miss) <= S(2) * linalg::epsilon<S>() * linalg::absolute(t)) break;
        const S rate =
            (run_.curve.segment.at(theta + part, m) - run_.curve.segment.at(theta - part, m)) / (S(2) * part);
        const S next = theta - miss / rate;
        if (!(next >= S(0) && next <= run_.curve.segment.end()) || linalg::absolute(next - theta) > S(0.1))
            break; // t turns
        theta = next;
        run_.point_at(theta, run_.work);
    }
    if (linalg::absolute(run_.work[m] - t) <= S(1e-12) * (S(1) + linalg::absolute(t))) run_.work[m] = t;
    t = run_.work[m];
    run_.recorder().add(run_.solution, t, linalg::absolute(run_.curve.segment.tau_at(theta)), run_.work.data());
}

// Where the step ends at the time of events: is it that one?
template <class S> bool Reporter<S>::is_at_tick(S t) const {
    return run_.attempt.is_tick && is_same_time(t, run_.attempt.tick);
}

// A point at theta_end itself is that after the jump, if there is one.
template <class S> void Reporter<S>::report_between(S theta_end, bool is_jump) {
    if (!run_.is_arclength) {
        // times are met in order
        const bool is_end = run_.attempt.is_last && theta_end == S(1);
        for (; run_.next_time < run_.span.times.size(); ++run_.next_time) {
            const S wanted = run_.span.times[run_.next_time];
            const S theta = (wanted - run_.curve.segment.tau()) / run_.curve.segment.h();
            if (is_jump && (is_same_time(wanted, run_.curve.segment.tau_at(theta_end)) || is_at_tick(wanted))) return;
            if (theta > theta_end && !(is_end && wanted == run_.span.t1)) return;
            if (theta == S(1) || (is_end && wanted == run_.span.t1)) {
                run_.recorder().add(run_.solution, wanted, S(0), run_.stepper().point());
            } else {
                run_.point_at(theta, run_.work);
                run_.recorder().add(run_.solution, wanted, S(0), run_.work.data());
            }
        }
        return;
    }
    // t may turn: every passage, found on pieces of the step. The next one begins at the point where this one ends
    constexpr int n_pieces = 16;
    const std::int64_t m = run_.problem().n_state();
    S t_end = run_.stepper().point()[m];
    if (theta_end < S(1)) {
        run_.point_at(theta_end, run_.work);
        t_end = run_.work[m];
    }
    for (int k = 0; k < n_pieces; ++k) {
        const S a = theta_end * S(k) / S(n_pieces), b = theta_end * S(k + 1) / S(n_pieces);
        const S ta = run_.curve.segment.at(a, m), tb = k + 1 < n_pieces       ? run_.curve.segment.at(b, m)
                                                       : run_.attempt.is_last ? run_.landed(t_end)
                                                                              : t_end;
        for (const S wanted : run_.span.times.between(ta, tb)) {
            if (is_jump && run_.attempt.is_last && theta_end == S(1) && wanted == run_.landed(t_end)) continue;
            report_at(locate([&](S theta) { return run_.curve.segment.at(theta, m) - wanted; }, a, ta - wanted, b,
                             tb - wanted),
                      wanted);
        }
    }
}

template class Reporter<double>;
template class Reporter<Quad>;

} // namespace vessiot
