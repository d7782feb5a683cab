#include "solve/run/parts/state.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "solve/run/place.hpp"

namespace vessiot {

namespace {

constexpr std::size_t most_places = 5; // in a note

// A curve of many steps is not kept unless it has a limit; a run with a checkpoint keeps none.
Settings settings_of_run(Settings options) {
    if (options.checkpoint.empty()) options.checkpoint = options.resume;
    const bool is_short_curve = options.dense_limit > 0;
    if ((options.keep > 0 && !is_short_curve) || !options.checkpoint.empty()) options.dense = false;
    return options;
}

} // namespace

template <class S>
RunState<S>::RunState(Engine<S>& parts, const Settings& how, const Span<S>& where, StartPoint<S> from, Solution& result)
    : engine(parts), options(settings_of_run(how)), span(where), start(std::move(from)), solution(result),
      is_arclength(problem().analysis().is_arclength), direction(where.t1 < where.t0 ? S(-1) : S(1)),
      sizes(parts.control, parts.is_adaptive(), {where.t0, direction * S(how.step)}),
      curve(field().size(), stepper().dense_degree(), options.dense, options.dense_limit),
      work(problem().n_state() + 1) {}

// In arclength: the end of the interval where that is t, up to round-off; up to what an iteration leaves where a step
// was made to end there.
template <class S> S RunState<S>::landed(S t) const {
    const S near = span.s1 ? S(1e-13) : S(1e-9);
    for (const S end : {span.t0, span.t1})
        if (linalg::absolute(t - end) <= near * (S(1) + linalg::absolute(end))) return end;
    return t;
}

// In arclength: the current point, which misses the end by what an iteration leaves, moved along its tangent to that t.
template <class S> linalg::Vector<S> RunState<S>::end_of_curve(S t) {
    const std::int64_t m = problem().n_state();
    linalg::Vector<S> x(m + 1);
    std::copy_n(stepper().point(), m + 1, x.data());
    const S miss = t - x[m];
    const S* const v = stepper().direction();
    if (v && linalg::absolute(miss) <= S(1e-6) * linalg::absolute(v[m])) // not where t turns
        for (std::int64_t k = 0; k < m; ++k) x[k] += miss / v[m] * v[k];
    x[m] = t;
    return x;
}

template <class S> bool RunState<S>::is_conserved(S t, const S* x) {
    if (const S* v = stepper().direction()) return is_conserved(stepper().tau(), t, x, v);
    linalg::Vector<S> v(field().size()); // methods that keep none look only now and then
    return field().direction(stepper().tau(), x, v.data()) != PointStatus::good ||
           is_conserved(stepper().tau(), t, x, v.data());
}

template <class S> bool RunState<S>::is_conserved(S tau, S t, const S* x, const S* v) {
    const std::optional<std::string> broken = conservation()->look(tau, t, x, v);
    if (broken) fail(*broken);
    return !broken;
}

// At the point `work`, behind which other equations or other kept values hold.
template <class S> bool RunState<S>::was_conserved(S tau, S t) {
    linalg::Vector<S> v(field().size());
    return field().direction(tau, work.data(), v.data()) != PointStatus::good ||
           is_conserved(tau, t, work.data(), v.data());
}

// The point of the curve at theta, on the manifold.
template <class S> void RunState<S>::point_at(S theta, linalg::Vector<S>& x) {
    if (place_on_curve(problem(), engine.report_projection(), curve.segment, theta, x) || has_stray) return;
    has_stray = true;
    solution.notes.push_back(
        fmt::format("warning: inside of the step at {} = {} no point on the constraints was found; "
                    "tighter tolerances make shorter steps",
                    solution.independent, show(time_of(curve.segment.tau_at(theta), x.data()))));
}

template <class S> void RunState<S>::succeed(const std::string& message) {
    solution.status = Status::success;
    solution.message = message + unreached();
    is_over = true;
}

// NOTE: in arclength a point may be met more than once, so that none is missing for sure before the end.
template <class S> std::string RunState<S>::unreached() const {
    const std::size_t n = is_arclength ? 0 : span.times.size() - next_time;
    return n == 0 ? "" : fmt::format("; {} of the points asked for {} not reached", n, n == 1 ? "was" : "were");
}

template <class S> std::string RunState<S>::show(S t) const {
    return fmt::format("{:.10g}", static_cast<double>(t));
}

template <class S>
void RunState<S>::note_place(const std::string& before, const std::string& place, const std::string& after) {
    for (std::string& note : solution.notes) {
        if (!note.starts_with(before) || !note.ends_with(after)) continue;
        const std::string_view places =
            std::string_view(note).substr(before.size(), note.size() - before.size() - after.size());
        if (places.ends_with("…")) return;
        const auto n = static_cast<std::size_t>(std::ranges::count(places, ',')) + 1;
        note.insert(note.size() - after.size(), ", " + (n < most_places ? place : "…"));
        return;
    }
    solution.notes.push_back(before + place + after);
}

template <class S> void RunState<S>::fail(const std::string& message) {
    solution.status = Status::failed;
    solution.message = message + unreached();
    is_over = true;
}

template <class S> void RunState<S>::interrupt() {
    solution.status = Status::interrupted;
    solution.message = fmt::format("interrupted at {} = {}", solution.independent, show(t())) + unreached();
    is_over = true;
}

// The stepper at the point `work`, with new modes, or after a jump.
template <class S> void RunState<S>::restart_at(S tau, S t) {
    if (is_arclength) {
        work[problem().n_state()] = t;
        arclength().jump_to(work.data(), forward);
    }
    stepper().begin_as(stepper().mode(), tau, work.data());
    engine.watch.has_changed(t, work.data());
    engine.divisors.changed(t, work.data());
    if (leap()) leap()->forget();
    sizes.controller.reset();
    keep_constants();
}

// Of this process and of those before it.
template <class S> RunCounts RunState<S>::counts() const {
    RunCounts all;
    all.stepper = stepper().counts();
    std::ranges::copy(stepper().steps_by_order(), all.steps_by_order.begin());
    all.distribution = problem().distribution().counts();
    if (projection()) all.projection = projection()->counts();
    all.seconds = meter.seconds();
    all.add(meter.before);
    return all;
}

template <class S> void RunState<S>::advance_grid(S tau) {
    sizes.grid_before = sizes.grid;
    sizes.part = S(0);
    if (!sizes.is_adaptive && !is_arclength) sizes.advance_grid(tau, attempt.is_last);
}

template struct RunState<double>;
template struct RunState<Quad>;

} // namespace vessiot
