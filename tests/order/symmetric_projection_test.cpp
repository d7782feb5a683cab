// Symmetric projection: orders, constraints, and that symmetric methods stay symmetric.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::symmetric_projection_test {
namespace {

const std::string body = "unknown y[3]\ny[1]' = y[3]*y[2]/2\ny[2]' = -7/8*y[1]*y[3]\ny[3]' = 3/8*y[2]*y[1]\n"
                         "invariant (y[1]^2 + y[2]^2 + y[3]^2)/2\n"
                         "start y[1] = cos(0.9), y[2] = 0, y[3] = sin(0.9)\n";
const std::string errors = "output e1 = y[1] - (-0.3382586675520020697048826)\n"
                           "output e2 = y[2] - (-0.6899022005610295742072344)\n"
                           "output e3 = y[3] - 0.6400125213517256388772516\n";

System model(const std::string& text) {
    return lang::read_model(lang::Source("body.ves", text));
}

double error_with(const std::string& method, int n, const std::string& precision) {
    SolveOptions o{.method = method, .step = 5.0 / n, .from = 0.0, .to = 5.0, .at = {5.0}};
    o.project = "symmetric";
    o.precision = precision;
    o.backend = "interpreter";
    o.dense = false;
    const Solution s = solve_system(model(body + errors), o);
    EXPECT_LT(s.invariant_drift_max, 1e-14);
    double sum = 0;
    for (const double e : s.output_numbers) sum += e * e;
    return std::sqrt(sum);
}

TEST(SymmetricProjection, KeepsTheOrderOfTheMethod) {
    struct Row {
        std::string method;
        int order, n;
    };
    for (const Row& r : {Row{"euler", 1, 320}, Row{"rk2", 2, 160}, Row{"rk4", 4, 160}, Row{"dopri54", 5, 80}}) {
        const std::string precision = r.order > 4 ? "quad" : "double";
        const double slope = std::log2(error_with(r.method, r.n, precision) / error_with(r.method, 2 * r.n, precision));
        EXPECT_NEAR(slope, r.order, 0.15) << r.method;
    }
}

TEST(SymmetricProjection, WorksWithStepControlAndEvents) {
    const System pendulum = test::gallery_system("pendulum");
    SolveOptions o{.method = "dopri54", .rtol = 1e-8, .at = {10.0}};
    o.project = "symmetric";
    const Solution s = solve_system(pendulum, o);
    EXPECT_LT(s.constraint_residual_max, 1e-13);
    EXPECT_NEAR(s.numbers[0], 0.275087068, 1e-5);
    EXPECT_GT(s.stats.rejected, 0);
}

TEST(SymmetricProjection, LeavesSymmetricMethodsSymmetric) {
    SolveOptions o{.method = "implicit_midpoint", .step = 0.2, .from = 0.0, .to = 4.0};
    o.project = "symmetric";
    const Solution there = solve_system(model(body), o);
    SolveOptions back = o;
    back.from = 4.0;
    back.to = 0.0;
    for (std::size_t k = 0; k < 3; ++k) back.start.emplace_back(there.names[k], there.row(there.t.size() - 1)[k]);
    const Solution s = solve_system(model(body), back);
    EXPECT_NEAR(s.row(s.t.size() - 1)[0], std::cos(0.9), 1e-11);
    EXPECT_NEAR(s.row(s.t.size() - 1)[2], std::sin(0.9), 1e-11);
}

// Terms that get a thousand times smaller within a step, past a close encounter: what counts is their size at its end.
TEST(SymmetricProjection, EndsOnConstraintsWhoseTermsChangeTheirSize) {
    SolveOptions o;
    o.project = "symmetric";
    o.formulation = "general";
    const Solution s = solve_system(test::gallery_system("arenstorf"), o);
    EXPECT_EQ(s.status, Status::success);
    EXPECT_LT(s.constraint_residual_max, 1e-9); // was 2e-7
}

TEST(SymmetricProjection, RefusesMethodsThatNeedNone) {
    SolveOptions o{.method = "rattle", .step = 0.01};
    o.project = "symmetric";
    EXPECT_THROW(solve_system(test::gallery_system("pendulum"), o), InvalidInput);
}

} // namespace
} // namespace vessiot::symmetric_projection_test
