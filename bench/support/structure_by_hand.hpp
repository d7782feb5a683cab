// Programs for one problem each, written by hand for speed: what the methods of mechanics and Lie groups are compared
// with. Both return the time of the steps alone, in seconds of the processor.
#pragma once

#include <cstdint>
#include <vector>

namespace vessiot::bench {

// Time of the processor spent in this thread: what else runs on the machine does not count.
double thread_seconds();

// RATTLE for the hanging chain (gallery/hanging_chain.ves): x[1..n], then y[1..n] at the end. Positions are iterated
// to the same tolerance with the same matrix, from the multipliers of the velocities before.
double rattle_by_hand(std::int64_t n, double h, std::int64_t steps, std::vector<double>& end);

// magnus4 for Y' = skew(cos t, sin t, 1/2) Y, Y(0) = 1, with the formula of Rodrigues: Y by rows at the end.
double magnus_by_hand(double h, std::int64_t steps, std::vector<double>& end);

} // namespace vessiot::bench
