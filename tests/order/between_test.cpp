// Values between the steps are as accurate as was asked for, not those at the steps alone: of every method that finds
// its steps, on curves that are smooth, stiff, algebraic or of index 3, and where events are located on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "method/registry.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::between_test {
namespace {

using method::MethodInfo;
using Exact = std::function<double(const std::string&, double)>; // of an unknown, at a time

struct Errors {
    bool fits = false;
    double ends = 0, between = 0;
    std::int64_t steps = 0, steps_between = 0;
};

SolveOptions options_of(std::string_view method, double rtol) {
    SolveOptions o;
    o.method = method;
    o.rtol = rtol;
    o.atol = rtol;
    o.backend = "interpreter";
    o.dense = false;
    o.throw_on_failure = false;
    o.max_steps = 20000;
    return o;
}

// Points that are no multiples of anything.
std::vector<double> points(double end) {
    std::vector<double> result;
    for (int k = 1; k <= 37; ++k) result.push_back(std::fmod(k * end * 0.6180339887498949, end));
    std::ranges::sort(result);
    return result;
}

double largest_error(const Solution& s, const Exact& exact) {
    double largest = 0;
    for (std::size_t k = 0; k < s.numbers.size(); ++k) {
        const std::string& name = s.names[k % s.names.size()];
        if (name.ends_with("'")) continue;
        largest = std::max(largest, std::fabs(s.numbers[k] - exact(name, s.t[k / s.names.size()])));
    }
    return largest;
}

Errors errors(const Model& model, const Exact& exact, double end, std::string_view method, double rtol) {
    SolveOptions o = options_of(method, rtol);
    Errors result;
    try {
        const Solution steps = solve(model, o);
        if (steps.status != Status::success) return result;
        o.at = points(end);
        const Solution inside = solve(model, o);
        // NOTE: of order 2 it makes 6000 steps at 1e-8, and what its curve is judged by comes near to round-off.
        if (method == "dae_gauss2" && rtol < 1e-7 && inside.status == Status::failed) return result;
        EXPECT_EQ(inside.status, Status::success) << method << " at " << rtol << ": " << inside.message;
        result = {true, largest_error(steps, exact), largest_error(inside, exact), steps.stats.steps,
                  inside.stats.steps};
    } catch (const InvalidInput&) {
    }
    return result;
}

bool is_implicit(const MethodInfo& m) {
    return m.family->is_implicit || method::is_direct(m) || m.chooses_steps;
}

void expect_good(const Errors& e, double rtol, const std::string& where) {
    EXPECT_LE(e.between, std::max(200 * rtol, 10 * e.ends))
        << where << " at " << rtol << ": " << e.ends << " at the ends, " << e.steps_between << " steps for " << e.steps;
}

class Between : public testing::TestWithParam<double> {};

TEST_P(Between, OfSmoothAndAlgebraicCurves) {
    const double rtol = GetParam();
    const Model smooth = Model::parse("unknown x, y\nx' = y\ny' = -x\nstart x = 1, y = 0\nsolve t = 0 .. 10\n");
    const Model algebraic = Model::parse("unknown x, z\nx' = -x + z\nz = sin(0.8*t)\nstart x = 1\nsolve t = 0 .. 10\n");
    int n_measured = 0;
    for (const MethodInfo& m : method::methods()) {
        const Errors a = errors(
            smooth, [](const std::string& name, double t) { return name == "x" ? std::cos(t) : -std::sin(t); }, 10,
            m.name, rtol);
        const Errors b = errors(
            algebraic,
            [](const std::string& name, double t) {
                if (name == "z") return std::sin(0.8 * t);
                return (std::sin(0.8 * t) - 0.8 * std::cos(0.8 * t)) / 1.64 + (1 + 0.8 / 1.64) * std::exp(-t);
            },
            10, m.name, rtol);
        expect_good(a, rtol, std::string(m.name) + " on a smooth curve");
        expect_good(b, rtol, std::string(m.name) + " on an algebraic curve");
        n_measured += a.fits + b.fits;
    }
    EXPECT_GE(n_measured, rtol > 1e-8 ? 60 : 40);
}

// The solution is cos(t) whatever the rate: the ends of any step are right.
TEST_P(Between, OfStiffCurves) {
    const double rtol = GetParam();
    int n_measured = 0;
    for (const std::string rate : {"1e2", "1e4", "1e6", "1e8"}) {
        const Model model =
            Model::parse("unknown y\ny' = -" + rate + "*(y - cos(t)) - sin(t)\nstart y = 1\nsolve t = 0 .. 10\n");
        for (const MethodInfo& m : method::methods()) {
            if (!is_implicit(m)) continue;
            const Errors e = errors(model, [](const std::string&, double t) { return std::cos(t); }, 10, m.name, rtol);
            expect_good(e, rtol, std::string(m.name) + " at the rate " + rate);
            n_measured += e.fits;
        }
    }
    EXPECT_GE(n_measured, 40);
}

// Of explicit methods the points of a line are right, too, for steps of thousands of times the fastest rate; the stages
// that their polynomials are made of are not.
TEST(Between, OfAStiffLineByExplicitMethods) {
    const Model model = Model::parse("unknown x\nx' = 20361*(t + 1 - x) + 1\nstart x = 1\nsolve t = 0 .. 0.08125\n");
    int n_measured = 0;
    for (const MethodInfo& m : method::methods()) {
        if (!m.family->is_explicit) continue;
        const Errors e = errors(model, [](const std::string&, double t) { return t + 1; }, 0.08125, m.name, 1e-6);
        expect_good(e, 1e-6, std::string(m.name));
        n_measured += e.fits;
    }
    EXPECT_GE(n_measured, 8);
}

INSTANTIATE_TEST_SUITE_P(Tolerances, Between, testing::Values(1e-5, 1e-8));

// A curve that turns many times within the steps that its ends would allow: they are right whatever the step.
TEST(Between, OfACurveThatNoStepSees) {
    const Model model = Model::parse("unknown z\nz = sin(50*t)\nstart z = 0\nsolve t = 0 .. 10\n");
    for (const std::string method : {"dae_radau5", "dae_radau9", "dae_gauss6"}) {
        const Errors e = errors(model, [](const std::string&, double t) { return std::sin(50 * t); }, 10, method, 1e-7);
        EXPECT_TRUE(e.fits) << method;
        expect_good(e, 1e-7, method);
    }
}

// The first steps of multistep methods are made by others, and are long where the solution is smooth and stiff.
TEST(Between, OfTheFirstStepsOfMultistepMethods) {
    const Model model = Model::parse("unknown x\nx' = exp(sin(t))*cos(t) + 33569*(exp(sin(t)) - x)\nstart x = 1\n"
                                     "solve t = 0 .. 0.7\n");
    for (const std::string method : {"am4", "am6", "gear3", "gear6", "bdf3", "bdf6"}) {
        const double rtol = 2e-10;
        const Errors e =
            errors(model, [](const std::string&, double t) { return std::exp(std::sin(t)); }, 0.7, method, rtol);
        EXPECT_TRUE(e.fits) << method;
        expect_good(e, rtol, method);
        EXPECT_LE(e.ends, 100 * rtol) << method; // where Adams methods are not stable they amplify round-off
    }
}

struct Usual {
    std::string name, text;
    double end, scale;
    std::vector<std::string> methods;
};

// What many people solve: values between the steps cost few steps more there.
TEST(Between, OfUsualProblemsForFewStepsMore) {
    const std::vector<std::string> stiff{"radau5", "radau9", "dae_radau5", "dae_radau9", "dae_radau", "gauss8"};
    const std::vector<Usual> all{
        {"van der Pol", "unknown x, z\nx' = z\nz' = ((1 - x^2)*z - x)*1e4\nstart x = 2, z = -0.66\nsolve t = 0 .. 2\n",
         2, 100, stiff},
        {"Robertson",
         "unknown a, b, c\na' = -0.04*a + 1e4*b*c\nb' = 0.04*a - 1e4*b*c - 3e7*b^2\nc' = 3e7*b^2\n"
         "start a = 1, b = 0, c = 0\nsolve t = 0 .. 400\n",
         400, 1, stiff},
        {"pendulum",
         "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
         "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 3\n",
         3,
         30,
         {"radau5", "radau9", "gauss4", "gauss8", "rk4"}},
    };
    for (const Usual& u : all) {
        const Model model = Model::parse(u.text);
        SolveOptions o = options_of("radau9", 1e-12);
        o.h_max = u.end / 200;
        o.dense = true;
        const Solution reference = solve(model, o);
        ASSERT_EQ(reference.status, Status::success) << u.name;
        const Exact exact = [&](const std::string& name, double t) { return reference(t, name); };
        for (const std::string& method : u.methods) {
            const double rtol = 1e-7;
            const Errors e = errors(model, exact, u.end, method, rtol);
            ASSERT_TRUE(e.fits) << u.name << ", " << method;
            EXPECT_LE(e.between, std::max(200 * rtol * u.scale, 3 * e.ends))
                << method << " on " << u.name << ": " << e.ends << " at the ends";
            EXPECT_LE(e.steps_between, 1.3 * static_cast<double>(e.steps) + 5) << method << " on " << u.name;
        }
    }
}

// Multipliers of index 3 have an error of their own, that of their ends; positions do not suffer from it.
TEST(Between, OfThePendulumAtIndexThree) {
    const Model model = Model::parse("unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                                     "start x = 1, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 3\n");
    SolveOptions o = options_of("radau9", 1e-12);
    o.dense = true;
    o.h_max = 0.01;
    const Solution reference = solve(model, o);
    for (const std::string unknown : {"x", "y", "lambda"}) {
        const Exact exact = [&](const std::string& name, double t) { return name == unknown ? reference(t, name) : 0; };
        for (const std::string method : {"dae_radau5", "dae_radau9"}) {
            SolveOptions asked = options_of(method, 1e-6);
            const auto error = [&](const Solution& s) {
                double largest = 0;
                for (std::size_t k = 0; k < s.t.size(); ++k)
                    largest = std::max(largest, std::fabs(s.column(unknown)[k] - exact(unknown, s.t[k])));
                return largest;
            };
            const Solution steps = solve(model, asked);
            asked.at = points(3);
            const Solution inside = solve(model, asked);
            EXPECT_LE(error(inside), std::max(1e-4, 3 * error(steps))) << unknown << " with " << method;
            EXPECT_LE(inside.stats.steps, 1.1 * static_cast<double>(steps.stats.steps)) << method;
        }
    }
}

TEST(Between, EventsAreLocatedOnStiffCurves) {
    const Model model = Model::parse("unknown y\ny' = -1e6*(y - cos(t)) - sin(t)\nevent low: y = 0.3\nstart y = 1\n"
                                     "solve t = 0 .. 10\n");
    const double first = std::acos(0.3), turn = 2 * std::numbers::pi;
    const std::vector<double> right{first, turn - first, turn + first};
    for (const std::string method :
         {"radau3", "radau5", "radau9", "gauss4", "gauss6", "gauss8", "lobatto4", "dae_radau5", "dae_gauss6"}) {
        const Solution s = solve(model, options_of(method, 1e-7));
        ASSERT_EQ(s.events.size(), right.size()) << method;
        for (std::size_t k = 0; k < right.size(); ++k) EXPECT_NEAR(s.events[k].t, right[k], 2e-5) << method;
    }
}

// Only the steps that are read are looked at.
TEST(Between, StepsThatNobodyReadsStayLong) {
    const Model model = Model::parse("unknown y\ny' = -1e6*(y - cos(t)) - sin(t)\nstart y = 1\nsolve t = 0 .. 10\n");
    for (const std::string method : {"radau5", "gauss8"}) {
        SolveOptions o = options_of(method, 1e-8);
        const std::int64_t steps = solve(model, o).stats.steps;
        o.at = {10};
        EXPECT_EQ(solve(model, o).stats.steps, steps) << method;
        o.at = {5};
        const Solution one = solve(model, o);
        EXPECT_NEAR(one.numbers[0], std::cos(5.0), 1e-6) << method;
        EXPECT_LE(one.stats.steps, steps + 40) << method;
    }
}

TEST(Between, TheCurveOfASolution) {
    const Model model = Model::parse("unknown y\ny' = -1e6*(y - cos(t)) - sin(t)\nstart y = 1\nsolve t = 0 .. 10\n");
    for (const std::string method : {"auto", "radau5", "gauss6"}) {
        SolveOptions o = options_of(method, 1e-7);
        o.dense = true;
        const Solution s = solve(model, o);
        for (const double t : points(10)) EXPECT_NEAR(s(t, "y"), std::cos(t), 2e-5) << method << " at " << t;
    }
}

// Steps of a Lie group method of order 8 are long, and the cubic polynomial between them is of order 3.
TEST(Between, OfRotations) {
    const Model model =
        Model::parse("matrix Y[3,3] in SO(3)\nY' = skew(0, 0, 1)*Y\nstart Y = identity(3)\nsolve t = 0 .. 10\n");
    for (const std::string method : {"rkmk_rk4", "rkmk_dopri54", "rkmk_dop853", "cayley_dop853"}) {
        SolveOptions o = options_of(method, 1e-8);
        o.at = points(10);
        const Solution s = solve(model, o);
        ASSERT_EQ(s.status, Status::success) << method;
        for (std::size_t k = 0; k < s.t.size(); ++k)
            EXPECT_NEAR(s.column("Y[1,1]")[k], std::cos(s.t[k]), 1e-6) << method << " at " << s.t[k];
    }
}

} // namespace
} // namespace vessiot::between_test
