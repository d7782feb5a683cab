#include "method/mechanical/mechanical_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/mechanical/mechanical_loops.hpp"

namespace vessiot::method {

using linalg::absolute;
using linalg::epsilon;

namespace {

constexpr int max_iterations = 60;
constexpr double reached = 8;      // residuals of so many eps are round-off
constexpr double acceptable = 0.6; // and so they are where they stop falling below this power of eps: 4e-10 in double
constexpr double slight = 1e-2;    // residuals of a linear equation that one solution leaves at round-off

template <class S> S largest_change(const linalg::Vector<S>& a, const linalg::Vector<S>& b) {
    S change = 0, size = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) {
        change = std::max(change, absolute(a[i] - b[i]));
        size = std::max({size, absolute(a[i]), absolute(b[i])});
    }
    return change == S(0) ? change : change / size;
}

} // namespace

template <class S>
MechanicalStepper<S>::MechanicalStepper(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                        const StepperOptions<S>& options, std::size_t n_points)
    : system_(*options.parts), projects_(options.project != Project::nothing), n_(system_.n()), m_(system_.m()), y_(n_),
      v_(n_), lambda_(m_), field_(field), projection_(projection),
      has_invariants_(options.parts->manifold.has_invariants()), norm_(field.size(), options), n_state_(field.size()),
      n_padded_(linalg::padded(n_state_)), k_0_(n_state_), k_1_(n_state_), q_0_(n_), q_(n_), y_before_(n_), v_0_(n_),
      b_(m_), failed_(n_state_), work_(n_state_) {
    if (options.continue_embedded)
        throw InvalidInput("the method \"" + std::string(info.name) + "\" has no embedded point that could go on");
    for (std::size_t k = 0; k < n_points; ++k) points_.push_back(system_.make_point());
    start_ = &points_[0];
    end_ = &points_[1];
    for (std::size_t k = 2; k < n_points; ++k) spare_.push_back(&points_[k]);
}

template <class S> void MechanicalStepper<S>::begin(S tau, const S* x) {
    std::copy_n(x, n_state_, start_->u.data());
    start_->t = tau;
    start_->is_ready = false;
    system_.forget_sizes();
    std::fill(start_->lambda.begin(), start_->lambda.end(), S(0));
    for (History& h : histories_) h.forget();
    rate_ = -1;
    is_foretold_ = goes_on_ = false;
    has_candidate_ = is_accepted_ = false;
    at_start_ = at_end_ = {};
}

template <class S>
typename MechanicalStepper<S>::Evaluation MechanicalStepper<S>::evaluate_direction(const Point& p, S* direction) {
    Evaluation e{true, field_.direction(p.t, p.u.data(), direction)};
    if (e.status == PointStatus::good && !linalg::all_finite(direction, n_state_)) e.status = PointStatus::not_finite;
    if (e.status != PointStatus::good) {
        failed_tau_ = p.t;
        std::copy_n(p.u.data(), n_state_, failed_.data());
    }
    return e;
}

template <class S> const S* MechanicalStepper<S>::direction() {
    Evaluation& e = is_accepted_ ? at_end_ : at_start_;
    S* k = (is_accepted_ ? k_1_ : k_0_).data();
    if (!e.is_done) e = evaluate_direction(is_accepted_ ? *end_ : *start_, k);
    return e.status == PointStatus::good ? k : nullptr;
}

template <class S> void MechanicalStepper<S>::finish_at(Point& p) {
    if (&p == end_) return;
    auto it = std::ranges::find(spare_, &p);
    std::swap(*it, end_);
}

template <class S> StepReport<S> MechanicalStepper<S>::attempt(S h) {
    if (is_accepted_) {
        std::swap(start_, end_);
        swap(k_0_, k_1_);
        at_start_ = at_end_;
        is_accepted_ = false;
    }
    has_candidate_ = false;
    at_end_ = {};
    h_ = h;
    StepReport<S> report;
    if (!prepare(*start_, report)) {
        report.outcome = StepOutcome::no_direction_here;
        return report;
    }
    if (!linalg::is_finite(h)) {
        fail(report, StepOutcome::no_direction, PointStatus::not_finite, *start_);
        return report;
    }
    if (!advance(h, report)) return report;
    end_->t = start_->t + h; // not the sum of the parts of a composition
    if (!linalg::all_finite(end_->u.data(), n_state_)) {
        fail(report, StepOutcome::no_direction, PointStatus::not_finite, *end_);
        return report;
    }
    // the method sees to all constraints but invariants
    if (projects_ && has_invariants_ && !project_result(report)) return report;
    report.residual = largest_size(m_, end_->g.data());
    has_candidate_ = true;
    return report;
}

