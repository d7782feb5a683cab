// solve(): the start point, what is reported and where, events, early ends, and what must not depend on how a model is
// evaluated. Right answers are the subject of tests/reference, orders of tests/order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "support/count_allocations.hpp"
#include "support/refusal.hpp"
#include "support/skip.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::solve_test {
namespace {

using test::has;
using test::refusal;
using Times = std::vector<double>;

const std::string oscillator = "unknown x\nx'' = -x\nstart x = 1, x' = 0\nsolve t = 0 .. 10\n";
const std::string pendulum = "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                             "solve t = 0 .. 1\n";
const std::string predators = "unknown x, y\nx' = -x + x*y\ny' = y - x*y\nstart x = 0.5, y = 0.5\nsolve t = 0 .. 20\n";

Solution solved(const std::string& text, const SolveOptions& options = {}) {
    return solve(Model::parse(text), options);
}

Model gallery(const std::string& name, const std::vector<std::pair<std::string, std::string>>& set = {}) {
    return Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + name + ".ves", {.set = set});
}

bool has_note(const Solution& solution, const std::string& part) {
    return std::ranges::any_of(solution.notes, [&](const std::string& note) { return has(note, part); });
}

// ---- allocations ----

struct Work {
    std::string name;
    Model model;
    double step;
    SolveOptions options;
};

// What a run of that many steps takes memory for. The interpreter: native code is compiled in a thread of its own.
std::size_t allocations(const Work& w, int n_steps) {
    SolveOptions o = w.options;
    o.step = w.step;
    o.backend = "interpreter";
    o.dense = false;
    const bool is_arclength = o.parametrisation == "arclength";
    const double end = w.step * n_steps;
    if (is_arclength)
        o.to_s = end;
    else
        o.to = end;
    o.at = {is_arclength ? 0 : end};
    const std::size_t before = test::n_allocations();
    const Solution solution = solve(w.model, o);
    const std::size_t after = test::n_allocations();
    EXPECT_EQ(solution.stats.steps, n_steps) << w.name;
    return after - before;
}

TEST(Solve, TakesNoMemoryForAStep) {
    std::vector<Work> list;
    const auto add = [&](const std::string& name, Model model, double step, const std::string& distribution,
                         SolveOptions o = {}) {
        o.distribution = distribution;
        list.push_back({name, std::move(model), step, o});
    };
    add("explicit", Model::parse(predators), 0.01, "explicit");
    add("explicit, invariants", gallery("kepler"), 0.01, "explicit", {.method = "dop853"});
    add("explicit, quad", Model::parse(predators), 0.01, "explicit", {.method = "rk4", .precision = "quad"});
    add("kkt in formulas", gallery("pendulum"), 0.001, "kkt");
    add("kkt", gallery("mech", {{"n", "200"}}), 0.001, "kkt");
    // NOTE: larger matrices are factorised sparsely, and take memory in those rare steps where pivots are chosen anew
    add("kkt, newton at stages", gallery("mech"), 0.001, "kkt", {.projection = "newton", .project = "stages"});
    add("solve", gallery("pendulum"), 0.001, "solve", {.method = "feagin108"});
    add("solve, sparse", gallery("mech", {{"n", "200"}}), 0.001, "solve", {.project = "stages"});
    add("solve, quad", gallery("four_bar"), 0.001, "solve", {.precision = "quad"});
    add("arclength", gallery("circle_implicit"), 0.0005, "auto", {.parametrisation = "arclength"});
    for (const Work& w : list) {
        const std::size_t few = allocations(w, 200), many = allocations(w, 2000);
        EXPECT_LE(many, few + 12) << w.name; // the trace grows, doubling
    }
}

TEST(Solve, TakesNoMemoryForAStepThatIsWatchedForEvents) {
    const Work w{"events", Model::parse(predators + "event equal: x = y\n"), 0.001, {}};
    EXPECT_LE(allocations(w, 2000), allocations(w, 200) + 12);
}

// ---- the start point ----

TEST(SolveStart, WhatWasNotGivenIsFoundAndGivenValuesStay) {
    const Solution s = solved(pendulum + "start x = 0.6, x' = 1\nguess y = 0.7\n");
    EXPECT_EQ(s.column("x")[0], 0.6);
    EXPECT_EQ(s.column("x'")[0], 1);
    EXPECT_NEAR(s.column("y")[0], 0.8, 1e-15);
    EXPECT_NEAR(s.column("y'")[0], -0.75, 1e-15);
    EXPECT_NEAR(s.column("lambda")[0], 1 + 0.75 * 0.75 - 9.81 * 0.8, 1e-13);
    EXPECT_TRUE(has_note(s, "y', y computed from the rest")) << s.notes[0];
}

