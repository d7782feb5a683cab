// One step of the explicit Runge-Kutta methods: what is evaluated where, what is reported, what fails how.
#include "method/explicit/explicit_rk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/controller.hpp"
#include "core/error.hpp"
#include "linalg/vector.hpp"
#include "method/estimate/quadrature_estimate.hpp"
#include "method/number.hpp"
#include "support/count_allocations.hpp"
#include "support/fields.hpp"

namespace vessiot::test::explicit_rk_step_test {
namespace {

using method::explicit_methods;
using method::find_method;
using method::MethodInfo;
using method::operator""_q;

constexpr std::array<double, 3> start{0.8, 0.6, 1}; // |x|^2 = 2

template <class S> std::unique_ptr<Stepper<S>> stepper_of(const MethodInfo& m, Field<S>& field, Sphere<S>& sphere) {
    return make_stepper<S>(m, field, &sphere, {.rtol = S(1e-3), .atol = S(1e-5), .project = Project::stages});
}

// x(theta) of the last step.
template <class S> std::vector<S> between(Stepper<S>& stepper, std::int64_t n, S theta) {
    const std::int64_t n_padded = linalg::padded(n);
    const int degree = stepper.dense_degree();
    linalg::Vector<S> d(n_padded * (degree + 1));
    EXPECT_EQ(stepper.dense(d.data()), PointStatus::good);
    std::vector<S> x(n);
    for (std::int64_t i = 0; i < n; ++i)
        for (int k = degree; k >= 0; --k) x[i] = theta * x[i] + d[k * n_padded + i];
    return x;
}

TEST(ExplicitRungeKutta, IntegratesPowersOfTimeExactlyBelowItsOrder) {
    for (const MethodInfo& m : explicit_methods()) {
        for (int degree = 0; degree < m.order; ++degree) {
            FieldOf<Quad> field(1, [degree](Quad tau, const Quad*, Quad* dx) {
                dx[0] = degree + 1;
                for (int k = 0; k < degree; ++k) dx[0] *= tau;
                return PointStatus::good;
            });
            const auto stepper = make_stepper<Quad>(m, field, nullptr, {});
            const Quad x = 1, tau = 1, h = 2; // from 1 to tau^(degree + 1) = 3^(degree + 1)
            stepper->begin(tau, &x);
            ASSERT_EQ(stepper->attempt(h).outcome, StepOutcome::done);
            Quad expected = 1;
            for (int k = 0; k <= degree; ++k) expected *= 3;
            // Coefficients are good to 1e-33, and up to 400 of them with terms of that size are summed.
            EXPECT_LT(std::abs(static_cast<double>(stepper->candidate()[0] / expected - 1)), 1e-29) << m.name;
        }
    }
}

TEST(ExplicitRungeKutta, ComputesInDoubleWhatItComputesInQuad) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        FieldOf<Quad> field_q(3, euler_top<Quad>);
        Sphere<double> sphere(2);
        Sphere<Quad> sphere_q(2);
        const auto stepper = stepper_of(m, field, sphere);
        const auto stepper_q = stepper_of(m, field_q, sphere_q);
        const std::array<Quad, 3> start_q{start[0], start[1], start[2]};
        stepper->begin(0, start.data());
        stepper_q->begin(0, start_q.data());
        for (int k = 0; k < 4; ++k) {
            const auto report = stepper->attempt(0.25);
            const auto report_q = stepper_q->attempt(0.25);
            // Estimates are differences of directions, good to 1e-16, in units of 1e-5.
            EXPECT_NEAR(report.error, static_cast<double>(report_q.error), 1e-9) << m.name;
            EXPECT_NEAR(report.distance, static_cast<double>(report_q.distance), 1e-9) << m.name;
            stepper->accept();
            stepper_q->accept();
            const auto x = between(*stepper, 3, 0.3);
            const auto x_q = between(*stepper_q, 3, Quad(0.3));
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_NEAR(stepper->point()[i], static_cast<double>(stepper_q->point()[i]), 1e-14) << m.name;
                // The coefficients of dop853's dense output reach 1e3 and cancel.
                EXPECT_NEAR(x[i], static_cast<double>(x_q[i]), 1e-12) << m.name;
            }
        }
    }
}

