// What a system is said to be, by its structure.
#include <gtest/gtest.h>

#include <string>

#include "lang/model.hpp"
#include "system/classify.hpp"

namespace vessiot::classify_test {
namespace {

Classification classified(const std::string& text) {
    return classify(lang::read_model(lang::Source("test.ves", text)));
}

std::string class_of(const std::string& text) {
    return std::string(name(classified(text).system_class));
}

TEST(Classify, EquationsSolvedForTheHighestDerivativesAreExplicit) {
    EXPECT_EQ(class_of("unknown x, y\nx' = y\ny' = -x\n"), "explicit");
    EXPECT_EQ(class_of("unknown x, y\ny - x' = 0\n-x'' + y' = sin(t)\n"), "general"); // x' is not the highest
    EXPECT_EQ(class_of("unknown x\n0 = x''' + x*x''\n"), "explicit");
    EXPECT_EQ(class_of("unknown x[5]\nfor i = 1..4: x[i]' = x[i+1]\nx[5]' = -x[1]\n"), "explicit");
}

TEST(Classify, ConstantFactorsAndSubstitutionKeepASystemExplicit) {
    EXPECT_EQ(class_of("parameter m = 2, k = 3\nunknown x\nm*x'' = -k*x\n"), "explicit");
    EXPECT_EQ(class_of("unknown x, y, z\ny' = x*x' + 1\nz' = y' - x'^2\nx' = z\n"), "explicit"); // x', then y', then z'
}

TEST(Classify, AFactorThatVanishesOrMovesIsNotExplicit) {
    EXPECT_EQ(class_of("parameter eps = 0\nunknown y, z\ny' = z\neps*z' = (1 - y^2)*z - y\n"), "semi_explicit");
    EXPECT_EQ(class_of("parameter eps = 1e-6\nunknown y, z\ny' = z\neps*z' = (1 - y^2)*z - y\n"), "explicit");
    EXPECT_EQ(class_of("unknown y\ny*y' = -1/2\n"), "general");
    EXPECT_EQ(class_of("unknown y\nt*y' = y\n"), "general");
    EXPECT_EQ(class_of("unknown y\ny'^2 + y^2 + t^2 = 1\n"), "general");
}

TEST(Classify, InvariantsMakeAnExplicitSystemOneWithInvariants) {
    EXPECT_EQ(class_of("unknown x, y\nx' = y\ny' = -x\ninvariant x^2 + y^2\n"), "invariants");
}

TEST(Classify, FirstOrderWithAConstantMatrixIsSemiExplicit) {
    EXPECT_EQ(class_of("unknown x, z\nx' = z\nx^2 + z^3 = 1\n"), "semi_explicit");
    EXPECT_EQ(class_of("unknown x, y\nx' + y' = 1\nx' + y' + x - y = 0\n"), "semi_explicit"); // singular
    EXPECT_EQ(class_of("unknown x, y\nx' + y' = y\nx' - y' = x\n"), "semi_explicit"); // regular, but not triangular
    EXPECT_EQ(class_of("unknown x, z\nx'' = z\nx^2 + z^3 = 1\n"), "general");         // of second order
}

const std::string pendulum = "parameter g = 9.81, l = 1\nunknown x, y, lambda\n"
                             "x'' = -lambda*x\ny'' = -lambda*y - g\n";

TEST(Classify, ThePendulumIsHolonomicInEveryNotation) {
    EXPECT_EQ(class_of(pendulum + "x^2 + y^2 = l^2\n"), "holonomic");
    EXPECT_EQ(class_of(pendulum + "l^2 = x^2 + y^2\n"), "holonomic");
    EXPECT_EQ(class_of(pendulum + "sqrt(x^2 + y^2) = l\n"), "holonomic"); // the multiplier is another one, by a factor
    EXPECT_EQ(class_of("parameter m = 2, l = 1\nunknown x, y, z\nm*x'' + z*x = 0\ny'' + z*y/m = 9.81\n"
                       "x^2 + y^2 = l^2\n"),
              "holonomic");                                             // one equation is divided by the mass
    EXPECT_EQ(class_of(pendulum + "x^2 + 2*y^2 = l^2\n"), "holonomic"); // an ellipse, and a mass of 2 in y
}

TEST(Classify, AForceThatIsNotNormalToTheConstraintIsNotHolonomic) {
    EXPECT_EQ(class_of("unknown x, y, z\nx'' = -z*x\ny'' = z*y\nx^2 + y^2 = 1\n"), "general");
    EXPECT_EQ(class_of("unknown x, y, z\nx'' = -z*x + y\ny'' = -z*(y + 1e-9*x)\nx^2 + y^2 = 1\n"), "general");
}

TEST(Classify, MultipliersMustBeLinearAndConstraintsFreeOfVelocities) {
    EXPECT_EQ(class_of("unknown x, y, z\nx'' = -z^2*x\ny'' = -z^2*y\nx^2 + y^2 = 1\n"), "general");
    EXPECT_EQ(class_of("unknown x, y, z\nx'' = -z*x\ny'' = -z*y\nx*x' + y*y' = 0\n"), "general");
    EXPECT_EQ(class_of("unknown x, y, z\nx''*x' = -z*x\ny'' = -z*y\nx^2 + y^2 = 1\n"), "general");
}

TEST(Classify, MultipliersMayStandInAnotherOrderThanTheirConstraints) {
    const std::string text = "unknown x, y, z, a[2]\n"
                             "x'' = -2*a[2]*x - a[1]\ny'' = -2*a[2]*y\nz'' = -2*a[2]*z - a[1]\n"
                             "x^2 + y^2 + z^2 = 1\nx + z = 0\n";
    const Classification c = classified(text);
    EXPECT_EQ(name(c.system_class), "holonomic");
    EXPECT_EQ(c.n_multipliers, 2);
}

TEST(Classify, MassMatricesAreTakenRowByRow) {
    const std::string text = "unknown q[2], z\n"
                             "2*q[1]'' + cos(q[1] - q[2])*q[2]'' = -z*cos(q[1])\n"
                             "cos(q[1] - q[2])*q[1]'' + q[2]'' = -z*cos(q[2])\n"
                             "sin(q[1]) + sin(q[2]) = 1/2\n";
    EXPECT_EQ(class_of(text), "holonomic");
}

// E(q, q') of [Tuomela, Arponen, Normi, (3.7)]
TEST(Classify, MassesMayDependOnVelocities) {
    EXPECT_EQ(class_of("unknown x, y, z\n(2 + x'^2)*x'' + x'*y'*y'' = -z*x\nx'*y'*x'' + (2 + y'^2)*y'' = -z*y - 1\n"
                       "x^2 + y^2 = 1\n"),
              "holonomic");
    // a relativistic pendulum, where sqrt is real
    EXPECT_EQ(class_of("unknown x, y\nlagrangian -sqrt(1 - x'^2 - y'^2) - y\nconstraint x^2 + y^2 = 1\n"), "holonomic");
    EXPECT_EQ(class_of("unknown x, y\nlagrangian x'^3 + y'^3\nconstraint x^2 + y^2 = 1\n"),
              "general");                                                                             // a sign changes
    EXPECT_EQ(class_of("unknown x, y, z\nx'' = -z*x*x'\ny'' = -z*y*x'\nx^2 + y^2 = 1\n"), "general"); // B(q, q')
}

TEST(Classify, LagrangiansWithConstraintsAreHolonomic) {
    const std::string lagrangian = "unknown x, y\nlagrangian (x'^2 + y'^2)/2 - y\n";
    EXPECT_EQ(class_of(lagrangian + "constraint x^2 + y^2 = 1\n"), "holonomic");
    EXPECT_EQ(class_of(lagrangian), "explicit");
    EXPECT_EQ(class_of(lagrangian + "invariant (x'^2 + y'^2)/2 + y\n"), "invariants");
}

TEST(Classify, HamiltoniansAreHamiltonianUnlessAForceActs) {
    const std::string hamiltonian = "unknown q, p\nhamiltonian (p^2 + q^2)/2 with q: p\n";
    EXPECT_EQ(class_of(hamiltonian), "hamiltonian");
    EXPECT_EQ(class_of(hamiltonian + "invariant (p^2 + q^2)/2\n"), "hamiltonian");
    EXPECT_EQ(class_of(hamiltonian + "force q = -0.1*p\n"), "explicit");
}

TEST(Classify, MoreEquationsThanUnknownsAreGeneral) {
    const Classification c = classified("unknown x, y\nx' = y\ny' = -x\nx^2 + y^2 = 1\n");
    EXPECT_EQ(name(c.system_class), "general");
    EXPECT_EQ(c.determination, Determination::overdetermined);
}

TEST(Classify, CountsElementsTemplatesAndRoles) {
    const Classification c = classified("parameter n = 1000\nunknown x[n], y[n]\n"
                                        "lagrangian sum(i = 1..n, x[i]'^2 + y[i]'^2)/2\n"
                                        "for i = 1..n-1: constraint (x[i] - x[i+1])^2 + (y[i] - y[i+1])^2 = 1\n");
    EXPECT_EQ(name(c.system_class), "holonomic");
    EXPECT_EQ(c.order, 2);
    EXPECT_EQ(c.n_unknowns, 2999);
    EXPECT_EQ(c.n_equations, 2999);
    EXPECT_EQ(c.n_templates, 7); // the constraint; for x and y the first, the inner and the last one
    EXPECT_EQ(c.n_multipliers, 999);
    EXPECT_EQ(c.n_algebraic, 999);
    ASSERT_EQ(c.unknowns.size(), 3U);
    EXPECT_EQ(c.unknowns[0].role, UnknownRole::differential);
    EXPECT_EQ(c.unknowns[2].role, UnknownRole::multiplier);
}

TEST(Classify, SaysHowManyElementsOfAnArrayAreAlgebraic) {
    const Classification c = classified("unknown u[10]\nu[1] = 0\nfor i = 2..9: u[i]' = u[i-1] + u[i+1]\nu[10] = t\n");
    EXPECT_EQ(name(c.system_class), "semi_explicit");
    EXPECT_EQ(c.unknowns[0].role, UnknownRole::differential);
    EXPECT_EQ(c.unknowns[0].n_algebraic, 2);
    EXPECT_EQ(c.n_algebraic, 2);
}

TEST(Classify, AssembledEquationsOfMotionAreSeenThrough) {
    // every body acts on every other: the equations are sums, whose second derivatives have constant factors all the
    // same
    const std::string text = "parameter n = 20\nunknown q[n]\n"
                             "let r[i = 1..n, j = 1..n] = sqrt(1 + (q[i] - q[j])^2)\n"
                             "lagrangian sum(i = 1..n, i*q[i]'^2)/2 + sum(i = 1..n, j = i+1..n, 1/r[i,j])\n";
    EXPECT_EQ(class_of(text), "explicit");
}

} // namespace
} // namespace vessiot::classify_test
