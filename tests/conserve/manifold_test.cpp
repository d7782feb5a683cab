// What must stay, stays: constraints, hidden ones included, at steps and between them; invariants over long runs; and
// the solution itself, where a model is turned, rescaled, permuted, or run backwards.
//
// Residuals are computed apart from the code under test, from vessiot::Functions or from formulas written here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "vessiot/functions.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::manifold_test {
namespace {

Model gallery(const std::string& name, const std::vector<std::pair<std::string, std::string>>& set = {}) {
    return Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + name + ".ves", {.set = set});
}

// Rows of values at every step, and at random points of the curve.
std::vector<std::vector<double>> points_of(const Solution& solution, double from, double to) {
    std::vector<std::vector<double>> points;
    for (std::size_t k = 0; k < solution.t.size(); ++k) {
        const auto row = solution.row(k);
        points.emplace_back(row.begin(), row.end());
    }
    std::mt19937_64 random(20240611);
    std::uniform_real_distribution<double> any(from, to);
    for (int k = 0; k < 300; ++k) points.push_back(solution(any(random)));
    return points;
}

// The position constraints g(q) = 0 of an autonomous mechanical model, and g_q q' = 0: its equations that contain no
// derivatives.
class MechanicalConstraints {
public:
    explicit MechanicalConstraints(const Model& model) : functions_(model, {.backend = Backend::interpreter}) {
        const SparsePattern& p = functions_.df_pattern();
        is_position_.assign(static_cast<std::size_t>(p.rows), true);
        for (std::size_t c = 0; c < functions_.names().size(); ++c)
            for_column(c, [&](std::size_t row, std::size_t) {
                const std::string& name = functions_.names()[c];
                if (name.ends_with('\'') || name.starts_with("lambda")) is_position_[row] = false;
            });
    }

    // Largest |g| and |g_q q'|, the latter relative to its terms where they are larger than 1.
    double residual(const Solution& solution, const std::vector<double>& row) {
        const std::vector<std::string>& names = functions_.names();
        std::vector<double> z(names.size(), 0);
        for (std::size_t c = 0; c < names.size(); ++c)
            if (const auto it = std::ranges::find(solution.names, names[c]); it != solution.names.end())
                z[c] = row[static_cast<std::size_t>(it - solution.names.begin())];
        const std::vector<double> f = functions_.f(0, z), df = functions_.df(0, z);
        std::vector<double> slope(f.size(), 0), terms(f.size(), 1);
        for (std::size_t c = 0; c < names.size(); ++c)
            for_column(c, [&](std::size_t r, std::size_t entry) {
                if (!is_position_[r]) return;
                const double velocity = row[solution.column_of(names[c] + "'")];
                slope[r] += df[entry] * velocity;
                terms[r] += std::fabs(df[entry] * velocity);
            });
        double largest = 0;
        for (std::size_t r = 0; r < f.size(); ++r)
            if (is_position_[r]) largest = std::max({largest, std::fabs(f[r]), std::fabs(slope[r]) / terms[r]});
        return largest;
    }

    std::int64_t count() const { return std::ranges::count(is_position_, true); }

private:
    template <class Visit> void for_column(std::size_t c, const Visit& visit) {
        const SparsePattern& p = functions_.df_pattern();
        for (auto e = p.column_start[c]; e < p.column_start[c + 1]; ++e)
            visit(static_cast<std::size_t>(p.row[static_cast<std::size_t>(e)]), static_cast<std::size_t>(e));
    }

    Functions functions_;
    std::vector<bool> is_position_;
};

struct MechanicalCase {
    std::string name;
    std::vector<std::pair<std::string, std::string>> set;
    std::int64_t constraints;
    double to;
};

