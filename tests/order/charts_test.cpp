// Methods in local coordinates: their order, how charts change, and that they are what they claim to be.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lang/model.hpp"
#include "linalg/dense/column_choice.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"
#include "support/reference_problem.hpp"

namespace vessiot::charts_test {
namespace {

System model(const std::string& text) {
    return lang::read_model(lang::Source("model.ves", text));
}

// The rigid body of Hairer's notes on the sphere, and the spherical pendulum: errors as outputs.
System body() {
    return test::reference_problem("body",
                                   "unknown y[3]\ny[1]' = y[3]*y[2]/2\ny[2]' = -7/8*y[1]*y[3]\ny[3]' = 3/8*y[2]*y[1]\n"
                                   "invariant (y[1]^2 + y[2]^2 + y[3]^2)/2\n"
                                   "start y[1] = cos(0.9), y[2] = 0, y[3] = sin(0.9)\n",
                                   "hairer_rigid_body", "5", {"y[1]", "y[2]", "y[3]"})
        .system;
}

System pendulum() {
    return test::reference_problem("pendulum",
                                   "unknown q[3]\nlagrangian dot(q', q')/2 - q[3]\nconstraint (dot(q, q) - 1)/2 = 0\n"
                                   "start q[1] = sin(1.3), q[2] = 0, q[3] = cos(1.3)\n"
                                   "start q[1]' = 3*cos(1.3), q[2]' = 6.5, q[3]' = -3*sin(1.3)\n",
                                   "spherical_pendulum", "1", {"q[1]", "q[2]", "q[3]", "q[1]'", "q[2]'", "q[3]'"})
        .system;
}

double error_with(const System& system, const std::string& method, const std::string& chart, double t, int n,
                  const std::string& precision = "double") {
    SolveOptions o{.method = method, .step = t / n, .from = 0.0, .to = t, .at = {t}};
    o.projection = chart;
    o.backend = "interpreter";
    o.precision = precision;
    o.dense = false;
    const Solution s = solve_system(system, o);
    EXPECT_EQ(s.method.project, "stages");
    EXPECT_LT(s.constraint_residual_max, 1e-13);
    double sum = 0;
    for (const double e : s.output_numbers) sum += e * e;
    return std::sqrt(sum);
}

// Errors as those of independent programs (problems/liu-hairer, H1): 5.5e-6 to 8.6e-11 and 3.8e-6 to 6.0e-11.
TEST(Charts, Rk4OnTheSphereHasOrder4AndTheKnownErrors) {
    const System system = body();
    EXPECT_NEAR(error_with(system, "rk4", "tangent", 5, 20) / 3.8e-6, 1, 0.03);
    EXPECT_NEAR(error_with(system, "rk4", "tangent", 5, 320) / 6.0e-11, 1, 0.05);
    const double partition = error_with(system, "rk4", "partition", 5, 320);
    EXPECT_LT(partition, 2e-10); // which charts are chosen is not told there
    EXPECT_GT(partition, 2e-11);
}

TEST(Charts, MethodsKeepTheirOrder) {
    struct Row {
        std::string method;
        int order, n;
    };
    const System rigid = body(), mass = pendulum();
    for (const std::string chart : {"partition", "tangent"})
        for (const Row& r : {Row{"rk3", 3, 160}, Row{"rk4", 4, 160}, Row{"dopri54", 5, 160}, Row{"dop853", 8, 80}}) {
            const std::string precision = r.order > 4 ? "quad" : "double";
            const double a = std::log2(error_with(rigid, r.method, chart, 5, r.n, precision) /
                                       error_with(rigid, r.method, chart, 5, 2 * r.n, precision));
            EXPECT_NEAR(a, r.order, 0.15) << r.method << ", " << chart << ", rigid body";
            const double b = std::log2(error_with(mass, r.method, chart, 1, 2 * r.n, precision) /
                                       error_with(mass, r.method, chart, 1, 4 * r.n, precision));
            EXPECT_NEAR(b, r.order, 0.15) << r.method << ", " << chart << ", spherical pendulum";
        }
}

int charts_of(const Solution& s) {
    for (const std::string& note : s.notes)
        if (note.starts_with("local coordinates: ")) return std::stoi(note.substr(19));
    return -1;
}

// 1000 turns of a pendulum that goes over the top: no coordinate is good all the way round.
TEST(Charts, ChangeAsThePendulumGoesAround) {
    const System system = model("unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 1\nx^2 + y^2 = 1\n"
                                "output E = (x'^2 + y'^2)/2 + y\nevent top: x = 0 rising\n"
                                "start x = 0, y = -1, x' = 2.05, y' = 0\n");
    for (const std::string chart : {"partition", "tangent"}) {
        SolveOptions o{.method = "dopri54", .rtol = 1e-8, .atol = 1e-10, .from = 0.0, .to = 5800.0, .every = 1.0};
        o.projection = chart;
        o.dense = false;
        const Solution s = solve_system(system, o);
        EXPECT_GE(s.events.size(), 1000U) << chart;
        EXPECT_GE(charts_of(s), 2000) << chart; // two a turn at least
        EXPECT_LT(s.constraint_residual_max, 1e-12) << chart;
        EXPECT_NEAR(s.output_numbers.back(), s.output_numbers.front(), 5e-3) << chart;
        if (chart == "partition") {
            EXPECT_LT(charts_of(s), s.stats.steps / 4) << "they are kept while they are good";
        }
    }
}

TEST(Charts, EventsAndDenseOutputLieOnTheConstraints) {
    const System system = model("unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                                "event lowest: x = 0\nstart x = 1, y = 0, x' = 0, y' = 0\n");
    SolveOptions o{.rtol = 1e-9, .from = 0.0, .to = 5.0};
    const Solution usual = solve_system(system, o);
    for (const std::string chart : {"partition", "tangent"}) {
        o.projection = chart;
        const Solution s = solve_system(system, o);
        ASSERT_EQ(s.events.size(), usual.events.size());
        EXPECT_NEAR(s.events[0].t, usual.events[0].t, 1e-7);
        for (const double t : {0.123, 2.5, 4.9}) {
            const std::vector<double> p = s(t), q = usual(t);
            EXPECT_NEAR(p[0] * p[0] + p[2] * p[2], 1, 1e-14);
            EXPECT_NEAR(p[0], q[0], 1e-6);
        }
    }
}

// y = eta(z) of the user: the equations of motion in an angle, by `let`.
TEST(Charts, AParametrisationOfTheUsersIsAModelInItsCoordinates) {
    const System angle = model("unknown alpha, lambda\nlet x = sin(alpha)\nlet y = -cos(alpha)\n"
                               "x'' = -lambda*x\ny'' = -lambda*y - 9.81\noutput x = x\n"
                               "start alpha = pi/2, alpha' = 0\n");
    SolveOptions o{.method = "dop853", .rtol = 1e-12, .atol = 1e-13, .from = 0.0, .to = 10.0, .at = {10.0}};
    const Solution s = solve_system(angle, o);
    const nlohmann::json data = test::gallery_data("pendulum");
    const double x = std::stod(data["reference"][1]["values"]["x"].get<std::string>());
    ASSERT_EQ(data["reference"][1]["t"], "10");
    EXPECT_NEAR(s.output_numbers.back(), x, 1e-9);
}

// More equations than coordinates: eta'(z) z' = f(eta(z)) holds on the manifold, z' = eta'(z)^+ f(eta(z)). Constant and
// adaptive steps, dense output and events.
TEST(Charts, AParametrisationWithMoreEquationsThanCoordinates) {
    const std::string sphere = "unknown theta, phi\n"
                               "let y[i = 1..3] = if(i == 1, cos(phi)*cos(theta), if(i == 2, sin(phi)*cos(theta), "
                               "sin(theta)))\n"
                               "y[1]' = y[3]*y[2]/2\ny[2]' = -7/8*y[1]*y[3]\ny[3]' = 3/8*y[2]*y[1]\n"
                               "event up: y[3] = 0.6\n"
                               "start theta = 0.9, phi = 0\n";
    const System system =
        test::reference_problem("sphere", sphere, "hairer_rigid_body", "5", {"y[1]", "y[2]", "y[3]"}).system;
    const auto run = [&](SolveOptions o) {
        o.from = 0.0;
        o.to = 5.0;
        return solve_system(system, o);
    };
    const auto error = [](const Solution& s) {
        double sum = 0;
        for (std::size_t k = s.output_numbers.size() - 3; k < s.output_numbers.size(); ++k)
            sum += s.output_numbers[k] * s.output_numbers[k];
        return std::sqrt(sum);
    };
    for (const auto& [method, order] : {std::pair{"heun", 2}, std::pair{"rk3", 3}, std::pair{"rk4", 4}}) {
        const double coarse = error(run({.method = method, .step = 0.05})),
                     fine = error(run({.method = method, .step = 0.025}));
        EXPECT_NEAR(std::log2(coarse / fine), order, 0.15) << method;
    }
    const Solution s = run({.method = "dop853", .rtol = 1e-11, .atol = 1e-13});
    EXPECT_LT(error(s), 1e-9);
    const System body = model("unknown y[3]\ny[1]' = y[3]*y[2]/2\ny[2]' = -7/8*y[1]*y[3]\ny[3]' = 3/8*y[2]*y[1]\n"
                              "event up: y[3] = 0.6\nstart y[1] = cos(0.9), y[2] = 0, y[3] = sin(0.9)\n");
    const Solution usual =
        solve_system(body, {.method = "dop853", .rtol = 1e-11, .atol = 1e-13, .from = 0.0, .to = 5.0});
    ASSERT_EQ(s.events.size(), usual.events.size());
    ASSERT_GE(s.events.size(), 1U);
    EXPECT_NEAR(s.events[0].t, usual.events[0].t, 1e-9);
    EXPECT_NEAR(std::sin(s(2.5)[0]), usual(2.5)[2], 1e-8);
}

// The chain: many constraints, sparse.
TEST(Charts, PartitionsOfLargeSystemsAreFound) {
    SolveOptions o{.rtol = 1e-7, .to = 0.1, .at = {0.1}};
    const System system = test::gallery_system("hanging_chain", {{"n", "300"}});
    const Solution usual = solve_system(system, o);
    for (const std::string chart : {"partition", "tangent"}) {
        o.projection = chart;
        const Solution s = solve_system(system, o);
        EXPECT_LT(s.constraint_residual_max, 1e-14);
        for (std::size_t k = 0; k < s.numbers.size(); k += 37)
            EXPECT_NEAR(s.numbers[k], usual.numbers[k], 1e-3 * std::max(1.0, std::fabs(usual.numbers[k])));
    }
}

TEST(ColumnChoice, FindsASquarePart) {
    // 2 x 3: columns (1, 2), (2, 4), (0, 1e-3): the first two are parallel
    const linalg::Pattern a{2, 3, {0, 2, 4, 5}, {0, 1, 0, 1, 1}};
    const std::vector<double> entries{1, 2, 2, 4, 1e-3};
    EXPECT_EQ(linalg::independent_columns(a, entries.data()), (std::vector<std::int32_t>{1, 2}));
    const std::vector<double> parallel{1, 2, 2, 4, 0};
    EXPECT_TRUE(linalg::independent_columns(a, parallel.data()).empty());
}

TEST(ColumnChoice, EliminatesManyRows) {
    // 100 rows: row i has entries 1 in column i and 2 in column i + 1: the larger ones are taken
    linalg::Pattern a{100, 101, {0}, {}};
    std::vector<double> entries;
    for (std::int32_t j = 0; j < 101; ++j) {
        if (j > 0) {
            a.row.push_back(j - 1);
            entries.push_back(2);
        }
        if (j < 100) {
            a.row.push_back(j);
            entries.push_back(1);
        }
        a.column_start.push_back(std::ssize(a.row));
    }
    const std::vector<std::int32_t> found = linalg::independent_columns(a, entries.data());
    ASSERT_EQ(found.size(), 100U);
    EXPECT_EQ(found.front(), 1);
    EXPECT_EQ(found.back(), 100);
    // two equal rows
    linalg::Pattern twice{50, 60, {0}, {}};
    std::vector<double> ones;
    for (std::int32_t j = 0; j < 60; ++j) {
        for (std::int32_t i = 0; i < 50; ++i)
            if (j == i || (i == 49 && j == 0)) {
                if (i == 49 && j == 49) continue;
                twice.row.push_back(i);
                ones.push_back(1);
            }
        twice.column_start.push_back(std::ssize(twice.row));
    }
    EXPECT_TRUE(linalg::independent_columns(twice, ones.data()).empty());
}

} // namespace
} // namespace vessiot::charts_test
