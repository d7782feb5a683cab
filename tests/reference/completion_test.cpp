// Completion from raw equations to the motion: the same system written in many ways has the same index, the same
// dimensions and the same solution, which is known.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/completion.hpp"
#include "support/gallery.hpp"

namespace vessiot::completion_test {
namespace {

using test::inspect_text;
using test::LinearDae;
using test::Lines;
using test::refusal;
using test::solve_text;

using Values = std::map<std::string, double>;

testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

double value(const Solution& s, const std::string& name) {
    return s.column(name).back();
}

// Run with rtol 1e-12: errors of some 1e-11 in a swing of a second, grown by at most 100 in ten.
constexpr double tolerance = 1e-9;

// The pendulum at rest at x = l, y = 0; from the reference values of gallery/pendulum.json at t.
Values pendulum_at(const std::string& t) {
    const nlohmann::json data = test::gallery_data("pendulum");
    for (const nlohmann::json& point : data["reference"]) {
        if (point["t"] != t || point.contains("parameters")) continue;
        Values values;
        for (const auto& [name, number] : point["values"].items())
            values[name] = static_cast<double>(test::read_quad(number));
        return values;
    }
    ADD_FAILURE() << "no reference at t = " << t;
    return {};
}

// index, dimension of the manifold with t
void expect_pendulum(const SystemSummary& s) {
    EXPECT_EQ(s.index, 3);
    EXPECT_EQ(s.manifold_dimension, 3);
}

// ---- the pendulum, in many ways ----

const std::string pendulum_start = "start x = l, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n";
const std::string pendulum_head = "parameter g = 9.81, l = 1\nunknown x, y, lambda\n"
                                  "let F1 = x'' + lambda*x\nlet F2 = y'' + lambda*y + g\nlet F3 = x^2 + y^2 - l^2\n";

TEST(PendulumWrittenAnew, NewtonsLawHasIndexThreeTwoHiddenConstraintsAndOneDegreeOfFreedom) {
    const Inspection i = inspect_text(pendulum_head + "F1 = 0\nF2 = 0\nF3 = 0\n" + pendulum_start);
    ASSERT_TRUE(i.is_checked) << i.problem;
    expect_pendulum(i.system);
    EXPECT_EQ(i.system.hidden_constraints, 2);
    EXPECT_EQ(i.system.degrees_of_freedom, 1);
    EXPECT_EQ(i.constraints.size(), 2U); // the circle and the tangent; the third one gives lambda, a top
}

TEST(PendulumWrittenAnew, AsFiveEquationsOfFirstOrderItMovesTheSame) {
    const Solution s = solve_text("parameter g = 9.81, l = 1\nunknown x, y, u, v, lambda\n"
                                  "x' = u\ny' = v\nu' = -lambda*x\nv' = -lambda*y - g\nx^2 + y^2 = l^2\n"
                                  "start x = l, y = 0, u = 0, v = 0\nsolve t = 0 .. 10\n");
    expect_pendulum(s.system);
    EXPECT_EQ(s.system.hidden_constraints, 2);
    Values exact = pendulum_at("10");
    EXPECT_NEAR(value(s, "x"), exact["x"], tolerance);
    EXPECT_NEAR(value(s, "y"), exact["y"], tolerance);
    EXPECT_NEAR(value(s, "u"), exact["x'"], 10 * tolerance);
    EXPECT_NEAR(value(s, "v"), exact["y'"], 10 * tolerance);
    EXPECT_NEAR(value(s, "lambda"), exact["lambda"], 10 * tolerance);
}

void expect_pendulum_motion(const Solution& s) {
    expect_pendulum(s.system);
    for (const auto& [name, number] : pendulum_at("1")) {
        if (name == "x''" || name == "y''") continue; // no values of a solution
        EXPECT_NEAR(value(s, name), number, tolerance) << name;
    }
    EXPECT_LT(s.constraint_residual_max, 1e-12); // relative to the largest term: round-off
}

TEST(PendulumWrittenAnew, WithTheConstraintAddedToTheOtherEquations) {
    for (const std::string mixed : {"F1 + F3 = 0\nF2 = 0\nF3 = 0\n", "F1 + F3 = 0\nF2 - 2*F3 = 0\nF3 + F1 + F2 = 0\n",
                                    "F1 + F2 = 0\nF1 - F2 + F3 = 0\nF3 + F1 = 0\n",
                                    "F1 + x*F3 = 0\nF2 + y^2*F3 = 0\nF2 + (1 + x^2 + y^2)*F3 = 0\n"}) {
        SCOPED_TRACE(mixed);
        expect_pendulum_motion(solve_text(pendulum_head + mixed + pendulum_start));
    }
}

TEST(PendulumWrittenAnew, WithAllEquationsMixedByARandomRotation) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        std::string equations;
        for (const auto& row : test::random_rotation(random, 3))
            equations += fmt::format("({})*F1 + ({})*F2 + ({})*F3 = 0\n", row[0], row[1], row[2]);
        expect_pendulum_motion(solve_text(pendulum_head + equations + pendulum_start));
    }
}