TEST(SolveStart, SeveralSolutionsAreAnErrorThatListsThem) {
    EXPECT_EQ(refusal([] { solved(pendulum + "start x = 0.6, x' = 0\n"); }),
              "the start values leave a choice: y = 0.8; or y = -0.8. Say which, for example by `guess y = 0.8`.");
    // one of them chosen, and a constraint with one solution
    EXPECT_NEAR(solved(pendulum + "start x = 0.6, x' = 0\nguess y = -0.5\n").column("y")[0], -0.8, 1e-15);
    EXPECT_NEAR(solved("unknown x, y\nx' = 1\ny^3 = x\nstart x = 8\nsolve t = 0 .. 1\n").column("y")[0], 2, 1e-15);
}

TEST(SolveStart, ValuesThatDoNotFitAreMovedAsLittleAsPossibleAndThatIsNoted) {
    const Solution s = solved(pendulum + "start x = 0.66, y = 0.88, x' = 0, y' = 0\n");
    EXPECT_NEAR(s.column("x")[0], 0.6, 1e-15); // the nearest point of the circle
    EXPECT_NEAR(s.column("y")[0], 0.8, 1e-15);
    EXPECT_TRUE(has_note(s, "equation 3 (x^2 + y^2 = 1) is off by 0.21")) << s.notes[0];
    EXPECT_TRUE(has_note(s, "moved y, x by up to 0.08")) << s.notes[0];
}

TEST(SolveStart, WhatIsHeldStays) {
    const std::string start = "start x = 0.6, y = 0.7, x' = 1, y' = 0\n";
    const Solution x = solved(pendulum + start + "hold x, x'\n");
    EXPECT_EQ(x.column("x")[0], 0.6);
    EXPECT_EQ(x.column("x'")[0], 1);
    EXPECT_NEAR(x.column("y")[0], 0.8, 1e-15);
    const Solution y = solved(pendulum + start + "hold y\n");
    EXPECT_EQ(y.column("y")[0], 0.7);
    EXPECT_NEAR(y.column("x")[0], std::sqrt(0.51), 1e-15);
    const std::string text = refusal([&] { solved(pendulum + start + "hold x, y\n"); });
    EXPECT_TRUE(has(text, "no start point") && has(text, "hold fewer")) << text;
    // positions of a chain are held, velocities projected
    const Solution chain = solve(gallery("mech"));
    for (int i = 1; i <= 6; ++i) EXPECT_EQ(chain.column("x[" + std::to_string(i) + "]")[0], (i - 1) / 2.0);
    EXPECT_TRUE(has_note(chain, "moved")) << chain.notes[0];
}

TEST(SolveStart, WhatNobodyGaveAndNothingDeterminesIsZeroAndNoted) {
    const Solution s = solved("unknown x, y\nx' = y\ny' = -x\nstart x = 1\nsolve t = 0 .. 1\n");
    EXPECT_EQ(s.column("y")[0], 0);
    EXPECT_TRUE(has_note(s, "no value was given for y: 0 is taken"));
    EXPECT_TRUE(solved(predators).notes.empty());
}

TEST(SolveStart, MultipliersAreComputedAndAGivenOneIsComparedWithThem) {
    const std::string start = "start x = 1, y = 0, x' = 0, y' = 2\n";
    EXPECT_NEAR(solved(pendulum + start).column("lambda")[0], 4, 1e-14);
    const Solution wrong = solved(pendulum + start + "start lambda = 3\n");
    EXPECT_NEAR(wrong.column("lambda")[0], 4, 1e-14);
    EXPECT_TRUE(has_note(wrong, "lambda = 4 follows from the equations; 3 was given"));
    EXPECT_TRUE(solved(pendulum + start + "start lambda = 4\n").notes.empty());
}

TEST(SolveStart, OptionsGoBeforeTheModel) {
    const Solution s = solved(predators, {.start = {{"x", 2.0}}});
    EXPECT_EQ(s.column("x")[0], 2);
    EXPECT_EQ(s.column("y")[0], 0.5);
    const std::string text = refusal([] { solved(predators, {.start = {{"xx", 2.0}}}); });
    EXPECT_TRUE(has(text, "'xx'")) << text;
}

TEST(SolveStart, ValuesThatMakeNoSenseAreRefused) {
    EXPECT_TRUE(has(refusal([] { solved("unknown x\nx' = sqrt(x)\nstart x = -1\nsolve t = 0 .. 1\n"); }), "sqrt"));
    EXPECT_TRUE(has(refusal([] { solved("unknown x\nx' = 1/x\nstart x = 0\nsolve t = 0 .. 1\n"); }), "1/x"));
    refusal([] { solved("unknown x\nx' = x\nstart x = 1/0\nsolve t = 0 .. 1\n"); });
    refusal([] { solved(predators, {.start = {{"x", std::nan("")}}}); });
}

