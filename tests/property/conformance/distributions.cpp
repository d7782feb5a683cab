// What is asked of every distribution of the table.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "distribution/kind.hpp"
#include "property/conformance/models.hpp"
#include "support/projections.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

using test::OnManifold;
using test::SmallModel;

// The direction at points near the start, which is that of the best one.
template <class S> bool agrees_with_auto(const DistributionKind& kind, const SmallModel& model) {
    SolveOptions o;
    o.distribution = std::string(kind.name);
    std::optional<OnManifold<S>> on;
    try {
        on.emplace(system_of(model), o);
    } catch (const InvalidInput& e) {
        EXPECT_NE(kind.needs, "") << kind.name << " refuses: " << e.what();
        EXPECT_NE(std::string(e.what()).find(kind.name), std::string::npos) << e.what();
        return false;
    }
    SCOPED_TRACE(std::string(kind.name) + " on " + std::string(model.name));
    OnManifold<S> usual(system_of(model));
    Distribution<S>& d = on->problem.distribution();
    EXPECT_EQ(d.name(), kind.name);
    const std::int64_t n = on->problem.n_state();
    std::mt19937_64 random(2);
    linalg::Vector<S> first(n), other(n), again(n);
    for (int k = 0; k < 5; ++k) {
        const linalg::Vector<S> x = on->moved(k == 0 ? 0 : 1e-2, random);
        const std::int64_t before = d.counts().evaluations;
        EXPECT_EQ(d.velocity(on->t, x.data(), first.data()), PointStatus::good);
        EXPECT_EQ(d.counts().evaluations, before + 1);
        EXPECT_EQ(usual.problem.distribution().velocity(on->t, x.data(), other.data()), PointStatus::good);
        EXPECT_LT(test::distance(first, other), 1e-9 * (1 + test::largest(other)));
        d.forget();
        EXPECT_EQ(d.velocity(on->t, x.data(), again.data()), PointStatus::good);
        EXPECT_LT(test::distance(first, again), 1e-9 * (1 + test::largest(other)));
    }
    d.renew();
    EXPECT_EQ(d.counts().evaluations, 0);
    return true;
}

TEST(ConformanceOfDistributions, AgreeWithTheBest) {
    for (const DistributionKind& kind : distribution_table()) {
        int n_fitting = 0;
        for (const SmallModel& model : test::small_models) {
            n_fitting += agrees_with_auto<double>(kind, model);
            n_fitting += agrees_with_auto<Quad>(kind, model);
        }
        EXPECT_GT(n_fitting, 0) << kind.name;
        EXPECT_NE(kind.help, "") << kind.name;
    }
}

TEST(ConformanceOfDistributions, AreFoundByTheirNames) {
    for (const DistributionKind& kind : distribution_table()) {
        int n = 0;
        for (const SmallModel& m : test::small_models) {
            SolveOptions o{.method = "dopri54", .rtol = 1e-7, .distribution = std::string(kind.name)};
            o.backend = Backend::interpreter;
            o.sensitivity = {std::string(m.by)};
            try {
                const Solution s = solve(Model::parse(std::string(m.text)), o);
                EXPECT_EQ(s.status, Status::success);
                EXPECT_FALSE(s.sensitivities.empty());
                ++n;
            } catch (const InvalidInput& e) {
                EXPECT_NE(kind.needs, "") << kind.name << " on " << m.name << ": " << e.what();
            }
        }
        EXPECT_GT(n, 0) << kind.name;
    }
}

} // namespace
} // namespace vessiot
