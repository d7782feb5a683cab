#include "solve/run/parts/conditions.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"
#include "projection/row_solver.hpp"
#include "solve/events/mode_walk.hpp"
#include "solve/start/given.hpp"
#include "solve/start/violation.hpp"
#include "solve/watch/impasse.hpp"

namespace vessiot {

namespace {

constexpr std::size_t most_searched = 50; // coordinates whose values are looked for

template <class S> S round_off(S tau) {
    return S(64) * linalg::epsilon<S>() * linalg::absolute(tau);
}

// How far the constraints are off, row by row.
template <class S> std::vector<S> residuals(Manifold<S>& manifold, S t, const S* u) {
    std::vector<S> f(static_cast<std::size_t>(manifold.n_constraints()));
    if (!f.empty()) manifold.f(t, u, f.data());
    return f;
}

// Do constraints jump: do they hold no longer that held `before`, in other modes at this point? What a run without
// projection has drifted away from them is in both.
template <class S> bool has_jumped(Manifold<S>& manifold, S t, const S* u, const std::vector<S>& before) {
    if (manifold.n_constraints() == 0) return false;
    const std::vector<S> after = residuals(manifold, t, u);
    const std::vector<double> scaled = scaled_residuals(manifold, t, u);
    for (std::size_t k = 0; k < after.size(); ++k) {
        const S change = linalg::absolute(before.empty() ? after[k] : after[k] - before[k]);
        const S part = change / linalg::absolute(after[k]); // the scaled residual is the residual over a size
        if (change > S(0) && !(scaled[k] * std::min(static_cast<double>(part), 1.0) <= 1e-8)) return true;
    }
    return false;
}

// The surfaces along the last step, as EventWatch asks for them.
template <class S> struct SurfaceProbe {
    RunState<S>& run;
    ConditionWatch<S>& watch;
    S rtol, atol;
    void evaluate(S theta, S* v) {
        watch.surfaces().values(run.time_of(run.curve.segment.tau_at(theta), run.work.data()), run.work.data(), v);
    }
    void values(S theta, S* v) {
        run.point_at(theta, run.work);
        evaluate(theta, v);
    }
    void rough(S theta, S* v) {
        run.curve.segment.at(theta, run.work.data());
        evaluate(theta, v);
    }
    bool has_range(std::size_t f) const { return watch.has_range(f); }
    int sign(std::size_t f) { return watch.sign(f); }
    expr::Range range(std::size_t f, S a, S b) { return watch.range(f, run.curve.segment, a, b); }
    void terms(S theta, S* v) {
        run.curve.segment.at(theta, run.work.data());
        watch.surfaces().terms(run.time_of(run.curve.segment.tau_at(theta), run.work.data()), run.work.data(), v);
    }
};

} // namespace

template <class S> void RunConditions<S>::begin(S t, const S* x) {
    watch_ = &run_.engine.condition_watch(run_.direction, run_.span.t1);
    if (run_.options.resume.empty()) watch_->surfaces().settle(t, x, true);
    watch_->begin(t, x);
}

template <class S> bool RunConditions<S>::begin_always() {
    if (always_.is_empty()) return true;
    std::copy_n(run_.start.u.data(), run_.field().size(), run_.work.data());
    if (run_.problem().analysis().conditions) begin(run_.span.t0, run_.start.u.data());
    if (!settle_always(run_.span.t0)) return false;
    std::copy_n(run_.work.data(), run_.field().size(), run_.start.u.data());
    return true;
}

template <class S> bool RunConditions<S>::settle_always(S t) {
    if (always_.is_empty()) return true;
    bool has_changed = false;
    const auto follow = [&] {
        if (!watch_) return true;
        watch_->leave_group(t, run_.work.data());
        return follow_modes(t, {});
    };
    return always_.settle(t, follow, has_changed);
}

template <class S> S RunConditions<S>::limited(S h) {
    run_.attempt.ends_at_switch = false;
    SwitchTimes<S>& times = watch_->surfaces().times();
    if (run_.is_arclength || times.is_empty()) return h;
    const S tau = run_.clock(), end = run_.attempt.is_last ? run_.span.t1 : tau + h;
    S reach = run_.attempt.is_last
                  ? end
                  : end + S(run_.sizes.is_adaptive ? 1e-2 : 1e-9) * h; // a little farther is taken with it
    const S asked = reach;
    const std::optional<S> found = times.next(tau, reach, watch_->surfaces().held());
    if (found && !(run_.attempt.is_last && *found == run_.span.t1)) {
        run_.attempt.ends_at_switch = true;
        run_.attempt.switch_at = *found;
        const bool is_whole =
            !run_.sizes.is_adaptive && linalg::absolute(*found - end) <= S(1e-9) * linalg::absolute(h);
        if (is_whole) return h;
        run_.attempt.is_last = false;
        return *found - tau;
    }
    if (reach == asked || (end - reach) * run_.direction <= S(0)) return h;
    run_.attempt.is_last = false; // so far, and no farther, it is known that nothing switches
    return reach - tau;
}

template <class S> bool RunConditions<S>::is_one_pending() {
    if (!has_surfaces()) return false;
    Surfaces<S>& surfaces = watch_->surfaces();
    std::vector<S> v(surfaces.size());
    surfaces.values(run_.t(), run_.stepper().point(), v.data());
    for (std::size_t f = 0; f < v.size(); ++f)
        if (surfaces.side(f) != 0 && linalg::absolute(v[f]) <= surfaces.zero(f)) return true;
    return false;
}

// NOTE: the step was tried, and is not accepted yet.
template <class S>
Meeting RunConditions<S>::meet(S tau, S& h, StepReport<S>& report, const std::function<bool()>& is_event_pending) {
    const S* x = run_.stepper().candidate();
    const S t = run_.time_of(tau + h, x);
    bool is_met = false;
    S theta = 1;
    if (watch_->surfaces().size() > 0 && run_.curve.segment.take(run_.stepper(), tau, h) == PointStatus::good) {
        // what passes a surface has passed it, by however little: only round-off is a touch
        SurfaceProbe<S> probe{run_, *watch_, S(2) * linalg::epsilon<S>(), S(0)};
        is_met = watch_->find(probe, run_.curve.segment, t, x);
        if (is_met) theta = watch_->theta();
        if (!is_met && watch_->is_unsure()) note_missed_switching(t);
    }
    bool is_of_time = false;
    if (run_.method().chooses_steps && !run_.is_arclength) { // it does not end where a condition of t alone switches
        S reach = tau + h;
        const auto found = watch_->surfaces().times().next(tau, reach, watch_->surfaces().held());
        is_of_time = run_.attempt.ends_at_switch = found && (!is_met || (*found - tau) / h < theta);
        if (is_of_time) {
            run_.attempt.switch_at = *found;
            theta = (*found - tau) / h;
            is_met = true;
        }
    }
    is_met_ = is_met || run_.attempt.ends_at_switch;
    if (!is_met || is_of_time) watch_->take_group(S(-1));
    if (!is_met) return run_.attempt.ends_at_switch ? Meeting::here : Meeting::nothing;
    const bool is_at_start = theta * linalg::absolute(h) <= round_off(tau) && !is_of_time;
    if (is_at_start && !is_event_pending()) {
        watch_->take_group(theta);
        std::copy_n(run_.stepper().point(), run_.field().size(), run_.work.data());
        pass(tau);
        return run_.is_over ? Meeting::over : Meeting::again;
    }
    if ((S(1) - theta) * linalg::absolute(h) <= round_off(tau) && run_.attempt.is_last) return Meeting::nothing;
    run_.attempt.is_last = false;
    run_.attempt.is_tick = run_.attempt.is_tick && run_.method().chooses_steps &&
                           (S(1) - theta) * linalg::absolute(h) <= round_off(run_.attempt.tick);
    if (run_.attempt.is_tick) { // both happen at the end of the step
        theta = S(1);
        if (is_of_time) run_.attempt.switch_at = run_.attempt.tick;
    }
    if (is_at_start || run_.method().chooses_steps || !land(tau, h, report)) {
        if (!run_.method().chooses_steps) report = run_.stepper().attempt(h);
        run_.stepper().accept();
        run_.attempt.ends_at_switch = is_of_time;
        if (!is_of_time) watch_->take_group(theta);
        run_.curve.segment.take(run_.stepper(), tau, h);
        run_.curve.segment.cut(theta);
        return Meeting::inside;
    }
    run_.attempt.ends_at_switch = false;
    return Meeting::here;
}

template <class S> void RunConditions<S>::note_missed_switching(S t) {
    if (has_noted_) return;
    has_noted_ = true;
    run_.solution.notes.push_back(fmt::format(
        "warning: it is not sure that all switchings of the condition {} are found: near {} = {} it changes "
        "too fast for the steps there. Smaller steps (--h-max) find more of them",
        watch_->surfaces().text(watch_->unsure_function()), run_.solution.independent, run_.show(t)));
}

// Steps of other sizes, until one ends where the function that was met first is zero: by secants, from what the dense
// output says.
template <class S> bool RunConditions<S>::land(S tau, S& h, StepReport<S>& report) {
    const std::size_t f = watch_->first();
    Surfaces<S>& surfaces = watch_->surfaces();
    std::vector<S> v(surfaces.size());
    const S theta = watch_->theta(), near = S(1e-3);
    const auto on_curve = [&](S at) {
        run_.point_at(at, run_.work);
        surfaces.values(run_.time_of(run_.curve.segment.tau_at(at), run_.work.data()), run_.work.data(), v.data());
        return v[f];
    };
    const S lo = std::max(theta - near, S(0)), hi = std::min(theta + near, S(1));
    S rate = (on_curve(hi) - on_curve(lo)) / ((hi - lo) * h), way = theta * h, last_way = 0, last = 0;
    for (int k = 0; k < 8; ++k) {
        if (!(rate != S(0)) || !linalg::is_finite(rate) || !(way / h > S(0)) || !(way / h < S(1.5))) return false;
        ++run_.meter.n_attempts;
        report = run_.stepper().attempt(way);
        if (report.outcome != StepOutcome::done) return false;
        const S t = run_.time_of(tau + way, run_.stepper().candidate());
        surfaces.values(t, run_.stepper().candidate(), v.data());
        if (k > 0 && linalg::absolute(v[f]) > S(0)) {
            const S secant = (v[f] - last) / (way - last_way);
            if (linalg::is_finite(secant) && secant * rate > S(0)) rate = secant;
        }
        const S change = v[f] / rate;
        const bool is_there = linalg::absolute(change) <= S(2) * linalg::epsilon<S>() * linalg::absolute(tau + way);
        // what is left is the noise of an iteration that ends at a tolerance
        const bool is_noise = k > 1 && linalg::absolute(v[f]) > S(0.5) * linalg::absolute(last);
        if (v[f] == S(0) || is_there || is_noise) {
            h = way;
            watch_->take_group(t, run_.stepper().candidate());
            return true;
        }
        last = v[f];
        last_way = way;
        way -= change;
    }
    return false;
}

template <class S> void RunConditions<S>::leave() {
    if (!is_met_) return; // an event has set values
    std::copy_n(run_.stepper().point(), run_.field().size(), run_.work.data());
    pass(run_.attempt.ends_at_switch ? run_.attempt.switch_at : run_.clock());
}

// The point `work` at tau: what was met there switches.
template <class S> void RunConditions<S>::pass(S tau) {
    S end = tau;
    if (!run_.is_arclength) {
        // NOTE: never back by a round-off, where modes of t were others: the grid of constant steps has one of its own
        const S ahead = (run_.stepper().tau() - end) * run_.direction;
        if (ahead > S(0) && ahead <= round_off(end)) end = run_.stepper().tau();
        // two switchings that differ by round-off are one
        S reach = end + run_.direction * round_off(end);
        if (const auto next = watch_->surfaces().times().next(end, reach, watch_->surfaces().held())) end = *next;
        if (!run_.sizes.is_adaptive && end != tau) run_.sizes.grid.advance_to(end);
    }
    const S t = run_.time_of(end, run_.work.data());
    const std::vector<S> before = residuals(run_.problem().manifold(), t, run_.work.data());
    const std::vector<double> row_before = row(t);
    const double hidden_before = hidden_residual(t);
    const bool is_differentiated = run_.problem().base() && run_.solution.stats.steps > 0;
    if (is_differentiated) begin_moving(end, t);
    const std::span<const S> held = run_.problem().jets().held();
    const std::vector<S> held_before(held.begin(), held.end());
    if (!watch_->pass(end) && !leave_branch(t)) return fail_sliding(t);
    if (!follow_modes(t, before) || !follow_hidden(t, hidden_before) || !settle_always(t)) return;
    if (!is_determined(t, is_differentiated ? std::vector<S>{} : held_before)) return;
    if (is_differentiated && !move_derivatives(end, t)) return;
    if (watch_->accumulation()) return fail_accumulation(t);
    report_jump(end, t, row_before);
    restart_at(end, t);
}

// A branch may have no value where it begins but for round-off (sqrt(x) behind x > 0, at x = -1e-17): there the point
// `work` is moved on along its way before that, by as little as it takes and less than the tolerances tell.
template <class S> void RunConditions<S>::move_behind(S tau, const std::vector<S>& held_before) {
    Field<S>& field = run_.field();
    const std::int64_t n = field.size();
    linalg::Vector<S> v(n), behind(n);
    const std::span<S> held = run_.problem().jets().held();
    const std::vector<S> held_after(held.begin(), held.end());
    std::ranges::copy(held_before, held.begin());
    const bool has_way = field.direction(tau, run_.work.data(), v.data()) == PointStatus::good;
    std::ranges::copy(held_after, held.begin());
    if (!has_way) return;
    const linalg::Vector<S> point = run_.work;
    const auto is_near = [&](S by) {
        for (std::int64_t k = 0; k < n; ++k)
            if (!(linalg::absolute(by * v[k]) <=
                  S(0.1) * (S(run_.options.atol) + S(run_.options.rtol) * linalg::absolute(point[k]))))
                return false;
        return true;
    };
    S by = run_.direction * linalg::epsilon<S>() *
           std::max(linalg::absolute(tau), S(1e-6) * linalg::absolute(run_.span.t1 - run_.span.t0));
    for (; is_near(by); by *= S(2)) {
        for (std::int64_t k = 0; k < n; ++k) run_.work[k] = point[k] + by * v[k];
        if (field.direction(tau, run_.work.data(), behind.data()) == PointStatus::good) return;
    }
    run_.work = point;
}

// NOTE: derivatives of the solution are those before it; where it jumps, they are not known.
template <class S> bool RunConditions<S>::settle_at_end(S t) {
    const linalg::Vector<S> point = run_.work;
    const std::span<const S> held = run_.problem().jets().held();
    const std::vector<S> held_before(held.begin(), held.end());
    const std::vector<S> before = residuals(run_.problem().manifold(), t, run_.work.data());
    const std::vector<double> row_before = row(t);
    const double hidden_before = hidden_residual(t);
    watch_->take_group(S(-1));
    watch_->surfaces().settle(t, run_.work.data(), true);
    if (std::ranges::equal(held, held_before)) return true;
    if (!follow_modes(t, before) || !follow_hidden(t, hidden_before) || !settle_always(t)) return false;
    if (run_.problem().base() && moved_from(point) > S(1e-10)) {
        fail_derivatives(t);
        return false;
    }
    report_jump(run_.stepper().tau(), t, row_before);
    return true;
}

template <class S> std::vector<double> RunConditions<S>::row(S t) {
    std::vector<double> values;
    run_.recorder().values(t, run_.work.data(), values);
    return values;
}

// The point `work`, where its values are others than before.
template <class S> void RunConditions<S>::report_jump(S tau, S t, const std::vector<double>& before) {
    const auto is_same = [](double a, double b) { return std::fabs(a - b) <= 1e-9 * (1 + std::fabs(a)); };
    if (run_.reports_steps() && !std::ranges::equal(before, row(t), is_same))
        run_.recorder().add(run_.solution, t, linalg::absolute(tau), run_.work.data());
}

// Modes that depend on what has changed, and a point that satisfies the constraints with them: algebraic unknowns may
// jump there, others do not.
template <class S> bool RunConditions<S>::follow_modes(S t, const std::vector<S>& before) {
    Surfaces<S>& surfaces = watch_->surfaces();
    if (!surfaces.settle(t, run_.work.data(), false, watch_->group()) &&
        !walk_to_modes(run_.problem(), surfaces, t, run_.work)) {
        run_.fail(
            fmt::format("the run ended at {} = {}: no side of the condition {} fits: each leads to the other. Write "
                        "the equation such that it has a solution there",
                        run_.solution.independent, run_.show(t), surfaces.open()));
        return false;
    }
    Manifold<S>& manifold = run_.problem().manifold();
    if (!has_jumped(manifold, t, run_.work.data(), before)) return true;
    const std::vector<Violation> off = find_violations(manifold, t, run_.work.data());
    if (follow_algebraic(t, before)) return true;
    if (!method::is_direct(run_.method()) && is_consistent_nearby(t)) return true;
    fail_jump(t, off);
    return false;
}

// By continuation from the values before it, while the constraints go from what they were to what they are; where that
// branch of solutions ends, by the solution next to where it does.
template <class S> bool RunConditions<S>::follow_algebraic(S t, const std::vector<S>& before) {
    Manifold<S>& manifold = run_.problem().manifold();
    const std::vector<Freedom> freedom = freedom_at_jumps(run_.problem().system(), run_.problem().prolongation());
    const linalg::Vector<S> point = run_.work;
    std::vector<char> is_free(freedom.size()), has_free(static_cast<std::size_t>(manifold.n_constraints()));
    std::vector<std::int32_t> rows, columns;
    for (std::size_t k = 0; k < freedom.size(); ++k) is_free[k] = freedom[k] == Freedom::free;
    const linalg::Pattern& pattern = manifold.pattern();
    for (std::size_t j = 0; j < is_free.size(); ++j) {
        if (!is_free[j] || pattern.column_start[j] == pattern.column_start[j + 1]) continue;
        columns.push_back(static_cast<std::int32_t>(j));
        for (std::int64_t e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e)
            has_free[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(e)])] = 1;
    }
    for (std::size_t k = 0; k < has_free.size(); ++k)
        if (has_free[k]) rows.push_back(static_cast<std::int32_t>(k));
    if (rows.empty()) return false;
    const auto is_there = [&] { return !has_jumped(manifold, t, run_.work.data(), before); };
    if (RowSolver<S>(manifold, rows, columns, run_.work).take_back(t, run_.work) && is_there()) return true;
    run_.work = point;
    bool is_found = make_consistent<S>(manifold, t, run_.work, freedom, Freedom::free, false).is_consistent;
    if (!is_found && columns.size() <= most_searched) {
        std::vector<Freedom> fixed(freedom.size(), Freedom::held);
        for (const std::int32_t j : columns) fixed[static_cast<std::size_t>(j)] = Freedom::free;
        const auto found = find_solutions(manifold, t, point, fixed, {columns.begin(), columns.end()});
        is_found = !found.empty();
        if (is_found) run_.work = found.front();
    }
    if (!is_found) {
        run_.work = point;
        return false;
    }
    note_branch_end(t);
    return true;
}

