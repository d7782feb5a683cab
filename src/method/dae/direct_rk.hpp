// Implicit Runge-Kutta methods for a system as it stands, F(t, u, w) = 0 (prolong_direct.hpp), of index 1, 2
// or 3: M u' = f(u) with constant M, possibly singular, among them. [HW96, VI.1, VII.4; Hairer, Solving Differential
// Equations on Manifolds, chapter V]
//
//     Z_i = h sum_j a_ij (S (u + Z_j) + E W_j),   F(t + c_i h, u + Z_i, W_i) = 0           stages
//     u_1 = u + sum_i d_i Z_i                                                              [(1.6) of the chapter]
//
// S the shift among the derivatives of an unknown, E the tops (linearised.hpp). No division by M: what is linear
// transforms with the unknowns. Simplified Newton iteration in the variables T^-1 Z, T^-1 W of implicit_rk.hpp, where a
// block is
//
//     x - gamma (S x + E dw) = b,   B x + A dw = -T^-1 F,   gamma = h / lambda
//
// Error (Radau IIA): that of implicit_rk.hpp, with F in the place of V and w of the last stage before:
//
//     x - gamma (S x + E dw) = sum_i e_i Z_i + gamma (S u + E w),   B x + A dw = -F(t, u, w),   gamma = h gamma_0
//
// Where F is linear in w with a constant A, x does not depend on w. Errors and increments of a coordinate of index i
// (variable_indices) count h^(i-1) times, and rtol itself is the tolerance where there is one with i > 1. [HW96, VII.4]
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/shifted_solver.hpp"
#include "linalg/scalar.hpp"
#include "linalg/vector.hpp"
#include "manifold/row_function.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/implicit/implicit_numbers.hpp"
#include "method/implicit/newton_state.hpp"
#include "method/implicit/stage_solvers.hpp"
#include "method/parts.hpp"
#include "method/two_points.hpp"

namespace vessiot::method {

// F and the shift, with numbers.
template <class S> class DirectSystem {
public:
    DirectSystem(const MethodInfo& info, const StepperOptions<S>& options);

    std::int64_t n_state() const { return n_; }
    std::int64_t n_tops() const { return n_tops_; }
    Linearised<S>& linearised() { return linearised_; }
    // The rows of F; false where one is not finite.
    bool equations(S t, const S* u, const S* w, S* rows);
    // du = S u + E w, added factor times; w may be null.
    void add_derivative(S factor, const S* u, const S* w, S* du) const;
    // w of tops from u' of coordinates.
    void tops_of(const S* du, S* w) const;
    int highest_index() const;
    // e_k h^(index_k - 1)
    void scale(S h, S* e) const;

private:
    Parts<S>& parts_;
    std::int64_t n_, n_tops_;
    std::vector<std::int32_t> next_; // coordinate, or -1 - top
    std::vector<std::int32_t> coordinate_of_top_;
    std::vector<int> index_;
    RowFunction<S> function_;
    Linearised<S> linearised_;
};

template <class S> S largest_of(const S* x, std::int64_t n) {
    S largest = 0;
    for (std::int64_t k = 0; k < n; ++k) largest = std::max(largest, linalg::absolute(x[k]));
    return largest;
}

// Whether increments, scaled by DirectSystem::scale, are round-off of the largest coordinate at x. Those of a component
// of index 2 or 3 are 1/h or 1/h^2 times that, more than its own last digits where it vanishes, as velocities of a
// start from rest do.
template <class S> bool is_round_off(S largest, const S* x, std::int64_t n) {
    return largest <= S(1e5) * linalg::epsilon<S>() * largest_of(x, n);
}

// What is common: the current point and the one tried.
template <class S> class DirectStepper : public TwoPoints<S> {
public:
    // Several may share a system, of which one is at work at a time.
    DirectStepper(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options,
                  std::shared_ptr<DirectSystem<S>> system = nullptr);
    void begin(S tau, const S* x) override;
    const S* direction() override;
    PointStatus status() const override { return status_; }

protected:
    bool linearise(S tau, const S* u, const S* w, StepReport<S>& report);

    std::shared_ptr<DirectSystem<S>> shared_;
    DirectSystem<S>& system_;
    std::int64_t n_tops_;
    linalg::Vector<S> k_, w_start_;

private:
    std::array<linalg::Vector<S>, 2> points_; // start_ and end_
    PointStatus status_ = PointStatus::good;
};

template <class S> class DirectRk final : public DirectStepper<S> {
public:
    DirectRk(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options,
             std::shared_ptr<DirectSystem<S>> system = nullptr);
    void begin(S tau, const S* x) override;
    // Goes on where another one, of the same system, accepted its last step; with its polynomial and its Jacobian.
    void begin_after(const DirectRk& other);
    StepReport<S> attempt(S h) override;
    int dense_degree() const override { return static_cast<int>(numbers_.exact.n_stages); }
    PointStatus dense(S* coefficients) override;
    std::span<const double> dense_places() const override { return places_; }
    void scale_error(S h, S* e) const override { this->system_.scale(h, e); }
    // The rate of convergence of the last iteration.
    S rate() const { return kept_.theta; }

private:
    using C = linalg::Complex<S>;
    bool factor(StepReport<S>& report);
    void keep_polynomial(const DirectRk& of);
    void predict();
    void transform(const std::vector<S>& matrix, std::vector<linalg::Vector<S>>& from,
                   std::vector<linalg::Vector<S>>& to) const;
    bool evaluate(StepReport<S>& report);
    struct Increment {
        S size, largest; // in tolerances; of the scaled numbers
    };
    Increment newton_step();
    bool iterate(StepReport<S>& report);
    bool solve_stages(StepReport<S>& report);
    void estimate_error(StepReport<S>& report);
    void raw_error(const S* at);

    bool has_estimate_, to_round_off_;
    S of_increments_ = 0; // the last correction, beside the increments of the step too
    ErrorNorm<S> norm_;
    S kappa_;
    ImplicitNumbers<S> numbers_;
    std::size_t r_;        // implicit stages
    std::vector<S> sigma_; // T^-1 1
    StageSolvers<S> solvers_;
    std::vector<linalg::Vector<S>> z_, w_, zeta_, omega_, f_, phi_;
    std::vector<linalg::Vector<S>> polynomial_; // of the step before, from theta^1 on
    std::size_t degree_old_ = 0;
    linalg::Vector<S> b_, rows_, error_;
    linalg::Vector<C> complex_b_, complex_rows_;
    NewtonState<S> kept_;
    std::vector<double> places_; // where the polynomial between the points is exact
};

extern const Family direct_rk_family;

} // namespace vessiot::method
