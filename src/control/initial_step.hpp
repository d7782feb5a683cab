// The size of the first step. [HNW93, II.4]
//
//     h_0 = 0.01 |x| / |V(x)|             an Euler step of h_0 moves x by a hundredth of its size
//     d_2 = |V(x + h_0 V) - V(x)| / h_0   about the second derivative
//     h_1 = (0.01 / max(|V|, d_2))^(1 / (p + 1))
//     h   = min(100 h_0, h_1, h_max)
//
// in the norm that steps are controlled with, |v| = sqrt(1/n sum (v_i / (atol + rtol |x_i|))^2); p the order.
//
// Where x or V is (near to) zero, h_0 = 1e-6 h_max: the only scale there is (1e-6 where h_max is infinite, as in the
// book). Where V fails at the trial point h = 0.01 h_0.
//
// Costs one evaluation besides the direction at the start, which the first step needs as well. Known limit: h_1 depends
// on the unit of time; in a small unit it is too careful, and the first steps grow.
#pragma once

#include "manifold/field.hpp"
#include "method/stepper.hpp"

namespace vessiot {

template <class S> struct InitialStep {
    int order = 1;
    S rtol = S(1e-6), atol = S(1e-9);
    S h_max = 1; // > 0; may be infinite
    bool is_backward = false;
};

// Negative for backward runs, never 0. Takes memory.
template <class S> S initial_step(Stepper<S>& stepper, Field<S>& field, const InitialStep<S>& options);

} // namespace vessiot
