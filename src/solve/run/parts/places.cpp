#include "solve/run/parts/places.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "event/crossing.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/place.hpp"

namespace vessiot {

namespace {

constexpr double least_exponent = 0.01;
// Values so many times larger than at the start: the solution runs to infinity.
constexpr double distant = 1e6, distant_if_explicit = 1e3;

} // namespace

template <class S> void SingularPlaces<S>::follow_curve() {
    const S* v = run_.stepper().direction();
    if (!v) return;
    run_.arclength().follow(v);
    if (run_.arclength().has_changed()) look_for_crossing();
}

// NOTE: on the manifold, since a polynomial between two branches is continuous where the curve is not.
template <class S> bool SingularPlaces<S>::is_over_fold(S tau, S h) {
    if (run_.is_arclength) return false;
    if (!run_.engine.watch.would_change(run_.time_of(tau + h, run_.stepper().candidate()), run_.stepper().candidate()))
        return false;
    if (run_.curve.segment.take(run_.stepper(), tau, h) != PointStatus::good) return false;
    return run_.engine.watch
        .opening([&](S theta, S* u) {
            place_on_curve(run_.problem(), run_.engine.report_projection(), run_.curve.segment, theta, run_.work);
            std::copy_n(run_.work.data(), run_.problem().n_state(), u);
            return run_.curve.segment.tau_at(theta);
        })
        .is_over_fold;
}

template <class S> void SingularPlaces<S>::look_for_crossing() {
    const std::int64_t m = run_.problem().n_state();
    const auto curve = [&](S theta, S* u) {
        run_.curve.segment.at(theta, run_.work.data());
        std::copy_n(run_.work.data(), m, u);
        return run_.time_of(run_.curve.segment.tau_at(theta), run_.work.data());
    };
    const auto found = run_.engine.watch.opening(curve);
    if (!found.is_there && run_.engine.watch.is_coarse())
        return run_.note_place(
            "warning: ",
            fmt::format("between {0} = {1:.6g} and {0} = {2:.6g}", run_.solution.independent,
                        static_cast<double>(run_.engine.watch.looked_at()), static_cast<double>(run_.t())),
            fmt::format(" masses change their sign, where the equations do not determine {}: what follows may be far "
                        "off. Begin beyond that place, or end before it",
                        run_.problem().analysis().top_names()));
    if (!found.is_there) return;
    run_.curve.segment.at(found.theta, run_.work.data());
    const S t = run_.time_of(run_.curve.segment.tau_at(found.theta), run_.work.data());
    const bool is_zero = linalg::absolute(t) < S(1e-9) * linalg::absolute(run_.curve.segment.h());
    const std::string place = fmt::format("{:.6g}", is_zero ? 0.0 : static_cast<double>(t));
    const bool is_raised = run_.problem().prolongation().is_raised;
    const S exponent = is_raised ? S(0) : crossing_exponent(found.theta);
    if (exponent > S(least_exponent)) return fail_open(found.theta, place);
    if (run_.is_arclength || is_raised)
        return run_.note_place(
            fmt::format("near {} = ", run_.solution.independent), place,
            " the equations leave the direction open (another solution crosses); the curve goes on smoothly");
    if (exponent >= -S(least_exponent)) return; // one solution is continuous there
    run_.note_place(
        fmt::format("warning: at {} = ", run_.solution.independent), place,
        fmt::format(" the equations do not determine {}, and solutions beside this one have a pole there: what "
                    "follows may be far off. Begin beyond it, or end before it",
                    run_.problem().analysis().top_names()));
}

template <class S> void SingularPlaces<S>::note_near_miss(S t) {
    run_.note_place(fmt::format("warning: near {} = ", run_.solution.independent),
                    fmt::format("{:.6g}", static_cast<double>(t)),
                    fmt::format(" the equations hardly determine {}: another solution comes so near there that the "
                                "tolerances do not tell which one goes on. Compare with a method in arclength "
                                "(--parametrisation arclength), or end before",
                                run_.problem().analysis().top_names()));
}

// Where A(t) u' = -r(t, u) gets singular at t*, what is beside the solution goes as |t - t*|^k: with k > 0 all
// solutions near it meet there, and go on from it as they like (a node); with k < 0 all but one have a pole. Near t*
// the trace of the derivative of u' by u is k/(t - t*): two of them say what k is.
template <class S> S SingularPlaces<S>::crossing_exponent(S theta) {
    const S near = theta > S(0.5) ? S(0.99) * theta : theta + S(0.01) * (S(1) - theta);
    const S far = theta > S(0.5) ? S(0.98) * theta : theta + S(0.02) * (S(1) - theta);
    S t_near = 0, t_far = 0;
    const S a = trace_at(near, t_near), b = trace_at(far, t_far);
    const S k = (t_far - t_near) / (S(1) / b - S(1) / a);
    return linalg::is_finite(k) ? k : S(0);
}

// Of the derivative of u' by u, on the last step.
template <class S> S SingularPlaces<S>::trace_at(S theta, S& t) {
    const std::int64_t m = run_.problem().n_state();
    const S tau = run_.curve.segment.tau_at(theta);
    linalg::Vector<S> u(run_.field().size()), v(run_.field().size());
    run_.curve.segment.at(theta, u.data());
    t = run_.time_of(tau, u.data());
    const auto rate = [&](std::int64_t k) {
        if (run_.field().direction(tau, u.data(), v.data()) != PointStatus::good) return S(0) / S(0);
        return run_.is_arclength ? v[k] / v[m] : v[k];
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
template <class S> void SingularPlaces<S>::fail_open(S theta, const std::string& place) {
    if (!run_.is_arclength) { // there the step has been reported
        run_.curve.segment.cut(theta);
        if (!run_.span.times.empty()) reporter_.report_between(theta, true);
        run_.curve.keep();
    }
    run_.fail(
        fmt::format("the run ended at {0} = {1}: there the equations do not determine {2}, and infinitely many "
                    "solutions meet, of which each may be the one that goes on. Begin beyond that point, or end before "
                    "it (--to)",
                    run_.solution.independent, place, run_.problem().analysis().top_names()));
}

// The largest rate on the last step; not finite where there is none.
template <class S> S SingularPlaces<S>::speed_at(S theta) {
    linalg::Vector<S> u(run_.field().size()), v(run_.field().size());
    run_.curve.segment.at(theta, u.data());
    if (run_.field().direction(run_.curve.segment.tau_at(theta), u.data(), v.data()) != PointStatus::good)
        return S(0) / S(0);
    S largest = 0;
    for (std::int64_t k = 0; k < run_.problem().n_state(); ++k) largest = std::max(largest, linalg::absolute(v[k]));
    return largest;
}

// Near t* the direction goes as |t - t*|^-k: k from two points beside it. With k < 1 the solution is continuous there.
template <class S> void SingularPlaces<S>::look_for_pole(std::int64_t divisor) {
    const std::int64_t m = run_.problem().n_state();
    const S theta = run_.engine.divisors.root(divisor, [&](S at, S* u) {
        run_.curve.segment.at(at, run_.work.data());
        std::copy_n(run_.work.data(), m, u);
        return run_.curve.segment.tau_at(at);
    });
    const S tau = run_.curve.segment.tau_at(theta);
    // far enough from it for the distance to have digits
    const S round_off = linalg::epsilon<S>() * linalg::absolute(tau / run_.curve.segment.h());
    const S near = std::max(S(1e-7), S(1e4) * round_off), far = S(10) * near;
    const S sign = theta > S(0.5) ? S(-1) : S(1);
    const S k = std::log10(static_cast<double>(speed_at(theta + sign * near) / speed_at(theta + sign * far)));
    if (!(k > S(0.9))) return;
    run_.curve.segment.cut(theta);
    if (!run_.span.times.empty()) reporter_.report_between(theta, true);
    run_.curve.keep();
    run_.fail(fmt::format(
        "the run ended at {0} = {1:.6g}: there {2}, by which the equations divide, is 0, and no finite {3} is left. A "
        "step of constant size would go over it to another curve: end before it (--to), or leave out --step",
        run_.solution.independent, static_cast<double>(tau), run_.engine.divisors.text(divisor),
        run_.problem().analysis().top_names()));
}

// y^(q) = F: dt / ds vanishes nowhere. That of the polynomial of a step may, where y' is large.
template <class S> bool SingularPlaces<S>::cannot_turn() const {
    const SystemClass c = run_.problem().analysis().classification.system_class;
    return c == SystemClass::explicit_ode || c == SystemClass::invariants;
}

// Near a pole the distance from it gets smaller than the tolerance of t: t goes back and forth there, and might pass
// it.
template <class S> bool SingularPlaces<S>::is_at_infinity(S theta) {
    run_.curve.segment.at(theta, run_.work.data());
    const S limit = S(cannot_turn() ? distant_if_explicit : distant);
    std::int64_t largest = 0;
    const auto growth = [&](std::int64_t j) {
        return linalg::absolute(run_.work[j]) / (S(1) + linalg::absolute(run_.start.u[j]));
    };
    for (std::int64_t j = 1; j < run_.problem().n_state(); ++j)
        if (growth(j) > growth(largest)) largest = j;
    if (!(growth(largest) > limit)) return false;
    const Analysis& analysis = run_.problem().analysis();
    const std::string name = analysis.name_of(analysis.prolongation.state[static_cast<std::size_t>(largest)]);
    const S t = run_.time_of(run_.curve.segment.tau_at(theta), run_.work.data());
    run_.fail(
        fmt::format("the run ended near {} = {} (step {}): {} grows without bound ({} = {:.2g}) while {} stands still "
                    "to its tolerance. The solution seems to end there; end the run before, with --to-s or an "
                    "event that stops it, or follow it further with a smaller rtol",
                    run_.solution.independent, run_.show(t), run_.solution.stats.steps, name, name,
                    static_cast<double>(run_.work[largest]), run_.solution.independent));
    return true;
}

// Zeros of dt / ds on the last step; t comes back at each.
template <class S> void SingularPlaces<S>::note_turns() {
    constexpr int n_pieces = 4;
    const std::int64_t m = run_.problem().n_state();
    const auto slope = [&](S theta) {
        return run_.direction * run_.curve.segment.slope(theta, m);
    }; // > 0: towards the end
    for (int k = 0; k < n_pieces; ++k) {
        const S a = S(k) / S(n_pieces), b = S(k + 1) / S(n_pieces);
        const S at_a = slope(a), at_b = slope(b);
        const int before = run_.forward;
        if (at_b != S(0)) run_.forward = at_b > S(0) ? 1 : -1;
        if (run_.forward == before) continue;
        if (is_at_infinity(b)) return;
        if (cannot_turn()) {
            run_.forward = before;
            continue;
        }
        const bool is_inside = (at_a > S(0)) != (at_b > S(0));
        const S theta = is_inside ? locate(slope, a, at_a, b, at_b) : a;
        run_.note_place(
            fmt::format("{} turns {} at ", run_.solution.independent, run_.forward < 0 ? "back" : "forward again"),
            fmt::format("{} = {} (s = {})", run_.solution.independent, run_.show(run_.curve.segment.at(theta, m)),
                        run_.show(linalg::absolute(run_.curve.segment.tau_at(theta)))),
            ", an impasse point");
    }
}

template class SingularPlaces<double>;
template class SingularPlaces<Quad>;

} // namespace vessiot