// A branch of solutions that turns back at a surface (a comparator with feedback): with each mode of that surface the
// solution is driven back, and what is algebraic jumps to the only other solution.
template <class S> bool RunConditions<S>::leave_branch(S t) {
    if (!take_other_modes(run_.problem(), watch_->surfaces(), t, run_.work, watch_->stuck())) return false;
    watch_->take_group(S(-1));
    note_branch_end(t);
    return true;
}

template <class S> void RunConditions<S>::note_branch_end(S t) {
    run_.note_place(
        fmt::format("warning: the values of what is algebraic have no continuation where a condition switches "
                    "(their branch of solutions ends on the way), at {} = ",
                    run_.solution.independent),
        run_.show(t), ": another solution is taken, and there may be more of them");
}

template <class S> double RunConditions<S>::hidden_residual(S t) {
    if (!hidden_) return 0;
    hidden_->take_constants(run_.problem().jets().constants());
    return hidden_->residual(t, row(t));
}

// NOTE: nothing is projected, so that the hidden constraints may be off before it.
template <class S> bool RunConditions<S>::follow_hidden(S t, double before) {
    if (!hidden_ || hidden_->is_empty()) return true;
    if (hidden_residual(t) > 1e-8 + 10 * before) {
        fail_jump(t, hidden_->violations(t));
        return false;
    }
    const std::vector<S> values = hidden_->values(t);
    const std::vector<ValuePlace> places = run_.problem().analysis().value_places();
    const std::vector<Freedom> freedom = freedom_at_jumps(run_.problem().system(), run_.problem().prolongation());
    for (std::size_t k = 0; k < places.size(); ++k) {
        const ValuePlace& to = places[k];
        const bool is_free = !to.is_held && !to.is_top && freedom[static_cast<std::size_t>(to.at)] == Freedom::free;
        if (is_free && linalg::is_finite(values[k])) run_.work[to.at] = values[k];
    }
    return true;
}