// x = c p - s q, y = s p + c q, in which every equation contains both second derivatives and, mixed, the multiplier.
TEST(PendulumWrittenAnew, InRotatedCoordinates) {
    for (const std::string angle : {"0", "0.7", "pi/2", "pi/4", "-2.3"}) {
        for (const std::string mixed : {"F1 = 0\nF2 = 0\nF3 = 0\n", "F1 + F3 = 0\nF2 - F3 = 0\nF1 + F2 + F3 = 0\n"}) {
            SCOPED_TRACE(angle + ": " + mixed);
            const Solution s =
                solve_text("parameter g = 9.81, l = 1, a = " + angle +
                           "\nunknown p, q, lambda\nlet x = cos(a)*p - sin(a)*q\nlet y = sin(a)*p + cos(a)*q\n"
                           "let F1 = x'' + lambda*x\nlet F2 = y'' + lambda*y + g\nlet F3 = x^2 + y^2 - l^2\n" +
                           mixed +
                           "start p = l*cos(a), q = -l*sin(a), p' = 0, q' = 0\noutput X = x\noutput Y = y\n"
                           "solve t = 0 .. 1\n");
            expect_pendulum(s.system);
            Values exact = pendulum_at("1");
            EXPECT_NEAR(value(s, "X"), exact["x"], tolerance);
            EXPECT_NEAR(value(s, "Y"), exact["y"], tolerance);
            EXPECT_NEAR(value(s, "lambda"), exact["lambda"], tolerance);
        }
    }
}

// Two frames that turn against each other: position (p, q) in one, Newton's law along the axes of another, angle by
// angle as functions of t. All terms of the connection occur, and cancel.
TEST(PendulumWrittenAnew, InATurningFrame) {
    const Solution s =
        solve_text("parameter g = 9.81, l = 1, w = 0.8\nunknown p, q, lambda\n"
                   "let x = cos(w*t)*p - sin(w*t)*q\nlet y = sin(w*t)*p + cos(w*t)*q\n"
                   "cos(w*t)*(x'' + lambda*x) + sin(w*t)*(y'' + lambda*y + g) + p^2 + q^2 = l^2\n"
                   "sin(w*t)*(x'' + lambda*x) - cos(w*t)*(y'' + lambda*y + g) = 0\n"
                   "x^2 + y^2 = l^2\n"
                   "start p = l, q = 0, p' = 0, q' = -w*l\noutput X = x\noutput Y = y\nsolve t = 0 .. 1\n");
    expect_pendulum(s.system);
    Values exact = pendulum_at("1");
    EXPECT_NEAR(value(s, "X"), exact["x"], tolerance);
    EXPECT_NEAR(value(s, "Y"), exact["y"], tolerance);
}

// ---- n pendulums in a chain ----