TEST(ExplicitRungeKutta, TellsAProjectionThatAStepIsTriedAgain) {
    FieldOf<double> field(3, euler_top<double>);
    Sphere<double> sphere(2);
    const auto stepper = stepper_of(find_method("dopri54"), field, sphere);
    const auto retries = [&](const auto& act) {
        const std::int64_t before = sphere.n_retries;
        act();
        return sphere.n_retries - before;
    };
    stepper->begin(0, start.data());
    EXPECT_EQ(retries([&] { stepper->attempt(0.1); }), 0);
    EXPECT_EQ(retries([&] { stepper->attempt(0.05); }), 1);
    EXPECT_EQ(retries([&] { stepper->attempt(0.02); }), 1);
    stepper->accept();
    EXPECT_EQ(retries([&] { stepper->attempt(0.02); }), 0);
    stepper->begin(0, start.data()); // a beginning is none, at whatever tau
    EXPECT_EQ(retries([&] { stepper->attempt(0.1); }), 0);
}

TEST(ExplicitRungeKutta, EvaluatesOnceForEachEffectiveStage) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        Sphere<double> sphere(2);
        const auto stepper = stepper_of(m, field, sphere);
        stepper->begin(0, start.data());
        EXPECT_EQ(field.n_calls, 0);
        stepper->attempt(0.1);
        EXPECT_EQ(field.n_calls, static_cast<std::int64_t>(m.n_stages)) << m.name;
        stepper->attempt(0.05); // the first stage is there already
        EXPECT_EQ(field.n_calls, static_cast<std::int64_t>(2 * m.n_stages - 1)) << m.name;
        stepper->accept();
        for (int k = 0; k < 3; ++k) {
            const std::int64_t before = field.n_calls;
            stepper->attempt(0.1);
            EXPECT_EQ(field.n_calls - before, static_cast<std::int64_t>(m.n_effective_stages)) << m.name;
            stepper->accept();
        }
        EXPECT_EQ(stepper->counts().stages, field.n_calls);
        EXPECT_EQ(stepper->counts().projections, sphere.n_projections);
        EXPECT_EQ(stepper->counts().newton_iterations, sphere.n_projections);
        EXPECT_EQ(stepper->counts().newton_max, 1);
    }
    EXPECT_EQ(find_method("dopri54").n_effective_stages, 6U);
}

TEST(ExplicitRungeKutta, StaysWhereItIsUntilAStepIsAccepted) {
    FieldOf<double> field(3, euler_top<double>);
    const auto stepper = make_stepper<double>(find_method("dopri54"), field, nullptr, {});
    stepper->begin(5, start.data());
    stepper->attempt(0.5);
    EXPECT_EQ(stepper->tau(), 5);
    EXPECT_EQ(stepper->point()[0], start[0]);
    const double reached = stepper->candidate()[0];
    EXPECT_NE(reached, start[0]);
    stepper->accept();
    EXPECT_EQ(stepper->tau(), 5.5);
    EXPECT_EQ(stepper->point()[0], reached);
    EXPECT_EQ(stepper->candidate()[0], reached);
}

TEST(ExplicitRungeKutta, HasTheDirectionAtTheProjectedPoint) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        Sphere<double> sphere(2);
        const auto stepper = stepper_of(m, field, sphere);
        stepper->begin(0, start.data());
        for (int k = 0; k < 3; ++k) {
            stepper->attempt(0.5);
            stepper->accept();
            double v[3];
            euler_top(0.0, stepper->point(), v);
            const std::int64_t before = field.n_calls;
            for (int i = 0; i < 3; ++i) EXPECT_EQ(stepper->direction()[i], v[i]) << m.name;
            EXPECT_EQ(field.n_calls - before, m.is_fsal ? 0 : 1) << m.name;
        }
    }
}

