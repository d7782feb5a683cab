#include "method/mechanical/mechanical_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/cubic_hermite.hpp"
#include "method/mechanical/system/mechanical_loops.hpp"

namespace vessiot::method {

using linalg::absolute;

namespace {

constexpr double slight = 1e-2; // residuals of a linear equation that one solution leaves at round-off

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
    : TwoPoints<S>(field, projection), system_(*options.parts), projects_(options.project != Project::nothing),
      n_(system_.n()), m_(system_.m()), y_(n_), v_(n_), lambda_(m_),
      has_invariants_(options.parts->manifold.has_invariants()), norm_(field.size(), options), n_state_(field.size()),
      k_0_(n_state_), k_1_(n_state_), q_0_(n_), q_(n_), y_before_(n_), v_0_(n_), b_(m_), work_(n_state_) {
    if (options.continue_embedded)
        throw InvalidInput("the method \"" + std::string(info.name) + "\" has no embedded point that could go on");
    for (std::size_t k = 0; k < n_points; ++k) points_.push_back(system_.make_point());
    from_ = &points_[0];
    to_ = &points_[1];
    for (std::size_t k = 2; k < n_points; ++k) spare_.push_back(&points_[k]);
}

template <class S> void MechanicalStepper<S>::begin(S tau, const S* x) {
    start_ = from_->u.data();
    end_ = to_->u.data();
    this->begin_at(tau, x);
    from_->t = tau;
    from_->is_ready = false;
    system_.forget_sizes();
    std::fill(from_->lambda.begin(), from_->lambda.end(), S(0));
    guess_.forget();
}

template <class S>
typename MechanicalStepper<S>::Evaluation MechanicalStepper<S>::evaluate_direction(const Point& p, S* direction) {
    return {.is_done = true, .status = this->checked_direction(p.t, p.u.data(), direction)};
}

template <class S> const S* MechanicalStepper<S>::direction() {
    Evaluation& e = is_accepted_ ? at_end_ : at_start_;
    S* k = (is_accepted_ ? k_1_ : k_0_).data();
    if (!e.is_done) e = evaluate_direction(is_accepted_ ? *to_ : *from_, k);
    return e.status == PointStatus::good ? k : nullptr;
}

template <class S> void MechanicalStepper<S>::finish_at(Point& p) {
    if (&p == to_) return;
    auto it = std::ranges::find(spare_, &p);
    std::swap(*it, to_);
    end_ = to_->u.data();
}

template <class S> StepReport<S> MechanicalStepper<S>::attempt(S h) {
    if (is_accepted_) {
        this->go_on();
        std::swap(from_, to_);
        swap(k_0_, k_1_);
    }
    this->begin_attempt(h);
    StepReport<S> report;
    if (!prepare(*from_, report)) {
        report.outcome = StepOutcome::no_direction_here;
        return report;
    }
    if (!linalg::is_finite(h)) {
        fail(report, StepOutcome::no_direction, PointStatus::not_finite, *from_);
        return report;
    }
    if (!advance(h, report)) return report;
    to_->t = tau_end_; // not the sum of the parts of a composition
    if (!linalg::all_finite(end_, n_state_)) {
        fail(report, StepOutcome::no_direction, PointStatus::not_finite, *to_);
        return report;
    }
    // the method sees to all constraints but invariants
    if (projects_ && has_invariants_ && !project_result(report)) return report;
    report.residual = largest_size(m_, to_->g.data());
    has_candidate_ = true;
    return report;
}

template <class S> bool MechanicalStepper<S>::project_result(StepReport<S>& report) {
    this->begin_projections();
    std::copy_n(end_, n_state_, work_.data());
    const ProjectionReport<S> projected = this->project(tau_end_, end_);
    to_->is_ready = false;
    if (projected.status != PointStatus::good) return fail(report, StepOutcome::no_projection, projected.status, *to_);
    for (std::int64_t i = 0; i < n_state_; ++i) work_[i] -= end_[i];
    report.distance = norm_(work_.data(), start_, end_);
    return true;
}

template <class S> PointStatus MechanicalStepper<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    if (!at_start_.is_done) at_start_ = evaluate_direction(*from_, k_0_.data());
    if (!at_end_.is_done) at_end_ = evaluate_direction(*to_, k_1_.data());
    for (const Evaluation& e : {at_start_, at_end_})
        if (e.status != PointStatus::good) return e.status;
    std::fill_n(coefficients, 4 * n_padded_, S(0));
    cubic_hermite<S>(n_state_, n_padded_, h_, start_, k_0_.data(), end_, k_1_.data(), coefficients);
    return PointStatus::good;
}

// ---- for the methods ----

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

template <class S> void MechanicalStepper<S>::count(const Iteration& iteration) {
    counts_.add_projection(iteration.count);
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
    guess_.begin_solve();
    system_.get_q(from.u.data(), q_0_.data());
    if (!guess_.goes_on()) guess_multipliers(from, s);
    if (!(is_plain ? iterate_positions(from, to, s, report) : iterate_implicit(from, to, s, report))) return false;
    guess_.solved(from.t, s.h, lambda_);
    return true;
}

template <class S> void MechanicalStepper<S>::guess_multipliers(const Point& from, const Solve& s) {
    if (m_ == 0 || guess_(from.t, s.h, lambda_)) return;
    std::copy(from.lambda.begin(), from.lambda.end(), lambda_.begin());
}

template <class S>
bool MechanicalStepper<S>::fail_positions(StepReport<S>& report, const Iteration& iteration, S size, Point& to) {
    count(iteration);
    guess_.failed();
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
        if (guess_.is_foretold()) {
            count(iteration);
            return true;
        }
        S residual = 0;
        if (m_ > 0) {
            system_.constraints(to.t, to.u.data(), b_.data());
            residual = relative_size(b_, system_.inverse_sizes());
        }
        if (!is_renewed) guess_.note_rate(before, residual);
        before = residual;
        const auto next = iteration(residual, S(0));
        if (next == Iteration::Next::done) {
            count(iteration);
            return true;
        }
        if (next == Iteration::Next::fail) return fail_positions(report, iteration, residual, to);
        if (next == Iteration::Next::slow && residual > S(0)) is_renewed = system_.renew(from, to);
        guess_.foretell(residual, is_renewed);
        system_.solve(is_renewed ? to : from, b_.data());
        add_multiple(m_, factor, b_.data(), lambda_.data());
    }
}

template <class S> bool MechanicalStepper<S>::confirm(const Point& to) {
    return guess_.confirm([&] { return relative_size(to.g, system_.inverse_sizes()); });
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
template class MechanicalStepper<Quad>;

} // namespace vessiot::method
