// Group preserving schemes, Kahan's method, splitting, the projected midpoint rule: one step against the formulas of
// the papers, what fits them, no allocation in a step.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "completion/structure.hpp"
#include "core/error.hpp"
#include "lang/model.hpp"
#include "method/fits.hpp"
#include "method/geometric/quadratic.hpp"
#include "method/geometric/separable.hpp"
#include "method/geometric/split_coefficients.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "solve/run/cone_outputs.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"

namespace vessiot::geometric_methods_test {
namespace {

using namespace method;

System read(const std::string& text) {
    return lang::read_model(lang::Source("test.ves", text));
}

// The values after one step of h.
std::vector<double> one_step(const System& system, SolveOptions o, double h) {
    o.step = h;
    o.to = h;
    o.backend = "interpreter";
    const Solution s = solve_system(system, o);
    EXPECT_EQ(s.t.size(), 2U);
    const auto row = s.row(1);
    return {row.begin(), row.end()};
}

const System& predator() {
    static const System system = read("unknown x, y\nx' = -x + x*y\ny' = y - x*y\nstart x = 0.5, y = 0.4\n");
    return system;
}

// (22), (23) of Liu's paper as they are printed.
TEST(GroupPreserving, IsTheExponentialOfTheFrame) {
    const double h = 0.3, x = 0.5, y = 0.4, fx = -x + x * y, fy = y - x * y;
    const double nx = std::hypot(x, y), nf = std::hypot(fx, fy), dot = fx * x + fy * y;
    const double a = std::cosh(h * nf / nx), b = std::sinh(h * nf / nx);
    const double eta = ((a - 1) * dot + b * nx * nf) / (nf * nf);
    const auto p = one_step(predator(), {.method = "gps"}, h);
    EXPECT_NEAR(p[0], x + eta * fx, 1e-15);
    EXPECT_NEAR(p[1], y + eta * fy, 1e-15);
}

// (13) to (15) of the paper, and X_1 = G X_0 with the outputs of --cone: the length comes last.
TEST(GroupPreserving, MovesOnAConeByElementsOfItsGroup) {
    System system = test::gallery_system("lotka_volterra");
    const SolveOptions o{.method = "gps", .step = 0.1, .to = 1};
    add_cone_outputs(system, o);
    const Solution s = solve_system(system, o);
    constexpr std::size_t n = 3;
    ASSERT_EQ(s.t.size(), 11U);
    const std::vector<double> x = s.column("x"), y = s.column("y"), length = s.column("X0");
    for (std::size_t k = 0; k + 1 < s.t.size(); ++k) {
        double G[n][n];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                G[i][j] = s.column("G[" + std::to_string(i + 1) + "," + std::to_string(j + 1) + "]")[k];
        const double g[n] = {1, 1, -1}, before[n] = {x[k], y[k], length[k]},
                     after[n] = {x[k + 1], y[k + 1], length[k + 1]};
        for (std::size_t i = 0; i < n; ++i) {
            double moved = 0;
            for (std::size_t j = 0; j < n; ++j) {
                moved += G[i][j] * before[j];
                double product = 0;
                for (std::size_t l = 0; l < n; ++l) product += G[l][i] * g[l] * G[l][j];
                EXPECT_NEAR(product, i == j ? g[i] : 0, 1e-14);
            }
            EXPECT_NEAR(moved, after[i], 1e-14);
        }
        const double det = G[0][0] * (G[1][1] * G[2][2] - G[1][2] * G[2][1]) -
                           G[0][1] * (G[1][0] * G[2][2] - G[1][2] * G[2][0]) +
                           G[0][2] * (G[1][0] * G[2][1] - G[1][1] * G[2][0]);
        EXPECT_NEAR(det, 1, 1e-14);
        EXPECT_GT(G[2][2], 1);
    }
}

TEST(GroupPreserving, HasNoElementElsewhere) {
    const auto message = [](const std::string& model, const SolveOptions& o) -> std::string {
        System system = test::gallery_system(model);
        try {
            add_cone_outputs(system, o);
        } catch (const InvalidInput& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_NE(
        message("lotka_volterra", {.method = "rk4", .step = 0.1}).find("the method gps or mgps, but the method is rk4"),
        std::string::npos);
    EXPECT_NE(message("lotka_volterra", {.method = "gps"}).find("constant steps (--step)"), std::string::npos);
    EXPECT_NE(message("kepler", {.method = "gps", .step = 0.1}).find("first order"), std::string::npos);
    SolveOptions sets{.method = "mgps", .step = 0.1};
    sets.partition = "[[x], [y]]";
    EXPECT_NE(message("lotka_volterra", sets).find("one set of unknowns"), std::string::npos);
}

TEST(GroupPreserving, HasAConeForEachSet) {
    SolveOptions o{.method = "gps"};
    o.partition = "[[x], [y]]";
    const double h = 0.3;
    const auto single = [&](double x, double f) {
        const double w = h * std::abs(f) / x;
        return x + ((std::cosh(w) - 1) * f * x + std::sinh(w) * x * std::abs(f)) / (f * f) * f;
    };
    const auto p = one_step(predator(), o, h);
    EXPECT_NEAR(p[0], single(0.5, -0.3), 1e-15);
    EXPECT_NEAR(p[1], single(0.4, 0.2), 1e-15);
}

// (83): K and A_0^s, the step of n by (16) corrected; here y_1 = y_0 + eta rho'' f.
TEST(GroupPreserving, InGradientsMovesTheGradient) {
    const System kept = read("unknown x, y\nx' = -x + x*y\ny' = y - x*y\ninvariant log(x) - x + log(y) - y\n"
                             "start x = 0.5, y = 0.4\n");
    const double h = 0.1, x = 0.5, y = 0.4;
    const double gx = 1 / x - 1, gy = 1 / y - 1, fx = -(-x + x * y) / (x * x), fy = -(y - x * y) / (y * y);
    const double ng = std::hypot(gx, gy), nf = std::hypot(fx, fy), dot = fx * gx + fy * gy;
    const double w = h * nf / ng, eta = ((std::cosh(w) - 1) * dot + std::sinh(w) * ng * nf) / (nf * nf);
    const auto p = one_step(kept, {.method = "hgps"}, h);
    EXPECT_NEAR(p[0], 1 / (1 + gx + eta * fx), 1e-14);
    EXPECT_NEAR(p[1], 1 / (1 + gy + eta * fy), 1e-14);
}

// (28), (29).
TEST(Kahan, IsTheRationalMapOfLotkaAndVolterra) {
    const double h = 0.3, t = h / 2, x = 0.5, y = 0.4;
    const double d = 1 - t * t + (1 + t) * t * x - (1 - t) * t * y;
    const auto p = one_step(predator(), {.method = "kahan"}, h);
    EXPECT_NEAR(p[0], ((1 - t) * (1 - t) * x + (1 - t) * t * x * x + (1 + t) * t * x * y) / d, 1e-15);
    EXPECT_NEAR(p[1], ((1 + t) * (1 + t) * y - (1 + t) * t * y * y - (1 - t) * t * x * y) / d, 1e-15);
}

TEST(ProjectedMidpoint, IsTheMidpointRuleWithoutConstraints) {
    const auto p = one_step(predator(), {.method = "projected_midpoint"}, 0.3);
    const double mx = (p[0] + 0.5) / 2, my = (p[1] + 0.4) / 2;
    EXPECT_NEAR(p[0], 0.5 + 0.3 * (-mx + mx * my), 1e-15);
    EXPECT_NEAR(p[1], 0.4 + 0.3 * (my - mx * my), 1e-15);
}

// Drift, kick, drift, for H = p^2/2 - cos(q): the three steps of the triple jump.
TEST(Splitting, DriftsAndKicksInTurn) {
    const System pendulum = read("unknown q, p\nq' = p\np' = -sin(q)\nstart q = 1, p = 0.5\n");
    const double c = std::cbrt(2), g[3] = {1 / (2 - c), -c / (2 - c), 1 / (2 - c)}, h = 0.2;
    double q = 1, p = 0.5;
    for (const double part : g) {
        q += part * h / 2 * p;
        p -= part * h * std::sin(q);
        q += part * h / 2 * p;
    }
    const auto forest_ruth = one_step(pendulum, {.method = "forest_ruth"}, h);
    EXPECT_NEAR(forest_ruth[0], q, 1e-15);
    EXPECT_NEAR(forest_ruth[1], p, 1e-15);
    q = 1;
    p = 0.5;
    p -= h / 2 * std::sin(q);
    q += h * p;
    p -= h / 2 * std::sin(q);
    const auto verlet = one_step(pendulum, {.method = "verlet"}, h);
    EXPECT_NEAR(verlet[0], q, 1e-15);
    EXPECT_NEAR(verlet[1], p, 1e-15);
    // the same motion as one equation of second order, and as a hamiltonian
    const System second = read("unknown q\nq'' = -sin(q)\nstart q = 1, q' = 0.5\n");
    const System energy = read("unknown q, p\nhamiltonian p^2/2 - cos(q) with q: p\nstart q = 1, p = 0.5\n");
    for (const System& same : {second, energy}) {
        const auto other = one_step(same, {.method = "forest_ruth"}, h);
        EXPECT_NEAR(other[0], forest_ruth[0], 1e-15);
        EXPECT_NEAR(other[1], forest_ruth[1], 1e-15);
    }
}

// sum g = 1, sum g^3 = sum g^5 = ... = 0, and those of more than one factor. [HLW06, V.3.2]
TEST(Splitting, CoefficientsSatisfyTheirOrderConditions) {
    const auto check = [](std::span<const Quad> g, int order) {
        const auto sum = [&](int power, const auto& factor) {
            Quad s1 = 0, s3 = 0, total = 0;
            for (const Quad x : g) {
                Quad p = 1;
                for (int k = 0; k < power; ++k) p *= x;
                total += p * factor(s1 + x / 2, s3 + x * x * x / 2);
                s1 += x;
                s3 += x * x * x;
            }
            return static_cast<double>(total);
        };
        using Q = Quad;
        const auto one = [](Q, Q) { return Q(1); };
        const auto expect_zero = [&](int from, double value) {
            if (order < from) return;
            EXPECT_NEAR(value, 0, 1e-32) << order;
        };
        EXPECT_NEAR(sum(1, one), 1, 1e-32);
        expect_zero(4, sum(3, one));
        expect_zero(6, sum(5, one));
        expect_zero(6, sum(3, [](Q a, Q) { return a * a; }));
        expect_zero(8, sum(7, one));
        expect_zero(8, sum(5, [](Q a, Q) { return a * a; }));
        expect_zero(8, sum(3, [](Q a, Q) { return a * a * a * a; }));
        expect_zero(8, sum(3, [](Q a, Q b) { return a * b; }));
        // and not those of the next order
        const double above = order == 2   ? sum(3, one)
                             : order == 4 ? sum(5, one)
                             : order == 6 ? sum(7, one)
                                          : sum(9, one);
        EXPECT_GT(std::abs(above), 1e-3);
    };
    for (const MethodInfo& m : geometric_methods())
        if (!m.parts.empty()) check(m.parts, m.order);
}

std::string misfit_of(const std::string& text, const std::string& method_name) {
    const System system = read(text);
    return misfit(find_method(method_name), system, prolong(system, analyse(system)));
}

TEST(Fits, SeparableSystems) {
    EXPECT_EQ(misfit_of("unknown q[3], p[3]\nq' = p\np' = -q\n", "verlet"), "");
    EXPECT_EQ(misfit_of("unknown x, y\nx'' = -y\ny'' = -x*t\n", "yoshida8"), "");
    EXPECT_EQ(misfit_of("unknown p, q\nhamiltonian p^4 + cos(q) with q: p\n", "forest_ruth"), "");
    const auto has = [](const std::string& text, const std::string& part) {
        const std::string found = misfit_of(text, "verlet");
        EXPECT_NE(found.find(part), std::string::npos) << found;
    };
    has("unknown x\nx'' = -x - x'\n", "the derivative of x' depends on x' itself");
    has("unknown x, y, z\nx' = y\ny' = z\nz' = x\n", "mix both halves");
    has("unknown x, y, l\nx'' = l*x\ny'' = l*y\nx^2 + y^2 = 1\n", "it has constraints");
    has("unknown p, q\nhamiltonian p^2*q^2 with q: p\n", "itself");
    // of a hamiltonian the positions are what it says they are, whatever is declared first
    const System swapped = read("unknown p, q\nhamiltonian p^2/2 + q^2/2 with q: p\n");
    const Separation s = separate(swapped, prolong(swapped, analyse(swapped)));
    EXPECT_EQ(s.is_momentum, (std::vector<char>{1, 0}));
}

TEST(Fits, QuadraticFields) {
    EXPECT_EQ(misfit_of("unknown x, y\nx' = x*y - 3\n2*y' = (x - y)^2/7\n", "kahan"), "");
    EXPECT_EQ(misfit_of("parameter a = 2\nunknown x\nx'' = sin(a)*x^2\n", "kahan"), "");
    EXPECT_EQ(misfit_of("unknown x[5]\nfor i = 1..5: x[i]' = sum(j = 1..5, x[i]*x[j])\n", "kahan"), "");
    const auto has = [](const std::string& text, const std::string& part) {
        const std::string found = misfit_of(text, "kahan");
        EXPECT_NE(found.find(part), std::string::npos) << found;
    };
    has("unknown x, y\nx' = x^2*y\ny' = 1\n", "x' = x^2*y is no polynomial of degree 2");
    has("unknown x\nx' = t*x\n", "is no polynomial of degree 2");
    has("unknown x\nx' = 1/x\n", "is no polynomial of degree 2");
    has("unknown x\nx' = sqrt(x)\n", "is no polynomial of degree 2");
    has("unknown x\nx*x' = 1\n", "has a factor that varies");
}

TEST(Fits, OneConstraint) {
    EXPECT_EQ(misfit_of("unknown x, y\nx' = -y\ny' = x\ninvariant x^2 + y^2\n", "hmgps"), "");
    EXPECT_NE(misfit_of("unknown x, y\nx' = -y\ny' = x\n", "hmgps").find("but test has none"), std::string::npos);
    EXPECT_NE(misfit_of("unknown x\nx' = x\n", "mrk4").find("which test does not have"), std::string::npos);
}

TEST(Ray, EveryExplicitMethodHasOneThatProjectsAlongRays) {
    for (const MethodInfo& m : explicit_methods()) {
        const MethodInfo& ray = find_method("m" + std::string(m.name));
        EXPECT_EQ(ray.projection, "ray");
        EXPECT_EQ(ray.order, m.order);
        EXPECT_EQ(ray.tableau.a.data(), m.tableau.a.data());
    }
}

// Steps of all these methods run in memory that was taken before: runs of 10 and of 1000 steps allocate alike.
TEST(GeometricMethods, AllocateNothingInASteps) {
    const System kept = read("unknown q, p\nq' = p\np' = -q + q^2/9\ninvariant p^2/2 + q^2/2 - q^3/27\n"
                             "start q = 1, p = 0.5\nsolve t = 0 .. 10\n");
    for (const MethodInfo& m : geometric_methods()) {
        const auto count = [&](double end) {
            SolveOptions o{.method = std::string(m.name), .step = 0.01, .to = end, .at = {end}};
            o.backend = "interpreter";
            o.dense = false;
            const std::size_t before = test::n_allocations();
            EXPECT_EQ(solve_system(kept, o).status, Status::success) << m.name;
            return test::n_allocations() - before;
        };
        count(0.1);
        const std::size_t few = count(0.1), many = count(10);
        EXPECT_LE(many, few + 20) << m.name; // the trace of steps grows now and then
    }
}

TEST(GeometricMethods, SayThatTheyNeedTime) {
    for (const char* name : {"verlet", "kahan", "hmgps", "projected_midpoint"}) {
        SolveOptions o{.method = name, .step = 0.1, .to = 1.0};
        o.parametrisation = "arclength";
        const System kept = read("unknown q, p\nq' = p\np' = -q\ninvariant p^2 + q^2\nstart q = 1, p = 0.5\n");
        try {
            solve_system(kept, o);
            ADD_FAILURE() << name;
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()).find("arclength"), std::string::npos) << e.what();
        }
    }
}

} // namespace
} // namespace vessiot::geometric_methods_test
