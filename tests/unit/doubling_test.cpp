// Steps against two of half the size: the arithmetic, the orders, what is evaluated where, what fails how.
#include "method/combined/doubling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/controller.hpp"
#include "core/error.hpp"
#include "linalg/vector.hpp"
#include "method/number.hpp"
#include "support/count_allocations.hpp"
#include "support/fields.hpp"

namespace vessiot::test::doubling_test {
namespace {

using method::explicit_methods;
using method::find_method;
using method::MethodInfo;
using method::operator""_q;

constexpr std::array<double, 3> start{0.8, 0.6, 1}; // |x|^2 = 2

template <class S> StepperOptions<S> doubled(Project project = Project::stages) {
    return {.rtol = S(1e-3), .atol = S(1e-5), .project = project, .estimate = Estimate::by_doubling};
}

// x(theta) of the last step.
template <class S> std::vector<S> between(Stepper<S>& stepper, std::size_t n, S theta) {
    const auto n_padded = static_cast<std::size_t>(linalg::padded(static_cast<std::int64_t>(n)));
    linalg::Vector<S> d(static_cast<std::int64_t>(6 * n_padded));
    EXPECT_EQ(stepper.dense_degree(), 5);
    EXPECT_EQ(stepper.dense(d.data()), PointStatus::good);
    std::vector<S> x(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 6; k-- > 0;) x[i] = theta * x[i] + d[static_cast<std::int64_t>(k * n_padded + i)];
    return x;
}

FieldOf<double>::Function growth() {
    return [](double, const double* x, double* dx) {
        dx[0] = x[0];
        return PointStatus::good;
    };
}

// --- one step by hand ---

TEST(Doubling, ComparesAnEulerStepWithTwoHalves) {
    // x' = x from 1 with h = 1: one step gives 2, the halves 1.5 and 2.25. Their difference is the error: 2^1 - 1 = 1.
    FieldOf<double> field(1, growth());
    const auto stepper = make_stepper<double>(find_method("euler"), field, nullptr,
                                              {.rtol = 1, .atol = 0.5, .estimate = Estimate::by_doubling});
    const double x = 1;
    stepper->begin(0, &x);
    const auto report = stepper->attempt(1);
    EXPECT_EQ(report.outcome, StepOutcome::done);
    EXPECT_EQ(report.error, 0.25 / (0.5 + 2.25));
    EXPECT_EQ(stepper->candidate()[0], 2.25);
    EXPECT_EQ(stepper->point()[0], 1);
    stepper->accept();
    EXPECT_EQ(stepper->point()[0], 2.25); // the halves go on
    EXPECT_EQ(stepper->tau(), 1);
    stepper->attempt(2); // 2.25 * 2 * 2
    stepper->accept();
    EXPECT_EQ(stepper->point()[0], 9);
    EXPECT_EQ(stepper->tau(), 3);
}

TEST(Doubling, ComparesProjectedPointsOnTheCircle) {
    // Along the unit circle with V = (-x2, x1): after an Euler step and its projection the angle has grown by atan(h).
    FieldOf<double> field(3, [](double, const double* x, double* dx) {
        dx[0] = -x[1];
        dx[1] = x[0];
        dx[2] = 0;
        return PointStatus::good;
    });
    Sphere<double> sphere(1);
    const auto stepper =
        make_stepper<double>(find_method("euler"), field, &sphere,
                             {.rtol = 0, .atol = 0.1, .project = Project::steps, .estimate = Estimate::by_doubling});
    const std::array<double, 3> x{1, 0, 0};
    stepper->begin(0, x.data());
    const auto report = stepper->attempt(0.8);
    const double one = std::atan(0.8), two = 2 * std::atan(0.4);
    EXPECT_NEAR(stepper->candidate()[0], std::cos(two), 1e-15);
    EXPECT_NEAR(stepper->candidate()[1], std::sin(two), 1e-15);
    // a chord of 2 sin(angle / 2), over three coordinates
    EXPECT_NEAR(report.error, 2 * std::sin((two - one) / 2) / 0.1 / std::sqrt(3), 1e-14);
    EXPECT_EQ(sphere.n_projections, 3);
    EXPECT_EQ(stepper->counts().projections, 3);
    EXPECT_EQ(stepper->counts().newton_iterations, 3);
    EXPECT_EQ(stepper->counts().newton_max, 1);
}

TEST(Doubling, DividesTheDifferenceByThatOfTheOrders) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        const auto pair = make_stepper<double>(m, field, nullptr, doubled<double>());
        const auto single = make_stepper<double>(m, field, nullptr, {});
        pair->begin(0, start.data());
        single->begin(0, start.data());
        single->attempt(1);
        std::array<double, 3> e{single->candidate()[0], single->candidate()[1], single->candidate()[2]};
        for (int k = 0; k < 2; ++k) {
            single->attempt(0.5);
            single->accept();
        }
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double p = single->point()[i];
            sum += std::pow((p - e[i]) / (1e-5 + 1e-3 * std::max(std::abs(start[i]), std::abs(p))), 2);
        }
        const double expected = std::sqrt(sum / 3) / (std::pow(2, m.order) - 1);
        EXPECT_NEAR(pair->attempt(1).error, expected, 1e-12 * expected) << m.name;
        for (int i = 0; i < 3; ++i) EXPECT_EQ(pair->candidate()[i], single->point()[i]) << m.name;
    }
}

