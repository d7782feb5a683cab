// The links of a chain by hand, the peer of the family loop: compiled at -O3 -march=native.
#pragma once

#include <cstdint>

namespace vessiot::bench {

// f_i = (|q_i - q_{i+1}|^2 - 1)/2, its four derivatives and the six second derivatives times mu_i for each of the n - 1
// links; z = (x_1 .. x_n, y_1 .. y_n), derivatives one after the other, each for all links.
void links_by_hand(std::int64_t n, const double* z, const double* mu, double* f, double* df, double* d2f);

} // namespace vessiot::bench
