// Directions: all ways of finding them agree, the sign is kept through impasse points, iterative solvers begin where
// they ended, and none of them allocates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "distribution/curve_field.hpp"
#include "distribution/kernel_rcg.hpp"
#include "distribution/mechanical/kkt_cg.hpp"
#include "distribution/mechanical/mass_cg.hpp"
#include "lang/model.hpp"
#include "linalg/scalar.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/start/start.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"
#include "vessiot/error.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::distribution_test {
namespace {

using Words = std::vector<std::string>;
using linalg::absolute;

struct Subject {
    std::string name;
    test::ParameterSettings set{};
    std::string formulation = "auto";
    std::string parametrisation = "time";
};

Model load(const Subject& subject) {
    return Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + subject.name + ".ves", {.set = subject.set});
}

// A problem with its start point.
template <class S> struct Ready {
    SolveOptions options;
    std::unique_ptr<Compiled<S>> problem;
    StartPoint<S> start;

    Ready(const Subject& subject, const std::string& distribution)
        : Ready(test::gallery_system(subject.name, subject.set), subject, distribution) {}
    Ready(const System& system, const Subject& subject, const std::string& distribution) {
        options.distribution = distribution;
        options.formulation = subject.formulation;
        options.parametrisation = subject.parametrisation;
        options.backend = "interpreter";
        problem =
            std::make_unique<Compiled<S>>(std::make_shared<const Analysis>(system, settled(options)), settled(options));
        start = make_start(*problem, settled(options), S(0));
    }
    Distribution<S>& direction() { return problem->distribution(); }
};

template <class S> using Point = linalg::Vector<S>;

// A step of the classical Runge-Kutta method.
template <class S> void step(Field<S>& field, S& tau, Point<S>& x, S h) {
    const std::int64_t n = field.size();
    Point<S> k[4], at(n);
    const S c[4] = {S(0), h / 2, h / 2, h};
    for (int i = 0; i < 4; ++i) {
        k[i] = Point<S>(n);
        for (std::int64_t j = 0; j < n; ++j) at[j] = x[j] + (i > 0 ? c[i] * k[i - 1][j] : S(0));
        ASSERT_EQ(field.direction(tau + c[i], at.data(), k[i].data()), PointStatus::good);
    }
    for (std::int64_t j = 0; j < n; ++j) x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    tau += h;
}

// Points of the curve, each with its t behind the coordinates. Steps are so short that they stay on the manifold up to
// 1e-12.
template <class S> std::vector<Point<S>> walk(Ready<S>& ready, int n_points, int n_between, S h) {
    SampledTime time;
    const bool is_arclength = ready.options.parametrisation == "arclength";
    std::unique_ptr<Field<S>> field;
    if (is_arclength)
        field = std::make_unique<ArclengthField<S>>(ready.direction(), time);
    else
        field = std::make_unique<TimeField<S>>(ready.direction(), time);
    const std::int64_t m = ready.problem->n_state();
    Point<S> x(m + 1);
    std::copy_n(ready.start.u.data(), m, x.data());
    S tau = 0;
    std::vector<Point<S>> points{x};
    while (static_cast<int>(points.size()) < n_points) {
        for (int i = 0; i < n_between; ++i) step(*field, tau, x, h);
        if (!is_arclength) x[m] = tau;
        points.push_back(x);
    }
    return points;
}

template <class S> Point<S> tops_at(Ready<S>& ready, const Point<S>& x) {
    Point<S> w(ready.problem->n_tops());
    EXPECT_EQ(ready.direction().tops(x[x.size() - 1], x.data(), w.data()), PointStatus::good);
    return w;
}

template <class S> Point<S> tangent_at(Ready<S>& ready, const Point<S>& x) {
    SampledTime time;
    ArclengthField<S> field(ready.direction(), time);
    Point<S> dx(x.size());
    EXPECT_EQ(field.direction(S(0), x.data(), dx.data()), PointStatus::good);
    return dx;
}

// The largest difference, relative to the largest number.
template <class S> double distance(const Point<S>& a, const Point<S>& b) {
    S largest = 0, off = 0;
    for (std::int64_t k = 0; k < a.size(); ++k) {
        largest = std::max(largest, absolute(b[k]));
        off = std::max(off, absolute(a[k] - b[k]));
    }
    return static_cast<double>(off / (largest > S(0) ? largest : S(1)));
}