template <class S> bool MechanicalStepper<S>::project_result(StepReport<S>& report) {
    projection_->begin_step(start_->t, start_->u.data());
    std::copy_n(end_->u.data(), n_state_, work_.data());
    const ProjectionReport<S> projected = projection_->project(end_->t, end_->u.data());
    ++counts_.projections;
    counts_.newton_iterations += projected.iterations;
    counts_.newton_max = std::max<std::int64_t>(counts_.newton_max, projected.iterations);
    end_->is_ready = false;
    if (projected.status != PointStatus::good) return fail(report, StepOutcome::no_projection, projected.status, *end_);
    for (std::int64_t i = 0; i < n_state_; ++i) work_[i] -= end_->u[i];
    report.distance = norm_(work_.data(), start_->u.data(), end_->u.data());
    return true;
}

// d_1 = h k_0,  d_2 = 3 (p - x) - h (2 k_0 + k_1),  d_3 = h (k_0 + k_1) - 2 (p - x),  k_0 and k_1 the directions at the
// ends
template <class S> PointStatus MechanicalStepper<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    if (!at_start_.is_done) at_start_ = evaluate_direction(*start_, k_0_.data());
    if (!at_end_.is_done) at_end_ = evaluate_direction(*end_, k_1_.data());
    for (const Evaluation& e : {at_start_, at_end_})
        if (e.status != PointStatus::good) return e.status;
    std::fill_n(coefficients, 4 * n_padded_, S(0));
    S *d_0 = coefficients, *d_1 = d_0 + n_padded_, *d_2 = d_1 + n_padded_, *d_3 = d_2 + n_padded_;
    for (std::int64_t i = 0; i < n_state_; ++i) {
        const S move = end_->u[i] - start_->u[i], v_0 = h_ * k_0_[i], v_1 = h_ * k_1_[i];
        d_0[i] = start_->u[i];
        d_1[i] = v_0;
        d_2[i] = 3 * move - (2 * v_0 + v_1);
        d_3[i] = (v_0 + v_1) - 2 * move;
    }
    return PointStatus::good;
}

// ---- for the methods ----

template <class S>
bool MechanicalStepper<S>::fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, const Point& where) {
    report.outcome = outcome;
    report.why = why;
    failed_tau_ = where.t;
    std::copy_n(where.u.data(), n_state_, failed_.data());
    return false;
}

template <class S> bool MechanicalStepper<S>::prepare(Point& p, StepReport<S>& report) {
    if (p.is_ready) return true;
    ++counts_.stages;
    p.is_ready = false;
    if (!system_.evaluate_forces(p, p.u.data()))
        return fail(report, StepOutcome::no_direction,
                    linalg::all_finite(p.entries.data(), p.entries.size()) &&
                            linalg::all_finite(p.force.data(), p.force.size())
                        ? PointStatus::singular
                        : PointStatus::not_finite,
                    p);
    if (!system_.constrain(p)) {
        const bool is_finite = linalg::all_finite(p.G.data(), p.G.size()) && linalg::all_finite(p.Y.data(), p.Y.size());
        return fail(report, StepOutcome::no_direction, is_finite ? PointStatus::singular : PointStatus::not_finite, p);
    }
    p.is_ready = true;
    return true;
}

template <class S> bool MechanicalStepper<S>::evaluate(Point& to, const S* y, StepReport<S>& report) {
    to.is_ready = false;
    if (system_.forces_depend_on_y() || system_.has_momenta()) system_.put_y(to.t, y, to.u.data());
    return prepare(to, report);
}