TEST(NPendulum, HasNDegreesOfFreedomAndTwoNHiddenConstraints) {
    for (const std::string model : {"n_pendulum", "hanging_chain"})
        for (const int n : {1, 3, 10, 100}) {
            SCOPED_TRACE(fmt::format("{} n = {}", model, n));
            const Inspection i = inspect(test::gallery_system(model, {{"n", fmt::format("{}", n)}}), {});
            ASSERT_TRUE(i.is_checked) << i.problem;
            EXPECT_EQ(i.system.index, 3);
            EXPECT_EQ(i.system.degrees_of_freedom, n);
            EXPECT_EQ(i.system.hidden_constraints, 2 * n);
            EXPECT_EQ(i.system.manifold_dimension, 2 * n + 1);
        }
}

// ---- ten thousand equations ----

// Independent systems of index 2: x' = z - x, y' = z x - y, x + y = 1, so that z = 1/(1 + x).
TEST(LargeSystems, TenThousandEquationsHaveTheirHiddenConstraintsAndAreSolved) {
    constexpr int n = 3400;
    const std::string text =
        fmt::format("parameter n = {}\nunknown x[n], y[n], z[n]\nfor i = 1..n:\n    x[i]' = z[i] - x[i]\n"
                    "    y[i]' = z[i]*x[i] - y[i]\n    x[i] + y[i] = 1\n    start x[i] = 0.5 + 0.1*sin(i)\n"
                    "solve t = 0 .. 0.01\n",
                    n);
    const Inspection i = inspect_text(text);
    ASSERT_TRUE(i.is_checked) << i.problem;
    EXPECT_EQ(i.system.equations, 3 * n);
    EXPECT_EQ(i.system.index, 2);
    EXPECT_EQ(i.system.hidden_constraints, n);
    EXPECT_EQ(i.system.degrees_of_freedom, n);
    const Solution s = solve_text(text);
    EXPECT_NEAR(value(s, "z[3400]") * (1 + value(s, "x[3400]")), 1, 1e-12);
    EXPECT_NEAR(value(s, "x[3400]") + value(s, "y[3400]"), 1, 1e-14);
}

// ---- linear systems with constant coefficients ----

struct Blocks {
    int n_differential;
    std::vector<int> nilpotent;
};

// Coefficients up to some tens, derivatives of the data up to the fourth with factors 1.5^4, in rotations an error of
// 1e-16 in every coefficient.
void check_linear(const LinearDae& dae, bool has_matrices) {
    const std::string text = dae.text(has_matrices);
    SCOPED_TRACE(text);
    const Solution s = solve_text(text);
    EXPECT_EQ(s.system.index, dae.index());
    EXPECT_EQ(s.system.manifold_dimension, dae.n_free() + 1);
    const std::vector<double> exact = dae.y(1);
    double size = 1;
    for (const double y : exact) size = std::max(size, std::fabs(y));
    for (int j = 0; j < dae.size(); ++j) {
        const std::string name = has_matrices ? fmt::format("y[{}]", j + 1) : fmt::format("y{}", j + 1);
        EXPECT_NEAR(value(s, name), exact[static_cast<std::size_t>(j)], tolerance * size) << name;
    }
}

TEST(LinearConstantCoefficients, TheIndexIsThatOfNilpotencyAndTheSolutionTheExactOne) {
    const std::vector<Blocks> forms{{2, {1}}, {1, {2}},    {2, {2, 1}}, {0, {3}},    {1, {3, 2}},
                                    {2, {4}}, {0, {4, 1}}, {1, {5}},    {2, {5, 3}}, {3, {1, 1, 2}}};
    for (const Blocks& form : forms)
        for (const std::uint64_t seed : {11, 12, 13}) {
            std::mt19937_64 random(seed);
            check_linear(LinearDae(random, form.n_differential, form.nilpotent, true), seed == 11);
        }
}

