// Do the methods for mechanical systems converge with the order that is declared for them? On models of each kind that
// they take: a lagrangian, equations with multipliers of any scale, a hamiltonian (also one that is not separable),
// constraints that contain t, forces that depend on velocities, masses that depend on positions, and no constraints.
//
// Errors are those against the reference solutions of the gallery; a model computes them as outputs, so that in quad
// precision the difference is taken before it is rounded to double. Methods of order 4 and more run in quad precision.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "method/geometric/compositions.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"
#include "support/reference_problem.hpp"

namespace vessiot::mechanical_test {
namespace {

using method::MethodInfo;

struct Problem : test::ReferenceProblem {
    int scale = 1; // numbers of steps are multiplied by this
};

// The model without its invariants, which would be imposed, and without its own outputs.
std::string bare(const std::string& text) {
    std::string kept;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("invariant") && !line.starts_with("output")) kept += line + '\n';
    return kept;
}

Problem make_problem(const std::string& name, const std::string& t, int scale, const std::string& text,
                     const std::vector<std::string>& names) {
    return {test::reference_problem(name, text, name, t, names), scale};
}

Problem from_gallery(const std::string& name, const std::string& t, int scale, const std::vector<std::string>& names) {
    return make_problem(name, t, scale, bare(test::gallery_text(name)), names);
}

double error_with(const MethodInfo& m, const Problem& p, int n) {
    SolveOptions o{.method = std::string(m.name), .step = p.t / n, .to = p.t, .at = {p.t}};
    o.precision = m.order < 4 ? "double" : "quad";
    o.backend = "interpreter";
    o.dense = false;
    const Solution solution = solve_system(p.system, o);
    EXPECT_EQ(solution.t.size(), 1U);
    double sum = 0;
    for (const double e : solution.output_numbers) sum += e * e;
    return std::sqrt(sum);
}

// Numbers of steps where methods of an order are asymptotic. Symplectic Euler comes to its order from above.
int first_steps(const MethodInfo& m) {
    switch (m.order) {
    case 1: return 6400;
    case 2: return 200;
    case 4: return m.name == "lobatto3ab" ? 100 : 80;
    case 6: return 60;
    default: return 40;
    }
}

void expect_order(const MethodInfo& m, const Problem& p) {
    const int n = first_steps(m) * p.scale;
    const double e_0 = error_with(m, p, n), e_1 = error_with(m, p, 2 * n), e_2 = error_with(m, p, 4 * n);
    const double coarse = std::log2(e_0 / e_1), fine = std::log2(e_1 / e_2);
    const std::string what = std::string(m.name) + ", " + p.name;
    EXPECT_NEAR(coarse, m.order, 0.4) << what;
    EXPECT_NEAR(fine, m.order, 0.15) << what << ": errors " << e_0 << ", " << e_1 << ", " << e_2;
    testing::Test::RecordProperty(what, std::to_string(coarse) + " " + std::to_string(fine));
}

void expect_orders(const Problem& p) {
    for (const MethodInfo& m : method::mechanical_methods()) expect_order(m, p);
}

TEST(MechanicalOrder, OfALagrangianWithConstraints) {
    expect_orders(from_gallery("spherical_pendulum", "1", 1, {"q[1]", "q[2]", "q[3]", "q[1]'", "q[2]'", "q[3]'"}));
}

TEST(MechanicalOrder, OfEquationsWithMultipliersOfAnyScale) {
    expect_orders(from_gallery("pendulum", "1", 1, {"x", "y", "x'", "y'", "lambda"}));
}

TEST(MechanicalOrder, OfAHamiltonianWithConstraints) {
    expect_orders(from_gallery("hamiltonian_pendulum", "1", 1, {"x", "y", "px", "py", "lambda[1]"}));
}

TEST(MechanicalOrder, WithMassesThatDependOnPositions) {
    for (const MethodInfo& m : method::mechanical_methods())
        if (m.name != "shake")
            expect_order(m, from_gallery("double_pendulum", "1", 1, {"alpha", "beta", "alpha'", "beta'"}));
}

TEST(MechanicalOrder, OfAHamiltonianThatIsNotSeparable) {
    const std::string text = "unknown alpha, beta, p, r\nlet c = cos(alpha - beta)\n"
                             "hamiltonian (p^2 - 2*c*p*r + 2*r^2)/(2*(2 - c^2)) - 2*cos(alpha) - cos(beta) "
                             "with alpha: p, beta: r\n"
                             "start alpha = pi/2, beta = pi/4, p = 0, r = 0\n";
    const Problem p = make_problem("double_pendulum", "1", 1, text, {"alpha", "beta"});
    for (const MethodInfo& m : method::mechanical_methods())
        if (m.name != "shake") expect_order(m, p);
}

TEST(MechanicalOrder, WithForcesThatDependOnVelocities) {
    const Problem p = from_gallery("magnetic", "1", 1, {"y[1]", "y[2]", "y[3]", "y[1]'", "y[2]'", "y[3]'"});
    for (const MethodInfo& m : method::mechanical_methods())
        if (m.name != "shake") expect_order(m, p);
}

TEST(MechanicalOrder, WithConstraintsThatContainTime) {
    const Problem p = from_gallery("car_axis", "1", 4, {"xl", "yl", "xr", "yr"});
    for (const MethodInfo& m : method::mechanical_methods()) expect_order(m, p);
}

TEST(MechanicalOrder, WithoutConstraints) {
    expect_orders(from_gallery("kepler", "1", 2, {"x", "y", "x'", "y'"}));
}

} // namespace
} // namespace vessiot::mechanical_test
