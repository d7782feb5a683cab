// Conditions of the equations along a run: each step ends at the first surface that it meets, and the next one begins
// with other modes. A step of the method itself ends there, so that nothing is lost of its order; only where it cannot
// (a method that chooses its steps) the dense output says where the surface is.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"
#include "projection/row_solver.hpp"
#include "solve/run/run.hpp"
#include "solve/start/given.hpp"
#include "solve/start/violation.hpp"

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

} // namespace

template <class S> void Run<S>::begin_conditions(S t, const S* x) {
    conditions_.emplace(*problem_, direction_, span_.t1, problem_->evaluator());
    if (options_.resume.empty()) conditions_->surfaces().settle(t, x, true);
    conditions_->begin(t, x);
}

template <class S> void Run<S>::keep_constants() {
    if (!options_.dense) return;
    const std::span<S> constants = problem_->jets().constants();
    if (!constants.empty()) kept_constants_.push_back({kept_.size(), {constants.begin(), constants.end()}});
}

template <class S> S Run<S>::limited_by_conditions(S h) {
    ends_at_switch_ = false;
    SwitchTimes<S>& times = conditions_->surfaces().times();
    if (is_arclength_ || times.is_empty()) return h;
    const S tau = clock(), end = is_last_ ? span_.t1 : tau + h;
    S reach = is_last_ ? end : end + S(is_adaptive_ ? 1e-2 : 1e-9) * h; // a little farther is taken with it
    const S asked = reach;
    const std::optional<S> found = times.next(tau, reach, conditions_->surfaces().held());
    if (found && !(is_last_ && *found == span_.t1)) {
        ends_at_switch_ = true;
        switch_at_ = *found;
        const bool is_whole = !is_adaptive_ && linalg::absolute(*found - end) <= S(1e-9) * linalg::absolute(h);
        if (is_whole) return h;
        is_last_ = false;
        return *found - tau;
    }
    if (reach == asked || (end - reach) * direction_ <= S(0)) return h;
    is_last_ = false; // so far, and no farther, it is known that nothing switches
    return reach - tau;
}

// NOTE: the step was tried, and is not accepted yet.
template <class S> typename Run<S>::Meeting Run<S>::meet_conditions(S tau, S& h, StepReport<S>& report) {
    struct Probe {
        Run& run;
        S rtol, atol;
        void evaluate(S theta, S* v) {
            run.conditions_->surfaces().values(run.time_of(run.segment_.tau_at(theta), run.work_.data()),
                                               run.work_.data(), v);
        }
        void values(S theta, S* v) {
            run.point_at(theta, run.work_);
            evaluate(theta, v);
        }
        void rough(S theta, S* v) {
            run.segment_.at(theta, run.work_.data());
            evaluate(theta, v);
        }
        bool has_range(std::size_t f) const { return run.conditions_->has_range(f); }
        int sign(std::size_t f) { return run.conditions_->sign(f); }
        expr::Range range(std::size_t f, S a, S b) { return run.conditions_->range(f, run.segment_, a, b); }
        void terms(S theta, S* v) {
            run.segment_.at(theta, run.work_.data());
            run.conditions_->surfaces().terms(run.time_of(run.segment_.tau_at(theta), run.work_.data()),
                                              run.work_.data(), v);
        }
    };
    const S* x = stepper_->candidate();
    const S t = time_of(tau + h, x);
    bool is_met = false;
    S theta = 1;
    if (conditions_->surfaces().size() > 0 && segment_.take(*stepper_, tau, h) == PointStatus::good) {
        // what passes a surface has passed it, by however little: only round-off is a touch
        Probe probe{*this, S(2) * linalg::epsilon<S>(), S(0)};
        is_met = conditions_->find(probe, segment_, t, x);
        if (is_met) theta = conditions_->theta();
        if (!is_met && conditions_->is_unsure()) note_missed_switching(t);
    }
    bool is_of_time = false;
    if (method_.chooses_steps && !is_arclength_) { // it does not end where a condition of t alone switches
        S reach = tau + h;
        const auto found = conditions_->surfaces().times().next(tau, reach, conditions_->surfaces().held());
        is_of_time = ends_at_switch_ = found && (!is_met || (*found - tau) / h < theta);
        if (is_of_time) {
            switch_at_ = *found;
            theta = (*found - tau) / h;
            is_met = true;
        }
    }
    is_met_ = is_met || ends_at_switch_;
    if (!is_met || is_of_time) conditions_->take_group(S(-1));
    if (!is_met) return ends_at_switch_ ? Meeting::here : Meeting::nothing;
    if (theta * linalg::absolute(h) <= round_off(tau) && !is_of_time) {
        conditions_->take_group(theta);
        std::copy_n(stepper_->point(), field_->size(), work_.data());
        pass_conditions(tau);
        return is_over_ ? Meeting::over : Meeting::again;
    }
    if ((S(1) - theta) * linalg::absolute(h) <= round_off(tau) && is_last_) return Meeting::nothing;
    is_last_ = false;
    is_tick_ = is_tick_ && method_.chooses_steps && (S(1) - theta) * linalg::absolute(h) <= round_off(tick_);
    if (is_tick_) { // both happen at the end of the step
        theta = S(1);
        if (is_of_time) switch_at_ = tick_;
    }
    if (method_.chooses_steps || !land_on_condition(tau, h, report)) {
        if (!method_.chooses_steps) report = stepper_->attempt(h);
        stepper_->accept();
        ends_at_switch_ = is_of_time;
        if (!is_of_time) conditions_->take_group(theta);
        segment_.take(*stepper_, tau, h);
        segment_.cut(theta);
        finish_at_condition(h, report.residual);
        return Meeting::over;
    }
    ends_at_switch_ = false;
    return Meeting::here;
}