TEST(ExplicitRungeKutta, ProjectsWhatItIsTold) {
    for (const Project what : {Project::nothing, Project::steps, Project::stages}) {
        FieldOf<double> field(3, euler_top<double>);
        Sphere<double> sphere(2);
        const auto stepper = make_stepper<double>(find_method("rk4"), field, &sphere, {.project = what});
        stepper->begin(0, start.data());
        for (int k = 0; k < 2; ++k) {
            stepper->attempt(0.5);
            stepper->attempt(0.25);
            stepper->accept();
        }
        EXPECT_EQ(sphere.n_steps, what == Project::nothing ? 0 : 4);
        EXPECT_EQ(sphere.n_projections, what == Project::nothing ? 0 : what == Project::steps ? 4 : 16);
        EXPECT_EQ(sphere.begun_at.first, what == Project::nothing ? 0 : 0.25);
        const double* x = stepper->point();
        const double off = std::abs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 2);
        EXPECT_EQ(off < 1e-15, what != Project::nothing);
    }
}

TEST(ExplicitRungeKutta, MeasuresHowFarTheProjectionMovesThePoint) {
    FieldOf<double> field(3, euler_top<double>);
    Sphere<double> sphere(2);
    const StepperOptions<double> options{.rtol = 1e-3, .atol = 1e-5};
    const auto free = make_stepper<double>(find_method("euler"), field, nullptr, options);
    const auto bound = make_stepper<double>(find_method("euler"), field, &sphere, options);
    free->begin(0, start.data());
    bound->begin(0, start.data());
    EXPECT_EQ(free->attempt(0.5).distance, 0);
    double sum = 0;
    const auto report = bound->attempt(0.5);
    for (std::size_t i = 0; i < 3; ++i) {
        const double p = bound->candidate()[i], scale = 1e-5 + 1e-3 * std::max(std::abs(start[i]), std::abs(p));
        sum += std::pow((free->candidate()[i] - p) / scale, 2);
    }
    EXPECT_NEAR(report.distance, std::sqrt(sum / 3), 1e-9 * report.distance);
    EXPECT_LT(report.residual, 1e-15);
}

// The estimate by its formula, from directions kept while an ordinary step is made.
double expected_error(const MethodInfo& m, double h, double rtol, double atol) {
    std::vector<std::array<double, 3>> k;
    FieldOf<double> field(3, [&k](double tau, const double* x, double* dx) {
        const PointStatus status = euler_top(tau, x, dx);
        k.push_back({dx[0], dx[1], dx[2]});
        return status;
    });
    const auto stepper = make_stepper<double>(m, field, nullptr, {});
    stepper->begin(0, start.data());
    stepper->attempt(h);
    const auto square = [&](std::span<const Quad> weights) {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            double e = 0;
            for (std::size_t j = 0; j < m.n_stages; ++j) e += h * double(m.tableau.b[j] - weights[j]) * k[j][i];
            sum += std::pow(e / (atol + rtol * std::max(std::abs(start[i]), std::abs(stepper->candidate()[i]))), 2);
        }
        return sum / 3;
    };
    const double e = square(m.tableau.b_hat);
    return m.low_order == 0 ? std::sqrt(e) : e / std::sqrt(e + 0.01 * square(m.tableau.b_low));
}

TEST(ExplicitRungeKutta, EstimatesItsError) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        const auto stepper = make_stepper<double>(m, field, nullptr, {.rtol = 1e-3, .atol = 1e-5});
        stepper->begin(0, start.data());
        const double error = stepper->attempt(1).error;
        const double expected = m.is_adaptive ? expected_error(m, 1, 1e-3, 1e-5) : 0;
        if (!method::is_blind_to_quadratures(m.tableau))
            EXPECT_NEAR(error, expected, 1e-9 * expected) << m.name;
        else // the second estimate may be the larger one
            EXPECT_GE(error, expected * (1 - 1e-9)) << m.name;
        EXPECT_EQ(error > 0, m.is_adaptive) << m.name;
    }
}

