// Constraints that say nothing new, and vanish on the way; and implicit equations past the places where they determine
// their highest derivative badly: every way to project stays on the curve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/completion.hpp"

namespace vessiot {
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

} // namespace
} // namespace vessiot
