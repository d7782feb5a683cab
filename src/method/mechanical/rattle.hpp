// RATTLE and SHAKE, and symmetric compositions of the former. [Hairer, lecture notes 2011, V.5; HLW06, VII.1.4]
//
// RATTLE, in the notation of mechanical_system.hpp:
//
//     y_h = y_0 + h/2 (f(q_0, y_h) + Y(q_0) lambda)            lambda so that g(q_1) = 0
//     q_1 = q_0 + h/2 (v(q_0, y_h) + v(q_1, y_h))
//     y_1 = y_h + h/2 (f(q_1, y_h) + Y(q_1) mu)                mu so that G v + g_t = 0 at (q_1, y_1)
//
// Symmetric, of order 2, and symplectic where y are momenta (a hamiltonian or lagrangian) or masses are constant and
// forces have a potential. Without constraints it is the method of Stormer and Verlet. Where forces do not depend on y,
// nor velocities on q, only the multipliers are implicit.
//
// SHAKE has the same positions. Its velocities come from the multipliers of the next step,
//
//     y_1 = y_h + h/2 (f(q_1) + Y(q_1) lambda_1)               lambda_1 so that g(q_2) = 0
//
// and miss the hidden constraint by O(h^2). With a projection they are brought onto it, y_1 + Y(q_1) mu: the velocities
// of RATTLE, and the same positions in the next step, whose multipliers take mu back.
//
// Cost of a step (of each part of a composition): one evaluation of forces, one factorisation, and some solves.
#pragma once

#include <vector>

#include "method/mechanical/mechanical_stepper.hpp"

namespace vessiot::method {

template <class S> class Rattle final : public MechanicalStepper<S> {
public:
    Rattle(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

private:
    using Point = MechanicalPoint<S>;
    bool advance(S h, StepReport<S>& report) override;
    bool part(Point& from, Point& to, S h, StepReport<S>& report);

    std::vector<S> parts_; // of a step
    linalg::Vector<S> y_0_;
};

template <class S> class Shake final : public MechanicalStepper<S> {
public:
    // Throws InvalidInput where forces depend on velocities, or velocities on positions.
    Shake(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

private:
    using Point = MechanicalPoint<S>;
    bool advance(S h, StepReport<S>& report) override;

    linalg::Vector<S> y_0_;
};

extern template class Rattle<double>;
extern template class Rattle<Quad>;
extern template class Shake<double>;
extern template class Shake<Quad>;

extern const Family rattle_family;

extern const Family shake_family;

} // namespace vessiot::method