// With the default tolerances, 1e-6: that the solution is off by that much must not show in the constraints.
TEST(Manifold, ConstraintsHoldAtStepsAndBetweenThem) {
    const std::vector<MechanicalCase> cases{{"pendulum", {}, 1, 10},
                                            {"four_bar", {}, 3, 10},
                                            {"mech", {{"n", "24"}}, 23, 1},
                                            {"andrews", {}, 6, 0.03},
                                            {"pendulum_energy", {}, 1, 10}};
    for (const MechanicalCase& c : cases) {
        SCOPED_TRACE(c.name);
        const Model model = gallery(c.name, c.set);
        MechanicalConstraints constraints(model);
        ASSERT_EQ(constraints.count(), c.constraints);
        for (const std::string projection : {"simplified", "newton"}) {
            const Solution solution = solve(model, {.to = c.to, .projection = projection});
            double largest = 0;
            for (const auto& row : points_of(solution, 0, c.to))
                largest = std::max(largest, constraints.residual(solution, row));
            EXPECT_LT(largest, 1e-12) << projection;
            EXPECT_LT(solution.constraint_residual_max, 1e-12) << projection;
            RecordProperty(c.name + "_" + projection, std::to_string(std::log10(largest)));
        }
    }
}

TEST(Manifold, InvariantsHoldAtStepsAndBetweenThem) {
    const Model kepler = gallery("kepler");
    const Solution solution = solve(kepler, {.to = 50.0});
    const double energy = -0.5, momentum = std::sqrt(1 - 0.6 * 0.6);
    for (const auto& row : points_of(solution, 0, 50)) {
        const double x = row[0], dx = row[1], y = row[2], dy = row[3];
        ASSERT_NEAR((dx * dx + dy * dy) / 2 - 1 / std::hypot(x, y), energy, 1e-12);
        ASSERT_NEAR(x * dy - y * dx, momentum, 1e-12);
    }
    EXPECT_EQ(solution.names, (std::vector<std::string>{"x", "x'", "y", "y'"}));
    EXPECT_LT(solution.invariant_drift_max, 1e-12);
}

// Both constraints of plug flow, each relative to its largest term, through the impasse.
TEST(Manifold, ConstraintsHoldInArclengthAcrossAnImpasse) {
    const Solution solution = solve(gallery("plug_flow"));
    ASSERT_EQ(solution.names, (std::vector<std::string>{"y1", "y2", "y3"}));
    constexpr double R = 45.72, c1 = 44.017, c2 = 35545, c3 = 929940, c4 = 9090.9;
    const auto relative = [](double lhs, std::array<double, 2> rhs) {
        return std::fabs(lhs - rhs[0] - rhs[1]) / std::max({std::fabs(lhs), std::fabs(rhs[0]), std::fabs(rhs[1]), 1.0});
    };
    ASSERT_GT(solution.s.back(), 28);
    int n_before = 0, n_after = 0;
    for (const auto& row : points_of(solution, 0, solution.s.back())) {
        const double y1 = row[0], y2 = row[1], y3 = row[2], l = std::log(c1 * y2 - 5);
        ++(y1 > 0 ? n_before : n_after);
        ASSERT_LT(relative(y1 * y2 * (R - y3) * (R - y3) * (2.5 * l + 10.5), {c2 * y1 * y3, c3 * y3}), 1e-12);
        ASSERT_LT(relative((13.6 * R + c1 * c4) / c1, {y2 * (2.5 * R - 1.25 * y3) * l, y2 * (3 * R - 2.125 * y3)}),
                  1e-12);
    }
    EXPECT_GT(n_before, 50);
    EXPECT_GT(n_after, 50);
}

double energy(const Solution& s, std::span<const double> row) {
    const double y = row[s.column_of("y")], dx = row[s.column_of("x'")], dy = row[s.column_of("y'")];
    return (dx * dx + dy * dy) / 2 + 9.81 * y;
}

TEST(Manifold, AnEnergyThatIsStatedStaysOverALongRun) {
    const Solution solution = solve(gallery("pendulum_energy"), {.to = 2000.0, .every = 0.5, .dense = false});
    ASSERT_EQ(solution.t.size(), 4001U);
    double largest = 0;
    for (std::size_t k = 0; k < solution.t.size(); ++k)
        largest = std::max(largest, std::fabs(energy(solution, solution.row(k))));
    EXPECT_LT(largest, 1e-11); // terms of 9.81
    EXPECT_LT(solution.invariant_drift_max, 1e-11);
    // without the invariant it drifts with the error of the method
    const Solution free = solve(gallery("pendulum"), {.rtol = 1e-8, .atol = 1e-10, .to = 2000.0, .at = {2000.0}});
    EXPECT_GT(std::fabs(energy(free, free.row(0))), 1e-6);
    EXPECT_LT(free.constraint_residual_max, 1e-12);
}

