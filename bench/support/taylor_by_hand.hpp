// Taylor integrators written by hand for one problem each: recurrences inlined, the order fixed for the compiler, Jorba
// and Zou's step from the last two coefficients, no error check, no output, no projection. [JZ05]
#pragma once

#include <cstdint>
#include <vector>

namespace vessiot::bench {

struct HandSeries {
    std::vector<double> end; // positions, then velocities
    std::int64_t steps = 0;
};

// From the start points of the gallery to t; order is one of 8, 12, 16, 20, 24.
HandSeries kepler_series(int order, double t);
HandSeries top_series(int order, double t);
HandSeries henon_heiles_series(int order, double t);

} // namespace vessiot::bench
