// A rigid body in quaternions, whose kinetic energy leaves the velocity along q out, against Euler's equations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "vessiot/model.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::quaternions_test {
namespace {

const std::string body = R"(parameter J1 = 1, J2 = 2, J3 = 3.5
unknown q[4]
let w1 = 2*(q[1]*q[2]' - q[2]*q[1]' - q[3]*q[4]' + q[4]*q[3]')
let w2 = 2*(q[1]*q[3]' - q[3]*q[1]' - q[4]*q[2]' + q[2]*q[4]')
let w3 = 2*(q[1]*q[4]' - q[4]*q[1]' - q[2]*q[3]' + q[3]*q[2]')
lagrangian (J1*w1^2 + J2*w2^2 + J3*w3^2)/2
constraint q[1]^2 + q[2]^2 + q[3]^2 + q[4]^2 = 1
start q[1] = 1, q[2] = 0, q[3] = 0, q[4] = 0, q[1]' = 0, q[2]' = 0.1, q[3]' = 0.5, q[4]' = 0.05
solve t = 0 .. 10
output E = (J1*w1^2 + J2*w2^2 + J3*w3^2)/2
)";

const std::string euler = R"(parameter J1 = 1, J2 = 2, J3 = 3.5
unknown q[4], w1, w2, w3
J1*w1' = (J2 - J3)*w2*w3
J2*w2' = (J3 - J1)*w3*w1
J3*w3' = (J1 - J2)*w1*w2
q[1]' = -(q[2]*w1 + q[3]*w2 + q[4]*w3)/2
q[2]' = (q[1]*w1 + q[3]*w3 - q[4]*w2)/2
q[3]' = (q[1]*w2 + q[4]*w1 - q[2]*w3)/2
q[4]' = (q[1]*w3 + q[2]*w2 - q[3]*w1)/2
start q[1] = 1, q[2] = 0, q[3] = 0, q[4] = 0, w1 = 0.2, w2 = 1, w3 = 0.1
solve t = 0 .. 10
)";

Solution solved(const std::string& text, const std::string& method, double step = 0, double to = 10) {
    SolveOptions o;
    o.method = method;
    o.step = step;
    o.to = to;
    o.rtol = 1e-12;
    o.atol = 1e-13;
    o.dense = false;
    Solution s = solve(Model::parse(text), o);
    EXPECT_EQ(s.status, Status::success) << s.message;
    return s;
}

double error(const Solution& s, const Solution& exact) {
    double worst = 0;
    for (const std::string name : {"q[1]", "q[2]", "q[3]", "q[4]"})
        worst = std::max(worst, std::fabs(s.column(name).back() - exact.column(name).back()));
    return worst;
}

TEST(Quaternions, AnyMethodMovesAsEulersEquations) {
    const Solution exact = solved(euler, "dop853");
    for (const std::string method : {"dop853", "dopri54", "radau9", "taylor"})
        EXPECT_LT(error(solved(body, method), exact), 1e-8) << method;
}

TEST(Quaternions, MechanicalMethodsHaveTheirOrder) {
    const Solution exact = solved(euler, "dop853");
    for (const auto& [method, order] : {std::pair{"rattle", 2}, {"lobatto3ab", 4}}) {
        const double coarse = error(solved(body, method, 0.05), exact),
                     fine = error(solved(body, method, 0.025), exact);
        EXPECT_LT(fine, 2e-3) << method;
        EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << method << ' ' << coarse << ' ' << fine;
    }
}

// Corrections of the positions fall by turns fast and slowly: it is no end where one of them is not.
TEST(Quaternions, CompositionsAreIteratedToRoundOff) {
    const Solution exact = solved(euler, "dop853");
    for (const std::string method : {"rattle4", "rattle6"})
        for (const double h : {0.025, 0.0125})
            EXPECT_LT(error(solved(body, method, h), exact), 3e-9) << method << " with steps of " << h;
}

TEST(Quaternions, EnergyDoesNotDrift) {
    for (const std::string method : {"rattle", "lobatto3ab"}) {
        const std::vector<double> e = solved(body, method, 0.05, 1000).column("E");
        const auto spread = [&](std::size_t from, std::size_t n) {
            double worst = 0;
            for (std::size_t k = from; k < from + n; ++k) worst = std::max(worst, std::fabs(e[k] - e[0]));
            return worst;
        };
        const std::size_t n = e.size() / 10;
        EXPECT_LT(spread(e.size() - n, n), 1.5 * spread(0, n) + 1e-12) << method;
        EXPECT_LT(spread(0, e.size()), 1e-2) << method;
    }
}

TEST(Quaternions, FamiliesOfBodies) {
    const std::string text = R"(parameter n = 3
unknown q[n,4]
let w1[i = 1..n] = 2*(q[i,1]*q[i,2]' - q[i,2]*q[i,1]' - q[i,3]*q[i,4]' + q[i,4]*q[i,3]')
let w2[i = 1..n] = 2*(q[i,1]*q[i,3]' - q[i,3]*q[i,1]' - q[i,4]*q[i,2]' + q[i,2]*q[i,4]')
let w3[i = 1..n] = 2*(q[i,1]*q[i,4]' - q[i,4]*q[i,1]' - q[i,2]*q[i,3]' + q[i,3]*q[i,2]')
lagrangian sum(i = 1..n, (w1[i]^2 + 2*w2[i]^2 + 3.5*w3[i]^2)/2)
for i = 1..n: constraint q[i,1]^2 + q[i,2]^2 + q[i,3]^2 + q[i,4]^2 = 1
for i = 1..n:
    start q[i,1] = 1, q[i,2] = 0, q[i,3] = 0, q[i,4] = 0, q[i,1]' = 0, q[i,2]' = 0.1, q[i,3]' = 0.5, q[i,4]' = 0.05
solve t = 0 .. 10
)";
    const Solution one = solved(body, "rattle", 0.02), all = solved(text, "rattle", 0.02);
    EXPECT_NEAR(all.column("q[3,2]").back(), one.column("q[2]").back(), 1e-3);
    EXPECT_NEAR(solved(text, "dop853").column("q[2,4]").back(), solved(euler, "dop853").column("q[4]").back(), 1e-8);
}

} // namespace
} // namespace vessiot::quaternions_test
