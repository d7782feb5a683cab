// Projections along rays: lengths against closed forms, both stopping rules, tangent rays and what is done there, sets
// that are given and chosen, what is refused; one correction (post).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "projection/post.hpp"
#include "projection/ray/gradient_ray.hpp"
#include "projection/ray/ray.hpp"
#include "solve/problem/solve.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"
#include "support/projections.hpp"

namespace vessiot::ray_test {
namespace {

using test::OnManifold;
using Point = linalg::Vector<double>;

System read(const std::string& text) {
    return lang::read_model(lang::Source("test.ves", text));
}

Point point(std::initializer_list<double> numbers) {
    Point x(static_cast<std::int64_t>(numbers.size()));
    std::int64_t j = 0;
    for (const double n : numbers) x[j++] = n;
    return x;
}

const System& ellipse() {
    static const System system =
        read("unknown x, y\nx' = -4*y\ny' = x\ninvariant x^2 + 4*y^2 = 4\nstart x = 2, y = 0\n");
    return system;
}

const System& predator() {
    static const System system = test::gallery_system("lotka_volterra");
    return system;
}

std::shared_ptr<Partition> sets(std::vector<std::vector<std::int32_t>> list, bool is_chosen = false) {
    return std::make_shared<Partition>(Partition{std::move(list), is_chosen});
}

RayOptions options(const OnManifold<double>& m, RayStop stop = RayStop::sound, double tolerance = 0) {
    RayOptions o;
    o.stop = stop;
    o.tolerance = tolerance;
    for (std::int64_t j = 0; j < m.problem.n_state(); ++j) o.atom.push_back(static_cast<std::int32_t>(j));
    return o;
}

// The ray through (3, 4)/10 meets the ellipse at the length s with s^2 (9 + 4*16)/100 = 4.
TEST(Ray, FindsTheLengthThatSatisfiesTheConstraint) {
    OnManifold<double> m(ellipse());
    RayProjection<double> ray(m.manifold(), sets({{0, 1}}), options(m));
    Point x = point({0.6, 0.8});
    ray.begin_step(0, m.x.data());
    const auto report = ray.project(0, x.data());
    EXPECT_EQ(report.status, PointStatus::good);
    const double s = 2 / std::sqrt(0.36 + 4 * 0.64);
    EXPECT_NEAR(x[0], 0.6 * s, 1e-15);
    EXPECT_NEAR(x[1], 0.8 * s, 1e-15);
    EXPECT_LE(report.residual, 4e-15);
}

TEST(Ray, LeavesCoordinatesOutsideOfItsSetsAlone) {
    const System system =
        read("unknown x, y, z\nx' = -y\ny' = x\nz' = x*y\ninvariant x^2 + y^2 = 1\nstart x = 1, y = 0, z = 5\n");
    OnManifold<double> m(system);
    RayProjection<double> ray(m.manifold(), sets({{0, 1}}), options(m));
    Point x = point({0.3, 0.4, 5});
    ray.begin_step(0, m.x.data());
    EXPECT_EQ(ray.project(0, x.data()).status, PointStatus::good);
    EXPECT_NEAR(x[0], 0.6, 1e-15);
    EXPECT_EQ(x[2], 5);
}

TEST(Ray, StopsByTheResidualBeforeItBeginsOrByTheIncrementAfterOneIteration) {
    OnManifold<double> m(ellipse());
    const Point a = point({2 + 1e-6, 0}), from = point({1.2, -0.8}); // rho = 4e-6
    Point x = a;
    RayProjection<double> loose(m.manifold(), sets({{0, 1}}), options(m, RayStop::residual, 1e-5));
    loose.begin_step(0, from.data());
    EXPECT_EQ(loose.project(0, x.data()).iterations, 0);
    EXPECT_EQ(x[0], a[0]);
    RayProjection<double> tight(m.manifold(), sets({{0, 1}}), options(m, RayStop::residual, 1e-6));
    tight.begin_step(0, from.data());
    EXPECT_EQ(tight.project(0, x.data()).iterations, 1);
    x = a;
    RayProjection<double> increment(m.manifold(), sets({{0, 1}}), options(m, RayStop::increment, 1e-5));
    increment.begin_step(0, from.data());
    EXPECT_EQ(increment.project(0, x.data()).iterations, 1); // the length changed by 1e-6
    EXPECT_NEAR(x[0], 2, 1e-12);
}

// H = log(x*y) - x - y along s (x, y) has its largest value where s (x + y) = 2. At (0.43, 1.57), s = 1, that is
// -2.393, below the level -2.386: no length satisfies the constraint.
TEST(Ray, TakesTheNearestPointWhereItIsTangent) {
    OnManifold<double> m(predator());
    const Point a = point({0.43, 1.57});
    RayProjection<double> ray(m.manifold(), sets({{0, 1}}), options(m));
    NewtonProjection<double> newton(m.manifold(), {});
    Point x = a, nearest = a;
    ray.begin_step(0, m.x.data());
    newton.begin_step(0, m.x.data());
    EXPECT_EQ(ray.project(0, x.data()).status, PointStatus::good);
    newton.project(0, nearest.data());
    EXPECT_EQ(ray.counts().fallbacks, 1);
    EXPECT_NEAR(x[0], nearest[0], 1e-14);
    EXPECT_NEAR(x[1], nearest[1], 1e-14);
    // here it is -2.376 at s = 0.976, and there are two lengths, about 0.1 from that: the nearer one is meant
    x = point({0.45, 1.6});
    EXPECT_EQ(ray.project(0, x.data()).status, PointStatus::good);
    EXPECT_EQ(ray.counts().fallbacks, 1);
    EXPECT_GT(x[0], 0.45);
    EXPECT_LT(x[0], 0.5);
}

TEST(Ray, SaysWhyWithoutTheFallback) {
    OnManifold<double> m(predator());
    RayOptions alone = options(m);
    alone.has_fallback = false;
    alone.name = [](std::int32_t k) { return k == 0 ? "x" : "y"; };
    RayProjection<double> ray(m.manifold(), sets({{0, 1}}), alone);
    Point x = point({0.43, 1.57});
    ray.begin_step(0, m.x.data());
    EXPECT_EQ(ray.failure(), "");
    EXPECT_NE(ray.project(0, x.data()).status, PointStatus::good);
    EXPECT_NE(ray.failure().find("no length of [[x, y]] satisfies the invariant"), std::string::npos) << ray.failure();
    EXPECT_NE(ray.failure().find("the ray is tangent"), std::string::npos) << ray.failure();
}

TEST(Ray, AllocatesNothingWithGivenSets) {
    OnManifold<double> m(test::gallery_system("modified_kepler"));
    RayProjection<double> ray(m.manifold(), sets({{0, 1}, {2, 3}}), options(m));
    const Point a = point({0.401, 0.02, -0.1, 1.99});
    Point x = a;
    ray.begin_step(0, m.x.data());
    ray.project(0, x.data());
    const std::size_t before = test::n_allocations();
    x[0] = a[0] * 1.001;
    ray.begin_step(0.1, m.x.data());
    EXPECT_EQ(ray.project(0.1, x.data()).status, PointStatus::good);
    EXPECT_EQ(test::n_allocations(), before);
}

TEST(RayGeometry, IsTheAngleForOneConstraintAndDoesNotChangeWithTheScaleOfRows) {
    for (const std::string factor : {"1", "1000"}) {
        const System system =
            read("unknown x, y\nx' = -4*y\ny' = x\ninvariant " + factor + "*(x^2 + 4*y^2)\nstart x = 1, y = 1\n");
        OnManifold<double> m(system);
        Point f(1), df(m.manifold().pattern().entries());
        m.manifold().df(0, m.x.data(), f.data(), df.data());
        RayGeometry<double> geometry(m.manifold().pattern(), {0, 1});
        ASSERT_TRUE(geometry.load(df.data()));
        // n = (1, 1)/sqrt(2), grad = (2, 8)
        EXPECT_NEAR(geometry.quality(m.x.data(), *sets({{0, 1}})), 10 / std::sqrt(2.0 * 68), 1e-15);
        EXPECT_NEAR(geometry.quality(m.x.data(), *sets({{0}})), 2 / std::sqrt(68.0), 1e-15);
    }
}

TEST(RayGeometry, KeepsArraysTogetherWhereTheySufficeAndSplitsThemWhereTheyDoNot) {
    const auto chosen = [](const std::string& name, const std::vector<std::int32_t>& atoms) {
        OnManifold<double> m(test::gallery_system(name));
        Point f(m.manifold().n_constraints()), df(m.manifold().pattern().entries());
        m.manifold().df(0, m.x.data(), f.data(), df.data());
        RayGeometry<double> geometry(m.manifold().pattern(), atoms);
        EXPECT_TRUE(geometry.load(df.data()));
        Partition p;
        EXPECT_GT(geometry.choose(m.x.data(), p), 0.1) << name;
        return p.sets;
    };
    using Sets = std::vector<std::vector<std::int32_t>>;
    EXPECT_EQ(chosen("modified_kepler", {0, 0, 1, 1}), (Sets{{0, 1}, {2, 3}}));
    const Sets top = chosen("liu_top", {0, 0, 0});
    ASSERT_EQ(top.size(), 2U);
    EXPECT_EQ(top[0].size() + top[1].size(), 3U);
}

// For a strictly concave function rays of the gradient are never tangent.
TEST(GradientRay, KeepsTheDirectionOfTheGradient) {
    OnManifold<double> m(predator());
    GradientRayProjection<double> ray(m.manifold(), options(m));
    Point x = point({0.45, 1.54}), a = x;
    ray.begin_step(0, m.x.data());
    const auto report = ray.project(0, x.data());
    EXPECT_EQ(report.status, PointStatus::good);
    EXPECT_LE(report.residual, 1e-13);
    const auto slope = [](const Point& p) { return (1 / p[1] - 1) / (1 / p[0] - 1); };
    EXPECT_NEAR(slope(x), slope(a), 1e-12);
    EXPECT_EQ(ray.counts().fallbacks, 0);
}

TEST(Post, MakesOneNewtonStepAndNoMore) {
    OnManifold<double> m(ellipse());
    PostProjection<double> post(m.manifold());
    Point x = point({2.1, 0});
    EXPECT_EQ(post.project(0, x.data()).iterations, 1);
    // x - f f'/|f'|^2 = 2.1 - (2.1^2 - 4)/(2*2.1)
    EXPECT_NEAR(x[0], 2.1 - 0.41 / 4.2, 1e-15);
}

// ---- through solve ----

std::string message_of(const std::string& model, SolveOptions o) {
    try {
        const Solution s = solve_system(test::gallery_system(model), o);
        return "";
    } catch (const InvalidInput& e) {
        return e.what();
    } catch (const SolveFailed& e) {
        return e.what();
    }
}

SolveOptions with(const std::string& method, const std::string& partition) {
    SolveOptions o{.method = method, .step = 0.01, .to = 0.1};
    o.partition = partition;
    return o;
}

void expect_in(const std::string& part, const std::string& text) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Partitions, ThatDoNotFitAreRefused) {
    expect_in("leaves out P[3], which the constraints contain",
              message_of("liu_top", with("mrk4", "[[P[1]], [P[2]]]")));
    expect_in("has 1 set, but there are 2 constraints", message_of("liu_top", with("mrk4", "[[P]]")));
    expect_in("has 3 sets, but there are 2 constraints",
              message_of("liu_top", with("mrk4", "[[P[1]], [P[2]], [P[3]]]")));
    expect_in("P[2] is in it twice", message_of("liu_top", with("mrk4", "[[P[1], P[2]], [P[3], P[2]]]")));
    expect_in("'R' is none of what the steps of liu_top move: P, P[1], P[2], P[3]",
              message_of("liu_top", with("mrk4", "[[R], [P]]")));
    for (const char* text : {"x", "[x, y]", "[[x, y]", "[]", "[[]]", "[[x,,y]]", "[[x], ]"})
        expect_in("It is a list of sets of unknowns", message_of("liu_planar", with("mrk4", text)));
}

TEST(Partitions, ThatMakeTheConstraintsSingularEverywhereAreRefused) {
    SolveOptions o = with("mrk4", "[[u1, u2], [u1', u2']]");
    o.start = {{"u1'", 1}};
    expect_in("singular at the start point and near it", message_of("liu_index3", o));
}

TEST(Partitions, WithoutADirectionAtTheStartAreRefused) {
    SolveOptions o{.method = "mgps", .step = 0.01, .to = 0.1, .start = {{"x", 0}, {"y", 0}}};
    expect_in("the set [x, y] is 0 at the start point", message_of("liu_planar", o));
}

TEST(Rays, SayWhatTheyCannotDo) {
    SolveOptions o{.method = "mrk4", .step = 0.01, .to = 0.1};
    expect_in("needs constraints or invariants, which heat does not have", message_of("heat", o));
    o.parametrisation = "arclength";
    expect_in("parametrisation = arclength makes time an unknown", message_of("liu_planar", o));
    SolveOptions rule{.method = "rk4", .step = 0.01, .to = 0.1};
    rule.newton_stop = "residual";
    expect_in("newton_stop = residual acts on", message_of("liu_planar", rule));
    SolveOptions gradient{.method = "rk4", .step = 0.01, .to = 0.1, .projection = "gradient-ray"};
    expect_in("follows the gradient of one constraint", message_of("liu_top", gradient));
}

// x + y = 2 is crossed twice in a period.
TEST(Rays, PassLotkaAndVolterrasFoldByTheFallbackOrStopThereAndSayWhy) {
    SolveOptions o{.method = "mgps", .step = 0.01};
    const Solution s = solve_system(predator(), o);
    EXPECT_EQ(s.status, Status::success);
    EXPECT_GE(s.stats.fallbacks, 3);
    EXPECT_LE(s.stats.fallbacks, 30);
    EXPECT_LE(s.invariant_drift_max, 2e-15);
    ASSERT_FALSE(s.notes.empty());
    expect_in("projections were orthogonal, where rays are tangent to the constraints (first at t = 1.86",
              s.notes.back());
    o.fallback = "none";
    o.throw_on_failure = false;
    const Solution stopped = solve_system(predator(), o);
    EXPECT_EQ(stopped.status, Status::failed);
    EXPECT_NEAR(stopped.t.back(), 1.86, 0.03);
    expect_in("no length of [[x, y]] satisfies the invariant log(x) - x + log(y) - y: the ray is tangent to the "
              "constraint there: n.grad rho = ",
              stopped.message);
}

// The largest |x - right| over the points of a run and between them.
double largest_error(const Solution& s, const std::string& name, double (*right)(double)) {
    const std::size_t c = s.column_of(name);
    double largest = 0;
    for (std::size_t k = 0; k < s.t.size(); ++k) {
        largest = std::max(largest, std::fabs(s.row(k)[c] - right(s.t[k])));
        for (int j = 1; k > 0 && j < 8; ++j) {
            const double t = s.t[k - 1] + (s.t[k] - s.t[k - 1]) * j / 8;
            largest = std::max(largest, std::fabs(s(t)[c] - right(t)));
        }
    }
    return largest;
}

// x + 0.3 sin(w) = 0 at t = 0.83, where the ray is tangent to it: points that are off by h^2 were moved there by h, and
// slid along that place with every step.
TEST(Rays, ConvergeWhereTheyBecomeTangent) {
    const System system = read("unknown w, x, z\nx' = 0.4*t - z - 0.1\nw' = -0.6\n"
                               "x + 0.3*sin(w) = -0.1*t + 0.2*t^2 + 0.3*sin(-0.6*t - 0.1) + 0.1\n"
                               "start w = -0.1\nstart x = 0.1\nsolve t = 0 .. 1.1\n");
    const auto w = [](double t) { return -0.6 * t - 0.1; };
    SolveOptions o{.method = "meuler", .step = 0.02};
    const double coarse = largest_error(solve_system(system, o), "w", w);
    o.step = 0.02 / 64;
    const double fine = largest_error(solve_system(system, o), "w", w);
    EXPECT_LT(coarse, 0.05);
    EXPECT_LT(fine, coarse / 10);
}

// q2 - q4/2 vanishes in the second step, and with it the determinant of the lengths: stages on both sides of that place
// were moved anywhere, and the estimate of Feagin's pair does not see all of them.
TEST(Rays, OfTheStagesOfAStepAreOneMap) {
    const System system = read("unknown q2, q4\nlagrangian q2'^2 + q4'^2\n"
                               "constraint q2 - 0.5*q4 = 0.7*sin(1.6*t) - 0.2*exp(-sin(t)) - 0.2*exp(-t)\n"
                               "force q2 = 2*(-1.792*sin(1.6*t) - 0.2*exp(-sin(t))*(cos(t)^2 + sin(t)))\n"
                               "force q4 = 0.8*exp(-t)\n"
                               "start q2 = -0.2, q2' = 1.32, q4 = 0.4, q4' = -0.4\nsolve t = 0 .. 2\n");
    for (const std::string method : {"mfeagin108", "mtsit54", "mdopri54", "mdop853"}) {
        SolveOptions o{.method = method};
        o.project = "stages";
        const Solution s = solve_system(system, o);
        EXPECT_EQ(s.status, Status::success);
        EXPECT_LT(largest_error(s, "q4", [](double t) { return 0.4 * std::exp(-t); }), 3e-5) << method;
    }
}

// Two lengths satisfy the constraints where velocities are near to zero, and a step of 0.0015 found the other one.
TEST(Rays, LeadToTheNearRoot) {
    const System system =
        read("unknown x1, y1, x2, y2\nlet a = sin(1.7*t)\nlet b = 0.1*exp(0.3*t)\nlet r = 0.6*t + cos(0.9*t) + 0.8\n"
             "lagrangian 0.7*x1'^2 + 0.6*y1'^2 + x2'^2 + 0.6*y2'^2\n"
             "constraint x1^2 + y1^2 = 1.69\nconstraint (x2 - x1)^2 + (y2 - y1)^2 = 0.81\n"
             "let x = -3.757*(cos(a)*cos(1.7*t)^2 - sin(a)*sin(1.7*t))\n"
             "let y = -3.757*(sin(a)*cos(1.7*t)^2 + cos(a)*sin(1.7*t))\n"
             "force x1 = 1.4*x + 1.04*cos(a) - 1.8*cos(b)*r\nforce y1 = 1.2*y + 1.04*sin(a) - 1.8*sin(b)*r\n"
             "force x2 = 2*(x - 0.00081*cos(b)*exp(0.6*t) - 0.0081*sin(b)*exp(0.3*t)) + 1.8*cos(b)*r\n"
             "force y2 = 1.2*(y - 0.00081*sin(b)*exp(0.6*t) + 0.0081*cos(b)*exp(0.3*t)) + 1.8*sin(b)*r\n"
             "start x1 = 1.3, x1' = 0, y1 = 0, y1' = 2.21\n"
             "start x2 = 2.195503748750223, x2' = -0.00269550224946436\n"
             "start y2 = 0.08985007498214534, y2' = 2.2368651124625067\nsolve t = 0 .. 1.2\n");
    SolveOptions o{.method = "mtsit54", .atol = 4e-9};
    o.project = "stages";
    const Solution s = solve_system(system, o);
    EXPECT_LT(largest_error(s, "x1", [](double t) { return 1.3 * std::cos(std::sin(1.7 * t)); }), 1e-4);
    EXPECT_LT(largest_error(s, "lambda[1]", [](double) { return 0.4; }), 1e-3);
}

// The sets are chosen again where they get bad: the fold of the Kepler problem is never met.
TEST(Rays, AreChosenAgainAlongARun) {
    SolveOptions o{.method = "mrk4", .step = 0.01, .to = 20.0};
    const Solution s = solve_system(test::gallery_system("modified_kepler", {{"eps", "0"}}), o);
    EXPECT_EQ(s.status, Status::success);
    EXPECT_EQ(s.stats.fallbacks, 0);
    EXPECT_LE(s.invariant_drift_max, 1e-13);
}

TEST(Rays, WorkInQuadruplePrecision) {
    SolveOptions o{.method = "mdopri54", .rtol = 1e-14, .atol = 1e-16, .to = 1.0};
    o.precision = "quad";
    for (const char* projection : {"ray", "gradient-ray", "post"}) {
        o.projection = projection;
        const Solution s = solve_system(predator(), o);
        EXPECT_EQ(s.status, Status::success);
        EXPECT_NEAR(s.row(s.t.size() - 1)[0], 0.3604298021967716440988999, 1e-14) << projection;
        EXPECT_LE(s.invariant_drift_max, 1e-25) << projection;
    }
}

} // namespace
} // namespace vessiot::ray_test