const Words all_words = {"explicit", "submatrix", "solve", "kkt", "kkt-cg", "kernel-qr", "kernel-svd", "kernel-rcg"};

Words fitting(const Subject& subject) {
    Words fit;
    for (const std::string& word : all_words) {
        try {
            const Ready<double> ready(subject, word);
            EXPECT_EQ(ready.problem->distribution().name(), word);
            fit.push_back(word);
        } catch (const InvalidInput& error) {
            EXPECT_NE(std::string(error.what()).find("--distribution " + word), std::string::npos) << error.what();
        }
    }
    return fit;
}

struct Case {
    Subject subject;
    Words words; // that fit
    double h;    // a fifth of the way from point to point
};

const Words with_formulas = {"explicit", "submatrix", "solve", "kernel-qr", "kernel-svd", "kernel-rcg"};
const Words full_mass = {"submatrix", "solve", "kkt", "kkt-cg", "kernel-qr", "kernel-svd", "kernel-rcg"};
const Words mechanical = {"submatrix", "solve", "kkt", "kkt-cg", "kernel-qr", "kernel-svd", "kernel-rcg"};
const Words without_solve = {"submatrix", "kernel-qr", "kernel-svd", "kernel-rcg"};

const std::vector<Case> cases = {
    {{"pendulum"}, mechanical, 4e-3},
    {{"four_bar"}, mechanical, 4e-3},
    {{"mech", {{"n", "24"}}}, mechanical, 2e-3},
    {{"n_pendulum"}, mechanical, 4e-3},                // its constraints are written with arrays of `let`
    {{"n_pendulum", {{"n", "24"}}}, mechanical, 1e-3}, //
    {{"andrews"}, full_mass, 1e-5},
    {{"rigid_body", {}, "general"}, with_formulas, 1e-2},
    {{"magnetic", {}, "general"}, with_formulas, 1e-2},
    {{"stiff_pendulum_overdetermined"}, without_solve, 1e-3},
};

TEST(Distribution, AllThatFitGiveTheSameTopsAndTangents) {
    for (const Case& c : cases) {
        SCOPED_TRACE(c.subject.name);
        EXPECT_EQ(fitting(c.subject), c.words);
        Ready<double> reference(c.subject, "submatrix");
        const auto points = walk(reference, 12, 5, c.h);
        for (const std::string& word : c.words) {
            Ready<double> ready(c.subject, word);
            for (const Point<double>& x : points) {
                EXPECT_LT(distance(tops_at(ready, x), tops_at(reference, x)), 1e-10) << word;
                EXPECT_LT(distance(tangent_at(ready, x), tangent_at(reference, x)), 1e-10) << word;
            }
        }
    }
}

TEST(Distribution, IterativeOnesReachTheDigitsOfQuad) {
    for (const Case& c : cases) {
        if (c.subject.name == "mech") continue; // as the others, only slower
        SCOPED_TRACE(c.subject.name);
        Ready<Quad> reference(c.subject, "submatrix");
        const auto points = walk(reference, 2, 1, Quad(c.h));
        for (const std::string& word : c.words) {
            if (word != "kernel-rcg" && word != "kkt-cg") continue;
            Ready<Quad> ready(c.subject, word);
            // the overdetermined one: as far as the points are from the manifold
            const double tolerance = c.subject.name == "stiff_pendulum_overdetermined" ? 1e-10 : 1e-27;
            for (const Point<Quad>& x : points)
                EXPECT_LT(distance(tops_at(ready, x), tops_at(reference, x)), tolerance) << word;
        }
    }
}

