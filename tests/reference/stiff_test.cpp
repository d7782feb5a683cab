// Stiff problems with implicit methods, against the reference solutions of the gallery: the digits that the tolerances
// promise, in few steps, and `auto` finds out by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::stiff_test {
namespace {

using nlohmann::json;

struct Subject {
    std::string name;
    double atol = 0; // of rtol = 1e-8, by the size of its smallest values
    int most_steps = 0;
};

// Steps with radau5; measured, with room.
const std::vector<Subject> subjects{
    {"robertson", 1e-20, 1500},    {"van_der_pol", 1e-12, 1800}, {"hires", 1e-12, 400},   {"oregonator", 1e-10, 2200},
    {"batch_reactor", 1e-16, 700}, {"heat", 1e-12, 80},          {"heat_dae", 1e-12, 80}, {"andrews", 1e-10, 1200},
};

Solution run(const Subject& subject, const std::string& method, const test::ParameterSettings& set = {}) {
    const System system = test::gallery_system(subject.name, set);
    SolveOptions o = with_model_options(system, {});
    o.method = method;
    o.rtol = 1e-8;
    o.atol = subject.atol;
    o.max_steps = 100'000;
    const json data = test::gallery_data(subject.name);
    for (const json& point : data["reference"])
        if (!point.contains("parameters") && test::read_quad(point["t"]) > 0)
            o.at.push_back(static_cast<double>(test::read_quad(point["t"])));
    o.to = o.at.back();
    return solve_system(system, o);
}

// The largest error of all reported values, relative to the largest that the value takes among them.
double error_of(const Subject& subject, const Solution& s) {
    double error = 0;
    const json data = test::gallery_data(subject.name);
    for (const json& point : data["reference"]) {
        if (point.contains("parameters") || test::read_quad(point["t"]) <= 0) continue;
        const auto t = static_cast<double>(test::read_quad(point["t"]));
        const auto at = static_cast<std::size_t>(std::ranges::find(s.t, t) - s.t.begin());
        if (at >= s.t.size()) return INFINITY;
        for (const auto& [name, text] : point["values"].items()) {
            const auto place = std::ranges::find(s.names, name);
            if (place == s.names.end()) continue;
            const auto k = static_cast<std::size_t>(place - s.names.begin());
            const auto value = static_cast<double>(test::read_quad(text));
            double size = std::abs(value);
            for (std::size_t p = 0; p < s.t.size(); ++p) size = std::max(size, std::abs(s.row(p)[k]));
            error = std::max(error, std::abs(s.row(at)[k] - value) / (size > 0 ? size : 1));
        }
    }
    return error;
}

TEST(Stiff, ProblemsAreSolvedToTheirTolerancesInFewSteps) {
    for (const Subject& subject : subjects) {
        const Solution s = run(subject, "radau5");
        EXPECT_EQ(s.status, Status::success) << subject.name << ": " << s.message;
        // errors may grow along the curve, by phase above all: two digits
        EXPECT_LT(error_of(subject, s), 1e-6) << subject.name;
        EXPECT_LT(s.stats.steps, subject.most_steps) << subject.name;
        EXPECT_LT(s.constraint_residual_max, 1e-12) << subject.name;
    }
}

TEST(Stiff, RobertsonKeepsItsSumForElevenDecades) {
    for (const std::string method : {"radau3", "radau5", "radau9"}) {
        const Solution s = run(subjects[0], method);
        EXPECT_EQ(s.status, Status::success) << s.message;
        EXPECT_EQ(s.t.back(), 1e11);
        EXPECT_LT(s.invariant_drift_max, 1e-14) << method;
        EXPECT_LT(error_of(subjects[0], s), 1e-6) << method;
    }
}

// With mu = 1e6: by radau9 in quad precision with rtol = 1e-14.
TEST(Stiff, VanDerPolWithAMillion) {
    const System system = test::gallery_system("van_der_pol", {{"mu", "1e6"}});
    SolveOptions o{.method = "radau5", .rtol = 1e-9, .atol = 1e-14, .to = 2e6, .at = {2e6}};
    const Solution s = solve_system(system, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.numbers[0], 1.70554622, 1e-7);
    EXPECT_NEAR(s.numbers[1], -8.93476363e-07, 1e-13);
}

// The decay of a mode in the discrete system is exp(-4/h^2 sin^2(k pi h / 2) t). Sparse: 1000 and 10000 unknowns.
TEST(Stiff, HeatEquationWithTenThousandPoints) {
    for (const char* name : {"heat", "heat_dae"})
        for (const std::string n : {"1000", "10000"}) {
            const System system = test::gallery_system(name, {{"n", n}});
            SolveOptions o{.method = "radau5", .rtol = 1e-7, .atol = 1e-10, .at = {0.1}};
            const Solution s = solve_system(system, o);
            ASSERT_EQ(s.status, Status::success) << s.message;
            const bool has_ends = std::string(name) == "heat_dae";
            const int points = std::stoi(n);
            const double h = 1.0 / (has_ends ? points - 1 : points + 1);
            const auto decay = [&](int k) {
                const double sine = std::sin(k * M_PI * h / 2);
                return std::exp(-4 / (h * h) * sine * sine * 0.1);
            };
            double error = 0;
            for (int i = 1; i <= points; ++i) {
                const double x = (has_ends ? i - 1 : i) * h;
                const double u = decay(1) * std::sin(M_PI * x) + decay(3) * std::sin(3 * M_PI * x) / 2;
                error = std::max(error, std::abs(s.numbers[static_cast<std::size_t>(i - 1)] - u));
            }
            EXPECT_LT(error, 1e-7) << name << " " << n;
            EXPECT_LT(s.stats.steps, 60) << name << " " << n;
        }
}

TEST(Stiff, AutoTakesAnImplicitMethodAndSaysWhy) {
    for (const Subject& subject : subjects) {
        if (subject.name == "andrews") continue;
        const Solution s = run(subject, "auto");
        EXPECT_EQ(s.status, Status::success) << subject.name << ": " << s.message;
        EXPECT_LT(error_of(subject, s), 1e-6) << subject.name;
        EXPECT_LT(s.stats.steps, 4 * subject.most_steps) << subject.name; // explicit ones among them
        EXPECT_NE(s.method.name.find("radau9"), std::string::npos) << subject.name << ": " << s.method.choice;
        EXPECT_NE(s.method.choice.find("stiff"), std::string::npos) << s.method.choice;
    }
}

TEST(Stiff, AutoStaysExplicitWhereAccuracyLimitsTheSteps) {
    for (const std::string name : {"kepler", "pendulum", "andrews", "euler_top", "henon_heiles", "arenstorf"}) {
        const System system = test::gallery_system(name);
        SolveOptions o = with_model_options(system, {});
        const Solution s = solve_system(system, o);
        EXPECT_EQ(s.method.name, "dopri54") << name << ": " << s.method.choice;
        EXPECT_NE(s.method.choice.find("not stiff"), std::string::npos) << name << ": " << s.method.choice;
    }
}

// Relaxation oscillations: implicit along the slow arcs, explicit through the jumps.
TEST(Stiff, AutoGoesBackWhereStepsAreShort) {
    const Solution s = run(subjects[1], "auto");
    EXPECT_NE(s.method.choice.find("steps became short enough"), std::string::npos) << s.method.choice;
    EXPECT_NE(s.method.choice.find("stability limited the steps"), std::string::npos) << s.method.choice;
}

// A stiff force beside a constraint acts along the tangent, which turns with the point. The angle is
// t - (1 - exp(-k t)) / k, smooth after the start for every k: steps must not depend on it.
TEST(Stiff, StepsOnACircleDoNotGrowWithTheForce) {
    const char* const text = "parameter k = 100\nunknown x, y, lambda\nx'' = -lambda*x - k*(x' + y)\n"
                             "y'' = -lambda*y - k*(y' - x)\nconstraint x^2 + y^2 = 1\n"
                             "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 10\n";
    for (const std::string method : {"radau5", "radau9"}) {
        std::vector<double> steps;
        for (const double k : {1e2, 1e4, 1e6, 1e8}) {
            lang::Settings settings;
            settings.set = {{"k", std::to_string(k)}};
            const System system = lang::read_model(lang::Source("circle.ves", text), settings);
            const Solution s = solve_system(system, {.method = method, .at = {10}});
            ASSERT_EQ(s.status, Status::success) << method << ", k = " << k << ": " << s.message;
            const double angle = 10 - (1 - std::exp(-10 * k)) / k;
            EXPECT_NEAR(s.column("x").back(), std::cos(angle), 1e-5) << method << ", k = " << k;
            EXPECT_NEAR(s.column("y").back(), std::sin(angle), 1e-5) << method << ", k = " << k;
            EXPECT_LT(s.constraint_residual_max, 1e-12);
            // radau9 tries steps of half a radian, which one Jacobian does not always cover
            EXPECT_LE(s.stats.rejected_iteration, method == "radau5" ? 8 : 40) << method << ", k = " << k;
            steps.push_back(static_cast<double>(s.stats.steps));
        }
        for (const double n : steps) EXPECT_LT(n, 1.5 * steps[0] + 10) << method;
        EXPECT_LT(steps[2], 150) << method;
    }
}

// Chemical Akzo Nobel problem, of index 1 (test set of Lioen and de Swart): the algebraic unknown enters squared, so
// that its equation is differentiated. The stages are not projected, the steps are.
TEST(Stiff, StagesOfIndexOneAreNotProjected) {
    const System system = lang::read_model(lang::Source(
        "akzo.ves", "parameter k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, K = 34.4, klA = 3.3, Ks = 115.83\n"
                    "unknown y[6]\nlet r1 = k1*y[1]^4*sqrt(y[2])\nlet r2 = k2*y[3]*y[4]\nlet r3 = k2/K*y[1]*y[5]\n"
                    "let r4 = k3*y[1]*y[4]^2\nlet r5 = k4*y[6]^2*sqrt(y[2])\nlet F = klA*(0.9/737 - y[2])\n"
                    "y[1]' = -2*r1 + r2 - r3 - r4\ny[2]' = -r1/2 - r4 - r5/2 + F\ny[3]' = r1 - r2 + r3\n"
                    "y[4]' = -r2 + r3 - 2*r4\ny[5]' = r2 - r3 + r5\n0 = Ks*y[1]*y[4] - y[6]\n"
                    "start y[1] = 0.444, y[2] = 0.00123, y[3] = 0, y[4] = 0.007, y[5] = 0, y[6] = 115.83*0.444*0.007\n"
                    "solve t = 0 .. 180\n"));
    const double reference[] = {0.1150794920661702,    0.1203831471567715e-2, 0.1611562887407974,
                                0.3656156421249283e-3, 0.1708010885264404e-1, 0.4873531310307455e-2};
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10})
        for (const std::string method : {"radau3", "radau5", "radau9"}) {
            if (method == "radau3" && rtol < 1e-8) continue;
            const Solution s = solve_system(system, {.method = method, .rtol = rtol, .atol = rtol / 1000, .at = {180}});
            ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
            for (std::size_t k = 0; k < 6; ++k)
                EXPECT_NEAR(s.numbers[k] / reference[k], 1, 50 * rtol) << method << ", rtol = " << rtol << ", y" << k;
            EXPECT_LT(s.constraint_residual_max, 1e-12);
            // one a step, and a few more to look at the curve; each stage of each iteration would be six and more
            EXPECT_LE(s.stats.projections, s.stats.steps + s.stats.rejected + 10) << method;
        }
}

