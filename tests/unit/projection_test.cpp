// The projections one by one: iteration counts, start points and stopping rules of the papers, spheres, dependent
// constraints, failures. What all of them must satisfy is in tests/property.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "projection/local/sphere.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"
#include "support/projections.hpp"

namespace vessiot::projection_test {
namespace {

using test::distance;
using test::OnManifold;
using Point = linalg::Vector<double>;
const std::vector<std::string> all{"simplified", "newton", "chord", "inexact"}, nearest{"newton", "chord", "inexact"};

System read(const std::string& text) {
    return lang::read_model(lang::Source("test.ves", text));
}

// A point of the plane or of space that stands still, with these invariants.
System still(const std::string& names, const std::string& lines) {
    return read("unknown " + names + "\n" + lines);
}

const System circle = still("x, y", "x' = -y\ny' = x\ninvariant x^2 + y^2\nstart x = 0.6, y = 0.8\n");
const System ellipse = still("x, y", "x' = -4*y\ny' = x\ninvariant x^2 + 4*y^2 = 4\nstart x = 2, y = 0\n");
// twice the same, and the same again as another row
const System twice =
    still("x, y", "x' = -4*y\ny' = x\ninvariant x^2 + 4*y^2 = 4\ninvariant 3*x^2 + 12*y^2 = 12\nstart x = 2, y = 0\n");

template <class S = double> linalg::Vector<S> point(std::initializer_list<double> numbers) {
    linalg::Vector<S> x(static_cast<std::int64_t>(numbers.size()));
    std::int64_t j = 0;
    for (const double n : numbers) x[j++] = S(n);
    return x;
}

test::Projected<double> projected(const std::string& name, OnManifold<double>& m, const Point& a,
                                  const ProjectionOptions& o = {}) {
    return test::project(*test::make_projection(name, m.manifold(), o), m, a);
}

// ---- spheres ----

TEST(Sphere, IsRecognised) {
    const auto is_sphere = [](const System& system) {
        OnManifold<double> m(system);
        return Sphere<double>::recognise(m.manifold()).has_value();
    };
    EXPECT_TRUE(is_sphere(circle));
    EXPECT_TRUE(is_sphere(test::gallery_system("rigid_body")));
    const std::string still_start = "x' = 0\ny' = 0\nz' = 0\nstart x = 1, y = 2, z = 3\n";
    const auto kept = [&](const std::string& f) { return is_sphere(still("x, y, z", still_start + "invariant " + f)); };
    EXPECT_TRUE(kept("x^2 + z^2\n"));                         // a cylinder
    EXPECT_TRUE(kept("(x - 5)^2/2 + (y + 1)^2/2 + z^2/2\n")); // not about 0
    EXPECT_TRUE(kept("-x^2 - y^2 - z^2\n"));
    EXPECT_FALSE(kept("x^2 + y^2 + 2*z^2\n"));
    EXPECT_FALSE(kept("x^2 + y^2 - z^2\n"));
    EXPECT_FALSE(kept("x^2 + y^2 + z\n"));
    EXPECT_FALSE(kept("x^2 + y^2 + x*y\n"));
    EXPECT_FALSE(kept("x^2 + y^2 + z^4\n"));
    EXPECT_FALSE(kept("x + y\n"));
    EXPECT_FALSE(kept("x^2\ninvariant y^2\n"));
    EXPECT_FALSE(kept("sin(x)^2 + y^2 + z^2\n"));
}

TEST(Sphere, IsReachedByScaling) {
    OnManifold<double> m(circle);
    const auto [p, report] = projected("newton", m, point({3, 4}));
    EXPECT_EQ(report.iterations, 1);
    EXPECT_NEAR(p[0], 0.6, 1e-15);
    EXPECT_NEAR(p[1], 0.8, 1e-15);
    EXPECT_LE(report.residual, 1e-15);
}

TEST(Sphere, GivesWhatTheIterationGives) {
    OnManifold<double> m(still("x, y, z", "x' = 0\ny' = 0\nz' = 0\nstart x = 1, y = 2, z = 3\n"
                                          "invariant ((x - 5)^2 + (z + 1)^2)/2\n"));
    std::mt19937_64 random(1);
    for (int k = 0; k < 20; ++k) {
        const Point a = m.moved(0.5, random);
        EXPECT_LT(distance(projected("newton", m, a).p, projected("chord", m, a).p), 1e-14);
    }
}

TEST(Sphere, HasNoNearestPointToItsCentre) {
    OnManifold<double> m(circle);
    for (const std::string& name : nearest)
        EXPECT_NE(projected(name, m, point({0, 0})).report.status, PointStatus::good) << name;
}

// ---- iterations ----

// The nearest point of x^2 + 4 y^2 = 4 to (2.1, 0.2): the angle with the ellipse is right.
TEST(Projection, OntoAnEllipseIsPerpendicular) {
    OnManifold<double> m(ellipse);
    const Point a = point({2.1, 0.2});
    for (const std::string& name : nearest) {
        const auto [p, report] = projected(name, m, a);
        EXPECT_EQ(report.status, PointStatus::good) << name;
        EXPECT_NEAR(p[0] * p[0] + 4 * p[1] * p[1], 4, 1e-14) << name;
        EXPECT_NEAR((a[0] - p[0]) * 4 * p[1] - (a[1] - p[1]) * p[0], 0, 1e-14) << name;
        EXPECT_GT(report.iterations, 1) << name;
    }
}

TEST(Projection, ByNewtonConvergesQuadraticallyAndByChordInSteps) {
    OnManifold<Quad> m(ellipse);
    const auto iterations = [&](const std::string& name) {
        return test::project(*test::make_projection(name, m.manifold()), m, point<Quad>({2.1, 0.2})).report.iterations;
    };
    // 34 digits: distances 0.1, 1e-2, 1e-4, 1e-8, 1e-16, 1e-32
    EXPECT_LE(iterations("newton"), 6);
    EXPECT_GT(iterations("chord"), iterations("newton"));
    EXPECT_LE(iterations("chord"), 18);
}

// The first step in closed form is the first step of Newton's method from (a, 0).
TEST(Projection, TheFirstStepInClosedFormIsThatOfNewton) {
    OnManifold<double> m(test::gallery_system("four_bar"));
    std::mt19937_64 random(2);
    for (const std::string name : {"newton", "chord"}) {
        const Point a = m.moved(1e-3, random);
        const auto one = [&](bool is_closed) {
            return projected(name, m, a, {.max_iterations = 1, .has_closed_first_step = is_closed});
        };
        EXPECT_EQ(one(true).report.status, PointStatus::not_converged);
        EXPECT_LT(distance(one(true).p, one(false).p), 1e-14) << name;
        EXPECT_LT(distance(projected(name, m, a).p, projected(name, m, a, {.has_closed_first_step = false}).p), 1e-14);
    }
}

// A step of Euler of length h along the tangent: f = O(h^2), and O(h^3) from the start point with the curvature.
TEST(Projection, StartsNearerWithTheCurvature) {
    OnManifold<double> m(ellipse);
    m.x = point({std::sqrt(2.0), std::sqrt(0.5)});
    const auto miss = [&](NewtonStart start, double h) {
        const Point a = point({m.x[0] - 4 * m.x[1] * h, m.x[1] + m.x[0] * h});
        const Point p = projected("newton", m, a, {.tolerance = 1e-30, .max_iterations = 0, .start = start}).p;
        return distance(p, projected("newton", m, a).p);
    };
    for (const double h : {1e-2, 1e-3}) {
        EXPECT_NEAR(miss(NewtonStart::a, h) / miss(NewtonStart::a, h / 2), 4, 0.2);
        EXPECT_NEAR(miss(NewtonStart::curvature, h) / miss(NewtonStart::curvature, h / 2), 8, 0.8);
    }
    const Point a = point({m.x[0] - 4 * m.x[1] * 1e-3, m.x[1] + m.x[0] * 1e-3});
    for (const std::string& name : nearest) {
        const auto from_a = projected(name, m, a),
                   from_there = projected(name, m, a, {.start = NewtonStart::curvature});
        EXPECT_LT(from_there.report.iterations, from_a.report.iterations) << name;
        EXPECT_LT(distance(from_there.p, from_a.p), 1e-14) << name;
    }
}

// (5.3) where constraints depend on t: the Taylor polynomial is that of the time arrived at.
TEST(Projection, StartsNearerWithTheCurvatureOfAMovingConstraint) {
    OnManifold<double> m(still("x, y, s", "s = 0.1*sin(t)\n(x - s)^2 + 4*y^2 = 4\ny' = x\nstart x = 2, y = 0\n"));
    std::mt19937_64 random(3);
    const Point a = m.moved(1e-3, random);
    m.t = 1e-3;
    for (const std::string& name : nearest) {
        const auto from_there = projected(name, m, a, {.start = NewtonStart::curvature});
        EXPECT_EQ(from_there.report.status, PointStatus::good);
        EXPECT_LE(from_there.report.iterations, projected(name, m, a).report.iterations) << name;
        EXPECT_LT(distance(from_there.p, projected(name, m, a).p), 1e-14) << name;
    }
}

// |F_0| < 1e-6 + 1e-10/|F_0| where |F_0| < 1.0512e-5. On the circle f is twice the distance.
TEST(Projection, ThePrintedRuleLeavesWhatIsNearWhereItIs) {
    OnManifold<double> m(circle);
    const ProjectionOptions printed{.stop = NewtonStop::printed};
    for (const std::string& name : nearest) {
        const Point near = point({0.6 * (1 + 0.52e-5), 0.8 * (1 + 0.52e-5)});
        const auto left = projected(name, m, near, printed);
        EXPECT_EQ(left.report.iterations, 0) << name;
        EXPECT_EQ(distance(left.p, near), 0) << name;
        const auto moved = projected(name, m, point({0.6 * (1 + 0.53e-5), 0.8 * (1 + 0.53e-5)}), printed);
        EXPECT_EQ(moved.report.iterations, 1) << name;
        EXPECT_LT(moved.report.residual, 1e-10) << name;
    }
}

// With a tolerance the rule is |s| + |F| < tolerance, whatever F was before.
TEST(Projection, ThePrintedRuleIsAbsoluteWithATolerance) {
    OnManifold<double> m(circle);
    const ProjectionOptions absolute{.tolerance = 1e-6, .stop = NewtonStop::printed};
    for (const std::string& name : nearest) {
        EXPECT_EQ(projected(name, m, point({0.6 * (1 + 0.49e-6), 0.8 * (1 + 0.49e-6)}), absolute).report.iterations, 0)
            << name;
        EXPECT_GT(projected(name, m, point({0.6 * (1 + 0.51e-6), 0.8 * (1 + 0.51e-6)}), absolute).report.iterations, 0)
            << name;
    }
}

// Linear constraints of sizes 1 and 1e4: conjugate gradients to 0.01 of |f(a)| leave the small one for the next
// iteration, which Newton's first step does not.
TEST(Projection, UnderThePrintedRuleTheFirstStepIsFoundByConjugateGradients) {
    OnManifold<double> m(still("x, y, z", "x' = 0\ny' = 0\nz' = 0\ninvariant 1e4*(x + z)\ninvariant y + z\n"
                                          "start x = 1, y = 1, z = 0\n"));
    const Point a = point({1.001, 1.002, 0.003});
    ProjectionOptions printed{.stop = NewtonStop::printed}, plain = printed;
    plain.has_closed_first_step = false;
    const auto by_gradients = projected("newton", m, a, printed), by_factors = projected("newton", m, a, plain);
    EXPECT_EQ(by_gradients.report.status, PointStatus::good);
    EXPECT_GT(by_gradients.report.iterations, by_factors.report.iterations);
    EXPECT_LT(distance(by_gradients.p, by_factors.p), 1e-5);
}

TEST(Projection, ThePrintedRuleEndsNoLaterThanTheSoundOne) {
    OnManifold<double> m(test::gallery_system("mech", {{"n", "24"}}));
    std::mt19937_64 random(4);
    const Point a = m.moved(1e-2, random);
    for (const std::string& name : nearest) {
        const auto printed = projected(name, m, a, {.stop = NewtonStop::printed}), sound = projected(name, m, a);
        EXPECT_EQ(printed.report.status, PointStatus::good) << name;
        EXPECT_LE(printed.report.iterations, sound.report.iterations) << name;
        EXPECT_LT(distance(printed.p, sound.p), 1e-5) << name;
    }
}

// max |z_k - z_(k-1)| < 1e-7: one iteration at least, and the one that shows that it has arrived.
TEST(Projection, TheRuleOfIncrementsEndsWhereTheyAreSmall) {
    OnManifold<double> m(ellipse);
    for (const std::string& name : all) {
        const auto at_once = projected(name, m, point({2, 0}), {.stop = NewtonStop::increment});
        EXPECT_EQ(at_once.report.status, PointStatus::good) << name;
        EXPECT_EQ(at_once.report.iterations, 1) << name << ": sound makes none";
        const Point a = point({2.1, 0.2});
        const auto sound = projected(name, m, a), loose = projected(name, m, a, {.stop = NewtonStop::increment});
        EXPECT_EQ(loose.report.status, PointStatus::good) << name;
        EXPECT_LT(distance(loose.p, sound.p), 1e-7) << name;
        const auto looser = projected(name, m, a, {.tolerance = 1e-2, .stop = NewtonStop::increment});
        EXPECT_LT(looser.report.iterations, loose.report.iterations) << name;
        EXPECT_GT(distance(looser.p, sound.p), 1e-13) << name;
        EXPECT_EQ(projected(name, m, a, {.max_iterations = 2, .stop = NewtonStop::increment}).report.status,
                  PointStatus::not_converged)
            << name;
    }
}

// Contradictions stand still, too: they have not arrived.
TEST(Projection, SmallIncrementsBetweenContradictionsAreNoEnd) {
    OnManifold<double> m(still("x, y", "x' = 0\ny' = 0\nstart x = 1, y = 0\ninvariant x^2 + y^2\n"
                                       "invariant 2*x^2 + 2*y^2\n"));
    m.problem.jets().kept()[1] = 4;
    for (const std::string& name : all)
        EXPECT_NE(projected(name, m, point({1.1, 0.3}), {.stop = NewtonStop::increment}).report.status,
                  PointStatus::good)
            << name;
}

// Linear systems solved to 1e-10 make an exact Newton method, to 0.7 a slow one.
TEST(Projection, ForcingSaysHowWellLinearSystemsAreSolved) {
    OnManifold<double> m(test::gallery_system("mech", {{"n", "24"}}));
    std::mt19937_64 random(4);
    const Point a = m.moved(1e-2, random);
    const auto iterations = [&](Forcing forcing) {
        const auto [p, report] = projected("inexact", m, a, {.forcing = forcing});
        EXPECT_EQ(report.status, PointStatus::good);
        EXPECT_LT(distance(p, projected("newton", m, a).p), 1e-12);
        return report.iterations;
    };
    EXPECT_EQ(iterations({1e-10, 1}), projected("newton", m, a).report.iterations);
    EXPECT_GT(iterations({0.7, 0.9}), iterations({0.5, 0.8}));
    EXPECT_GT(iterations({0.5, 0.8}), iterations({1e-10, 1}));
}

// ---- dependent constraints ----

TEST(Projection, OfDuplicatedConstraintsIsThatOfOne) {
    OnManifold<double> one(ellipse), two(twice);
    for (const auto& a : {point({2.1, 0.2}), point({1.3, 0.9}), point({2, 1e-9})})
        for (const std::string& name : nearest) {
            const auto [p, report] = projected(name, two, a);
            EXPECT_EQ(report.status, PointStatus::good) << name;
            EXPECT_LT(distance(p, projected(name, one, a).p), 1e-12) << name;
        }
    EXPECT_EQ(projected("simplified", two, point({2.1, 0.2})).report.status, PointStatus::good);
}

TEST(Projection, OfManyDuplicatedConstraintsToo) {
    const std::string chain = test::gallery_text("mech");
    const auto with_energy = [&](int times) {
        std::string text = chain;
        for (int k = 0; k < times; ++k)
            text += "invariant " + std::to_string(k + 1) + "*sum(i = 1..n, x[i]'^2 + y[i]'^2)/2 + " +
                    std::to_string(k + 1) + "*c/2*sum(i = 1..n-2, (x[i] - x[i+2])^2 + (y[i] - y[i+2])^2)\n";
        return lang::read_model(lang::Source("mech.ves", text), {.set = {{"n", "60"}}});
    };
    OnManifold<double> one(with_energy(1)), two(with_energy(2));
    std::mt19937_64 random(5);
    const Point a = one.moved(1e-4, random);
    for (const std::string& name : nearest) {
        const auto [p, report] = projected(name, two, a);
        EXPECT_EQ(report.status, PointStatus::good) << name;
        EXPECT_LT(distance(p, projected(name, one, a).p), 1e-12) << name;
    }
}

// ---- failures ----

TEST(Projection, ThatCannotConvergeSaysSo) {
    const std::string lines = "x' = 0\ny' = 0\nstart x = 1, y = 0\n";
    OnManifold<double> none(still("x, y", lines + "invariant x^2 + y^2\n"));
    none.problem.jets().kept()[0] = -1; // x^2 + y^2 = -1
    OnManifold<double> both(still("x, y", lines + "invariant x^2 + y^2\ninvariant 2*x^2 + 2*y^2\n"));
    both.problem.jets().kept()[1] = 4; // x^2 + y^2 = 1 and = 2
    for (OnManifold<double>* m : {&none, &both})
        for (const std::string& name : all)
            for (const auto& a : {point({1, 0.5}), point({1e-8, 0}), point({1e150, 1}), point({0, 0})}) {
                const auto report = projected(name, *m, a).report;
                EXPECT_NE(report.status, PointStatus::good) << name;
                EXPECT_LE(report.iterations, 40) << name;
            }
}

TEST(Projection, OfANumberThatIsNoneSaysSo) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    OnManifold<double> m(ellipse);
    for (const std::string& name : all)
        for (const double bad : {nan, inf})
            for (const NewtonStop stop : {NewtonStop::sound, NewtonStop::printed})
                EXPECT_NE(projected(name, m, point({bad, 1}), {.stop = stop}).report.status, PointStatus::good);
}

TEST(Projection, DoesNotAllocate) {
    for (const auto& system : {ellipse, twice, test::gallery_system("mech", {{"n", "24"}}),
                               test::gallery_system("mech_table_energy", {{"n", "60"}, {"E", "40000"}})}) {
        OnManifold<double> m(system);
        std::mt19937_64 random(6);
        for (const std::string& name : all)
            for (const NewtonStart start : {NewtonStart::a, NewtonStart::curvature}) {
                const auto projection = test::make_projection(name, m.manifold(), {.start = start});
                Point a = m.moved(1e-3, random);
                test::project(*projection, m, a); // sparse factorisations find their pivots
                const Point b = m.moved(1e-3, random);
                std::copy(b.begin(), b.end(), a.begin());
                const std::size_t before = test::n_allocations();
                projection->begin_step(m.t, m.x.data());
                EXPECT_EQ(projection->project(m.t, a.data()).status, PointStatus::good) << name;
                EXPECT_EQ(test::n_allocations(), before) << name;
            }
    }
}

} // namespace
} // namespace vessiot::projection_test