TEST(LinearConstantCoefficients, RoundedCoefficientsAreNoOtherSystem) {
    for (const Blocks& form : std::vector<Blocks>{{2, {1}}, {1, {2}}, {2, {3}}, {1, {2, 2}}, {1, {4}}, {2, {5}}})
        for (const std::uint64_t seed : {21, 22}) {
            std::mt19937_64 random(seed);
            check_linear(LinearDae(random, form.n_differential, form.nilpotent, false), seed == 21);
        }
}

TEST(LinearConstantCoefficients, ASingularPencilLeavesSomethingOpen) {
    // det(E s + B) = 0 for every s: x + y' = 0 and its derivative
    const std::string message = refusal("unknown x, y\nx' + y'' = cos(t)\nx + y' = sin(t)\nsolve t = 0 .. 1\n");
    EXPECT_TRUE(has(message, "however often they are differentiated"));
    EXPECT_TRUE(has(message, "Another equation is needed"));
}

// ---- classes of the lecture notes and papers ----

// M u' = F(u) with a singular M of rank 1: u1' + u2' occurs in both equations.
TEST(SemiExplicit, ASingularMassMatrixHidesAConstraint) {
    // u1 = sin t, u2 = cos t
    const Solution s = solve_text("parameter M[2,2] = [[1, 1], [2, 2]]\nunknown u[2]\n"
                                  "M*u' = [u[2] - u[1], 2*u[2] - 2*u[1] + u[1]^2 + u[2]^2 - 1]\n"
                                  "start u[1] = 0, u[2] = 1\nsolve t = 0 .. 1\n");
    EXPECT_EQ(s.system.system_class, "semi_explicit");
    EXPECT_EQ(s.system.index, 1);
    EXPECT_EQ(s.system.hidden_constraints, 1);
    EXPECT_NEAR(value(s, "u[1]"), std::sin(1), tolerance);
    EXPECT_NEAR(value(s, "u[2]"), std::cos(1), tolerance);
}

TEST(GalleryIndex, IsTheOneOfTheDataFile) {
    // found with numbers where structure misleads; structure alone finds the others
    for (const std::string name :
         {"pendulum", "eta_problem", "linear_dae", "liu_index2", "liu_index3", "hairer_index1", "hairer_index2",
          "hairer_index3", "optimal_control", "robot_arm", "six_piece_ring", "andrews", "car_axis", "jay_index2",
          "jay_index3", "pendulum_first_order", "pendulum_mixed", "transistor_amplifier"}) {
        SCOPED_TRACE(name);
        const Inspection i = inspect(test::gallery_system(name), {});
        ASSERT_TRUE(i.is_checked) << i.problem;
        EXPECT_EQ(i.system.index, test::gallery_data(name)["index"].get<int>());
    }
}

// ---- redundant constraints ----

// All nine conditions of the ring at its flexible position, where their Jacobian has rank 8: the motion is that of the
// eight in the gallery.
TEST(RedundantConstraints, TheRingMovesWithAllItsConditionsFromTheSingularPoint) {
    std::string text = test::gallery_text("six_piece_ring");
    const std::string last = "constraint dot(q6 - q5, q5 - q4) = 0\n";
    ASSERT_NE(text.find(last), std::string::npos);
    text.insert(text.find(last), "constraint dot(q1 - q6, q6 - q5) = 0\n");
    const Solution all = solve_text(text, {.to = 2.0});
    const Solution eight = solve_text(test::gallery_text("six_piece_ring"), {.to = 2.0});
    for (const std::string name : {"q3[1]", "q3[2]", "q3[3]", "q4[1]", "q4[2]", "q4[3]", "q5[1]", "q5[2]", "q5[3]'"})
        EXPECT_NEAR(value(all, name), value(eight, name), tolerance) << name;
    EXPECT_EQ(all.system.degrees_of_freedom, 1);
    for (const std::string method : {"radau5", "radau9", "gauss4", "lobatto4"}) {
        const Solution implicit = solve_text(text, {.method = method, .to = 2.0});
        for (const std::string name : {"q3[1]", "q3[2]", "q4[1]", "q4[3]", "q5[1]", "q5[3]'"})
            EXPECT_NEAR(value(implicit, name), value(eight, name), 1e-4) << method << ' ' << name;
    }
}

