// Where no solution goes on, or another one than it seems, a run says so: folds, double roots.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/refusal.hpp"
#include "vessiot/error.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"
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

// ---- jumps ----

// Positions went along with velocities that were set: x from -0.5 to 0.45.
TEST(Jumps, OfVelocitiesLeavePositionsWhereTheyAre) {
    const std::string moves = "x'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n",
                      rest = "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n"
                             "event wall: x = -0.5 falling then x' = -0.7*x'\n",
                      first_order = "unknown x, y, u, v, lambda\nx' = u\ny' = v\nu' = -lambda*x\n"
                                    "v' = -lambda*y - 9.81\nx^2 + y^2 = 1\nx*u + y*v = 0\n"
                                    "start x = 1, y = 0, u = 0, v = 0\nsolve t = 0 .. 1\n"
                                    "event wall: x = -0.5 falling then u = -0.7*u\n";
    const std::vector<std::pair<std::string, const char*>> models{
        {"unknown x, y, lambda\n" + moves + rest, "auto"},
        {"unknown x, y, lambda\n" + moves + rest, "general"},
        {"unknown x, y, lambda\n" + moves + "x*x' + y*y' = 0\n" + rest, "auto"},
        {"unknown x, y, lambda\n" + moves + "x*x' + y*y' = 0\n" + rest, "general"},
        {"unknown x, y, lambda\n" + moves + "x'^2 + y'^2 - lambda - 9.81*y = 0\n" + rest, "auto"},
        {first_order, "auto"},
        {first_order, "general"}};
    for (const auto& [model, formulation] : models)
        for (const char* method : {"dop853", "radau5"}) {
            const Solution s = ended(model, {.method = method, .rtol = 1e-9, .formulation = formulation});
            ASSERT_EQ(s.status, Status::success) << model << s.message;
            ASSERT_EQ(s.events.size(), 1U) << model << formulation;
            EXPECT_NEAR(s.events[0].values_after[0], -0.5, 1e-9) << model << formulation;
            EXPECT_NEAR(last(s, "x"), 0.38283933, 1e-6) << model << formulation; // of the completed system
        }
}

// A position that is set moves other positions first, and these the velocities.
TEST(Jumps, OfPositionsMoveVelocitiesAfterThem) {
    const std::string moves = "unknown x, y, z, lambda\nx'' = -lambda*x\ny'' = -lambda*y\nz'' = -lambda*z - 9.81\n"
                              "x^2 + y^2 + z^2 = 1\n",
                      rest = "start x = 1, y = 0, z = 0, x' = 0, y' = 1, z' = 0\nsolve t = 0 .. 1\n"
                             "event e: z = -0.5 falling then x = 0.2\n";
    const Solution a = ended(moves + rest, {.method = "dop853", .rtol = 1e-9});
    const Solution b = ended(moves + "x*x' + y*y' + z*z' = 0\n" + rest, {.method = "dop853", .rtol = 1e-9});
    ASSERT_EQ(a.events.size(), 1U) << a.message;
    ASSERT_EQ(b.events.size(), 1U) << b.message;
    for (std::size_t k = 0; k < 6; ++k)
        EXPECT_NEAR(a.events[0].values_after[k], b.events[0].values_after[k], 1e-6) << a.names[k];
}

// Where a step ended at that very time, the value before was reported.
TEST(Results, AtTheTimeOfAJumpAreThoseBehindIt) {
    for (const char* method : {"dopri54", "dop853", "radau5", "gauss4", "rk4", "ab4", "ida", "taylor", "feagin108"}) {
        const Solution s = ended("unknown x\nx' = 1\nstart x = 0\nsolve t = 0 .. 3\nevent e: t = 1 then x = 10\n"
                                 "event f: t = 2 then x = 20\noutput at 0.5, 1, 1.5, 2, 2.5, 3\n",
                                 {.method = method});
        ASSERT_EQ(s.t.size(), 6U) << method << s.message;
        const std::vector<double> x = s.column("x"), wanted{0.5, 10, 10.5, 20, 20.5, 21};
        for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(x[k], wanted[k], 1e-9) << method << " " << s.t[k];
        const Solution c = ended("unknown x, y\nx' = 1\ny = if(x < 1, 0, 5)\nstart x = 0\nsolve t = 0 .. 2\n"
                                 "output at 0.5, 1, 2\n",
                                 {.method = method});
        ASSERT_EQ(c.t.size(), 3U) << method << c.message;
        EXPECT_EQ(c.column("y"), (std::vector<double>{0, 5, 5})) << method;
    }
}