template <class S> void RunConditions<S>::fail_jump(S t, const std::vector<Violation>& off) {
    run_.fail(
        fmt::format("the run ended at {} = {}: a constraint jumps where a condition switches, and what it determines "
                    "cannot follow: {}. Write the jump as an event that sets the values (event … then …), or a "
                    "constraint that is continuous",
                    run_.solution.independent, run_.show(t), to_text(off)));
}

// Where all terms of a constraint vanish, round-off of the others is large beside them: does it hold at a point that
// does not differ by more?
template <class S> bool RunConditions<S>::is_consistent_nearby(S t) {
    const std::int64_t n = run_.problem().n_state();
    const linalg::Vector<S> before = run_.work;
    const std::vector<Freedom> all(static_cast<std::size_t>(n), Freedom::free);
    if (!make_consistent<S>(run_.problem().manifold(), t, run_.work, all, Freedom::free, false).is_consistent)
        return false;
    for (std::int64_t k = 0; k < n; ++k)
        if (!(linalg::absolute(run_.work[k] - before[k]) <= S(1e-12) * (S(1) + linalg::absolute(before[k]))))
            return false;
    return true;
}

// What is needed of the side before, for the derivatives of the solution behind the surface.
template <class S> void RunConditions<S>::begin_moving(S tau, S t) {
    if (!run_.engine.surface_rates) run_.engine.surface_rates.emplace(run_.problem());
    run_.engine.surface_rates->take(t, run_.work.data());
    const std::span<const S> held = run_.problem().jets().held();
    moving_ = {linalg::Vector<S>(run_.field().size()), run_.work, std::vector<S>(held.begin(), held.end())};
    run_.field().direction(tau, run_.work.data(), moving_.direction.data());
}