// One step from the start with the sphere of radius 2^(1/2) and this estimate.
StepReport<double> one_step(const MethodInfo& m, Sphere<double>& sphere, Estimate estimate,
                            bool continue_embedded = false) {
    FieldOf<double> field(3, euler_top<double>);
    const auto stepper = make_stepper<double>(m, field, &sphere,
                                              {.rtol = 1e-3,
                                               .atol = 1e-5,
                                               .project = Project::stages,
                                               .continue_embedded = continue_embedded,
                                               .estimate = estimate});
    stepper->begin(0, start.data());
    const auto report = stepper->attempt(0.5);
    EXPECT_EQ(stepper->counts().projections, sphere.n_projections);
    return report;
}

TEST(ExplicitRungeKutta, EstimatesItsErrorByProjectedPoints) {
    for (const MethodInfo& m : explicit_methods()) {
        if (!m.is_adaptive) continue;
        Sphere<double> sphere(2), weighed(2), none(2);
        const double error = one_step(m, sphere, Estimate::by_projected_points).error;
        const double by_weights = one_step(m, weighed, Estimate::by_weights).error;
        EXPECT_EQ(one_step(m, none, Estimate::none).error, 0) << m.name;
        EXPECT_EQ(sphere.n_projections - weighed.n_projections, m.low_order > 0 ? 2 : 1) << m.name;
        EXPECT_EQ(weighed.n_projections, none.n_projections) << m.name;
        EXPECT_GT(error, 0) << m.name;
        // The normal part is left out. (Of a quotient of two estimates, as dop853's, that says nothing.)
        if (m.low_order == 0) {
            EXPECT_LT(error, 1.01 * by_weights) << m.name;
        }
        FieldOf<double> field(3, euler_top<double>);
        const auto free = make_stepper<double>(m, field, nullptr, {.estimate = Estimate::by_projected_points});
        const auto usual = make_stepper<double>(m, field, nullptr, {});
        free->begin(0, start.data());
        usual->begin(0, start.data());
        EXPECT_EQ(free->attempt(0.5).error, usual->attempt(0.5).error) << m.name; // nothing is projected
    }
}

TEST(ExplicitRungeKutta, ComparesTheProjectedPointsOfBothMethods) {
    // rk2 with Euler's method embedded: p_hat is the projected Euler point, whichever of the two goes on.
    FieldOf<double> field(3, euler_top<double>);
    Sphere<double> sphere(2);
    const auto point = [&](std::string_view name) {
        const auto stepper = make_stepper<double>(find_method(name), field, &sphere, {.project = Project::stages});
        stepper->begin(0, start.data());
        stepper->attempt(0.5);
        return std::array{stepper->candidate()[0], stepper->candidate()[1], stepper->candidate()[2]};
    };
    const auto high = point("rk2"), low = point("euler");
    for (const bool continue_embedded : {false, true}) {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double p = continue_embedded ? low[i] : high[i];
            sum += std::pow((high[i] - low[i]) / (1e-5 + 1e-3 * std::max(std::abs(start[i]), std::abs(p))), 2);
        }
        Sphere<double> other(2);
        const auto report = one_step(find_method("rk2"), other, Estimate::by_projected_points, continue_embedded);
        EXPECT_NEAR(report.error, std::sqrt(sum / 3), 1e-12 * report.error);
    }
}

TEST(ExplicitRungeKutta, SaysWhereTheProjectionForItsEstimateFails) {
    for (const MethodInfo& m : explicit_methods()) {
        Sphere<double> counted(2), sphere(2);
        one_step(m, counted, Estimate::by_projected_points);
        sphere.fails_from = counted.n_projections - 1;
        const auto report = one_step(m, sphere, Estimate::by_projected_points);
        EXPECT_EQ(report.outcome, StepOutcome::no_projection) << m.name;
        EXPECT_EQ(report.why, PointStatus::not_converged) << m.name;
    }
}

// The power with which the estimate falls from h to h/2 on the sphere, in quad precision.
double slope_of_projected_points(const MethodInfo& m, Quad h) {
    const auto error = [&](Quad step) {
        FieldOf<Quad> field(3, euler_top<Quad>);
        Sphere<Quad> sphere(2);
        const auto stepper = make_stepper<Quad>(
            m, field, &sphere,
            {.rtol = 0, .atol = 1, .project = Project::stages, .estimate = Estimate::by_projected_points});
        const std::array<Quad, 3> x{4_q / 5, 3_q / 5, 1};
        stepper->begin(0, x.data());
        return static_cast<double>(stepper->attempt(step).error);
    };
    return std::log2(error(h) / error(h / 2));
}

