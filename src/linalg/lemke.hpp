// Linear complementarity: z >= 0 with w = W z + q >= 0 and w z = 0, by Lemke's method with the lexicographic rule,
// which does not cycle. [CPS09]
//
// An artificial variable z0 makes w = W z + q + z0 e >= 0; pivots along complementary bases lead to z0 = 0, or to a
// ray: then there is no solution if W is copositive plus, as those of contacts without friction are. Dense, for small
// n.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/quad.hpp"

namespace vessiot::linalg {

// W by rows. Nothing where the method ends in a ray.
template <class S> std::optional<std::vector<S>> solve_lcp(const std::vector<S>& W, const std::vector<S>& q);

extern template std::optional<std::vector<double>> solve_lcp(const std::vector<double>&, const std::vector<double>&);
extern template std::optional<std::vector<Quad>> solve_lcp(const std::vector<Quad>&, const std::vector<Quad>&);

} // namespace vessiot::linalg