// Where the direction jumps, the derivatives of the solution do, too (surface_rates.hpp).
template <class S> bool RunConditions<S>::move_derivatives(S tau, S t) {
    const std::int64_t n = run_.problem().base()->n_state();
    const std::span<const S> held = run_.problem().jets().held();
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < held.size(); ++k)
        if (held[k] != moving_.held[k]) places.push_back(k);
    linalg::Vector<S> now(run_.field().size());
    run_.field().direction(tau, run_.work.data(), now.data());
    S jump = 0;
    for (std::int64_t k = 0; k < n; ++k)
        jump = std::max(jump, linalg::absolute(moving_.direction[k] - now[k]) / (S(1) + linalg::absolute(now[k])));
    const S moved = moved_from(moving_.point);
    if (places.empty() || (jump <= S(1e-10) && moved <= S(1e-10))) return true;
    const auto moves = moved <= S(1e-10) ? run_.engine.surface_rates->moves(places) : std::nullopt;
    if (!moves) {
        fail_derivatives(t);
        return false;
    }
    for (std::size_t j = 0; j < moves->size(); ++j)
        for (std::int64_t k = 0; k < n; ++k)
            run_.work[static_cast<std::int64_t>(j + 1) * n + k] += (moving_.direction[k] - now[k]) * (*moves)[j];
    return true;
}