TEST(ExplicitRungeKutta, EstimatesByProjectedPointsFallAsStepControlExpects) {
    for (const MethodInfo& m : explicit_methods()) {
        if (!m.is_adaptive) continue;
        const double expected = 1 / controller_options(m, Estimate::by_projected_points).exponent;
        for (const Quad h : {1_q / 32, 1_q / 64, 1_q / 128})
            EXPECT_NEAR(slope_of_projected_points(m, h), expected, 0.25) << m.name;
    }
}

TEST(ExplicitRungeKutta, MeasuresInTheNormThatIsAskedFor) {
    // Only the first of four coordinates has an error: rms is half of max.
    FieldOf<double> field(4, [](double, const double* x, double* dx) {
        dx[0] = x[0];
        for (int i = 1; i < 4; ++i) dx[i] = 1;
        return PointStatus::good;
    });
    const std::array<double, 4> x{1, 1, 1, 1};
    const auto error = [&](NormKind norm) {
        const auto stepper = make_stepper<double>(find_method("dopri54"), field, nullptr, {.atol = 1e-3, .norm = norm});
        stepper->begin(0, x.data());
        return stepper->attempt(0.5).error;
    };
    EXPECT_GT(error(NormKind::max), 0);
    EXPECT_NEAR(error(NormKind::rms), error(NormKind::max) / 2, 1e-9 * error(NormKind::max));
}

TEST(ExplicitRungeKutta, GoesOnWithTheEmbeddedPointOnlyIfThereIsOne) {
    FieldOf<double> field(3, euler_top<double>);
    // The embedded method of rk2 is Euler's.
    const auto low = make_stepper<double>(find_method("rk2"), field, nullptr, {.continue_embedded = true});
    const auto euler = make_stepper<double>(find_method("euler"), field, nullptr, {});
    low->begin(0, start.data());
    euler->begin(0, start.data());
    for (int k = 0; k < 3; ++k) {
        low->attempt(0.25);
        euler->attempt(0.25);
        low->accept();
        euler->accept();
        for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(low->point()[i], euler->point()[i]);
    }
    try {
        make_stepper<double>(find_method("rk4"), field, nullptr, {.continue_embedded = true});
        ADD_FAILURE() << "rk4 has no embedded method";
    } catch (const InvalidInput& error) {
        EXPECT_EQ(
            std::string(error.what()),
            "the method \"rk4\" has no embedded method whose point could go on. Take a method with an error estimate, "
            "such as \"dopri54\".");
    }
}

TEST(ExplicitRungeKutta, RunsBackwardsAsItRunsForwardsWithTheOppositeField) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        FieldOf<double> opposite(3, [](double tau, const double* x, double* dx) {
            const PointStatus status = euler_top(tau, x, dx);
            for (int i = 0; i < 3; ++i) dx[i] = -dx[i];
            return status;
        });
        const auto backward = make_stepper<double>(m, field, nullptr, {});
        const auto forward = make_stepper<double>(m, opposite, nullptr, {});
        backward->begin(0, start.data());
        forward->begin(0, start.data());
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(backward->attempt(-0.3).error, forward->attempt(0.3).error) << m.name;
            backward->accept();
            forward->accept();
            EXPECT_EQ(backward->tau(), -forward->tau());
            for (int i = 0; i < 3; ++i) EXPECT_EQ(backward->point()[i], forward->point()[i]) << m.name;
        }
    }
}

