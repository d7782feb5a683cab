// An option acts or is refused: over all methods and projections, what is accepted changes the run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "method/registry.hpp"
#include "solve/options/options.hpp"
#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::option_effects_test {
namespace {

using method::MethodInfo;
using test::has;
using test::refusal;

// ---- --continue ----

// x' = x^2 cos(t), x = 1 / (2 - sin(t)): the error of a run with constant steps, in quad
double error_with(const MethodInfo& m, const std::string& continuation, double h, double to) {
    SolveOptions o{.method = std::string(m.name), .step = h, .to = to};
    o.precision = "quad";
    o.continuation = continuation;
    const Solution s = solve(Model::parse("unknown x\nx' = x^2*cos(t)\nstart x = 0.5\n"
                                          "output e = (x - 1/(2 - sin(t)))*1e15\n"),
                             o);
    return std::fabs(s.output_numbers.back()) * 1e-15;
}

TEST(Continue, HighAndLowAreTheOrdersOfThePair) {
    int n = 0;
    for (const MethodInfo& m : method::explicit_methods()) {
        if (m.tableau.b_hat.empty()) continue;
        ++n;
        const auto order = [&](const std::string& word) {
            const double h = m.order > 6 ? 0.05 : 0.01;
            std::vector<double> all; // at some places terms of the error cancel
            for (const double to : {1.2, 2.0, 2.6})
                all.push_back(std::log2(error_with(m, word, h, to) / error_with(m, word, h / 2, to)));
            std::ranges::sort(all);
            return all[1];
        };
        EXPECT_NEAR(order("high"), std::max(m.order, m.embedded_order), 0.45) << m.name;
        EXPECT_NEAR(order("low"), std::min(m.order, m.embedded_order), 0.45) << m.name;
        EXPECT_EQ(error_with(m, "auto", 0.1, 1), error_with(m, m.order > m.embedded_order ? "high" : "low", 0.1, 1))
            << m.name << ": its own point";
    }
    EXPECT_GT(n, 6);
}

// ---- every option, every method ----

const std::string pendulum = "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                             "start x = 0.6, y = -0.8, x' = 0, y' = 0\nsolve t = 0 .. 1\n";

// All that a run computes and counts; empty where it is refused.
std::optional<std::vector<double>> outcome(const SolveOptions& o) {
    try {
        const Solution s = solve(Model::parse(pendulum), o);
        std::vector<double> all = s.numbers;
        all.insert(all.end(), s.t.begin(), s.t.end());
        for (const std::int64_t n : {s.stats.steps, s.stats.rejected, s.stats.direction_evaluations,
                                     s.stats.projections, s.stats.jacobian_evaluations, s.stats.factorisations})
            all.push_back(static_cast<double>(n));
        all.push_back(s.stats.newton_mean());
        return all;
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
}

// Values of an option, some of which change the run wherever it acts.
struct Tried {
    std::string name;
    std::vector<std::string> values;
};

const std::vector<Tried> tried{
    {"newton_stop", {"printed", "residual", "increment"}},
    {"newton_tol", {"1e-3"}},
    {"project", {"stages", "symmetric"}},
    {"continue", {"high", "low"}},
    {"control", {"pi", "elementary", "doubling"}},
    {"safety", {"0.3"}},
    {"factor_max", {"1.05"}},
    {"error_norm", {"max"}},
    {"h_first", {"1e-4"}},
    {"h_max", {"1e-2"}},
};

SolveOptions base(const MethodInfo& m) {
    SolveOptions o{.method = std::string(m.name), .rtol = m.order < 3 ? 1e-2 : 1e-5, .atol = m.order < 3 ? 1e-3 : 1e-6};
    o.backend = "interpreter";
    o.throw_on_failure = false;
    o.dense = false;
    return o;
}

// Of searches for the nearest point. (Those of a ray's fallback are not seen: no ray misses here.)
const std::vector<Tried> tried_of_nearest{{"newton_start", {"curvature"}}, {"forcing", {"1e-9,1"}}};

void expect_effects(const SolveOptions& o, const std::string& what, const std::vector<Tried>& list = tried) {
    const auto usual = outcome(o);
    if (!usual) return; // the method does not fit the pendulum
    for (const Tried& t : list) {
        bool is_accepted = false, acts = false;
        for (const std::string& value : t.values) {
            SolveOptions with = o;
            apply_option(with, t.name, value);
            if (value == "increment") with.newton_tol = 1e-13; // else where one correction does both rules agree
            const auto found = outcome(with);
            is_accepted |= found.has_value();
            acts |= found && *found != *usual;
        }
        EXPECT_EQ(is_accepted, acts) << t.name << " of " << what;
    }
}

TEST(OptionEffects, OfEveryMethod) {
    for (const MethodInfo& m : method::methods()) expect_effects(base(m), std::string(m.name));
}

TEST(OptionEffects, OfEveryProjection) {
    for (const std::string_view name : projection_table().words()) {
        SolveOptions o = base(method::find_method("dopri54"));
        o.method = "dopri54";
        o.projection = name;
        expect_effects(o, "projection " + *o.projection);
        if (!name.ends_with("ray")) expect_effects(o, "projection " + *o.projection, tried_of_nearest);
    }
}

TEST(OptionEffects, OfConstantSteps) {
    for (const std::string name : {"safety", "factor_min", "factor_max", "h_first", "h_min", "h_max"}) {
        SolveOptions o = base(method::find_method("dopri54"));
        o.method = "dopri54";
        o.step = 0.01;
        apply_option(o, name, name == "factor_max" ? "2" : "0.5");
        const std::string message = refusal([&] { solve(Model::parse(pendulum), o); });
        EXPECT_TRUE(has(message, name + " = ")) << message;
        EXPECT_TRUE(has(message, "they are constant (step = 0.01)")) << message;
    }
}

// The first step in closed form is the same step with less work: accepted where there is one, refused elsewhere.
TEST(OptionEffects, OfTheFirstStep) {
    for (const std::string_view name : projection_table().words()) {
        SolveOptions o = base(method::find_method("dopri54"));
        o.projection = name;
        o.init = "off";
        const bool finds_nearest = name == "newton" || name == "chord" || name == "inexact" || name.ends_with("ray");
        if (name == "group" || name == "gradient-ray") continue; // not for the pendulum
        EXPECT_EQ(outcome(o).has_value(), finds_nearest) << name;
    }
}

// ---- what is said ----

TEST(OptionEffects, SayWhatTheyActOn) {
    SolveOptions o;
    o.projection = "chord";
    o.newton_tol = 1e-8;
    EXPECT_EQ(
        refusal([&] { solve(Model::parse(pendulum), o); }),
        "newton_tol = 1e-08 acts on the rules printed, residual and increment (newton_stop), with the projections "
        "that know them, but newton_stop is sound: leave it out");
    o = {};
    o.newton_stop = "printed";
    EXPECT_TRUE(has(refusal([&] { solve(Model::parse(pendulum), o); }), "but the projection is simplified"));
    o = {.method = "rk4"};
    o.continuation = "high";
    EXPECT_TRUE(has(refusal([&] { solve(Model::parse(pendulum), o); }), "but the method is rk4"));
}

// The rule of increments is known to all that iterate, with its tolerance.
TEST(OptionEffects, OfIncrements) {
    for (const std::string_view name : projection_table().words()) {
        SolveOptions o = base(method::find_method("dopri54"));
        o.projection = name;
        o.newton_stop = "increment";
        const bool iterates = name == "simplified" || name == "newton" || name == "chord" || name == "inexact" ||
                              name == "partition" || name == "tangent" || name == "ray";
        if (name == "auto") continue;
        const auto usual = outcome(o);
        EXPECT_EQ(usual.has_value(), iterates) << name;
        o.newton_tol = 1e-2;
        EXPECT_TRUE(!iterates || outcome(o) != usual) << name;
    }
    SolveOptions o;
    o.newton_stop = "increment";
    o.projection = "post";
    EXPECT_TRUE(has(refusal([&] { solve(Model::parse(pendulum), o); }), "newton_stop = increment acts on"));
    o = {.method = "rattle", .step = 0.01};
    o.newton_stop = "increment";
    EXPECT_TRUE(has(refusal([&] { solve(Model::parse(pendulum), o); }),
                    "but the method is rattle, which solves for the constraints itself"));
}

TEST(OptionEffects, OfForcing) {
    SolveOptions o;
    o.forcing = {0.5, 0.8};
    EXPECT_EQ(refusal([&] { solve(Model::parse(pendulum), o); }),
              "forcing = 0.5,0.8 acts on projection inexact, whose linear systems are solved by iteration, but the "
              "projection is simplified: leave it out");
    o.projection = "inexact";
    EXPECT_EQ(solve(Model::parse(pendulum), o).status, Status::success);
    for (const std::vector<double>& wrong :
         {std::vector<double>{0.5}, {1, 0.8}, {0.5, 1.2}, {0, 0.5}, {0.5, -1}, {0.1, 0.2, 0.3}}) {
        o.forcing = wrong;
        EXPECT_TRUE(has(refusal([&] { solve(Model::parse(pendulum), o); }), "forcing = ")) << wrong[0];
    }
}

// A line of the model that acts there stays, whatever projection the caller takes; one that does not act is refused.
TEST(OptionEffects, LinesOfTheModel) {
    const std::string rays = pendulum + "option projection = ray, newton_stop = increment, newton_tol = 1e-6\n";
    EXPECT_EQ(solve(Model::parse(rays)).status, Status::success);
    SolveOptions o;
    o.projection = "newton";
    EXPECT_EQ(solve(Model::parse(rays), o).status, Status::success);
    o.newton_tol = 1e-3;
    EXPECT_EQ(solve(Model::parse(rays), o).status, Status::success); // newton knows the rule of the line, too
    o.projection = "post";
    EXPECT_TRUE(has(refusal([&] { solve(Model::parse(rays), o); }), "newton_tol = 0.001 acts on"));
    EXPECT_TRUE(has(refusal([&] { solve(Model::parse(pendulum + "option newton_tol = 1e-6\n")); }),
                    "newton_tol = 1e-06 acts on"));
}

// What the name of a control stands for is no option that was given.
TEST(OptionEffects, OfABundle) {
    SolveOptions o;
    o.control = "tuomela";
    o.projection = "simplified";
    EXPECT_EQ(solve(Model::parse(pendulum), o).status, Status::success);
}

} // namespace
} // namespace vessiot::option_effects_test
