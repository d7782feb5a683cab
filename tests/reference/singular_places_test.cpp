// Curves through singular places: impasse points, where t turns; points where another solution crosses; positions in
// which constraints become dependent.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::singular_places_test {
namespace {

Solution solved(const std::string& text, SolveOptions options = {}) {
    options.throw_on_failure = false;
    return solve(Model::parse(text), options);
}

std::size_t count_notes(const Solution& s, std::string_view part) {
    std::size_t n = 0;
    for (const std::string& note : s.notes) n += note.find(part) != std::string::npos;
    return n;
}

const std::string parabola = "unknown y\ny*y' = -1/2\nstart y = 1\nsolve t = 0 .. 2\n";

// The same with implicit methods, whose iteration needs the derivative of the tangent: exact where t turns, too.
TEST(Impasse, IsPassedByImplicitMethods) {
    for (const std::string method : {"radau5", "radau9", "implicit_midpoint", "gauss4", "radau_i3", "lobatto4"}) {
        SolveOptions o{.method = method, .rtol = 1e-8, .atol = 1e-10};
        o.parametrisation = "arclength";
        const Solution s = solved(parabola, o);
        ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
        for (std::size_t k = 0; k < s.t.size(); ++k)
            EXPECT_NEAR(s.t[k], 1 - s.row(k)[0] * s.row(k)[0], 1e-5) << method << ": the curve is t = 1 - y^2";
        EXPECT_NEAR(s.row(s.t.size() - 1)[0], -1, 1e-5) << method;
        // it converges fast; methods without an estimate of their own take three steps for one
        const int n_steps = method == "radau5" || method == "radau9" ? 1 : 3;
        EXPECT_LT(s.stats.stage_iterations, 5 * n_steps * (s.stats.steps + s.stats.rejected)) << method;
    }
}

// With constraints, stages projected: through the impasse of the plug flow.
TEST(Impasse, OfThePlugFlowIsPassedByRadau) {
    const Model model = Model::load(VESSIOT_SOURCE_DIR "/gallery/plug_flow.ves");
    const Solution a = solve(model, {.method = "radau5", .rtol = 1e-9, .atol = 1e-10});
    const Solution b = solve(model, {.method = "dopri54", .rtol = 1e-9, .atol = 1e-10});
    ASSERT_EQ(a.events.size(), b.events.size());
    ASSERT_FALSE(a.events.empty());
    EXPECT_NEAR(a.events[0].t, b.events[0].t, 1e-6);
    EXPECT_LT(a.constraint_residual_max, 1e-12);
    EXPECT_LT(a.stats.rejected_iteration, 5);
}

// t = 1 - y^2, from y = 1 to y = -1.
TEST(Impasse, IsPassedWithoutBeingAskedTo) {
    const Solution s = solved(parabola, {.rtol = 1e-11, .atol = 1e-12});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(s.message, "returned to t = 0");
    EXPECT_EQ(s.method.parametrisation, "arclength");
    EXPECT_NEAR(s.column("y").back(), -1, 1e-9);
    for (std::size_t k = 0; k < s.t.size(); ++k) EXPECT_NEAR(s.t[k], 1 - std::pow(s.column("y")[k], 2), 1e-9);
    EXPECT_EQ(count_notes(s, "t turns back at t = 1 "), 1U) << s.summary();
}

TEST(Impasse, EndsARunThatIsToBeInTime) {
    const Solution s = solved(parabola, {.parametrisation = "time"});
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_NEAR(s.t.back(), 1, 1e-4);
    EXPECT_NE(s.message.find("--parametrisation arclength"), std::string::npos) << s.message;
}

// y^2 y' = 1: t = (y^3 + 1)/3 stands still at y = 0 and goes on.
TEST(Impasse, NeedNotTurnT) {
    const Solution s =
        solved("unknown y\ny^2*y' = 1\nstart y = -1\nsolve t = 0 .. 3\n", {.rtol = 1e-10, .atol = 1e-12});
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.column("y").back(), 2, 1e-8);
    EXPECT_EQ(count_notes(s, "turns back"), 0U);
}

TEST(Impasse, IsNoPole) {
    for (const char* right : {"y^2", "y^11", "exp(y)"}) {
        const Solution s = solved(std::string("unknown y\ny' = ") + right + "\nstart y = 1\nsolve t = 0 .. 3\n");
        EXPECT_EQ(s.status, Status::failed) << right;
        EXPECT_EQ(s.method.parametrisation, "time") << right;
    }
}

