// Symmetric projection around any one-step method. [HLW06, V.4.1]
//
// With Phi_h the method without projections, f the constraints and A = df:
//
//     x~ = x + A(x)^T mu,   p~ = Phi_h(x~),   p = p~ + A(p)^T mu,   f(p) = 0        the same mu twice
//
// The result is as symmetric as the method: projected back with -h, it leads to where it came from, which the standard
// projection does not. mu is found by simplified Newton steps, 2 A(x) A(x)^T d = -f(p), mu += d, each with a step of
// the method and A(p) anew; it is of the size of the error of a step. Order and error estimate are those of the method.
//
// Between points: the cubic polynomial through both ends and directions.
//
// Cost of a step: a few steps of the method, one factorisation.
#pragma once

#include <memory>

#include "linalg/normal_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "method/error_norm.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

template <class S> class SymmetricProjection final : public Stepper<S> {
public:
    // Throws InvalidInput for methods that keep to the constraints by themselves.
    SymmetricProjection(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    const S* direction() override;
    PointStatus status() const override { return (is_accepted_ ? at_end_ : at_start_).status; }
    StepReport<S> attempt(S h) override;
    const S* candidate() const override { return end_.data(); }
    void accept() override { is_accepted_ = has_candidate_; }
    S tau() const override { return is_accepted_ ? tau_end_ : tau_; }
    const S* point() const override { return (is_accepted_ ? end_ : start_).data(); }
    int dense_degree() const override { return 3; }
    PointStatus dense(S* coefficients) override;
    S failed_tau() const override { return failed_tau_; }
    const S* failed_point() const override { return failed_.data(); }
    const StepperCounts& counts() const override;

private:
    struct Evaluation {
        bool is_done = false;
        PointStatus status = PointStatus::good;
    };
    Evaluation evaluate(S tau, const linalg::Vector<S>& x, linalg::Vector<S>& direction);
    bool factor_start(StepReport<S>& report);
    bool fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, S tau, const S* x);
    void add_normal(const linalg::Vector<S>& entries, linalg::Vector<S>& x) const; // x += A^T mu
    S time(S tau, const S* x) const;

    Field<S>& field_;
    Manifold<S>& manifold_;
    std::unique_ptr<Stepper<S>> inner_;
    ErrorNorm<S> norm_;
    std::int64_t n_, n_padded_;
    linalg::NormalSolver<S> solver_;
    linalg::Vector<S> start_, end_, moved_, k_0_, k_1_, failed_;
    linalg::Vector<S> entries_, end_entries_, f_, size_, mu_, b_;
    S tau_ = 0, tau_end_ = 0, h_ = 0, failed_tau_ = 0;
    bool has_candidate_ = false, is_accepted_ = false, has_factor_ = false;
    Evaluation at_start_, at_end_;
    std::int64_t n_projections_ = 0, n_iterations_ = 0, most_iterations_ = 0;
    mutable StepperCounts counts_;
};

extern template class SymmetricProjection<double>;
extern template class SymmetricProjection<float128>;

} // namespace vessiot::method
