// Equations that follow from the others change nothing: gallery problems with their hidden constraints, derivatives and
// what else holds along the solution written out, every subset of it, in any order. Each is solved to the same end, or
// refused in the words of the program; none crashes.
//
// VESSIOT_ALL_CONSEQUENCES=1: every subset in 24 orders, not in three.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/completion.hpp"

namespace vessiot {
namespace {

using test::Lines;
using test::solve_text;

struct Problem {
    std::string name;
    Lines lines;
    std::vector<std::string> follows; // true along the solution
};

std::vector<Problem> problems() {
    const std::string g_and_l = "parameter g = 9.81, l = 1";
    return {
        {"pendulum",
         {.unknowns = {"x", "y", "lambda"},
          .equations = {"x'' = -lambda*x", "y'' = -lambda*y - g", "x^2 + y^2 = l^2"},
          .before = g_and_l,
          .after = "start x = l, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1"},
         {"x*x' + y*y' = 0", "x'^2 + y'^2 - lambda*l^2 = g*y", "lambda' + 3*g*y'/l^2 = 0",
          "x*x'' + y*y'' + x'^2 + y'^2 = 0", "x*y'' - y*x'' = -g*x", "(x'^2 + y'^2)/2 + g*y = 0"}},
        {"pendulum_first_order",
         {.unknowns = {"x", "y", "u", "v", "lambda"},
          .equations = {"x' = u", "y' = v", "u' = -lambda*x", "v' = -lambda*y - g", "x^2 + y^2 = l^2"},
          .before = g_and_l,
          .after = "start x = l, y = 0, u = 0, v = 0\nsolve t = 0 .. 1"},
         {"x*u + y*v = 0", "u^2 + v^2 - lambda*l^2 = g*y", "lambda' = -3*g*v/l^2", "x*x' + y*y' = 0",
          "x*u' + y*v' + u^2 + v^2 = 0"}},
        {"four_bar",
         {.unknowns = {"y1", "y2", "y3", "y4", "l1", "l2", "l3"},
          .equations = {"m1*y1'' = -T*y2/a^2 + l1*y1 - l2*(y3 - y1)",
                        "m1*y2'' = T*y1/a^2 - gamma*m1 + l1*y2 - l2*(y4 - y2)", "m2*y3'' = l2*(y3 - y1) - l3*(d - y3)",
                        "m2*y4'' = -gamma*m2 + l2*(y4 - y2) + l3*y4", "y1^2 + y2^2 = a^2",
                        "(y3 - y1)^2 + (y4 - y2)^2 = b^2", "(d - y3)^2 + y4^2 = c^2"},
          .before = "parameter a = 1, b = 2, c = 1.5, d = 2\nparameter m1 = 0.2, m2 = 0.1, T = 0.8, gamma = 9.81",
          .after = "start y1 = 1/2, y2 = sqrt(3)/2\n"
                   "start y3 = 2.41547521706900617996031643327, y4 = 1.44131202173625895133863379493\n"
                   "start y1' = 0, y2' = 0, y3' = 0, y4' = 0\nsolve t = 0 .. 0.3"},
         {"y1*y1' + y2*y2' = 0", "(y3 - y1)*(y3' - y1') + (y4 - y2)*(y4' - y2') = 0", "y4*y4' = (d - y3)*y3'",
          "y1*y1'' + y2*y2'' + y1'^2 + y2'^2 = 0",
          "m1*(y1'*y1'' + y2'*y2'') + m2*(y3'*y3'' + y4'*y4'') + gamma*(m1*y2' + m2*y4') = T/a^2*(y1*y2' - y2*y1')"}},
        {"jay_index2",
         {.unknowns = {"y1", "y2", "y3", "z1", "z2"},
          .equations = {"y1' = y1*y2*z1", "y2' = -2*y1^2*y2*z2^2", "y3' = -y1*y3*z2", "y1^2*y2 = 1", "y1*y3 = 1"},
          .before = "",
          .after = "start y1 = 1, y2 = 1, y3 = 1\nguess z1 = 1, z2 = 1\nsolve t = 0 .. 1"},
         {"y2*z1 = y1^2*z2^2", "y2*z1 = y1*z2", "z1' = 2*z1", "z2' = -z2", "y2*z1 = 1"}},
        {"jay_index3",
         {.unknowns = {"y1", "y2", "z1", "z2", "u"},
          .equations = {"y1' = y1*y2*z1", "y2' = -y2^2*z2", "z1' = z1*z2*u", "z2' = z2^2*y1*u^2", "y1*y2 = 1"},
          .before = "",
          .after = "start y1 = 1, y2 = 1, z1 = 1, z2 = 1\nguess u = 1\nsolve t = 0 .. 1"},
         {"z1 = z2", "u = y1*u^2", "u' = -u*y2*z1", "z1' = z2'", "y1'*y2 + y1*y2' = 0"}},
        {"liu_index2",
         {.unknowns = {"u1", "u2", "w"},
          .equations = {"u1' = 1/u1^2 - sqrt(1 - u1^2) - w^2 - 1", "u2' = -w", "u2 = log(u1)"},
          .before = "",
          .after = "start u1 = cos(0.5), u2 = log(cos(0.5)), w = tan(0.5)\nsolve t = 0.5 .. 1"},
         {"u1' = -w*u1", "1/u1^2 - sqrt(1 - u1^2) - w^2 - 1 = -w*u1", "w' = 1 + w^2", "u2'' = -w'"}},
        {"liu_index3",
         {.unknowns = {"u1", "u2", "lambda"},
          .equations = {"u1'' = 2*u2 + lambda*u1", "u2'' = -2*u1 + lambda*u2", "u1^2 + u2^2 = 1"},
          .before = "",
          .after = "start u1 = 0, u2 = 1, u1' = 0, u2' = 0\nsolve t = 0 .. 2"},
         {"u1*u1' + u2*u2' = 0", "u1'^2 + u2'^2 + lambda = 0", "lambda' = -4*(u2*u1' - u1*u2')",
          "u1*u1'' + u2*u2'' = lambda"}},
        {"linear of index 3",
         {.unknowns = {"x", "y", "z"},
          .equations = {"x + y' = sin(t)", "y + z' = cos(t)", "z = t^2"},
          .before = "",
          .after = "solve t = 0 .. 1"},
         {"z' = 2*t", "z'' = 2", "y' = -sin(t) - 2", "y'' + x' = cos(t)", "x' = 2*cos(t)", "x = 2*sin(t) + 2"}},
    };
}

using Values = std::map<std::string, double>;

Values last_values(const Lines& lines) {
    SolveOptions options;
    options.rtol = 1e-9;
    options.atol = 1e-11;
    const Solution s = solve_text(lines.text(), options);
    EXPECT_EQ(s.status, Status::success) << s.message;
    Values values;
    for (const std::string& name : lines.unknowns) values[name] = s.column(name).back();
    return values;
}

class Consequences : public testing::TestWithParam<Problem> {};

TEST_P(Consequences, ChangeNothing) {
    const Problem& problem = GetParam();
    const Values expected = last_values(problem.lines);
    const int n_orders = std::getenv("VESSIOT_ALL_CONSEQUENCES") ? 24 : 3;
    const std::size_t n_subsets = std::size_t{1} << problem.follows.size();
    for (std::size_t subset = 1; subset < n_subsets; ++subset)
        for (int order = 0; order < n_orders; ++order) {
            Lines lines = problem.lines;
            for (std::size_t k = 0; k < problem.follows.size(); ++k)
                if (subset >> k & 1) lines.equations.push_back(problem.follows[k]);
            std::mt19937_64 random(subset * 24 + static_cast<std::size_t>(order));
            lines = lines.shuffled(random);
            SCOPED_TRACE(lines.text());
            try {
                for (const auto& [name, value] : last_values(lines))
                    EXPECT_NEAR(value, expected.at(name), 1e-6 * (1 + std::abs(expected.at(name)))) << name;
            } catch (const std::exception& refused) {
                ADD_FAILURE() << refused.what();
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Gallery, Consequences, testing::ValuesIn(problems()), [](const auto& one) {
    std::string name = one.param.name;
    for (char& c : name)
        if (c == ' ') c = '_';
    return name;
});

} // namespace
} // namespace vessiot
