// The curve between the points of a method, held to the tolerances as the points are.
//
// Implicit methods are far more accurate at the ends of a step than inside: radau5 is of order 5, its polynomial of 3,
// and of a stiff or algebraic component the ends are right whatever the step. So where values inside of steps are asked
// for, this stands before the stepper and lets the error of the polynomial p count beside that of the point.
//
// p agrees with the curve at places c_0 .. c_d (Stepper::dense_places), so that it is off by
//
//     x(theta) - p(theta) = C M(theta),   M(theta) = prod_j (theta - c_j),   C ~ h^(d+1) x^(d+1) / (d+1)!
//
// x is known at one more place, theta_0 = -h_0 / h, where the step before began, of size h_0. That gives C, and
//
//     e = |x(theta_0) - p(theta_0)| max |M| / |M(theta_0)|        max over the step
//
// without an evaluation. The first step has none before it: there the direction gives C, where M has a simple zero at
// 0,
//
//     e = |h V(x) - p'(0)| max |M| / |M'(0)|
//
// A step is good where e is below 10 tolerances. e falls as h^(d+1); it is reported as e^((q+1)/(d+1)) where the
// controller takes errors as h^(q+1). Where a smaller step made e smaller by less than the square of the ratio, what is
// seen is the noise of the points, not the error of p, and e does not count. For the same reason an e that is good
// keeps the next step from growing, but never makes it smaller.
//
// Takes no memory after the constructor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "linalg/vector.hpp"
#include "method/error_norm.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

template <class S> class Between final : public Stepper<S> {
public:
    Between(const MethodInfo& info, std::int64_t n, std::unique_ptr<Stepper<S>> inner,
            const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    int mode() const override { return inner_->mode(); }
    void begin_as(int mode, S tau, const S* x) override;
    const S* direction() override { return inner_->direction(); }
    PointStatus status() const override { return inner_->status(); }
    StepReport<S> attempt(S h) override;
    void stop_at(S tau) override { inner_->stop_at(tau); }
    S suggest(S h) override { return inner_->suggest(h); }
    const S* candidate() const override { return inner_->candidate(); }
    void accept() override;
    S tau() const override { return inner_->tau(); }
    const S* point() const override { return inner_->point(); }
    int dense_degree() const override { return inner_->dense_degree(); }
    PointStatus dense(S* coefficients) override { return inner_->dense(coefficients); }
    std::span<const double> dense_places() const override { return inner_->dense_places(); }
    S failed_tau() const override { return inner_->failed_tau(); }
    const S* failed_point() const override { return inner_->failed_point(); }
    std::pair<std::int64_t, std::int64_t> failed_derivative() const override { return inner_->failed_derivative(); }
    std::string failure() const override { return inner_->failure(); }
    const StepperCounts& counts() const override { return inner_->counts(); }
    std::span<const std::int64_t> steps_by_order() const override { return inner_->steps_by_order(); }
    const MethodInfo* at_work() const override { return inner_->at_work(); }
    S stiffness() const override { return inner_->stiffness(); }

private:
    void forget();
    S curve_error(S h);
    bool is_noise(S h, S error) const;
    int power_of_estimate() const; // q + 1
    S as_error_of_points(S error) const;
    S holding_error() const; // with which a controller leaves the step as it is

    const MethodInfo& info_;
    std::int64_t n_, n_padded_;
    std::unique_ptr<Stepper<S>> inner_;
    bool is_doubling_;
    ErrorNorm<S> norm_;
    linalg::Vector<S> before_, off_, coefficients_; // x(theta_0), what p is off there, p
    S h_ = 0, h_before_ = 0;
    bool has_before_ = false;
    S h_refused_ = 0, error_refused_ = 0; // of the last attempt that p refused, from the same point
};

extern template class Between<double>;
extern template class Between<float128>;

} // namespace vessiot::method