TEST(Doubling, MeasuresInTheNormThatIsAskedFor) {
    // x' = (1, x1): one step of 1 from 0 gives (1, 0), two halves (1, 1/4).
    FieldOf<double> field(2, [](double, const double* x, double* dx) {
        dx[0] = 1;
        dx[1] = x[0];
        return PointStatus::good;
    });
    const std::array<double, 2> x{0, 0};
    for (const NormKind norm : {NormKind::rms, NormKind::max}) {
        const auto stepper =
            make_stepper<double>(find_method("euler"), field, nullptr,
                                 {.rtol = 0, .atol = 1, .estimate = Estimate::by_doubling, .norm = norm});
        stepper->begin(0, x.data());
        EXPECT_DOUBLE_EQ(stepper->attempt(1).error, norm == NormKind::max ? 0.25 : 0.25 / std::sqrt(2.0));
    }
}

// --- orders ---

struct Problem {
    std::string name;
    std::int64_t n;
    FieldOf<Quad>::Function field;
    std::array<Quad, 3> start;
    bool has_sphere;
};

const std::vector<Problem>& problems() {
    static const std::vector<Problem> list{
        {"Lotka-Volterra", 2, lotka_volterra<Quad>, {2, 1}, false},
        {"Euler top", 3, euler_top<Quad>, {4_q / 5, 3_q / 5, 1}, true},
    };
    return list;
}

// A stepper of a problem, by doubling or not, with errors measured as they are.
struct Curve {
    Curve(const MethodInfo& m, const Problem& p, Estimate estimate)
        : field(p.n, p.field),
          stepper(make_stepper<Quad>(m, field, p.has_sphere ? &sphere : nullptr,
                                     {.rtol = 0, .atol = 1, .project = Project::stages, .estimate = estimate})) {
        stepper->begin(0, p.start.data());
    }
    Quad steps(int n, Quad h) {
        Quad error = 0;
        for (int k = 0; k < n; ++k) {
            error = stepper->attempt(h).error;
            stepper->accept();
        }
        return error;
    }

    FieldOf<Quad> field;
    Sphere<Quad> sphere{2};
    std::unique_ptr<Stepper<Quad>> stepper;
};

std::vector<Quad> exact(const Problem& p, Quad t) {
    Curve curve(find_method("feagin108"), p, Estimate::none);
    curve.steps(256, t / 256);
    return {curve.stepper->point(), curve.stepper->point() + p.n};
}

double distance(const Problem& p, const Quad* x, const std::vector<Quad>& y) {
    double sum = 0;
    for (std::int64_t i = 0; i < p.n; ++i)
        sum += std::pow(static_cast<double>(x[i] - y[static_cast<std::size_t>(i)]), 2);
    return std::sqrt(sum);
}

