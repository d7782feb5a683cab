// Kepler's problem, e = 0.6, over 1000 revolutions by power series of order 20 to 24: energy and angular momentum stay
// at round-off, and the planet comes back to where it was, with an error that round-off alone makes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::taylor_conserve_test {
namespace {

Solution kepler(const std::string& method, int order, double tolerance, const std::string& projection) {
    SolveOptions o{.method = method, .rtol = tolerance, .atol = tolerance, .to = 2000 * M_PI, .at = {2000 * M_PI}};
    o.order = order;
    o.projection = projection;
    o.dense = false;
    return solve_system(test::gallery_system("kepler"), o);
}

// x, x', y, y' against the start; x' and y grow with the error of the phase.
double error_of(const Solution& s) {
    const double start[] = {0.4, 0, 0, 2};
    double largest = 0;
    for (std::size_t i = 0; i < 4; ++i) largest = std::max(largest, std::abs(s.numbers[i] - start[i]));
    return largest;
}

TEST(TaylorConserves, EnergyAndMomentumOverAThousandRevolutions) {
    for (const int order : {20, 22, 24}) {
        const Solution s = kepler("taylor", order, 1e-16, "simplified");
        EXPECT_EQ(s.status, Status::success);
        EXPECT_LT(s.invariant_drift_max, 1e-13)
            << order;                          // some hundred units of round-off of 1/r = 2.5 at the pericentre
        EXPECT_LT(error_of(s), 5e-9) << order; // round-off of the energy, 1e-16, times 3 pi t
        EXPECT_LT(s.stats.rejected, s.stats.steps / 20) << order;
    }
}

// Without projection nothing but round-off drifts, either.
TEST(TaylorConserves, AlmostAsWellWithoutProjection) {
    const Solution s = kepler("taylor", 22, 1e-16, "none");
    EXPECT_EQ(s.status, Status::success);
    EXPECT_LT(s.invariant_drift_max, 1e-12);
}

} // namespace
} // namespace vessiot::taylor_conserve_test