template <class S> void Run<S>::note_missed_switching(S t) {
    if (has_noted_condition_) return;
    has_noted_condition_ = true;
    solution_.notes.push_back(fmt::format(
        "warning: it is not sure that all switchings of the condition {} are found: near {} = {} it changes "
        "too fast for the steps there. Smaller steps (--h-max) find more of them",
        conditions_->surfaces().text(conditions_->unsure_function()), solution_.independent, show(t)));
}

// Steps of other sizes, until one ends where the function that was met first is zero: by secants, from what the dense
// output says.
template <class S> bool Run<S>::land_on_condition(S tau, S& h, StepReport<S>& report) {
    const std::size_t f = conditions_->first();
    Surfaces<S>& surfaces = conditions_->surfaces();
    std::vector<S> v(surfaces.size());
    const S theta = conditions_->theta(), near = S(1e-3);
    const auto on_curve = [&](S at) {
        point_at(at, work_);
        surfaces.values(time_of(segment_.tau_at(at), work_.data()), work_.data(), v.data());
        return v[f];
    };
    const S lo = std::max(theta - near, S(0)), hi = std::min(theta + near, S(1));
    S rate = (on_curve(hi) - on_curve(lo)) / ((hi - lo) * h), way = theta * h, last_way = 0, last = 0;
    for (int k = 0; k < 8; ++k) {
        if (!(rate != S(0)) || !linalg::is_finite(rate) || !(way / h > S(0)) || !(way / h < S(1.5))) return false;
        ++n_attempts_;
        report = stepper_->attempt(way);
        if (report.outcome != StepOutcome::done) return false;
        const S t = time_of(tau + way, stepper_->candidate());
        surfaces.values(t, stepper_->candidate(), v.data());
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
            conditions_->take_group(t, stepper_->candidate());
            return true;
        }
        last = v[f];
        last_way = way;
        way -= change;
    }
    return false;
}

// The step that the stepper accepted, up to where its segment was cut.
template <class S> void Run<S>::finish_at_condition(S h, S residual) {
    const S theta = segment_.end();
    const S end = ends_at_switch_ ? switch_at_ : segment_.tau_at(theta);
    ++solution_.stats.steps;
    advance_grid(end);
    const auto cut = find_events(theta, StepEnd::inside);
    if (tries_again_) return try_again();
    if (cut) return finish_at_event(*cut, residual);
    if (is_over_) return;
    if (!span_.times.empty()) report_between(theta, true);
    point_at(theta, work_);
    const S t = time_of(end, work_.data());
    keep_segment();
    recorder_.add_step(solution_, {static_cast<double>(t), static_cast<double>(linalg::absolute(theta * h)),
                                   projection_ ? static_cast<double>(residual) : recorder_.residual(t, work_.data())});
    if (reports_steps()) recorder_.add(solution_, t, linalg::absolute(end), work_.data());
    if (conservation_ && !was_conserved(end, t)) return;
    observe(t, work_.data());
    begin_events(t, work_.data());
    pass_conditions(end);
}