template <class S>
typename MechanicalStepper<S>::Iteration::Next MechanicalStepper<S>::Iteration::operator()(S residual, S change) {
    const bool is_first = before_ < S(0);
    const S small = S(reached) * epsilon<S>();
    if (!(residual - residual == S(0)) || !(change - change == S(0))) return Next::fail;
    // NOTE: over two corrections: one that changes little may stand between two that do much
    static const S near = S(std::pow(static_cast<double>(epsilon<S>()), acceptable));
    const auto arrived = [&](S now, S earlier) {
        return now <= small || (earlier >= S(0) && now > earlier / S(2) && now <= near);
    };
    if (arrived(residual, earlier_) && arrived(change, change_earlier_)) return Next::done;
    const bool is_slow = !is_first && residual > before_ / S(4);
    const bool is_worse = !is_first && residual > S(100) * before_ && residual > S(1);
    earlier_ = before_;
    change_earlier_ = change_before_;
    before_ = residual;
    change_before_ = change;
    if (++count > max_iterations || is_worse) return Next::fail;
    return is_slow ? Next::slow : Next::go_on;
}

template <class S> bool MechanicalStepper<S>::Iteration::is_small(S residual) {
    return residual <= S(reached) * epsilon<S>();
}

template <class S> bool MechanicalStepper<S>::Iteration::is_foretold(S residual, S rate) {
    return rate >= S(0) && is_small(S(2) * rate * residual);
}

// ---- multipliers of the last steps ----

template <class S> MechanicalStepper<S>::History::History(std::int64_t m) {
    for (linalg::Vector<S>& v : last_) v = linalg::Vector<S>(m);
}

// The polynomial through equidistant values, at the next place: 2 a - b, 3 a - 3 b + c, 4 a - 6 b + 4 c - d
template <class S> bool MechanicalStepper<S>::History::guess(S t, S h, S* lambda) const {
    if (n_ < 2 || !follows(t, h)) return false;
    const auto at = [&](int k) { return last_[static_cast<std::size_t>((newest_ - k + 4) % 4)].data(); };
    const S *a = at(0), *b = at(1), *c = at(2), *d = at(3);
    const std::int64_t m = last_[0].size();
    if (n_ == 2)
        for (std::int64_t i = 0; i < m; ++i) lambda[i] = S(2) * a[i] - b[i];
    else if (n_ == 3)
        for (std::int64_t i = 0; i < m; ++i) lambda[i] = S(3) * (a[i] - b[i]) + c[i];
    else
        for (std::int64_t i = 0; i < m; ++i) lambda[i] = S(4) * (a[i] + c[i]) - S(6) * b[i] - d[i];
    return true;
}

template <class S> bool MechanicalStepper<S>::History::follows(S t, S h) const {
    return h == h_ && absolute(t - (t_ + spacing_)) <= S(1e-6) * absolute(spacing_);
}

template <class S> void MechanicalStepper<S>::History::add(S t, S h, const S* lambda) {
    const bool is_again = n_ > 0 && t == t_ && h == h_;
    if (!is_again) {
        if (n_ > 0 && h != h_) n_ = 0;
        if (n_ > 1 && !follows(t, h)) n_ = 1;
        spacing_ = t - t_;
        newest_ = (newest_ + 1) % 4;
        n_ = std::min(n_ + 1, 4);
    }
    std::copy_n(lambda, last_[0].size(), last_[static_cast<std::size_t>(newest_)].data());
    t_ = t;
    h_ = h;
}

template <class S> void MechanicalStepper<S>::use_histories(std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) histories_.emplace_back(m_);
    history_ = histories_.data();
}

template <class S> void MechanicalStepper<S>::count(const Iteration& iteration) {
    ++counts_.projections;
    counts_.newton_iterations += iteration.count;
    counts_.newton_max = std::max(counts_.newton_max, iteration.count);
}

template <class S> bool MechanicalStepper<S>::is_implicit(const Solve& s) const {
    return system_.forces_depend_on_y() || (s.is_symmetric && system_.velocities_vary());
}

