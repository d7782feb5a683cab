// Taylor's method of any order: the power series of the solution through the current point, cut off after order p and,
// as any other step, projected onto the manifold. [JZ05; Tuomela, Arponen, section 3]
//
//     x(tau + h) = sum_{k=0..p} x_k r^k,   r = h / T         x_k by recurrences (distribution/solution_series.hpp)
//
// Order and step size follow Jorba and Zou, with the norm that all methods measure errors in (error_norm.hpp), for
// which |e| = 1 just meets the tolerances:
//
//     p       least integer >= 1 - ln(eps) / 2, at most 30, eps = rtol, or atol where rtol |x|_max <= atol; or given
//     R       min of (n_0 / n_j)^(1/j), j = p - 1 and p:  the radius of convergence by the last two coefficients;
//             n_j = |x_j|, n_0 = max(|x_0|, |x_1|, |x_2|)
//     h       T R n_0^(-1/(p+1)) exp(-0.7/p) c:  the first term that is cut off, n_0 (r / R)^(p+1), is within the
//     tolerance
//
// (For their p this is R exp(-2 + ...), as theirs.) c, near 1 at high orders, follows from the errors of the steps
// before. The step is checked afterwards by its defect, that is by how far the polynomial P is from following the field
// where it ends,
//
//     e = h (V(x(tau + h)) - P'(tau + h)) / (p + 1)     up to O(h^(p+2)) the error of a step from an exact point
//
// which also notices what a series cannot know, a kink or a pole within the step. V there is the beginning of the next
// series, so that it costs nothing; a rejected step costs the evaluation of a polynomial, for its series stays.
//
// Small systems with formulas make a step by two kernels (fused_taylor.hpp); what is not plain there, and all others,
// the parts one by one.
//
// T is a power of two near h: coefficients stay in the range of numbers, whatever the unit of time, and results do not
// depend on it.
//
// Between the points: P itself, order p. Cost of a step O(p^2) evaluations of each operation of the equations, at most
// 30 of the linear system for the tops. Takes no memory after the constructor. In arclength the
// series is that of arclength_series.hpp, also at impasse points. Known limit: explicit, so that stiff systems need
// small steps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "distribution/series/solution_series.hpp"
#include "linalg/vector.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/taylor/fused_taylor.hpp"
#include "method/two_points.hpp"

namespace vessiot::method {

inline constexpr int largest_taylor_order = 30;

// Jorba and Zou's order for a tolerance.
int taylor_order(double eps);

template <class S> class TaylorStepper final : public TwoPoints<S> {
public:
    TaylorStepper(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    const S* direction() override;
    PointStatus status() const override { return status_; }
    S suggest(S h) override;
    StepReport<S> attempt(S h) override;
    void run_on(Stretch<S>& stretch) override;
    int dense_degree() const override { return max_order_; }
    PointStatus dense(S* coefficients) override;

private:
    using Base = TwoPoints<S>;
    using Base::counts_, Base::end_, Base::h_, Base::has_candidate_, Base::is_accepted_, Base::n_, Base::projection_;
    using Base::start_, Base::tau_, Base::tau_end_;

    S* coefficient(int k) { return coefficients_.data() + static_cast<std::size_t>(k) * stride_; }
    void take_accepted();
    PointStatus begin_series(S tau, const S* x, S h); // and the direction there
    bool make_series(S h);                            // at the current point, up to its order; false: status_ says why
    int order_here() const;
    void evaluate(S r);
    bool project_result(StepReport<S>& report);
    S defect(S h, S r);
    void learn(S error);
    struct Sizes {
        double largest, before_last, last; // |x_j|^2 of x_0, x_1, x_2; of x_p-1; of x_p
    };
    Sizes sizes();

    // ---- by kernels: taylor_fused.cpp ----
    void make_fused(const StepperOptions<S>& options);
    bool make_series_fused(S h);
    bool attempt_fused(StepReport<S>& report); // false: the parts have to find out

    std::size_t stride_;
    ErrorNorm<S> norm_;
    struct Tolerances {
        S rtol, atol;
        int rtol_order, atol_order; // that they lead to
    } tolerances_;
    bool estimates_, has_fixed_order_;
    int order_, max_order_; // of the current series; of all
    std::unique_ptr<SolutionSeries<S>> series_;
    linalg::Vector<S> coefficients_, powers_; // of the step from start_; of r
    std::array<linalg::Vector<S>, 2> points_; // start_ and end_, in turn
    linalg::Vector<S> work_, velocity_;       // velocity_: V where the series began last
    linalg::Vector<S> shift_;                 // by which the projection moved the end
    S scale_ = 1, series_scale_ = 0;          // T of coefficients_, and of series_
    bool is_forward_ = true;
    bool has_coefficients_ = false;                // coefficients_ are those at start_
    bool is_at_start_ = false, is_at_end_ = false; // where series_ has begun
    S correction_ = 1, suggested_ = 0;             // c, and the last h that it was used for
    PointStatus status_ = PointStatus::good;
    struct Fused {
        std::unique_ptr<FusedTaylor> kernels; // null: there are none
        bool is_used = false;                 // coefficients_ are theirs
        bool is_refused = false;              // not from start_
        bool has_suggested = false;           // for a step that was left to the loop
    } fused_;
};

// The power of two next to h, so that the coefficients of x(t + r T) are of moderate size.
template <class S> S taylor_scale(S h);

extern template class TaylorStepper<double>;
extern template class TaylorStepper<Quad>;

// What a system lacks that power series are made of: functions given as numbers have none.
std::string series_misfit(const System& system, const Prolongation& prolongation);

extern const Family taylor_family;

} // namespace vessiot::method
