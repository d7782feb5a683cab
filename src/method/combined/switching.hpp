// The method `auto`: explicit while accuracy limits the steps, implicit where stability does.
//
// The fastest rate at a point is the spectral radius of J = dV/dx, by the power method on
// differences: with D = diag(|x_i| + atol/rtol) and a vector v of length 1
//
//     v <- D^-1 (V(x + eps D v) - V(x)) / eps,   rho = |v|
//
// v is kept, so that one evaluation now and then follows it. Explicit steps are limited by stability where h rho is at
// the border of the stability region, 3.3 on the negative axis for dopri54, 6.1 for dop853, in several looks in turn;
// the implicit method then takes over, or at once where the first step would be far beyond it. Implicit steps with h
// rho below 1 in several looks in turn are steps that the explicit method could take at less cost.
//
// Large systems, where factors are dear, count operations as well (costs_): an implicit step is worth
//
//     q = operations of an implicit step / those of an explicit one
//
// explicit ones, so that it has to be longer than q border / rho. It is taken for possible while q is small, or the
// rest of the interval has room for as many such steps as a solution needs; where implicit steps turn out shorter in
// several looks in turn, the explicit method comes back, and their length is remembered, with a little more hope at
// every look. Operations are counted, never time, so that every machine and every run chooses alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "linalg/vector.hpp"
#include "method/combined/forwarding.hpp"

namespace vessiot::method {

inline constexpr double stiff_at_start = 20; // h rho of the first step, where nothing has been limited yet

template <class S> class Switching final : public Forwarding<S> {
public:
    // The implicit stepper is made when it is first needed; null where that fails.
    using Maker = std::function<std::unique_ptr<Stepper<S>>()>;
    Switching(const MethodInfo& explicit_method, const MethodInfo& implicit_method, Field<S>& field,
              std::unique_ptr<Stepper<S>> explicit_stepper, Maker make_implicit, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    int mode() const override { return (is_implicit_ ? 1 : 0) + (can_be_implicit_ ? 2 : 0) + (is_changing_ ? 4 : 0); }
    void begin_as(int mode, S tau, const S* x) override;
    void stop_at(S tau) override {
        costs_.tau_end = tau;
        Forwarding<S>::stop_at(tau);
    }
    StepReport<S> attempt(S h) override;
    void run_on(Stretch<S>& stretch) override;
    FusedAttempt* lend(Stretch<S>& stretch) override;
    void take_back(const Stretch<S>& stretch, const S* x, const S* v) override;
    void accept() override;
    int dense_degree() const override { return dense_degree_; }
    PointStatus dense(S* coefficients) override;
    std::span<const double> dense_places() const override { return {}; } // both see to their curves themselves
    const StepperCounts& counts() const override;
    void renew() override {
        explicit_->renew();
        if (implicit_) implicit_->renew();
        can_be_implicit_ = true;
        is_implicit_ = is_changing_ = false;
        inner_ = explicit_.get();
    }
    const MethodInfo* at_work() const override { return is_implicit_ ? &implicit_method_ : &explicit_method_; }
    S stiffness() const override { return stiffness_; }

private:
    using Forwarding<S>::inner_;

    bool makes_implicit();
    S needed() const;
    bool is_worth_it(S h);
    bool can_run_on() const { return !is_implicit_ && !is_changing_ && has_begun_; }
    void pass(int n, S h);
    void look(S h);
    void change();
    void power_steps(int n);
    bool take_implicit();
    void take_explicit();

    const MethodInfo &explicit_method_, &implicit_method_;
    Field<S>& field_;
    std::unique_ptr<Stepper<S>> explicit_, implicit_;
    Maker make_implicit_;
    S floor_; // atol / rtol
    struct {
        double explicit_step = 0; // operations; 0: not known
        S border = 0;             // h rho of explicit steps at the border of stability, with room
        S tau_end = 0;
        S reach = 0; // that implicit steps had where they were not worth it, 0 where they were not tried
    } costs_;
    std::int64_t n_;
    int dense_degree_;
    bool is_implicit_ = false, can_be_implicit_ = true, has_begun_ = false;
    bool is_decided_ = false;       // begun in a way that was given
    bool is_changing_ = false;      // before the next step; until then what the last one has is asked for
    int n_steps_ = 0, n_signs_ = 0; // steps since the last look; looks in turn that speak for a change
    S h_ = 0, rho_ = 0, stiffness_ = 0;
    linalg::Vector<S> v_, trial_, image_;
    mutable StepperCounts counts_;
};

} // namespace vessiot::method
