// What is asked of every method, whatever its family.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "method/dae/ida.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"
#include "projection/kind.hpp"
#include "property/conformance/models.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

using method::MethodInfo;
using test::SmallModel;

SolveOptions options_for(const MethodInfo& m) {
    SolveOptions o{.method = std::string(m.name), .rtol = 1e-5, .atol = 1e-6};
    o.backend = Backend::interpreter;
    if (!m.is_adaptive && m.order < 2) o.step = 0.01;
    return o;
}

// A method that fits some model solves it, to the accuracy of its order.
TEST(ConformanceOfMethods, SolveWhatTheyFit) {
    for (const MethodInfo& m : method::methods()) {
        if (m.chooses_steps && !method::has_ida()) continue;
        int n = 0;
        for (const SmallModel& model : test::small_models) {
            if (method::is_direct(m) && model.is_constrained) continue; // they converge on some, of some index
            const SolveOptions o = options_for(m);
            try {
                const Solution s = solve(Model::parse(std::string(model.text)), o);
                EXPECT_EQ(s.status, Status::success) << m.name << " on " << model.name << ": " << s.message;
                EXPECT_EQ(s.method.name, m.name);
                const double allowed = o.step > 0 ? (m.order == 1 ? 2e-2 : 1e-3) : 2e-3;
                if (model.x) {
                    EXPECT_NEAR(s.numbers[(s.t.size() - 1) * s.names.size()], model.x(0.5), allowed)
                        << m.name << " on " << model.name;
                    EXPECT_NEAR(s(0.33)[0], model.x(0.33), allowed) << m.name << " on " << model.name;
                }
                ++n;
            } catch (const InvalidInput& e) { // what it needs, or what its projection does
                const std::string text = e.what();
                EXPECT_TRUE(text.find(m.name) != text.npos || text.find("constraints") != text.npos) << text;
            }
        }
        EXPECT_GT(n, 0) << m.name;
    }
}

TEST(ConformanceOfMethods, SayWhatTheyCanDo) {
    for (const MethodInfo& m : method::methods()) {
        ASSERT_NE(m.family, nullptr) << m.name;
        EXPECT_NE(m.family->name, "") << m.name;
        EXPECT_NE(projection_table().find(m.projection), nullptr) << m.name;
        EXPECT_GE(dense_order(m), 1) << m.name;
        SolveOptions o = options_for(m);
        o.sensitivity = {"k"};
        if (m.chooses_steps && !method::has_ida()) continue;
        try {
            EXPECT_FALSE(solve(Model::parse(std::string(test::small_models[0].text)), o).sensitivities.empty());
            EXPECT_TRUE(m.family->carries_derivatives) << m.name;
        } catch (const InvalidInput& e) {
            const bool needs_more =
                m.needs != method::View::any || !projection_table().find(m.projection)->can.carries_derivatives;
            EXPECT_TRUE(!m.family->carries_derivatives || needs_more) << m.name << ": " << e.what();
        }
    }
}

} // namespace
} // namespace vessiot
