// Do methods that choose their steps see the error of quadratures, y' = g(t)? An embedded pair whose difference
// vanishes for all of them would step over anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "method/estimate/quadrature_estimate.hpp"
#include "method/multistep/multistep_entries.hpp"
#include "method/registry.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::quadrature_test {
namespace {

using method::MethodInfo;
using method::View;

struct Quadrature {
    std::string name, text; // g
    double from, to, integral;
};

// Smooth, growing, with poles near by, and with peaks between flat parts.
const std::vector<Quadrature>& quadratures() {
    static const std::vector<Quadrature> list{
        {"sine", "sin(t)", 0, 20, 1 - std::cos(20.0)},
        {"exponential", "exp(t/2)", 0, 8, 2 * (std::exp(4.0) - 1)},
        {"Runge", "1/(1 + 25*t^2)", -2, 2, 0.4 * std::atan(10.0)},
        {"peak", "1/(0.01 + (t - 2)^2)", 0, 4, 20 * std::atan(20.0)},
        {"Gauss", "exp(-2*(t - 2)^2)", 0, 5,
         std::sqrt(M_PI / 8) * (std::erf(std::sqrt(8.0)) + std::erf(std::sqrt(18.0)))},
        {"even", "1/(1 + t^8)", 0, 1.5, 1.0179595367421918},
    };
    return list;
}

// A model in the shape that the method needs whose y is the quadrature; empty where it has no such shape.
std::string model_for(const MethodInfo& m, const Quadrature& q) {
    const std::string ode = "unknown y\ny' = " + q.text + "\nstart y = 0\n";
    switch (m.needs) {
    case View::any:
    case View::square: return ode;
    case View::constraints:
    case View::one_constraint: // on a circle beside it
        return "unknown y, u, v\ny' = " + q.text +
               "\nu' = -v\nv' = u\ninvariant u^2 + v^2\nstart y = 0, u = 1, v = 0\n";
    case View::separable: return "unknown y, p\ny' = " + q.text + "\np' = 0*y\nstart y = 0, p = 0\n";
    case View::mechanical: // its velocity
        return "unknown z\nz'' = " + q.text + "\nstart z = 0, z' = 0\n";
    case View::lie:
    case View::linear_lie: // the upper right entry
        return "matrix Y[2,2] in SL(2)\nY' = [[0, " + q.text + "], [0, 0]]*Y\nstart Y = identity(2)\n";
    case View::quadratic: return "";
    }
    return "";
}

double value_of(const Solution& sol, const MethodInfo& m) {
    const bool is_lie = m.needs == View::lie || m.needs == View::linear_lie;
    const std::string name = m.needs == View::mechanical ? "z'" : is_lie ? "Y[1,2]" : "y";
    const auto at = static_cast<std::size_t>(std::ranges::find(sol.names, name) - sol.names.begin());
    EXPECT_LT(at, sol.names.size());
    return sol.row(sol.t.size() - 1)[at];
}

// Errors of steps add up, and methods of low order make many; those of multistep methods are as large as estimated,
// since it is not a better point that goes on.
double most(const MethodInfo& m) {
    return m.order == 1 ? 1000 : m.order == 2 || method::is_multistep(m) ? 300 : 60;
}

TEST(Quadrature, EveryMethodWithAnEstimateMeetsItsTolerance) {
    for (const MethodInfo& m : method::methods()) {
        for (const Quadrature& q : quadratures()) {
            const std::string text = model_for(m, q);
            if (text.empty()) continue;
            for (const double rtol : {1e-4, 1e-7}) {
                if (m.order < 3 && rtol < 1e-5) continue;
                SolveOptions o{.method = std::string(m.name), .rtol = rtol, .atol = rtol / 10};
                o.from = q.from;
                o.to = q.to;
                o.backend = "interpreter";
                if (m.family->can_amplify && !m.family->is_explicit && !m.family->carries_derivatives)
                    o.projection = "none";
                const Solution sol = solve(Model::parse(text), o);
                ASSERT_EQ(sol.status, Status::success) << m.name << ", " << q.name << ": " << sol.message;
                EXPECT_LE(std::fabs(value_of(sol, m) - q.integral), most(m) * rtol * (1 + std::fabs(q.integral)))
                    << m.name << ", " << q.name << " at " << rtol << ", " << sol.stats.steps << " steps";
            }
        }
    }
}

TEST(Quadrature, InQuadPrecision) {
    SolveOptions o{.method = "feagin108", .rtol = 1e-20, .atol = 1e-22};
    o.to = 20;
    o.precision = "quad";
    const Solution sol = solve(Model::parse("unknown y, z\ny' = sin(t)\nz' = cos(t)\nstart y = 0, z = 0\noutput d = "
                                            "(y - (1 - cos(t)))*1e15\n"),
                               o);
    ASSERT_EQ(sol.status, Status::success) << sol.message;
    EXPECT_LE(std::fabs(sol.column("d").back()), 1e-2);
}

// What is between: the field depends on x a little only.
TEST(Quadrature, NearlySo) {
    SolveOptions o{.method = "feagin108", .rtol = 1e-8, .atol = 1e-10};
    o.to = 100;
    const Solution sol = solve(Model::parse("unknown x\nx' = sin(t) - 0.001*x\nstart x = 0\n"), o);
    const double k = 0.001, exact = (k * std::sin(100.0) - std::cos(100.0) + std::exp(-k * 100)) / (1 + k * k);
    ASSERT_EQ(sol.status, Status::success) << sol.message;
    EXPECT_NEAR(sol.row(sol.t.size() - 1)[0], exact, 1e-7);
}

// By the coefficients: sum_i (b_i - b_hat_i) c_i^k is not 0 for some power k. Where it is, there is a second estimate.
TEST(Quadrature, BlindPairsAreKnown) {
    std::vector<std::string> blind;
    for (const MethodInfo& m : method::explicit_methods())
        if (method::is_blind_to_quadratures(m.tableau)) blind.emplace_back(m.name);
    EXPECT_EQ(blind, std::vector<std::string>{"feagin108"});
    for (const MethodInfo& m : method::methods()) {
        const method::TableauView& t = m.tableau;
        if (t.b_hat.empty()) continue;
        double largest = 0;
        for (int power = 0; power < 12; ++power) {
            Quad sum = 0;
            for (std::size_t i = 0; i < t.n_stages; ++i) {
                Quad term = t.b[i] - t.b_hat[i];
                for (int k = 0; k < power; ++k) term *= t.c[i];
                sum += term;
            }
            largest = std::max(largest, std::fabs(static_cast<double>(sum)));
        }
        EXPECT_EQ(largest < 1e-25, method::is_blind_to_quadratures(t)) << m.name;
        EXPECT_EQ(method::QuadratureEstimate<double>(t, m.order).is_needed(), largest < 1e-25) << m.name;
    }
}

// For x' = lambda x the difference is a polynomial in h lambda: sum_i (b_i - b_hat_i) (A^k 1)_i for the power k + 1.
TEST(Quadrature, NoPairIsBlindToLinearSystems) {
    for (const MethodInfo& m : method::methods()) {
        const method::TableauView& t = m.tableau;
        if (t.b_hat.empty()) continue;
        std::vector<Quad> power(t.n_stages, 1), next(t.n_stages);
        double largest = 0;
        for (std::size_t k = 0; k < t.n_stages; ++k) {
            Quad sum = 0;
            for (std::size_t i = 0; i < t.n_stages; ++i) sum += (t.b[i] - t.b_hat[i]) * power[i];
            largest = std::max(largest, std::fabs(static_cast<double>(sum)));
            for (std::size_t i = 0; i < t.n_stages; ++i) {
                next[i] = 0;
                for (std::size_t j = 0; j < t.n_stages; ++j) next[i] += t.a[i * t.n_total + j] * power[j];
            }
            power = next;
        }
        EXPECT_GT(largest, 1e-12) << m.name;
    }
}

} // namespace
} // namespace vessiot::quadrature_test