// The point `work`, with derivatives: how far is its solution from that of x?
template <class S> S RunConditions<S>::moved_from(const linalg::Vector<S>& x) const {
    S moved = 0;
    for (std::int64_t k = 0; k < run_.problem().base()->n_state(); ++k)
        moved = std::max(moved, linalg::absolute(x[k] - run_.work[k]) / (S(1) + linalg::absolute(run_.work[k])));
    return moved;
}

template <class S> void RunConditions<S>::fail_derivatives(S t) {
    run_.fail(fmt::format("the run ended at {} = {}: the derivatives by --sensitivity cannot be followed across what "
                          "switches there: several conditions at once, one that is only touched, or values that jump",
                          run_.solution.independent, run_.show(t)));
}

// After an event that set values, at the point `work`: what was met where it happened switches too, and all modes are
// those of the new point.
template <class S> void RunConditions<S>::follow_jump(S tau, S t) {
    const bool is_there = linalg::absolute(tau - run_.stepper().tau()) <= round_off(tau);
    if (is_there && !watch_->pass(tau)) return fail_sliding(t);
    watch_->take_group(S(-1));
    if (!follow_modes(t, {}) || !is_determined(t)) return;
    if (const std::string wrong = run_.engine.saltation ? run_.engine.saltation->settle(t, run_.work) : "";
        !wrong.empty())
        return run_.fail(fmt::format("the run ended at {} = {}: {}", run_.solution.independent, run_.show(t), wrong));
    is_met_ = run_.attempt.ends_at_switch = false;
    watch_->begin(t, run_.work.data());
}

