// The derivative of the direction field: it agrees with differences of directions for every shape of the equations, and
// (I - gamma J) x = b is solved with it for real and complex gamma.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/shifted_solver.hpp"
#include "linalg/scalar.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "projection/simplified.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/start/start.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"

namespace vessiot::linearised_test {
namespace {

using linalg::absolute;
using linalg::Complex;
using linalg::Vector;

struct Subject {
    std::string name;
    test::ParameterSettings set{};
    std::string formulation = "auto";
};

// Equations with A = I, A diagonal, small dense A, families with multipliers, banded with algebraic unknowns, more
// equations than unknowns.
const std::vector<Subject> subjects{
    {"robertson"},
    {"van_der_pol"},
    {"andrews"},
    {"hairer_index3"},
    {"arenstorf"},
    {"mech", {{"n", "30"}}},
    {"heat_dae", {{"n", "100"}}},
    {"stiff_pendulum_overdetermined", {}, "general"},
};

template <class S> struct Ready {
    std::unique_ptr<Compiled<S>> problem;
    StartPoint<S> start;
    Vector<S> w;
    std::unique_ptr<Linearised<S>> field;

    Ready(const Subject& subject, bool is_projected, bool by_levels = false) {
        SolveOptions options;
        options.formulation = subject.formulation;
        options.backend = "interpreter";
        const System system = test::gallery_system(subject.name, subject.set);
        problem =
            std::make_unique<Compiled<S>>(std::make_shared<const Analysis>(system, settled(options)), settled(options));
        start = make_start(*problem, settled(options), S(0));
        w = Vector<S>(problem->n_tops());
        field = std::make_unique<Linearised<S>>(problem->system(), problem->prolongation(), problem->jets(),
                                                problem->evaluator(), is_projected ? &problem->manifold() : nullptr,
                                                by_levels);
    }
    PointStatus set() {
        const PointStatus status = problem->distribution().tops(start.t, start.u.data(), w.data());
        return status == PointStatus::good ? field->set(start.t, start.u.data(), w.data()) : status;
    }
    std::int64_t size() const { return problem->n_state(); }
};

// Numbers without pattern, the same on every machine.
template <class S> Vector<S> some_vector(std::int64_t n, std::int64_t seed = 1) {
    Vector<S> x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = S((i * 7919 + seed * 104729) % 1000) / 500 - 1;
    return x;
}

template <class S> S largest(const Vector<S>& x) {
    S result = 0;
    for (const S& value : x) result = std::max(result, absolute(value));
    return result;
}

// d onto the kernel of df at the start.
void project(Ready<Quad>& ready, Vector<Quad>& d) {
    Manifold<Quad>& m = ready.problem->manifold();
    Vector<Quad> f(m.n_constraints()), df(m.pattern().entries()), back(d.size());
    m.df(ready.start.t, ready.start.u.data(), f.data(), df.data());
    linalg::NormalSolver<Quad> normal(m.pattern());
    normal.factor(df.data(), nullptr);
    std::fill(f.begin(), f.end(), Quad(0));
    for (std::int64_t j = 0; j < d.size(); ++j)
        for (std::int64_t e = m.pattern().column_start[static_cast<std::size_t>(j)];
             e < m.pattern().column_start[static_cast<std::size_t>(j) + 1]; ++e)
            f[m.pattern().row[static_cast<std::size_t>(e)]] += df[e] * d[j];
    normal.solve_correction(f.data(), back.data());
    for (std::int64_t j = 0; j < d.size(); ++j) d[j] -= back[j];
}

// (V(t + h dt, u + h d) - V(t - h dt, u - h d)) / (2 h)
Vector<Quad> difference(Ready<Quad>& ready, const Vector<Quad>& d, Quad dt) {
    const std::int64_t n = ready.size();
    const Quad h = 1e-9;
    Vector<Quad> point(n), high(n), low(n);
    for (std::int64_t i = 0; i < n; ++i) point[i] = ready.start.u[i] + h * d[i];
    EXPECT_EQ(ready.problem->distribution().velocity(ready.start.t + h * dt, point.data(), high.data()),
              PointStatus::good);
    for (std::int64_t i = 0; i < n; ++i) point[i] = ready.start.u[i] - h * d[i];
    EXPECT_EQ(ready.problem->distribution().velocity(ready.start.t - h * dt, point.data(), low.data()),
              PointStatus::good);
    for (std::int64_t i = 0; i < n; ++i) high[i] = (high[i] - low[i]) / (2 * h);
    return high;
}

// Along the manifold: there, and only there, all choices of equations have the same directions.
TEST(Linearised, AgreesWithDifferences) {
    for (const Subject& subject : subjects) {
        SCOPED_TRACE(subject.name);
        Ready<Quad> ready(subject, false);
        ASSERT_EQ(ready.set(), PointStatus::good);
        Vector<Quad> d = some_vector<Quad>(ready.size());
        if (subject.formulation == "general") project(ready, d);
        Vector<Quad> product(ready.size());
        ready.field->apply(d.data(), product.data());
        const Vector<Quad> expected = difference(ready, d, 0);
        const Quad size = largest(expected) + 1;
        // third derivatives, times h^2 = 1e-18
        for (std::int64_t i = 0; i < ready.size(); ++i)
            EXPECT_LE(static_cast<double>(absolute(product[i] - expected[i]) / size), 1e-11) << i;
    }
}

TEST(Linearised, KnowsHowDirectionsChangeWithTime) {
    for (const Subject& subject : {Subject{"friction_oscillator"}, Subject{"robot_arm"}, Subject{"car_axis"}}) {
        SCOPED_TRACE(subject.name);
        Ready<Quad> ready(subject, false);
        ASSERT_EQ(ready.set(), PointStatus::good);
        Vector<Quad> rate(ready.size());
        ready.field->rate(rate.data());
        const Vector<Quad> expected = difference(ready, Vector<Quad>(ready.size()), 1);
        for (std::int64_t i = 0; i < ready.size(); ++i)
            EXPECT_LE(static_cast<double>(absolute(rate[i] - expected[i])), 1e-13) << i;
    }
}

// Positions first, then velocities, each by their own constraints: what `simplified` does, close to the manifold.
TEST(Linearised, KnowsTheProjectionByLevels) {
    for (const Subject& subject : {Subject{"pendulum"}, Subject{"mech", {{"n", "30"}}}}) {
        SCOPED_TRACE(subject.name);
        Ready<Quad> ready(subject, true, true);
        ASSERT_EQ(ready.set(), PointStatus::good);
        const std::int64_t n = ready.size();
        SimplifiedProjection<Quad> projection(ready.problem->manifold(), {});
        EXPECT_TRUE(projection.goes_by_levels());
        Vector<Quad> d = some_vector<Quad>(n), point(n), product(n), high(n), low(n);
        ready.field->apply(d.data(), product.data());
        const Quad h = 1e-9;
        const auto direction = [&](Quad step, Vector<Quad>& v) {
            for (std::int64_t i = 0; i < n; ++i) point[i] = ready.start.u[i] + step * d[i];
            projection.forget(); // each by itself
            projection.begin_step(ready.start.t, ready.start.u.data());
            // the first projection of a step freezes df where it is asked: at the point itself
            Vector<Quad> start = ready.start.u;
            projection.project(ready.start.t, start.data());
            ASSERT_EQ(projection.project(ready.start.t, point.data()).status, PointStatus::good);
            ASSERT_EQ(ready.problem->distribution().velocity(ready.start.t, point.data(), v.data()), PointStatus::good);
        };
        direction(h, high);
        direction(-h, low);
        const Quad size = largest(product) + 1;
        for (std::int64_t i = 0; i < n; ++i)
            EXPECT_LE(static_cast<double>(absolute(product[i] - (high[i] - low[i]) / (2 * h)) / size), 1e-11) << i;
    }
}

TEST(Linearised, LeavesOutWhatIsNormalToTheManifold) {
    for (const Subject& subject : subjects) {
        Ready<Quad> ready(subject, true);
        if (ready.problem->manifold().n_constraints() == 0) continue;
        SCOPED_TRACE(subject.name);
        ASSERT_EQ(ready.set(), PointStatus::good);
        Vector<Quad> d = some_vector<Quad>(ready.size()), product(ready.size());
        ready.field->apply(d.data(), product.data());
        project(ready, d);
        const Vector<Quad> expected = difference(ready, d, 0);
        const Quad size = largest(expected) + 1;
        for (std::int64_t i = 0; i < ready.size(); ++i)
            EXPECT_LE(static_cast<double>(absolute(product[i] - expected[i]) / size), 1e-11) << i;
    }
}

// b = x - gamma J x, solved again. The matrix is of size 1 + gamma |J|.
template <class S> void check_shifted(bool is_projected, double tolerance, bool by_levels = false) {
    for (const Subject& subject : subjects) {
        if (by_levels && subject.formulation == "general") continue; // it has none
        SCOPED_TRACE(subject.name);
        Ready<S> ready(subject, is_projected, by_levels);
        ASSERT_EQ(ready.set(), PointStatus::good);
        const std::int64_t n = ready.size();
        Vector<S> x = some_vector<S>(n), y = some_vector<S>(n, 2), jx(n), jy(n);
        ready.field->apply(x.data(), jx.data());
        ready.field->apply(y.data(), jy.data());
        const S re = S(1) / 16, im = S(1) / 32;
        ShiftedSolver<S> real(*ready.field);
        ASSERT_TRUE(real.factor(re));
        Vector<S> b(n);
        for (std::int64_t i = 0; i < n; ++i) b[i] = x[i] - re * jx[i];
        real.solve(b.data());
        for (std::int64_t i = 0; i < n; ++i) EXPECT_LE(static_cast<double>(absolute(b[i] - x[i])), tolerance) << i;
        ShiftedSolver<Complex<S>> complex(*ready.field);
        ASSERT_TRUE(complex.factor({re, im}));
        Vector<Complex<S>> c(n);
        for (std::int64_t i = 0; i < n; ++i)
            c[i] = Complex<S>(x[i], y[i]) - Complex<S>(re, im) * Complex<S>(jx[i], jy[i]);
        complex.solve(c.data());
        for (std::int64_t i = 0; i < n; ++i) {
            EXPECT_LE(static_cast<double>(absolute(c[i].re - x[i])), tolerance) << i;
            EXPECT_LE(static_cast<double>(absolute(c[i].im - y[i])), tolerance) << i;
        }
    }
}

// Robertson's and Andrews' J reach 1e5 and more: digits of b that the solution gets back times the condition.
TEST(ShiftedSolver, SolvesWithRealAndComplexGamma) {
    check_shifted<double>(false, 1e-8);
    check_shifted<Quad>(false, 1e-24);
}

// delta of the large projected systems changes them by 1e-10.
TEST(ShiftedSolver, SolvesWithTheProjectedField) {
    check_shifted<double>(true, 1e-6);
    check_shifted<double>(true, 1e-6, true);
}

TEST(ShiftedSolver, FormsSmallMatricesForExplicitEquations) {
    Ready<double> ready({"heat", {{"n", "200"}}}, false);
    ASSERT_EQ(ready.set(), PointStatus::good);
    EXPECT_EQ(ready.field->pattern().rows, ready.size());
    EXPECT_EQ(ShiftedSolver<double>(*ready.field).kind(), "band");
    EXPECT_EQ(ShiftedSolver<Complex<double>>(*ready.field).kind(), "band");
}

TEST(ShiftedSolver, AllocatesOnlyOnce) {
    for (const Subject& subject : subjects) {
        if (subject.formulation == "general") continue; // rows are chosen anew
        SCOPED_TRACE(subject.name);
        Ready<double> ready(subject, false);
        ASSERT_EQ(ready.set(), PointStatus::good);
        ShiftedSolver<double> real(*ready.field);
        ShiftedSolver<Complex<double>> complex(*ready.field);
        ASSERT_TRUE(real.factor(0.01) && complex.factor({0.01, 0.02}));
        Vector<double> b = some_vector<double>(ready.size());
        Vector<Complex<double>> c(ready.size());
        const std::size_t before = test::n_allocations();
        ready.set();
        real.factor(0.02);
        complex.factor({0.02, 0.01});
        real.solve(b.data());
        complex.solve(c.data());
        EXPECT_EQ(test::n_allocations() - before, 0u);
    }
}

} // namespace
} // namespace vessiot::linearised_test