template <class S>
bool MechanicalStepper<S>::solve_positions(Point& from, Point& to, const Solve& s, StepReport<S>& report) {
    const bool is_plain = !system_.has_momenta() && !is_implicit(s);
    if (!is_plain || !system_.is_all()) std::copy_n(from.u.data(), n_state_, to.u.data());
    to.t = from.t + s.h;
    to.is_ready = false;
    is_foretold_ = false;
    system_.get_q(from.u.data(), q_0_.data());
    if (!goes_on_) guess_multipliers(from, s);
    if (!(is_plain ? iterate_positions(from, to, s, report) : iterate_implicit(from, to, s, report))) return false;
    goes_on_ = false;
    if (history_ && m_ > 0) history_->add(from.t, s.h, lambda_.data());
    return true;
}

template <class S> void MechanicalStepper<S>::guess_multipliers(const Point& from, const Solve& s) {
    if (m_ == 0 || (history_ && history_->guess(from.t, s.h, lambda_.data()))) return;
    std::copy(from.lambda.begin(), from.lambda.end(), lambda_.begin());
}

template <class S>
bool MechanicalStepper<S>::fail_positions(StepReport<S>& report, const Iteration& iteration, S size, Point& to) {
    count(iteration);
    goes_on_ = false;
    if (history_) history_->forget();
    system_.put_y(to.t, y_.data(), to.u.data()); // so that the point is a whole one
    const bool is_finite = size - size == S(0);
    return fail(report, is_finite ? StepOutcome::no_projection : StepOutcome::no_direction,
                is_finite ? PointStatus::not_converged : PointStatus::not_finite, to);
}

template <class S>
bool MechanicalStepper<S>::iterate_positions(Point& from, Point& to, const Solve& s, StepReport<S>& report) {
    const typename MechanicalSystem<S>::Move move{s.y_base, q_0_.data(), s.kappa, s.h};
    const S factor = S(-1) / (s.kappa * s.h);
    bool is_renewed = false;
    S before = -1;
    for (Iteration iteration;;) {
        system_.move(from, move, lambda_.data(), y_.data(), q_.data());
        system_.put_q(q_.data(), to.u.data());
        if (is_foretold_) {
            count(iteration);
            return true;
        }
        S residual = 0;
        if (m_ > 0) {
            system_.constraints(to.t, to.u.data(), b_.data());
            residual = relative_size(b_, system_.inverse_sizes());
        }
        if (!is_renewed) note_rate(before, residual);
        before = residual;
        const auto next = iteration(residual, S(0));
        if (next == Iteration::Next::done) {
            count(iteration);
            return true;
        }
        if (next == Iteration::Next::fail) return fail_positions(report, iteration, residual, to);
        if (next == Iteration::Next::slow && residual > S(0)) is_renewed = system_.renew(from, to);
        is_foretold_ = history_ && !goes_on_ && !is_renewed && Iteration::is_foretold(residual, rate_);
        system_.solve(is_renewed ? to : from, b_.data());
        add_multiple(m_, factor, b_.data(), lambda_.data());
    }
}

// A rate is what two residuals say of which the second is not round-off; where it is, the rate is this or less.
template <class S> void MechanicalStepper<S>::note_rate(S before, S after) {
    if (before <= S(0)) return;
    const bool is_measured = !Iteration::is_small(after / S(16));
    const S rate = std::max(after, S(reached) * epsilon<S>()) / before;
    if (is_measured || rate_ < S(0) || rate < rate_) rate_ = rate;
}

template <class S> bool MechanicalStepper<S>::confirm(const Point& to) {
    if (!is_foretold_) return true;
    is_foretold_ = false;
    if (Iteration::is_small(relative_size(to.g, system_.inverse_sizes()))) return true;
    rate_ = -1;
    goes_on_ = true;
    return false;
}

