// What the methods for mechanical systems share: points and what is known there, the two solves with constraints, and
// everything that the loop asks of a stepper. A method says how a step goes from one point to the next.
//
// Positions. With y = y_base + kappa (f + Y lambda) and q = q_0 + h v(y), multipliers lambda so that g(t_1, q) = 0:
//
//   N_0 d = -g / (kappa h),   lambda += d       N_0 = G Z at the point where the step begins
//
// One factorisation, linear convergence with a factor rho = O(h); where that is slow, Newton's matrix G(q) Z_0. It ends
// at round-off (8 eps of the size of a row) or where residuals stop falling near it, over two corrections. With
// constant steps multipliers are a smooth function of the step: a cubic polynomial through those of the last four steps
// is the first guess. Where rho is known from before, and the residual after a correction will be round-off, it is not
// computed: g at the new point comes with G there, and says whether that was right (confirm).
//
// Velocities. With y = y_base + Y lambda at the new point: G v + g_t = 0, linear, or Newton's method where H is not
// quadratic in p. The matrix is that of the positions of the next step.
//
// Implicit formulas (forces that depend on y, velocities that depend on q) are iterated along with the positions.
//
// Between points: the cubic polynomial through both ends and directions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "method/estimate/error_norm.hpp"
#include "method/mechanical/multiplier_guess.hpp"
#include "method/mechanical/system/mechanical_system.hpp"
#include "method/two_points.hpp"

namespace vessiot::method {

template <class S> class MechanicalStepper : public TwoPoints<S> {
public:
    MechanicalStepper(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                      const StepperOptions<S>& options, std::size_t n_points);

    void begin(S tau, const S* x) override;
    const S* direction() override;
    StepReport<S> attempt(S h) final;
    int dense_degree() const override { return 3; }
    PointStatus dense(S* coefficients) override;

protected:
    using Base = TwoPoints<S>;
    using Base::counts_;
    using Point = MechanicalPoint<S>;

    // A step of h from start() to finish(), whose coordinates are all set; false after fail().
    virtual bool advance(S h, StepReport<S>& report) = 0;

    Point& start() { return *from_; }
    Point& finish() { return *to_; }
    Point& spare(std::size_t k) { return *spare_[k]; }
    void finish_at(Point& p); // p is the point reached: it becomes finish()

    // Forces, directions and N of a point, if they are not there.
    bool prepare(Point& p, StepReport<S>& report);
    // Positions of `to` from those of `from`, and lambda_: y_ = y_base + kappa (f + Y lambda), as above.
    struct Solve {
        const S* y_base;
        S kappa, h;
        bool is_symmetric; // q = q_0 + h/2 (v(q_0, y) + v(q, y)); else v(q_0, y)
    };
    bool solve_positions(Point& from, Point& to, const Solve& solve, StepReport<S>& report);
    // Positions whose residual was foretold, after evaluate(to): false where it is too large. Then solve_positions
    // again, which goes on from lambda_.
    bool confirm(const Point& to);
    // For methods that call confirm(): histories of n parts of a step, and the one used from now on.
    void use_histories(std::size_t n) { guess_.use_histories(n, m_); }
    void use_history(std::size_t k) { guess_.use_history(k); }
    // Forces, directions, N at `to`, with y in place of its own.
    bool evaluate(Point& to, const S* y, StepReport<S>& report);
    // y += Y lambda so that the hidden constraint holds, and y and q' are those of the point; lambda / kappa is kept as
    // its multipliers.
    bool solve_velocities(Point& to, S* y, S kappa, StepReport<S>& report);
    void set_velocities(Point& to, const S* y);
    using Iteration = ConstraintIteration<S>;
    void count(const Iteration& iteration);
    bool fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, const Point& where) {
        return Base::fail(report, outcome, why, where.t, where.u.data());
    }

    MechanicalSystem<S> system_;
    bool projects_; // --projection is not none
    std::int64_t n_, m_;
    linalg::Vector<S> y_, v_, lambda_; // of the solves

private:
    using Base::at_end_, Base::at_start_, Base::end_, Base::h_, Base::has_candidate_, Base::is_accepted_;
    using Base::n_padded_, Base::projection_, Base::start_, Base::tau_, Base::tau_end_;
    using typename Base::Evaluation;

    Evaluation evaluate_direction(const Point& p, S* direction);
    bool project_result(StepReport<S>& report);
    bool is_implicit(const Solve& s) const;
    void guess_multipliers(const Point& from, const Solve& s);
    // Of systems of second order with forces of positions alone, which `move` takes; and of others.
    bool iterate_positions(Point& from, Point& to, const Solve& solve, StepReport<S>& report);
    bool iterate_implicit(Point& from, Point& to, const Solve& solve, StepReport<S>& report);
    bool fail_positions(StepReport<S>& report, const Iteration& iteration, S size, Point& to);

    bool has_invariants_; // which only the projection imposes
    ErrorNorm<S> norm_;
    std::int64_t n_state_;
    std::vector<Point> points_;
    Point *from_, *to_; // start_ and end_ are their coordinates
    std::vector<Point*> spare_;
    linalg::Vector<S> k_0_, k_1_; // directions at both ends
    linalg::Vector<S> q_0_, q_, y_before_, v_0_, b_, work_;
    MultiplierGuess<S> guess_;
};

extern template class MechanicalStepper<double>;
extern template class MechanicalStepper<Quad>;

} // namespace vessiot::method