// Errors for 64, 128, 256, 512 steps fall with that slope.
void expect_slope(const std::function<double(int)>& error, double order, const std::string& what) {
    std::array<double, 4> y{};
    for (std::size_t k = 0; k < 4; ++k) y[k] = -std::log2(error(64 << k));
    EXPECT_NEAR((3 * (y[3] - y[0]) + (y[2] - y[1])) / 10, order, 0.25) << what;
    EXPECT_NEAR(y[3] - y[2], order, 0.25) << what;
    EXPECT_LT(y[3], 100) << what << ": too near to round-off";
}

// For all methods on all problems: a step has length 2 / n.
template <class Error> void expect_orders(const Error& error, const std::function<int(const MethodInfo&)>& order) {
    for (const MethodInfo& m : explicit_methods())
        for (const Problem& p : problems())
            if (m.order <= 5)
                expect_slope([&](int n) { return error(m, p, n); }, order(m), std::string(m.name) + ", " + p.name);
}

TEST(Doubling, HasTheOrderOfTheMethod) {
    expect_orders(
        [](const MethodInfo& m, const Problem& p, int n) {
            Curve curve(m, p, Estimate::by_doubling);
            curve.steps(n, 2_q / n);
            return distance(p, curve.stepper->point(), exact(p, 2));
        },
        [](const MethodInfo& m) { return m.order; });
}

TEST(Doubling, EstimatesErrorsThatFallAsStepControlExpects) {
    expect_orders([](const MethodInfo& m, const Problem& p,
                     int n) { return static_cast<double>(Curve(m, p, Estimate::by_doubling).steps(1, 2_q / n)); },
                  [](const MethodInfo& m) {
                      return static_cast<int>(std::lround(1 / controller_options(m, Estimate::by_doubling).exponent));
                  });
}

TEST(Doubling, EstimatesTheErrorOfThePointThatGoesOn) {
    for (const MethodInfo& m : explicit_methods()) {
        if (m.order > 5) continue;
        for (const Problem& p : problems()) {
            const Quad h = 1_q / 256;
            Curve curve(m, p, Estimate::by_doubling);
            const auto estimate = static_cast<double>(curve.steps(1, h));
            const double error = distance(p, curve.stepper->point(), exact(p, h)) / std::sqrt(double(p.n));
            EXPECT_NEAR(estimate, error, 0.05 * error) << m.name << ", " << p.name; // off by O(h), relatively
        }
    }
}

TEST(Doubling, LooksTwiceWhereErrorsMayGrow) {
    const auto look = [](std::string_view name) { return method::second_look(find_method(name)); };
    using method::SecondLook;
    for (const auto* name : {"rk2", "rk4", "bs32", "taylor2", "radau_i3", "radau_i5"})
        EXPECT_EQ(look(name), SecondLook::simpson) << name;
    for (const auto* name : {"rkf45", "dopri54", "dop853", "taylor"}) EXPECT_EQ(look(name), SecondLook::own) << name;
    for (const auto* name : {"euler", "implicit_midpoint", "trapezoidal", "gauss8", "radau5", "lobatto4", "verlet"})
        EXPECT_EQ(look(name), SecondLook::none) << name;
}

// x' = z x with h = 1: there are z where one step and two halves multiply by the same, and by more than 1.
TEST(Doubling, SeesErrorsThatGrow) {
    for (const MethodInfo& info : explicit_methods()) {
        double rate = 0;
        FieldOf<double> field(1, [&rate](double, const double* x, double* dx) {
            dx[0] = rate * x[0];
            return PointStatus::good;
        });
        const auto stepper = make_stepper<double>(info, field, nullptr, doubled<double>(Project::nothing));
        double unseen = 0;
        for (rate = -1; rate > -40; rate -= 1e-3) {
            const double x = 1;
            stepper->begin(0, &x);
            const StepReport<double> report = stepper->attempt(1);
            const bool grows = report.outcome == StepOutcome::done && std::fabs(stepper->candidate()[0]) > 1.1;
            if (grows && report.error <= 1) unseen = rate;
        }
        EXPECT_EQ(unseen, 0) << info.name;
    }
}