template <class S>
bool MechanicalStepper<S>::iterate_implicit(Point& from, Point& to, const Solve& s, StepReport<S>& report) {
    const bool is_implicit = this->is_implicit(s), has_momenta = system_.has_momenta();
    if (is_implicit) system_.get_y(from.t, from.u.data(), y_.data());
    bool is_renewed = false;
    for (Iteration iteration;;) {
        if (is_implicit) std::copy(y_.begin(), y_.end(), y_before_.begin());
        if (system_.forces_depend_on_y()) {
            system_.put_y(to.t, y_.data(),
                          to.u.data()); // to.u has the positions of a trial: forces are of those of `from`
            std::copy_n(from.u.data(), n_state_, work_.data());
            system_.put_y(from.t, y_.data(), work_.data());
            if (!system_.evaluate_forces(from, work_.data()))
                return fail(report, StepOutcome::no_direction, PointStatus::not_finite, from);
        }
        // y = y_base + kappa (f + Y lambda)
        for (std::int64_t k = 0; k < n_; ++k) y_[k] = s.y_base[k] + s.kappa * from.force[k];
        system_.add_directions(from, s.kappa, lambda_.data(), y_.data());
        // q = q_0 + h v
        const S* v = y_.data();
        if (has_momenta) {
            std::copy_n(from.u.data(), n_state_, work_.data());
            system_.put_y(from.t, y_.data(), work_.data());
            system_.velocity(from.t, work_.data(), v_.data());
            v = v_.data();
            if (s.is_symmetric && system_.velocities_vary()) {
                system_.put_y(to.t, y_.data(), to.u.data());
                system_.velocity(to.t, to.u.data(), v_0_.data());
                for (std::int64_t k = 0; k < n_; ++k) v_[k] = (v_[k] + v_0_[k]) / S(2);
            }
        }
        for (std::int64_t k = 0; k < n_; ++k) q_[k] = q_0_[k] + s.h * v[k];
        // with constraints by positions alone: their round-off, over h, is in the multipliers and so in y
        S change = is_implicit && m_ == 0 ? largest_change(y_, y_before_) : S(0);
        if (is_implicit && (m_ > 0 || system_.velocities_vary())) {
            system_.get_q(to.u.data(), v_0_.data());
            change = std::max(change, largest_change(q_, v_0_));
        }
        system_.put_q(q_.data(), to.u.data());
        S residual = 0;
        if (m_ > 0) {
            system_.constraints(to.t, to.u.data(), b_.data());
            residual = relative_size(b_, system_.inverse_sizes());
        }
        const auto next = iteration(residual, change);
        if (next == Iteration::Next::done) {
            count(iteration);
            return true;
        }
        if (next == Iteration::Next::fail) return fail_positions(report, iteration, residual + change, to);
        if (m_ == 0) continue;
        if (next == Iteration::Next::slow && residual > S(0)) is_renewed = system_.renew(from, to);
        for (std::int64_t i = 0; i < m_; ++i) b_[i] /= -(s.kappa * s.h);
        system_.solve(is_renewed ? to : from, b_.data());
        for (std::int64_t i = 0; i < m_; ++i) lambda_[i] += b_[i];
    }
}

template <class S> void MechanicalStepper<S>::set_velocities(Point& to, const S* y) {
    system_.put_y(to.t, y, to.u.data());
    if (!system_.has_momenta()) return;
    system_.velocity(to.t, to.u.data(), v_.data());
    system_.put_rates(v_.data(), to.u.data());
}

template <class S> bool MechanicalStepper<S>::solve_velocities(Point& to, S* y, S kappa, StepReport<S>& report) {
    if (m_ == 0) {
        set_velocities(to, y);
        return true;
    }
    std::fill(to.lambda.begin(), to.lambda.end(), S(0));
    for (Iteration iteration;;) {
        const S* v = y;
        if (system_.has_momenta()) {
            system_.put_y(to.t, y, to.u.data());
            system_.velocity(to.t, to.u.data(), v_.data());
            v = v_.data();
        }
        if (iteration.count == 0) system_.measure_rates(to, v);
        system_.constraint_rate(to, v, b_.data());
        const S residual = relative_size(b_, system_.inverse_rate_sizes());
        const auto next = iteration(residual, S(0));
        if (next == Iteration::Next::done) break;
        if (next == Iteration::Next::fail)
            return fail(report, StepOutcome::no_projection, PointStatus::not_converged, to);
        system_.solve(to, b_.data());
        system_.add_directions(to, S(-1), b_.data(), y);
        add_multiple(m_, S(-1) / kappa, b_.data(), to.lambda.data());
        if (!system_.has_momenta() && residual <= S(slight)) break; // a linear equation, and little to correct
    }
    set_velocities(to, y);
    return true;
}

template class MechanicalStepper<double>;
template class MechanicalStepper<expr::Quad>;

} // namespace vessiot::method
