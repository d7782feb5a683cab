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
#include "method/mechanical/mechanical_system.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

template <class S> class MechanicalStepper : public Stepper<S> {
public:
    MechanicalStepper(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                      const StepperOptions<S>& options, std::size_t n_points);

    void begin(S tau, const S* x) override;
    const S* direction() override;
    PointStatus status() const override { return (is_accepted_ ? at_end_ : at_start_).status; }
    StepReport<S> attempt(S h) final;
    const S* candidate() const override { return end_->u.data(); }
    void accept() override { is_accepted_ = has_candidate_; }
    S tau() const override { return is_accepted_ ? end_->t : start_->t; }
    const S* point() const override { return (is_accepted_ ? end_ : start_)->u.data(); }
    int dense_degree() const override { return 3; }
    PointStatus dense(S* coefficients) override;
    S failed_tau() const override { return failed_tau_; }
    const S* failed_point() const override { return failed_.data(); }
    const StepperCounts& counts() const override { return counts_; }
    void renew() override { counts_ = {}; }

protected:
    using Point = MechanicalPoint<S>;

    // A step of h from start() to finish(), whose coordinates are all set; false after fail().
    virtual bool advance(S h, StepReport<S>& report) = 0;

    Point& start() { return *start_; }
    Point& finish() { return *end_; }
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
    // Multipliers of the positions of one part of a step, in the last steps.
    class History {
    public:
        explicit History(std::int64_t m);
        void forget() { n_ = 0; }
        // A guess for a step of h at t, false where there is none.
        bool guess(S t, S h, S* lambda) const;
        void add(S t, S h, const S* lambda);

    private:
        bool follows(S t, S h) const; // is a step of h at t the next of the same kind?

        std::array<linalg::Vector<S>, 4> last_; // the newest at newest_, then backwards in a circle
        int n_ = 0, newest_ = 0;
        S t_ = 0, h_ = 0, spacing_ = 0;
    };
    // For methods that call confirm(): histories of n parts of a step, and the one used from now on.
    void use_histories(std::size_t n);
    void use_history(std::size_t k) { history_ = &histories_[k]; }
    // Forces, directions, N at `to`, with y in place of its own.
    bool evaluate(Point& to, const S* y, StepReport<S>& report);
    // y += Y lambda so that the hidden constraint holds, and y and q' are those of the point; lambda / kappa is kept as
    // its multipliers.
    bool solve_velocities(Point& to, S* y, S kappa, StepReport<S>& report);
    void set_velocities(Point& to, const S* y);
    // Has an iteration for constraints arrived? Its residual, relative to sizes, and the largest change of what is
    // iterated along with it.
    class Iteration {
    public:
        enum class Next : std::uint8_t { done, go_on, slow, fail };
        Next operator()(S residual, S change);
        // Will one more correction leave round-off, if it takes residuals down by `rate`?
        static bool is_foretold(S residual, S rate);
        static bool is_small(S residual);
        std::int64_t count = 0;

    private:
        S before_ = -1, change_before_ = -1, earlier_ = -1, change_earlier_ = -1;
    };
    void count(const Iteration& iteration);
    bool fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, const Point& where);

    MechanicalSystem<S> system_;
    bool projects_; // --projection is not none
    std::int64_t n_, m_;
    linalg::Vector<S> y_, v_, lambda_; // of the solves
    StepperCounts counts_;

private:
    struct Evaluation {
        bool is_done = false;
        PointStatus status = PointStatus::good;
    };
    Evaluation evaluate_direction(const Point& p, S* direction);
    bool project_result(StepReport<S>& report);
    bool is_implicit(const Solve& s) const;
    void guess_multipliers(const Point& from, const Solve& s);
    // Of systems of second order with forces of positions alone, which `move` takes; and of others.
    bool iterate_positions(Point& from, Point& to, const Solve& solve, StepReport<S>& report);
    bool iterate_implicit(Point& from, Point& to, const Solve& solve, StepReport<S>& report);
    bool fail_positions(StepReport<S>& report, const Iteration& iteration, S size, Point& to);
    void note_rate(S before, S after);

    Field<S>& field_;
    Projection<S>* projection_;
    bool has_invariants_; // which only the projection imposes
    ErrorNorm<S> norm_;
    std::int64_t n_state_, n_padded_;
    std::vector<Point> points_;
    Point *start_, *end_;
    std::vector<Point*> spare_;
    linalg::Vector<S> k_0_, k_1_; // directions at both ends
    linalg::Vector<S> q_0_, q_, y_before_, v_0_, b_, failed_, work_;
    Evaluation at_start_, at_end_;
    std::vector<History> histories_;
    History* history_ = nullptr;
    S rate_ = -1;              // residual over the one before, of the positions; -1: not known
    bool is_foretold_ = false; // the positions found last were not checked
    bool goes_on_ = false;     // from lambda_ as it is
    S h_ = 0, failed_tau_ = 0;
    bool has_candidate_ = false, is_accepted_ = false;
};

extern template class MechanicalStepper<double>;
extern template class MechanicalStepper<expr::Quad>;

} // namespace vessiot::method
