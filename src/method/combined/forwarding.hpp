// A stepper before others: what it does not say itself is what the one at work says.
#pragma once

#include <cstdint>
#include <span>

#include "method/stepper.hpp"

namespace vessiot::method {

template <class S> class Forwarding : public Stepper<S> {
public:
    void begin(S tau, const S* x) override { inner_->begin(tau, x); }
    int mode() const override { return inner_->mode(); }
    void begin_as(int mode, S tau, const S* x) override { inner_->begin_as(mode, tau, x); }
    void renew() override { inner_->renew(); }
    const S* direction() override { return inner_->direction(); }
    PointStatus status() const override { return inner_->status(); }
    StepReport<S> attempt(S h) override { return inner_->attempt(h); }
    void stop_at(S tau) override { inner_->stop_at(tau); }
    S suggest(S h) override { return inner_->suggest(h); }
    const S* candidate() const override { return inner_->candidate(); }
    void accept() override { inner_->accept(); }
    S tau() const override { return inner_->tau(); }
    const S* point() const override { return inner_->point(); }
    int dense_degree() const override { return inner_->dense_degree(); }
    PointStatus dense(S* coefficients) override { return inner_->dense(coefficients); }
    std::span<const double> dense_places() const override { return inner_->dense_places(); }
    S error_with_curve(S error) override { return inner_->error_with_curve(error); }
    void scale_error(S h, S* e) const override { inner_->scale_error(h, e); }
    const StepperCounts& counts() const override { return inner_->counts(); }
    double operations() const override { return inner_->operations(); }
    std::span<const std::int64_t> steps_by_order() const override { return inner_->steps_by_order(); }
    const MethodInfo* at_work() const override { return inner_->at_work(); }
    S stiffness() const override { return inner_->stiffness(); }

protected:
    // The one at work, which whoever derives from it owns.
    explicit Forwarding(Stepper<S>* inner) : inner_(inner) {}

    Stepper<S>* inner_;
};

} // namespace vessiot::method