template <class S> void Run<S>::leave_condition() {
    if (!is_met_) return; // an event has set values
    std::copy_n(stepper_->point(), field_->size(), work_.data());
    pass_conditions(ends_at_switch_ ? switch_at_ : clock());
}

// The point work_ at tau: what was met there switches.
template <class S> void Run<S>::pass_conditions(S tau) {
    S end = tau;
    if (!is_arclength_) {
        // NOTE: never back by a round-off, where modes of t were others: the grid of constant steps has one of its own
        const S ahead = (stepper_->tau() - end) * direction_;
        if (ahead > S(0) && ahead <= round_off(end)) end = stepper_->tau();
        // two switchings that differ by round-off are one
        S reach = end + direction_ * round_off(end);
        if (const auto next = conditions_->surfaces().times().next(end, reach, conditions_->surfaces().held()))
            end = *next;
        if (!is_adaptive_ && end != tau) grid_.advance_to(end);
    }
    const S t = time_of(end, work_.data());
    const std::vector<S> before = residuals(problem_->manifold(), t, work_.data());
    std::vector<double> row, row_after;
    recorder_.values(t, work_.data(), row);
    const double hidden_before = hidden_residual(t);
    const bool is_differentiated = problem_->base() && solution_.stats.steps > 0;
    if (is_differentiated) begin_moving(end, t);
    if (!conditions_->pass(end)) return fail_sliding(t);
    if (!follow_modes(t, before) || !follow_hidden(t, hidden_before)) return;
    if (is_differentiated && !move_derivatives(end, t)) return;
    if (conditions_->accumulation()) return fail_accumulation(t);
    recorder_.values(t, work_.data(), row_after);
    const bool has_jumped = !std::ranges::equal(
        row, row_after, [](double a, double b) { return std::fabs(a - b) <= 1e-9 * (1 + std::fabs(a)); });
    if (has_jumped && reports_steps()) recorder_.add(solution_, t, linalg::absolute(end), work_.data());
    restart_at(end, t);
}

// Modes that depend on what has changed, and a point that satisfies the constraints with them: algebraic unknowns may
// jump there, others do not.
template <class S> bool Run<S>::follow_modes(S t, const std::vector<S>& before) {
    Surfaces<S>& surfaces = conditions_->surfaces();
    if (!surfaces.settle(t, work_.data(), false, conditions_->group())) {
        fail(fmt::format("the run ended at {} = {}: no side of the condition {} fits: each leads to the other. Write "
                         "the equation such that it has a solution there",
                         solution_.independent, show(t), surfaces.open()));
        return false;
    }
    Manifold<S>& manifold = problem_->manifold();
    if (!has_jumped(manifold, t, work_.data(), before)) return true;
    const std::vector<Violation> off = find_violations(manifold, t, work_.data());
    if (follow_algebraic(t, before)) return true;
    if (!method::is_direct(method_) && is_consistent_nearby(t)) return true;
    fail_jump(t, off);
    return false;
}

// By continuation from the values before it, while the constraints go from what they were to what they are; where that
// branch of solutions ends, by the solution next to where it does.
template <class S> bool Run<S>::follow_algebraic(S t, const std::vector<S>& before) {
    Manifold<S>& manifold = problem_->manifold();
    const std::vector<Freedom> freedom = freedom_at_jumps(problem_->system(), problem_->prolongation());
    const linalg::Vector<S> point = work_;
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
    const auto is_there = [&] { return !has_jumped(manifold, t, work_.data(), before); };
    if (RowSolver<S>(manifold, rows, columns, work_).take_back(t, work_) && is_there()) return true;
    work_ = point;
    bool is_found = make_consistent<S>(manifold, t, work_, freedom, Freedom::free, false).is_consistent;
    if (!is_found && columns.size() <= most_searched) {
        std::vector<Freedom> fixed(freedom.size(), Freedom::held);
        for (const std::int32_t j : columns) fixed[static_cast<std::size_t>(j)] = Freedom::free;
        const auto found = find_solutions(manifold, t, point, fixed, {columns.begin(), columns.end()});
        is_found = !found.empty();
        if (is_found) work_ = found.front();
    }
    if (!is_found) {
        work_ = point;
        return false;
    }
    note_place(fmt::format("warning: the values of what is algebraic have no continuation where a condition switches "
                           "(their branch of solutions ends on the way), at {} = ",
                           solution_.independent),
               show(t), ": another solution is taken, and there may be more of them");
    return true;
}