TEST(Manifold, WithoutProjectionTheConstraintsDrift) {
    const Model model = gallery("pendulum");
    const Solution solution = solve(model, {.to = 100.0, .projection = "none", .dense = true});
    MechanicalConstraints constraints(model);
    double at_steps = 0, all = 0;
    for (std::size_t k = 0; k < solution.t.size(); ++k) {
        const auto row = solution.row(k);
        at_steps = std::max(at_steps, constraints.residual(solution, {row.begin(), row.end()}));
    }
    for (const auto& row : points_of(solution, 0, 100)) all = std::max(all, constraints.residual(solution, row));
    EXPECT_GT(at_steps, 1e-6);
    EXPECT_LT(all, 1);
    // what is said about it is true
    EXPECT_GT(solution.constraint_residual_max, at_steps / 10);
    EXPECT_NE(solution.message.find("nothing was projected"), std::string::npos) << solution.message;
    EXPECT_EQ(solution.method.projection, "none");
}

// The largest difference of the values of these names at the only point of two solutions.
double difference(const Solution& a, const Solution& b, const std::vector<std::string>& names) {
    double largest = 0;
    for (const std::string& name : names)
        largest = std::max(largest, std::fabs(a.column(name).back() - b.column(name).back()));
    return largest;
}

TEST(Manifold, ARunBackwardsReturnsToTheStart) {
    struct Case {
        std::string name;
        double to;
    };
    for (const Case& c : {Case{"pendulum", 5}, Case{"four_bar", 3}, Case{"kepler", 10}, Case{"mech", 1}}) {
        SCOPED_TRACE(c.name);
        const Model model = gallery(c.name);
        SolveOptions o{.method = "dop853", .rtol = 1e-12, .atol = 1e-13, .to = c.to, .at = {0, c.to}};
        const Solution forward = solve(model, o);
        ASSERT_EQ(forward.t, (std::vector<double>{0, c.to}));
        SolveOptions back = o;
        back.from = c.to;
        back.to = 0;
        for (std::size_t k = 0; k < forward.names.size(); ++k)
            back.start.emplace_back(forward.names[k], forward.row(1)[k]);
        const Solution backward = solve(model, back);
        ASSERT_EQ(backward.t, (std::vector<double>{c.to, 0}));
        for (std::size_t k = 0; k < forward.names.size(); ++k)
            EXPECT_NEAR(backward.row(1)[k], forward.row(0)[k], 1e-9 * (1 + std::fabs(forward.row(0)[k])))
                << forward.names[k];
        // and the curve between is the same one; sol(t) works backwards, too
        EXPECT_LT(std::fabs(forward(c.to / 3)[0] - backward(c.to / 3)[0]), 1e-9);
    }
}

// A pendulum in a frame turned by an angle: gravity (g sin, -g cos) and a start turned with it.
std::string turned_pendulum(double angle) {
    const std::string a = std::to_string(angle);
    return "parameter a = " + a + ", g = 9.81\nunknown x, y, lambda\nx'' = -lambda*x + g*sin(a)\n" +
           "y'' = -lambda*y - g*cos(a)\nx^2 + y^2 = 1\nstart x = cos(a), y = sin(a), x' = 0, y' = 0\nsolve t = 0 .. "
           "5\n";
}

TEST(Manifold, TheTurnedPendulumIsThePendulumTurned) {
    const SolveOptions o{.method = "dop853", .rtol = 1e-12, .atol = 1e-13, .at = {5.0}};
    const Solution straight = solve(Model::parse(turned_pendulum(0)), o);
    const double x = straight.column("x")[0], y = straight.column("y")[0], lambda = straight.column("lambda")[0];
    for (const double a : {0.25, 0.75, 1.5, -2.0, 3.0}) {
        const Solution turned = solve(Model::parse(turned_pendulum(a)), o);
        EXPECT_NEAR(turned.column("x")[0], std::cos(a) * x - std::sin(a) * y, 1e-9) << a;
        EXPECT_NEAR(turned.column("y")[0], std::sin(a) * x + std::cos(a) * y, 1e-9) << a;
        EXPECT_NEAR(turned.column("lambda")[0], lambda, 1e-8) << a;
    }
}

