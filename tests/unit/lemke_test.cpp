// Linear complementarity by Lemke's method.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "linalg/lemke.hpp"

namespace vessiot::linalg::lemke_test {
namespace {

using Numbers = std::vector<double>;

void expect_solution(const Numbers& W, const Numbers& q, const Numbers& z, double tolerance) {
    const std::size_t n = q.size();
    for (std::size_t i = 0; i < n; ++i) {
        double w = q[i];
        for (std::size_t j = 0; j < n; ++j) w += W[i * n + j] * z[j];
        EXPECT_GE(z[i], 0);
        EXPECT_GE(w, -tolerance);
        EXPECT_NEAR(w * z[i], 0, tolerance);
    }
}

// A generator of our own: the same numbers everywhere.
struct Random {
    std::uint64_t state = 12345;
    double operator()() {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(state >> 11) / 4503599627370496.0 - 1;
    }
};

TEST(Lemke, NothingToDoWhereNothingIsNegative) {
    EXPECT_EQ(*solve_lcp<double>({1, 0, 0, 1}, {1, 0}), (Numbers{0, 0}));
    EXPECT_TRUE(solve_lcp<double>({}, {})->empty());
}

TEST(Lemke, OneVariable) {
    EXPECT_DOUBLE_EQ(solve_lcp<double>({2}, {-3})->at(0), 1.5);
}

TEST(Lemke, ThousandsOfRandomProblems) {
    Random random;
    for (int round = 0; round < 3000; ++round) {
        const std::size_t n = 1 + static_cast<std::size_t>(round % 12), m = 1 + static_cast<std::size_t>(round % 9);
        // W = G G^T: of rank m at most, as that of redundant contacts
        Numbers G(n * m), W(n * n, 0), q(n), x(n), s(n);
        for (double& g : G) g = random();
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t k = 0; k < m; ++k) W[i * n + j] += G[i * m + k] * G[j * m + k];
        // a problem that has a solution
        for (std::size_t i = 0; i < n; ++i) {
            const double a = random();
            x[i] = a > 0 ? a : 0;
            s[i] = a > 0 ? 0 : -a;
        }
        for (std::size_t i = 0; i < n; ++i) {
            q[i] = s[i];
            for (std::size_t j = 0; j < n; ++j) q[i] -= W[i * n + j] * x[j];
        }
        const auto z = solve_lcp(W, q);
        ASSERT_TRUE(z) << round;
        expect_solution(W, q, *z, 1e-7);
    }
}

// Rows that say the same with both signs have one value only, which round-off misses: a ray, but for that.
TEST(Lemke, RowsThatFollowFromOthers) {
    for (const double size : {1e-9, 1.0, 1e9}) {
        const Numbers G{0.1, -0.3, 0.7, -0.9, 0.2};
        Numbers W(25), q(5);
        for (std::size_t i = 0; i < 5; ++i) {
            for (std::size_t j = 0; j < 5; ++j) W[i * 5 + j] = size * G[i] * G[j];
            q[i] = -G[i] * (0.1 * size / 3) * (1 + 1e-16 * static_cast<double>(i));
        }
        const auto z = solve_lcp(W, q);
        ASSERT_TRUE(z) << size;
        expect_solution(W, q, *z, 1e-14 * size);
        q[1] *= 0.999; // now they contradict each other
        EXPECT_FALSE(solve_lcp(W, q)) << size;
    }
}

TEST(Lemke, ARayWhereThereIsNoSolution) {
    // w = -z - 1: never both >= 0
    EXPECT_FALSE(solve_lcp<double>({-1}, {-1}));
    EXPECT_FALSE(solve_lcp<double>({0, 0, 0, 0}, {-1, 0}));
}

TEST(Lemke, QuadruplePrecision) {
    const auto z = solve_lcp<Quad>({Quad(3)}, {Quad(-1)});
    EXPECT_LT(std::abs(static_cast<double>((*z)[0] * Quad(3) - Quad(1))), 1e-33);
}

} // namespace
} // namespace vessiot::linalg::lemke_test
