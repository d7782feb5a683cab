// Systems in involutive form, with any part of the hidden equations written, in any order: one answer, in every
// formulation. [Tuomela, Arponen, Normi, 3.1]
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "solve/inspect/inspection.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::involutive_form_test {
namespace {

constexpr double rtol = 1e-9;

std::vector<double> end_of(const std::string& text, const std::string& formulation) {
    SolveOptions o{.rtol = rtol, .atol = rtol, .at = {5}, .formulation = formulation};
    o.backend = "interpreter";
    const Solution s = solve_system(lang::read_model(lang::Source("pendulum.ves", text)), o);
    EXPECT_EQ(s.status, Status::success) << s.message << "\n" << text;
    return {s.column("x").back(), s.column("y").back(), s.column("l").back()};
}

// The Cartan-Kuranishi data of inspect: dimension and symbol of each projection.
std::vector<std::pair<int, int>> projections_of(const std::string& text) {
    const Inspection found = inspect(lang::read_model(lang::Source("test.ves", text)), {});
    std::vector<std::pair<int, int>> result;
    EXPECT_TRUE(found.involutive) << found.problem;
    if (found.involutive)
        for (const auto& p : found.involutive->projections)
            result.emplace_back(static_cast<int>(p.dimension), static_cast<int>(p.symbol));
    return result;
}

using Pairs = std::vector<std::pair<int, int>>;

// The pendulum and its velocity constraint, in the 24 orders of these four equations.
TEST(InvolutiveForm, OfThePendulumGivesOneAnswerInAllOrders) {
    std::array<std::string, 4> equations{"x'' = -l*x", "y'' = -l*y - 1", "x^2 + y^2 = 1", "x*x' + y*y' = 0"};
    std::ranges::sort(equations);
    int n = 0;
    std::vector<double> first;
    do {
        std::string text = "unknown x, y, l\n";
        for (const std::string& e : equations) text += e + "\n";
        text += "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 5\n";
        for (const std::string formulation : {"auto", "general"}) {
            const std::vector<double> end = end_of(text, formulation);
            if (first.empty()) first = end;
            for (std::size_t k = 0; k < end.size(); ++k)
                EXPECT_NEAR(end[k], first[k], 200 * rtol) << formulation << "\n" << text;
        }
        ++n;
    } while (std::ranges::next_permutation(equations).found);
    EXPECT_EQ(n, 24);
}

// R_2 whole, in x and y alone: 4 equations for the 7 coordinates of J_2, of which 3 are left; in their 24 orders.
TEST(InvolutiveForm, OfThePendulumWithoutMultiplierGivesOneAnswerInAllOrders) {
    std::array<std::string, 4> equations{"x^2 + y^2 = 1", "x*x' + y*y' = 0", "x'^2 + x*x'' + y'^2 + y*y'' = 0",
                                         "x*y'' - y*x'' + x = 0"};
    std::ranges::sort(equations);
    const std::string tail = "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 5\n";
    const std::vector<double> right =
        end_of("unknown x, y, l\nx'' = -l*x\ny'' = -l*y - 1\nx^2 + y^2 = 1\n" + tail, "auto");
    int n = 0;
    do {
        std::string text = "unknown x, y\n";
        for (const std::string& e : equations) text += e + "\n";
        for (const std::string formulation : {"auto", "general"}) {
            SolveOptions o{.rtol = rtol, .atol = rtol, .at = {5}, .formulation = formulation};
            o.backend = "interpreter";
            const Solution s = solve_system(lang::read_model(lang::Source("pendulum.ves", text + tail)), o);
            ASSERT_EQ(s.status, Status::success) << s.message << "\n" << text;
            EXPECT_NEAR(s.column("x").back(), right[0], 200 * rtol) << formulation << "\n" << text;
            EXPECT_NEAR(s.column("y").back(), right[1], 200 * rtol) << formulation << "\n" << text;
        }
        EXPECT_EQ(projections_of(text + tail), (Pairs{{3, 0}})) << text; // involutive as it stands
        ++n;
    } while (std::ranges::next_permutation(equations).found);
    EXPECT_EQ(n, 24);
}

// The same with less and with more of the equations: those of the index, and all up to the order 2.
TEST(InvolutiveForm, MayBeWrittenInPart) {
    const std::string head = "unknown x, y, l\nx'' = -l*x\ny'' = -l*y - 1\nx^2 + y^2 = 1\n",
                      tail = "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 5\n";
    const std::vector<double> right = end_of(head + tail, "auto");
    const std::string multiplier = "l = x'^2 + y'^2 - y\n";
    const std::vector<std::string> parts{"", "x*x' + y*y' = 0\nx'^2 + x*x'' + y'^2 + y*y'' = 0\n",
                                         "x*x' + y*y' = 0\n" + multiplier};
    for (const std::string& more : parts)
        for (const std::string formulation : {"auto", "general"}) {
            const std::vector<double> end = end_of(head + more + tail, formulation);
            for (std::size_t k = 0; k < end.size(); ++k)
                EXPECT_NEAR(end[k], right[k], 200 * rtol) << formulation << "\n" << more;
        }
    // With the multiplier the highest derivatives are determined, but x x' + y y' = 0 is missing: as it stands that is
    // no involutive form, and the general formulation says so.
    for (std::size_t k = 0; k < right.size(); ++k)
        EXPECT_NEAR(end_of(head + multiplier + tail, "auto")[k], right[k], 200 * rtol);
    EXPECT_THROW(end_of(head + multiplier + tail, "general"), InvalidInput);
}

// Every index: the general formulation ends where the usual one does.
TEST(InvolutiveForm, IsTheSameCurveForEveryIndex) {
    for (const std::string name : {"hairer_index1", "hairer_index2", "hairer_index3", "pendulum",
                                   "double_pendulum_cartesian", "jay_index2", "jay_index3", "car_axis"}) {
        std::vector<std::vector<double>> rows;
        for (const std::string formulation : {"auto", "general"}) {
            SolveOptions o{.rtol = rtol, .atol = rtol, .to = 0.5, .at = {0.5}, .formulation = formulation};
            o.backend = "interpreter";
            const Solution s = solve_system(test::gallery_system(name), o);
            ASSERT_EQ(s.status, Status::success) << name << ", " << formulation << ": " << s.message;
            const auto row = s.row(s.t.size() - 1);
            rows.emplace_back(row.begin(), row.end());
        }
        ASSERT_EQ(rows[0].size(), rows[1].size()) << name;
        for (std::size_t k = 0; k < rows[0].size(); ++k)
            EXPECT_NEAR(rows[0][k], rows[1][k], 1e-5 * (1 + std::abs(rows[0][k]))) << name << ", column " << k;
    }
}

// ---- the Cartan-Kuranishi data of inspect ----

// By hand: J_2 has dimension 10; the circle, its two derivatives and those of the multiplier each take one away.
TEST(InvolutiveForm, NumbersOfThePendulum) {
    const std::string head = "unknown x, y, l\nx'' = -l*x\ny'' = -l*y - 1\nx^2 + y^2 = 1\n",
                      tail = "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 5\n";
    EXPECT_EQ(projections_of(head + tail), (Pairs{{7, 1}, {6, 1}, {5, 1}, {4, 1}, {3, 0}}));
    // with what follows written as well it is nearer to involutive from the beginning
    EXPECT_EQ(projections_of(head + "x*x' + y*y' = 0\n" + tail), (Pairs{{6, 1}, {5, 1}, {4, 1}, {3, 0}}));
    EXPECT_EQ(projections_of(head + "x*x' + y*y' = 0\nl = x'^2 + y'^2 - y\nl' = -3*y'\nl'' = -3*y''\n" + tail),
              (Pairs{{3, 0}}));
}

TEST(InvolutiveForm, NumbersOfOthers) {
    EXPECT_EQ(projections_of("unknown x\nx' = -x\nstart x = 1\nsolve t = 0 .. 1\n"), (Pairs{{2, 0}}));
    // M u' + u = f with one nilpotent block of size 3: u3 = f3, u2 = f2 - f3', u1 = f1 - f2' + f3''
    EXPECT_EQ(
        projections_of("unknown u[3]\nu[2]' + u[1] = sin(t)\nu[3]' + u[2] = cos(t)\nu[3] = t\nsolve t = 0 .. 1\n"),
        (Pairs{{4, 1}, {3, 1}, {2, 1}, {1, 0}}));
    // y'^2 + y^2 + t^2 = 1: one equation of order 1
    EXPECT_EQ(projections_of("unknown y\ny'^2 + y^2 + t^2 = 1\nstart y = 0, y' = 1\nsolve t = 0 .. 1\n"),
              (Pairs{{2, 0}}));
}

// What is involutive in the end is the manifold that runs go on, without invariants.
TEST(InvolutiveForm, EndsAtTheManifoldInTheGallery) {
    int n = 0;
    for (const std::string& name : test::gallery_names()) {
        const System system = test::gallery_system(name);
        const Inspection found = inspect(system, {});
        if (!found.is_checked || !found.involutive) continue;
        const auto& p = found.involutive->projections;
        EXPECT_EQ(p.back().dimension, found.system.manifold_dimension + found.system.invariants) << name;
        for (std::size_t s = 1; s < p.size(); ++s) {
            EXPECT_LT(p[s].dimension, p[s - 1].dimension) << name;
            EXPECT_LE(p[s].symbol, p[s - 1].symbol) << name;
        }
        ++n;
    }
    EXPECT_GE(n, 95);
}

} // namespace
} // namespace vessiot::involutive_form_test
