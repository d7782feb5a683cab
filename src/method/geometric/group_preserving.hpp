// Group preserving schemes: x' = f in a Minkowski frame. [Liu01; Liu06]
//
// With the length |x| as one more coordinate, X = (x, |x|) moves on a cone, X' = A X with A in so(n, 1):
//
//   A = (0       f/|x|)     X_1 = exp(h A) X_0,  A as at the start of the step:
//       (f^T/|x|    0 )
//
//   x_1 = x + eta f,   eta = h sinh(w)/w + (h/|x|)^2 (f.x) (cosh(w) - 1)/w^2,   w = h |f| / |x|      (22), (23)
//
// Order 1; where f.x = 0 and w is small it is Euler's step. With a partition of the coordinates
// (projection/partition.hpp) each set has a cone of its own. Coordinates in no set make a step of
// Euler's, and so do sets with w > 1, which have no direction that a step could keep.
//
// In gradients. The same for y = grad rho(x), y' = rho''(x) f, of a function rho that the flow keeps: x_1 is where
// grad rho = y_1, found by Newton's method (projection/gradient_map.hpp). (57)-(70)
//
// (16) is used as corrected, its bracket is [(a - 1) A.n + b |A|] A.
//
// The modified schemes MGPS and Hamiltonian MGPS are these with the projections `ray` and `gradient-ray`: only the
// direction of x_1, or of y_1, is used, and its length satisfies the constraint.
#pragma once

#include <memory>

#include "method/one_step.hpp"
#include "projection/ray/gradient_map.hpp"

namespace vessiot::method {

template <class S> class GroupPreserving final : public OneStep<S> {
public:
    GroupPreserving(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

private:
    bool advance(S h, StepReport<S>& report) override;

    std::shared_ptr<const Partition> partition_;
};

template <class S> class HamiltonianGroupPreserving final : public OneStep<S> {
public:
    // The system has one constraint.
    HamiltonianGroupPreserving(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options);

private:
    bool advance(S h, StepReport<S>& report) override;

    GradientMap<S> map_;
    linalg::Vector<S> y_, f_, rate_;
};

extern template class GroupPreserving<double>;
extern template class GroupPreserving<Quad>;
extern template class HamiltonianGroupPreserving<double>;
extern template class HamiltonianGroupPreserving<Quad>;

extern const Family group_preserving_family;

extern const Family hamiltonian_group_family;

} // namespace vessiot::method