// Of index 1 with more equations than unknowns, three of them hidden.
TEST(Stiff, StagesOfTheAmplifierAreNotProjected) {
    const System system = test::gallery_system("transistor_amplifier");
    const json data = test::gallery_data("transistor_amplifier");
    const Solution s = solve_system(system, {.method = "radau5", .rtol = 1e-7, .atol = 1e-9, .at = {0.2}});
    ASSERT_EQ(s.status, Status::success) << s.message;
    for (const auto& [name, text] : data["reference"].back()["values"].items())
        EXPECT_NEAR(s.column(name).back(), static_cast<double>(test::read_quad(text)), 1e-5) << name;
    EXPECT_LT(s.stats.projections, 1.2 * static_cast<double>(s.stats.steps + s.stats.rejected));
    EXPECT_LT(s.stats.steps, 2500);
}

// A net: explicit steps at the border of stability cost less than the factors of implicit ones.
TEST(Stiff, AutoCountsOperations) {
    const System system = test::gallery_system("brusselator_2d", {{"n", "60"}});
    SolveOptions o = with_model_options(system, {});
    o.to = 1;
    const Solution s = solve_system(system, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(s.method.name, "dopri54") << s.method.choice;
    EXPECT_EQ(s.stats.stage_iterations, 0);
}

TEST(Stiff, AutoTakesHighOrdersForManyDigits) {
    for (const auto& [rtol, plain, stiff] : {std::tuple{1e-4, "dopri54", "radau5"},
                                             {1e-6, "dopri54", "radau5"},
                                             {1e-7, "dop853", "radau9"},
                                             {1e-11, "dop853", "radau9"}}) {
        const System top = test::gallery_system("euler_top"), hires = test::gallery_system("hires");
        SolveOptions o{.method = "auto", .rtol = rtol, .atol = rtol / 1e3, .to = 10};
        EXPECT_EQ(solve_system(top, o).method.name, plain) << rtol;
        o.to = 300;
        EXPECT_NE(solve_system(hires, o).method.name.find(stiff), std::string::npos) << rtol;
    }
}

// A step that is tried again from a point without a step before it begins its iteration from nowhere: how fast the one
// of the first attempt converged says nothing. w = 1 - 0.3 exp(sin(t)), y is linear between the half seconds.
TEST(Implicit, TheFirstStepAfterASwitchIsIteratedToTheEnd) {
    const System system = lang::read_model(lang::Source(
        "switched.ves", "unknown y, w\nlet r = 0.4307829160924542\ny' = -0.7*exp(-r*floor(2*t))\n"
                        "w' = -0.3*exp(sin(t))*cos(t) + (exp(-r*floor(2*t))*(1 - 0.7*(t - floor(2*t)/2)))^2 - y^2\n"
                        "start y = 1, w = 0.7\nsolve t = 0 .. 3.25\n"));
    for (const char* const method :
         {"radau3", "radau5", "radau9", "gauss4", "gauss6", "gauss8", "dae_radau5", "dae_radau9"}) {
        const Solution s = solve_system(system, {.method = method, .rtol = 4e-8, .atol = 1e-9});
        ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
        EXPECT_NEAR(s.column("w").back(), 1 - 0.3 * std::exp(std::sin(3.25)), 1e-6) << method;
    }
}

} // namespace
} // namespace vessiot::stiff_test
