// Do the explicit Runge-Kutta steppers have the orders that are declared, without and with projection?
//
// Errors are measured against feagin108 in steps so small that its own error is round-off. All in quad precision, so
// that errors stay far above round-off at every order; that the double stepper computes the same is a unit test. The
// coefficients are checked by tableaux_test, algebraically; this is about the code.
//
// Of the curve between the points two things are measured, at theta = 3/8 of a step: after one step from an exact
// point, where it must be off by h^(dense_order + 1), and in the last of many steps, by h^min(order, dense_order + 1).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "control/controller.hpp"
#include "linalg/vector.hpp"
#include "method/number.hpp"
#include "method/stepper.hpp"
#include "support/fields.hpp"

namespace vessiot::test::explicit_rk_test {
namespace {

using method::explicit_methods;
using method::MethodInfo;
using method::operator""_q;
using Vector = linalg::Vector<Quad>;

struct Problem {
    std::string name;
    std::int64_t n;
    FieldOf<Quad>::Function field;
    std::array<Quad, 3> start;
    Quad length; // of the interval of time
};

const Problem& predators() {
    static const Problem problem{"Lotka-Volterra", 2, lotka_volterra<Quad>, {2, 1}, 2};
    return problem;
}

// On the sphere |x|^2 = 2.
const Problem& top() {
    static const Problem problem{"Euler top", 3, euler_top<Quad>, {4_q / 5, 3_q / 5, 1}, 3};
    return problem;
}

// How a problem is integrated.
struct Setting {
    const Problem* problem;
    Project project = Project::nothing;
    bool continue_embedded = false;

    std::string name() const {
        constexpr std::array words{"", ", steps projected", ", stages projected"};
        return problem->name + words[static_cast<std::size_t>(project)] + (continue_embedded ? ", low" : "");
    }
};

const std::vector<Setting>& settings() {
    static const std::vector<Setting> list{
        {&predators()}, {&top()}, {&top(), Project::steps}, {&top(), Project::stages}};
    return list;
}

// A stepper with all that it needs, at the start of the problem.
class Curve {
public:
    Curve(const MethodInfo& info, const Setting& setting)
        : field_(setting.problem->n, setting.problem->field), sphere_(2),
          stepper_(make_stepper<Quad>(
              info, field_, setting.project == Project::nothing ? nullptr : &sphere_,
              {.rtol = 0, .atol = 1, .project = setting.project, .continue_embedded = setting.continue_embedded})) {
        stepper_->begin(0, setting.problem->start.data());
    }
    // n steps of h. Gives the last report.
    StepReport<Quad> steps(int n, Quad h) {
        StepReport<Quad> report;
        for (int k = 0; k < n; ++k) {
            report = stepper_->attempt(h);
            EXPECT_EQ(report.outcome, StepOutcome::done);
            stepper_->accept();
        }
        return report;
    }
    Vector point() const { return copy(stepper_->point()); }
    // x(theta) in the last step.
    Vector between(Quad theta) {
        const std::int64_t n = linalg::padded(field_.size());
        Vector d(n * (stepper_->dense_degree() + 1));
        EXPECT_EQ(stepper_->dense(d.data()), PointStatus::good);
        for (int k = stepper_->dense_degree(); k > 0; --k)
            for (std::int64_t i = 0; i < n; ++i) d[(k - 1) * n + i] += theta * d[k * n + i];
        return copy(d.data());
    }

private:
    Vector copy(const Quad* x) const {
        Vector v(field_.size());
        std::copy_n(x, field_.size(), v.begin());
        return v;
    }

