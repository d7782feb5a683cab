// Events against what is known of them: closed forms, and runs in quadruple precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"
#include "vessiot/solution.hpp"

namespace vessiot::events_test {
namespace {

SolveOptions options_for(const System& system, double rtol, double atol) {
    SolveOptions o = model_options(system);
    o.method = "dop853";
    o.rtol = rtol;
    o.atol = atol;
    o.dense = false;
    o.throw_on_failure = false;
    return o;
}

// |a - b| by round-offs of t and by the error that the run itself has by then.
void expect_times(const std::vector<double>& found, const std::vector<double>& wanted, double tolerance) {
    ASSERT_EQ(found.size(), wanted.size());
    double worst = 0;
    for (std::size_t k = 0; k < found.size(); ++k) worst = std::max(worst, std::fabs(found[k] - wanted[k]));
    EXPECT_LT(worst, tolerance);
}

std::vector<double> times(const Solution& s) {
    std::vector<double> t;
    for (const EventPoint& e : s.events) t.push_back(e.t);
    return t;
}

// The section y1 = 0 has 343 crossings (345 in runs with errors of some tenths at the end).
TEST(EventsReference, SectionOfHenonAndHeiles) {
    const System system = test::gallery_system("henon_heiles");
    SolveOptions o = options_for(system, 1e-13, 1e-14);
    o.section = "section";
    const Solution s = solve_system(system, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    ASSERT_EQ(s.t.size(), 343U);
    for (const double y1 : s.column("y1")) EXPECT_LT(std::fabs(y1), 1e-13);
    o.precision = "quad";
    o.rtol = 1e-18;
    o.atol = 1e-19;
    const Solution exact = solve_system(system, o);
    ASSERT_EQ(exact.t.size(), 343U);
    for (std::size_t k = 0; k < s.t.size(); ++k) EXPECT_NEAR(s.t[k] / exact.t[k], 1, 1e-12) << k; // 12 digits
}

// A quarter of the period before the first impact, half of it between two.
TEST(EventsReference, AHundredImpactsOfAPendulum) {
    const System system = test::gallery_system("pendulum_wall");
    const Solution s = solve_system(system, options_for(system, 1e-13, 1e-14));
    ASSERT_EQ(s.status, Status::success) << s.message;
    const double quarter = std::comp_ellint_1(std::numbers::sqrt2 / 2) / std::sqrt(9.81);
    std::vector<double> wanted;
    for (int k = 0; k < 100; ++k) wanted.push_back((2 * k + 1) * quarter);
    expect_times(times(s), wanted, 1e-10);
    const double speed = std::sqrt(2 * 9.81);
    for (const EventPoint& e : s.events) {
        EXPECT_NEAR(e.values[1], -speed, 1e-10);
        EXPECT_NEAR(e.values_after[1], speed, 1e-10);
        EXPECT_NEAR(e.values_after[3], 0, 1e-12);
    }
    EXPECT_LT(s.constraint_residual_max, 1e-12);
}

// Chords of equal length: a quarter of a billiard is all there is to know.
TEST(EventsReference, AHundredImpactsInACircle) {
    const System system = test::gallery_system("circle_billiard");
    const Solution s = solve_system(system, options_for(system, 1e-13, 1e-14));
    ASSERT_EQ(s.status, Status::success) << s.message;
    const double momentum = 0.3 * 0.8, half = std::sqrt(1 - momentum * momentum); // half a chord
    std::vector<double> wanted;
    for (int k = 0; k < 100; ++k) wanted.push_back(-0.3 * 0.6 + (2 * k + 1) * half);
    expect_times(times(s), wanted, 1e-10);
    for (const double L : s.column("L")) EXPECT_NEAR(L, momentum, 1e-12);
    for (const EventPoint& e : s.events) EXPECT_NEAR(std::hypot(e.values[0], e.values[2]), 1, 1e-13); // x, x', y, y'
}

TEST(EventsReference, ABouncingBallComesToItsEnd) {
    const System system = test::gallery_system("bouncing_ball");
    SolveOptions o = options_for(system, 1e-10, 1e-12);
    o.to = 20.0;
    const Solution s = solve_system(system, o);
    EXPECT_EQ(s.status, Status::failed);
    const double fall = std::sqrt(2 / 9.81);
    double t = fall, flight = 2 * fall;
    std::vector<double> wanted;
    for (std::size_t k = 0; k < s.events.size(); ++k) {
        wanted.push_back(t);
        t += flight *= 0.9;
    }
    EXPECT_GT(s.events.size(), 100U);
    expect_times(times(s), wanted, 1e-9);
    EXPECT_NE(s.message.find("accumulate at t = 8.5789"), std::string::npos) << s.message;
}

} // namespace
} // namespace vessiot::events_test