// Where a branch has no value behind its surface (if(x > 0, sqrt(x), 0)), steps become shorter and shorter before it.
template <class S> bool RunConditions<S>::pass_nearest() {
    const S tau = run_.stepper().tau(), t = run_.time_of(tau, run_.stepper().point());
    if (!watch_->take_nearest(t, run_.stepper().point(), S(1e-9))) return false;
    std::copy_n(run_.stepper().point(), run_.field().size(), run_.work.data());
    pass(tau);
    const S usual =
        S(1e-3) * linalg::absolute(run_.span.t1 - run_.span.t0); // what was tried last says nothing about the rest
    run_.sizes.h = run_.direction * (run_.sizes.most < usual ? run_.sizes.most : usual);
    return !run_.is_over;
}

// At the point `work`. Completion has looked at the equations with the modes of the start: where others have hidden
// constraints, or another index, it says nothing about them.
template <class S> bool RunConditions<S>::is_determined(S t, const std::vector<S>& held_before) {
    if (method::is_direct(run_.method())) return true;
    linalg::Vector<S> tops(run_.problem().n_tops());
    PointStatus status = run_.problem().distribution().tops(t, run_.work.data(), tops.data());
    if (status == PointStatus::not_finite && !held_before.empty() && !run_.is_arclength) {
        move_behind(t, held_before);
        status = run_.problem().distribution().tops(t, run_.work.data(), tops.data());
    }
    const bool is_singular = status == PointStatus::singular ||
                             (status != PointStatus::good && is_near_impasse<S>(run_.problem(), {t, run_.work.data()},
                                                                                {run_.span.t0, run_.start.u.data()}));
    if (!is_singular) return true;
    run_.fail(fmt::format(
        "the run ended at {} = {}: behind what switches there the equations do not determine {}. With other branches "
        "they have other hidden constraints, or another index, than those that the run began with. Write such a branch "
        "in the form that determines them (v' = 0 for v = 0, say, and an event that sets v), or as a run of its own",
        run_.solution.independent, run_.show(t), run_.problem().analysis().top_names()));
    return false;
}