TEST(SolveStart, AnInvariantThatIsNotConservedIsAnErrorOrImposed) {
    const std::string model = "unknown x, y\nx' = y\ny' = -x\ninvariant x^2 + 2*y^2\nstart x = 1, y = 0\n"
                              "solve t = 0 .. 1\n"; // at the start the flow does not change it
    const std::string text = refusal([&] { solved(model); });
    EXPECT_TRUE(has(text, "invariant x^2 + 2*y^2 is not conserved") && has(text, "rate -0.")) << text;
    const Solution imposed = solved(model, {.invariants = "impose"});
    EXPECT_TRUE(has_note(imposed, "warning: the invariant x^2 + 2*y^2"));
    EXPECT_LT(imposed.invariant_drift_max, 1e-12);
    // of a family the instance is named, once
    const std::string family = refusal([] {
        solved("unknown x[2]\nfor i = 1..2: x[i]' = 3 - i\nfor i = 1..2: invariant x[i]\nstart x[1] = 1, x[2] = 1\n"
               "solve t = 0 .. 1\n");
    });
    EXPECT_FALSE(has(family, "invariant invariant")) << family;
}

// A sum that is zero is conserved to round-off of its terms.
TEST(SolveStart, AnInvariantSumThatIsZeroIsConserved) {
    const Solution s = solved("unknown u[3]\nu[1]'' = u[2] - 2*u[1] + u[3]\nu[2]'' = u[3] - 2*u[2] + u[1]\n"
                              "u[3]'' = u[1] - 2*u[3] + u[2]\ninvariant sum(i = 1..3, u[i]')\n"
                              "start u[1] = 0.3, u[2] = 0.7, u[3] = -0.1, u[1]' = 0.1, u[2]' = 0.2, u[3]' = -0.3\n"
                              "solve t = 0 .. 1\n");
    EXPECT_LT(s.invariant_drift_max, 1e-14);
    const Solution n_body = solve(gallery("n_body"), {.to = 0.1});
    EXPECT_LT(n_body.invariant_drift_max, 1e-12);
}

// ---- what is reported ----