template <class S> double Run<S>::hidden_residual(S t) {
    if (!hidden_) return 0;
    std::vector<double> row;
    recorder_.values(t, work_.data(), row);
    hidden_->take_constants(problem_->jets().constants());
    return hidden_->residual(t, row);
}

// NOTE: nothing is projected, so that the hidden constraints may be off before it.
template <class S> bool Run<S>::follow_hidden(S t, double before) {
    if (!hidden_ || hidden_->is_empty()) return true;
    if (hidden_residual(t) > 1e-8 + 10 * before) {
        fail_jump(t, hidden_->violations(t));
        return false;
    }
    const std::vector<S> values = hidden_->values(t);
    const std::vector<ValuePlace> places = problem_->analysis().value_places();
    const std::vector<Freedom> freedom = freedom_at_jumps(problem_->system(), problem_->prolongation());
    for (std::size_t k = 0; k < places.size(); ++k) {
        const ValuePlace& to = places[k];
        const bool is_free = !to.is_held && !to.is_top && freedom[static_cast<std::size_t>(to.at)] == Freedom::free;
        if (is_free && linalg::is_finite(values[k])) work_[to.at] = values[k];
    }
    return true;
}

template <class S> void Run<S>::fail_jump(S t, const std::vector<Violation>& off) {
    fail(fmt::format("the run ended at {} = {}: a constraint jumps where a condition switches, and what it determines "
                     "cannot follow: {}. Write the jump as an event that sets the values (event … then …), or a "
                     "constraint that is continuous",
                     solution_.independent, show(t), to_text(off)));
}

// Where all terms of a constraint vanish, round-off of the others is large beside them: does it hold at a point that
// does not differ by more?
template <class S> bool Run<S>::is_consistent_nearby(S t) {
    const std::int64_t n = problem_->n_state();
    const linalg::Vector<S> before = work_;
    const std::vector<Freedom> all(static_cast<std::size_t>(n), Freedom::free);
    if (!make_consistent<S>(problem_->manifold(), t, work_, all, Freedom::free, false).is_consistent) return false;
    for (std::int64_t k = 0; k < n; ++k)
        if (!(linalg::absolute(work_[k] - before[k]) <= S(1e-12) * (S(1) + linalg::absolute(before[k])))) return false;
    return true;
}

// What is needed of the side before, for the derivatives of the solution behind the surface.
template <class S> void Run<S>::begin_moving(S tau, S t) {
    if (!engine_.surface_rates) engine_.surface_rates.emplace(*problem_);
    engine_.surface_rates->take(t, work_.data());
    const std::span<const S> held = problem_->jets().held();
    moving_ = {linalg::Vector<S>(field_->size()), work_, std::vector<S>(held.begin(), held.end())};
    field_->direction(tau, work_.data(), moving_.direction.data());
}

// Where the direction jumps, the derivatives of the solution do, too (surface_rates.hpp).
template <class S> bool Run<S>::move_derivatives(S tau, S t) {
    const std::int64_t n = problem_->base()->n_state();
    const std::span<const S> held = problem_->jets().held();
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < held.size(); ++k)
        if (held[k] != moving_.held[k]) places.push_back(k);
    linalg::Vector<S> now(field_->size());
    field_->direction(tau, work_.data(), now.data());
    S jump = 0, moved = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        jump = std::max(jump, linalg::absolute(moving_.direction[k] - now[k]) / (S(1) + linalg::absolute(now[k])));
        moved = std::max(moved, linalg::absolute(moving_.point[k] - work_[k]) / (S(1) + linalg::absolute(work_[k])));
    }
    if (places.empty() || (jump <= S(1e-10) && moved <= S(1e-10))) return true;
    const auto moves = moved <= S(1e-10) ? engine_.surface_rates->moves(places) : std::nullopt;
    if (!moves) {
        fail(fmt::format("the run ended at {} = {}: the derivatives by --sensitivity cannot be followed across what "
                         "switches there: several conditions at once, one that is only touched, or values that jump",
                         solution_.independent, show(t)));
        return false;
    }
    for (std::size_t j = 0; j < moves->size(); ++j)
        for (std::int64_t k = 0; k < n; ++k)
            work_[static_cast<std::int64_t>(j + 1) * n + k] += (moving_.direction[k] - now[k]) * (*moves)[j];
    return true;
}