template <class S> void RunConditions<S>::fail_sliding(S t) {
    const std::string condition = watch_->surfaces().text(watch_->stuck());
    run_.fail(fmt::format(
        "the run ended at {0} = {1}: a sliding mode at the condition {2}. On each of its sides the solution "
        "is driven back to the other, so that it could only stay where the condition switches, which these "
        "equations do not say. Write what holds there: an equation that keeps the solution on the surface "
        "(a mode of its own: event … then …), a continuous function in place of the jump (tanh(x/0.001) "
        "for sign(x)), or two thresholds instead of one",
        run_.solution.independent, run_.show(t), condition));
}

template <class S> void RunConditions<S>::fail_accumulation(S t) {
    const ZenoWatch::Accumulation& found = *watch_->accumulation();
    const auto& group = watch_->group();
    const std::string what =
        group.empty() ? "a condition" : "the condition " + watch_->surfaces().text(group.front().function);
    run_.fail(fmt::format(
        "the run ended at {0} = {1}: {2} switches faster and faster: the time between shrinks by a factor of "
        "about {3:.3g}, and at {0} = {4:.8g} the solution comes to rest where it switches. Write what holds "
        "from there on (event … then …), or end the run before",
        run_.solution.independent, run_.show(t), what, found.factor,
        static_cast<double>(t + run_.direction * S(found.rest))));
}

template <class S> void RunConditions<S>::restart_at(S tau, S t) {
    run_.restart_at(tau, t);
    if (watch_) watch_->begin(t, run_.work.data());
}

template class RunConditions<double>;
template class RunConditions<Quad>;

} // namespace vessiot
