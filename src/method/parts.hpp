// What a method may ask for beside a field and a projection: the system itself, ready for numbers.
#pragma once

#include "distribution/curve_field.hpp"
#include "distribution/distribution.hpp"
#include "manifold/jets.hpp"
#include "manifold/manifold.hpp"
#include "system/system.hpp"

namespace vessiot {

template <class S> struct Parts {
    const System& system;
    const Prolongation& prolongation;
    Jets<S>& jets;
    Manifold<S>& manifold;
    Distribution<S>& distribution;
    expr::EvaluatorOptions evaluator;
    bool is_arclength = false;
    bool is_mechanical = false; // masses and multipliers as in mechanics: eliminated without pivoting
    SampledTime *distribution_time = nullptr, *projection_time = nullptr; // for those that do both by themselves
    Parts* base = nullptr; // with derivatives of the solution (sensitivity/): those of the system itself, block 0
};

} // namespace vessiot