TEST(Distribution, MisfitsAreRefusedWithAReason) {
    const auto refusal = [](const Subject& subject, const std::string& word) -> std::string {
        try {
            const Ready<double> ready(subject, word);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "";
    };
    const std::string reason = "it is no mechanical system with multipliers";
    EXPECT_NE(refusal({"kepler"}, "kkt-cg").find("--distribution kkt-cg does not fit kepler: " + reason),
              std::string::npos);
    EXPECT_NE(refusal({"stiff_pendulum_overdetermined"}, "kkt-cg").find("kernel-rcg"), std::string::npos);
    EXPECT_NE(refusal({"mech", {{"n", "1500"}}}, "kernel-qr").find("use --distribution solve or kernel-rcg"),
              std::string::npos);
}

// ---- the sign of the direction ----

Solution solved(const Subject& subject, SolveOptions o, const std::string& word) {
    o.distribution = word;
    o.backend = "interpreter";
    if (subject.parametrisation == "arclength") o.parametrisation = "arclength";
    return solve(load(subject), o);
}

const Words kernel_words = {"kernel-qr", "kernel-svd", "kernel-rcg"};

TEST(DirectionSign, IsKeptThroughTheImpasseOfAParabola) {
    for (const std::string& word : kernel_words) {
        const Solution s = solved({"impasse"}, {.rtol = 1e-9, .atol = 1e-11, .to_s = 2.9}, word);
        const std::vector<double> y = s.column("y");
        EXPECT_TRUE(std::ranges::is_sorted(y, std::greater<>{})) << word;
        EXPECT_LT(y.back(), -0.9);
        for (std::size_t k = 0; k < y.size(); ++k) EXPECT_NEAR(s.t[k], 1 - y[k] * y[k], 1e-7) << word;
    }
}

TEST(DirectionSign, IsKeptThroughTheImpasseOfAnImplicitEquation) {
    for (const std::string& word : kernel_words) {
        const Solution s = solved({"circle_implicit"}, {.rtol = 1e-9, .atol = 1e-11, .to_s = 2.5}, word);
        const auto turn = std::ranges::max_element(s.t) - s.t.begin();
        EXPECT_GT(turn, 3);
        EXPECT_LT(turn, std::ssize(s.t) - 4);
        EXPECT_TRUE(std::is_sorted(s.t.begin(), s.t.begin() + turn));
        EXPECT_TRUE(std::is_sorted(s.t.begin() + turn, s.t.end(), std::greater<>{})) << word;
        EXPECT_TRUE(std::ranges::is_sorted(s.column("y"))) << word; // it does not run back on itself
    }
}

TEST(DirectionSign, IsKeptThroughTheImpasseOfPlugFlowByEveryKernel) {
    const SolveOptions o{.rtol = 1e-10, .atol = 1e-11, .to_s = 20.0};
    const Solution reference = solved({"plug_flow"}, o, "kernel-qr");
    EXPECT_LT(reference.column("y1").back(), 0); // the impasse has y1 = 0
    for (const std::string& word : kernel_words) {
        const Solution s = solved({"plug_flow"}, o, word);
        EXPECT_EQ(s.method.distribution, word);
        EXPECT_NEAR(s.t.back(), reference.t.back(), 1e-8) << word;
        for (const char* name : {"y1", "y2", "y3"})
            EXPECT_NEAR(s.column(name).back(), reference.column(name).back(), 1e-7) << word << " " << name;
    }
}

TEST(DirectionSign, TheStiffPendulumNeverRunsBackwards) {
    for (const std::string name : {"stiff_pendulum", "stiff_pendulum_overdetermined"}) {
        const Subject subject{name, {{"eps", "0.01"}}, "auto", "arclength"};
        for (const std::string& word : kernel_words) {
            const Solution s = solved(subject, {.to = 0.3}, word); // five oscillations of the spring
            EXPECT_NEAR(s.t.back(), 0.3, 1e-12) << name << " " << word;
            EXPECT_TRUE(std::ranges::is_sorted(s.t)) << name << " " << word;
        }
    }
}

TEST(DirectionSign, OfLargeSystemsIsThatOfTime) {
    const Subject subject{"mech", {{"n", "120"}}, "auto", "arclength"}; // 359 tops
    Ready<double> reference(subject, "kkt"), ready(subject, "kernel-rcg");
    for (const Point<double>& x : walk(reference, 3, 5, 2e-2))
        EXPECT_LT(distance(tangent_at(ready, x), tangent_at(reference, x)), 1e-10);
}

// ---- conjugate gradients on the sphere ----

// A matrix (r, A) with entries in a band, and one row that is the sum of two others if `has_sum`.
ScaledKernelMatrix<double> band_matrix(const linalg::Pattern& p, bool has_sum) {
    ScaledKernelMatrix<double> m(p);
    for (std::int64_t i = 0; i < p.rows; ++i) m.r()[i] = std::sin(static_cast<double>(3 * i + 1));
    for (std::int64_t c = 0; c < p.columns; ++c)
        for (std::int64_t e = p.column_start[linalg::at(c)]; e < p.column_start[linalg::at(c + 1)]; ++e)
            m.entries()[e] = p.row[linalg::at(e)] == c ? 2.0 : std::cos(static_cast<double>(e));
    if (has_sum) { // the last row is 0
        m.r()[p.rows - 1] = 0;
        for (std::int64_t e = 0; e < p.entries(); ++e)
            if (p.row[linalg::at(e)] == p.rows - 1) m.entries()[e] = 0;
    }
    EXPECT_TRUE(m.scale());
    return m;
}

linalg::Pattern band(std::int64_t n) {
    std::vector<linalg::Place> places;
    for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t j = std::max(i - 1, 0); j <= std::min<std::int32_t>(i + 1, static_cast<std::int32_t>(n) - 1);
             ++j)
            places.push_back({i, j});
    return linalg::make_pattern(n, n, places);
}

