// What implicit methods keep, and what they lose: the rigid body with the step 1 of Hairer's lecture notes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lang/model.hpp"
#include "solve/problem/solve.hpp"

namespace vessiot::implicit_test {
namespace {

// The energy and the length as outputs; only what is named is an invariant that projections keep.
System rigid_body(const std::string& invariants) {
    return lang::read_model(lang::Source("body.ves", "unknown y[3]\n"
                                                     "y[1]' = (3/2 - 1)*y[3]*y[2]\n"
                                                     "y[2]' = (1/1.6 - 3/2)*y[1]*y[3]\n"
                                                     "y[3]' = (1 - 1/1.6)*y[2]*y[1]\n"
                                                     "let square = y[1]^2 + y[2]^2 + y[3]^2\n"
                                                     "output H = (y[1]^2/1.6 + y[2]^2 + y[3]^2*3/2)/2\n"
                                                     "output length = sqrt(square)\n"
                                                     "start y[1] = cos(0.9), y[2] = 0, y[3] = sin(0.9)\n" +
                                                         invariants));
}

struct Drift {
    double energy = 0, length = 0; // the largest over all steps
    double last_length = 0;
};

Drift drift(const System& system, const std::string& method, double h, double to, const std::string& projection) {
    SolveOptions o{.method = method, .step = h, .to = to};
    o.projection = projection;
    const Solution s = solve_system(system, o);
    const std::vector<double> energy = s.column("H"), length = s.column("length");
    Drift result;
    for (std::size_t k = 0; k < energy.size(); ++k) {
        result.energy = std::max(result.energy, std::abs(energy[k] - energy[0]));
        result.length = std::max(result.length, std::abs(length[k] - 1));
    }
    result.last_length = length.back() - 1;
    return result;
}

// Quadratic invariants are kept by Gauss methods; what remains are roundings of 1000 steps.
TEST(ImplicitMethods, OfGaussKeepQuadraticInvariantsToTheLastDigits) {
    const System body = rigid_body("");
    const Drift midpoint = drift(body, "implicit_midpoint", 1, 1000, "none");
    EXPECT_LT(midpoint.energy, 4e-15);
    EXPECT_LT(midpoint.length, 4e-15);
    for (const std::string method : {"gauss4", "gauss6", "gauss8"}) {
        const Drift d = drift(body, method, 1, 200, "none");
        EXPECT_LT(d.energy, 4e-15) << method;
        EXPECT_LT(d.length, 4e-15) << method;
    }
}

// [problems/liu-hairer, H1]: conjugate to the midpoint rule, so that it stays bounded without projection; with
// projection onto the sphere the energy drifts.
TEST(ImplicitMethods, TrapezoidalRuleStaysBoundedAloneAndDriftsWithProjection) {
    const Drift alone = drift(rigid_body(""), "trapezoidal", 1, 1000, "none");
    EXPECT_NEAR(alone.length, 1.53e-2, 1e-4);
    EXPECT_NEAR(alone.energy, 1.81e-2, 1e-4);
    const System on_sphere = rigid_body("invariant y[1]^2 + y[2]^2 + y[3]^2\n");
    const Drift projected = drift(on_sphere, "trapezoidal", 1, 1000, "newton");
    EXPECT_LT(projected.length, 4e-15);
    EXPECT_NEAR(projected.energy, 8.1e-4, 0.1e-4);
    EXPECT_NEAR(drift(on_sphere, "trapezoidal", 1, 100, "newton").energy, 2.8e-4, 0.1e-4);
}

TEST(ExplicitEuler, GainsLengthAsListed) {
    const System body = rigid_body("");
    EXPECT_NEAR(drift(body, "euler", 0.025, 10, "none").last_length, 1.48855e-2, 1e-7);
    EXPECT_NEAR(drift(body, "euler", 0.025, 40, "none").last_length, 6.04105e-2, 1e-7);
    EXPECT_NEAR(drift(body, "euler", 0.025, 200, "none").last_length, 4.38546e-1, 1e-6);
}

} // namespace
} // namespace vessiot::implicit_test
