// Linear multistep formulas: coefficients of books, order, roots, steps of any size, and those that users bring.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/temporary_folder.hpp"
#include "method/multistep/grid_formula.hpp"
#include "method/multistep/multistep_entries.hpp"
#include "method/registry.hpp"
#include "support/refusal.hpp"
#include "support/solved.hpp"
#include "vessiot/methods.hpp"

namespace vessiot {
namespace {

using namespace method;
using test::has;
using test::refusal;
using test::solved;

void expect_numbers(const std::vector<Quad>& found, const std::vector<double>& numerators, double divisor) {
    ASSERT_EQ(found.size(), numerators.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(static_cast<double>(found[i]), numerators[i] / divisor, 1e-15);
}

// [HNW93, III.1: tables 1.1, 1.2 and (1.22')]
TEST(MultistepFormulas, AreThoseOfTheBooks) {
    expect_numbers(bdf_formula(3).alpha, {-2, 9, -18, 11}, 11);
    expect_numbers(bdf_formula(3).beta, {0, 0, 0, 6}, 11);
    expect_numbers(bdf_formula(6).alpha, {10, -72, 225, -400, 450, -360, 147}, 147);
    expect_numbers(adams_bashforth_formula(4).beta, {-9, 37, -59, 55, 0}, 24);
    expect_numbers(adams_moulton_formula(3).beta, {1, -5, 19, 9}, 24);
    expect_numbers(adams_moulton_formula(4).beta, {-19, 106, -264, 646, 251}, 720);
}

TEST(MultistepFormulas, HaveTheirOrderAndNoMore) {
    for (const std::span<const MethodInfo> list : {multistep_methods(), direct_methods()})
        for (const MethodInfo& m : list) {
            if (!is_multistep(m)) continue;
            EXPECT_EQ(order_of(formula_of(m), 0, 12).order, m.order) << m.name;
            EXPECT_TRUE(root_condition(alpha_of(m)).holds) << m.name;
        }
    EXPECT_FALSE(root_condition(bdf_formula(7).alpha).holds); // [HNW93, III.3, theorem 3.4]
}

// Random grids with ratios of neighbours up to 2: order p holds, p + 1 does not, and zeros stay zeros.
TEST(MultistepFormulas, KeepTheirOrderOnStepsOfAnySize) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> ratio(0.5, 2);
    for (const MethodInfo& m : multistep_methods()) {
        GridFormula<Quad> grid(formula_of(m), m.order);
        const int k = grid.n_steps();
        for (int trial = 0; trial < 5; ++trial) {
            std::vector<Quad> theta{-1};
            Quad step = 1;
            for (int j = 1; j <= m.order; ++j) {
                step *= ratio(random);
                theta.push_back(theta.back() - step);
            }
            grid.set(theta, false);
            for (int q = 0; q <= m.order + 1; ++q) {
                const auto power = [](Quad x, int n) {
                    Quad result = 1;
                    for (int i = 0; i < n; ++i) result *= x;
                    return result;
                };
                Quad sum = q == 0 ? 1 : 0, size = 1;
                if (q == 1) sum -= grid.beta();
                for (int j = 0; j < k; ++j) {
                    const Quad t = theta[static_cast<std::size_t>(j)];
                    const Quad of_alpha = grid.alpha(j) * power(t, q);
                    const Quad of_beta = q == 0 ? Quad(0) : grid.beta(j) * power(t, q - 1) * q;
                    sum += of_alpha - of_beta;
                    size += (of_alpha > 0 ? of_alpha : -of_alpha) + (of_beta > 0 ? of_beta : -of_beta);
                }
                const auto off = std::abs(static_cast<double>(sum / size));
                const bool holds = off < 1e-26;
                EXPECT_EQ(holds, q <= m.order) << m.name << ", condition " << q << ": " << off;
            }
            const std::vector<Quad> beta = formula_of(m).beta;
            for (int j = 0; j < k; ++j) {
                const bool is_zero = beta[static_cast<std::size_t>(k - 1 - j)] == 0;
                EXPECT_EQ(grid.beta(j) == 0, is_zero) << m.name;
            }
        }
    }
}

// x_2 - x_0 = 2 h V_1 has order 2 on equal steps alone: elsewhere other coefficients help, but it stays explicit.
TEST(MultistepFormulas, OfFewCoefficientsGetMoreWhereStepsDiffer) {
    GridFormula<double> grid({{-1, 0, 1}, {0, 2, 0}}, 2);
    grid.set({-1, -2.5, -4}, false);
    EXPECT_EQ(grid.beta(), 0);
    EXPECT_NEAR(1 + grid.alpha(0) + grid.alpha(1), 0, 1e-14);
    EXPECT_NEAR(-grid.alpha(0) - 2.5 * grid.alpha(1), grid.beta(0) + grid.beta(1), 1e-14);
    EXPECT_NEAR(grid.alpha(0) + 6.25 * grid.alpha(1), 2 * (-grid.beta(0) - 2.5 * grid.beta(1)), 1e-13);
    grid.set({-1, -2, -3}, true);
    EXPECT_EQ(grid.alpha(1), -1);
    EXPECT_EQ(grid.beta(0), 2);
}

TEST(MultistepFormulas, RootConditionSeesWhatIsOutsideAndWhatIsMultiple) {
    EXPECT_TRUE(root_condition(std::vector<Quad>{-1, 0, 1}).holds); // 1 and -1
    EXPECT_FALSE(root_condition(std::vector<Quad>{-1, 0, 1}).holds_strictly);
    const RootCondition twice = root_condition(std::vector<Quad>{1, -2, 1});
    EXPECT_FALSE(twice.holds);
    EXPECT_TRUE(twice.is_multiple);
    EXPECT_NEAR(std::abs(twice.worst - 1.0), 0, 1e-6);
    const RootCondition outside = root_condition(std::vector<Quad>{-5, 4, 1}); // 1 and -5
    EXPECT_FALSE(outside.holds);
    EXPECT_NEAR(outside.worst.real(), -5, 1e-9);
    EXPECT_TRUE(root_condition(std::vector<Quad>{0, 0, 1}).holds_strictly);
}

std::string refused(const LinearMultistep& formula) {
    return refusal([&] { add_multistep(formula); });
}

TEST(UserFormulas, SayWhatIsWrong) {
    // explicit, of order 3, and useless [HNW93, III.3: (3.1)]
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {-5, 4, 1}, .beta = {2, 4, 0}}),
                    "unstable: the root condition does not hold, for rho has the zero -5"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {1, -2, 1}, .beta = {-1, 1, 0}}), "the multiple zero 1"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {-1, 2}, .beta = {1, 0}}), "rho(1) = sum of alpha = 0.5"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {-1, 1}, .beta = {1, 1}}), "rho'(1) - sigma(1) = -1"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {-1, 1}, .beta = {1, 0}, .order = 2}),
                    "said to be 2, but it is 1: the condition of order 2 is off by 1"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {-1, 1}, .beta = {1, 0, 0}}), "alpha has 2 and beta 3"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {-1, 0}, .beta = {1, 0}}), "the last alpha is 0"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {-1, "x"}, .beta = {1, 0}}), "alpha[1] is a number or a fraction"));
    EXPECT_TRUE(has(refused({.name = "ab4", .alpha = {-1, 1}, .beta = {1, 0}}), "that of a method of the program"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {-1, 1}, .beta = {1, 0}, .is_direct = true}),
                    "only implicit ones make sense"));
    EXPECT_TRUE(has(refused({.name = "u", .alpha = {0, -1, 1}, .beta = {0, 1, 0}}), "leave them out"));
}

