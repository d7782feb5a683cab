// What every projection has to satisfy, on the models of the gallery and random points near their start points: the
// result lies on the manifold, points of the manifold stay where they are, a second projection changes nothing; and
// those onto the nearest point give the same one, from where the way to a is perpendicular to the manifold.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "linalg/iterative/krylov.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "support/gallery.hpp"
#include "support/projections.hpp"

namespace vessiot::projection_property_test {
namespace {

using test::distance;
using test::largest;
using test::OnManifold;

const std::vector<std::string> all{"simplified", "newton", "chord", "inexact"}, nearest{"newton", "chord", "inexact"};

struct Case {
    std::string model;
    test::ParameterSettings set{};
};

const std::vector<Case> cases{{"pendulum_energy"},
                              {"kepler"},
                              {"four_bar"},
                              {"mech", {{"n", "24"}}},
                              {"mech_table_energy"},
                              {"mech_table_energy", {{"n", "24"}, {"E", "3008.6"}}},
                              {"mech_table_energy", {{"n", "60"}, {"E", "40000"}}},
                              {"andrews"},
                              {"magnetic"},
                              {"euler_top"},
                              {"spherical_pendulum"},
                              {"stiff_pendulum"}};

// What is left of a - p when its part across the manifold is taken away:  d - B^T (B B^T)^-1 B d
template <class S> double tangential(OnManifold<S>& m, const linalg::Vector<S>& a, const linalg::Vector<S>& p) {
    Manifold<S>& manifold = m.manifold();
    const linalg::Pattern& pattern = manifold.pattern();
    linalg::Vector<S> f(manifold.n_constraints()), df(pattern.entries()), d(a.size()), b(f.size()), back(a.size());
    manifold.df(m.t, p.data(), f.data(), df.data());
    for (std::int64_t j = 0; j < a.size(); ++j) {
        d[j] = a[j] - p[j];
        for (std::int64_t e = pattern.column_start[linalg::at(j)]; e < pattern.column_start[linalg::at(j) + 1]; ++e)
            b[pattern.row[linalg::at(e)]] += df[e] * d[j];
    }
    linalg::NormalSolver<S> normal(pattern);
    EXPECT_TRUE(normal.factor(df.data(), nullptr));
    normal.solve_correction(b.data(), back.data());
    return distance(d, back);
}

template <class S> class ProjectionProperty : public testing::Test {
public:
    // 1e-12 in double: round-off of the coordinates, times the condition of dF
    static constexpr double tolerance = std::is_same_v<S, double> ? 1e-12 : 1e-29;
    // of f over its size; inner round-off of long rows
    static constexpr double on_manifold = std::is_same_v<S, double> ? 1e-12 : 1e-30;

    // Calls check(model, point a) for all cases.
    template <class Check> void for_all(const Check& check) {
        std::mt19937_64 random(42);
        for (const Case& c : cases) {
            OnManifold<S> m(test::gallery_system(c.model, c.set));
            for (const double far : {1e-2, 1e-4, 1e-7}) {
                SCOPED_TRACE(c.model + ", n of coordinates " + std::to_string(m.x.size()) + ", " + std::to_string(far));
                check(m, m.moved(far, random));
            }
        }
    }
};
using Scalars = testing::Types<double, Quad>;
TYPED_TEST_SUITE(ProjectionProperty, Scalars);

TYPED_TEST(ProjectionProperty, TheResultIsOnTheManifoldAndStaysThere) {
    this->for_all([&](OnManifold<TypeParam>& m, const linalg::Vector<TypeParam>& a) {
        for (const std::string& name : all) {
            const auto projection = test::make_projection(name, m.manifold());
            const auto [p, report] = test::project(*projection, m, a);
            ASSERT_EQ(report.status, PointStatus::good) << name;
            EXPECT_LT(static_cast<double>(m.residual(p, a)), this->on_manifold) << name;
            const auto again = test::project(*projection, m, p);
            EXPECT_EQ(again.report.status, PointStatus::good) << name;
            EXPECT_LE(distance(again.p, p), this->tolerance * largest(p)) << name;
        }
    });
}

TYPED_TEST(ProjectionProperty, PointsOfTheManifoldStayWhereTheyAre) {
    for (const Case& c : cases) {
        OnManifold<TypeParam> m(test::gallery_system(c.model, c.set));
        for (const std::string& name : all) {
            const auto projection = test::make_projection(name, m.manifold());
            const auto [p, report] = test::project(*projection, m, m.x);
            EXPECT_EQ(report.status, PointStatus::good) << name << ", " << c.model;
            EXPECT_LE(distance(p, m.x), this->tolerance * largest(m.x)) << name << ", " << c.model;
        }
    }
}

TYPED_TEST(ProjectionProperty, TheNearestPointIsTheSameForAll) {
    this->for_all([&](OnManifold<TypeParam>& m, const linalg::Vector<TypeParam>& a) {
        const auto reference = test::project(*test::make_projection("newton", m.manifold()), m, a);
        for (const std::string& name : nearest)
            for (const bool is_closed : {true, false})
                for (const NewtonStart start : {NewtonStart::a, NewtonStart::curvature}) {
                    const auto projection =
                        test::make_projection(name, m.manifold(), {.has_closed_first_step = is_closed, .start = start});
                    const auto [p, report] = test::project(*projection, m, a);
                    EXPECT_EQ(report.status, PointStatus::good) << name;
                    EXPECT_LT(distance(p, reference.p), this->tolerance * largest(a)) << name;
                    EXPECT_LT(tangential(m, a, p), this->tolerance * largest(a)) << name;
                }
    });
}

// No point of the manifold near by is nearer: other projections of points around.
TYPED_TEST(ProjectionProperty, NoOtherPointIsNearer) {
    using S = TypeParam;
    std::mt19937_64 random(43);
    this->for_all([&](OnManifold<S>& m, const linalg::Vector<S>& a) {
        const auto length = [&](const linalg::Vector<S>& p) {
            linalg::Vector<S> d(p.size());
            for (std::int64_t j = 0; j < p.size(); ++j) d[j] = p[j] - a[j];
            return static_cast<double>(linalg::norm<S>(d.size(), d.data()));
        };
        const double shortest = length(test::project(*test::make_projection("newton", m.manifold()), m, a).p);
        const auto simplified = test::make_projection("simplified", m.manifold());
        for (int k = 0; k < 5; ++k) {
            linalg::Vector<S> b = a;
            for (S& c : b) c += S(std::uniform_real_distribution<double>(-1e-3, 1e-3)(random));
            EXPECT_GE(length(test::project(*simplified, m, b).p), shortest * (1 - 1e-9) - 1e-14);
        }
    });
}

} // namespace
} // namespace vessiot::projection_property_test
