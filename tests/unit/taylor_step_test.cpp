// Steps of Taylor methods: the series of the solution for every way to the direction, tangent vectors of the manifold,
// step control, kinks, memory, and what is said where there is no series.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "distribution/curve_field.hpp"
#include "distribution/derivative/linearised.hpp"
#include "distribution/series/solution_series.hpp"
#include "lang/model.hpp"
#include "linalg/scalar.hpp"
#include "method/parts.hpp"
#include "method/taylor/tangent_taylor.hpp"
#include "method/taylor/taylor.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/problem/solve.hpp"
#include "solve/start/start.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"
#include "support/refusal.hpp"

namespace vessiot::taylor_step_test {
namespace {

using linalg::absolute;
using linalg::Vector;

struct Subject {
    std::string name;
    std::string distribution = "auto", expected = "";
    std::string formulation = "auto";
    test::ParameterSettings set{};
};

template <class S> struct Ready {
    std::unique_ptr<Compiled<S>> problem;
    StartPoint<S> start;

    explicit Ready(const Subject& s) : Ready(s, test::gallery_system(s.name, s.set)) {}
    Ready(const Subject& s, const System& system) {
        SolveOptions options;
        options.distribution = s.distribution;
        options.formulation = s.formulation;
        options.backend = "interpreter";
        options.parametrisation = "time";
        auto analysis = std::make_shared<Analysis>(system, settled(options));
        problem = std::make_unique<Compiled<S>>(analysis, settled(options));
        start = make_start(*problem, settled(options), S(0));
    }
    std::int64_t size() const { return problem->n_state(); }
    std::unique_ptr<SolutionSeries<S>> series(int order) {
        return make_solution_series<S>(problem->system(), problem->prolongation(), problem->jets(),
                                       problem->distribution(), problem->evaluator(), order);
    }
};

// |P'(s) - V(P(s))|, P the series cut off after `order`.
double defect(Ready<Quad>& ready, SolutionSeries<Quad>& series, int order, Quad s) {
    const std::int64_t n = ready.size();
    Vector<Quad> x(n), slope(n), v(n);
    Quad power = 1;
    for (int k = 0; k <= order; ++k, power *= s)
        for (std::int64_t i = 0; i < n; ++i) {
            x[i] += power * series.coefficient(k)[i];
            if (k < order) slope[i] += power * Quad(k + 1) * series.coefficient(k + 1)[i];
        }
    EXPECT_EQ(ready.problem->distribution().velocity(ready.start.t + s, x.data(), v.data()), PointStatus::good);
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, static_cast<double>(absolute(slope[i] - v[i])));
    return largest;
}

const std::vector<Subject> subjects{
    {"kepler", "auto", "explicit"},
    {"pendulum", "auto", "kkt"},
    {"pendulum", "solve", "solve"},
    {"four_bar", "auto", "kkt"},
    {"mech", "kkt", "kkt", "auto", {{"n", "60"}}}, // families: multipliers with numbers
    {"mech", "solve", "solve", "auto", {{"n", "60"}}},
    {"mech", "kkt-cg", "kkt-cg", "auto", {{"n", "60"}}},
    {"hairer_index2", "auto", "solve"},
    {"jay_index3", "auto", "solve"},
    {"circle_implicit", "auto", "explicit"},
    {"stiff_pendulum_overdetermined", "submatrix", "submatrix", "general"},
    {"rigid_body", "kernel-svd", "kernel-svd", "general"},
};

TEST(SolutionSeries, FollowsTheFieldForEveryDistribution) {
    constexpr int order = 7;
    for (const Subject& s : subjects) {
        Ready<Quad> ready(s);
        EXPECT_EQ(ready.problem->distribution().name(), s.expected) << s.name;
        const auto series = ready.series(order);
        ASSERT_EQ(series->begin(ready.start.t, ready.start.u.data(), Quad(1), true), PointStatus::good) << s.name;
        ASSERT_EQ(series->extend(order), PointStatus::good) << s.name;
        // the defect is O(s^order); s is small beside the radius of convergence, also of the stiff ones
        const double far = defect(ready, *series, order, Quad(1) / 4096);
        const double near = defect(ready, *series, order, Quad(1) / 8192);
        EXPECT_LT(far, 1e-9) << s.name;
        if (near > 1e-28) {
            EXPECT_NEAR(std::log2(far / near), order, 0.2) << s.name << ", " << s.distribution;
        }
    }
}

// Coefficients in another unit of time are the same, but for the powers of the unit: exactly, for powers of two.
TEST(SolutionSeries, ScalesWithTheUnitOfTime) {
    Ready<double> ready({"pendulum"});
    const auto one = ready.series(12), other = ready.series(12);
    one->begin(0, ready.start.u.data(), 1, true);
    other->begin(0, ready.start.u.data(), 0.125, true);
    one->extend(12);
    other->extend(12);
    for (int k = 0; k <= 12; ++k)
        for (std::int64_t i = 0; i < ready.size(); ++i)
            EXPECT_EQ(std::ldexp(one->coefficient(k)[i], -3 * k), other->coefficient(k)[i]);
}

// X = pi_t((dV)^t S_V) by the definition, by second derivatives of the constraints (Lemma 8.1), and in an orthonormal
// basis of the tangent space, (3.4).
TEST(TangentVectors, GiveTheCorrectionTermInThreeWays) {
    for (const std::string name : {"pendulum", "four_bar", "kepler", "car_axis"}) {
        Ready<Quad> ready({name});
        Compiled<Quad>& p = *ready.problem;
        const std::int64_t n = ready.size();
        const Quad t = ready.start.t;
        const Quad* u = ready.start.u.data();
        const auto series = ready.series(2);
        ASSERT_EQ(series->begin(t, u, Quad(1), true), PointStatus::good);
        ASSERT_EQ(series->extend(2), PointStatus::good);
        Vector<Quad> v(n), c2(n), normal(n), nu(p.manifold().n_constraints());
        for (std::int64_t i = 0; i < n; ++i) v[i] = series->coefficient(1)[i], c2[i] = 2 * series->coefficient(2)[i];
        method::TangentVectors<Quad> tangent(p.system(), p.prolongation(), p.jets(), p.manifold(), p.evaluator(), true);
        ASSERT_TRUE(tangent.set(t, u));
        Vector<Quad> covariant = c2;
        tangent.make_tangent(covariant.data(), nu.data());
        for (std::int64_t i = 0; i < n; ++i) normal[i] = c2[i] - covariant[i]; // S_V

        Vector<Quad> w(p.n_tops());
        ASSERT_EQ(p.distribution().tops(t, u, w.data()), PointStatus::good);
        Linearised<Quad> field(p.system(), p.prolongation(), p.jets(), p.evaluator());
        ASSERT_EQ(field.set(t, u, w.data()), PointStatus::good);
        std::vector<Quad> j(static_cast<std::size_t>(n * n));
        field.dense(j.data());
        // c'' = dV V + V_t, without power series
        Vector<Quad> dvv(n), rate(n);
        field.apply(v.data(), dvv.data());
        field.rate(rate.data());
        Quad size = 1;
        for (std::int64_t i = 0; i < n; ++i) size = std::max(size, absolute(c2[i]));
        for (std::int64_t i = 0; i < n; ++i)
            EXPECT_LT(static_cast<double>(absolute(dvv[i] + rate[i] - c2[i]) / size), 1e-28) << name;

        Vector<Quad> by_definition(n), by_curvature(n), by_basis(n);
        for (std::int64_t c = 0; c < n; ++c)
            for (std::int64_t r = 0; r < n; ++r) by_definition[c] += j[linalg::at(c * n + r)] * normal[r];
        tangent.make_tangent(by_definition.data());
        tangent.curvature_term(v.data(), nu.data(), by_curvature.data());
        tangent.make_tangent(by_curvature.data());
        std::vector<Vector<Quad>> basis;
        for (std::int64_t c = 0; c < n; ++c) { // tangent parts of unit vectors, made orthonormal
            Vector<Quad> z(n);
            z[c] = 1;
            tangent.make_tangent(z.data());
            const auto product = [n](const Vector<Quad>& a, const Vector<Quad>& b) {
                Quad sum = 0;
                for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
                return sum;
            };
            for (int pass = 0; pass < 2; ++pass)
                for (const Vector<Quad>& other : basis) {
                    const Quad factor = product(z, other);
                    for (std::int64_t i = 0; i < n; ++i) z[i] -= factor * other[i];
                }
            const Quad length = linalg::square_root(product(z, z));
            if (static_cast<double>(length) < 1e-10) continue;
            for (std::int64_t i = 0; i < n; ++i) z[i] /= length;
            Vector<Quad> along(n);
            field.apply(z.data(), along.data()); // S(V, z) is its normal part, and S_V is normal
            const Quad factor = product(normal, along);
            for (std::int64_t i = 0; i < n; ++i) by_basis[i] += factor * z[i];
            basis.push_back(z);
        }
        Quad scale = 1;
        for (std::int64_t i = 0; i < n; ++i) scale = std::max(scale, absolute(by_definition[i]));
        for (std::int64_t i = 0; i < n; ++i) {
            EXPECT_LT(static_cast<double>(absolute(by_definition[i] - by_curvature[i]) / scale), 1e-25) << name;
            EXPECT_LT(static_cast<double>(absolute(by_definition[i] - by_basis[i]) / scale), 1e-25) << name;
        }
    }
}

// --- steps ---

Solution solve_text(const std::string& text, SolveOptions options) {
    if (!options.method) options.method = "taylor";
    options.throw_on_failure = false;
    options.backend = "interpreter"; // no thread compiles while memory is counted
    return solve_system(lang::read_model(lang::Source("model.ves", text)), options);
}

double last(const Solution& s, std::size_t column) {
    return s.numbers[s.numbers.size() - s.names.size() + column];
}

std::string refusal(const std::string& text, const SolveOptions& options) {
    return test::message([&] { solve_text(text, options); });
}

const std::string oscillator = "unknown x\nx'' = -sin(x)\nstart x = 1, x' = 0\nsolve t = 0 .. 5\n";
const std::string pendulum = "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 1\nx^2 + y^2 = 1\n"
                             "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 2\n";

TEST(TaylorStep, IsTheSumOfTheSeries) {
    const Solution s = solve_text("unknown x\nx' = x\nstart x = 1\nsolve t = 0 .. 1\n", {.step = 1, .order = 10});
    double sum = 0, term = 1;
    for (int k = 1; k <= 11; ++k) sum += term, term /= k;
    EXPECT_NEAR(last(s, 0), sum, 4e-16);
    EXPECT_EQ(s.stats.steps, 1);
}

TEST(TaylorStep, ChoosesItsOrderByTheTolerance) {
    EXPECT_EQ(method::taylor_order(1e-6), 8);
    EXPECT_EQ(method::taylor_order(1e-16), 20);
    EXPECT_EQ(method::taylor_order(1e-30), 30);
    EXPECT_EQ(method::taylor_order(1), 2);
    EXPECT_EQ(solve_text(oscillator, {.rtol = 1e-12}).method.order, 15);
    EXPECT_EQ(solve_text(oscillator, {.rtol = 1e-12, .order = 9}).method.order, 9);
}

// Errors follow the tolerance, at the orders chosen for it and at others, whose errors of many steps add up.
TEST(TaylorStep, ReachesItsTolerance) {
    const double exact = last(solve_text(oscillator, {.rtol = 1e-28, .atol = 1e-28, .precision = "quad"}), 0);
    for (const int order : {0, 4, 9, 25})
        for (const double tolerance : {1e-5, 1e-8, 1e-11}) {
            const Solution s = solve_text(oscillator, {.rtol = tolerance, .atol = tolerance, .order = order});
            EXPECT_LT(std::abs(last(s, 0) - exact), 100 * tolerance) << order << ", " << tolerance;
            EXPECT_LT(s.stats.rejected, s.stats.steps / 2 + 3) << order << ", " << tolerance;
        }
}

TEST(TaylorStep, RunsBackwards) {
    const Solution s =
        solve_text(oscillator, {.rtol = 1e-12, .atol = 1e-12, .from = 5, .to = 0, .start = {{"x", 1}, {"x'", 0}}});
    EXPECT_EQ(s.status, Status::success);
    const Solution forth = solve_text(oscillator, {.rtol = 1e-12, .atol = 1e-12});
    EXPECT_NEAR(last(s, 0), last(forth, 0), 1e-9); // it is even in time
}

// Time in units of 1e-12 and of 1e12: coefficients would leave the range of numbers at order 30.
TEST(TaylorStep, DoesNotDependOnTheUnitOfTime) {
    const auto run = [](double unit) {
        SolveOptions o{.rtol = 1e-12, .atol = 1e-12, .to = 5 * unit, .order = 30};
        char text[200];
        std::snprintf(text, sizeof text,
                      "parameter w = %.17g\nunknown x, v\nx' = w*v\nv' = -w*sin(x)\nstart x = 1, v = 0\n"
                      "solve t = 0 .. 1\n",
                      1 / unit);
        return solve_text(text, o);
    };
    const Solution one = run(1);
    for (const double unit : {0x1p-40, 0x1p40}) {
        const Solution s = run(unit);
        ASSERT_EQ(s.status, Status::success) << s.message;
        EXPECT_NEAR(last(s, 0), last(one, 0), 1e-11);
        EXPECT_LT(std::abs(static_cast<double>(s.stats.steps - one.stats.steps)), 10);
    }
}

// The series at the start knows nothing of the kink that the step would cross: the defect does.
TEST(TaylorStep, NoticesAKinkWithinTheStep) {
    const Solution s = solve_text("unknown x, y\nx' = 1\ny' = abs(x)\nstart x = -1, y = 0\nsolve t = 0 .. 2\n",
                                  {.rtol = 1e-8, .atol = 1e-8, .conditions = "ignore"});
    EXPECT_EQ(s.status, Status::success);
    EXPECT_NEAR(last(s, 1), 1, 1e-6); // at most (p + 1) times the tolerance, for each step near the kink
    EXPECT_GT(s.stats.rejected, 0);
    // and from the kink itself, the branch of the side it goes to
    const Solution from = solve_text("unknown x, y\nx' = 1\ny' = abs(x)\nstart x = 0, y = 0\nsolve t = 0 .. 2\n", {});
    EXPECT_NEAR(last(from, 1), 2, 1e-12);
}

TEST(TaylorStep, SaysWhereThereIsNoSeries) {
    const Solution s = solve_text("unknown x\nx' = 1 + sqrt(x)\nstart x = 0\nsolve t = 0 .. 1\n", {});
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_NE(s.message.find("the equations have no derivatives of the order that taylor needs there"),
              std::string::npos)
        << s.message;
}

TEST(TaylorStep, RefusesWhatItCannotDo) {
    EXPECT_EQ(refusal(oscillator, {.order = 31}), "order = 31, but the method taylor has the orders 1 to 30");
    EXPECT_EQ(
        refusal(oscillator, {.method = "dopri54", .order = 5}),
        "order = 5 chooses the order of the method taylor, but the method is dopri54, which has order 5: leave one "
        "of them out, or use --method taylor");
    EXPECT_NE(
        refusal(pendulum, {.method = "taylor3", .projection = "simplified"}).find("is made for the nearest point"),
        std::string::npos);
}

// Every point is on the constraints, and so is what lies between; pieces meet.
TEST(TaylorStep, StaysOnTheConstraintsBetweenSteps) {
    const Solution s = solve_text(pendulum, {.rtol = 1e-10, .atol = 1e-10, .every = 0.01});
    EXPECT_EQ(s.status, Status::success);
    EXPECT_LT(s.constraint_residual_max, 1e-13); // round-off
    EXPECT_LT(s.stats.steps, 60);
}

template <class S> void expect_no_allocation(const Subject& subject) {
    Ready<S> ready(subject);
    Compiled<S>& p = *ready.problem;
    SampledTime time;
    TimeField<S> field(p.distribution(), time);
    Parts<S> parts{p.system(), p.prolongation(), p.jets(), p.manifold(), p.distribution(), p.evaluator(), false, true};
    StepperOptions<S> options;
    options.project = Project::nothing;
    options.parts = &parts;
    method::TaylorStepper<S> stepper(method::of_order(method::find_method("taylor"), 12), field, nullptr, options);
    stepper.begin(ready.start.t, ready.start.u.data());
    Vector<S> dense(linalg::padded(ready.size()) * (stepper.dense_degree() + 1));
    const auto step = [&] {
        const StepReport<S> report = stepper.attempt(stepper.suggest(S(1e-4)));
        EXPECT_EQ(report.outcome, StepOutcome::done);
        stepper.accept();
        EXPECT_EQ(stepper.dense(dense.data()), PointStatus::good);
        EXPECT_NE(stepper.direction(), nullptr);
    };
    step(); // factorisations take their memory
    const std::size_t before = test::n_allocations();
    for (int k = 0; k < 3; ++k) step();
    EXPECT_EQ(test::n_allocations(), before) << subject.name << ", " << subject.distribution;
}

TEST(TaylorStep, TakesNoMemory) {
    for (const Subject& s : subjects) {
        if (s.distribution == "kkt-cg") continue;
        expect_no_allocation<double>(s);
        expect_no_allocation<Quad>(s);
    }
}

} // namespace
} // namespace vessiot::taylor_step_test
