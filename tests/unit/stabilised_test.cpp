// Derivatives and linear systems of two further forms of the direction field: stabilised by its constraints, and as the
// unit tangent of arclength.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "distribution/curve_field.hpp"
#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/stabilised_solver.hpp"
#include "linalg/scalar.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/start/start.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"

namespace vessiot::stabilised_test {
namespace {

using linalg::absolute;
using linalg::Vector;

template <class S> struct Ready {
    std::unique_ptr<Compiled<S>> problem;
    StartPoint<S> start;

    explicit Ready(const std::string& name, const test::ParameterSettings& set = {}, bool is_arclength = false) {
        SolveOptions options;
        options.backend = "interpreter";
        options.parametrisation = is_arclength ? "arclength" : "time";
        const System system = test::gallery_system(name, set);
        problem =
            std::make_unique<Compiled<S>>(std::make_shared<const Analysis>(system, settled(options)), settled(options));
        start = make_start(*problem, settled(options), S(0));
    }
};

// Numbers without pattern, the same on every machine.
template <class S> Vector<S> some_vector(std::int64_t n, std::int64_t seed) {
    Vector<S> x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = S((i * 7919 + seed * 104729) % 1000) / 500 - 1;
    return x;
}

struct Subject {
    std::string name;
    test::ParameterSettings set{};
};

// Without constraints, with invariants, small with multipliers, large and sparse, large and banded.
const std::vector<Subject> subjects{{"van_der_pol"}, {"robertson"},           {"andrews"},
                                    {"jay_index3"},  {"mech", {{"n", "30"}}}, {"heat_dae", {{"n", "100"}}}};

// b = x - gamma J x + df^T m and r = df x, solved again. delta changes them by about 1e-12 times the condition.
TEST(StabilisedSolver, SolvesForCoordinatesAndMultipliers) {
    for (const Subject& subject : subjects) {
        SCOPED_TRACE(subject.name);
        Ready<double> ready(subject.name, subject.set);
        Compiled<double>& p = *ready.problem;
        Manifold<double>& manifold = p.manifold();
        const std::int64_t n = p.n_state(), k = manifold.n_constraints();
        Vector<double> w(p.n_tops());
        ASSERT_EQ(p.distribution().tops(ready.start.t, ready.start.u.data(), w.data()), PointStatus::good);
        StabilisedSolver<double> solver(p.system(), p.prolongation(), p.jets(), p.evaluator(), &manifold);
        ASSERT_EQ(solver.set(ready.start.t, ready.start.u.data(), w.data()), PointStatus::good);
        solver.choose_rows();
        EXPECT_TRUE(solver.left_out().empty());
        const double gamma = 1e-4;
        ASSERT_TRUE(solver.factor(gamma));

        Linearised<double> field(p.system(), p.prolongation(), p.jets(), p.evaluator());
        ASSERT_EQ(field.set(ready.start.t, ready.start.u.data(), w.data()), PointStatus::good);
        const Vector<double> x = some_vector<double>(n, 1), m = some_vector<double>(k, 2);
        Vector<double> b(n), r(k), f(k), df(manifold.pattern().entries());
        field.apply(x.data(), b.data());
        for (std::int64_t i = 0; i < n; ++i) b[i] = x[i] - gamma * b[i];
        solver.add_normal(m.data(), b.data());
        manifold.df(ready.start.t, ready.start.u.data(), f.data(), df.data());
        const linalg::Pattern& pattern = manifold.pattern();
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t e = pattern.column_start[linalg::at(j)]; e < pattern.column_start[linalg::at(j + 1)]; ++e)
                r[pattern.row[linalg::at(e)]] += df[e] * x[j];
        solver.solve(b.data(), r.data());
        for (std::int64_t i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-5) << i;
        for (std::int64_t i = 0; i < k; ++i) EXPECT_NEAR(r[i], m[i], 1e-3) << i;

        const std::size_t before = test::n_allocations();
        solver.set(ready.start.t, ready.start.u.data(), w.data());
        solver.factor(2 * gamma);
        solver.solve(b.data(), r.data());
        EXPECT_EQ(test::n_allocations() - before, 0u);
    }
}

TEST(StabilisedSolver, LeavesOutConstraintsThatFollowFromOthers) {
    Ready<double> ready("stiff_pendulum_overdetermined");
    Compiled<double>& p = *ready.problem;
    Vector<double> w(p.n_tops());
    ASSERT_EQ(p.distribution().tops(ready.start.t, ready.start.u.data(), w.data()), PointStatus::good);
    StabilisedSolver<double> solver(p.system(), p.prolongation(), p.jets(), p.evaluator(), &p.manifold());
    ASSERT_EQ(solver.set(ready.start.t, ready.start.u.data(), w.data()), PointStatus::good);
    solver.choose_rows();
    const auto rank = p.manifold().n_constraints() - std::ssize(solver.left_out());
    EXPECT_EQ(rank, p.n_state() - (p.analysis().summary().manifold_dimension - 1));
    EXPECT_TRUE(solver.factor(0.01));
}

// (J d) against (v(x + h d) - v(x - h d)) / (2 h): third derivatives, 1e9 for van der Pol's equation, times h^2 =
// 1e-24.
void expect_derivative(Ready<Quad>& ready, ArclengthField<Quad>& field, Linearised<Quad>& linearised,
                       const Vector<Quad>& x, const Vector<Quad>& d) {
    const std::int64_t n = field.size();
    Vector<Quad> point(n), high(n), low(n);
    const Quad h = 1e-12;
    for (std::int64_t i = 0; i < n; ++i) point[i] = x[i] + h * d[i];
    ASSERT_EQ(field.direction(0, point.data(), high.data()), PointStatus::good);
    for (std::int64_t i = 0; i < n; ++i) point[i] = x[i] - h * d[i];
    ASSERT_EQ(field.direction(0, point.data(), low.data()), PointStatus::good);
    std::vector<Quad> matrix(static_cast<std::size_t>(n * n)); // I - J
    linearised.matrix(Quad(1), matrix.data());
    for (std::int64_t i = 0; i < n; ++i) {
        Quad product = d[i];
        for (std::int64_t j = 0; j < n; ++j) product -= matrix[static_cast<std::size_t>(j * n + i)] * d[j];
        EXPECT_LE(static_cast<double>(absolute(product - (high[i] - low[i]) / (2 * h))), 1e-11)
            << ready.problem->system().name << " " << i;
    }
}

// Along the curve for all; in every direction where there are no constraints, at an impasse point too.
TEST(LinearisedTangent, AgreesWithDifferences) {
    for (const std::string name : {"impasse", "van_der_pol", "plug_flow", "circle_implicit", "kepler"}) {
        Ready<Quad> ready(name, {}, true);
        Compiled<Quad>& p = *ready.problem;
        SampledTime time;
        ArclengthField<Quad> field(p.distribution(), time);
        Linearised<Quad> linearised(p.system(), p.prolongation(), p.jets(), p.evaluator(), nullptr, false,
                                    LinearisedForm::tangent);
        const std::int64_t n = field.size();
        std::vector<Vector<Quad>> points{Vector<Quad>(n)};
        std::copy_n(ready.start.u.data(), n - 1, points[0].data());
        if (name == "impasse") points.emplace_back(n); // y = 0, where t turns
        for (const Vector<Quad>& x : points) {
            Vector<Quad> v(n);
            ASSERT_EQ(field.direction(0, x.data(), v.data()), PointStatus::good) << name;
            ASSERT_EQ(linearised.set_tangent(x.data(), v.data()), PointStatus::good) << name;
            expect_derivative(ready, field, linearised, x, v);
            if (p.manifold().n_constraints() == 0)
                expect_derivative(ready, field, linearised, x, some_vector<Quad>(n, 3));
        }
    }
}

} // namespace
} // namespace vessiot::stabilised_test