// The condition was passed before the event where both were met at the beginning of a step: a sliding mode, it said.
TEST(Events, ComeBeforeWhatSwitchesWhereAStepBegins) {
    for (const char* method : {"dopri54", "dop853", "radau5", "gauss4", "rk4", "ab4", "ida", "taylor", "feagin108"}) {
        const Solution s = ended("discrete d = 1\nunknown x\nx' = if(x < 1, d, -d)\nstart x = 0\nsolve t = 0 .. 2.9\n"
                                 "event e: x = 1 rising then d = 2, x = 0.5\n",
                                 {.method = method, .rtol = 1e-8});
        ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
        EXPECT_EQ(s.events.size(), 8U) << method;
        EXPECT_NEAR(last(s, "x"), 0.8, 1e-6) << method;
    }
}

// The one at a crossing was found in the next step, behind the other, wherever it stands in the model.
TEST(Events, AtAGivenTimeAndAtACrossingThereAreInTheOrderOfTheModel) {
    const std::string head = "discrete n = 0\nunknown x\nx' = 1\nstart x = 0\nsolve t = 0 .. 1\n",
                      crossing = "event q: x = 0.5 then n = n + 1\n", tick = "event p: every 0.25 then n = 2*n\n";
    for (const char* method : {"dopri54", "dop853", "radau5", "gauss4", "rk4", "ab4", "ida", "taylor", "feagin108"}) {
        EXPECT_EQ(last(ended(head + crossing + tick, {.method = method}), "n"), 8) << method;
        EXPECT_EQ(last(ended(head + tick + crossing, {.method = method}), "n"), 4) << method;
        const Solution s = ended(head + crossing + "event p: every 0.25\n", {.method = method});
        EXPECT_EQ(last(s, "n"), 1) << method;
        EXPECT_EQ(s.events.size(), 6U) << method;
    }
}

// d/dt (m x') = 0 halves the velocity where m doubles; what is computed keeps it, and says so.
TEST(Lagrangians, WhoseMassesSwitchAreNoted) {
    const std::string rest = "start x = 0, x' = 1\nsolve t = 0 .. 3\n";
    const auto notes_of = [&](const std::string& lagrangian) {
        std::string all;
        for (const std::string& note : ended("unknown x\nlagrangian " + lagrangian + "\n" + rest).notes) all += note;
        return all;
    };
    EXPECT_TRUE(has(notes_of("if(t < 1, 1, 2)*x'^2/2"), "momenta are not"));
    EXPECT_EQ(notes_of("x'^2/2 - if(x < 1, 1, 2)*(x - 1)^2"), "");
    EXPECT_NEAR(last(ended("unknown x, p\nhamiltonian p^2/2/if(t < 1, 1, 2) with x: p\nstart x = 0, p = 1\n"
                           "solve t = 0 .. 3\n"),
                     "x"),
                2, 1e-9);
}

// ---- contacts that rest, and events that set velocities: "contradicts the constraints" ----

TEST(Contacts, AreLeftOrMetAnewWhereAnEventSetsVelocities) {
    const std::string floor = "unknown y\nlagrangian y'^2/2 - 10*y\ncontact floor: y >= 0, restitution 0.5\n"
                              "start y = 0, y' = 0\nsolve t = 0 .. 0.6\n";
    for (const char* method : {"dopri54", "radau5", "taylor"}) {
        const Solution up = ended(floor + "event e: t = 0.5 then y' = 5\n", {.method = method});
        ASSERT_EQ(up.status, Status::success) << up.message;
        EXPECT_NEAR(last(up, "y"), 0.45, 1e-6) << method;
        const Solution down = ended(floor + "event e: t = 0.5 then y' = -4\n", {.method = method});
        ASSERT_EQ(down.status, Status::success) << down.message;
        EXPECT_NEAR(last(down, "y"), 0.15, 1e-6) << method; // up with 2
        const Solution lifted = ended(floor + "event e: t = 0.5 then y = 0.2\n", {.method = method});
        ASSERT_EQ(lifted.status, Status::success) << lifted.message;
        EXPECT_NEAR(last(lifted, "y"), 0.15, 1e-6) << method;
        const Solution sunk = ended(floor + "event e: t = 0.5 then y = -0.2\n", {.method = method});
        EXPECT_NE(sunk.status, Status::success) << method;
        const Solution along =
            ended("unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 10*y\ncontact floor: y >= 0, friction 0.5 along x'\n"
                  "start x = 0, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 2\nevent k: t = 0.5 then x' = 2\n",
                  {.method = method});
        ASSERT_EQ(along.status, Status::success) << along.message;
        EXPECT_NEAR(last(along, "x"), 0.4, 1e-6) << method;
        EXPECT_NEAR(last(along, "y"), 0, 1e-9) << method;
    }
}