// Begun at (1, 0.5, 1/3, ...), or at that with every second sign changed.
bool search_from(SphereSearch<double>& search, const ScaledKernelMatrix<double>& m, bool is_alternating) {
    for (std::int64_t k = 0; k < m.columns(); ++k)
        search.vector()[k] = (is_alternating && k % 2 ? -1.0 : 1.0) / static_cast<double>(k + 1);
    return search(m);
}

TEST(SphereSearch, FindsTheKernelFromAnyStart) {
    for (const std::int64_t n : {1, 2, 5, 40, 1000}) {
        const linalg::Pattern p = band(n);
        const ScaledKernelMatrix<double> m = band_matrix(p, false);
        SphereSearch<double> search(m.rows(), m.columns());
        ASSERT_TRUE(search_from(search, m, false)) << n;
        linalg::Vector<double> product(m.rows());
        m.times(search.vector().data(), product.data());
        for (const double x : product) EXPECT_LT(std::fabs(x), 1e-13);
        const linalg::Vector<double> first = search.vector();
        ASSERT_TRUE(search_from(search, m, true)) << n;
        double cosine = 0;
        for (std::int64_t k = 0; k < m.columns(); ++k) cosine += first[k] * search.vector()[k];
        EXPECT_NEAR(std::fabs(cosine), 1, 1e-12) << n;
        // and stays there
        const std::int64_t before = search.n_iterations();
        ASSERT_TRUE(search(m));
        EXPECT_LE(search.n_iterations() - before, 3);
    }
}

TEST(SphereSearch, FindsDifferentVectorsWhereTheKernelIsAPlane) {
    const linalg::Pattern p = band(10);
    const ScaledKernelMatrix<double> m = band_matrix(p, true);
    SphereSearch<double> search(m.rows(), m.columns());
    ASSERT_TRUE(search_from(search, m, false));
    const linalg::Vector<double> first = search.vector();
    ASSERT_TRUE(search_from(search, m, true));
    double cosine = 0;
    for (std::int64_t k = 0; k < m.columns(); ++k) cosine += first[k] * search.vector()[k];
    EXPECT_LT(std::fabs(cosine), 0.999);
}

// Almost dependent equations, by e.
System dependent(const std::string& e) {
    return lang::read_model(lang::Source("test.ves", "unknown x, y, z\nx' + y' + z' = 1\nx' + (1 + " + e +
                                                         ")*y' + z' = 2\nx' + y' + (1 - " + e +
                                                         ")*z' = 0\nstart x = 0, y = 0, z = 0\n"));
}

TEST(KernelRcg, LeavesAlmostDependentEquationsToTheFactorisation) {
    const Subject subject{"text"};
    for (const std::string e : {"1e-2", "1e-12"}) {
        Ready<double> reference(dependent(e), subject, "kernel-qr"), ready(dependent(e), subject, "kernel-rcg");
        const Point<double> x(4);
        const auto& kernel = dynamic_cast<const KernelRcgDistribution<double>&>(ready.direction());
        // (2 + 1) / 1e-12, of which four digits are left
        EXPECT_LT(distance(tops_at(ready, x), tops_at(reference, x)), e == "1e-2" ? 1e-10 : 1e-4);
        EXPECT_EQ(kernel.n_fallbacks() > 0, e == "1e-12");
    }
}

