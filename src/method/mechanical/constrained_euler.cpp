#include "method/mechanical/constrained_euler.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

using linalg::absolute;

// y = y_0 + h (f(q, y) + Y(q) lambda),  q = q_0 + h v(q, y),  g(q) = 0, all iterated together
template <class S> bool ConstrainedEuler<S>::solve_implicit(Point& from, Point& to, S h, StepReport<S>& report) {
    auto& system = this->system_;
    auto &y = this->y_, &v = this->v_, &lambda = this->lambda_;
    to.t = from.t + h;
    to.is_ready = false;
    std::copy(from.u.begin(), from.u.end(), to.u.begin());
    std::copy(from.lambda.begin(), from.lambda.end(), lambda.begin());
    system.get_q(from.u.data(), q_0_.data());
    for (typename MechanicalStepper<S>::Iteration iteration;;) {
        if (!system.evaluate_forces(to, to.u.data()))
            return this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, to);
        for (std::int64_t k = 0; k < this->n_; ++k) y[k] = y_0_[k] + h * to.force[k];
        system.add_directions(to, h, lambda.data(), y.data());
        system.put_y(to.t, y.data(), to.u.data());
        system.velocity(to.t, to.u.data(), v.data());
        system.get_q(to.u.data(), before_.data());
        S change = 0, size = 0;
        for (std::int64_t k = 0; k < this->n_; ++k) {
            v[k] = q_0_[k] + h * v[k];
            change = std::max(change, absolute(v[k] - before_[k]));
            size = std::max(size, absolute(v[k]));
        }
        if (change > S(0)) change /= size;
        system.put_q(v.data(), to.u.data());
        S residual = 0;
        if (this->m_ > 0) {
            system.constraints(to.t, to.u.data(), b_.data());
            residual = relative_size(b_, system.inverse_sizes());
        }
        using Next = typename MechanicalStepper<S>::Iteration::Next;
        const Next next = iteration(residual, change);
        if (next == Next::done || next == Next::fail) this->count(iteration);
        if (next == Next::done) return true;
        if (next == Next::fail) return this->fail(report, StepOutcome::no_projection, PointStatus::not_converged, to);
        if (this->m_ == 0) continue;
        for (std::int64_t i = 0; i < this->m_; ++i) b_[i] /= -(h * h);
        system.solve(from, b_.data());
        for (std::int64_t i = 0; i < this->m_; ++i) lambda[i] += b_[i];
    }
}

template <class S> bool ConstrainedEuler<S>::advance(S h, StepReport<S>& report) {
    Point &from = this->start(), &to = this->finish();
    this->system_.get_y(from.t, from.u.data(), y_0_.data());
    if (is_implicit_) {
        if (!solve_implicit(from, to, h, report)) return false;
    } else if (!this->solve_positions(from, to, {y_0_.data(), h, h, false}, report)) {
        return false;
    }
    std::copy(this->lambda_.begin(), this->lambda_.end(), guess_.begin());
    swap(y_0_, this->y_);
    if (!this->evaluate(to, y_0_.data(), report)) return false;
    if (this->projects_) {
        if (!this->solve_velocities(to, y_0_.data(), h, report)) return false;
    } else {
        this->set_velocities(to, y_0_.data());
    }
    std::copy(guess_.begin(), guess_.end(), to.lambda.begin());
    return true;
}

template class ConstrainedEuler<double>;
template class ConstrainedEuler<Quad>;

const Family symplectic_euler_family{.name = "mechanical",
                                     .make_double = make_as<ConstrainedEuler, double>,
                                     .make_quad = make_as<ConstrainedEuler, Quad>,
                                     .keeps_constraints = true};

const Family constrained_euler_family{.name = "mechanical",
                                      .make_double = make_as<ConstrainedEuler, double>,
                                      .make_quad = make_as<ConstrainedEuler, Quad>,
                                      .solves_equations = true,
                                      .keeps_constraints = true};

} // namespace vessiot::method
