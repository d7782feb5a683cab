// Where no solution goes on, or another one than it seems, a run says so: folds, double roots.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::solve_doubtful_test {
namespace {

using test::has;

Solution ended(const std::string& text, SolveOptions options = {}) {
    options.throw_on_failure = false;
    return solve(Model::parse(text), options);
}

double last(const Solution& s, const std::string& name) {
    return s.column(name).back();
}

struct Fold {
    const char* model;
    double at; // t, where it turns back
};

const std::vector<Fold>& folds() {
    static const std::vector<Fold> all{
        // i runs from 2 to 1/sqrt(3): t = 3/2 i^2 - ln i between
        {"parameter C = 1\nunknown u, i\nC*u' = -i\nu = i^3 - i\nstart u = 6, i = 2\nsolve t = 0 .. 6\n",
         6 - std::log(2.0) - (0.5 + 0.5 * std::log(3.0))},
        // P <= V^2 sin(2 th)/2 with V = cos(th): the nose at 1
        {"parameter X = 0.5\nunknown P, V, th\nP' = 0.1\nP = V/X*sin(th)\n0 = V/X*cos(th) - V^2/X\nstart P = 0.5\n"
         "guess V = 0.95, th = 0.3\nsolve t = 0 .. 20\n",
         5},
        {"unknown x, y\nx' = 1\nx^2 + y^2 = 1\nstart x = 0\nguess y = 1\nsolve t = 0 .. 3\n", 1},
    };
    return all;
}

// The projection moved points by as much as steps were long, and the run went on with success.
TEST(Folds, AreNotPassedAtRoughTolerances) {
    for (const Fold& fold : folds())
        for (const double rtol : {1e-3, 1e-4, 1e-6})
            for (const char* method : {"auto", "dopri54", "dop853", "taylor"}) {
                const Solution s = ended(fold.model, {.method = method, .rtol = rtol, .parametrisation = "time"});
                EXPECT_EQ(s.status, Status::failed) << fold.model << method << " " << rtol << ": " << s.message;
                // errors of the tolerance move the fold; at rough ones it may take a while to be noticed
                if (rtol < 1e-5) EXPECT_NEAR(s.t.back(), fold.at, 0.02) << fold.model << method;
            }
}

TEST(Folds, AreNotPassedByConstantSteps) {
    for (const Fold& fold : folds())
        for (const double step : {0.1, 0.01})
            for (const char* method : {"rk4", "dopri54", "ab3", "radau5"}) {
                const Solution s = ended(fold.model, {.method = method, .step = step, .parametrisation = "time"});
                EXPECT_EQ(s.status, Status::failed) << fold.model << method << " " << step << ": " << s.message;
            }
}

// All derivatives of such an equation vanish at the start, and its first rate with them: it was kept, and stopped all.
TEST(DoubleRoots, ThatTheOthersLeaveAreRefused) {
    for (const char* equations :
         {"unknown x, v\nx' = v\nv' = -sin(x) - 0.1*v\nv^2/2 - cos(x) = -cos(1)\nstart x = 1, v = 0\n",
          "unknown x\nx' = x\n(x - 1)^2 = 0\nstart x = 1\n", "unknown x\nx' = x\nx^2 - 2*x + 1 = 0\nstart x = 1\n",
          "unknown x, y\nx' = 1\ny' = 2\n(x - t)^2 + (y - t)^2 = 0\nstart x = 0, y = 0\n"})
        for (const char* method : {"auto", "radau5", "rk4"}) {
            SolveOptions o{.method = method, .to = 1};
            if (o.method == "rk4") o.step = 0.01;
            const std::string said = test::refusal([&] { solve(Model::parse(equations), o); });
            EXPECT_TRUE(has(said, "does not go on holding") || has(said, "contradict each other"))
                << method << ": " << equations << said;
        }
}

TEST(DoubleRoots, ThatTheOthersKeepAreNoneOfThese) {
    const Solution s = ended("unknown x, y\nx' = 1\ny' = 1\n(x - y)^2 = 0\nstart x = 0, y = 0\nsolve t = 0 .. 1\n");
    EXPECT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "y"), 1, 1e-9);
}

// Series keep no direction to look at; nothing was watched.
TEST(Redundant, EquationsAreWatchedInTaylorRuns) {
    for (const char* f : {"t^8", "max(0, t - 1)^3"}) {
        const std::string model =
            std::string("unknown x, y\nx' = ") + f + "\ny' = 1\nx = 0\nstart y = 0\nsolve t = 0 .. 3\n";
        for (const char* precision : {"double", "quad"}) {
            const Solution s = ended(model, {.method = "taylor", .precision = precision});
            EXPECT_EQ(s.status, Status::failed) << f << precision;
            EXPECT_TRUE(has(s.message, "does not go on holding")) << s.message;
        }
    }
}

TEST(Contacts, AreRefusedByMethodsThatMakeNoImpulses) {
    const std::string falling = "unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\ncontact f: y >= 0\n"
                                "start x = 0, y = 1, x' = 1, y' = 0\nsolve t = 0 .. 1\n";
    for (const char* method : {"rattle", "shake", "lobatto3ab", "symplectic_euler"})
        EXPECT_TRUE(has(test::refusal([&] { solve(Model::parse(falling), {.method = method, .step = 0.01}); }),
                        "needs no contacts"))
            << method;
}

TEST(Sensitivities, OfWhatStandsInConditionsOnlyAreNotSaidToBeZero) {
    const Solution s = ended("parameter a = 0.5\nunknown x\nx' = if(t > a, 2, 1)\nstart x = 0\nsolve t = 0 .. 1\n",
                             {.sensitivity = {"a"}});
    EXPECT_NEAR(s.sensitivities.back(), -1, 1e-9);
    for (const std::string& note : s.notes) EXPECT_FALSE(has(note, "are 0")) << note;
    const Solution all = ended("parameter a = 0.5\nunknown x\nx' = if(t > a, 2, 1)\nstart x = 0\nsolve t = 0 .. 1\n",
                               {.sensitivity = {"all"}});
    EXPECT_NEAR(all.sensitivities.back(), -1, 1e-9);
}

} // namespace
} // namespace vessiot::solve_doubtful_test