TEST(SolveReport, PointsAskedForComeInTheDirectionOfTravelBothEndsIncluded) {
    EXPECT_EQ(solved(oscillator, {.at = {10, 0, 2.5, 2.5}}).t, (Times{0, 2.5, 10}));
    EXPECT_EQ(solved(oscillator, {.from = 10.0, .to = 0.0, .at = {0, 10, 2.5}}).t, (Times{10, 2.5, 0}));
    EXPECT_EQ(solved(oscillator, {.to = 1.0, .every = 0.25}).t, (Times{0, 0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(solved(oscillator, {.to = 1.0, .every = 0.4}).t, (Times{0, 0.4, 0.8, 1}));
    EXPECT_EQ(solved(oscillator, {.from = 1.0, .to = 0.0, .every = 0.5}).t, (Times{1, 0.5, 0}));
    EXPECT_EQ(solved(oscillator, {.from = -1.0, .to = 1.0, .at = {-1, 0, 1}}).t, (Times{-1, 0, 1}));
    EXPECT_EQ(solved(oscillator, {.to = 1.0, .at = {0.3}, .every = 0.5}).t, (Times{0, 0.3, 0.5, 1}));
}

TEST(SolveReport, WithoutPointsEveryStepIsReported) {
    const Solution s = solved(oscillator);
    EXPECT_EQ(static_cast<std::int64_t>(s.t.size()), s.stats.steps + 1);
    EXPECT_EQ(s.trace.size(), s.t.size());
    EXPECT_EQ(s.t.front(), 0);
    EXPECT_EQ(s.t.back(), 10);
    EXPECT_TRUE(std::ranges::is_sorted(s.t));
    EXPECT_NEAR(s.column("x").back(), std::cos(10), 1e-4);
    const Solution constant = solved(oscillator, {.step = 0.3});
    EXPECT_EQ(constant.stats.steps, 34); // the last one is shorter
    EXPECT_EQ(constant.t.back(), 10);
}

TEST(SolveReport, WishesOfTheModelCountUnlessOthersAreGiven) {
    const std::string model = oscillator + "output every 5\noutput at 1\noutput E = (x'^2 + x^2)/2\n";
    const Solution s = solved(model);
    EXPECT_EQ(s.t, (Times{0, 1, 5, 10}));
    EXPECT_EQ(s.output_names, (std::vector<std::string>{"E"}));
    for (const double e : s.column("E")) EXPECT_NEAR(e, 0.5, 1e-5);
    EXPECT_EQ(solved(model, {.at = {2}}).t, (Times{2}));
}

TEST(SolveReport, PointsOutsideAndEmptyIntervalsAreRefused) {
    EXPECT_TRUE(has(refusal([] { solved(oscillator, {.at = {10.5}}); }), "10.5"));
    EXPECT_TRUE(has(refusal([] { solved(oscillator, {.at = {-0.1}}); }), "-0.1"));
    EXPECT_TRUE(has(refusal([] { solved(oscillator, {.from = 3.0, .to = 3.0}); }), "length zero"));
    EXPECT_TRUE(has(refusal([] { solved("unknown x\nx' = x\nstart x = 1\n"); }), "interval"));
    refusal([] { solved(oscillator, {.at = {std::nan("")}}); });
    refusal([] { solved(oscillator, {.to = std::numeric_limits<double>::infinity()}); });
    refusal([] { solved(oscillator, {.every = 1e-9}); });
}

TEST(SolveReport, TheCurveIsThereBetweenTheEndsOnly) {
    const Solution s = solved(oscillator, {.rtol = 1e-9});
    for (const double t : {0.0, 0.1, 3.3, 9.99, 10.0}) EXPECT_NEAR(s(t, "x"), std::cos(t), 1e-7) << t;
    EXPECT_EQ(s(10.0)[0], s.column("x").back());
    EXPECT_EQ(s(0.0)[0], 1);
    refusal([&] { s(10.1); });
    refusal([&] { s(-0.1); });
    refusal([&] { s(std::nan("")); });
    EXPECT_TRUE(has(refusal([&] { s(1.0, "y"); }), "'y'"));
    refusal([] { solved(oscillator, {.dense = false})(1.0); });
}

// ---- events ----

// Exact for a polynomial: h = 10 - 5 t^2.
TEST(SolveEvents, AreLocatedToRoundOff) {
    const Solution s =
        solved("unknown h\nh'' = -10\nstart h = 10, h' = 0\nsolve t = 0 .. 10\n"
               "event half: h = 5 falling\nevent never: h = 5 rising\nevent ground: h = 0 falling stop\n");
    ASSERT_EQ(s.events.size(), 2U);
    EXPECT_EQ(s.events[0].name, "half");
    EXPECT_NEAR(s.events[0].t, 1, 1e-12);
    EXPECT_NEAR(s.events[0].values[0], 5, 1e-12);
    EXPECT_NEAR(s.events[0].values[1], -10, 1e-12);
    EXPECT_NEAR(s.events[1].t, std::numbers::sqrt2, 1e-12);
    EXPECT_EQ(s.status, Status::success);
    EXPECT_TRUE(has(s.message, "stopped by the event 'ground'")) << s.message;
    EXPECT_EQ(s.t.back(), s.events[1].t);
}

TEST(SolveEvents, AreMetInTheirDirectionAsTheRunTravels) {
    const std::string model = oscillator + "event up: x = 0 rising\nevent down: x = 0 falling\nevent both: x = 0\n"
                                           "event late: t = 9\n";
    const SolveOptions o{.method = "dop853", .rtol = 1e-13, .atol = 1e-14, .h_max = 0.1};
    const auto times = [](const Solution& s, const std::string& name) {
        Times t;
        for (const EventPoint& e : s.events)
            if (e.name == name) t.push_back(e.t);
        return t;
    };
    const auto expect = [](const Times& found, const Times& wanted) {
        ASSERT_EQ(found.size(), wanted.size());
        for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-12);
    };
    constexpr double half = std::numbers::pi / 2;
    const Solution forward = solved(model, o);
    expect(times(forward, "up"), {3 * half});
    expect(times(forward, "down"), {half, 5 * half});
    expect(times(forward, "both"), {half, 3 * half, 5 * half});
    expect(times(forward, "late"), {9});
    SolveOptions back = o;
    back.from = 0;
    back.to = -8;
    const Solution backward = solved(model, back);
    expect(times(backward, "down"), {-half, -5 * half});
    expect(times(backward, "up"), {-3 * half});
}

TEST(SolveEvents, AStopEndsWhatIsReported) {
    const std::string model = oscillator + "event down: x = 0 falling stop\n";
    const Solution s = solved(model, {.every = 0.5});
    EXPECT_EQ(s.t, (Times{0, 0.5, 1, 1.5}));
    EXPECT_TRUE(has(s.message, "not reached")) << s.message;
    EXPECT_EQ(s.status, Status::success);
    // one that begins at zero is met when it comes back
    const Solution again = solved("unknown x\nx'' = -x\nstart x = 0, x' = 1\nsolve t = 0 .. 4\nevent zero: x = 0\n");
    ASSERT_EQ(again.events.size(), 1U);
    EXPECT_NEAR(again.events[0].t, std::numbers::pi, 1e-5);
}

TEST(SolveEvents, OnAManifoldAreThere) {
    const Solution s =
        solve(Model::parse(pendulum + "start x = 1, y = 0, x' = 0, y' = 0\nevent lowest: x = 0\n"), {.to = 2.0});
    ASSERT_GE(s.events.size(), 1U);
    for (const EventPoint& e : s.events) {
        EXPECT_NEAR(e.values[s.column_of("x")], 0, 1e-13);
        EXPECT_NEAR(e.values[s.column_of("y")], -1, 1e-13);
    }
}

// ---- early ends ----

TEST(SolveEnds, ProgressMayStopARunWhichKeepsItsPoints) {
    int n_calls = 0;
    SolveOptions o{.step = 1e-6, .to = 1000.0, .every = 0.01, .dense = false};
    o.progress = [&](const Progress& p) {
        ++n_calls;
        EXPECT_GE(p.fraction, 0);
        EXPECT_LT(p.fraction, 1);
        EXPECT_NEAR(p.t, 1000 * p.fraction, 1e-9);
        return p.steps < 1000;
    };
    const Solution s = solved(oscillator, o);
    EXPECT_EQ(s.status, Status::interrupted);
    EXPECT_TRUE(has(s.message, "interrupted at t = ")) << s.message;
    EXPECT_TRUE(has(s.summary(), "result       interrupted at t = ")) << s.summary();
    EXPECT_GE(n_calls, 2);
    EXPECT_LT(n_calls, 100);
    ASSERT_GE(s.t.size(), 2U);
    EXPECT_EQ(s.numbers.size(), s.t.size() * s.names.size());
    EXPECT_NEAR(s.column("x").back(), std::cos(s.t.back()), 1e-9);
}

TEST(SolveEnds, TooManyStepsAreAFailureThatKeepsThePoints) {
    SolveOptions o{.step = 0.01, .max_steps = 100};
    const std::string text = "100 steps used at t = 1 of 10";
    try {
        solved(oscillator, o);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const SolveFailed& failed) {
        EXPECT_EQ(failed.solution.status, Status::failed);
        EXPECT_EQ(failed.solution.t.size(), 101U);
        EXPECT_TRUE(has(failed.what(), text)) << failed.what();
        EXPECT_NEAR(failed.solution(0.5)[0], std::cos(0.5), 1e-6);
    }
    o.throw_on_failure = false;
    const Solution s = solved(oscillator, o);
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_TRUE(has(s.message, text)) << s.message;
    EXPECT_NEAR(s.t.back(), 1, 1e-12);
}

TEST(SolveEnds, SingularitiesAreFailuresWithAPlace) {
    const auto failure = [](const std::string& text) {
        const Solution s = solved(text, {.parametrisation = "time", .throw_on_failure = false});
        EXPECT_EQ(s.status, Status::failed) << s.message;
        return s;
    };
    const Solution pole = failure("unknown x\nx' = x^2\nstart x = 1\nsolve t = 0 .. 2\n"); // 1/(1 - t)
    EXPECT_NEAR(pole.t.back(), 1, 1e-4);
    const Solution domain = failure("unknown x\nx' = -sqrt(x) - 1\nstart x = 1\nsolve t = 0 .. 2\n");
    EXPECT_TRUE(has(domain.message, "sqrt(x)")) << domain.message;
    const Solution impasse = failure("unknown y\ny*y' = -1/2\nstart y = 1\nsolve t = 0 .. 2\n");
    EXPECT_NEAR(impasse.t.back(), 1, 1e-4);
}

// ---- implicit methods ----

// h is found by the first iteration, w by the second, and a third has nothing left to do: that says nothing about the
// first iteration of the next step. w = 0.9 + int (1 - t) h, h = 0.38 - 0.78 t + (1 - cos 2t)/4.
TEST(SolveImplicit, SystemsThatAreSolvedOneAfterTheOtherIterateFarEnough) {
    const std::string text = "unknown h, w\nh'' = cos(2*t)\nw' = (1 - t)*h\nstart h = 0.38, h' = -0.78, w = 0.9\n"
                             "solve t = 0 .. 3\n";
    const double h0 = 0.38 + 0.25, t = 3;
    const double w = 0.9 + h0 * (t - t * t / 2) - 0.78 * (t * t / 2 - t * t * t / 3) -
                     ((1 - t) * std::sin(2 * t) / 2 - (std::cos(2 * t) - 1) / 4) / 4;
    for (const auto* method : {"radau5", "radau9", "gauss8", "dae_radau5", "dae_radau9"})
        EXPECT_NEAR(solved(text, {.method = method, .rtol = 3e-10}).column("w").back(), w, 3e-8) << method;
}

// ---- arclength ----

TEST(SolveArclength, PointsAtGivenTimesLieOnTheConstraints) {
    const Solution s = solved("unknown x, z\nx' = exp(t) - z\nx = exp(t)\nstart x = 1\nsolve t = 0 .. 0.6\n",
                              {.every = 0.06, .parametrisation = "arclength"});
    EXPECT_LT(s.constraint_residual_max, 1e-12);
    for (std::size_t k = 0; k < s.t.size(); ++k) {
        EXPECT_DOUBLE_EQ(s.t[k], 0.06 * static_cast<double>(k));
        EXPECT_NEAR(s.column("x")[k], std::exp(s.t[k]), 1e-12) << s.t[k];
    }
}

// The iteration of an implicit step ends at a tolerance, and t with it; the end is reported on the constraints all the
// same.
TEST(SolveArclength, TheEndLiesOnTheConstraints) {
    const Solution s = solved("unknown x, y, z\n0 = sin(t) - x\nx' = cos(t) + 0.1*t^2 - y\ny' = 0.2*t - z\n"
                              "start x = 0\nstart y = 0\nsolve t = 0 .. 1.8\n",
                              {.method = "radau3", .rtol = 8e-5, .parametrisation = "arclength"});
    EXPECT_EQ(s.t.back(), 1.8);
    EXPECT_LT(s.constraint_residual_max, 1e-12);
}

TEST(SolveArclength, TheCurveIsAskedForByTheArclengthThatIsReported) {
    for (const double to : {3.0, -3.0}) {
        const Solution s = solved(oscillator, {.from = 0.0, .to = to, .parametrisation = "arclength"});
        ASSERT_EQ(s.s.size(), s.t.size());
        EXPECT_EQ(s.t.back(), to);
        EXPECT_TRUE(std::ranges::is_sorted(s.s));
        const std::size_t middle = s.s.size() / 2;
        EXPECT_NEAR(s(s.s[middle])[0], s.row(middle)[0], 1e-12) << to;
    }
}

// (t, cos t, -sin t) has the length sqrt(2) t.
TEST(SolveArclength, MayEndAtALength) {
    SolveOptions o{.rtol = 1e-10, .to_s = std::numbers::sqrt2, .parametrisation = "arclength"};
    const Solution s = solved(oscillator, o);
    EXPECT_NEAR(s.s.back(), std::numbers::sqrt2, 1e-14);
    EXPECT_NEAR(s.t.back(), 1, 1e-8);
    o.parametrisation = "time";
    EXPECT_TRUE(has(refusal([&] { solved(oscillator, o); }), "arclength"));
}

TEST(SolveArclength, EveryPassageIsReported) {
    const Solution s = solved("unknown y\ny*y' = -1/2\nstart y = 1\nsolve t = 0 .. 2\n",
                              {.method = "dop853", .rtol = 1e-12, .at = {0, 0.5}, .parametrisation = "arclength"});
    ASSERT_EQ(s.t.size(), 4U);
    EXPECT_NEAR(s.row(1)[0], std::sqrt(0.5), 1e-9);
    EXPECT_NEAR(s.row(2)[0], -std::sqrt(0.5), 1e-9);
    EXPECT_NEAR(s.row(3)[0], -1, 1e-9);
    EXPECT_TRUE(has(s.message, "returned to t = 0")) << s.message;
}

// Nearer to a pole than the tolerance of t, t goes back and forth: it was passed, with success.
TEST(SolveArclength, EndsAtAPole) {
    for (const std::string equation : {"x' = 1/(t - 0.7)^2", "(t - 0.7)^2*x' = 1", "x' = 1 + x^2"})
        for (const std::string method : {"dopri54", "dop853", "rkf45"})
            for (const double rtol : {1e-6, 1e-8}) {
                SCOPED_TRACE(equation + ", " + method);
                SolveOptions o{.method = method, .rtol = rtol, .parametrisation = "arclength"};
                o.throw_on_failure = false;
                const Solution s = solved("unknown x\n" + equation + "\nstart x = 0\nsolve t = 0 .. 2\n", o);
                EXPECT_EQ(s.status, Status::failed);
                EXPECT_TRUE(has(s.message, "grows without bound")) << s.message;
                EXPECT_LT(s.t.back(), equation == "x' = 1 + x^2" ? 1.571 : 0.70001);
            }
}

TEST(Solve, SaysWhichEquationBesideALagrangianHasNoForce) {
    const std::string before = "unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\n";
    const std::string after = "y = x^2\nstart x = 1, y = 1, x' = 0\nsolve t = 0 .. 1\n";
    SolveOptions o;
    o.throw_on_failure = false;
    std::string said;
    try {
        for (const std::string& note : solved(before + after, o).notes) said += note;
    } catch (const InvalidInput& e) {
        said = e.what();
    }
    EXPECT_TRUE(has(said, "constraint")) << said;
    EXPECT_TRUE(solved(before + "constraint " + after, o).notes.empty());
}

// An overdetermined system where arclength finds a direction straight up: it "returned" to where it was.
TEST(SolveArclength, ACurveThatGoesStraightUpIsNoSolution) {
    SolveOptions o{.parametrisation = "arclength"};
    o.throw_on_failure = false;
    const Solution s = solved(R"(
unknown w1, x1, x2, z
x2' = (-0.06)*exp((-0.3)*sin(t))*cos(t) - (0.5*exp((-0.3)*t) + (-0.1)*exp(0.2*t)) + z
x1'' - x2' + 0.253*(-tanh(w1)^2 + 1)*w1' + (-0.9)*(w1' + 0.1595*w1*w1 + (-0.445)*cos(x1 + w1)) = 0.2*((-0.7)*t + 0.3) + (-0.7)*(0.2*t - 0.6) + (-0.7)*(0.2*t - 0.6) + 0.06*exp((-0.3)*sin(t))*cos(t) + 0.19734000000000002*(-tanh(0.6*sin(1.3*t - 0.4))^2 + 1)*cos(1.3*t - 0.4) + (-0.9)*(0.78*cos(1.3*t - 0.4) + 0.05741999999999999*sin(1.3*t - 0.4)*sin(1.3*t - 0.4) + (-0.445)*cos(((-0.6)*t + 0.1*t^2 + 0.4)*((-0.7)*t + 0.3) + 0.6*sin(1.3*t - 0.4)))
x1' = (0.2*t - 0.6)*((-0.7)*t + 0.3) + (-0.7)*((-0.6)*t + 0.1*t^2 + 0.4) + (-0.2)*exp((-0.3)*sin(t)) + 0.253*tanh(0.6*sin(1.3*t - 0.4)) - (-x2 + 0.253*tanh(w1))
w1' = 0.78*cos(1.3*t - 0.4) + 0.05741999999999999*sin(1.3*t - 0.4)*sin(1.3*t - 0.4) + (-0.445)*cos(((-0.6)*t + 0.1*t^2 + 0.4)*((-0.7)*t + 0.3) + 0.6*sin(1.3*t - 0.4)) - (0.1595*w1*w1 + (-0.445)*cos(x1 + w1))
x1''' - x2'' + (-0.506)*tanh(w1)*(-tanh(w1)^2 + 1)*w1'*w1' + 0.253*(-tanh(w1)^2 + 1)*w1'' + (-0.9)*(w1'' + 0.1595*w1'*w1 + 0.1595*w1*w1' + 0.445*sin(x1 + w1)*(x1' + w1')) = -(0.018*exp((-0.3)*sin(t))*cos(t)*cos(t) + 0.06*exp((-0.3)*sin(t))*sin(t)) + (-0.3078504)*tanh(0.6*sin(1.3*t - 0.4))*(-tanh(0.6*sin(1.3*t - 0.4))^2 + 1)*cos(1.3*t - 0.4)*cos(1.3*t - 0.4) + (-0.256542)*(-tanh(0.6*sin(1.3*t - 0.4))^2 + 1)*sin(1.3*t - 0.4) + (-0.9)*((-1.014)*sin(1.3*t - 0.4) + 0.074646*cos(1.3*t - 0.4)*sin(1.3*t - 0.4) + 0.074646*sin(1.3*t - 0.4)*cos(1.3*t - 0.4) + 0.445*sin(((-0.6)*t + 0.1*t^2 + 0.4)*((-0.7)*t + 0.3) + 0.6*sin(1.3*t - 0.4))*((0.2*t - 0.6)*((-0.7)*t + 0.3) + (-0.7)*((-0.6)*t + 0.1*t^2 + 0.4) + 0.78*cos(1.3*t - 0.4))) - 0.41999999999999993
x1''' - x2'' + (-0.506)*tanh(w1)*(-tanh(w1)^2 + 1)*w1'*w1' + 0.253*(-tanh(w1)^2 + 1)*w1'' + (-0.9)*(w1'' + 0.1595*w1'*w1 + 0.1595*w1*w1' + 0.445*sin(x1 + w1)*(x1' + w1')) + (-0.3)*(w1' + 0.1595*w1*w1 + (-0.445)*cos(x1 + w1)) = -(0.018*exp((-0.3)*sin(t))*cos(t)*cos(t) + 0.06*exp((-0.3)*sin(t))*sin(t)) + (-0.3078504)*tanh(0.6*sin(1.3*t - 0.4))*(-tanh(0.6*sin(1.3*t - 0.4))^2 + 1)*cos(1.3*t - 0.4)*cos(1.3*t - 0.4) + (-0.256542)*(-tanh(0.6*sin(1.3*t - 0.4))^2 + 1)*sin(1.3*t - 0.4) + (-0.9)*((-1.014)*sin(1.3*t - 0.4) + 0.074646*cos(1.3*t - 0.4)*sin(1.3*t - 0.4) + 0.074646*sin(1.3*t - 0.4)*cos(1.3*t - 0.4) + 0.445*sin(((-0.6)*t + 0.1*t^2 + 0.4)*((-0.7)*t + 0.3) + 0.6*sin(1.3*t - 0.4))*((0.2*t - 0.6)*((-0.7)*t + 0.3) + (-0.7)*((-0.6)*t + 0.1*t^2 + 0.4) + 0.78*cos(1.3*t - 0.4))) + (-0.3)*(0.78*cos(1.3*t - 0.4) + 0.05741999999999999*sin(1.3*t - 0.4)*sin(1.3*t - 0.4) + (-0.445)*cos(((-0.6)*t + 0.1*t^2 + 0.4)*((-0.7)*t + 0.3) + 0.6*sin(1.3*t - 0.4))) - 0.41999999999999993
x1 + 0.3*sin(w1) = ((-0.6)*t + 0.1*t^2 + 0.4)*((-0.7)*t + 0.3) + 0.3*sin(0.6*sin(1.3*t - 0.4))
start w1 = -0.2336510053851903
start x1 = 0.12
start x2 = 0.2
solve t = 0 .. 2
)",
                              o);
    EXPECT_TRUE(s.status == Status::failed || std::abs(s.t.back() - 2) < 1e-9) << s.message;
}

// y = t and y = -t cross at 0; an error of 1e-8 in x makes two branches of a hyperbola of them. Which one is followed
// depends on the tolerances, and is said.
TEST(Solve, NotesThatAnotherSolutionPasses) {
    for (const std::string method : {"dopri54", "radau5", "ida"}) {
        const Solution s =
            solved("unknown x, y\nx' = 2*t\ny^2 = x\nstart x = 1, y = -1\nsolve t = -1 .. 1\n", {.method = method});
        EXPECT_EQ(s.status, Status::success) << method;
        EXPECT_TRUE(std::ranges::any_of(s.notes, [](const std::string& n) { return has(n, "another solution"); }))
            << method;
    }
    for (const std::string method : {"dopri54", "radau5", "ida"}) // nothing near
        EXPECT_TRUE(solved("unknown x, y\nx' = 2*t\ny^2 = x + 0.01\nstart x = 1, y = -1\nsolve t = -1 .. 1\n",
                           {.method = method})
                        .notes.size() <= 1)
            << method;
}

// ---- independence of how ----

TEST(SolveWays, DistributionsGiveTheSameCurve) {
    for (const std::string name : {"pendulum", "four_bar", "mech"}) {
        SCOPED_TRACE(name);
        const Model model = gallery(name);
        SolveOptions o{.method = "dop853", .rtol = 1e-12, .atol = 1e-13, .to = 1.0, .at = {1}, .distribution = "kkt"};
        const Solution kkt = solve(model, o);
        EXPECT_EQ(kkt.method.distribution, "kkt");
        o.distribution = "solve";
        const Solution square = solve(model, o);
        EXPECT_EQ(square.method.distribution, "solve");
        for (std::size_t k = 0; k < kkt.numbers.size(); ++k)
            EXPECT_NEAR(kkt.numbers[k], square.numbers[k], 1e-10 * (1 + std::fabs(kkt.numbers[k]))) << kkt.names[k];
        o.distribution = "explicit";
        EXPECT_TRUE(has(refusal([&] { solve(model, o); }), "--distribution explicit does not fit"));
    }
    for (const std::string name : {"kepler", "double_pendulum"}) {
        const Model model = gallery(name);
        SolveOptions o{.method = "dop853", .rtol = 1e-12, .atol = 1e-13, .to = 1.0, .at = {1}};
        o.distribution = "explicit";
        const Solution formulas = solve(model, o);
        EXPECT_EQ(formulas.method.distribution, "explicit");
        o.distribution = "solve";
        const Solution square = solve(model, o);
        for (std::size_t k = 0; k < square.numbers.size(); ++k)
            EXPECT_NEAR(formulas.numbers[k], square.numbers[k], 1e-10) << name << " " << square.names[k];
    }
}

TEST(SolveWays, TheWordsOfOptionsAreWhatIsUsed) {
    for (const std::string word : {"explicit", "solve", "kernel-svd"}) {
        SolveOptions o{.to = 1.0, .distribution = word};
        EXPECT_EQ(solve(gallery("kepler"), o).method.distribution, word);
    }
    for (const std::string word : {"simplified", "newton", "none"}) {
        SolveOptions o{.to = 1.0, .projection = word};
        EXPECT_EQ(solve(gallery("kepler"), o).method.projection, word);
    }
    // what is found in arclength can be asked for
    SolveOptions found;
    found.distribution = solve(gallery("impasse")).method.distribution;
    EXPECT_EQ(solve(gallery("impasse"), found).method.distribution, found.distribution);
}

TEST(SolveWays, TheInterpreterAndNativeCodeGiveTheSameBits) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    for (const std::string name : {"pendulum", "pendulum_energy", "four_bar", "mech", "kepler", "andrews", "plug_flow",
                                   "double_pendulum", "hairer_index1", "robot_arm"}) {
        for (const std::string projection : {"simplified", "newton"}) {
            SolveOptions o{.projection = projection, .backend = "interpreter"};
            const Model model = gallery(name);
            const Solution interpreted = solve(model, o);
            o.backend = "jit";
            const Solution native = solve(model, o);
            o.backend = "auto";
            const Solution mixed = solve(model, o);
            ASSERT_EQ(interpreted.t, native.t) << name << " " << projection;
            ASSERT_EQ(interpreted.numbers.size(), native.numbers.size());
            EXPECT_EQ(std::memcmp(interpreted.numbers.data(), native.numbers.data(), 8 * native.numbers.size()), 0)
                << name << " " << projection;
            EXPECT_EQ(interpreted.t, mixed.t) << name << " " << projection;
        }
    }
}

// NOTE: in a suite of its own, the last to run.
TEST(SolveWithoutSteps, HasTheStartPointOnly) {
    SolveOptions o;
    o.progress = [](const Progress&) { return false; };
    const Solution s = solved(oscillator, o);
    EXPECT_EQ(s.status, Status::interrupted);
    EXPECT_EQ(s.t, (Times{0}));
    EXPECT_FALSE(s.summary().empty());
    refusal([&] { s(0.5); });
    refusal([&] { s(0.0); });
}

} // namespace
} // namespace vessiot::solve_test
