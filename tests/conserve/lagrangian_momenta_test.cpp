// A lagrangian whose momenta are not M q' with constant masses M is stepped in its momenta: the steps are those of the
// hamiltonian that belongs to it, so that they are symplectic, and energy does not drift.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "lang/model.hpp"
#include "solve/problem/solve.hpp"

namespace vessiot::lagrangian_momenta_test {
namespace {

struct Pair {
    std::string name;
    std::string lagrangian, hamiltonian;
    std::vector<std::string> positions;
};

const std::vector<Pair>& pairs() {
    static const std::vector<Pair> all{
        {"double pendulum",
         "unknown a, b\n"
         "lagrangian 3/2*a'^2 + b'^2/2 + a'*b'*cos(a - b) + 2*cos(a) + cos(b)\n"
         "start a = 0.6, b = 0.3, a' = 0, b' = 0.2\n",
         "unknown a, b, p, r\n"
         "hamiltonian (p^2 - 2*p*r*cos(a - b) + 3*r^2)/(2*(3 - cos(a - b)^2)) - 2*cos(a) - cos(b) with a: p, b: r\n"
         "start a = 0.6, b = 0.3, p = 0.2*cos(0.3), r = 0.2\n",
         {"a", "b"}},
        {"polar coordinates, and a constraint",
         "unknown r, phi, z\n"
         "lagrangian (r'^2 + r^2*phi'^2 + z'^2)/2 - z\n"
         "constraint z = r^2/2\n"
         "start r = 1, phi = 0, z = 0.5, r' = 0.3, phi' = 1.2, z' = 0.3\n",
         "unknown r, phi, z, p_r, p_phi, p_z\n"
         "hamiltonian (p_r^2 + p_phi^2/r^2 + p_z^2)/2 + z with r: p_r, phi: p_phi, z: p_z\n"
         "constraint z = r^2/2\n"
         "start r = 1, phi = 0, z = 0.5, p_r = 0.3, p_phi = 1.2, p_z = 0.3\n",
         {"r", "phi", "z"}},
        {"magnetic field",
         "unknown x, y\n"
         "lagrangian (x'^2 + y'^2)/2 + (1 + x^2)*(x*y' - y*x')/2 - (x^2 + 2*y^2)/2\n"
         "start x = 1, y = 0, x' = 0, y' = 0.5\n",
         "unknown x, y, p, q\n"
         "hamiltonian ((p + (1 + x^2)*y/2)^2 + (q - (1 + x^2)*x/2)^2)/2 + (x^2 + 2*y^2)/2 with x: p, y: q\n"
         "start x = 1, y = 0, p = 0, q = 1.5\n",
         {"x", "y"}},
        {"masses that depend on t",
         "unknown x\n"
         "lagrangian exp(t/10)*(x'^2/2 - x^2/2)\n"
         "start x = 1, x' = 0.5\n",
         "unknown x, p\n"
         "hamiltonian exp(-t/10)*p^2/2 + exp(t/10)*x^2/2 with x: p\n"
         "start x = 1, p = 0.5\n",
         {"x"}},
        {"masses that depend on velocities",
         "unknown x\n"
         "lagrangian -sqrt(1 - x'^2) - x^2/2\n"
         "start x = 0.8, x' = 0\n",
         "unknown x, p\n"
         "hamiltonian sqrt(1 + p^2) + x^2/2 with x: p\n"
         "start x = 0.8, p = 0\n",
         {"x"}},
        {"a chain of angles, and forces that are not of a potential",
         "parameter n = 4\n"
         "unknown a[n]\n"
         "lagrangian sum(i = 1..n, sum(j = 1..n, (n + 1 - max(i, j))*a[i]'*a[j]'*cos(a[i] - a[j])))/2\n"
         "    + sum(i = 1..n, (n + 1 - i)*cos(a[i]))\n"
         "force a[1] = -a[1]'/10\n"
         "for i = 1..n: start a[i] = i/10, a[i]' = 0\n",
         "", // no hamiltonian in closed form: against small steps of another method
         {"a[1]", "a[4]"}},
    };
    return all;
}

Solution run(const std::string& text, const std::string& method, double h, double to) {
    const System system = lang::read_model(lang::Source("model.ves", text));
    SolveOptions o{.method = method, .step = h, .from = 0.0, .to = to, .at = {to}};
    o.dense = false;
    return solve_system(system, o);
}

double value(const Solution& s, const std::string& name) {
    const auto it = std::ranges::find(s.names, name);
    EXPECT_NE(it, s.names.end()) << name;
    return s.numbers[static_cast<std::size_t>(it - s.names.begin())];
}

TEST(LagrangianMomenta, StepsAreThoseOfTheHamiltonian) {
    for (const Pair& p : pairs()) {
        if (p.hamiltonian.empty()) continue;
        for (const char* method : {"symplectic_euler", "constrained_euler", "rattle", "rattle4", "lobatto3ab"}) {
            const Solution a = run(p.lagrangian, method, 0.02, 4), b = run(p.hamiltonian, method, 0.02, 4);
            ASSERT_EQ(a.status, Status::success) << p.name << ", " << method << ": " << a.message;
            ASSERT_EQ(b.status, Status::success) << p.name << ", " << method << ": " << b.message;
            for (const std::string& q : p.positions)
                EXPECT_NEAR(value(a, q), value(b, q), 1e-11) << p.name << ", " << method << ", " << q;
        }
    }
}

// Errors at h and h/2
TEST(LagrangianMomenta, ConvergesWithItsOrder) {
    for (const Pair& p : pairs()) {
        const Solution exact = run(p.lagrangian, "dop853", 0.002, 2);
        for (const auto& [method, order, h] : {std::tuple{"rattle", 2, 0.01}, std::tuple{"lobatto3ab", 4, 0.05}}) {
            double errors[2];
            for (int k = 0; k < 2; ++k) {
                const Solution s = run(p.lagrangian, method, h / (k + 1), 2);
                errors[k] = 0;
                for (const std::string& q : p.positions)
                    errors[k] = std::max(errors[k], std::fabs(value(s, q) - value(exact, q)));
            }
            EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.15) << p.name << ", " << method;
        }
    }
}

// The largest errors of the energy in the first and the last tenth of a long run
TEST(LagrangianMomenta, EnergyDoesNotDrift) {
    const std::string text =
        pairs()[0].lagrangian + "output E = 3/2*a'^2 + b'^2/2 + a'*b'*cos(a - b) - 2*cos(a) - cos(b)\n";
    const System system = lang::read_model(lang::Source("model.ves", text));
    SolveOptions o{.method = "rattle", .step = 0.05, .from = 0.0, .to = 5000};
    o.dense = false;
    const Solution s = solve_system(system, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    const std::size_t n = s.output_numbers.size(), part = n / 10;
    ASSERT_GT(n, 90000U);
    const auto worst = [&](std::size_t first) {
        double result = 0;
        for (std::size_t k = first; k < first + part; ++k)
            result = std::max(result, std::fabs(s.output_numbers[k] - s.output_numbers[0]));
        return result;
    };
    EXPECT_LT(worst(0), 2e-3);
    EXPECT_NEAR(worst(n - part) / worst(0), 1, 0.1);
}

} // namespace
} // namespace vessiot::lagrangian_momenta_test