// y'^2 + y^2 = 1 from the sine's start: y = 1 and y = -1 are solutions as well, and touch it.
TEST(CrossingSolutions, AreNoReasonToLeaveTheCurve) {
    const std::string sine = "unknown y\ny'^2 + y^2 = 1\nstart y = 0, y' = 1\nsolve t = 0 .. 30\n";
    const Solution in_time = solved(sine, {.rtol = 1e-10, .atol = 1e-12});
    ASSERT_EQ(in_time.status, Status::success) << in_time.message;
    EXPECT_NEAR(in_time.column("y").back(), std::sin(30), 1e-7);
    EXPECT_EQ(count_notes(in_time, "another solution crosses"), 1U); // one note for all places
    EXPECT_EQ(count_notes(in_time, "near t = 1.5708, 4.71239, 7.85398, 10.9956, 14.1372, … the equations"), 1U)
        << in_time.summary();
    const Solution by_arclength = solved(sine, {.rtol = 1e-10, .atol = 1e-12, .parametrisation = "arclength"});
    ASSERT_EQ(by_arclength.status, Status::success) << by_arclength.message;
    EXPECT_NEAR(by_arclength.column("y").back(), std::sin(30), 1e-7);
    EXPECT_EQ(count_notes(by_arclength, "another solution crosses"), 1U);
    EXPECT_EQ(count_notes(by_arclength, "near t = 1.5708, 4.71239"), 1U) << by_arclength.summary();
}

// The crossed four bar passes four flat positions, where its constraints are dependent and the parallelogram meets it:
// on the crossed branch 4 y2 y3 - 3 y2 + 3 y4 = 0, on the other y2 = y4.
TEST(DependentConstraints, ArePassedOnTheBranchOfTheCurve) {
    const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/four_bar_singular.ves");
    for (const char* method : {"dopri54", "dop853"}) {
        for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
            const SolveOptions o{.method = method, .rtol = tolerance, .atol = tolerance, .throw_on_failure = false};
            const Solution s = solve(model, o);
            ASSERT_EQ(s.status, Status::success) << method << " " << tolerance << ": " << s.message;
            const auto y = [&](const char* name) { return s.column(name).back(); };
            EXPECT_NEAR(4 * y("y2") * y("y3") - 3 * y("y2") + 3 * y("y4"), 0, 1e-12) << method << " " << tolerance;
            EXPECT_NEAR(y("y4"), -0.3631205880, 2000 * tolerance) << method << " " << tolerance;
        }
    }
}

// Implicit methods do not take another one.
TEST(DependentConstraints, ArePassedByImplicitMethodsToo) {
    const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/four_bar_singular.ves");
    for (const char* method : {"radau5", "radau9", "gauss4", "lobatto4"})
        for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
            const Solution s =
                solve(model, {.method = method, .rtol = tolerance, .atol = tolerance, .throw_on_failure = false});
            ASSERT_EQ(s.status, Status::success) << method << " " << tolerance << ": " << s.message;
            EXPECT_NEAR(s.column("y4").back(), -0.3631205880, 2000 * tolerance) << method << " " << tolerance;
        }
}

// Where it cannot be told any more which branch is followed, the run ends and says so.
TEST(DependentConstraints, EndARunThatCannotTellTheBranches) {
    const Model model = Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/four_bar_singular.ves");
    const SolveOptions o{.method = "dop853", .rtol = 1e-13, .atol = 1e-13, .throw_on_failure = false};
    const Solution s = solve(model, o);
    if (s.status == Status::success) {
        const auto y = [&](const char* name) { return s.column(name).back(); };
        EXPECT_NEAR(4 * y("y2") * y("y3") - 3 * y("y2") + 3 * y("y4"), 0, 1e-11);
    } else {
        EXPECT_NE(s.message.find("become dependent"), std::string::npos) << s.message;
        EXPECT_NE(s.message.find("vessiot decompose"), std::string::npos) << s.message;
    }
}

// x'' = -lambda x leaves lambda open at the lowest point, x = 0, and nothing else: no solution crosses there.
TEST(CrossingSolutions, AreNotSeenWhereAMultiplierIsOpen) {
    const std::string pendulum = "unknown x, y, lambda\nx'' = -lambda*x\nx'^2 + y'^2 + 2*9.81*y = 40\nx^2 + y^2 = 1\n"
                                 "start x = 0.6, y = -0.8\nguess x' = 5.97, y' = 4.478\nsolve t = 0 .. 3\n";
    for (const std::string parametrisation : {"time", "arclength"}) {
        const Solution s = solved(pendulum, {.parametrisation = parametrisation});
        EXPECT_EQ(s.status, Status::success) << s.message;
        EXPECT_EQ(count_notes(s, "crosses"), 0U) << s.summary();
        EXPECT_EQ(count_notes(s, "determine"), 0U) << s.summary();
    }
}

