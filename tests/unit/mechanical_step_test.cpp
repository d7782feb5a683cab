// One step of the methods for mechanical systems against their formulas; what they count, that they take no memory, and
// what they say of systems that do not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/count_allocations.hpp"
#include "support/refusal.hpp"

namespace vessiot::mechanical_step_test {
namespace {

System model(const std::string& text) {
    return lang::read_model(lang::Source("model.ves", text));
}

const std::string pendulum = "unknown x, y, lambda\n2*x'' = -lambda*x\n2*y'' = -lambda*y - 2*9.81\nx^2 + y^2 = 1\n"
                             "start x = 0.6, y = -0.8, x' = 0.8, y' = 0.6\n";

Solution one_step(const std::string& text, const std::string& method, double h,
                  const std::string& projection = "auto") {
    SolveOptions o{.method = method, .step = h, .from = 0.0, .to = h};
    o.projection = projection;
    return solve_system(model(text), o);
}

double value(const Solution& s, const std::string& name) {
    return s.row(s.t.size() - 1)[s.column_of(name)];
}

using Vec = std::array<double, 2>;
Vec operator+(Vec a, Vec b) {
    return {a[0] + b[0], a[1] + b[1]};
}
Vec operator*(double c, Vec a) {
    return {c * a[0], c * a[1]};
}
double dot(Vec a, Vec b) {
    return a[0] * b[0] + a[1] * b[1];
}

// The point on the circle that is q minus a multiple of n: the multiple nearest to zero.
Vec onto_circle(Vec q, Vec n) {
    const double a = dot(n, n), b = dot(q, n), c = dot(q, q) - 1;
    const double s = (b - std::sqrt(b * b - a * c)) / a; // |q - s n| = 1
    return q + -s * n;
}

const Vec q_0{0.6, -0.8}, v_0{0.8, 0.6}, gravity{0, -9.81};

TEST(MechanicalStep, RattleIsItsFormula) {
    const double h = 0.05;
    const Vec q = onto_circle(q_0 + h * (v_0 + h / 2 * gravity), q_0);
    Vec v = 1 / h * (q + -1 * q_0) + h / 2 * gravity;
    v = v + -dot(v, q) * q;
    const Solution s = one_step(pendulum, "rattle", h);
    EXPECT_NEAR(value(s, "x"), q[0], 1e-15);
    EXPECT_NEAR(value(s, "y"), q[1], 1e-15);
    EXPECT_NEAR(value(s, "x'"), v[0], 1e-13);
    EXPECT_NEAR(value(s, "y'"), v[1], 1e-13);
}

TEST(MechanicalStep, ShakeHasThePositionsOfRattleAndVelocitiesOfTheNextStep) {
    const double h = 0.05;
    const Vec q_1 = onto_circle(q_0 + h * (v_0 + h / 2 * gravity), q_0);
    const Vec q_2 = onto_circle(2 * q_1 + -1 * q_0 + h * h * gravity, q_1);
    const Solution s = one_step(pendulum, "shake", h);
    EXPECT_NEAR(value(s, "x"), q_1[0], 1e-15);
    EXPECT_NEAR(value(s, "x'"), (q_2[0] - q_0[0]) / (2 * h), 1e-13);
    EXPECT_NEAR(value(s, "y'"), (q_2[1] - q_0[1]) / (2 * h), 1e-13);
}

// A projection acts on velocities, and the multipliers of the next step take it back.
TEST(MechanicalStep, ShakeWithAProjectionIsRattle) {
    SolveOptions o{.method = "shake", .step = 0.05, .from = 0.0, .to = 0.5};
    for (const std::string projection : {"simplified", "newton", "chord"}) {
        o.projection = projection;
        const Solution s = solve_system(model(pendulum), o);
        EXPECT_LT(s.constraint_residual_max, 1e-14) << projection;
        SolveOptions other = o;
        other.method = "rattle";
        const Solution rattle = solve_system(model(pendulum), other);
        for (const std::string name : {"x", "y", "x'", "y'"})
            EXPECT_NEAR(value(s, name), value(rattle, name), 1e-12) << projection << " " << name;
    }
}

TEST(MechanicalStep, SymplecticEulerIsItsFormula) {
    const double h = 0.05;
    const Vec q = onto_circle(q_0 + h * (v_0 + h * gravity), q_0);
    const Vec free = 1 / h * (q + -1 * q_0);
    const Vec v = free + -dot(free, q) * q;
    const Solution s = one_step(pendulum, "symplectic_euler", h),
                   raw = one_step(pendulum, "symplectic_euler", h, "none");
    EXPECT_NEAR(value(s, "x"), q[0], 1e-15);
    EXPECT_NEAR(value(s, "x'"), v[0], 1e-13);
    EXPECT_NEAR(value(s, "y'"), v[1], 1e-13);
    EXPECT_NEAR(value(raw, "x'"), free[0], 1e-13); // (4.4) alone
    EXPECT_NEAR(value(raw, "y'"), free[1], 1e-13);
    EXPECT_GT(raw.constraint_residual_max, 1e-3);
}

// y_1 = v_0 + h (gravity - lambda q_1), q_1 = q_0 + h y_1: q_1 is parallel to q_0 + h v_0 + h^2 gravity.
TEST(MechanicalStep, ConstrainedEulerIsItsFormula) {
    const double h = 0.05;
    Vec q = q_0 + h * (v_0 + h * gravity);
    q = 1 / std::sqrt(dot(q, q)) * q;
    const Solution raw = one_step(pendulum, "constrained_euler", h, "none");
    EXPECT_NEAR(value(raw, "x"), q[0], 1e-14);
    EXPECT_NEAR(value(raw, "y"), q[1], 1e-14);
    EXPECT_NEAR(value(raw, "x'"), (q[0] - q_0[0]) / h, 1e-12);
    const Solution s = one_step(pendulum, "constrained_euler", h);
    EXPECT_NEAR(value(s, "x") * value(s, "x'") + value(s, "y") * value(s, "y'"), 0, 1e-15);
}

TEST(MechanicalStep, WithoutConstraintsRattleIsVelocityVerlet) {
    const double h = 0.1;
    const Solution s = one_step("unknown x\nx'' = -sin(x)\nstart x = 1, x' = 0.5\n", "rattle", h);
    const double half = 0.5 - h / 2 * std::sin(1.0), x = 1 + h * half;
    EXPECT_DOUBLE_EQ(value(s, "x"), x);
    EXPECT_DOUBLE_EQ(value(s, "x'"), half - h / 2 * std::sin(x));
}

// The trapezoidal rule in the end, as the half steps of a linear damping are implicit and explicit Euler.
TEST(MechanicalStep, ForcesMayDependOnVelocities) {
    const double h = 0.1, c = 3;
    const Solution s = one_step("unknown x\nx'' = -3*x'\nstart x = 0, x' = 1\n", "rattle", h);
    EXPECT_NEAR(value(s, "x'"), (1 - c * h / 2) / (1 + c * h / 2), 1e-15);
    EXPECT_NEAR(value(s, "x"), h / (1 + c * h / 2), 1e-16);
}

TEST(MechanicalStep, ALagrangianAndAHamiltonianAreTheSame) {
    const std::string constraint = "constraint (x^2 + y^2 - 1)/2 = 0\n";
    const std::string lagrangian = "unknown x, y\nlagrangian 3*(x'^2 + 2*y'^2)/2 - 3*9.81*y\n" + constraint +
                                   "start x = 0.6, y = -0.8, x' = 0.8, y' = 0.6\n";
    const std::string hamiltonian = "unknown x, y, p, r\nhamiltonian p^2/6 + r^2/12 + 3*9.81*y with x: p, y: r\n" +
                                    constraint + "start x = 0.6, y = -0.8, p = 2.4, r = 3.6\n";
    for (const std::string method : {"symplectic_euler", "rattle", "rattle4", "lobatto3ab", "shake"}) {
        const Solution a = one_step(lagrangian, method, 0.03), b = one_step(hamiltonian, method, 0.03);
        EXPECT_NEAR(value(a, "x"), value(b, "x"), 1e-14) << method;
        EXPECT_NEAR(3 * value(a, "x'"), value(b, "p"), 1e-12) << method;
        EXPECT_NEAR(6 * value(a, "y'"), value(b, "r"), 1e-12) << method;
        EXPECT_NEAR(value(a, "lambda[1]"), value(b, "lambda[1]"), 1e-11) << method;
    }
}

// The same masses, diagonal and not: z = x + y as a second coordinate.
TEST(MechanicalStep, MassMatricesNeedNotBeDiagonal) {
    const std::string diagonal = "unknown x, y\nlagrangian (x'^2 + 3*y'^2)/2 - 9.81*y\nconstraint x^2 + y^2 - 1 = 0\n"
                                 "start x = 0.6, y = -0.8, x' = 0.8, y' = 0.6\n";
    const std::string full = "unknown x, z\nlagrangian (x'^2 + 3*(z' - x')^2)/2 - 9.81*(z - x)\n"
                             "constraint x^2 + (z - x)^2 - 1 = 0\n"
                             "start x = 0.6, z = -0.2, x' = 0.8, z' = 1.4\n";
    for (const std::string method : {"symplectic_euler", "constrained_euler", "rattle", "rattle6", "lobatto3ab"}) {
        const Solution a = one_step(diagonal, method, 0.03), b = one_step(full, method, 0.03);
        EXPECT_NEAR(value(a, "x"), value(b, "x"), 1e-14) << method;
        EXPECT_NEAR(value(a, "y") + value(a, "x"), value(b, "z"), 1e-14) << method;
        EXPECT_NEAR(value(a, "y'") + value(a, "x'"), value(b, "z'"), 1e-12) << method;
    }
}

// Back to where it came from: steps of -h undo those of h.
TEST(MechanicalStep, SymmetricMethodsGoBackTheWayTheyCame) {
    for (const std::string method : {"rattle", "rattle4", "rattle6", "rattle8", "lobatto3ab"}) {
        SolveOptions there{.method = method, .step = 0.02, .from = 0.0, .to = 2.0};
        const Solution s = solve_system(model(pendulum), there);
        SolveOptions back{.method = method, .step = 0.02, .from = 2.0, .to = 0.0};
        for (const std::string name : {"x", "y", "x'", "y'"}) back.start.emplace_back(name, value(s, name));
        const Solution r = solve_system(model(pendulum), back);
        EXPECT_NEAR(value(r, "x"), 0.6, 1e-12) << method;
        EXPECT_NEAR(value(r, "y'"), 0.6, 1e-12) << method;
    }
}

TEST(MechanicalStep, InvariantsAreImposedByTheProjectionAlone) {
    const std::string text = pendulum + "invariant x'^2 + y'^2 + 2*9.81*y\n";
    SolveOptions o{.method = "rattle", .step = 0.02, .from = 0.0, .to = 5.0};
    EXPECT_LT(solve_system(model(text), o).invariant_drift_max, 1e-12);
    o.projection = "none";
    const Solution s = solve_system(model(text), o);
    EXPECT_GT(s.invariant_drift_max, 1e-4);
    EXPECT_LT(s.constraint_residual_max, 1e-14); // these are the method's own business
}

TEST(MechanicalStep, StepsAreControlledByDoubling) {
    SolveOptions o{.method = "rattle4", .rtol = 1e-9, .atol = 1e-11, .from = 0.0, .to = 5.0};
    SolveOptions reference = o;
    reference.method = "dop853";
    reference.rtol = 1e-12;
    const Solution a = solve_system(model(pendulum), o), b = solve_system(model(pendulum), reference);
    EXPECT_NEAR(value(a, "x"), value(b, "x"), 1e-6);
    EXPECT_GT(a.stats.steps, 20);
    for (const double t : {0.33, 2.71, 4.9}) EXPECT_NEAR(a(t)[0], b(t)[0], 1e-6);
}

TEST(MechanicalStep, EventsAreFoundBetweenSteps) {
    const std::string text = pendulum + "event lowest: x = 0 falling\n";
    SolveOptions o{.method = "rattle8", .step = 0.05, .from = 0.0, .to = 5.0};
    const Solution s = solve_system(model(text), o);
    o.method = "dop853";
    o.step = 0;
    o.rtol = 1e-11;
    const Solution exact = solve_system(model(text), o);
    ASSERT_EQ(s.events.size(), exact.events.size());
    ASSERT_GE(s.events.size(), 1U);
    EXPECT_NEAR(s.events[0].t, exact.events[0].t, 1e-6);
}

// From rest, by steps of every size: what a step moves is small beside the round-off of the positions.
TEST(MechanicalStep, StepsMayBeSmall) {
    const std::string text = "unknown x, y, z\n"
                             "lagrangian (x'^2 + y'^2 + z'^2)/2 - 9.81*z\n"
                             "constraint x^2 + y^2 + z^2 = 1\n"
                             "force x = -x'/2\nforce y = -y'/2\nforce z = -z'/2\n"
                             "start x = 0.6, y = 0, z = 0.8, x' = 0, y' = 0, z' = 0\n";
    for (const method::MethodInfo& m : method::mechanical_methods()) {
        if (m.name == "shake") continue;
        for (const double h : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
            SolveOptions o{.method = std::string(m.name), .step = h, .from = 0.0, .to = 3 * h, .at = {3 * h}};
            o.dense = false;
            const Solution s = solve_system(model(text), o);
            ASSERT_EQ(s.status, Status::success) << m.name << ", h = " << h << ": " << s.message;
            const auto velocity = std::ranges::find(s.names, "x'") - s.names.begin();
            // z'' = -9.81 + 0.8^2 9.81, x'' = 0.6 0.8 9.81
            EXPECT_NEAR(s.numbers[static_cast<std::size_t>(velocity)], 3 * h * 0.48 * 9.81,
                        20 * h * h + 1e-3 * h + 1e-13)
                << m.name << ", h = " << h;
        }
    }
}

void expect_no_memory(const method::MethodInfo& m, const std::string& text) {
    const auto allocations = [&](double to) {
        SolveOptions o{.method = std::string(m.name), .step = 0.01, .from = 0.0, .to = to, .at = {to}};
        o.backend = "interpreter";
        o.dense = false;
        const System system = model(text);
        const std::size_t before = test::n_allocations();
        solve_system(system, o);
        return test::n_allocations() - before;
    };
    // 490 steps more; the record of step sizes doubles its memory a few times. Of three tries the best: native code
    // of other tests may still be compiled meanwhile.
    std::size_t fewest = 1000;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const std::size_t few = allocations(0.1), many = allocations(5.0);
        fewest = std::min(fewest, many > few ? many - few : 0);
    }
    EXPECT_LT(fewest, 10U) << m.name << " on\n" << text;
}

TEST(MechanicalStep, TakesNoMemory) {
    const std::string polar = "unknown r, phi, z\n"
                              "lagrangian (r'^2 + r^2*phi'^2 + z'^2)/2 - z\n"
                              "constraint z = r^2/2\n"
                              "start r = 1, phi = 0, z = 0.5, r' = 0.3, phi' = 1.2, z' = 0.3\n";
    for (const method::MethodInfo& m : method::mechanical_methods()) {
        expect_no_memory(m, pendulum);
        if (m.name != "shake") expect_no_memory(m, polar);
    }
}

std::string refusal(const std::string& text, const std::string& method) {
    return test::message([&] { one_step(text, method, 0.1); });
}

TEST(MechanicalStep, SaysWhatASystemLacks) {
    const std::string first = refusal("unknown x, y\nx' = y\ny' = -x\nstart x = 1, y = 0\n", "rattle");
    EXPECT_NE(first.find("the method rattle needs positions with second derivatives"), std::string::npos) << first;
    EXPECT_NE(first.find("'x' is an unknown of order 1. Methods that fit model: euler"), std::string::npos) << first;
    EXPECT_EQ(first.find("rattle4"), std::string::npos) << first;
    const std::string velocities =
        refusal("unknown x, y, l\nx'' = -l\ny'' = x*l\ny' = x*x'\nstart x = 1, y = 0, x' = 1\n", "rattle");
    EXPECT_NE(velocities.find("constraints on the positions alone"), std::string::npos) << velocities;
    const std::string damped = refusal("unknown x\nx'' = -x'\nstart x = 1, x' = 0\n", "shake");
    EXPECT_NE(damped.find("shake needs forces that depend on positions alone"), std::string::npos) << damped;
}

} // namespace
} // namespace vessiot::mechanical_step_test
