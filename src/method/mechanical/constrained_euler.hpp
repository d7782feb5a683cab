// The two methods of Euler for mechanical systems with constraints. [Hairer, lecture notes 2011, V.4 (4.4)-(4.5)]
//
// Symplectic, in the notation of mechanical_system.hpp:
//
//     y~  = y_0 + h (f(q_0, y~) + Y(q_0) lambda)          (4.4)     lambda so that g(q_1) = 0
//     q_1 = q_0 + h v(q_0, y~)
//     y_1 = y~ + h Y(q_1) mu                              (4.5)     mu so that G v + g_t = 0 at (q_1, y_1)
//
// Implicit: q_1 stands for q_0 and y~ for y_0 on the right of (4.4), in v too. It loses energy, and is here to be
// compared with.
//
// Both are of order 1. (4.5) is left out with --projection none: the hidden constraint is then missed by O(h).
//
// The implicit method is iterated with N of the start, along with its multipliers: for problems that are not stiff.
#pragma once

#include "method/mechanical/mechanical_stepper.hpp"

namespace vessiot::method {

extern const Family symplectic_euler_family, constrained_euler_family;

template <class S> class ConstrainedEuler final : public MechanicalStepper<S> {
public:
    ConstrainedEuler(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                     const StepperOptions<S>& options)
        : MechanicalStepper<S>(info, field, projection, options, 2),
          is_implicit_(info.family == &constrained_euler_family), y_0_(this->n_), q_0_(this->n_), before_(this->n_),
          b_(this->m_), guess_(this->m_) {}

private:
    using Point = MechanicalPoint<S>;
    bool advance(S h, StepReport<S>& report) override;
    bool solve_implicit(Point& from, Point& to, S h, StepReport<S>& report);

    bool is_implicit_;
    linalg::Vector<S> y_0_, q_0_, before_, b_, guess_;
};

extern template class ConstrainedEuler<double>;
extern template class ConstrainedEuler<Quad>;

} // namespace vessiot::method
