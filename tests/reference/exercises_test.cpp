// Exercises of Hairer's notes whose answers are numbers. Those that are proofs are left out (docs/coverage.tsv).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/solved.hpp"
#include "vessiot/functions.hpp"

namespace vessiot::exercises_test {
namespace {

using test::last;
using test::solved;

double first(const Solution& s, const std::string& name) {
    return s.column(name).front();
}

std::string rigid_body(const std::string& moments, const std::string& start) {
    return "parameter " + moments +
           "\nunknown y[3]\ny[1]' = (1/I3 - 1/I2)*y[3]*y[2]\ny[2]' = (1/I1 - 1/I3)*y[1]*y[3]\n"
           "y[3]' = (1/I2 - 1/I1)*y[2]*y[1]\nstart " +
           start + "\nsolve t = 0 .. 100\n";
}

// I.4.1: rotations about the axes stay where they are; near the first and the third a motion stays near, near the
// second it leaves.
TEST(Exercises, StationarySolutionsOfTheRigidBody) {
    for (int axis = 1; axis <= 3; ++axis)
        for (const double off : {0.0, 1e-3}) {
            std::string start;
            for (int k = 1; k <= 3; ++k)
                start += (k > 1 ? ", y[" : "y[") + std::to_string(k) + "] = " + std::to_string(k == axis ? 1 : off);
            SolveOptions o = test::tight();
            o.every = 0.1;
            const Solution s = solved(rigid_body("I1 = 1.6, I2 = 1, I3 = 2/3", start), o);
            double farthest = 0;
            for (int k = 1; k <= 3; ++k)
                for (const double y : s.column("y[" + std::to_string(k) + "]"))
                    farthest = std::max(farthest, std::abs(y - (k == axis ? 1 : 0)));
            if (off == 0)
                EXPECT_EQ(farthest, 0) << axis;
            else if (axis == 2)
                EXPECT_GT(farthest, 1.9) << "it turns over";
            else
                EXPECT_LT(farthest, 5e-3) << axis;
        }
}

// I.4.2: with I1 = I2 the third component stays, and the other two turn with w = (1/I3 - 1/I2) y3.
TEST(Exercises, TheSymmetricalTopInClosedForm) {
    SolveOptions o = test::tight();
    o.every = 0.7;
    const Solution s = solved(rigid_body("I1 = 2, I2 = 2, I3 = 1", "y[1] = 0.3, y[2] = -0.4, y[3] = 0.8"), o);
    const double w = (1.0 - 0.5) * 0.8;
    for (std::size_t k = 0; k < s.t.size(); ++k) {
        const double c = std::cos(w * s.t[k]), d = std::sin(w * s.t[k]);
        EXPECT_NEAR(s.column("y[1]")[k], 0.3 * c - 0.4 * d, 1e-10);
        EXPECT_NEAR(s.column("y[2]")[k], -0.4 * c - 0.3 * d, 1e-10);
        EXPECT_EQ(s.column("y[3]")[k], 0.8);
    }
}

// (2.2) with n = 4 along a circle. The rows say what theta' is.
std::string robot_arm(const std::string& rows) {
    return "parameter n = 4\nunknown theta[n], mu1, mu2\n" + rows +
           "sum(i = 1..n, cos(theta[i])) = 1/2 + sqrt(2) + cos(t)/2\nsum(i = 1..n, sin(theta[i])) = 1 + sqrt(2)/2 - "
           "sqrt(2)/2 + sin(t)/2\n"
           "start theta[1] = pi/2, theta[2] = pi/4, theta[3] = 0, theta[4] = -pi/4\nsolve t = 0 .. 3\n";
}

constexpr const char* least_norm = "for i = 1..n: theta[i]' = -mu1*sin(theta[i]) + mu2*cos(theta[i])\n";

// I.4.4: equal angles stay equal.
TEST(Exercises, EqualAnglesOfTheRobotArmStayEqual) {
    std::string text = robot_arm(least_norm);
    text = text.substr(0, text.find("sum")) +
           "sum(i = 1..n, cos(theta[i])) = 1/2 + sqrt(2) + cos(t)/2\n"
           "sum(i = 1..n, sin(theta[i])) = 1 + sqrt(2) + sin(t)/2\n"
           "start theta[1] = pi/2, theta[2] = pi/4, theta[3] = pi/4, theta[4] = 0\nsolve t = 0 .. 3\n";
    const Solution s = solved(text, test::tight());
    ASSERT_EQ(s.status, Status::success) << s.message;
    for (std::size_t k = 0; k < s.t.size(); ++k) EXPECT_NEAR(s.column("theta[2]")[k], s.column("theta[3]")[k], 1e-11);
    EXPECT_GT(std::abs(last(s, "theta[2]") - first(s, "theta[2]")), 0.01); // and they move
}

// I.4.5: with K = D^T D for the differences D theta' of neighbours, K theta' = g'(theta)^T mu on g(theta) = gamma. No
// other velocity along the curve makes theta'^T K theta' smaller: what is feasible differs by a vector w with
// w^T K theta' = 0; the velocity of least norm is such a one.
TEST(Exercises, TheRobotArmThatBendsLeast) {
    const std::string rows = "2*theta[1]' - theta[2]' = -mu1*sin(theta[1]) + mu2*cos(theta[1])\n"
                             "for i = 2..n-1: 2*theta[i]' - theta[i-1]' - theta[i+1]' = -mu1*sin(theta[i]) + "
                             "mu2*cos(theta[i])\n"
                             "theta[n]' - theta[n-1]' = -mu1*sin(theta[n]) + mu2*cos(theta[n])\n";
    std::string text = robot_arm(rows);
    for (int i = 1; i <= 4; ++i) text += "output v" + std::to_string(i) + " = theta[" + std::to_string(i) + "]'\n";
    SolveOptions o = test::tight();
    o.every = 0.25;
    const Solution s = solved(text, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(s.system.index, 2);
    double saved = 0;
    for (std::size_t k = 0; k < s.t.size(); ++k) {
        double a[2][4], v[4], gamma[2] = {-std::sin(s.t[k]) / 2, std::cos(s.t[k]) / 2}, aa[3] = {0, 0, 0};
        for (int i = 0; i < 4; ++i) {
            const double theta = s.column("theta[" + std::to_string(i + 1) + "]")[k];
            v[i] = s.column("v" + std::to_string(i + 1))[k];
            a[0][i] = -std::sin(theta);
            a[1][i] = std::cos(theta);
            aa[0] += a[0][i] * a[0][i];
            aa[1] += a[0][i] * a[1][i];
            aa[2] += a[1][i] * a[1][i];
        }
        for (const auto& row : {0, 1}) { // the end of the arm follows the curve
            double sum = 0;
            for (int i = 0; i < 4; ++i) sum += a[row][i] * v[i];
            EXPECT_NEAR(sum, gamma[row], 1e-9);
        }
        // the velocity of least norm: A^T (A A^T)^-1 gamma
        const double det = aa[0] * aa[2] - aa[1] * aa[1];
        const double x = (aa[2] * gamma[0] - aa[1] * gamma[1]) / det, y = (aa[0] * gamma[1] - aa[1] * gamma[0]) / det;
        double w[4], cost = 0, other = 0, product = 0, v_before = 0, w_before = 0;
        for (int i = 0; i < 4; ++i) {
            w[i] = a[0][i] * x + a[1][i] * y - v[i];
            cost += (v[i] - v_before) * (v[i] - v_before);
            other += (v[i] + w[i] - v_before - w_before) * (v[i] + w[i] - v_before - w_before);
            product += (v[i] - v_before) * (w[i] - w_before);
            v_before = v[i];
            w_before = w[i];
        }
        EXPECT_NEAR(product, 0, 1e-9);
        EXPECT_GE(other, cost) << s.t[k];
        saved = std::max(saved, other - cost);
    }
    EXPECT_GT(saved, 1e-2); // it is another motion
}

// The rank by elimination with the largest pivot; the entries of (3.3) are whole numbers at both points.
int rank(std::vector<std::vector<double>> a) {
    int r = 0;
    for (std::size_t c = 0; c < a[0].size(); ++c) {
        std::size_t best = static_cast<std::size_t>(r);
        for (std::size_t i = best; i < a.size(); ++i)
            if (std::abs(a[i][c]) > std::abs(a[best][c])) best = i;
        if (best >= a.size() || std::abs(a[best][c]) < 1e-12) continue;
        std::swap(a[static_cast<std::size_t>(r)], a[best]);
        for (std::size_t i = static_cast<std::size_t>(r) + 1; i < a.size(); ++i) {
            const double f = a[i][c] / a[static_cast<std::size_t>(r)][c];
            for (std::size_t j = c; j < a[0].size(); ++j) a[i][j] -= f * a[static_cast<std::size_t>(r)][j];
        }
        if (++r == static_cast<int>(a.size())) break;
    }
    return r;
}

// I.4.7: at one of the two points g' is invertible, at the other it has the rank 17. The notes have a and b the other
// way round: b are corners of a cube, the ring that cannot move, and a lies on the curve of those that can.
TEST(Exercises, RanksOfTheRing) {
    Functions F(Model::parse("unknown q[6,3]\nfor j = 1..3: q[6,j] = 0\nfor i = 1..2, j = 1..3: q[i,j] = 0\n"
                             "for i = 2..5: sum(j = 1..3, (q[i+1,j] - q[i,j])^2) = 1\n"
                             "for i = 2..5: sum(j = 1..3, (q[i+1,j] - q[i,j])*(q[i,j] - q[i-1,j])) = 0\n"
                             "sum(j = 1..3, (q[1,j] - q[6,j])*(q[6,j] - q[5,j])) = 0\n"));
    const std::vector<double> a{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1},
        b{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1};
    const auto rank_at = [&](const std::vector<double>& q) {
        const std::vector<double> values = F.df(0, q);
        const SparsePattern& p = F.df_pattern();
        std::vector<std::vector<double>> rows(18, std::vector<double>(18));
        for (std::size_t c = 0; c < 18; ++c)
            for (auto k = p.column_start[c]; k < p.column_start[c + 1]; ++k)
                rows[static_cast<std::size_t>(p.row[static_cast<std::size_t>(k)])][c] +=
                    values[static_cast<std::size_t>(k)];
        return rank(rows);
    };
    EXPECT_EQ(rank_at(a), 17);
    EXPECT_EQ(rank_at(b), 18);
}

// III.6.2: the projection onto SL(2) is Y + mu Y^-T, where Y^-T is along the cofactors, which are the gradient of det.
TEST(Exercises, TheProjectionOntoMatricesOfOneVolume) {
    const Solution s = solved("matrix Y[2,2] in SL(2)\nY' = [[0.3, 1], [-2, -0.3]]*Y\nstart Y = [[2, 1], [1, 1]]\n"
                              "solve t = 0 .. 0.1\n",
                              {.method = "euler", .step = 0.1, .projection = "group"});
    const double a = 2 + 0.1 * (0.3 * 2 + 1), b = 1 + 0.1 * (0.3 * 1 + 1), c = 1 + 0.1 * (-2 * 2 - 0.3 * 1),
                 d = 1 + 0.1 * (-2 * 1 - 0.3 * 1); // Euler's step
    const double moved[] = {last(s, "Y[1,1]") - a, last(s, "Y[1,2]") - b, last(s, "Y[2,1]") - c, last(s, "Y[2,2]") - d},
                 cofactors[] = {d, -c, -b, a}, mu = moved[0] / d;
    EXPECT_GT(std::abs(mu), 1e-3);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(moved[k], mu * cofactors[k], 1e-14) << k;
    EXPECT_NEAR(last(s, "Y[1,1]") * last(s, "Y[2,2]") - last(s, "Y[1,2]") * last(s, "Y[2,1]"), 1, 1e-14);
}

// III.6.6: the Magnus methods of symmetric nodes are symmetric: a step back undoes a step.
TEST(Exercises, MagnusMethodsAreSymmetric) {
    const std::string equation = "matrix Y[3,3] in SO(3)\nY' = skew(cos(t), sin(t), 1/2)*Y\n";
    for (const char* method : {"magnus2", "magnus4", "magnus6"}) {
        const Solution there =
            solved(equation + "start Y = identity(3)\nsolve t = 0 .. 2\n", {.method = method, .step = 0.25, .at = {2}});
        std::string start;
        for (int i = 1; i <= 3; ++i)
            for (int j = 1; j <= 3; ++j) {
                const std::string name = "Y[" + std::to_string(i) + "," + std::to_string(j) + "]";
                char text[64];
                std::snprintf(text, sizeof text, "%.17g", last(there, name));
                start += (start.empty() ? "start " : ", ") + name + " = " + text;
            }
        const Solution back =
            solved(equation + start + "\nsolve t = 2 .. 0\n", {.method = method, .step = 0.25, .at = {0}});
        for (int i = 1; i <= 3; ++i)
            for (int j = 1; j <= 3; ++j)
                EXPECT_NEAR(last(back, "Y[" + std::to_string(i) + "," + std::to_string(j) + "]"), i == j, 1e-14)
                    << method;
    }
}

// IV.5.6: the integrals of g^T y and v^T f are the same, where v' = -A^T v - g ends in 0.
TEST(Exercises, TheAdjointProblemGivesTheSameIntegral) {
    const Solution s = solved("unknown y1, y2, v1, v2, p, q\n"
                              "y1' = t*y1 + y2 + sin(t)\ny2' = -2*y1 + t^2*y2 + 1\n"
                              "v1' = -t*v1 + 2*v2 - exp(t)\nv2' = -v1 - t^2*v2 - cos(3*t)\n"
                              "p' = exp(t)*y1 + cos(3*t)*y2\nq' = v1*sin(t) + v2\n"
                              "start y1 = 0, y2 = 0, p = 0, q = 0\nend v1 = 0, v2 = 0\nsolve t = 0 .. 1\n",
                              {.rtol = 1e-10, .atol = 1e-12});
    EXPECT_GT(last(s, "p"), 0.1);
    EXPECT_NEAR(last(s, "p"), last(s, "q"), 1e-9);
}

// IV.5.7: (5.4) has the index 1 where D is positive definite, and 3 where D = 0 and B^T C B is.
TEST(Exercises, TheIndexOfOptimalControl) {
    const auto index = [](const std::string& d) {
        return solved("unknown y1, y2, v1, v2, u\ny1' = y1 + y2 + u\ny2' = -y1 + 2*u + sin(t)\n"
                      "v1' = -v1 + v2 - 3*y1 - y2\nv2' = -v1 - y1 - 2*y2\n0 = v1 + 2*v2 + " +
                          d + "*u\nguess y1 = 0.1, y2 = 0.2, v1 = 0, v2 = 0\nsolve t = 0 .. 0.1\n",
                      {.method = "dop853", .rtol = 1e-9})
            .system.index;
    };
    EXPECT_EQ(index("0.7"), 1);
    EXPECT_EQ(index("0"), 3);
}

// V.6.1, V.6.3, V.6.4: (6.1) has the index 2 and (6.3) the index 3, whatever eta is; the implicit Euler method on (6.3)
// makes the steps of (6.2), which on (6.1) it is.
TEST(Exercises, TheProblemOfGearHsuAndPetzold) {
    for (const std::string eta : {"1", "0.5", "-0.3"}) {
        const std::string head = "parameter eta = " + eta + "\nunknown y, z", tail = "\nsolve t = 0 .. 1\n";
        const std::string two = head + "\ny + eta*t*z = sin(t)\ny' + eta*t*z' + (1 + eta)*z = cos(2*t)\nstart y = 0\n"
                                       "solve t = 0 .. 1\n",
                          three = head + ", u\ny' + (1 + eta)*z + eta*t*u = cos(2*t)\nz' = u\ny + eta*t*z = sin(t)\n"
                                         "start y = 0\nsolve t = 0 .. 1\n";
        EXPECT_EQ(solved(two, test::tight()).system.index, 2) << eta;
        EXPECT_EQ(solved(three, test::tight()).system.index, 3) << eta;
        const SolveOptions euler{.method = "dae_radau1", .step = 0.025, .at = {1}};
        EXPECT_NEAR(last(solved(two, euler), "z"), last(solved(three, euler), "z"), 1e-11) << eta;
    }
}

} // namespace
} // namespace vessiot::exercises_test
