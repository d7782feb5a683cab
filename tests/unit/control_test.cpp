// The size of the next step, and of the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "control/controller.hpp"
#include "control/initial_step.hpp"
#include "control/settings.hpp"
#include "core/error.hpp"
#include "core/near_power.hpp"
#include "support/fields.hpp"

namespace vessiot::test::control_test {
namespace {

using method::find_method;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Controller<double> elementary() {
    return Controller<double>({.safety = 0.9, .factor_min = 0.2, .factor_max = 10, .beta = 0, .exponent = 0.25});
}

TEST(Controller, HasTheSettingsOfTheMethods) {
    const auto dopri54 = controller_options(find_method("dopri54"));
    EXPECT_EQ(dopri54.safety, 0.9);
    EXPECT_EQ(dopri54.factor_min, 0.2);
    EXPECT_EQ(dopri54.factor_max, 10);
    EXPECT_DOUBLE_EQ(dopri54.beta, 0.04);
    EXPECT_DOUBLE_EQ(dopri54.exponent, 1.0 / 5);
    const auto dop853 = controller_options(find_method("dop853"));
    EXPECT_DOUBLE_EQ(dop853.factor_min, 1.0 / 3);
    EXPECT_EQ(dop853.factor_max, 6);
    EXPECT_EQ(dop853.safety, 0.85);
    EXPECT_EQ(dop853.beta, 0.04);
    EXPECT_DOUBLE_EQ(dop853.exponent, 1.0 / 8);
    EXPECT_DOUBLE_EQ(controller_options(find_method("bs32")).exponent, 1.0 / 3);
    EXPECT_DOUBLE_EQ(controller_options(find_method("rkf45")).exponent, 1.0 / 5); // 4(5): the worse of the two
    EXPECT_DOUBLE_EQ(controller_options(find_method("feagin108")).exponent, 1.0 / 9);
}

TEST(NearPower, IsRightToEightDigits) {
    for (double x = 1e-300; x < 1e300; x *= 37.7)
        for (const double a : {-0.5, -0.2, -0.125, 0.04, 1.0 / 3})
            EXPECT_NEAR(near_power(x, a) / std::pow(x, a), 1, 2e-8) << x << " " << a;
    EXPECT_EQ(near_power(0, -0.2), INFINITY);
    EXPECT_EQ(near_power(0, 0.2), 0);
    EXPECT_TRUE(std::isnan(near_power(NAN, 0.2)));
    EXPECT_TRUE(std::isnan(near_power(-1, 0.2)));
    EXPECT_EQ(near_power(INFINITY, -0.2), 0);
    EXPECT_NEAR(near_power(5e-324, 0.1) / std::pow(5e-324, 0.1), 1, 2e-8);
}

TEST(NearPower, IsRoughlyRightFromBits) {
    for (double x = 1e-29; x < 1e29; x *= 1.37) {
        const double of_bits = rough_power(begin_of_power - 0.125 * (as_word(x) - as_word(1)));
        EXPECT_NEAR(of_bits / std::pow(x, -0.125), 0.975, 0.035) << x;
        const double power = rough_power(begin_of_power + word_unit * std::log2(x)) / x;
        EXPECT_LE(power, 1.001) << x;
        EXPECT_GE(power, 0.94) << x;
        EXPECT_NEAR(rough_log2(x), std::log2(x), 0.09) << x;
    }
    for (double a = -0.2; a <= 0.2; a += 0.01)
        EXPECT_NEAR(rough_power(begin_of_power + word_unit * a) / std::exp2(a), 1, 0.014) << a;
    EXPECT_NEAR(rough_power(begin_of_power_times(0.85) - word_unit * std::log2(0.85)), 1, 1e-8);
}

TEST(Controller, AimsAtTheSafePartOfTheTolerance) {
    auto control = elementary();
    EXPECT_DOUBLE_EQ(control.next(1, 2, true), 0.9 * 2);
    EXPECT_DOUBLE_EQ(control.next(1.0 / 16, 2, true), 0.9 * 4);
    EXPECT_DOUBLE_EQ(control.next(16, 2, false), 0.9);
}

TEST(Controller, UsesTheLastTwoErrorsWithABeta) {
    Controller<double> control({.beta = 0.08, .exponent = 0.2});
    control.next(0.5, 1, true);
    EXPECT_NEAR(control.next(0.25, 1, true), 0.9 * std::pow(0.25, -0.14) * std::pow(0.5, 0.08), 1e-8);
    // A rejected step is not remembered, and takes no memory into account.
    EXPECT_NEAR(control.next(4, 1, false), 0.9 * std::pow(4, -0.2), 1e-8);
    control.next(0.9, 1, true);
    EXPECT_NEAR(control.next(0.5, 1, true), 0.9 * std::pow(0.5, -0.14) * std::pow(0.9, 0.08), 1e-8);
    control.reset();
    EXPECT_DOUBLE_EQ(control.next(0.5, 1, true),
                     Controller<double>({.beta = 0.08, .exponent = 0.2}).next(0.5, 1, true));
}

TEST(Controller, KeepsTheChangeWithinItsBounds) {
    auto control = elementary();
    EXPECT_DOUBLE_EQ(control.next(0, 1, true), 10);
    EXPECT_DOUBLE_EQ(control.next(1e-300, 1, true), 10);
    EXPECT_DOUBLE_EQ(control.next(1e300, 1, false), 0.2);
    EXPECT_DOUBLE_EQ(control.next(infinity, 1, false), 0.2);
    EXPECT_DOUBLE_EQ(control.next(1e300, 1, true), 0.2); // constant steps are accepted whatever the error
}

TEST(Controller, ShrinksWhereTheErrorIsNotANumber) {
    for (const bool accepted : {false, true}) EXPECT_DOUBLE_EQ(elementary().next(nan, 1, accepted), 0.2);
}

TEST(Controller, ShrinksAStepThatFailedForAnotherReason) {
    EXPECT_DOUBLE_EQ(elementary().next(0, 1, false), 0.2);
    EXPECT_DOUBLE_EQ(elementary().next(0.5, 1, false), 0.2);
}

TEST(Controller, DoesNotGrowRightAfterARejection) {
    auto control = elementary();
    control.next(2, 1, false);
    EXPECT_DOUBLE_EQ(control.next(0, 1, true), 1);
    EXPECT_DOUBLE_EQ(control.next(0, 1, true), 10);
    control.next(2, 1, false);
    control.reset();
    EXPECT_DOUBLE_EQ(control.next(0, 1, true), 10);
}

TEST(Controller, KeepsTheSignOfTheStep) {
    auto control = elementary();
    EXPECT_DOUBLE_EQ(control.next(1, -2, true), -1.8);
    EXPECT_DOUBLE_EQ(control.next(nan, -2, false), -0.4);
    Controller<Quad> quad({.beta = 0});
    EXPECT_EQ(static_cast<double>(quad.next(1, -2, true)), -1.8);
}

TEST(Controller, TakesTheExponentOfDoublingFromTheOrder) {
    EXPECT_DOUBLE_EQ(controller_options(find_method("euler"), Estimate::by_doubling).exponent, 1.0 / 2);
    EXPECT_DOUBLE_EQ(controller_options(find_method("rk4"), Estimate::by_doubling).exponent, 1.0 / 5);
    EXPECT_DOUBLE_EQ(controller_options(find_method("dopri54"), Estimate::by_doubling).exponent, 1.0 / 6);
    EXPECT_DOUBLE_EQ(controller_options(find_method("dopri54"), Estimate::by_projected_points).exponent, 1.0 / 5);
}

TEST(Controller, TakesAPartOfAStepThatFailedAndThenDoesNotGrow) {
    auto control = elementary();
    EXPECT_DOUBLE_EQ(control.failed(-2, 0.5), -1);
    EXPECT_DOUBLE_EQ(control.next(0, 1, true), 1);
    EXPECT_DOUBLE_EQ(control.next(0, 1, true), 10);
}

// --- what the names stand for ---

std::string message_of(const ControlChoice& choice) {
    try {
        control_settings(choice, find_method("dopri54"));
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

TEST(ControlSettings, AreThoseOfTheMethodByDefault) {
    for (const auto& info : method::explicit_methods()) {
        const auto settings = control_settings({}, info);
        const auto expected = controller_options(info, settings.estimate);
        EXPECT_EQ(settings.estimate, info.is_adaptive ? Estimate::by_weights : Estimate::by_doubling) << info.name;
        EXPECT_EQ(settings.norm, NormKind::rms);
        EXPECT_EQ(settings.controller.beta, expected.beta) << info.name;
        EXPECT_EQ(settings.controller.exponent, expected.exponent) << info.name;
        EXPECT_EQ(settings.controller.factor_max, expected.factor_max) << info.name;
        EXPECT_FALSE(settings.goes_past_end || settings.has_one_tolerance);
        EXPECT_TRUE(settings.options.empty());
    }
}

TEST(ControlSettings, NamesChooseTheRuleAndTheEstimate) {
    for (const auto& info : method::explicit_methods()) {
        EXPECT_EQ(control_settings({.control = control_table().find("elementary")}, info).controller.beta, 0)
            << info.name;
        const auto pi = control_settings({.control = control_table().find("pi")}, info).controller;
        EXPECT_DOUBLE_EQ(pi.beta, 0.2 * pi.exponent) << info.name;
        const auto doubling = control_settings({.control = control_table().find("doubling")}, info);
        EXPECT_EQ(doubling.estimate, Estimate::by_doubling) << info.name;
        EXPECT_DOUBLE_EQ(doubling.controller.exponent, 1.0 / (info.order + 1)) << info.name;
    }
}

TEST(ControlSettings, NumbersReplaceThoseOfTheName) {
    const auto settings = control_settings({.control = control_table().find("tuomela"),
                                            .safety = 0.8,
                                            .factor_min = 0.5,
                                            .factor_max = 2.5,
                                            .error_norm = NormKind::max},
                                           find_method("dopri54"));
    EXPECT_EQ(settings.controller.safety, 0.8);
    EXPECT_EQ(settings.controller.factor_min, 0.5);
    EXPECT_EQ(settings.controller.factor_max, 2.5);
    EXPECT_EQ(settings.controller.exponent, 0.2);
    EXPECT_EQ(settings.norm, NormKind::max);
}

TEST(ControlSettings, RefusesWhatIsOutOfRange) {
    EXPECT_EQ(message_of({}), "");
    EXPECT_EQ(message_of({.safety = 1.5}), "safety = 1.5, but it must be between 0 and 1, or 0 for that of the method");
    EXPECT_EQ(message_of({.factor_max = 0.5}),
              "factor_max = 0.5, but it must be finite and larger than 1, or 0 for that of the method");
    EXPECT_EQ(control_table().find("pid"), nullptr);
    for (const double wrong : {-1.0, 1.0, nan, infinity}) {
        EXPECT_NE(message_of({.safety = wrong}), "") << wrong;
        EXPECT_NE(message_of({.factor_min = wrong}), "") << wrong;
        EXPECT_NE(message_of({.factor_max = wrong}), "") << wrong;
    }
}

TEST(Tuomela, IsWhatReproducesTheTables) {
    const auto dopri54 = tuomela(find_method("dopri54"));
    EXPECT_EQ(dopri54.estimate, Estimate::by_projected_points);
    EXPECT_EQ(dopri54.norm, NormKind::rms);
    EXPECT_TRUE(dopri54.goes_past_end && dopri54.has_one_tolerance);
    std::string options;
    for (const auto& [name, text] : dopri54.options) options += std::string(name) + " = " + std::string(text) + ", ";
    EXPECT_EQ(options, "parametrisation = arclength, projection = newton, project = stages, newton_stop = printed, ");
    // h min(5, max(0.2, 0.9 err^(-1/5))), and at most h after a rejection
    Controller<double> control(dopri54.controller);
    EXPECT_DOUBLE_EQ(control.next(1.0 / 32, 1, true), 1.8);
    EXPECT_DOUBLE_EQ(control.next(1e-9, 1, true), 5);
    EXPECT_DOUBLE_EQ(control.next(32, 1, false), 0.45);
    EXPECT_DOUBLE_EQ(control.next(1.0 / 32, 1, true), 1);
    EXPECT_DOUBLE_EQ(control.next(1.0 / 32, 1, true), 1.8);
    EXPECT_DOUBLE_EQ(control.next(1e9, 1, false), 0.2);
    // Euler's method: one step against two halves, err^(-1/2)
    const auto euler = tuomela(find_method("euler"));
    EXPECT_EQ(euler.estimate, Estimate::by_doubling);
    EXPECT_DOUBLE_EQ(Controller<double>(euler.controller).next(0.25, 1, true), 1.8);
}

// --- the first step ---

// Of x' = f(x) from x, and how often f was evaluated for it.
template <class S = double>
std::pair<double, std::int64_t> first_step(typename FieldOf<S>::Function f, S x, const InitialStep<S>& options,
                                           S tau = 0) {
    FieldOf<S> field(1, std::move(f));
    const auto stepper = make_stepper<S>(find_method("dopri54"), field, nullptr, {});
    stepper->begin(tau, &x);
    const S h = initial_step(*stepper, field, options);
    return {static_cast<double>(h), field.n_calls};
}

template <class S> typename FieldOf<S>::Function linear(S rate) {
    return [rate](S, const S* x, S* dx) {
        dx[0] = rate * x[0];
        return PointStatus::good;
    };
}

FieldOf<double>::Function constant(double v) {
    return [v](double, const double*, double* dx) {
        dx[0] = v;
        return PointStatus::good;
    };
}

const InitialStep<double> usual{.order = 5, .rtol = 1e-6, .atol = 0, .h_max = 10};

TEST(InitialStep, IsThatOfTheBook) {
    // |x| = 1e6, |V| = 2e6, h_0 = 0.005, d_2 = 4e6, h_1 = (0.01 / 4e6)^(1/6)
    const auto [h, n_evaluations] = first_step(linear(-2.0), 1.0, usual);
    EXPECT_NEAR(h, std::pow(0.01 / 4e6, 1.0 / 6), 1e-9); // near_power
    EXPECT_EQ(n_evaluations, 2);
    const auto [h_q, n_q] =
        first_step<Quad>(linear<Quad>(-2), 1, {.order = 5, .rtol = Quad(1e-6), .atol = 0, .h_max = 10});
    EXPECT_NEAR(h_q, h, 1e-12);
}

TEST(InitialStep, IsNotMuchLongerThanThePointNeedsToMove) {
    // x = 1 has moved by all of its size after 1 / (2e6).
    EXPECT_LE(first_step(linear(-2e6), 1.0, usual).first, 1.0000001 / 2e6);
}

TEST(InitialStep, RunsBackwards) {
    InitialStep<double> options = usual;
    options.is_backward = true;
    // For x' = -2 x trial points on both sides of the start give the same second derivative.
    EXPECT_NEAR(first_step(linear(-2.0), 1.0, options).first, -first_step(linear(-2.0), 1.0, usual).first, 1e-12);
}

TEST(InitialStep, StaysWithinItsBound) {
    InitialStep<double> options = usual;
    options.h_max = 1e-3;
    EXPECT_EQ(first_step(linear(-2.0), 1.0, options).first, 1e-3);
    options.is_backward = true;
    EXPECT_EQ(first_step(linear(-2.0), 1.0, options).first, -1e-3);
}

TEST(InitialStep, IsPositiveAndBoundedWhateverTheField) {
    const FieldOf<double>::Function fails = [](double, const double*, double*) { return PointStatus::singular; };
    const FieldOf<double>::Function ends = [](double tau, const double*, double* dx) {
        dx[0] = tau == 0 ? 1 : nan;
        return PointStatus::good;
    };
    const FieldOf<double>::Function stops = [](double tau, const double*, double* dx) {
        dx[0] = 1;
        return tau == 0 ? PointStatus::good : PointStatus::not_finite;
    };
    for (const auto& field : {constant(0), constant(1), constant(1e-300), constant(1e200), constant(1e308), linear(1.0),
                              linear(1e150), fails, ends, stops})
        for (const double x : {0.0, 1.0, 1e-200, 1e200})
            for (const double atol : {0.0, 1e-9})
                for (const double h_max : {1e-3, 10.0, 1e12, infinity}) {
                    const auto [h, n] = first_step(field, x, {.order = 5, .atol = atol, .h_max = h_max});
                    EXPECT_TRUE(h > 0 && h <= h_max && h < infinity) << h << ' ' << x << ' ' << h_max;
                    EXPECT_LE(n, 2);
                }
}

TEST(InitialStep, IsASmallPartOfTheIntervalWhereNothingMoves) {
    EXPECT_DOUBLE_EQ(first_step(constant(0), 1.0, usual).first, 1e-4 * 10);
    EXPECT_DOUBLE_EQ(first_step(constant(0), 0.0, usual).first, 1e-4 * 10);
}

// --- both at work ---

// Adaptive steps on the Euler top to t = 20: the number of steps, and of those rejected, and the distance from the
// sphere and the other invariant, the energy.
struct Adaptive {
    int accepted = 0, rejected = 0;
    double drift = 0;
};

Adaptive integrate(const method::MethodInfo& info, std::string_view name, double rtol) {
    FieldOf<double> field(3, euler_top<double>);
    Sphere<double> sphere(2);
    const ControlSettings settings = control_settings({.control = control_table().find(name)}, info);
    const bool is_projected = settings.estimate == Estimate::by_projected_points;
    const auto stepper =
        make_stepper<double>(info, field, is_projected ? &sphere : nullptr,
                             {.rtol = rtol, .atol = rtol, .project = Project::stages, .estimate = settings.estimate});
    Controller<double> control(settings.controller);
    const std::array<double, 3> start{0.8, 0.6, 1};
    stepper->begin(0, start.data());
    Adaptive result;
    double h = initial_step(*stepper, field, {.order = info.order, .rtol = rtol, .atol = rtol, .h_max = 20});
    while (stepper->tau() < 20 && result.accepted + result.rejected < 100'000) {
        const double tried = std::min(h, 20 - stepper->tau());
        const auto report = stepper->attempt(tried);
        const bool accepted = report.error <= 1;
        h = control.next(report.error, tried, accepted);
        if (accepted) stepper->accept();
        ++(accepted ? result.accepted : result.rejected);
    }
    const auto energy = [](const double* x) { return x[0] * x[0] + x[1] * x[1] / 2 + x[2] * x[2] / 3; };
    result.drift = std::abs(energy(stepper->point()) - energy(start.data()));
    return result;
}

TEST(StepControl, ReachesTheToleranceWithFewRejections) {
    for (const auto& info : method::explicit_methods())
        for (const std::string_view name : {"auto", "pi", "elementary", "doubling", "tuomela"})
            for (const double rtol : {1e-5, 1e-8}) {
                if (info.order < 3 && rtol < 1e-5) continue; // that would take very many steps
                const Adaptive run = integrate(info, name, rtol);
                EXPECT_GT(run.accepted, 3) << info.name << ' ' << name;
                EXPECT_LE(run.rejected, 10 + run.accepted / 10) << info.name << ' ' << name << ' ' << rtol;
                // Errors of the order of the tolerance in each step add up over the steps. Where the estimate is that
                // of the point that goes on, and not of a worse one, all of the tolerance is used: rtol (1 + |x_i|), up
                // to 2.2 rtol; and the energy changes by up to 2 |x| = 2.8 times as much.
                const bool is_sharp = name == "doubling" || !info.is_adaptive;
                EXPECT_LT(run.drift, (is_sharp ? 6 : 1) * rtol * run.accepted)
                    << info.name << ' ' << name << ' ' << rtol;
            }
}

} // namespace
} // namespace vessiot::test::control_test