// ---- where steps end ----

// det A is 0 at the end of a step: its sign changed with the next one, which began at the place itself.
TEST(SingularPlaces, AreSeenWhereAStepEndsThere) {
    for (const char* step : {"0.1", "0.015625"})
        for (const char* method : {"trapezoidal", "gauss4", "radau_i3", "dae_radau5", "dae_gauss4", "bdf3", "bdf6",
                                   "ab2", "taylor2", "implicit_euler"}) {
            const Solution s = ended("unknown x\nt*x' = 2*x\nstart x = 1\nsolve t = -1 .. 1\n",
                                     {.method = method, .step = std::stod(step)});
            EXPECT_NE(s.status, Status::success) << method << " " << step;
        }
}

// A branch that has no value but for round-off where it begins was taken for a sliding mode.
TEST(Conditions, OfBranchesThatBeginWithARootArePassed) {
    for (const char* method : {"dopri54", "dop853", "rk4", "ab4", "feagin108"}) {
        const Solution a = ended("unknown x\nx' = if(x > 0.5, sqrt(x - 0.5), 0) + 1\nstart x = 0\nsolve t = 0 .. 1\n",
                                 {.method = method, .rtol = 1e-6});
        EXPECT_EQ(a.status, Status::success) << method << ": " << a.message;
        if (a.status != Status::success) continue;
        EXPECT_NEAR(last(a, "x"), 1.2791853344, 1e-4) << method; // 2 (s - ln(1 + s)) = 1/2
    }
}

// ---- false alarms ----

// 2e-17 was "more than the tolerances".
TEST(Redundant, EquationsWhoseHighestDerivativeVanishesAreConstraints) {
    for (const char* method : {"auto", "radau5", "gauss4", "taylor"}) {
        const Solution s = ended("parameter m = 0\nunknown x\nm*x'' + x' + x = 0\nstart x = 1\nsolve t = 0 .. 1\n",
                                 {.method = method, .rtol = 1e-8});
        ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
        EXPECT_NEAR(last(s, "x"), std::exp(-1), 1e-5) << method;
    }
}

// All that an iteration corrects is round-off of the increments, and large beside a start at 0.
TEST(ConstantSteps, OfDirectMethodsBeginAtZero) {
    for (const char* method : {"bdf4", "bdf5", "bdf6", "dae_radau9", "dae_radau5", "dae_gauss4"}) {
        const Solution s =
            ended("unknown x\nx' = 1 + 0*x\nstart x = 0\nsolve t = 0 .. 2\n", {.method = method, .step = 0.1});
        ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
        EXPECT_NEAR(last(s, "x"), 2, 1e-12) << method;
    }
}

// ---- a problem that is kept ----

// Which constraints are redundant was found at the start point of the first run, and taken for all that followed.
TEST(KeptProblems, ForgetImpossibleStartPoints) {
    const std::string text = "unknown x, y\nx' = -x + x*y\ny' = y - x*y\ninvariant log(x) - x + log(y) - y\n"
                             "start x = 0.5, y = 0.5\nsolve t = 0 .. 20\n";
    const SolveOptions options{.max_steps = 3000, .throw_on_failure = false};
    const Problem problem(Model::parse(text), options);
    const auto from = [&](double x) { return RunOptions{.start = {{"x", x}}}; };
    const Solution alone = Problem(Model::parse(text), options).solve(from(1e-40));
    for (const double impossible : {1e-300, 1e300, 1e40, -1.0, 0.5}) {
        try {
            static_cast<void>(problem.solve(from(impossible)));
        } catch (const InvalidInput&) { // it has no start point
        }
        const Solution behind = problem.solve(from(1e-40));
        EXPECT_EQ(behind.t, alone.t) << impossible << ": " << behind.message;
        EXPECT_EQ(behind.numbers, alone.numbers) << impossible;
    }
}

} // namespace
} // namespace vessiot::solve_doubtful_test