TEST(ExplicitRungeKutta, HasACurveThroughBothPointsAlongBothDirections) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<Quad> field(3, euler_top<Quad>);
        Sphere<Quad> sphere(2);
        const auto stepper = stepper_of(m, field, sphere);
        const std::array<Quad, 3> x_0{0.8_q, 0.6_q, 1};
        stepper->begin(0, x_0.data());
        const Quad h = 1_q / 2, small = 1e-12_q;
        stepper->attempt(h);
        const auto before = between(*stepper, 3, Quad(1));
        stepper->accept();
        const auto at_0 = between(*stepper, 3, Quad(0)), at_1 = between(*stepper, 3, Quad(1));
        const auto near_0 = between(*stepper, 3, small), near_1 = between(*stepper, 3, 1 - small);
        Quad v_0[3];
        euler_top(Quad(0), x_0.data(), v_0);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(at_0[i], x_0[i]) << m.name;
            EXPECT_LT(std::abs(double(at_1[i] - stepper->point()[i])), 1e-30) << m.name;
            EXPECT_EQ(before[i], at_1[i]) << m.name << ": the curve is there before the step is accepted";
            // Differences over `small` are off by as much, times derivatives up to 1e3.
            EXPECT_LT(std::abs(double((near_0[i] - at_0[i]) / small - h * v_0[i])), 1e-9) << m.name;
            EXPECT_LT(std::abs(double((at_1[i] - near_1[i]) / small - h * stepper->direction()[i])), 1e-9) << m.name;
        }
    }
}

// Evaluations in the second step of a method, and then for its dense output.
std::pair<std::int64_t, std::int64_t> evaluations(std::string_view name, bool is_dense) {
    FieldOf<double> field(3, euler_top<double>);
    const auto stepper = make_stepper<double>(find_method(name), field, nullptr, {});
    stepper->begin(0, start.data());
    std::int64_t step = 0, dense = 0;
    for (int k = 0; k < 2; ++k) {
        const std::int64_t before = field.n_calls;
        stepper->attempt(0.5);
        stepper->accept();
        step = field.n_calls - before;
        if (is_dense) between(*stepper, 3, 0.5);
        if (is_dense) between(*stepper, 3, 0.6);
        dense = field.n_calls - before - step;
    }
    return {step, dense};
}

TEST(ExplicitRungeKutta, EvaluatesForDenseOutputOnceAndOnlyIfAsked) {
    using Pair = std::pair<std::int64_t, std::int64_t>;
    EXPECT_EQ(evaluations("dopri54", true), Pair(6, 0));
    EXPECT_EQ(evaluations("dop853", false), Pair(12, 0));
    EXPECT_EQ(evaluations("dop853", true), Pair(11, 4)); // one of the four is the first stage of the next step
    EXPECT_EQ(evaluations("rk4", true), Pair(3, 1));
    EXPECT_EQ(evaluations("euler", true), Pair(0, 1));
}

TEST(ExplicitRungeKutta, SaysWhereThereIsNoDirection) {
    for (const MethodInfo& m : explicit_methods()) {
        PointStatus status = PointStatus::good;
        double limit = 1; // V is good up to that x, and beyond it anything
        FieldOf<double> field(1, [&](double, const double* x, double* dx) {
            dx[0] = x[0] <= limit ? 1 : status == PointStatus::good ? NAN : 1;
            return x[0] <= limit ? PointStatus::good : status;
        });
        const auto stepper = make_stepper<double>(m, field, nullptr, {});
        const double x = 0;
        stepper->begin(0, &x);
        for (const PointStatus why : {PointStatus::good, PointStatus::singular}) {
            status = why;
            if (m.n_stages == 1) continue;
            const auto report = stepper->attempt(8); // every method looks beyond x = 1
            EXPECT_EQ(report.outcome, StepOutcome::no_direction) << m.name;
            EXPECT_EQ(report.why, why == PointStatus::good ? PointStatus::not_finite : why) << m.name;
        }
        EXPECT_EQ(stepper->attempt(0.25).outcome, StepOutcome::done) << m.name;
        EXPECT_EQ(stepper->attempt(INFINITY).why, PointStatus::not_finite) << m.name;
        EXPECT_EQ(stepper->attempt(NAN).outcome, StepOutcome::no_direction) << m.name;
        limit = -1;
        stepper->begin(0, &x);
        EXPECT_EQ(stepper->direction(), nullptr);
        EXPECT_EQ(stepper->status(), PointStatus::singular);
        EXPECT_EQ(stepper->attempt(0.25).outcome, StepOutcome::no_direction_here) << m.name;
        EXPECT_EQ(stepper->attempt(0.25).why, PointStatus::singular) << m.name;
        double d[16];
        EXPECT_NE(stepper->dense(d), PointStatus::good) << m.name << ": there is no step";
    }
}

