// The error of a step of any method, by a second computation with steps of half the size. [HNW93, II.4]
//
// With Phi_h the step of a method of order q, its projections included:
//
//     w = Phi_h(x)                      one step
//     m = Phi_{h/2}(x)                  the middle
//     p = Phi_{h/2}(m)                  two steps: the point that goes on
//     e = (p - w) / (2^q - 1)           the error of p, up to O(h^(q + 2))
//
// in a norm of error_norm.hpp; it falls as h^(q + 1). For Euler's method, where 2^q - 1 = 1, this is the rule of
// [Tuomela, Arponen, Normi]: one step against two halves, three projections. Tuomela and Arponen's rule for rk4, "two
// steps h against one of 2h", is the same with other names: their h is h/2 here, and a step here is a pair of theirs.
// p is not extrapolated to p + e, which would not be a point of the manifold.
//
// Where errors may grow unseen by it, there is a second one (growth.hpp).
//
// Between the points: the polynomial of degree 5 that has the points x, m, p and the directions there,
//
//     x(theta) = x + theta v_0 + theta^2 (23 a +  7 b -  6 v_0 -  8 v_m -   v_1)
//                              - theta^3 (66 a + 34 b - 13 v_0 - 32 v_m - 5 v_1)
//                              + theta^4 (68 a + 52 b - 12 v_0 - 40 v_m - 8 v_1)
//                              - theta^5 (24 a + 24 b -  4 v_0 - 16 v_m - 4 v_1)
//
// where a = m - x, b = p - m, and v_0, v_m, v_1 are h V at x, m and p; all are there anyway. Its order is min(q, 5).
//
// Two steppers of the method take turns: one is at x, for w and m, also after a rejected step; the other starts at m,
// and if p is accepted it is the one that is at x in the next step, so that V is evaluated once at each point. (Methods
// whose last stage is V(p) evaluate it twice at m, and at w.)
//
// Cost of a step: 3 S - 1 evaluations, S the stages of the method, and three times its projections. Takes no memory
// after the constructor.
#pragma once

#include <cstdint>
#include <memory>

#include "linalg/vector.hpp"
#include "method/combined/forwarding.hpp"
#include "method/estimate/error_norm.hpp"
#include "method/estimate/growth.hpp"

namespace vessiot::method {

template <class S> class Doubling final : public Forwarding<S> {
public:
    // Throws InvalidInput where options ask for an embedded point to go on.
    Doubling(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

    void begin(S tau, const S* x) override;
    void begin_as(int /*mode*/, S tau, const S* x) override { begin(tau, x); }
    StepReport<S> attempt(S h) override;
    const S* candidate() const override { return second_->candidate(); }
    void accept() override;
    int dense_degree() const override { return 5; }
    PointStatus dense(S* coefficients) override;
    std::span<const double> dense_places() const override { return places_; }
    const StepperCounts& counts() const override;
    void renew() override {
        first_->renew();
        second_->renew();
    }
    // Sizes, errors and orders of steps are those of the doubled one, not of its parts.
    S suggest(S h) override { return h; }
    S error_with_curve(S error) override { return error; }
    std::span<const std::int64_t> steps_by_order() const override { return {}; }
    const MethodInfo* at_work() const override { return nullptr; }

private:
    static constexpr double places_[] = {0, 0, 0.5, 0.5, 1, 1};

    using Forwarding<S>::inner_; // at the current point: first_, and second_ once p is accepted

    bool part(Stepper<S>& stepper, S h, StepReport<S>& report);
    void keep_middle();
    S error_estimate();
    S simpson_error();

    std::int64_t n_, n_padded_;
    ErrorNorm<S> norm_;
    S divisor_;                                  // 2^q - 1
    std::unique_ptr<Stepper<S>> first_, second_; // at x, and at m or, when the middle was kept, at p
    linalg::Vector<S> work_;                     // w, then p - w
    linalg::Vector<S> middle_;                   // V(m)
    SecondLook second_look_;
    S h_ = 0;
    bool has_candidate_ = false; // the last attempt reached p
    bool is_accepted_ = false;   // and it is the current point
    bool has_middle_ = false;    // V(m) was kept, and second_ is at p
    mutable StepperCounts counts_;
};

// The order of its dense output.
int dense_order_of_doubling(const MethodInfo& info);

} // namespace vessiot::method