TEST(Doubling, HasDenseOutputWhoseLocalErrorIsOneOrderHigher) {
    const Quad theta = 3_q / 8;
    expect_orders(
        [theta](const MethodInfo& m, const Problem& p, int n) {
            const Quad h = 2_q / n;
            Curve curve(m, p, Estimate::by_doubling);
            curve.steps(1, h);
            const auto x = between(*curve.stepper, static_cast<std::size_t>(p.n), theta);
            return distance(p, x.data(), exact(p, theta * h));
        },
        [](const MethodInfo& m) { return dense_order(m, Estimate::by_doubling) + 1; });
}

// --- the curve between the points ---

TEST(Doubling, HasACurveThroughThreePointsAlongTheirDirections) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<Quad> field(3, euler_top<Quad>);
        Sphere<Quad> sphere(2), other(2);
        const auto stepper = make_stepper<Quad>(m, field, &sphere, doubled<Quad>());
        const auto halves = make_stepper<Quad>(m, field, &other, {.project = Project::stages});
        const std::array<Quad, 3> x_0{0.8_q, 0.6_q, 1};
        stepper->begin(0, x_0.data());
        halves->begin(0, x_0.data());
        const Quad h = 1_q / 2;
        stepper->attempt(h);
        const auto before = between(*stepper, 3, 1_q / 3);
        stepper->accept();
        EXPECT_EQ(between(*stepper, 3, 1_q / 3), before) << m.name << ": it is there before the step is accepted";
        for (const Quad theta : {0_q, 1_q / 2, 1_q}) {
            const Quad small = 1e-14_q;
            const auto at = between(*stepper, 3, theta), near = between(*stepper, 3, theta + small);
            const Quad* v = halves->direction();
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_LT(std::abs(double(at[i] - halves->point()[i])), 1e-30) << m.name;
                EXPECT_LT(std::abs(double((near[i] - at[i]) / small - h * v[i])), 1e-12) << m.name;
            }
            halves->attempt(h / 2);
            halves->accept();
        }
    }
}

// --- evaluations, memory ---

TEST(Doubling, EvaluatesOnceAtEachPoint) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        Sphere<double> sphere(2);
        const auto stepper = make_stepper<double>(m, field, &sphere, doubled<double>());
        stepper->begin(0, start.data());
        EXPECT_EQ(field.n_calls, 0);
        const auto stages = static_cast<std::int64_t>(m.n_stages);
        const auto calls = [&](const auto& action) {
            const std::int64_t before = field.n_calls;
            action();
            return field.n_calls - before;
        };
        EXPECT_EQ(calls([&] { stepper->attempt(0.1); }), 3 * stages - 1) << m.name;
        EXPECT_EQ(calls([&] { stepper->attempt(0.05); }), 3 * stages - 2) << m.name; // V at the start is there already
        EXPECT_EQ(calls([&] { stepper->accept(); }), 0) << m.name;
        const std::int64_t at_end = m.is_fsal ? 0 : 1; // and so it is here
        EXPECT_EQ(calls([&] { stepper->direction(); }), at_end) << m.name;
        EXPECT_EQ(calls([&] { between(*stepper, 3, 0.3); }), 0) << m.name;
        EXPECT_EQ(calls([&] { stepper->attempt(0.1); }), 3 * stages - 2) << m.name;
        EXPECT_EQ(stepper->counts().stages, field.n_calls) << m.name;
        EXPECT_EQ(stepper->counts().projections, sphere.n_projections) << m.name;
    }
}