// The stepper at the point work_, with new modes, or after a jump.
template <class S> void Run<S>::restart_at(S tau, S t) {
    if (is_arclength_) {
        work_[problem_->n_state()] = t;
        arclength_->jump_to(work_.data(), forward_);
    }
    stepper_->begin_as(stepper_->mode(), tau, work_.data());
    engine_.watch.has_changed(t, work_.data());
    if (leap_) leap_->forget();
    controller_.reset();
    if (conditions_) conditions_->begin(t, work_.data());
    keep_constants();
}

// After an event that set values, at the point work_: what was met where it happened switches too, and all modes are
// those of the new point.
template <class S> void Run<S>::follow_jump(S tau, S t) {
    const bool is_there = linalg::absolute(tau - stepper_->tau()) <= round_off(tau);
    if (is_there && !conditions_->pass(tau)) return fail_sliding(t);
    conditions_->take_group(S(-1));
    if (!follow_modes(t, {})) return;
    if (const std::string wrong = engine_.saltation ? engine_.saltation->settle(t, work_) : ""; !wrong.empty())
        return fail(fmt::format("the run ended at {} = {}: {}", solution_.independent, show(t), wrong));
    is_met_ = ends_at_switch_ = false;
    conditions_->begin(t, work_.data());
}

// Where a branch has no value behind its surface (if(x > 0, sqrt(x), 0)), steps become shorter and shorter before it.
template <class S> bool Run<S>::pass_nearest_condition() {
    const S tau = stepper_->tau(), t = time_of(tau, stepper_->point());
    if (!conditions_->take_nearest(t, stepper_->point(), S(1e-9))) return false;
    std::copy_n(stepper_->point(), field_->size(), work_.data());
    pass_conditions(tau);
    const S usual = S(1e-3) * linalg::absolute(span_.t1 - span_.t0); // what was tried last says nothing about the rest
    h_ = direction_ * (h_max_ < usual ? h_max_ : usual);
    return !is_over_;
}

template <class S> void Run<S>::fail_sliding(S t) {
    const std::string condition = conditions_->surfaces().text(conditions_->stuck());
    fail(fmt::format(
        "the run ended at {0} = {1}: a sliding mode at the condition {2}. On each of its sides the solution "
        "is driven back to the other, so that it could only stay where the condition switches, which these "
        "equations do not say. Write what holds there: an equation that keeps the solution on the surface "
        "(a mode of its own: event … then …), a continuous function in place of the jump (tanh(x/0.001) "
        "for sign(x)), or two thresholds instead of one",
        solution_.independent, show(t), condition));
}

template <class S> void Run<S>::fail_accumulation(S t) {
    const ZenoWatch::Accumulation& found = *conditions_->accumulation();
    const auto& group = conditions_->group();
    const std::string what =
        group.empty() ? "a condition" : "the condition " + conditions_->surfaces().text(group.front().function);
    fail(fmt::format(
        "the run ended at {0} = {1}: {2} switches faster and faster: the time between shrinks by a factor of "
        "about {3:.3g}, and at {0} = {4:.8g} the solution comes to rest where it switches. Write what holds "
        "from there on (event … then …), or end the run before",
        solution_.independent, show(t), what, found.factor, static_cast<double>(t + direction_ * S(found.rest))));
}

#define VESSIOT_RUN_CONDITIONS(S)                                                                                      \
    template void Run<S>::begin_conditions(S, const S*);                                                               \
    template void Run<S>::keep_constants();                                                                            \
    template void Run<S>::restart_at(S, S);                                                                            \
    template S Run<S>::limited_by_conditions(S);                                                                       \
    template typename Run<S>::Meeting Run<S>::meet_conditions(S, S&, StepReport<S>&);                                  \
    template void Run<S>::leave_condition();                                                                           \
    template void Run<S>::follow_jump(S, S);                                                                           \
    template bool Run<S>::pass_nearest_condition()
VESSIOT_RUN_CONDITIONS(double);
VESSIOT_RUN_CONDITIONS(expr::Quad);
#undef VESSIOT_RUN_CONDITIONS

} // namespace vessiot
