// Do linear multistep methods converge with their order: on free problems, on manifolds with every projection that is
// usual, between the points, with steps of changing size, on the equations as they stand? By the fit over four runs and
// between the two finest, within 0.25. Errors are those against the reference solutions of the gallery, which models
// compute as outputs, in quad precision from order 4 on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lang/model.hpp"
#include "method/multistep/multistep_entries.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"
#include "solve/problem/solve.hpp"
#include "support/reference_problem.hpp"
#include "vessiot/methods.hpp"

namespace vessiot::multistep_test {
namespace {

using method::MethodInfo;
using method::multistep_methods;
using Problem = test::ReferenceProblem;

using test::euler_top, test::kepler, test::lotka_volterra, test::pendulum;

double error_of(const SolveOptions& options, const Problem& p) {
    const Solution s = solve_system(p.system, options);
    EXPECT_EQ(s.status, Status::success) << s.message;
    double sum = 0;
    for (const double e : s.output_numbers) sum += e * e;
    return std::sqrt(sum);
}

SolveOptions options_of(const std::string& method, int order, const Problem& p, const std::string& projection) {
    SolveOptions o{.method = method, .at = {p.t}};
    o.to = p.t;
    o.projection = projection;
    o.precision = order < 4 ? "double" : "quad";
    o.backend = "interpreter";
    return o;
}

void expect_slope(const std::function<double(int)>& error, int first, double order, const std::string& what) {
    std::vector<double> y; // logarithms of the errors
    for (int k = 0; k < 4; ++k) y.push_back(std::log(error(static_cast<int>(std::lround(first * std::pow(1.5, k))))));
    const double unit = std::log(1.5), fit = (3 * (y[0] - y[3]) + (y[1] - y[2])) / (10 * unit);
    const double finest = (y[2] - y[3]) / unit;
    EXPECT_NEAR(fit, order, 0.25) << what;
    EXPECT_NEAR(finest, order, 0.25) << what;
    testing::Test::RecordProperty(what, std::to_string(fit) + " " + std::to_string(finest));
}

int first_steps(const Problem& p) {
    return p.t > 7 ? 400 : 300;
}

void expect_order(const MethodInfo& m, const Problem& p, const std::string& projection) {
    const auto error = [&](int n) {
        SolveOptions o = options_of(std::string(m.name), m.order, p, projection);
        o.step = p.t / n;
        return error_of(o, p);
    };
    expect_slope(error, first_steps(p), m.order, std::string(m.name) + ", " + p.name + ", " + projection);
}

TEST(Multistep, HasItsOrderWithoutConstraints) {
    for (const MethodInfo& m : multistep_methods()) {
        expect_order(m, lotka_volterra(), "none");
        expect_order(m, euler_top(), "none");
    }
}

TEST(Multistep, HasItsOrderOnManifolds) {
    for (const MethodInfo& m : multistep_methods())
        for (const Problem* p : {&pendulum(), &kepler()})
            for (const char* projection : {"simplified", "newton"}) expect_order(m, *p, projection);
}

// At 3/8 of the last of n steps.
TEST(Multistep, HasItsOrderBetweenThePoints) {
    for (const MethodInfo& m : multistep_methods()) {
        for (const Problem* p : {&lotka_volterra(), &pendulum()}) {
            const auto error = [&](int n) {
                SolveOptions o = options_of(std::string(m.name), m.order, *p, p == &pendulum() ? "simplified" : "none");
                const double h = p->t / (n - 1 + 0.375);
                o.step = h;
                o.to = h * n;
                return error_of(o, *p);
            };
            expect_slope(error, first_steps(*p), m.order, "dense " + std::string(m.name) + ", " + p->name);
        }
    }
}

// Steps h (1 + 0.3 sin i), by the stepper itself: every step has coefficients of its own.
class LotkaVolterra final : public Field<Quad> {
public:
    std::int64_t size() const override { return 2; }
    PointStatus direction(Quad, const Quad* x, Quad* v) override {
        v[0] = -x[0] + x[0] * x[1];
        v[1] = x[1] - x[0] * x[1];
        return PointStatus::good;
    }
};

TEST(Multistep, KeepsItsOrderWhereEveryStepHasAnotherSize) {
    LotkaVolterra field;
    const auto end_of = [&](const MethodInfo& m, int n) {
        StepperOptions<Quad> options;
        options.estimate = Estimate::none;
        options.to_round_off = true;
        const auto stepper = make_stepper<Quad>(m, field, nullptr, options);
        std::vector<Quad> sizes;
        Quad sum = 0;
        for (int i = 0; i < n; ++i) sum += sizes.emplace_back(1 + Quad(0.3 * std::sin(40.0 * i / n) + 0.1 * (i % 2)));
        const Quad start[8] = {0.5, 0.5};
        stepper->begin(0, start);
        for (const Quad h : sizes) {
            EXPECT_EQ(stepper->attempt(5 * h / sum).outcome, StepOutcome::done);
            stepper->accept();
        }
        return std::pair(stepper->point()[0], stepper->point()[1]);
    };
    const auto [x, y] = end_of(method::find_method("dop853"), 4000);
    for (const MethodInfo& m : multistep_methods()) {
        if (m.family->solves_equations) continue; // they need the equations
        const auto error = [&, x = x, y = y](int n) {
            const auto [u, v] = end_of(m, n);
            return std::sqrt(static_cast<double>((u - x) * (u - x) + (v - y) * (v - y)));
        };
        expect_slope(error, 300, m.order, std::string(m.name) + ", changing steps");
    }
}

// The error follows the tolerance: of steps, whose errors add up.
TEST(Multistep, ReachesItsTolerance) {
    for (const MethodInfo& m : multistep_methods())
        for (const Problem* p : {&lotka_volterra(), &pendulum(), &kepler()})
            for (const double rtol : {1e-5, 1e-8}) {
                SolveOptions o = options_of(std::string(m.name), 1, *p, p == &lotka_volterra() ? "none" : "simplified");
                o.rtol = o.atol = rtol;
                const Solution s = solve_system(p->system, o);
                ASSERT_EQ(s.status, Status::success) << m.name << ": " << s.message;
                double error = 0;
                for (const double e : s.output_numbers) error = std::max(error, std::abs(e));
                // the multiplier of the pendulum is 30 times as sensitive as its positions
                EXPECT_LT(error, 30 * static_cast<double>(s.stats.steps) * rtol) << m.name << ", " << p->name;
                EXPECT_GT(error, 1e-3 * rtol) << m.name << ", " << p->name << ": steps are far too small";
                EXPECT_LT(s.stats.rejected, 10 + s.stats.steps / 10) << m.name << ", " << p->name;
            }
}

// The midpoint rule, Milne and Simpson's, and one that has all coefficients.
TEST(Multistep, OfUsersHasTheOrderThatIsFound) {
    const std::vector<LinearMultistep> formulas{
        {.name = "user_midpoint", .alpha = {-1, 0, 1}, .beta = {0, 2, 0}},
        {.name = "user_milne", .alpha = {-1, 0, 1}, .beta = {"1/3", "4/3", "1/3"}},
        {.name = "user_mixed", .alpha = {"1/10", "-12/10", "11/10"}, .beta = {"-1/10", "6/10", "5/10"}}};
    const std::vector<int> orders{2, 4, 2};
    for (std::size_t i = 0; i < formulas.size(); ++i) {
        const MethodDescription m = add_multistep(formulas[i]);
        EXPECT_EQ(m.order, orders[i]) << m.name;
        for (const Problem* p : {&lotka_volterra(), &pendulum()}) {
            const auto error = [&](int n) {
                SolveOptions o = options_of(m.name, m.order, *p, p == &pendulum() ? "simplified" : "none");
                o.step = p->t / n;
                return error_of(o, *p);
            };
            expect_slope(error, first_steps(*p), orders[i], m.name + ", " + p->name);
        }
    }
}

} // namespace
} // namespace vessiot::multistep_test
