// Do models, solved from their text with constant steps, converge with the order that is declared for the method?
//
// tableaux_test checks the coefficients and explicit_rk_test the steppers; this is about all that stands around them:
// the direction field with hidden constraints, the projections, the loop, dense output. Errors are those against the
// reference solutions of the gallery. A model computes them as outputs, so that in quad precision the difference is
// taken before it is rounded to double. Methods of order 4 and more are measured in quad precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "method/registry.hpp"
#include "method/stepper.hpp"
#include "solve/problem/solve.hpp"
#include "support/reference_problem.hpp"

namespace vessiot {
namespace {

using method::explicit_methods;
using method::implicit_methods;
using method::MethodInfo;
using test::reference_problem;
using Problem = test::ReferenceProblem;

std::string top_text(bool has_invariants) {
    std::string text = "unknown y[3]\ny[1]' = y[2]*y[3]/2\ny[2]' = -y[3]*y[1]\ny[3]' = y[1]*y[2]/2\n"
                       "start y[1] = cos(1.1), y[2] = 0, y[3] = sin(1.1)\n";
    if (has_invariants)
        text += "invariant (y[1]^2/2 + y[2]^2 + y[3]^2*3/2)/2\ninvariant (y[1]^2 + y[2]^2 + y[3]^2)/2\n";
    return text;
}

// Without constraints.
const std::vector<Problem>& free_problems() {
    static const std::vector<Problem> list{
        reference_problem("Lotka-Volterra", "unknown x, y\nx' = -x + x*y\ny' = y - x*y\nstart x = 0.5, y = 0.5\n",
                          "lotka_volterra", "10", {"x", "y"}),
        reference_problem("Euler top", top_text(false), "euler_top", "10", {"y[1]", "y[2]", "y[3]"})};
    return list;
}

// On a manifold: with hidden constraints, and with invariants.
const std::vector<Problem>& constrained_problems() {
    static const std::vector<Problem> list{
        reference_problem("pendulum",
                          "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                          "start x = 1, y = 0, x' = 0, y' = 0\n",
                          "pendulum", "1", {"x", "y", "x'", "y'", "lambda"}),
        reference_problem("Kepler",
                          "unknown x, y\nlet r = sqrt(x^2 + y^2)\nx'' = -x/r^3\ny'' = -y/r^3\n"
                          "invariant (x'^2 + y'^2)/2 - 1/r\ninvariant x*y' - y*x'\n"
                          "start x = 0.4, y = 0, x' = 0, y' = 2\n",
                          "kepler", "1", {"x", "y", "x'", "y'"})};
    return list;
}

struct Setting {
    std::string projection = "none", project = "steps";
};

// The inexact projection of stages takes minutes in quad precision: VESSIOT_ALL_PROJECTIONS asks for it.
const std::vector<Setting> projected = [] {
    std::vector<Setting> all{{"simplified", "steps"}, {"simplified", "stages"}, {"newton", "steps"},
                             {"newton", "stages"},    {"chord", "steps"},       {"chord", "stages"},
                             {"inexact", "steps"}};
    if (std::getenv("VESSIOT_ALL_PROJECTIONS")) all.push_back({"inexact", "stages"});
    return all;
}();

// Up to order 3 double precision has the digits.
bool is_double(const MethodInfo& m) {
    return m.order < 4;
}

double floor_of(const MethodInfo& m, const Problem& p) {
    return is_double(m) ? 1e-12 : p.floor;
}

// The error at t after steps of h, which end at t or, for dense output, beyond.
double error_with(const MethodInfo& m, const Problem& p, const Setting& s, double h, double to) {
    SolveOptions o{.method = std::string(m.name), .step = h, .to = to, .at = {p.t}};
    o.projection = s.projection;
    o.project = s.project;
    o.precision = is_double(m) ? "double" : "quad";
    o.backend = "interpreter";
    const Solution solution = solve_system(p.system, o);
    EXPECT_EQ(solution.t.size(), 1U);
    // What is reported between two steps is what the curve says.
    EXPECT_EQ(solution(p.t), solution.numbers);
    double sum = 0;
    for (const double e : solution.output_numbers) sum += e * e;
    return std::sqrt(sum);
}

// Errors of runs with n = first, first*ratio, ... fall like n^-order: by the fit and between the last two.
struct Slope {
    int first = 0;
    double ratio = 2;
    int points = 5;
};

void expect_slope(const std::function<double(int)>& error, const Slope& s, double order, double floor,
                  const std::string& what) {
    std::vector<double> x, y; // logarithms of n and of 1 / error
    for (int k = 0; k < s.points; ++k) {
        const int n = static_cast<int>(std::lround(s.first * std::pow(s.ratio, k)));
        const double e = error(n);
        EXPECT_GT(e, floor) << what << ", n = " << n << ": too near to round-off";
        x.push_back(std::log(n));
        y.push_back(-std::log(e));
        if (k > 0) {
            EXPECT_GT(y[y.size() - 1], y[y.size() - 2]) << what << ": errors must fall";
        }
    }
    const auto mean = [](const std::vector<double>& v) {
        double sum = 0;
        for (const double e : v) sum += e;
        return sum / static_cast<double>(v.size());
    };
    const double mx = mean(x), my = mean(y);
    double xy = 0, xx = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        xy += (x[k] - mx) * (y[k] - my);
        xx += (x[k] - mx) * (x[k] - mx);
    }
    const std::size_t last = x.size() - 1;
    const double fit = xy / xx, finest = (y[last] - y[last - 1]) / (x[last] - x[last - 1]);
    EXPECT_NEAR(fit, order, 0.25) << what;
    EXPECT_NEAR(finest, order, 0.25) << what;
    testing::Test::RecordProperty(what, std::to_string(fit) + " " + std::to_string(finest));
}

// Numbers of steps for which all methods are asymptotic (rkf45 and tsit54 have small leading terms) and errors above
// round-off and the digits of the reference.
Slope slope_for(const MethodInfo& m, const Problem& p) {
    const bool is_long = p.t > 5;
    if (m.family->is_implicit && m.order >= 8) return {160, 1.25, 4};
    if (m.family->is_implicit && m.order >= 4) return {128, 1.5, 4};
    if (m.order >= 8) return {is_long ? 100 : 230, is_long ? std::sqrt(2.0) : 1.25, 5};
    if (m.order >= 4) return {1024, 1.5, 4};
    return {is_long ? 512 : 256, 2, 4};
}

std::string label(const MethodInfo& m, const Problem& p, const Setting& s) {
    return std::string(m.name) + ", " + p.name + ", " + s.projection + " at " + s.project;
}

void expect_order(const MethodInfo& m, const Problem& p, const Setting& s) {
    const auto error = [&](int n) { return error_with(m, p, s, p.t / n, p.t); };
    expect_slope(error, slope_for(m, p), m.order, floor_of(m, p), label(m, p, s));
}

// At 3/8 of the last of n steps. The error there is that of the points, h^order, and of the curve, h^(dense order + 1).
void expect_dense_order(const MethodInfo& m, const Problem& p, const Setting& s) {
    const auto error = [&](int n) {
        // NOTE: near 3/8 the leading term of radau5 vanishes
        const double h = p.t / (n - 1 + (m.family->is_implicit ? 0.75 : 0.375));
        return error_with(m, p, s, h, h * n);
    };
    expect_slope(error, slope_for(m, p), std::min(m.order, dense_order(m) + 1), floor_of(m, p),
                 "dense " + label(m, p, s));
}

TEST(SolveOrder, IsTheDeclaredOneWithoutConstraints) {
    for (const MethodInfo& m : explicit_methods())
        for (const Problem& p : free_problems()) expect_order(m, p, {});
}

TEST(SolveOrder, OfImplicitMethodsIsTheDeclaredOne) {
    for (const MethodInfo& m : implicit_methods()) {
        for (const Problem& p : free_problems()) expect_order(m, p, {});
        for (const Problem& p : constrained_problems())
            for (const Setting& s : {Setting{"simplified", "steps"}, Setting{"simplified", "stages"}})
                expect_order(m, p, s);
    }
}

TEST(SolveOrder, OfDenseOutputOfImplicitMethodsIsTheDeclaredOne) {
    for (const MethodInfo& m : implicit_methods()) {
        expect_dense_order(m, free_problems()[0], {});
        // NOTE: not Kepler, where errors of the points, from the pericentre, outweigh those of the curve
        expect_dense_order(m, constrained_problems()[0], projected[0]);
    }
}

TEST(SolveOrder, IsTheDeclaredOneWithEveryProjection) {
    for (const MethodInfo& m : explicit_methods())
        for (const Problem& p : constrained_problems())
            for (const Setting& s : projected) expect_order(m, p, s);
}

// The matrix that is frozen for a step defines the map that its stages are projected by: it has to stay the same where
// iterations converge slowly. Kepler in 80 steps, where the nearest point at every stage gives 8e-15 and 7e-16.
TEST(SolveOrder, IsKeptAtStagesWhereTheProjectionConvergesSlowly) {
    const Problem& kepler = constrained_problems()[1];
    const auto error = [&](const std::string& name, int n) {
        return error_with(method::find_method(name), kepler, {"simplified", "stages"}, kepler.t / n, kepler.t);
    };
    EXPECT_LT(error("dop853", 80), 5e-14);
    EXPECT_LT(error("feagin108", 80), 5e-14);
}

// Steps of 1/150 of a revolution, at the pericentre, are not too long for any projection.
TEST(SolveOrder, StepsMayBeLong) {
    const Problem& kepler = constrained_problems()[1];
    for (const std::string name : {"dopri54", "dop853", "feagin108"})
        for (const Setting& s : projected)
            for (const int n : {24, 40}) {
                const MethodInfo& m = method::find_method(name);
                double error = 1;
                EXPECT_NO_THROW(error = error_with(m, kepler, s, kepler.t / n, kepler.t)) << label(m, kepler, s);
                EXPECT_LT(error, 1e-4) << label(m, kepler, s) << ", n = " << n;
            }
}

TEST(SolveOrder, OfDenseOutputIsTheDeclaredOne) {
    for (const MethodInfo& m : explicit_methods()) {
        expect_dense_order(m, free_problems()[0], {});
        for (const Problem& p : constrained_problems()) expect_dense_order(m, p, projected[0]);
    }
}

} // namespace
} // namespace vessiot