TEST(KernelRcg, SeesThatEquationsAreDependent) {
    for (const std::string parametrisation : {"time", "arclength"})
        EXPECT_THROW(Ready<double>(dependent("1e-17"), {"text", {}, "auto", parametrisation}, "kernel-rcg"),
                     InvalidInput);
}

// ---- conjugate gradients for multipliers ----

TEST(SymmetricScaling, FindsTheScaleOfTheMultipliers) {
    // S = A L with A symmetric, L = diag(1, -2, 3)
    const linalg::Pattern p = linalg::make_pattern(3, 3, {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}});
    std::vector<double> s = {4, 1, -2, -10, -4, 6, 27};
    SymmetricScaling<double> scaling(p);
    ASSERT_TRUE(scaling.scale(s.data()));
    const double ones[3] = {1, 1, 1};
    double sums[3];
    scaling.times(ones, sums);
    const double a = 1 / std::sqrt(4.0 * 5), b = 2 / std::sqrt(5.0 * 9);
    EXPECT_NEAR(sums[0], 1 + a, 1e-15);
    EXPECT_NEAR(sums[1], 1 + a + b, 1e-15);
    EXPECT_NEAR(sums[2], 1 + b, 1e-15);
    // another scale, found anew
    s[2] *= 3, s[3] *= 3, s[4] *= 3;
    EXPECT_TRUE(scaling.scale(s.data()));
    s[3] = -s[3]; // not definite
    EXPECT_FALSE(scaling.scale(s.data()));
    // two parts with different signs
    const double diagonal[2] = {-2, 3}, both[2] = {1, 1};
    const linalg::Pattern q = linalg::make_pattern(2, 2, {{0, 0}, {1, 1}});
    SymmetricScaling<double> parts(q);
    ASSERT_TRUE(parts.scale(diagonal));
    parts.times(both, sums);
    EXPECT_NEAR(sums[0] + sums[1], 2, 1e-15);
    const linalg::Pattern crossed = linalg::make_pattern(2, 2, {{0, 1}, {1, 0}});
    SymmetricScaling<double> without_diagonal(crossed);
    EXPECT_FALSE(without_diagonal.scale(s.data()));
}

// A chain of two written by hand, with constraints whose gradients are multiples of the forces.
System two_links() {
    return lang::read_model(lang::Source("test.ves", "unknown x, y, u, v, l, m\n"
                                                     "x'' = -2*l*x - m*(x - u)\ny'' = -2*l*y - m*(y - v) - 1\n"
                                                     "u'' = m*(x - u)\nv'' = m*(y - v) - 1\n"
                                                     "x^2 + y^2 = 1\n3*((x - u)^2 + (y - v)^2) = 3\n"
                                                     "start x = 0.6, y = -0.8, u = 1.6, v = -0.8\n"
                                                     "start x' = 0, y' = 0, u' = 0, v' = 0.5\n"));
}

TEST(KktCg, SolvesForMultipliersOfAnyScale) {
    const Subject subject{"text"};
    Ready<double> reference(two_links(), subject, "solve"), ready(two_links(), subject, "kkt-cg");
    for (const Point<double>& x : walk(reference, 5, 5, 1e-2))
        EXPECT_LT(distance(tops_at(ready, x), tops_at(reference, x)), 1e-13);
    EXPECT_EQ(dynamic_cast<const KktCgDistribution<double>&>(ready.direction()).n_fallbacks(), 0);
}

// Masses that are a matrix, and depend on positions and velocities; multipliers in another order and of other scale
// than their constraints.
System two_rods(const std::string& sign) {
    return lang::read_model(lang::Source(
        "test.ves", "unknown x, y, u, v, l, m\n" + sign +
                        "((2 + x'^2)*x'' + x'*y'*y'' + y/3*u'' + l*(x - u) + 4*m*x) = 0\n" + sign +
                        "(x'*y'*x'' + (2 + y'^2)*y'' + l*(y - v) + 4*m*y + 1) = 0\n" + sign +
                        "(y/3*x'' + 3*u'' - l*(x - u)) = 0\n" + sign +
                        "(3*v'' - l*(y - v) + 1) = 0\n"
                        "x^2 + y^2 = 1\n(x - u)^2 + (y - v)^2 = 1\n"
                        "start x = 0.6, y = -0.8, u = 1.6, v = -0.8, x' = 0.8, y' = 0.6, u' = 0.8, v' = 0.5\n"));
}