TEST(ExplicitRungeKutta, SaysWhereOverflowLeadsOutOfTheNumbers) {
    FieldOf<double> field(1, [](double, const double*, double* dx) {
        dx[0] = 1e300;
        return PointStatus::good;
    });
    const auto stepper = make_stepper<double>(find_method("euler"), field, nullptr, {});
    const double x = 0;
    stepper->begin(0, &x);
    EXPECT_EQ(stepper->attempt(1e10).outcome, StepOutcome::no_direction);
    EXPECT_EQ(stepper->attempt(1).outcome, StepOutcome::done);
}

TEST(ExplicitRungeKutta, SaysWhereAProjectionFails) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        // At the first stage that is projected, the last one, and at the result (of a method that has them).
        for (std::int64_t fails_from = 0; fails_from < static_cast<std::int64_t>(m.n_effective_stages); ++fails_from) {
            Sphere<double> sphere(2);
            sphere.fails_from = fails_from;
            const auto stepper = stepper_of(m, field, sphere);
            stepper->begin(0, start.data());
            const auto report = stepper->attempt(0.1);
            EXPECT_EQ(report.outcome, StepOutcome::no_projection) << m.name;
            EXPECT_EQ(report.why, PointStatus::not_converged) << m.name;
            EXPECT_EQ(stepper->counts().newton_max, 7);
            stepper->accept(); // there is nothing to accept
            EXPECT_EQ(stepper->tau(), 0);
            EXPECT_EQ(stepper->point()[1], start[1]);
        }
    }
}

TEST(ExplicitRungeKutta, TakesAnySize) {
    for (const std::int64_t n : {0, 1, 7, 8, 9, 512, 1000}) {
        FieldOf<double> field(n, [n](double, const double* x, double* dx) {
            for (std::int64_t i = 0; i < n; ++i) dx[i] = -x[i];
            return PointStatus::good;
        });
        const auto stepper = make_stepper<double>(find_method("dop853"), field, nullptr, {});
        linalg::Vector<double> x(n);
        for (double& x_i : x) x_i = 1;
        stepper->begin(0, x.data());
        for (int k = 0; k < 4; ++k) {
            const double error = stepper->attempt(0.25).error;
            EXPECT_TRUE(error >= 0 && error < 1) << n; // estimated as 1e-11, the tolerance is 1e-6
            stepper->accept();
            between(*stepper, n, 0.5);
        }
        for (std::int64_t i = 0; i < n; ++i) EXPECT_NEAR(stepper->point()[i], std::exp(-1), 1e-11) << n;
        for (std::int64_t i = n; i < linalg::padded(n); ++i) EXPECT_EQ(stepper->point()[i], 0) << n;
    }
}

template <class S> void expect_no_allocation(const MethodInfo& m) {
    FieldOf<S> field(3, euler_top<S>);
    Sphere<S> sphere(2);
    const auto stepper = stepper_of(m, field, sphere);
    const std::array<S, 3> x{S(start[0]), S(start[1]), S(start[2])};
    linalg::Vector<S> d(linalg::padded(3) * (stepper->dense_degree() + 1));
    const std::size_t before = n_allocations();
    stepper->begin(0, x.data());
    for (int k = 0; k < 10; ++k) {
        stepper->attempt(S(0.2));
        stepper->attempt(S(0.1));
        stepper->accept();
        stepper->direction();
        stepper->dense(d.data());
    }
    EXPECT_EQ(n_allocations(), before) << m.name;
}

TEST(ExplicitRungeKutta, TakesNoMemoryOnceItIsMade) {
    for (const MethodInfo& m : explicit_methods()) {
        expect_no_allocation<double>(m);
        expect_no_allocation<Quad>(m);
    }
}

} // namespace
} // namespace vessiot::test::explicit_rk_step_test
