// Constraints that depend on others at a point: where the rank of df is smaller than the number of its rows.
#pragma once

#include <string>

#include "manifold/manifold.hpp"

namespace vessiot {

// "(rank 5 of 6): x^2 + y^2 = 1 depends on the others"; empty where all are independent, where df has no finite
// value, and in large systems, where the dense factorisation would take long. For messages; takes memory.
template <class S> std::string dependent_constraints(Manifold<S>& manifold, S t, const S* u);

extern template std::string dependent_constraints(Manifold<double>&, double, const double*);
extern template std::string dependent_constraints(Manifold<Quad>&, Quad, const Quad*);

} // namespace vessiot