TEST(KktCg, SolvesWithMassesThatAreAMatrix) {
    const Subject subject{"text"};
    for (const char* sign : {"", "-"}) {
        Ready<double> reference(two_rods(sign), subject, "solve"), ready(two_rods(sign), subject, "kkt-cg");
        for (const Point<double>& x : walk(reference, 5, 5, 1e-2))
            EXPECT_LT(distance(tops_at(ready, x), tops_at(reference, x)), 1e-12);
        const auto& found = dynamic_cast<const MassCgDistribution<double>&>(ready.direction());
        EXPECT_EQ(found.n_fallbacks(), 0);
        EXPECT_GT(found.n_iterations(), 0);
    }
}

// ---- cost ----

template <class D> D& as(Ready<double>& ready) {
    return dynamic_cast<D&>(ready.direction());
}

TEST(IterativeDirections, AreQuickerFromTheLastOne) {
    const Subject subject{"mech", {{"n", "200"}}};
    Ready<double> reference(subject, "kkt");
    const auto points = walk(reference, 40, 1, 1e-3);
    Ready<double> a(subject, "kkt-cg"), b(subject, "kernel-rcg");
    auto& kkt = as<KktCgDistribution<double>>(a);
    auto& kernel = as<KernelRcgDistribution<double>>(b);
    const auto count = [&](auto& distribution, Ready<double>& ready) {
        const std::int64_t before = distribution.n_iterations();
        for (const Point<double>& x : points) tops_at(ready, x);
        return static_cast<double>(distribution.n_iterations() - before) / static_cast<double>(points.size());
    };
    Ready<double> cold(subject, "kkt-cg");
    const std::int64_t first_kkt = as<KktCgDistribution<double>>(cold).n_iterations(); // the start point's
    const double mean_kkt = count(kkt, a), mean_kernel = count(kernel, b);
    RecordProperty("kkt_cg_first", static_cast<int>(first_kkt));
    RecordProperty("kkt_cg_mean", std::to_string(mean_kkt));
    RecordProperty("kernel_rcg_mean", std::to_string(mean_kernel));
    EXPECT_LT(mean_kkt, 0.8 * static_cast<double>(first_kkt));
    EXPECT_EQ(kkt.n_fallbacks(), 0);
    EXPECT_EQ(kernel.n_fallbacks(), 0);
}

template <class S> void expect_no_allocations(const Subject& subject, const std::string& word) {
    Ready<S> ready(subject, word);
    const auto points = walk(ready, 4, 1, S(1e-3));
    Point<S> w(ready.problem->n_tops()), du(ready.problem->n_state());
    S dt = 0;
    const auto evaluate = [&] {
        for (const Point<S>& x : points) {
            ready.direction().tops(x[x.size() - 1], x.data(), w.data());
            ready.direction().velocity(x[x.size() - 1], x.data(), du.data());
            ready.direction().tangent(x[x.size() - 1], x.data(), du.data(), &dt);
        }
    };
    evaluate();
    const std::size_t before = test::n_allocations();
    evaluate();
    EXPECT_EQ(test::n_allocations(), before) << subject.name << " " << word;
}

TEST(IterativeDirections, DoNotAllocate) {
    for (const std::string word : {"kkt-cg", "kernel-rcg"}) {
        expect_no_allocations<double>({"mech", {{"n", "24"}}}, word);
        expect_no_allocations<double>({"pendulum"}, word);
        expect_no_allocations<Quad>({"four_bar"}, word);
        expect_no_allocations<double>({"andrews"}, word);
    }
    expect_no_allocations<double>({"stiff_pendulum_overdetermined"}, "kernel-rcg");
    expect_no_allocations<double>({"plug_flow", {}, "auto", "arclength"}, "kernel-rcg");
}

} // namespace
} // namespace vessiot::distribution_test
