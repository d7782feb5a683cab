// Which generators of a component are needed near a point.
//
// A component of dimension d in n positions may need more than n - d generators (the twisted cubic needs three, though
// n - d = 2). Where it is smooth, n - d of them with independent derivatives describe it nearby; a run needs
// constraints that are independent.
#pragma once

#include <vector>

#include "decompose/answer.hpp"

namespace vessiot::decompose {

// Equations of a component, up to n - d: links of angles first, then generators of low degree and few terms, each
// independent of those before it at the point (values of all variables). Fewer: the point is a singular one.
std::vector<Polynomial> independent_equations(const Component& component, const PolynomialSystem& system,
                                              const std::vector<Quad>& values);

} // namespace vessiot::decompose
