// Taylor methods converge with their order: the general one for p = 1 .. 20, and those of order 1 to 3 by tangent
// vectors of the manifold, without constraints, with hidden constraints (index 3), with invariants, and for an implicit
// equation; without and with projections; dense output too. Within 0.15 of the order, by the fit and between the two
// finest runs. Errors are those against the reference solutions of the gallery, computed by outputs of the models
// before they are rounded to double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lang/model.hpp"
#include "solve/problem/solve.hpp"
#include "support/reference_problem.hpp"

namespace vessiot::taylor_order_test {
namespace {

using Problem = test::ReferenceProblem;
using test::reference_problem;

using test::euler_top, test::kepler, test::lotka_volterra, test::pendulum;

// A square of y': all offsets are raised by one.
const Problem& implicit_circle() {
    static const Problem p = reference_problem("implicit", "unknown y\ny'^2 + y^2 + t^2 = 1\nstart y = 0, y' = 1\n",
                                               "circle_implicit", "0.5", {"y", "y'"});
    return p;
}

struct Method {
    std::string name = "taylor";
    int order = 0;
    std::string projection = "none";
};

std::string label(const Method& m, const Problem& p) {
    return m.name + " of order " + std::to_string(m.order) + ", " + p.name + ", " + m.projection;
}

bool is_double(const Method& m) {
    return m.order < 4;
}

double error_with(const Method& m, const Problem& p, double h, double to) {
    SolveOptions o{.method = m.name, .step = h, .to = to, .at = {p.t}};
    if (m.name == "taylor") o.order = m.order;
    o.projection = m.projection;
    o.precision = is_double(m) ? "double" : "quad";
    o.backend = "interpreter";
    const Solution solution = solve_system(p.system, o);
    EXPECT_EQ(solution.t.size(), 1U);
    const std::vector<double> there = solution(p.t);
    for (std::size_t i = 0; i < there.size(); ++i)
        EXPECT_NEAR(there[i], solution.numbers[i], 1e-14 * std::max(1.0, std::abs(there[i])));
    double sum = 0;
    for (const double e : solution.output_numbers) sum += e * e;
    return std::sqrt(sum);
}

// Runs of n steps, the finest where errors are near to what can be resolved, or n = 1500.
template <class Error> void expect_order(const Error& error, double order, double floor, const std::string& what) {
    int n = 24;
    double e = error(n);
    while (e > 1e-9 && n < 700) e = error(n *= 2);
    const double least = 30 * floor;
    for (int pass = 0; pass < 2; ++pass) { // the second one from within the asymptotic range
        n = static_cast<int>(std::min(1500.0, n * std::pow(e / least, 1 / order)));
        if (pass == 0) e = error(n = n * 3 / 4);
    }
    const double ratio = order >= 16 ? 1.1 : order >= 8 ? 1.12 : order >= 4 ? 1.3 : 1.6;
    std::vector<double> x, y;
    for (int k = 4; k-- > 0;) {
        const int steps = static_cast<int>(std::lround(n / std::pow(ratio, k)));
        e = error(steps);
        EXPECT_GT(e, floor) << what << ", n = " << steps << ": too near to round-off";
        x.push_back(std::log(steps));
        y.push_back(-std::log(e));
    }
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (std::size_t k = 0; k < x.size(); ++k) mx += x[k] / 4, my += y[k] / 4;
    for (std::size_t k = 0; k < x.size(); ++k) xy += (x[k] - mx) * (y[k] - my), xx += (x[k] - mx) * (x[k] - mx);
    EXPECT_NEAR(xy / xx, order, 0.15) << what << ", n = " << n;
    EXPECT_NEAR((y[3] - y[2]) / (x[3] - x[2]), order, 0.15) << what << ", n = " << n << ", error " << e;
    testing::Test::RecordProperty(what, std::to_string(xy / xx));
}

void expect_order(const Method& m, const Problem& p) {
    expect_order([&](int n) { return error_with(m, p, p.t / n, p.t); }, m.order, is_double(m) ? 1e-13 : p.floor,
                 label(m, p));
}

// A solution that comes back after 2 pi, to where it started. Over a period errors of the next orders cancel, so
// that slopes of high orders are those of the leading term at steps that are not yet lost in round-off.
struct PeriodicProblem {
    std::string name, text, start;
};

const std::vector<PeriodicProblem>& periodic_problems() {
    static const std::vector<PeriodicProblem> list{
        {"Kepler", "unknown x, y\nlet r = sqrt(x^2 + y^2)\nx'' = -x/r^3\ny'' = -y/r^3\n",
         "x = 0.7, y = 0, x' = 0, y' = sqrt(13/7)"},
        // index 3: u follows x^2, driven by lambda
        {"Kepler with a follower",
         "unknown x, y, u, lambda\nlet r = sqrt(x^2 + y^2)\nx'' = -x/r^3\ny'' = -y/r^3\nu'' = lambda\nu = x^2\n",
         "x = 0.7, y = 0, x' = 0, y' = sqrt(13/7)"},
        // nonlinear in y'': the solution is cos t
        {"implicit", "unknown y\ny''^3 + y'' = -y^3 - y\n", "y = 1, y' = 0, y'' = -1"},
    };
    return list;
}

// The largest error of the start values after one period.
double periodic_error(const PeriodicProblem& p, int order, const std::string& projection, int n) {
    std::string text = p.text + "start " + p.start + "\nsolve t = 0 .. 2*pi\n";
    int outputs = 0;
    for (std::size_t at = 0; at < p.start.size();) {
        const std::size_t equals = p.start.find(" = ", at),
                          comma = std::min(p.start.find(", ", equals), p.start.size());
        text += "output e" + std::to_string(outputs++) + " = " + p.start.substr(at, equals - at) + " - (" +
                p.start.substr(equals + 3, comma - equals - 3) + ")\n";
        at = comma + 2;
    }
    const System system = lang::read_model(lang::Source(p.name + ".ves", text));
    const double period = 2 * M_PI;
    SolveOptions o{.method = "taylor", .step = period / n};
    o.order = order;
    o.projection = projection;
    o.precision = "quad";
    o.backend = "interpreter";
    const Solution solution = solve_system(system, o);
    double largest = 0;
    for (std::size_t i = solution.output_numbers.size() - static_cast<std::size_t>(outputs);
         i < solution.output_numbers.size(); ++i)
        largest = std::max(largest, std::abs(solution.output_numbers[i]));
    return largest;
}

TEST(TaylorOrder, OfHighOrderIsTheOneAskedFor) {
    for (const PeriodicProblem& p : periodic_problems())
        for (const int order : {8, 12, 16, 20})
            for (const std::string projection : {"none", "simplified"})
                expect_order([&](int n) { return periodic_error(p, order, projection, n); }, order,
                             order < 20 ? 5e-30 : 2.5e-31,
                             "order " + std::to_string(order) + ", " + p.name + " over a period, " + projection);
}

TEST(TaylorOrder, IsTheOneAskedForWithoutConstraints) {
    for (const int order : {1, 2, 3, 4, 6})
        for (const Problem* p : {&lotka_volterra(), &euler_top()}) expect_order({"taylor", order}, *p);
}

TEST(TaylorOrder, IsTheOneAskedForWithHiddenConstraints) {
    for (const int order : {1, 2, 3, 4, 6, 8, 12})
        for (const std::string projection : {"none", "simplified", "newton"})
            expect_order({"taylor", order, projection}, pendulum());
}

TEST(TaylorOrder, IsTheOneAskedForWithInvariants) {
    for (const int order : {2, 4, 6})
        for (const std::string projection : {"none", "simplified"})
            expect_order({"taylor", order, projection}, kepler());
}

TEST(TaylorOrder, IsTheOneAskedForOfAnImplicitEquation) {
    for (const int order : {1, 2, 3, 4, 6})
        for (const std::string projection : {"none", "simplified"})
            expect_order({"taylor", order, projection}, implicit_circle());
}

// taylor1, taylor2, taylor3: normal parts are left out, and come back by the projection to the nearest point.
TEST(TaylorOrder, OfTangentVectorsIsTheDeclaredOne) {
    for (const int order : {1, 2, 3}) {
        const std::string name = "taylor" + std::to_string(order);
        expect_order({name, order, "none"}, lotka_volterra());
        for (const std::string projection : {"none", "newton", "chord"}) {
            expect_order({name, order, projection}, pendulum());
            expect_order({name, order, projection}, kepler());
        }
        expect_order({name, order, "newton"}, implicit_circle());
    }
}

// At 3/8 of the last step: the polynomial is as good as the points.
TEST(TaylorOrder, OfDenseOutputIsThatOfTheMethod) {
    for (const int order : {2, 4, 6})
        for (const Problem* p : {&lotka_volterra(), &pendulum()}) {
            const Method m{"taylor", order, p == &pendulum() ? "simplified" : "none"};
            const auto error = [&](int n) {
                const double h = p->t / (n - 1 + 0.375);
                return error_with(m, *p, h, h * n);
            };
            expect_order(error, order, is_double(m) ? 1e-13 : p->floor, "dense " + label(m, *p));
        }
}

// Curves in their arclength, through points where t turns back and y' is infinite: the unit circle, and the parabola
// t = 1 - y^2, of which  s = F(1) - F(y),  F(y) = y/2 sqrt(1 + 4 y^2) + arsinh(2 y)/4.
struct Curve {
    std::string name, equation, invariant, errors;
};

const std::vector<Curve>& curves() {
    static const std::vector<Curve> list{
        {"circle", "y*y' = -t", "(t^2 + y^2)/2", "output e1 = t - sin(2)\noutput e2 = y - cos(2)\n"},
        {"parabola", "y*y' = -1/2", "t + y^2",
         "output e1 = t - 1 + y^2\n"
         "output e2 = y/2*sqrt(1 + 4*y^2) + asinh(2*y)/4 - sqrt(5)/2 - asinh(2)/4 + 2\n"}};
    return list;
}

double curve_error(const Curve& c, const Method& m, int n) {
    const bool is_projected = m.projection != "none";
    const std::string text = "unknown y\n" + c.equation + "\n" +
                             (is_projected ? "invariant " + c.invariant + "\n" : "") + c.errors +
                             "start y = 1\nsolve t = 0 .. 9\n";
    SolveOptions o{.method = m.name, .step = 2.0 / n, .to_s = 2.0, .parametrisation = "arclength"};
    if (m.name == "taylor") o.order = m.order;
    o.projection = m.projection;
    o.precision = "quad";
    o.backend = "interpreter";
    const Solution s = solve_system(lang::read_model(lang::Source(c.name + ".ves", text)), o);
    EXPECT_EQ(s.status, Status::success) << s.message;
    const std::size_t last = s.output_numbers.size() - 2;
    return std::hypot(s.output_numbers[last], s.output_numbers[last + 1]);
}

// Where the manifold is the curve itself, nabla_V V = 0 in arclength, and order 1 is 2.
int expected_order(const Method& m) {
    return m.order == 1 && m.projection != "none" ? 2 : m.order;
}

TEST(TaylorOrder, InArclengthIsTheOneAskedForThroughImpassePoints) {
    for (const Curve& c : curves())
        for (const std::string projection : {"none", "newton", "simplified"})
            for (const int order : {1, 2, 3, 4, 6, 8}) {
                const Method m{"taylor", order, projection};
                // of the projected circle the error of odd orders is along the radius, and taken away
                if (c.name == "circle" && projection != "none" && order % 2 == 1) continue;
                expect_order([&](int n) { return curve_error(c, m, n); }, expected_order(m), 1e-30,
                             "arclength, " + c.name + ", taylor " + std::to_string(order) + ", " + projection);
            }
}

// The methods of section 3 of the paper, which defines them so.
TEST(TaylorOrder, OfTangentVectorsInArclengthIsTheDeclaredOne) {
    const Curve& parabola = curves()[1];
    for (const std::string name : {"taylor1", "taylor2", "taylor3", "taylor3_normal"})
        for (const std::string projection : {"none", "newton"}) {
            const Method m{name, name[6] - '0', projection};
            expect_order([&](int n) { return curve_error(parabola, m, n); }, expected_order(m), 1e-30,
                         "arclength, " + name + ", " + projection);
        }
}

// On a manifold of more dimensions, with hidden constraints: fixed steps of s, and a last one that ends at t.
TEST(TaylorOrder, InArclengthIsTheDeclaredOneWithHiddenConstraints) {
    for (const Method& m :
         {Method{"taylor1", 1, "newton"}, Method{"taylor2", 2, "newton"}, Method{"taylor3", 3, "newton"},
          Method{"taylor3_normal", 3, "newton"}, Method{"taylor", 2, "simplified"}, Method{"taylor", 4, "simplified"},
          Method{"taylor", 6, "newton"}}) {
        const Problem& p = pendulum();
        const auto error = [&](int n) {
            SolveOptions o{.method = m.name, .step = 20.0 / n, .to = p.t, .at = {p.t}, .parametrisation = "arclength"};
            if (m.name == "taylor") o.order = m.order;
            o.projection = m.projection;
            o.precision = "quad";
            o.backend = "interpreter";
            const Solution s = solve_system(p.system, o);
            EXPECT_EQ(s.status, Status::success) << s.message;
            double sum = 0;
            for (const double e : s.output_numbers) sum += e * e;
            return std::sqrt(sum);
        };
        expect_order(error, m.order, p.floor, "arclength, " + label(m, p));
    }
}

// Proposition 3.9, in time.
TEST(TaylorOrder, OfTheVariantWithANormalPartIsThree) {
    for (const std::string projection : {"none", "newton", "chord"}) {
        expect_order({"taylor3_normal", 3, projection}, pendulum());
        expect_order({"taylor3_normal", 3, projection}, kepler());
    }
}

} // namespace
} // namespace vessiot::taylor_order_test
