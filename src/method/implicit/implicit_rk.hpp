// Implicit Runge-Kutta methods on a manifold. [HW96, IV.8]
//
// With P the projection (the identity where there is none) and the notation of implicit_coefficients.hpp:
//
//     Z_i = h sum_j a_ij V(tau + c_j h, P(x + Z_j))      P where stages are projected, so that V is asked on M only
//     p   = P(x + sum_i d_i Z_i + h d_0 k_1)             the new point
//
// by simplified Newton iteration with J = dV/dx, or d(V P)/dx, of one point (linearised.hpp), in the variables
// W = T^-1 Z, where the system falls into one for each real eigenvalue and one, complex, for each pair:
//
//     (I - h/lambda J) dw = h/lambda (T^-1 V + g k_1) - w
//
// In arclength x = (u, t), V is the unit tangent, and J its derivative. Of index 1, and wherever this iteration fails
// again and again (a stiff force beside constraints), the equations for the highest derivatives, multipliers among
// them, are part of the system, and V is not solved for: stage_tops.hpp.
//
// Start: the polynomial of the last step, continued. With theta the ratio of increments in turn, the iteration ends
// where theta / (1 - theta) |dW| <= kappa, gives up where theta >= 1 or where the iterations left will not suffice, and
// is then repeated with J of this point if that was another one. kappa is a small part of the tolerance; with constant
// steps there is none, and the iteration goes on to the round-off, with J anew where it is slow: what a method keeps,
// as the midpoint rule quadratic invariants, is then kept to the last digits. J is that of the middle stage as the last
// polynomial predicts it, of the start where that is far; it is kept for the next step while theta
// is small, its factors while h is the same.
//
// Error (methods with one, Radau IIA): e = (I - h gamma_0 J)^-1 (sum_i e_i Z_i + h gamma_0 V(x)), of order S + 1 in h;
// after a rejected step, and in the first, once more with V(x + e) in place of V(x), which damps what is stiff. For an
// even number of stages, where no eigenvalue is real, the real part of the solution with the first pair takes its
// place. [HW96, (8.19), (8.20)] The method itself is of order 2S - 1: errors are measured in tolerances
// 0.1 rtol^((S+1)/(2S)), and atol in proportion, so that the error of the result is about rtol. [HW99, section 5]
//
// Between the points: the collocation polynomial, which ends at the point a before its projection; then
// (3 theta^2 - 2 theta^3) (p - a) is added, for one stage theta (p - a). Methods that do not end with a stage (Gauss,
// Radau I) and have fewer than four of them: the cubic Hermite polynomial of both points and directions.
//
// Cost of a step: S evaluations and a solve with each factor in an iteration; an evaluation of J and its factors, of
// which most steps keep some. All memory is taken by the constructor and the first step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/vector.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/implicit/implicit_numbers.hpp"
#include "method/implicit/increment_norm.hpp"
#include "method/implicit/newton_state.hpp"
#include "method/implicit/stage_linear.hpp"
#include "method/two_points.hpp"

namespace vessiot::method {

template <class S> class ImplicitRk final : public TwoPoints<S> {
public:
    // Throws InvalidInput where options ask for what implicit methods do not have.
    ImplicitRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    const S* direction() override;
    StepReport<S> attempt(S h) override;
    int dense_degree() const override { return is_hermite() ? 3 : dense_degree_; }
    PointStatus dense(S* coefficients) override;
    std::span<const double> dense_places() const override { return places_; }
    double operations() const override;

private:
    using Base = TwoPoints<S>;
    using Base::at_end_, Base::at_start_, Base::counts_, Base::end_, Base::field_, Base::h_, Base::has_candidate_;
    using Base::is_accepted_, Base::n_, Base::n_padded_, Base::projection_, Base::start_, Base::tau_, Base::tau_end_;
    using C = linalg::Complex<S>;
    enum class Iteration : std::uint8_t { converged, slow, diverged, failed };

    bool projects() const { return project_ != Project::nothing; }
    bool is_hermite() const { return dense_degree_ == 0; }
    bool goes_by_levels() const { return projection_ && projection_->goes_by_levels(); }
    void take_memory();
    void go_on();
    PointStatus evaluate(S tau, const S* x, S* direction);
    PointStatus evaluate_end();

    bool linearise(S tau, const S* x, const S* w, StepReport<S>& report);
    bool linearise_ahead();
    bool factor(StepReport<S>& report);
    void start_at_zero();
    void predict_stage(std::size_t i, S* z) const;
    template <int N> void predict_stage_of(std::size_t i, S* z) const; // N: unknowns, 0 for any number (small.hpp)
    void predict();
    void to_stages();   // Z = T W
    void from_stages(); // W = T^-1 Z
    bool evaluate_stages(StepReport<S>& report);
    bool evaluate_equations(StepReport<S>& report);
    void solve(std::size_t block, S* x);
    void solve_pair(std::size_t pair);
    template <int N>
    void transform(const std::vector<S>& matrix, const std::vector<S*>& in, const std::vector<S*>& out) const;
    template <int N> S newton_step_of();
    S newton_step();
    Iteration iterate(StepReport<S>& report);
    Iteration iterate_to_round_off(StepReport<S>& report);
    bool has_other_way();
    bool solve_stages(StepReport<S>& report);
    bool result(StepReport<S>& report);
    bool find_error(const S* x, const S* k);
    bool estimate_error(StepReport<S>& report);
    void polynomial(S h, S* const* z, const S* k_1, S* coefficients) const;
    PointStatus hermite(S* coefficients);

    Project project_;
    bool has_estimate_, to_round_off_;
    ImplicitNumbers<S> numbers_;
    std::size_t r_;                          // implicit stages
    int dense_degree_ = 0;                   // 0: a cubic one of Hermite's
    ErrorNorm<S> norm_;                      // of errors
    IncrementNorm<S> increments_;            // of the iteration
    StageLinear<S> first_;                   // as a run begins,
    std::unique_ptr<StageLinear<S>> second_; // with tops among the unknowns, where the other fails
    StageLinear<S>* linear_;                 // the one at work

    linalg::Vector<S> memory_;
    linalg::Vector<C> complex_;
    std::vector<S*> z_, w_, v_, transformed_; // stages, W, directions, T^-1 V
    S *k_start_, *k_end_, *work_, *error_, *trial_;
    linalg::Vector<S> polynomial_; // of the last step, for the prediction
    NewtonState<S> kept_;
    std::vector<double> places_; // where the polynomial between the points is exact
};

// The order of its dense output.
int dense_order_of_implicit_rk(const MethodInfo& info);

extern const Family implicit_rk_family;

} // namespace vessiot::method
