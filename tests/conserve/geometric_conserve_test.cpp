// What must stay, stays: invariants of schemes along rays, energies of splitting methods over long times, symplectic
// maps, steps back.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lang/model.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::geometric_conserve_test {
namespace {

System read(const std::string& text) {
    return lang::read_model(lang::Source("test.ves", text));
}

// The bounds are those of the paper, and what round-off leaves.
TEST(Invariants, OfLiusExamplesAreKeptToRoundOff) {
    struct Row {
        std::string model, method;
        double step, bound;
        std::string partition = "auto";
    };
    for (const Row& row : {Row{"lotka_volterra", "hmgps", 0.01, 1e-14}, Row{"liu_planar", "mgps", 0.005, 3e-15},
                           Row{"friction_oscillator", "mgps", 0.001, 2e-12},
                           Row{"liu_top", "mgps", 0.001, 1e-15, "[[P[1], P[2]], [P[3]]]"},
                           Row{"liu_top", "mrk4", 0.001, 1e-15, "[[P[1], P[2]], [P[3]]]"},
                           Row{"modified_kepler", "mrk4", 0.01, 2e-15, "[[q], [p]]"}}) {
        SolveOptions o{.method = row.method, .step = row.step};
        o.partition = row.partition;
        o.newton_stop = "increment"; // to round-off, and not only as near as that changes nothing
        o.newton_tol = 1e-10;
        const Solution s = solve_system(test::gallery_system(row.model), o);
        EXPECT_EQ(s.status, Status::success) << row.model;
        EXPECT_LE(s.invariant_drift_max, row.bound) << row.model << " with " << row.method;
    }
}

double energy_error(const Solution& s, std::size_t from, std::size_t to) {
    const std::vector<double> e = s.column("E");
    double largest = 0;
    for (std::size_t k = from; k < to; ++k) largest = std::max(largest, std::abs(e[k] - e[0]));
    return largest;
}

// No drift: over the last tenth of 2000 periods the error is that of the first tenth.
TEST(Splitting, EnergyHasNoDrift) {
    const System pendulum = read("unknown q, p\nq' = p\np' = -sin(q)\noutput E = p^2/2 - cos(q)\nstart q = 2, p = 0\n");
    for (const char* method : {"verlet", "forest_ruth", "yoshida6", "yoshida8"}) {
        const Solution s = solve_system(pendulum, {.method = method, .step = 0.2, .to = 10000.0});
        const std::size_t n = s.t.size();
        const double first = energy_error(s, 0, n / 10), last = energy_error(s, n - n / 10, n);
        EXPECT_LE(last, 1.05 * first + 1e-12) << method;
    }
}

// dP dQ = dp dq, by central differences of the map of one step.
TEST(Splitting, StepsAreSymplectic) {
    const auto map = [](const std::string& method, double q, double p) {
        const System pendulum = read("unknown q, p\nq' = p^3/3 + p\np' = -sin(q)\nstart q = 1, p = 1\n");
        SolveOptions o{.method = method, .step = 0.3, .to = 0.3, .start = {{"q", q}, {"p", p}}};
        o.precision = "quad";
        const Solution s = solve_system(pendulum, o);
        return std::pair(s.row(1)[0], s.row(1)[1]);
    };
    for (const char* method : {"verlet", "forest_ruth", "yoshida4", "yoshida6", "yoshida8"}) {
        const double d = 1e-5;
        const auto [q1, p1] = map(method, 1 + d, 0.5);
        const auto [q2, p2] = map(method, 1 - d, 0.5);
        const auto [q3, p3] = map(method, 1, 0.5 + d);
        const auto [q4, p4] = map(method, 1, 0.5 - d);
        const double determinant = ((q1 - q2) * (p3 - p4) - (q3 - q4) * (p1 - p2)) / (4 * d * d);
        EXPECT_NEAR(determinant, 1, 1e-8) << method; // the differences are good to d^2 and eps/d
    }
}

// Symmetric methods find back; gps does not.
TEST(GeometricMethods, SymmetricOnesGoBackTheWayTheyCame) {
    const auto miss = [](const std::string& method, const System& system) {
        SolveOptions o{.method = method, .step = 0.1, .to = 5.0};
        const Solution there = solve_system(system, o);
        const auto end = there.row(there.t.size() - 1);
        SolveOptions back{.method = method, .step = 0.1, .from = 5.0, .to = 0.0};
        back.start = {{there.names[0], end[0]}, {there.names[1], end[1]}};
        const Solution again = solve_system(system, back);
        const auto start = again.row(again.t.size() - 1);
        return std::hypot(start[0] - there.row(0)[0], start[1] - there.row(0)[1]);
    };
    const System pendulum = read("unknown q, p\nq' = p\np' = -sin(q)\nstart q = 1, p = 1\n");
    const System predator = read("unknown x, y\nx' = -x + x*y\ny' = y - x*y\nstart x = 0.5, y = 0.4\n");
    for (const char* method : {"verlet", "forest_ruth", "yoshida4", "yoshida6", "yoshida8", "projected_midpoint"})
        EXPECT_LE(miss(method, pendulum), 1e-12) << method;
    EXPECT_LE(miss("kahan", predator), 1e-12);
    EXPECT_GE(miss("gps", predator), 1e-4);
}

// Kahan's method keeps the orbits of Lotka and Volterra closed: no drift of the invariant over 300 periods.
TEST(Kahan, OrbitsStayClosed) {
    const Solution s = solve_system(
        read("unknown x, y\nx' = -x + x*y\ny' = y - x*y\noutput E = log(x) - x + log(y) - y\nstart x = 0.5, y = 0.5\n"),
        {.method = "kahan", .step = 0.05, .to = 2000.0});
    const std::size_t n = s.t.size();
    EXPECT_LE(energy_error(s, n - n / 10, n), 1.02 * energy_error(s, 0, n / 10));
}

} // namespace
} // namespace vessiot::geometric_conserve_test
