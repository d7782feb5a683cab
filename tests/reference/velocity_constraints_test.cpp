// Constraints of velocities beside a lagrangian or hamiltonian, against closed forms and against the same motion in
// velocities that the constraints leave free.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "vessiot/model.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::velocity_constraints_test {
namespace {

Solution solved(const std::string& text, const std::string& method = "dop853",
                const std::string& precision = "double") {
    SolveOptions o;
    o.method = method;
    o.rtol = 1e-12;
    o.atol = 1e-13;
    o.precision = precision;
    const Solution s = solve(Model::parse(text), o);
    EXPECT_EQ(s.status, Status::success) << s.message;
    return s;
}

double last(const Solution& s, const std::string& name) {
    return s.column(name).back();
}

std::string refusal(const std::string& text, const std::string& method = "dop853") {
    try {
        SolveOptions o;
        o.method = method;
        o.step = method == "rattle" ? 0.01 : 0;
        solve(Model::parse(text), o);
    } catch (const InvalidInput& e) {
        return e.what();
    }
    return "";
}

// A blade on a slope: it turns with constant speed w, and its speed v along itself obeys v' = -k cos(phi), k = g
// sin(a).
struct Skate {
    double g, a, phi, w, v;

    std::string start() const { return fmt::format("parameter g = {}, a = {}\n", g, a); }
    std::string lagrangian() const {
        return start() + fmt::format("unknown x, y, phi\nlagrangian (x'^2 + y'^2)/2 + phi'^2/2 - g*x*sin(a)\n"
                                     "constraint x'*sin(phi) - y'*cos(phi) = 0\n"
                                     "start x = 0, y = 0, phi = {0}, x' = {1}*cos({0}), y' = {1}*sin({0}), phi' = {2}\n"
                                     "solve t = 0 .. 10\n",
                                     phi, v, w);
    }
    std::string hamiltonian() const {
        return start() + fmt::format("unknown x, y, phi, p, q, l\n"
                                     "hamiltonian (p^2 + q^2)/2 + l^2/2 + g*x*sin(a) with x: p, y: q, phi: l\n"
                                     "constraint x'*sin(phi) - y'*cos(phi) = 0\n"
                                     "start x = 0, y = 0, phi = {0}, p = {1}*cos({0}), q = {1}*sin({0}), l = {2}\n"
                                     "solve t = 0 .. 10\n",
                                     phi, v, w);
    }
    double x(double t) const {
        const double k = g * std::sin(a), s0 = std::sin(phi), s1 = std::sin(phi + w * t), c = v + k * s0 / w;
        return (c * (s1 - s0) - k / (2 * w) * (s1 * s1 - s0 * s0)) / w;
    }
    double y(double t) const {
        const double k = g * std::sin(a), c = v + k * std::sin(phi) / w, end = phi + w * t;
        return (-c * (std::cos(end) - std::cos(phi)) -
                k / w * (w * t / 2 - (std::sin(2 * end) - std::sin(2 * phi)) / 4)) /
               w;
    }
};

TEST(VelocityConstraints, ABladeOnASlope) {
    const std::vector<Skate> skates = {{9.81, 0.5, 0, 1, 0}, {9.81, 0.2, 1.2, -2.5, 3}, {1.6, 1.1, -0.7, 0.4, -1}};
    for (const Skate& skate : skates) {
        for (const std::string method : {"dop853", "radau9", "taylor"}) {
            const Solution s = solved(skate.lagrangian(), method);
            EXPECT_NEAR(last(s, "x"), skate.x(10), 1e-8) << method;
            EXPECT_NEAR(last(s, "y"), skate.y(10), 1e-8) << method;
        }
        const Solution h = solved(skate.hamiltonian());
        EXPECT_NEAR(last(h, "x"), skate.x(10), 1e-9);
        EXPECT_NEAR(last(h, "y"), skate.y(10), 1e-9);
        EXPECT_NEAR(last(solved(skate.lagrangian(), "dop853", "quad"), "x"), skate.x(10), 1e-9);
    }
}

TEST(VelocityConstraints, DerivativesOfTheSolution) {
    const Skate skate{9.81, 0.5, 0.3, 1.5, 1};
    SolveOptions o;
    o.method = "dop853";
    o.rtol = 1e-12;
    o.atol = 1e-13;
    o.sensitivity = {"g"};
    const Solution s = solve(Model::parse(skate.lagrangian()), o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    Skate other = skate;
    other.g += 1; // x is affine in g
    EXPECT_NEAR(s.sensitivity("x", "g").back(), other.x(10) - skate.x(10), 1e-8);
}

// m v' = m a w^2, (J + m a^2) w' = -m a v w, for the speed v of the blade and the rate w; energy is kept.
TEST(VelocityConstraints, ChaplyginsSleigh) {
    const std::string head = "parameter m = 1.3, J = 0.7, a = 0.4\n";
    const std::string energy = "m/2*((x' - a*sin(phi)*phi')^2 + (y' + a*cos(phi)*phi')^2) + J/2*phi'^2";
    const Solution s = solved(head + "unknown x, y, phi\nlagrangian " + energy +
                              "\nconstraint x'*sin(phi) - y'*cos(phi) = 0\n"
                              "start x = 0, y = 0, phi = 0.3, x' = cos(0.3), y' = sin(0.3), phi' = 1.5\n"
                              "solve t = 0 .. 5\noutput E = " +
                              energy + "\n");
    const Solution free = solved(head + "unknown x, y, phi, v, w\nv' = a*w^2\n(J + m*a^2)*w' = -m*a*w*v\n"
                                        "x' = v*cos(phi)\ny' = v*sin(phi)\nphi' = w\n"
                                        "start x = 0, y = 0, phi = 0.3, v = 1, w = 1.5\nsolve t = 0 .. 5\n");
    for (const std::string name : {"x", "y", "phi"}) EXPECT_NEAR(last(s, name), last(free, name), 1e-9) << name;
    EXPECT_NEAR(last(s, "phi'"), last(free, "w"), 1e-9);
    const std::vector<double> e = s.column("E");
    for (const double value : e) EXPECT_NEAR(value, e.front(), 1e-10);
}

TEST(VelocityConstraints, TheDerivativeOfAConstraintMovesAsThat) {
    const std::string head = "unknown x, y\nlagrangian (x'^2 + 3*y'^2)/2 - 9.81*y\n";
    const std::string tail = "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 2\n";
    const Solution a = solved(head + "constraint x^2 + y^2 = 1\n" + tail);
    const Solution b = solved(head + "constraint x*x' + y*y' = 0\n" + tail);
    EXPECT_NEAR(last(a, "x"), last(b, "x"), 1e-9);
    EXPECT_NEAR(last(a, "y'"), last(b, "y'"), 1e-9);
}

// On the surface z = x^2/10: r' = v e, e = (cos phi, sin phi, s cos phi), s = x/5, and v' = (e.f - v e.e')/e.e.
TEST(VelocityConstraints, BesideOneOfPositions) {
    const Solution s = solved("unknown x, y, z, phi\nlagrangian (x'^2 + y'^2 + z'^2)/2 + phi'^2/2 - 9.81*z\n"
                              "constraint z = x^2/10\nconstraint x'*sin(phi) - y'*cos(phi) = 0\n"
                              "start x = 1, y = 0, z = 0.1, phi = 0.2, x' = cos(0.2), y' = sin(0.2), phi' = 1.5\n"
                              "solve t = 0 .. 5\n");
    const Solution free = solved("unknown x, y, phi, v\nlet s = x/5\nlet c = cos(phi)\n"
                                 "v' = (-9.81*s*c - v*s*c*(v*c^2/5 - s*sin(phi)*1.5))/(1 + s^2*c^2)\n"
                                 "x' = v*c\ny' = v*sin(phi)\nphi' = 1.5\n"
                                 "start x = 1, y = 0, phi = 0.2, v = 1\nsolve t = 0 .. 5\n");
    EXPECT_NEAR(last(s, "x"), last(free, "x"), 1e-9);
    EXPECT_NEAR(last(s, "y"), last(free, "y"), 1e-9);
    EXPECT_NEAR(last(s, "z"), last(free, "x") * last(free, "x") / 10, 1e-9);
}

// (R^2 + I) th'' = -2 R cos(phi), phi = phi_0 + w t
TEST(VelocityConstraints, FamiliesOfRollingDiscs) {
    for (const int n : {1, 3, 60}) {
        const Solution s = solved(fmt::format(
            "parameter n = {}, R = 0.5, J = 0.2, I = 0.3\nunknown x[n], y[n], phi[n], th[n]\n"
            "lagrangian sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2 + J/2*phi[i]'^2 + I/2*th[i]'^2 - 2*x[i])\n"
            "for i = 1..n: constraint x[i]' = R*cos(phi[i])*th[i]'\n"
            "for i = 1..n: constraint y[i]' = R*sin(phi[i])*th[i]'\n"
            "for i = 1..n: start x[i] = 0, y[i] = i, phi[i] = 0.1*i, th[i] = 0, phi[i]' = 1 + i/n, th[i]' = 2\n"
            "solve t = 0 .. 3\n",
            n));
        for (const int i : {1, n}) {
            const double w = 1 + static_cast<double>(i) / n, phi = 0.1 * i;
            const double rate = 2 - 2 * 0.5 / (0.25 + 0.3) / w * (std::sin(phi + 3 * w) - std::sin(phi));
            EXPECT_NEAR(last(s, fmt::format("th[{}]'", i)), rate, 1e-9) << n << ' ' << i;
        }
    }
}

TEST(VelocityConstraints, WhatHasNoForcesIsRefusedWithItsPlace) {
    const std::string head = "unknown x, y\nlagrangian (x'^2 + y'^2)/2\n",
                      tail = "start x = 1, y' = 1\nsolve t = 0 .. 1\n";
    const std::string speed = refusal(head + "constraint x'^2 + y'^2 = 1\n" + tail);
    EXPECT_NE(speed.find(":3:1:"), std::string::npos) << speed;
    EXPECT_NE(speed.find("is not affine in them"), std::string::npos) << speed;
    EXPECT_NE(speed.find("d'Alembert"), std::string::npos) << speed;
    const std::string second = refusal(head + "constraint x'' = 1\n" + tail);
    EXPECT_NE(second.find("of positions and velocities"), std::string::npos) << second;
    const std::string momenta = refusal("unknown x, p\nhamiltonian p^2/2 with x: p\nconstraint p = x\n"
                                        "start x = 1\nsolve t = 0 .. 1\n");
    EXPECT_NE(momenta.find("Write it in positions and velocities, x'"), std::string::npos) << momenta;
}

TEST(VelocityConstraints, MethodsForPositionConstraintsSayNo) {
    const Skate skate{9.81, 0.5, 0, 1, 0};
    for (const std::string& text : {skate.lagrangian(), skate.hamiltonian()}) {
        const std::string said = refusal(text, "rattle");
        EXPECT_NE(said.find("constraints on the positions alone; but some contain velocities"), std::string::npos)
            << said;
    }
}

} // namespace
} // namespace vessiot::velocity_constraints_test
