// The curve between the points of a method, held to the tolerances as the points are.
//
// The error of a step says nothing about the polynomial p inside of it where that is of a lower order than the points,
// and of stiff and algebraic components the points are right whatever the step. So where values inside of steps will be
// read, this stands before the stepper: p is looked at, made better or refused.
//
// p agrees with the curve at places c_0 .. c_d (Stepper::dense_places), so that it is off by
//
//     x(theta) - p(theta) = C M(theta),   M(theta) = prod_j (theta - c_j),   C ~ h^(d+1) x^(d+1) / (d+1)!
//
// x is known at more places theta_0 < 0, where the two steps before began. That gives C, and
//
//     e = |x(theta_0) - p(theta_0)| max |M| / |M(theta_0)|        max over the step
//
// without an evaluation. The first step has none before it, and one of another size shows little. There the direction
// at the start, which p of a collocation method does not have in it, tells C,
//
//     h V(x(0)) - p'(0) = C M'(0)
//
// or more than C, where x is stiff: the error of the point is in it times the fastest rate. Only where that is not good
// a second, shorter step from the same point ends where |M| is largest. p is good where e is below 30 tolerances. Else:
//
// - The polynomial of a collocation method (Radau) falls with h as the estimate of the step does: the step is refused.
//   e, which falls as h^(d+1), is reported as e^((q+1)/(d+1)) to a controller that takes errors as h^(q+1).
// - Hermite polynomials have directions in them, whose errors are those of the points times the fastest rate: M / theta
//   counts as M does. There another stepper of the method walks from x to the end in n = 8 steps; after two of them p
//   is seen to be good, or it becomes that through its points x_j: with D^k the k-th difference of x_0 .. x_n
//
//       p(theta) = sum_k D^k binomial(n theta, k),     e = |d_n| max |M / (theta - 1/2)|
//
//   d_n its last coefficient, D^n n^n / n!: what one point less would make worse. Only where that is above 30
//   tolerances the step is refused.
//
// An e that is good keeps the next step from growing, but never makes it smaller. Where eight steps, each smaller than
// the one before, have not halved e, it is no error of p that is seen, and e does not count.
//
// Takes memory in the constructor, and when the second stepper is first needed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "linalg/vector.hpp"
#include "method/combined/forwarding.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/estimate/points_between.hpp"

namespace vessiot::method {

template <class S> class Between final : public Forwarding<S> {
public:
    Between(const MethodInfo& info, Field<S>& field, Projection<S>* projection, std::unique_ptr<Stepper<S>> inner,
            const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    void begin_as(int mode, S tau, const S* x) override;
    StepReport<S> attempt(S h) override;
    S error_with_curve(S error) override;
    void accept() override;
    int dense_degree() const override { return degree_; }
    PointStatus dense(S* coefficients) override;
    std::span<const double> dense_places() const override { return {}; } // the error speaks for the curve
    const StepperCounts& counts() const override;
    void renew() override {
        inner_->renew();
        walk_.renew();
    }

private:
    static constexpr int n_parts = Walk<S>::n_parts;
    using Forwarding<S>::inner_;

    void forget();
    void look();                 // at p of the last attempt, once
    bool is_like_before() const; // in size
    bool take_polynomial();
    const S* end() const;
    S move(S theta, std::int64_t i) const; // from the start, along p
    S size(S* difference);                 // of points, in tolerances
    S measured(S part);                    // of off_, in 30 tolerances
    S error_by_points_before();
    S error_without_them();
    S error_by_direction();
    S error_by_shorter_step();
    bool walk(int n_each);         // through the step
    bool is_good_at_first();       // p, at some of them
    S interpolate();               // the points of the walk; the error of that
    int power_of_estimate() const; // q + 1

    const MethodInfo& info_;
    std::int64_t n_, n_padded_;
    std::unique_ptr<Stepper<S>> own_; // inner_
    bool is_doubling_, is_hermite_;
    int degree_;
    ErrorNorm<S> norm_;
    Walk<S> walk_;
    PointsBefore<S> before_;
    AgreedPlaces places_;
    linalg::Vector<S> start_, off_, p_; // p_: coefficients
    S tau_ = 0, h_ = 0, error_ = 0;
    bool has_step_ = false, is_accepted_ = false, is_looked_at_ = false, is_read_ = false, is_walked_ = false;
    PointStatus dense_status_ = PointStatus::good;
    Refusals<S> refusals_;
    mutable StepperCounts counts_;
};

extern template class Between<double>;
extern template class Between<Quad>;

} // namespace vessiot::method
