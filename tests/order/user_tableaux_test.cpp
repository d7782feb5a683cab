// The order that is found of a user's tableau is that of its errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/solved.hpp"
#include "support/user_tableaux.hpp"

namespace vessiot::user_tableaux_test {
namespace {

using test::solved;
using namespace test::user_tableaux;

// Slopes through solve, with constant steps; with projection the pendulum (index 3), of steps and of stages.
double error(const std::string& model, const std::string& method, int n, const std::string& projection,
             const std::string& project, double length, const Solution& exact) {
    SolveOptions o;
    o.method = method;
    o.step = length / n;
    if (!projection.empty()) o.projection = projection;
    if (!project.empty()) o.project = project;
    const Solution s = solved(model, o);
    double worst = 0;
    for (const std::string& name : s.names)
        if (name != "lambda") worst = std::max(worst, std::abs(test::last(s, name) - test::last(exact, name)));
    return worst;
}

void expect_order(const ButcherTableau& t, int order) {
    add_tableau(t);
    const Solution free = solved(oscillator, test::tight()), bound = solved(pendulum, test::tight());
    const auto slope = [&](const char* model, const Solution& exact, double length, const std::string& projection,
                           const std::string& project) {
        const int n = order > 3 ? 20 : 80;
        return std::log2(error(model, t.name, n, projection, project, length, exact) /
                         error(model, t.name, 2 * n, projection, project, length, exact));
    };
    EXPECT_NEAR(slope(oscillator, free, 3, "", ""), order, 0.25) << t.name;
    EXPECT_NEAR(slope(pendulum, bound, 1, "none", ""), order, 0.4) << t.name << ", not projected";
    for (const char* project : {"steps", "stages"})
        for (const char* projection : {"simplified", "newton"})
            EXPECT_NEAR(slope(pendulum, bound, 1, projection, project), order, 0.4)
                << t.name << ", " << projection << ", " << project;
}

// The implicit methods that Tuomela and Arponen print in 4.2: one stage (proposition 4.4), RADAU I, LOBATTO IIIA.
TEST(UserTableaux, PrintedImplicitMethodsKeepTheirOrderWithProjectedStages) {
    expect_order({.name = "user_midpoint_rule", .a = {{"1/2"}}, .b = {1}}, 2);
    expect_order({.name = "user_radau_1", .a = {{0, 0}, {"1/3", "1/3"}}, .b = {"1/4", "3/4"}}, 3);
    expect_order({.name = "user_lobatto3a",
                  .a = {{0, 0, 0}, {"5/24", "1/3", "-1/24"}, {"1/6", "2/3", "1/6"}},
                  .b = {"1/6", "2/3", "1/6"}},
                 4);
}

TEST(UserTableaux, ConvergeWithTheirOrderWithoutAndWithProjection) {
    expect_order(heun_euler(), 2);
    expect_order(norsett(), 3);
    expect_order(tr_bdf2(), 2);
    expect_order(gauss(), 4);
    expect_order(lobatto3b(), 4);
}

} // namespace
} // namespace vessiot::user_tableaux_test