// A constraint and a multiple of it: the force is unique, the multipliers are the shortest ones that give it.
// All six corners as unknowns, with all lengths and angles, and six equations that hold three corners: 18 constraints
// of 18 coordinates, which leave one degree of freedom. No start velocities: they are 0.
TEST(RedundantConstraints, TheRingWithEighteenConditions) {
    const std::string text =
        "unknown q[6,3]\nlagrangian sum(i = 1..6, sum(k = 1..3, q[i,k]'^2))/2 - sum(i = 1..6, q[i,3])\n"
        "for i = 1..6:\n    constraint (sum(k = 1..3, (q[mod(i,6)+1,k] - q[i,k])^2) - 1)/2 = 0\n"
        "for i = 1..6:\n    constraint sum(k = 1..3, (q[mod(i,6)+1,k] - q[i,k])*(q[mod(i+1,6)+1,k] - "
        "q[mod(i,6)+1,k])) = 0\n"
        "constraint q[6,1] = 1\nconstraint q[6,2] = 0\nconstraint q[6,3] = 1\nconstraint q[1,1] = 1\n"
        "constraint q[1,2] = 0\nconstraint q[2,2] = 0\n"
        "start q[1,1] = 1, q[1,2] = 0, q[1,3] = 0, q[2,1] = 0, q[2,2] = 0, q[2,3] = 0, q[3,1] = 0, q[3,2] = 1, "
        "q[3,3] = 0\n"
        "start q[4,1] = 0, q[4,2] = 1, q[4,3] = 1, q[5,1] = 0, q[5,2] = 0, q[5,3] = 1, q[6,1] = 1, q[6,2] = 0, "
        "q[6,3] = 1\nsolve t = 0 .. 5\n";
    const nlohmann::json reference = test::gallery_data("six_piece_ring")["reference"].back();
    ASSERT_EQ(reference["t"], "5");
    for (const std::string method : {"dopri54", "dop853", "taylor", "radau9"})
        for (const double rtol : {1e-5, 1e-8, 1e-11}) {
            const Solution s = solve_text(text, {.method = method, .rtol = rtol, .atol = rtol, .max_steps = 5000});
            EXPECT_EQ(s.system.degrees_of_freedom, 1);
            for (int i = 3; i <= 5; ++i)
                for (int k = 1; k <= 3; ++k) {
                    const double exact =
                        static_cast<double>(test::read_quad(reference["values"][fmt::format("q{}[{}]", i, k)]));
                    EXPECT_NEAR(value(s, fmt::format("q[{},{}]", i, k)), exact, 1000 * rtol) << method << ' ' << rtol;
                }
        }
}

TEST(RedundantConstraints, DoubledConstraintsShareTheForce) {
    const Solution s = solve_text("parameter g = 9.81\nunknown x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\n"
                                  "constraint (x^2 + y^2 - 1)/2 = 0\nconstraint x^2 + y^2 = 1\n"
                                  "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n");
    Values exact = pendulum_at("1");
    EXPECT_NEAR(value(s, "x"), exact["x"], tolerance);
    EXPECT_NEAR(value(s, "y"), exact["y"], tolerance);
    // lambda1 + 2 lambda2 = lambda of the pendulum, shortest for (1, 2)/5 of it
    EXPECT_NEAR(value(s, "lambda[1]"), exact["lambda"] / 5, tolerance);
    EXPECT_NEAR(value(s, "lambda[2]"), 2 * exact["lambda"] / 5, tolerance);
    EXPECT_EQ(s.system.degrees_of_freedom, 1);
}

} // namespace
} // namespace vessiot::completion_test
