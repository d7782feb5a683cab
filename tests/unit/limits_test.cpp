// What large models and long derivatives cost, and that their analysis can be ended.
#include <cmath>
#include <ctime>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/cancellation.hpp"
#include "expr/graph/graph.hpp"
#include "lang/model.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::limits_test {
namespace {

double processor_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// n scalar unknowns, each coupled to its neighbours, all declared in one line.
std::string scalar_chain(int n) {
    std::string unknowns, equations;
    for (int i = 1; i <= n; ++i) {
        unknowns += fmt::format("{}x{}", i == 1 ? "" : ", ", i);
        equations += fmt::format("x{}' = {} - 2*x{} + {}\nstart x{} = {}\n", i, i > 1 ? fmt::format("x{}", i - 1) : "0",
                                 i, i < n ? fmt::format("x{}", i + 1) : "0", i, i == 1 ? 1 : 0);
    }
    return "unknown " + unknowns + "\n" + equations + "solve t = 0 .. 1e-3\n";
}

TEST(Limits, TimeGrowsWithTheNumberOfScalarEquations) {
    const auto seconds = [](int n) {
        const double begin = processor_seconds();
        const Solution solution = solve(Model::parse(scalar_chain(n)), {.method = "dopri54", .backend = "interpreter"});
        EXPECT_EQ(solution.status, Status::success);
        return processor_seconds() - begin;
    };
    seconds(500);
    const double few = seconds(2000), many = seconds(8000);
    // four times the equations; quadratic work would be sixteen times
    EXPECT_LT(many, 8 * few) << few << " s, " << many << " s";
}

TEST(Limits, AnAnalysisCanBeEnded) {
    SolveOptions options;
    options.progress = [](const Progress& p) {
        EXPECT_EQ(p.steps, 0);
        return false;
    };
    const Solution solution = solve(Model::parse(scalar_chain(6000)), options);
    EXPECT_EQ(solution.status, Status::interrupted);
    EXPECT_EQ(solution.message, "interrupted before the first step");
    EXPECT_TRUE(solution.t.empty());
}

TEST(Limits, CancellationAsksOnlyWhileItLives) {
    int n_asked = 0;
    const auto ask_often = [] {
        const double begin = processor_seconds();
        while (processor_seconds() - begin < 0.5) check_cancelled();
    };
    {
        const Cancellation outer([&] { return ++n_asked < 3; });
        EXPECT_THROW(ask_often(), Cancelled);
        EXPECT_EQ(n_asked, 3);
    }
    ask_often();
    EXPECT_EQ(n_asked, 3);
}

// ---- derivatives of derivatives ----

std::string nested(int k, std::string f) {
    for (int i = 0; i < k; ++i) f = "der(" + f + ")";
    return f;
}

// The value at t = 0.3 of the k-th derivative of a function of t.
double derivative_at(int k, const std::string& f) {
    const Model model =
        Model::parse("unknown x\nx' = 0\nstart x = 0\nsolve t = 0 .. 0.3\noutput z = " + nested(k, f) + "\n");
    const Solution solution = solve(model, {});
    return solution.output_numbers.back();
}

TEST(Limits, DerivativesOfHighOrderAreRight) {
    const double t = 0.3;
    struct Case {
        std::string f;
        std::function<double(int)> derivative;
    };
    const auto falling = [](double p, int k) { // p (p - 1) … (p - k + 1)
        double product = 1;
        for (int i = 0; i < k; ++i) product *= p - i;
        return product;
    };
    const std::vector<Case> all{
        {"sin(2*t)", [&](int k) { return std::pow(2, k) * std::sin(2 * t + k * std::numbers::pi / 2); }},
        {"1/(1 - t)", [&](int k) { return std::tgamma(k + 1) / std::pow(1 - t, k + 1); }},
        {"t/(1 - t)", [&](int k) { return std::tgamma(k + 1) / std::pow(1 - t, k + 1); }},
        {"sqrt(1 + t)", [&](int k) { return falling(0.5, k) * std::pow(1 + t, 0.5 - k); }},
        {"(1 + t)^2.2", [&](int k) { return falling(2.2, k) * std::pow(1 + t, 2.2 - k); }},
        {"log(1 + t)", [&](int k) { return (k % 2 == 1 ? 1 : -1) * std::tgamma(k) / std::pow(1 + t, k); }},
        {"t*exp(t)", [&](int k) { return (t + k) * std::exp(t); }},
        {"t^2*exp(t)", [&](int k) { return (t * t + 2 * k * t + k * (k - 1)) * std::exp(t); }},
        {"max(sin(2*t), -1)", [&](int k) { return std::pow(2, k) * std::sin(2 * t + k * std::numbers::pi / 2); }},
        {"if(t < 9, exp(2*t), 0)", [&](int k) { return std::pow(2, k) * std::exp(2 * t); }},
    };
    for (const Case& c : all)
        for (const int k : {1, 2, 3, 4, 7, 10}) {
            const double exact = c.derivative(k);
            EXPECT_NEAR(derivative_at(k, c.f), exact, 1e-9 * std::abs(exact)) << c.f << ", order " << k;
        }
}

TEST(Limits, DerivativesOfDerivativesStayShort) {
    for (const std::string f : {"x^2*sin(y)", "x/(1 + y^2)*sin(x)", "sqrt(x^2 + y^2 + 1)*exp(sin(x*y))"}) {
        const System system = lang::read_model(
            lang::Source("model.ves", "unknown x, y, z\nx' = y\ny' = -x\nz = " + nested(15, f) + "\n"));
        EXPECT_LT(system.graph->n_nodes(), 150'000u) << f;
    }
}

} // namespace
} // namespace vessiot::limits_test
