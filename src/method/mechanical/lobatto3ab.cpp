#include "method/mechanical/lobatto3ab.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

using linalg::absolute;

template <class S>
Lobatto3ab<S>::Lobatto3ab(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                          const StepperOptions<S>& options)
    : MechanicalStepper<S>(info, field, projection, options, 3), work_(field.size()) {
    for (linalg::Vector<S>* x : {&y_0_, &q_0_, &before_, &P_1_, &P_2_, &P_3_, &V_1_, &V_2_, &V_3_, &A_1_, &A_2_})
        *x = linalg::Vector<S>(this->n_);
    for (linalg::Vector<S>* x : {&lambda_1_, &lambda_2_, &g_2_, &g_3_, &b_}) *x = linalg::Vector<S>(this->m_);
}

// A_j = f(Q_j, P_j) + Y(Q_j) lambda_j
template <class S> bool Lobatto3ab<S>::evaluate_accelerations(Point& from, Point& middle, StepReport<S>& report) {
    auto& system = this->system_;
    if (system.forces_depend_on_y()) {
        std::copy(from.u.begin(), from.u.end(), work_.begin());
        system.put_y(from.t, P_1_.data(), work_.data());
        if (!system.evaluate_forces(from, work_.data()))
            return this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, from);
    }
    system.put_y(middle.t, P_2_.data(), middle.u.data());
    if (!system.evaluate_forces(middle, middle.u.data()))
        return this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, middle);
    std::copy(from.force.begin(), from.force.end(), A_1_.begin());
    std::copy(middle.force.begin(), middle.force.end(), A_2_.begin());
    system.add_directions(from, S(1), lambda_1_.data(), A_1_.data());
    system.add_directions(middle, S(1), lambda_2_.data(), A_2_.data());
    return true;
}

// P_i, V_i = v(Q_i, P_i), and Q_2, Q_3 anew; how much they changed, relative to their size.
template <class S> S Lobatto3ab<S>::set_positions(Point& from, Point& middle, Point& to, S h) {
    auto& system = this->system_;
    for (std::int64_t k = 0; k < this->n_; ++k) {
        P_1_[k] = y_0_[k] + h / S(6) * (A_1_[k] - A_2_[k]);
        P_2_[k] = y_0_[k] + h / S(6) * (A_1_[k] + S(2) * A_2_[k]);
        P_3_[k] = y_0_[k] + h / S(6) * (A_1_[k] + S(5) * A_2_[k]);
    }
    std::copy(from.u.begin(), from.u.end(), work_.begin());
    system.put_y(from.t, P_1_.data(), work_.data());
    system.velocity(from.t, work_.data(), V_1_.data());
    system.put_y(middle.t, P_2_.data(), middle.u.data());
    system.velocity(middle.t, middle.u.data(), V_2_.data());
    system.put_y(to.t, P_3_.data(), to.u.data());
    system.velocity(to.t, to.u.data(), V_3_.data());
    S change = 0, size = 0;
    const auto update = [&](Point& p, const linalg::Vector<S>& q) {
        system.get_q(p.u.data(), before_.data());
        for (std::int64_t k = 0; k < this->n_; ++k) {
            change = std::max(change, absolute(q[k] - before_[k]));
            size = std::max(size, absolute(q[k]));
        }
        system.put_q(q.data(), p.u.data());
    };
    auto& q = this->v_;
    for (std::int64_t k = 0; k < this->n_; ++k)
        q[k] = q_0_[k] + h / S(24) * (S(5) * V_1_[k] + S(8) * V_2_[k] - V_3_[k]);
    update(middle, q);
    for (std::int64_t k = 0; k < this->n_; ++k) q[k] = q_0_[k] + h / S(6) * (V_1_[k] + S(4) * V_2_[k] + V_3_[k]);
    update(to, q);
    return change == S(0) ? change : change / size;
}

template <class S> bool Lobatto3ab<S>::solve_stages(Point& from, Point& middle, Point& to, S h, StepReport<S>& report) {
    auto& system = this->system_;
    using Loop = typename MechanicalStepper<S>::Iteration;
    for (Point* p : {&middle, &to}) {
        std::copy(from.u.begin(), from.u.end(), p->u.begin());
        p->is_ready = false;
    }
    middle.t = from.t + h / S(2);
    to.t = from.t + h;
    for (linalg::Vector<S>* P : {&P_1_, &P_2_, &P_3_}) std::copy(y_0_.begin(), y_0_.end(), P->begin());
    for (linalg::Vector<S>* l : {&lambda_1_, &lambda_2_}) std::copy(from.lambda.begin(), from.lambda.end(), l->begin());
    for (Loop iteration;;) {
        if (!evaluate_accelerations(from, middle, report)) return false;
        const S change = set_positions(from, middle, to, h);
        S residual = 0;
        if (this->m_ > 0) {
            system.constraints(middle.t, middle.u.data(), g_2_.data());
            system.constraints(to.t, to.u.data(), g_3_.data());
            residual =
                std::max(relative_size(g_2_, system.inverse_sizes()), relative_size(g_3_, system.inverse_sizes()));
        }
        const auto next = iteration(residual, change);
        if (next == Loop::Next::done || next == Loop::Next::fail) this->count(iteration);
        if (next == Loop::Next::done) return true;
        if (next == Loop::Next::fail)
            return this->fail(report, StepOutcome::no_projection, PointStatus::not_converged, to);
        if (this->m_ == 0) continue;
        const S scale = S(1) / (h * h);
        for (std::int64_t i = 0; i < this->m_; ++i) {
            b_[i] = scale * (S(2) * g_3_[i] - S(16) * g_2_[i]);
            g_3_[i] = scale * (S(8) * g_2_[i] - S(4) * g_3_[i]);
        }
        system.solve(from, b_.data());
        system.solve(from, g_3_.data());
        for (std::int64_t i = 0; i < this->m_; ++i) {
            lambda_1_[i] += b_[i];
            lambda_2_[i] += g_3_[i];
        }
    }
}

template <class S> bool Lobatto3ab<S>::advance(S h, StepReport<S>& report) {
    Point &from = this->start(), &middle = this->spare(0), &to = this->finish();
    this->system_.get_y(from.t, from.u.data(), y_0_.data());
    this->system_.get_q(from.u.data(), q_0_.data());
    if (!solve_stages(from, middle, to, h, report)) return false;
    this->counts_.stages += 1;
    if (!this->evaluate(to, P_3_.data(), report)) return false;
    for (std::int64_t k = 0; k < this->n_; ++k) y_0_[k] += h / S(6) * (A_1_[k] + S(4) * A_2_[k] + to.force[k]);
    return this->solve_velocities(to, y_0_.data(), h / S(6), report);
}

template class Lobatto3ab<double>;
template class Lobatto3ab<Quad>;

const Family lobatto3ab_family{.name = "mechanical",
                               .make_double = make_as<Lobatto3ab, double>,
                               .make_quad = make_as<Lobatto3ab, Quad>,
                               .solves_equations = true,
                               .keeps_constraints = true};

} // namespace vessiot::method