// x = C t^2 with any C on the other side: nothing says which.
TEST(SingularPoints, WhereAllSolutionsMeetEndARunInTime) {
    for (const std::string method : {"auto", "dop853", "radau5", "rk4", "taylor"}) {
        SolveOptions o{.method = method, .throw_on_failure = false};
        if (method == "rk4") o.step = 0.3;
        const Solution s = solved("unknown x\nt*x' = 2*x\nstart x = 1\nsolve t = -1 .. 1\n", o);
        EXPECT_EQ(s.status, Status::failed) << method;
        EXPECT_LE(s.t.back(), 1e-9) << method;
        // NOTE: explicit steps in arclength may pass the node itself: where they end decides whether it is noticed.
        if (method == "taylor" || method == "dop853") continue;
        o.parametrisation = "arclength";
        if (method == "rk4") o.step = 0.1;
        EXPECT_EQ(solved("unknown x\nt*x' = 2*x\nstart x = 1\nsolve t = -1 .. 1\n", o).status, Status::failed)
            << method;
    }
    const Solution s = solved("unknown x\nt*x' = 2*x\nstart x = 1\nsolve t = -1 .. 1\noutput at -0.5, 0.5\n",
                              {.throw_on_failure = false});
    EXPECT_TRUE(s.message.starts_with("the run ended at t = 0: there the equations do not determine x'")) << s.message;
    ASSERT_EQ(s.t.size(), 1U);
    EXPECT_NEAR(s.column("x")[0], 0.25, 1e-5);
    const Solution two = solved("unknown x, y\n(y - t)*x' = y\ny' = 0\nstart x = 1, y = 0.3\nsolve t = -1 .. 0.2\n");
    EXPECT_EQ(count_notes(two, "do not determine"), 0U) << "it ends before";
}

// t*x' = sin(t) leaves x' open at t = 0, and x goes on: all its solutions are continuous.
TEST(SingularPoints, WhereContinuitySaysWhichArePassed) {
    const Solution s =
        solved("unknown x\nt*x' = sin(t)\nstart x = 0\nsolve t = -1 .. 1\n", {.rtol = 1e-9, .atol = 1e-11});
    EXPECT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.column("x").back(), 2 * 0.946083070367183, 1e-7); // 2 Si(1)
    EXPECT_EQ(count_notes(s, "determine"), 0U) << s.summary();
    // all others have a pole: x = t/2 + C/t
    const Solution pole =
        solved("unknown x\nt*x' = t - x\nstart x = -0.5\nsolve t = -1 .. 1\n", {.throw_on_failure = false});
    EXPECT_TRUE(pole.status == Status::failed || count_notes(pole, "a pole there") == 1) << pole.summary();
}

// Masses that change their sign: (cos(t) x')' = -x, ((1 - t) x')' = 0 have poles, and t x'' = 2 x' is a node, x' = C
// t^2.
TEST(SingularPoints, OfMassesAreSeenByEveryMethod) {
    const std::string pole = "unknown x\nlagrangian cos(t)*x'^2/2 - x^2/2\nstart x = 1, x' = 0\nsolve t = 0 .. 3\n";
    const std::string other = "unknown x\nlagrangian (1 - t)*x'^2/2\nstart x = 1, x' = 1\nsolve t = 0 .. 3\n";
    const std::string node = "unknown x\nlagrangian t*x'^2/2\nforce x = 3*x'\nstart x = 0, x' = 1\nsolve t = -1 .. 1\n";
    const std::string bound = "unknown x, y\nlagrangian cos(t)*(x'^2 + y'^2)/2 - y\nconstraint x^2 + y^2 = 1\n"
                              "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 3\n";
    for (const std::string& text : {pole, other, node, bound})
        for (const std::string method : {"auto", "radau5", "rk4", "implicit_midpoint", "rattle"}) {
            SolveOptions o{.method = method, .throw_on_failure = false};
            if (method == "rk4" || method == "implicit_midpoint" || method == "rattle") o.step = 0.013;
            if (method == "rattle" && text == node) continue; // forces of velocities
            const Solution s = solved(text, o);
            EXPECT_TRUE(s.status == Status::failed || count_notes(s, "do not determine") == 1) << method << "\n"
                                                                                               << text << s.summary();
        }
    // those that do not: angles of two rods
    const Solution rods = solved("unknown a, b\nlagrangian a'^2 + b'^2/2 + a'*b'*cos(a - b) + 20*cos(a) + 10*cos(b)\n"
                                 "start a = 2, b = 1, a' = 0, b' = 0\nsolve t = 0 .. 10\n");
    EXPECT_EQ(rods.status, Status::success);
    EXPECT_EQ(count_notes(rods, "determine"), 0U);
}

// Neither are regular systems with a matrix that changes, nor one that jumps.
TEST(SingularPoints, AreNotSeenWhereThereAreNone) {
    for (const std::string text :
         {"unknown x\n(2 + sin(t))*x' = -x\nstart x = 1\nsolve t = 0 .. 20\n",
          "unknown x, y\nx' + y*y' = 1\ny*x' - y' = x\nstart x = 1, y = 1\nsolve t = 0 .. 2\n",
          "unknown x\nif(t > 1, -1, 1)*x' = if(t > 1, 1, -1)*x\nstart x = 1\nsolve t = 0 .. 2\n"}) {
        const Solution s = solved(text);
        EXPECT_EQ(s.status, Status::success) << s.message;
        EXPECT_EQ(count_notes(s, "determine") + count_notes(s, "crosses"), 0U) << s.summary();
    }
}

} // namespace
} // namespace vessiot::singular_places_test
