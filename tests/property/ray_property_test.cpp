// What projections along rays have to satisfy, on models of the gallery and random points near their start points, with
// sets that are chosen there: the result lies on the manifold, each set keeps its direction, a second projection
// changes nothing, points of the manifold stay. And no text of a partition is more than refused.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "projection/ray/ray.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"
#include "support/projections.hpp"

namespace vessiot::ray_property_test {
namespace {

using test::distance;
using test::largest;
using test::OnManifold;

const std::vector<std::string>& models() {
    static const std::vector<std::string> list{
        "lotka_volterra",     "liu_planar",         "liu_top", "euler_top", "kepler", "magnetic", "modified_kepler",
        "liu_index2_reduced", "friction_oscillator"};
    return list;
}

template <class S> class RayProperty : public testing::Test {
public:
    static constexpr double tolerance = std::is_same_v<S, double> ? 1e-12 : 1e-29;

    // Calls check(m, sets, a) where rays cross the manifold well.
    template <class Check> void for_all(const Check& check) {
        std::mt19937_64 random(42);
        for (const std::string& model : models()) {
            OnManifold<S> m(test::gallery_system(model));
            Manifold<S>& manifold = m.manifold();
            linalg::Vector<S> f(manifold.n_constraints()), df(manifold.pattern().entries());
            const linalg::Vector<S> off = m.moved(0.05, random); // where nothing is 0
            manifold.df(m.t, off.data(), f.data(), df.data());
            std::vector<std::int32_t> atom;
            for (std::int64_t j = 0; j < off.size(); ++j) atom.push_back(static_cast<std::int32_t>(j));
            RayGeometry<S> geometry(manifold.pattern(), atom);
            ASSERT_TRUE(geometry.load(df.data())) << model;
            Partition sets;
            EXPECT_GT(static_cast<double>(geometry.choose(off.data(), sets)), 1e-3) << model;
            sets.is_chosen = false; // to be kept
            for (const double far : {1e-2, 1e-4, 1e-7}) {
                SCOPED_TRACE(model + ", " + std::to_string(far));
                check(m, sets, m.moved(far, random), atom);
            }
        }
    }
    static RayOptions options(const std::vector<std::int32_t>& atom) {
        RayOptions o;
        o.atom = atom;
        return o;
    }
};
using Scalars = testing::Types<double, Quad>;
TYPED_TEST_SUITE(RayProperty, Scalars);

// sin of the angle between the coordinates of a set before and after
template <class S>
double turned(const std::vector<std::int32_t>& set, const linalg::Vector<S>& a, const linalg::Vector<S>& p) {
    S aa = 0, pp = 0, ap = 0;
    for (const std::int32_t l : set) {
        aa += a[l] * a[l];
        pp += p[l] * p[l];
        ap += a[l] * p[l];
    }
    S largest = 0;
    for (const std::int32_t l : set) largest = std::max(largest, linalg::absolute(p[l] - ap / aa * a[l]));
    return pp > S(0) ? static_cast<double>(largest / linalg::square_root(pp)) : 0.0;
}

// Where a ray takes a point, in a step that began far from there: moves are small beside that of the step.
template <class S>
test::Projected<S> after_long_step(RayProjection<S>& ray, const OnManifold<S>& m, linalg::Vector<S> a) {
    linalg::Vector<S> from = m.x;
    for (S& x : from) x *= 100;
    ray.begin_step(m.t, from.data());
    const ProjectionReport<S> report = ray.project(m.t, a.data());
    return {std::move(a), report};
}

// Of a move that is as long as the step, or longer, no ray is the reason: the nearest point is taken.
TYPED_TEST(RayProperty, NoPointIsMovedFartherThanAQuarterOfTheStep) {
    std::int64_t n_rays = 0, n_fallbacks = 0;
    this->for_all([&](OnManifold<TypeParam>& m, const Partition& sets, const linalg::Vector<TypeParam>& a,
                      const std::vector<std::int32_t>& atom) {
        RayProjection<TypeParam> ray(m.manifold(), std::make_shared<Partition>(sets), this->options(atom));
        const auto [p, report] = test::project<TypeParam>(ray, m, a);
        ASSERT_EQ(report.status, PointStatus::good);
        n_fallbacks += ray.counts().fallbacks;
        n_rays += ray.counts().fallbacks == 0;
        if (ray.counts().fallbacks > 0) return;
        TypeParam move = 0, step = 0;
        for (std::int64_t j = 0; j < p.size(); ++j) {
            move += (p[j] - a[j]) * (p[j] - a[j]);
            step += (a[j] - m.x[j]) * (a[j] - m.x[j]);
        }
        EXPECT_LE(static_cast<double>(move), static_cast<double>(step) / 15.9);
    });
    EXPECT_GT(n_fallbacks, 0);
    EXPECT_GT(n_rays, 0);
}

TYPED_TEST(RayProperty, TheResultIsOnTheManifoldAndKeepsDirections) {
    std::int64_t n_projections = 0, n_fallbacks = 0;
    this->for_all([&](OnManifold<TypeParam>& m, const Partition& sets, const linalg::Vector<TypeParam>& a,
                      const std::vector<std::int32_t>& atom) {
        RayProjection<TypeParam> ray(m.manifold(), std::make_shared<Partition>(sets), this->options(atom));
        const auto [p, report] = after_long_step<TypeParam>(ray, m, a);
        ASSERT_EQ(report.status, PointStatus::good);
        EXPECT_LT(static_cast<double>(m.residual(p, a)), this->tolerance);
        ++n_projections;
        n_fallbacks += ray.counts().fallbacks;
        if (ray.counts().fallbacks > 0) return;
        for (const auto& set : sets.sets) EXPECT_LE(turned(set, a, p), this->tolerance);
        const auto again = after_long_step<TypeParam>(ray, m, p);
        EXPECT_LE(distance(again.p, p), this->tolerance * largest(p));
    });
    EXPECT_LE(4 * n_fallbacks, n_projections);
}

TYPED_TEST(RayProperty, PointsOfTheManifoldStayWhereTheyAre) {
    this->for_all([&](OnManifold<TypeParam>& m, const Partition& sets, const linalg::Vector<TypeParam>&,
                      const std::vector<std::int32_t>& atom) {
        RayProjection<TypeParam> ray(m.manifold(), std::make_shared<Partition>(sets), this->options(atom));
        const auto [p, report] = test::project<TypeParam>(ray, m, m.x);
        EXPECT_EQ(report.status, PointStatus::good);
        EXPECT_LE(distance(p, m.x), 1e4 * this->tolerance * largest(m.x)); // near a fold round-off is enlarged
    });
}

TEST(PartitionText, OfAnyKindIsReadOrRefused) {
    std::mt19937_64 random(7);
    const std::string letters = "[[]],, xyPz'1 2+\\\"\t";
    const System system = test::gallery_system("liu_planar");
    for (int k = 0; k < 2000; ++k) {
        std::string text;
        for (std::uint64_t n = random() % 12; n > 0; --n) text += letters[random() % letters.size()];
        SolveOptions o{.method = "mrk4", .step = 0.05, .to = 0.1};
        o.partition = "[" + text + "]";
        o.backend = "interpreter";
        try {
            EXPECT_EQ(solve_system(system, o).status, Status::success) << *o.partition;
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()), "") << *o.partition;
        }
    }
}

} // namespace
} // namespace vessiot::ray_property_test
