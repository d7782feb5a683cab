// What is asked of every projection of the table.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "projection/kind.hpp"
#include "property/conformance/models.hpp"
#include "solve/options/settings.hpp"
#include "solve/start/rays.hpp"
#include "support/projections.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

using test::OnManifold;
using test::SmallModel;

// On the manifold of a model; null where it does not fit, or does nothing.
template <class S> std::unique_ptr<Projection<S>> made(const ProjectionKind& kind, OnManifold<S>& on) {
    Settings settings;
    settings.projection = &kind;
    StartPoint<S> start{};
    start.t = on.t;
    start.u = on.x;
    ProjectionParts<S> parts{on.problem.system(), on.problem.prolongation(), on.manifold()};
    parts.name = coordinate_names_of(on.problem.analysis());
    try {
        parts.partition = make_partition(on.problem, settings, start);
        return kind.make(parts);
    } catch (const InvalidInput& e) {
        EXPECT_NE(kind.needs, "") << kind.name << " refuses: " << e.what();
        return nullptr;
    }
}

// Repeated, it ends on the manifold, and leaves its points where they are.
template <class S> void expect_projection(const ProjectionKind& kind, const SmallModel& model, int& n_fitting) {
    OnManifold<S> on(system_of(model));
    const auto projection = made(kind, on);
    if (!projection) return;
    ++n_fitting;
    SCOPED_TRACE(std::string(kind.name) + " on " + std::string(model.name));
    EXPECT_EQ(projection->name(), kind.name);
    EXPECT_EQ(projection->finds_nearest(), kind.can.finds_nearest);
    std::mt19937_64 random(1);
    linalg::Vector<S> a = on.moved(1e-3, random), once(a.size());
    projection->begin_step(on.t, on.x.data());
    for (int k = 0; k < 8; ++k) {
        EXPECT_EQ(projection->project(on.t, a.data()).status, PointStatus::good);
        if (k == 0) once = a;
    }
    linalg::Vector<S> f(on.manifold().n_constraints());
    on.manifold().f(on.t, a.data(), f.data());
    EXPECT_LT(test::largest(f), 1e-13);
    linalg::Vector<S> stays = a;
    EXPECT_EQ(projection->project(on.t, stays.data()).status, PointStatus::good);
    EXPECT_LT(test::distance(stays, a), 1e-12);
    // as new: the same bits and counts
    const ProjectionCounts before = projection->counts();
    projection->renew();
    EXPECT_EQ(projection->counts().jacobians, 0);
    random.seed(1);
    linalg::Vector<S> again = on.moved(1e-3, random);
    projection->begin_step(on.t, on.x.data());
    projection->project(on.t, again.data());
    EXPECT_EQ(test::distance(again, once), 0);
    EXPECT_LE(projection->counts().factorisations, before.factorisations);
}

TEST(ConformanceOfProjections, EndOnTheManifoldAndStayThere) {
    for (const ProjectionKind& kind : projection_table()) {
        int n_fitting = 0;
        for (const SmallModel& model : test::small_models) {
            if (!model.is_constrained || (model.is_last_resort && n_fitting > 0)) continue;
            expect_projection<double>(kind, model, n_fitting);
            expect_projection<Quad>(kind, model, n_fitting);
        }
        EXPECT_EQ(n_fitting > 0, kind.can.projects) << kind.name;
        EXPECT_NE(kind.help, "") << kind.name;
    }
}

// Through solve(): by its name, in a checkpoint, with sensitivities where it carries them.
TEST(ConformanceOfProjections, AreFoundByTheirNames) {
    for (const ProjectionKind& kind : projection_table()) {
        int n = 0, n_constrained = 0;
        for (const SmallModel& m : test::small_models) {
            if (m.is_last_resort && n_constrained > 0) continue;
            SolveOptions o{.method = "dopri54", .rtol = 1e-7, .projection = std::string(kind.name)};
            o.backend = Backend::interpreter;
            const Model model = Model::parse(std::string(m.text));
            try {
                const Solution s = solve(model, o);
                const bool projects = kind.can.projects && m.is_constrained;
                EXPECT_EQ(s.status, Status::success);
                EXPECT_EQ(s.method.projection, projects ? kind.name : "none") << m.name;
                if (m.x) {
                    EXPECT_NEAR(s.numbers[(s.t.size() - 1) * s.names.size()], m.x(0.5), 1e-5) << m.name;
                }
                ++n;
                n_constrained += m.is_constrained;
            } catch (const InvalidInput& e) {
                EXPECT_NE(kind.needs, "") << kind.name << " on " << m.name << ": " << e.what();
                continue;
            }
            o.sensitivity = {std::string(m.by)};
            try {
                EXPECT_FALSE(solve(model, o).sensitivities.empty());
                EXPECT_TRUE(kind.can.carries_derivatives) << kind.name;
            } catch (const InvalidInput& e) {
                EXPECT_FALSE(kind.can.carries_derivatives) << kind.name << ": " << e.what();
                EXPECT_NE(std::string(e.what()).find(kind.name), std::string::npos) << e.what();
            }
        }
        EXPECT_GT(n, 0) << kind.name;
    }
}

} // namespace
} // namespace vessiot
