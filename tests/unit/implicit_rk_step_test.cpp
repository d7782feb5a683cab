// Implicit Runge-Kutta methods, step by step: their coefficients, the error estimate, and no memory on the way.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "distribution/curve_field.hpp"
#include "linalg/scalar.hpp"
#include "method/implicit/implicit_coefficients.hpp"
#include "method/parts.hpp"
#include "method/stepper.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/start/start.hpp"
#include "support/count_allocations.hpp"
#include "support/gallery.hpp"

namespace vessiot::implicit_rk_step_test {
namespace {

using method::ImplicitCoefficients;
using method::MethodInfo;

constexpr double rounding = 1e-28; // of sums of a few products in quadruple precision

// T Lambda T^-1 A' = 1, with the blocks of the pairs.
TEST(ImplicitCoefficients, DiagonaliseTheInverseOfTheTableau) {
    for (const MethodInfo& m : method::implicit_methods()) {
        const ImplicitCoefficients c(m.tableau);
        const std::size_t r = c.n_implicit, first = c.has_explicit;
        std::vector<Quad> lambda(r * r);
        for (std::size_t k = 0; k < c.real.size(); ++k) lambda[k * r + k] = c.real[k];
        for (std::size_t p = 0; p < c.pairs.size(); ++p) {
            const std::size_t k = c.real.size() + 2 * p;
            lambda[k * r + k] = lambda[(k + 1) * r + k + 1] = c.pairs[p].re;
            lambda[k * r + k + 1] = c.pairs[p].im;
            lambda[(k + 1) * r + k] = -c.pairs[p].im;
        }
        EXPECT_EQ(c.real.size() + 2 * c.pairs.size(), r) << m.name;
        const auto times = [r](const std::vector<Quad>& a, const std::vector<Quad>& b) {
            std::vector<Quad> product(r * r);
            for (std::size_t i = 0; i < r; ++i)
                for (std::size_t k = 0; k < r; ++k)
                    for (std::size_t j = 0; j < r; ++j) product[i * r + j] += a[i * r + k] * b[k * r + j];
            return product;
        };
        std::vector<Quad> a(r * r);
        for (std::size_t i = 0; i < r; ++i)
            for (std::size_t j = 0; j < r; ++j) a[i * r + j] = m.tableau.a[(i + first) * m.n_stages + j + first];
        const std::vector<Quad> one = times(times(times(c.t, lambda), c.t_inverse), a);
        for (std::size_t i = 0; i < r; ++i)
            for (std::size_t j = 0; j < r; ++j)
                EXPECT_LT(static_cast<double>(linalg::absolute(one[i * r + j] - (i == j ? 1 : 0))), rounding) << m.name;
    }
}

// b^ = b + e A: with gamma_0 at the start a quadrature formula of order S.
TEST(ImplicitCoefficients, EstimateWithAFormulaOfTheOrderOfTheStages) {
    for (const MethodInfo& m : method::implicit_methods()) {
        const ImplicitCoefficients c(m.tableau);
        if (m.embedded_order == 0) continue;
        EXPECT_EQ(m.embedded_order, static_cast<int>(m.n_stages)) << m.name;
        std::vector<Quad> power(m.n_stages, 1);
        for (std::size_t q = 1; q <= m.n_stages; ++q) {
            Quad sum = q == 1 ? c.gamma_0 : Quad(0);
            for (std::size_t j = 0; j < m.n_stages; ++j) {
                Quad weight = m.tableau.b[j];
                for (std::size_t i = 0; i < m.n_stages; ++i) weight += c.e[i] * m.tableau.a[i * m.n_stages + j];
                sum += weight * power[j];
                power[j] *= m.tableau.c[j];
            }
            EXPECT_LT(static_cast<double>(linalg::absolute(sum - 1 / static_cast<Quad>(q))), rounding) << m.name;
        }
    }
}

// A model with a stepper, as a run has them.
template <class S> struct Ready {
    SampledTime time;
    std::shared_ptr<Compiled<S>> problem;
    StartPoint<S> start;
    std::unique_ptr<Parts<S>> parts;
    std::unique_ptr<TimeField<S>> field;
    std::unique_ptr<Stepper<S>> stepper;

    Ready(const std::string& model, const std::string& name, StepperOptions<S> options,
          const test::ParameterSettings& set = {}) {
        SolveOptions o;
        o.backend = "interpreter";
        const System system = test::gallery_system(model, set);
        problem = std::make_shared<Compiled<S>>(std::make_shared<const Analysis>(system, settled(o)), settled(o));
        start = make_start(*problem, settled(o), S(0));
        parts = std::make_unique<Parts<S>>(Parts<S>{problem->system(), problem->prolongation(), problem->jets(),
                                                    problem->manifold(), problem->distribution(), problem->evaluator(),
                                                    false});
        field = std::make_unique<TimeField<S>>(problem->distribution(), time);
        options.parts = parts.get();
        stepper = make_stepper<S>(method::find_method(name), *field, nullptr, options);
        stepper->begin(S(0), start.u.data());
    }
};

// In units of tolerances that depend on nothing but rtol = atol: one order more than the embedded formula.
TEST(ImplicitRk, EstimatesErrorsOfTheDeclaredOrder) {
    for (const MethodInfo& m : method::implicit_methods()) {
        if (m.embedded_order == 0) continue;
        StepperOptions<Quad> options;
        options.rtol = options.atol = Quad(1e-26);
        Ready<Quad> ready("lotka_volterra", std::string(m.name), options);
        std::vector<double> logs;
        for (int k = 0; k < 4; ++k) {
            const auto report = ready.stepper->attempt(Quad(0.02) / (1 << k));
            ASSERT_EQ(report.outcome, StepOutcome::done) << m.name;
            logs.push_back(std::log2(static_cast<double>(report.error)));
        }
        EXPECT_NEAR(logs[2] - logs[3], m.embedded_order + 1, 0.25) << m.name;
    }
}

TEST(ImplicitRk, TakesNoMemoryInTheStepLoop) {
    for (const std::string model : {"robertson", "van_der_pol", "andrews", "heat"})
        for (const std::string name : {"implicit_euler", "trapezoidal", "radau5", "gauss4"}) {
            Ready<double> ready(model, name, {});
            const double h = model == "andrews" ? 1e-5 : 1e-6;
            linalg::Vector<double> polynomial((ready.stepper->dense_degree() + 1) *
                                              linalg::padded(ready.problem->n_state()));
            std::size_t before = 0;
            for (int k = 0; k < 12; ++k) {
                if (k == 2) before = test::n_allocations();
                ASSERT_EQ(ready.stepper->attempt(h * (1 + 0.01 * k)).outcome, StepOutcome::done) << model << name;
                ASSERT_EQ(ready.stepper->dense(polynomial.data()), PointStatus::good);
                ready.stepper->accept();
            }
            EXPECT_EQ(test::n_allocations() - before, 0u) << model << ", " << name;
        }
}

// From the end of the curve to its start and back: a polynomial that passes through both points.
TEST(ImplicitRk, DenseOutputEndsAtTheStep) {
    for (const MethodInfo& m : method::implicit_methods()) {
        Ready<double> ready("lotka_volterra", std::string(m.name), {});
        ASSERT_EQ(ready.stepper->attempt(0.1).outcome, StepOutcome::done);
        const int degree = ready.stepper->dense_degree();
        const std::int64_t stride = linalg::padded(2);
        linalg::Vector<double> d((degree + 1) * stride);
        ASSERT_EQ(ready.stepper->dense(d.data()), PointStatus::good);
        for (int i = 0; i < 2; ++i) {
            double sum = 0;
            for (int k = degree; k >= 0; --k) sum += d[k * stride + i];
            EXPECT_NEAR(sum, ready.stepper->candidate()[i], 1e-14) << m.name; // roundings of a few terms
            EXPECT_EQ(d[i], ready.start.u[i]) << m.name;
        }
    }
}

} // namespace
} // namespace vessiot::implicit_rk_step_test
