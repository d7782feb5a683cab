// The method ida: right answers for every class of system, the same options, events and output as our own methods, and
// a message where it does not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::ida_test {
namespace {

using nlohmann::json;

SolveOptions ida(double rtol, double atol) {
    return {.method = "ida", .rtol = rtol, .atol = atol};
}

std::string message_of(const System& system, const SolveOptions& options) {
    try {
        solve_system(system, options);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

struct Subject {
    std::string name;
    double rtol = 0, atol = 0, error = 0;
    std::string projection = "auto";
};

// The largest error at the last reference point, relative to the size of the value, or to 1 if that is larger.
double error_of(const Subject& subject, const Solution& s, const json& point) {
    double error = 0;
    for (const auto& [name, text] : point["values"].items()) {
        const auto place = std::ranges::find(s.names, name);
        if (place == s.names.end() || name.find('\'') != std::string::npos) continue;
        const auto value = static_cast<double>(test::read_quad(text));
        const double found = s.numbers[static_cast<std::size_t>(place - s.names.begin())];
        const double size = subject.atol < 1e-12 ? std::abs(value) : std::max(1.0, std::abs(value));
        error = std::max(error, std::abs(found - value) / size);
    }
    return error;
}

// What IDA itself runs with the same tolerances: jumps of van der Pol's oscillator that are over before t changes by a
// round-off, and tolerances far below the values.
TEST(Ida, ReachesTheEndWhereIdaItselfDoes) {
    const System oscillator = test::gallery_system("van_der_pol", {{"mu", "1e6"}});
    const System robertson = test::gallery_system("robertson");
    for (int k = 0; k <= 18; ++k) {
        const double rtol = std::pow(10, -3 - k / 3.0);
        SolveOptions o = ida(rtol, 1e-6 * rtol);
        o.to = 2e6;
        o.at = {2e6};
        const Solution s = solve_system(oscillator, o);
        EXPECT_EQ(s.status, Status::success) << "rtol " << rtol << ": " << s.message;
        // by radau9 in quad precision with rtol = 1e-14; errors grow along the curve, by phase
        if (s.status == Status::success) EXPECT_NEAR(s.numbers[0], 1.70554622, std::max(1e3 * rtol, 1e-6)) << rtol;
        o = ida(rtol, 1e-13 * rtol);
        o.to = 1e11;
        const Solution r = solve_system(robertson, o);
        EXPECT_EQ(r.status, Status::success) << "rtol " << rtol << ": " << r.message;
    }
}

// The loop sees steps that are round-offs of t as one, which is read as a straight line.
TEST(Ida, StepsBelowTheRoundOffOfTimeAreOne) {
    const System oscillator = test::gallery_system("van_der_pol", {{"mu", "1e6"}});
    SolveOptions o = ida(1e-7, 1e-13);
    o.to = 8.2e5;
    o.dense = true;
    const Solution s = solve_system(oscillator, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    for (std::size_t k = 1; k < s.t.size(); ++k) EXPECT_GT(s.t[k], s.t[k - 1]);
}

// NOTE: the round-off of the sum of Robertson's concentrations, 1e-16, is far above the smallest of them.
//
// Ordinary, with invariants, of index 1 (linear and not), 2 and 3; banded, dense.
TEST(Ida, SolvesEveryClassOfSystem) {
    for (const Subject& subject :
         {Subject{"hires", 1e-8, 1e-13, 1e-6}, Subject{"robertson", 1e-8, 1e-20, 1e-4, "none"},
          Subject{"van_der_pol", 1e-8, 1e-12, 1e-4}, Subject{"oregonator", 1e-8, 1e-10, 1e-4},
          Subject{"transistor_amplifier", 1e-7, 1e-9, 1e-4}, Subject{"jay_index2", 1e-8, 1e-10, 1e-5},
          Subject{"jay_index3", 1e-8, 1e-10, 1e-5}, Subject{"andrews", 1e-8, 1e-10, 1e-4},
          Subject{"pendulum", 1e-8, 1e-10, 1e-4}, Subject{"stiff_pendulum_overdetermined", 1e-8, 1e-10, 1e-2}}) {
        const System system = test::gallery_system(subject.name);
        const json data = test::gallery_data(subject.name);
        json last;
        for (const json& point : data["reference"])
            if (!point.contains("parameters") && !point.contains("start") && test::read_quad(point["t"]) > 0)
                last = point;
        ASSERT_FALSE(last.is_null()) << subject.name;
        SolveOptions o = with_model_options(system, ida(subject.rtol, subject.atol));
        o.to = static_cast<double>(test::read_quad(last["t"]));
        o.at = {*o.to};
        o.max_steps = 200'000;
        o.projection = subject.projection == "auto" ? o.projection : subject.projection;
        const Solution s = solve_system(system, o);
        ASSERT_EQ(s.status, Status::success) << subject.name << ": " << s.message;
        EXPECT_LT(error_of(subject, s, last), subject.error) << subject.name;
        EXPECT_LT(s.constraint_residual_max, 1e-12) << subject.name;
        EXPECT_NE(s.method.choice.find("order "), std::string::npos) << subject.name;
    }
}

// exp(-4/h^2 sin^2(k pi h / 2) t) is the decay of a mode.
TEST(Ida, SolvesTenThousandUnknowns) {
    for (const std::string name : {"heat", "heat_dae"}) {
        const Solution s = solve_system(test::gallery_system(name, {{"n", "10000"}}), [] {
            SolveOptions o = ida(1e-7, 1e-10);
            o.at = {0.1};
            return o;
        }());
        ASSERT_EQ(s.status, Status::success) << s.message;
        const bool has_ends = name == "heat_dae";
        const double h = 1.0 / (has_ends ? 9999 : 10001);
        double error = 0;
        for (int i = 1; i <= 10000; ++i) {
            const double x = (has_ends ? i - 1 : i) * h;
            double u = 0;
            for (const int k : {1, 3}) {
                const double sine = std::sin(k * std::numbers::pi * h / 2);
                u += (k == 1 ? 1 : 0.5) * std::exp(-4 / (h * h) * sine * sine * 0.1) *
                     std::sin(k * std::numbers::pi * x);
            }
            error = std::max(error, std::abs(s.numbers[static_cast<std::size_t>(i - 1)] - u));
        }
        EXPECT_LT(error, 1e-5) << name; // errors of the steps add up
    }
}

// A chain of 300 links: positions, velocities and their constraints, sparse.
TEST(Ida, SolvesLargeSystemsWithConstraints) {
    const System system = test::gallery_system("n_pendulum", {{"n", "300"}});
    SolveOptions o = ida(1e-5, 1e-8);
    o.to = 0.1;
    const Solution s = solve_system(system, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_LT(s.constraint_residual_max, 1e-11);
    const Solution ours =
        solve_system(system, {.method = "dopri54", .rtol = 1e-8, .atol = 1e-10, .to = 0.1, .at = {0.1}});
    const std::span<const double> a = s.row(s.t.size() - 1), b = ours.row(0);
    for (std::size_t k = 0; k < a.size(); ++k)
        if (s.names[k].starts_with("x") || s.names[k].starts_with("y")) {
            EXPECT_NEAR(a[k], b[k], 1e-3) << s.names[k];
        }
}

TEST(Ida, ReportsBetweenStepsOnTheConstraints) {
    const System system = test::gallery_system("pendulum");
    SolveOptions o = ida(1e-8, 1e-10);
    o.to = 2.0;
    const Solution dense = solve_system(system, o);
    const Solution exact = solve_system(system, {.method = "dop853", .rtol = 1e-13, .atol = 1e-14, .to = 2.0});
    for (int k = 1; k < 40; ++k) {
        const double t = 0.05 * k;
        const double x = dense(t, "x"), y = dense(t, "y");
        EXPECT_LT(std::abs(x * x + y * y - 1), 1e-13) << t; // round-off, as a projection leaves it
        EXPECT_NEAR(x, exact(t, "x"), 2e-6) << t;
    }
    o.every = 0.05;
    const Solution table = solve_system(system, o);
    ASSERT_EQ(table.t.size(), 41u);
    for (std::size_t k = 0; k < table.t.size(); ++k) EXPECT_NEAR(table.row(k)[0], exact(table.t[k], "x"), 2e-6);
}

TEST(Ida, FindsEventsAndRunsBackwards) {
    const System system = lang::read_model(lang::Source("spring.ves", "unknown x\nx'' = -x\nstart x = 1, x' = 0\n"
                                                                      "solve t = 0 .. 7\nevent zero: x = 0\n"
                                                                      "event low: x' = 0 rising stop\n"));
    SolveOptions o = ida(1e-9, 1e-11);
    Solution s = solve_system(system, o);
    ASSERT_EQ(s.events.size(), 2u);
    EXPECT_NEAR(s.events[0].t, std::numbers::pi / 2, 1e-6);
    EXPECT_NEAR(s.events[1].t, std::numbers::pi, 1e-6);
    EXPECT_NE(s.message.find("stopped by the event 'low'"), std::string::npos) << s.message;
    o.from = 0;
    o.to = -3.0;
    o.at = {-3.0};
    s = solve_system(system, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(s.numbers[0], std::cos(3.0), 1e-6);
}

// Fewer orders, more steps; the same answer.
TEST(Ida, KeepsToTheHighestOrderAskedFor) {
    const System system = test::gallery_system("hires");
    std::int64_t steps = 0;
    for (const int order : {5, 3, 2}) {
        SolveOptions o = ida(1e-6, 1e-9);
        o.max_order = order;
        const Solution s = solve_system(system, o);
        ASSERT_EQ(s.status, Status::success) << s.message;
        EXPECT_GT(s.stats.steps, steps) << order;
        steps = s.stats.steps;
        for (int higher = order + 1; higher <= 5; ++higher)
            EXPECT_EQ(s.method.choice.find(std::to_string(higher) + " in "), std::string::npos) << s.method.choice;
        EXPECT_LE(order, 5);
    }
}

TEST(Ida, SaysWhatItCannotDo) {
    const System system = test::gallery_system("pendulum");
    const auto expect = [&](auto change, const std::string& text) {
        SolveOptions o = ida(1e-6, 1e-9);
        change(o);
        EXPECT_NE(message_of(system, o).find(text), std::string::npos) << message_of(system, o);
    };
    expect([](SolveOptions& o) { o.step = 0.1; }, "chooses its own steps, but step = 0.1");
    expect([](SolveOptions& o) { o.control = "pi"; }, "chooses its own steps, but control = pi");
    expect([](SolveOptions& o) { o.error_norm = "max"; }, "error_norm = max");
    expect([](SolveOptions& o) { o.precision = "quad"; }, "computes in double");
    expect([](SolveOptions& o) { o.parametrisation = "arclength"; }, "makes steps in time");
    expect([](SolveOptions& o) { o.project = "stages"; }, "no stages that could be projected");
    expect([](SolveOptions& o) { o.max_order = 6; }, "the highest order of ida is 5");
    expect([](SolveOptions& o) { o.method = "radau5", o.max_order = 3; }, "does not vary");
}

TEST(Ida, EndsWithAMessageWhereItCannotGoOn) {
    const auto fail = [](const std::string& text, SolveOptions o) {
        o.throw_on_failure = false;
        o.max_steps = 5'000;
        return solve_system(lang::read_model(lang::Source("model.ves", text)), o);
    };
    Solution s = fail("unknown y\ny' = y^2\nstart y = 1\nsolve t = 0 .. 2\n", ida(1e-6, 1e-9));
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_NEAR(s.t.back(), 1, 1e-3);
    s = fail("unknown y\ny' = -1/sqrt(y)\nstart y = 1\nsolve t = 0 .. 2\n", ida(1e-6, 1e-9));
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_NEAR(s.t.back(), 2.0 / 3, 1e-3);
    s = fail("unknown x\nx' = 1 + sqrt(x)\nstart x = 0\nsolve t = 0 .. 1\n", ida(1e-6, 1e-9));
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_NE(s.message.find("the derivative of x' = 1 + sqrt(x) by x has no finite value"), std::string::npos)
        << s.message;
    s = fail("unknown x\nx' = if(x < 1, 1, -1)\nstart x = 0\nsolve t = 0 .. 3\n", ida(1e-6, 1e-9));
    EXPECT_EQ(s.status, Status::failed); // no smooth solution from t = 1 on
    EXPECT_NEAR(s.t.back(), 1, 0.5);
    s = fail("unknown y\ny' = -y\nstart y = 1\nsolve t = 0 .. 2\n", ida(1e-17, 1e-30));
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_NE(s.message.find("more digits than double precision"), std::string::npos) << s.message;
}

// Four diodes, a sine, a resistor and a capacitor. Where all of them block, the potentials of the source hang on their
// leaks alone: the round-off of its equations moves them by more than the tolerances.
TEST(Ida, SolvesABridgeRectifier) {
    for (const std::string leak : {"1e-5", "1e-7", "1e-8", "1e-9", "1e-10"}) {
        const std::string text =
            "parameter Is = 1e-9, Vt = 0.026, R = 1000, C = 1e-5, Rs = 1, A = 10, f = 50, G = " + leak +
            "\nunknown u, v, w\nlet e = A*sin(2*pi*f*t)\n"
            "let d1 = Is*(exp((w - u)/Vt) - 1) + G*(w - u)\nlet d2 = Is*(exp((v - u)/Vt) - 1) + G*(v - u)\n"
            "let d3 = Is*(exp(-w/Vt) - 1) - G*w\nlet d4 = Is*(exp(-v/Vt) - 1) - G*v\n"
            "C*u' = d1 + d2 - u/R\n(e - (w - v))/Rs = d1 - d3\n(e - (w - v))/Rs = d4 - d2\n"
            "start u = 0\nguess v = 0, w = 0\nsolve t = 0 .. 0.04\n";
        const System system = lang::read_model(lang::Source("rectifier.ves", text));
        SolveOptions o = ida(1e-6, 1e-9);
        o.throw_on_failure = false;
        o.at = {0.005, 0.0083, 0.02, 0.04};
        const Solution s = solve_system(system, o);
        ASSERT_EQ(s.status, Status::success) << leak << ": " << s.message;
        o.method = "radau5";
        o.rtol = 1e-9;
        const Solution exact = solve_system(system, o);
        ASSERT_EQ(exact.status, Status::success) << leak << ": " << exact.message;
        for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(s.row(k)[0], exact.row(k)[0], 1e-3) << leak << ", " << k;
    }
}

} // namespace
} // namespace vessiot::ida_test
