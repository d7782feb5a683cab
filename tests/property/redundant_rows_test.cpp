// Constraints that say nothing new, and vanish on the way; and implicit equations past the places where they determine
// their highest derivative badly: every way to project stays on the curve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/completion.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::redundant_rows_test {
namespace {

using test::solve_text;

struct Way {
    std::string method, project;
    double rtol;
};

const std::vector<Way> ways{{"radau5", "auto", 1e-6},
                            {"radau5", "auto", 1e-4},
                            {"dopri54", "stages", 1e-6},
                            {"dopri54", "stages", 1e-4},
                            {"dopri54", "steps", 1e-6}};

Solution run(const std::string& text, const Way& way) {
    SolveOptions options;
    options.method = way.method;
    options.project = way.project;
    options.rtol = way.rtol;
    options.atol = 1e-9;
    return solve_text(text, options);
}

// z = s(t) written in one way, and once more times x1 = cos(t), in both orders.
TEST(RedundantRows, ThatVanishOnTheWayMoveNothing) {
    for (const int w : {1, 4})
        for (const int a : {1, 10})
            for (const char* form : {"z = {0}", "z + z^3 = {0} + ({0})^3", "exp(z/10) = exp(({0})/10)"})
                for (const char* again : {"x1*z = x1*({0})", "x1*exp(z) = x1*exp({0})", "x1*z^2 = x1*({0})^2"}) {
                    const std::string s = fmt::format("{}*sin({}*t)", a, w);
                    std::string first = fmt::format(fmt::runtime(form), s),
                                second = fmt::format(fmt::runtime(again), s);
                    if (a == 10) std::swap(first, second);
                    const std::string text = fmt::format("unknown x1, x2, z\nx1' = -x2*cos(z - {})\nx2' = x1\n{}\n{}\n"
                                                         "start x1 = 1, x2 = 0\nguess z = 0\nsolve t = 0 .. 10\n",
                                                         s, first, second);
                    for (const Way& way : ways) {
                        SCOPED_TRACE(fmt::format("{}{} {} {}", text, way.method, way.project, way.rtol));
                        const Solution found = run(text, way);
                        const double off = std::max(std::fabs(found.column("x1").back() - std::cos(10)),
                                                    std::fabs(found.column("x2").back() - std::sin(10)));
                        EXPECT_LT(off, 100 * way.rtol);
                    }
                }
}

TEST(ImplicitEquations, GoOnPastTheirFolds) {
    for (const Way& way : ways) {
        SCOPED_TRACE(fmt::format("{} {} {}", way.method, way.project, way.rtol));
        const Solution found = run("unknown y\ny'^2 + y^2 = 1\nstart y = 0, y' = 1\nsolve t = 0 .. 5\n", way);
        EXPECT_NEAR(found.column("y").back(), std::sin(5), 20 * way.rtol);
    }
}

// A ring of six rods with a right angle at each corner: eighteen coordinates and eighteen conditions, one of which
// follows from the others in the flexible position. It moves as the ring of the gallery does, which leaves that one
// out and knows the corners that stay.
constexpr const char* whole_ring = R"(
unknown q1[3], q2[3], q3[3], q4[3], q5[3], q6[3]
lagrangian (dot(q1', q1') + dot(q2', q2') + dot(q3', q3') + dot(q4', q4') + dot(q5', q5') + dot(q6', q6'))/2
         - q1[3] - q2[3] - q3[3] - q4[3] - q5[3] - q6[3]
constraint (dot(q2 - q1, q2 - q1) - 1)/2 = 0
constraint (dot(q3 - q2, q3 - q2) - 1)/2 = 0
constraint (dot(q4 - q3, q4 - q3) - 1)/2 = 0
constraint (dot(q5 - q4, q5 - q4) - 1)/2 = 0
constraint (dot(q6 - q5, q6 - q5) - 1)/2 = 0
constraint (dot(q1 - q6, q1 - q6) - 1)/2 = 0
constraint dot(q2 - q1, q1 - q6) = 0
constraint dot(q3 - q2, q2 - q1) = 0
constraint dot(q4 - q3, q3 - q2) = 0
constraint dot(q5 - q4, q4 - q3) = 0
constraint dot(q6 - q5, q5 - q4) = 0
constraint dot(q1 - q6, q6 - q5) = 0
constraint q2[1] = 0
constraint q2[2] = 0
constraint q2[3] = 0
constraint q1[2] = 0
constraint q1[3] = 0
constraint q6[2] = 0
start q1 = [1,0,0], q2 = [0,0,0], q6 = [1,0,1]
start q3 = [0, 1, 0], q4 = [0, 1, 1], q5 = [0, 0, 1]
solve t = 0 .. 5
)";

TEST(RedundantRows, RingWithAllEighteenConditions) {
    const Solution all = solve_text(whole_ring, {.method = "dop853", .rtol = 1e-10, .atol = 1e-12, .at = {5}});
    const Solution reduced = solve(Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/six_piece_ring.ves"),
                                   {.method = "dop853", .rtol = 1e-10, .atol = 1e-12, .at = {5}});
    ASSERT_EQ(all.status, Status::success);
    EXPECT_EQ(all.system.degrees_of_freedom, 1);
    EXPECT_LT(all.constraint_residual_max, 1e-12);
    for (const std::string corner : {"q3", "q4", "q5"})
        for (const std::string i : {"[1]", "[2]", "[3]"})
            for (const std::string prime : {"", "'"})
                EXPECT_NEAR(all.column(corner + i + prime).back(), reduced.column(corner + i + prime).back(), 1e-7)
                    << corner << i << prime;
    for (const std::string corner : {"q1[1]", "q6[1]", "q6[3]"}) EXPECT_NEAR(all.column(corner).back(), 1, 1e-12);
}

} // namespace
} // namespace vessiot::redundant_rows_test