TEST(Doubling, StaysWhereItIsUntilAStepIsAccepted) {
    FieldOf<double> field(3, euler_top<double>);
    const auto stepper = make_stepper<double>(find_method("rk4"), field, nullptr, doubled<double>());
    stepper->begin(5, start.data());
    stepper->attempt(2);
    between(*stepper, 3, 0.5);
    EXPECT_EQ(stepper->tau(), 5);
    EXPECT_EQ(stepper->point()[0], start[0]);
    stepper->attempt(0.5); // the last attempt counts
    const double reached = stepper->candidate()[0];
    stepper->accept();
    EXPECT_EQ(stepper->tau(), 5.5);
    EXPECT_EQ(stepper->point()[0], reached);
    EXPECT_EQ(stepper->candidate()[0], reached);
    const auto fresh = make_stepper<double>(find_method("rk4"), field, nullptr, doubled<double>());
    fresh->begin(5, start.data());
    fresh->attempt(0.5);
    EXPECT_EQ(fresh->candidate()[0], reached);
    stepper->begin(5, start.data()); // as new
    stepper->attempt(0.5);
    EXPECT_EQ(stepper->candidate()[0], reached);
}

TEST(Doubling, ComputesInDoubleWhatItComputesInQuad) {
    for (const MethodInfo& m : explicit_methods()) {
        FieldOf<double> field(3, euler_top<double>);
        FieldOf<Quad> field_q(3, euler_top<Quad>);
        Sphere<double> sphere(2);
        Sphere<Quad> sphere_q(2);
        const auto stepper = make_stepper<double>(m, field, &sphere, doubled<double>());
        const auto stepper_q = make_stepper<Quad>(m, field_q, &sphere_q, doubled<Quad>());
        const std::array<Quad, 3> start_q{start[0], start[1], start[2]};
        stepper->begin(0, start.data());
        stepper_q->begin(0, start_q.data());
        for (int k = 0; k < 4; ++k) {
            // Differences of points that are good to 1e-16, in units of 1e-5.
            EXPECT_NEAR(stepper->attempt(0.25).error, static_cast<double>(stepper_q->attempt(0.25).error), 1e-9);
            stepper->accept();
            stepper_q->accept();
            const auto x = between(*stepper, 3, 0.3);
            const auto x_q = between(*stepper_q, 3, Quad(0.3));
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_NEAR(stepper->point()[i], static_cast<double>(stepper_q->point()[i]), 1e-14) << m.name;
                EXPECT_NEAR(x[i], static_cast<double>(x_q[i]), 1e-14) << m.name;
            }
        }
    }
}

template <class S> void expect_no_allocation(const MethodInfo& m) {
    FieldOf<S> field(3, euler_top<S>);
    Sphere<S> sphere(2);
    const auto stepper = make_stepper<S>(m, field, &sphere, doubled<S>());
    const std::array<S, 3> x{S(start[0]), S(start[1]), S(start[2])};
    linalg::Vector<S> d(linalg::padded(3) * 6);
    const std::size_t before = n_allocations();
    stepper->begin(0, x.data());
    for (int k = 0; k < 10; ++k) {
        stepper->attempt(S(0.2));
        stepper->attempt(S(0.1));
        stepper->dense(d.data());
        stepper->accept();
        stepper->direction();
        stepper->dense(d.data());
        stepper->counts();
    }
    EXPECT_EQ(n_allocations(), before) << m.name;
}

TEST(Doubling, TakesNoMemoryOnceItIsMade) {
    for (const MethodInfo& m : explicit_methods()) {
        expect_no_allocation<double>(m);
        expect_no_allocation<Quad>(m);
    }
}

TEST(Doubling, TakesAnySize) {
    for (const std::int64_t n : {0, 1, 7, 8, 9, 512}) {
        FieldOf<double> field(n, [n](double, const double* x, double* dx) {
            for (std::int64_t i = 0; i < n; ++i) dx[i] = -x[i];
            return PointStatus::good;
        });
        const auto stepper = make_stepper<double>(find_method("rk4"), field, nullptr, doubled<double>());
        linalg::Vector<double> x(n);
        for (double& x_i : x) x_i = 1;
        stepper->begin(0, x.data());
        for (int k = 0; k < 4; ++k) {
            const double error = stepper->attempt(0.25).error;
            EXPECT_TRUE(error >= 0 && error < 1) << n;
            stepper->accept();
            between(*stepper, static_cast<std::size_t>(n), 0.5);
        }
        for (std::int64_t i = 0; i < n; ++i) EXPECT_NEAR(stepper->point()[i], std::exp(-1), 1e-5) << n;
        for (std::int64_t i = n; i < linalg::padded(n); ++i) EXPECT_EQ(stepper->point()[i], 0) << n;
    }
}

