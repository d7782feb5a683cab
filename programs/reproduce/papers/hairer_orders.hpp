// Chapter V of Hairer's notes: orders of methods on differential-algebraic equations as they stand, measured beside
// those that its theorems give.
#pragma once

#include <vector>

#include "reproduce/paper.hpp"

namespace vessiot::reproduce::hairer_notes {

Table index_orders();
// Exercise V.6.2: the implicit Euler method and the parameter eta.
Table eta_orders();
std::vector<Claim> eta_claims();
// Exercise V.6.5: a start off the manifold.
std::vector<Claim> off_manifold_claims();

} // namespace vessiot::reproduce::hairer_notes