const std::string start_of_bars = "start y1 = 1/2, y2 = sqrt(3)/2\nstart y3 = 2.41547521706900617996031643327\n"
                                  "start y4 = 1.44131202173625895133863379493\n"
                                  "start y1' = 0, y2' = 0, y3' = 0, y4' = 0\nsolve t = 0 .. 3\n";
const std::vector<std::string> bars{"y1", "y2", "y3", "y4", "y1'", "y2'", "y3'", "y4'"};

// Four bars by Newton's law, with factors for the constraints, in one order or another.
std::string four_bars(const std::array<std::string, 3>& factor, bool is_permuted) {
    const std::string f1 = factor[0] + "*(y1^2 + y2^2 - 1)/2 = 0\n",
                      f2 = factor[1] + "*((y3 - y1)^2 + (y4 - y2)^2 - 4)/2 = 0\n",
                      f3 = factor[2] + "*((2 - y3)^2 + y4^2 - 9/4)/2 = 0\n";
    const std::string m1 = "0.2*y1'' = -0.8*y2 - l1*y1 + l2*(y3 - y1)\n",
                      m2 = "0.2*y2'' = 0.8*y1 - 1.962 - l1*y2 + l2*(y4 - y2)\n",
                      m3 = "0.1*y3'' = -l2*(y3 - y1) + l3*(2 - y3)\n",
                      m4 = "0.1*y4'' = -0.981 - l2*(y4 - y2) - l3*y4\n";
    if (is_permuted) return "unknown l2, y4, y1, l3, y2, y3, l1\n" + f2 + m4 + m1 + f3 + f1 + m3 + m2 + start_of_bars;
    return "unknown y1, y2, y3, y4, l1, l2, l3\n" + m1 + m2 + m3 + m4 + f1 + f2 + f3 + start_of_bars;
}

TEST(Manifold, RescaledAndPermutedConstraintsChangeNothingBeyondTolerance) {
    const SolveOptions o{.rtol = 1e-9, .atol = 1e-10, .at = {3.0}};
    const std::array<std::string, 3> ones{"1", "1", "1"};
    const Solution plain = solve(Model::parse(four_bars(ones, false)), o);
    const Solution lagrangian = solve(gallery("four_bar"), {.rtol = 1e-9, .atol = 1e-10, .to = 3.0, .at = {3.0}});
    EXPECT_LT(difference(plain, lagrangian, bars), 1e-9);
    const std::array<std::string, 3> up{"1e6", "1e6", "1e6"}, down{"1e-6", "1e-6", "1e-6"}, mixed{"1e6", "1e-6", "1"};
    for (const auto& factor : {ones, up, down, mixed})
        for (const bool is_permuted : {false, true})
            for (const std::string projection : {"simplified", "newton"}) {
                SCOPED_TRACE(factor[0] + " " + factor[1] + " " + projection + (is_permuted ? " permuted" : ""));
                SolveOptions with = o;
                with.projection = projection;
                const Solution other = solve(Model::parse(four_bars(factor, is_permuted)), with);
                EXPECT_LT(difference(plain, other, bars), projection == "simplified" ? 1e-9 : 1e-8);
            }
}

TEST(Manifold, RescaledMechanicalConstraintsChangeNothingBeyondTolerance) {
    const std::string head = "unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\n",
                      tail = "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 3\n";
    const SolveOptions o{.rtol = 1e-9, .atol = 1e-10, .at = {3.0}};
    const std::vector<std::string> names{"x", "y", "x'", "y'"};
    const Solution plain = solve(Model::parse(head + "constraint x^2 + y^2 = 1\n" + tail), o);
    for (const std::string factor : {"1e6", "1e-6", "1e12", "-3"}) {
        const Solution scaled =
            solve(Model::parse(head + "constraint " + factor + "*(x^2 + y^2) = " + factor + "\n" + tail), o);
        EXPECT_LT(difference(plain, scaled, names), 1e-9) << factor;
    }
}

} // namespace
} // namespace vessiot::manifold_test