// --- failures ---

TEST(Doubling, SaysWhereThereIsNoDirection) {
    // V is good up to x = limit: the whole step, the first half and the second reach beyond other limits.
    double limit = 0;
    FieldOf<double> field(1, [&](double, const double* x, double* dx) {
        dx[0] = 1;
        return x[0] <= limit ? PointStatus::good : PointStatus::singular;
    });
    const auto stepper = make_stepper<double>(find_method("euler"), field, nullptr, doubled<double>());
    const double x = 0;
    const auto attempt = [&](double new_limit, double h) {
        limit = new_limit;
        stepper->begin(0, &x);
        return stepper->attempt(h);
    };
    const auto outcome = [&](double new_limit, double h) { return attempt(new_limit, h).outcome; };
    const StepReport<double> middle = attempt(0, 1);
    EXPECT_EQ(middle.outcome, StepOutcome::no_direction); // at the middle, which is not here
    EXPECT_EQ(middle.failed.tau, 0.5);
    EXPECT_EQ(middle.failed.point[0], 0.5);
    double d[48];
    EXPECT_NE(stepper->dense(d), PointStatus::good);
    stepper->accept(); // there is nothing to accept
    EXPECT_EQ(stepper->tau(), 0);
    EXPECT_EQ(outcome(0.5, 1), StepOutcome::done);
    stepper->accept();
    EXPECT_EQ(stepper->direction(), nullptr); // beyond the limit now
    EXPECT_EQ(stepper->status(), PointStatus::singular);
    EXPECT_EQ(stepper->dense(d), PointStatus::singular);
    const StepReport<double> end = stepper->attempt(0.1);
    EXPECT_EQ(end.outcome, StepOutcome::no_direction_here);
    EXPECT_EQ(end.failed.tau, 1);
    EXPECT_EQ(outcome(-1, 1), StepOutcome::no_direction_here);
    EXPECT_EQ(outcome(1, INFINITY), StepOutcome::no_direction);
    EXPECT_EQ(outcome(1, NAN), StepOutcome::no_direction);
    EXPECT_EQ(outcome(1, 1), StepOutcome::done);
    EXPECT_EQ(outcome(1, -1), StepOutcome::done);
}

TEST(Doubling, SaysWhereAProjectionFails) {
    for (std::int64_t fails_from = 0; fails_from < 3; ++fails_from) {
        FieldOf<double> field(3, euler_top<double>);
        Sphere<double> sphere(2);
        sphere.fails_from = fails_from;
        const auto stepper = make_stepper<double>(find_method("euler"), field, &sphere, doubled<double>());
        stepper->begin(0, start.data());
        const auto report = stepper->attempt(0.1);
        EXPECT_EQ(report.outcome, StepOutcome::no_projection);
        EXPECT_EQ(report.why, PointStatus::not_converged);
        EXPECT_EQ(stepper->counts().newton_max, 7);
        stepper->accept();
        EXPECT_EQ(stepper->tau(), 0);
        sphere.fails_from = INT64_MAX;
        EXPECT_EQ(stepper->attempt(0.1).outcome, StepOutcome::done);
    }
}

TEST(Doubling, RefusesToGoOnWithAnEmbeddedPoint) {
    FieldOf<double> field(3, euler_top<double>);
    StepperOptions<double> options = doubled<double>();
    options.continue_embedded = true;
    try {
        make_stepper<double>(find_method("dopri54"), field, nullptr, options);
        ADD_FAILURE();
    } catch (const InvalidInput& error) {
        EXPECT_EQ(std::string(error.what()), "with control = doubling the point of the two "
                                             "half steps goes on, not an embedded one: leave one of them out");
    }
}

} // namespace
} // namespace vessiot::test::doubling_test