    FieldOf<Quad> field_;
    Sphere<Quad> sphere_;
    std::unique_ptr<Stepper<Quad>> stepper_;
};

Vector solution(const Problem& problem, Quad t, int n_steps = 512) {
    Curve curve(method::find_method("feagin108"), {&problem});
    curve.steps(n_steps, t / n_steps);
    return curve.point();
}

const Vector& end_of(const Problem& problem) {
    static std::map<const Problem*, Vector> ends;
    const auto [place, is_new] = ends.try_emplace(&problem);
    if (is_new) place->second = solution(problem, problem.length, 2048);
    return place->second;
}

double distance(const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::int64_t i = 0; i < x.size(); ++i) sum += std::pow(static_cast<double>(x[i] - y[i]), 2);
    return std::sqrt(sum);
}

// The errors of five runs, each with half the step of the one before, fall with slope `order`.
void expect_slope(const std::function<double(int)>& error, int first, double order, const std::string& what) {
    std::array<double, 5> y{}; // binary digits
    for (std::size_t k = 0; k < 5; ++k) {
        y[k] = -std::log2(error(first << k));
        if (k > 0) {
            EXPECT_GT(y[k], y[k - 1]) << what << ": errors must fall";
        }
    }
    const double fit = (2 * (y[4] - y[0]) + (y[3] - y[1])) / 10; // least squares on equidistant points
    const double finest = y[4] - y[3];
    EXPECT_NEAR(fit, order, 0.25) << what;
    EXPECT_NEAR(finest, order, 0.25) << what;
    EXPECT_LT(y[4], 100) << what << ": the error is too near to round-off, 2^-112";
    ::testing::Test::RecordProperty(what, std::to_string(fit) + " " + std::to_string(finest));
}

// The fewest steps of a measurement: where all methods are asymptotic (tsit54 has small leading terms), and orders of 8
// and more not yet near to round-off, 1e-33.
int fewest_steps(int order) {
    return order < 8 ? 128 : 16;
}

void expect_order(const MethodInfo& m, const Setting& setting, int order) {
    const Problem& p = *setting.problem;
    const auto error = [&](int n) {
        Curve curve(m, setting);
        curve.steps(n, p.length / n);
        return distance(curve.point(), end_of(p));
    };
    expect_slope(error, fewest_steps(order), order, std::string(m.name) + ", " + setting.name());
}

TEST(ExplicitRungeKutta, ReachesItsDeclaredOrderWithoutAndWithProjection) {
    for (const MethodInfo& m : explicit_methods())
        for (const Setting& setting : settings()) expect_order(m, setting, m.order);
}

TEST(ExplicitRungeKutta, ReachesTheEmbeddedOrderIfItGoesOnWithThatPoint) {
    for (const MethodInfo& m : explicit_methods()) {
        if (m.embedded_order == 0) continue;
        expect_order(m, {&predators(), Project::nothing, true}, m.embedded_order);
        expect_order(m, {&top(), Project::steps, true}, m.embedded_order);
    }
}

TEST(ExplicitRungeKutta, EstimatesErrorsThatFallAsStepControlExpects) {
    for (const MethodInfo& m : explicit_methods()) {
        if (!m.is_adaptive) continue;
        for (const Setting& setting : settings()) {
            const auto error = [&](int n) {
                return static_cast<double>(Curve(m, setting).steps(1, setting.problem->length / n).error);
            };
            expect_slope(error, 32, 1 / controller_options(m).exponent,
                         std::string(m.name) + " estimate, " + setting.name());
        }
    }
}

TEST(ExplicitRungeKutta, HasDenseOutputWhoseLocalErrorIsOneOrderHigher) {
    const Quad theta = 3_q / 8;
    for (const MethodInfo& m : explicit_methods()) {
        for (const Setting& setting : settings()) {
            const auto error = [&](int n) {
                const Quad h = setting.problem->length / n;
                Curve curve(m, setting);
                curve.steps(1, h);
                return distance(curve.between(theta), solution(*setting.problem, theta * h, 16));
            };
            expect_slope(error, 32, dense_order(m) + 1, std::string(m.name) + " dense, " + setting.name());
        }
    }
}

TEST(ExplicitRungeKutta, HasDenseOutputWhoseGlobalErrorIsThatOfThePointsOrOneOrderAboveItsOwn) {
    const Quad theta = 3_q / 8;
    for (const MethodInfo& m : explicit_methods()) {
        const int order = std::min(m.order, dense_order(m) + 1);
        for (const Setting& setting : settings()) {
            const auto error = [&](int n) {
                const Quad h = setting.problem->length / n;
                Curve curve(m, setting);
                curve.steps(n, h);
                return distance(curve.between(theta), solution(*setting.problem, (n - 1 + theta) * h));
            };
            expect_slope(error, fewest_steps(order), order, std::string(m.name) + " dense global, " + setting.name());
        }
    }
}

} // namespace
} // namespace vessiot::test::explicit_rk_test
