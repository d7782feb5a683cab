// The method `dae_radau`: Radau IIA for the equations as they stand (direct_rk.hpp), of orders 1, 3, 5 and, if asked
// for, 9, which is chosen on the way. [HW99, section 4]
//
// High orders need few steps where the iteration for their stages converges fast. With psi its rate of convergence in
// the last step and q the ratio of the next step to the last one:
//
//     psi <= 0.002 and 0.8 <= q <= 1.2, and the order has not changed for ten steps     the next higher order
//     psi >= 0.8, or the iteration failed                                               the next lower order
//
// All orders share the system and its Jacobian; the polynomial of the last step, whatever its order, predicts the
// stages of the next. With constant steps the order is the highest all the time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "method/combined/forwarding.hpp"
#include "method/dae/direct_rk.hpp"

namespace vessiot::method {

template <class S> class RadauOrders final : public Forwarding<S> {
public:
    RadauOrders(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    void begin_as(int /*mode*/, S tau, const S* x) override { begin(tau, x); }
    StepReport<S> attempt(S h) override;
    void accept() override;
    int dense_degree() const override { return dense_degree_; }
    PointStatus dense(S* coefficients) override;
    const StepperCounts& counts() const override;
    void renew() override {
        for (Order& l : orders_)
            if (l.stepper) l.stepper->renew();
        steps_by_order_ = {};
    }
    const MethodInfo* at_work() const override { return orders_[at_].info; }
    std::span<const std::int64_t> steps_by_order() const override { return steps_by_order_; }

private:
    struct Order {
        const MethodInfo* info;
        std::unique_ptr<DirectRk<S>> stepper; // made when it is first needed
    };
    DirectRk<S>& current() const { return *orders_[at_].stepper; }
    DirectRk<S>& make(std::size_t place);
    std::size_t next_order(S h) const;
    void take(std::size_t place); // it is at work now

    Field<S>& field_;
    StepperOptions<S> options_;
    std::shared_ptr<DirectSystem<S>> system_;
    std::vector<Order> orders_;
    std::size_t at_ = 0, first_ = 0;
    std::int64_t n_, n_since_ = 0; // steps since the order changed
    int dense_degree_;
    bool is_accepted_ = false, has_failed_ = false;
    S h_ = 0;
    std::array<std::int64_t, 10> steps_by_order_{};
    mutable StepperCounts counts_;
};

extern const Family radau_orders_family;

} // namespace vessiot::method