TEST(UserFormulas, WorkOnTheEquationsAsTheyStand) {
    const std::string index_1 = "unknown y, z\ny' = -z\n0 = z - y^2\nstart y = 1, z = 1\nsolve t = 0 .. 1\n";
    // Adams and Moulton's of order 3, sigma of which has the zero -1.72
    const MethodDescription m =
        add_multistep({.name = "user_am3", .alpha = {0, -1, 1}, .beta = {"-1/12", "8/12", "5/12"}, .is_direct = true});
    EXPECT_EQ(m.order, 3);
    EXPECT_EQ(m.max_index, 1);
    const Solution constant = solved(index_1, {.method = "user_am3", .step = 1e-3});
    EXPECT_NEAR(constant.numbers[constant.numbers.size() - 2], 0.5, 1e-9);
    EXPECT_NEAR(constant.numbers.back(), 0.25, 1e-9);
    const Solution adaptive = solved(index_1, {.method = "user_am3", .rtol = 1e-8, .atol = 1e-8});
    EXPECT_NEAR(adaptive.numbers.back(), 0.25, 1e-6);
    EXPECT_TRUE(has(refusal([&] {
                        solved("unknown x, l\nx' = 1 - l\nx = t\nstart x = 0\nsolve t = 0 .. 1\n",
                               {.method = "user_am3", .step = 0.1});
                    }),
                    "their index is 1 at most"));
}

TEST(UserFormulas, AreReadFromFiles) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "ab2.json").string();
    const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
    write(R"({"name": "file_ab2", "alpha": [0, -1, 1], "beta": ["-1/2", 1.5, 0], "comment": "Adams"})");
    EXPECT_EQ(load_multistep(path).order, 2);
    write(R"({"alpha": [0, -1, 1], "betta": [0, 1, 0]})");
    EXPECT_TRUE(has(refusal([&] { load_multistep(path); }), "did you mean 'beta'?"));
    write(R"({"alpha": [0, -1, 1]})");
    EXPECT_TRUE(has(refusal([&] { load_multistep(path); }), "a multistep formula needs 'beta'"));
    write(R"({"alpha": [-1, 1], "beta": [0, 1], "on": "sphere"})");
    EXPECT_TRUE(has(refusal([&] { load_multistep(path); }), "but found 'sphere'"));
    write("[1, 2]");
    EXPECT_TRUE(has(refusal([&] { load_multistep(path); }), "but found a list as a whole"));
}

} // namespace
} // namespace vessiot
