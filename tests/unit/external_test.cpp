// Functions of C++ inside of formulas, and systems that are made of functions: solved like the same in formulas.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "support/refusal.hpp"
#include "vessiot/callable.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"

namespace vessiot::external_test {
namespace {

using test::has;
using test::refusal;

// phi'' = -sin(phi), with the sine as a function of C++.
template <class Sine> Model pendulum(const Sine& sine) {
    Model m("swing");
    auto phi = m.unknown("phi");
    m.equation(der(phi, 2) == -sine(m, phi));
    m.start(phi == 1);
    m.start(der(phi) == 0);
    m.interval(0, 3);
    return m;
}
Model written() {
    return pendulum([](Model&, const Expr& x) { return sin(x); });
}
Model with_differences() {
    return pendulum(
        [](Model& m, const Expr& x) { return m.external("sine", [](double a) { return std::sin(a); })(x); });
}
Model with_derivative() {
    return pendulum([](Model& m, const Expr& x) {
        return m.external("sine", [](double a) { return std::sin(a); }, [](double a) { return std::cos(a); })(x);
    });
}

void expect_close(const Solution& a, const Solution& b, const std::string& name, double tolerance) {
    EXPECT_EQ(a.status, b.status);
    EXPECT_NEAR(a.t.back(), b.t.back(), 1e-12);
    EXPECT_NEAR(a.column(name).back(), b.column(name).back(), tolerance) << a.method.name;
}

TEST(External, StandsInFormulasForAllMethods) {
    for (const std::string method : {"dopri54", "dop853", "rk4", "radau5", "gauss4", "dae_radau5", "bdf3", "verlet"}) {
        const SolveOptions options{.method = method,
                                   .rtol = 1e-9,
                                   .atol = 1e-11,
                                   .step = method == "bdf3" || method == "rk4" || method == "verlet" ? 1e-3 : 0.0};
        const Solution exact = solve(written(), options);
        expect_close(solve(with_differences(), options), exact, "phi", 1e-7);
        expect_close(solve(with_derivative(), options), exact, "phi", 1e-7);
    }
}

TEST(External, GivesWhatTheFormulaGivesToExplicitMethods) {
    const auto f = [](double a) { return a * a * a - 2 * a; };
    Model formula("a"), function("a");
    for (Model* m : {&formula, &function}) {
        auto x = m->unknown("x");
        m->equation(der(x) == -(m == &formula ? x * x * x - 2 * x : m->external("f", f)(x)));
        m->start(x == 1);
        m->interval(0, 2);
    }
    const Solution a = solve(function, {.method = "dopri54"}), b = solve(formula, {.method = "dopri54"});
    ASSERT_EQ(a.numbers.size(), b.numbers.size());
    for (std::size_t k = 0; k < a.numbers.size(); ++k) EXPECT_NEAR(a.numbers[k], b.numbers[k], 1e-9);
}

TEST(External, IsEvaluatedOnceForAllItsResults) {
    std::atomic<int> n = 0;
    Model m("rotation");
    auto x = m.unknown("x"), y = m.unknown("y");
    const External turn = m.external(
        "turn", {.n_arguments = 2, .n_results = 2, .f = [&n](std::span<const double> in, std::span<double> out) {
                     ++n;
                     out[0] = -in[1];
                     out[1] = in[0];
                 }});
    const std::vector<Expr> rates = turn.all({x, y});
    m.equation(der(x) == rates[0]);
    m.equation(der(y) == rates[1]);
    m.start(x == 1);
    m.start(y == 0);
    m.interval(0, 1);
    const Problem problem(m, {.method = "rk4", .step = 0.01});
    problem.solve();
    n = 0;
    const Solution s = problem.solve({.dense = false});
    EXPECT_NEAR(s.column("x").back(), std::cos(1.0), 1e-9);
    EXPECT_LE(n, 4 * 100 + 10) << "four stages a step";
}

TEST(External, WorksInLoopsAndOfOtherFunctions) {
    constexpr int n = 12;
    Model m("chain"), same("chain");
    for (Model* c : {&m, &same}) {
        auto x = c->unknown("x", {n});
        auto i = c->index("i", 1, n);
        if (c == &m) {
            const External f = c->external("f", [](double a, double b) { return std::tanh(a - b); });
            c->equation(i, der(x(i)) == -f(f(x(i), 1), x(mod(i, n) + 1)));
        } else {
            c->equation(i, der(x(i)) == -tanh(tanh(x(i) - 1) - x(mod(i, n) + 1)));
        }
        c->start(i, x(i) == i);
        c->interval(0, 1);
    }
    for (const std::string method : {"dopri54", "radau5"})
        expect_close(solve(m, {.method = method, .rtol = 1e-9}), solve(same, {.method = method, .rtol = 1e-9}), "x[5]",
                     1e-8);
}

TEST(External, CarriesSensitivities) {
    const auto make = [](bool is_function) {
        Model m("decay");
        auto k = m.parameter("k", 2);
        auto x = m.unknown("x");
        if (is_function)
            m.equation(der(x) == m.external("rate", [](double a, double b) { return -a * b; })(k, x));
        else
            m.equation(der(x) == -k * x);
        m.start(x == 1);
        m.interval(0, 1);
        return m;
    };
    const Solution s = solve(make(true), {.rtol = 1e-9, .sensitivity = {"k"}});
    EXPECT_NEAR(s.sensitivity("x", "k").back(), -std::exp(-2.0), 1e-7);
    const Problem problem(make(true), {.rtol = 1e-9});
    EXPECT_NEAR(problem.solve({.parameters = {{"k", 3}}}).column("x").back(), std::exp(-3.0), 1e-8);
    EXPECT_NEAR(problem.solve({.parameters = {{"k", 1}}}).column("x").back(), std::exp(-1.0), 1e-8);
}

TEST(External, FindsEvents) {
    Model m("fall");
    auto x = m.unknown("x"), v = m.unknown("v");
    const External height = m.external("height", [](double a) { return a - 0.5; });
    m.equation(der(x) == v);
    m.equation(der(v) == -1);
    m.start(x == 1);
    m.start(v == 0);
    m.event("low", height(x) == 0, {.is_stop = true});
    m.interval(0, 3);
    EXPECT_NEAR(solve(m, {.rtol = 1e-9}).t.back(), 1, 1e-9);
}

TEST(External, SaysWhatIsWrong) {
    Model m("wrong");
    auto x = m.unknown("x");
    const auto identity = [](double a) { return a; };
    const External f = m.external("f", identity);
    EXPECT_TRUE(has(refusal([&] { f(x, x); }), "the function 'f' has 1 argument, but 2 are given"));
    EXPECT_TRUE(has(refusal([&] { m.external("f", identity); }), "'f' is already a function"));
    EXPECT_TRUE(has(refusal([&] { m.external("x", identity); }), "'x' is already an unknown"));
    EXPECT_TRUE(has(refusal([&] { m.external("sin", identity); }), "cannot be a name"));
    EXPECT_TRUE(has(refusal([&] { m.external("g", ExternalFunction{}); }), "the function 'g' is not set"));
    EXPECT_TRUE(has(refusal([&] {
                        m.external("g", {.n_arguments = 2,
                                         .f = [](std::span<const double>, std::span<double>) {},
                                         .pattern = SparsePattern::dense(1, 3)});
                    }),
                    "has a pattern of 1 x 3, but 1 results and 2 arguments"));
    EXPECT_TRUE(has(refusal([&] { solve(with_differences(), {.precision = "quad"}); }),
                    "the function 'sine' of swing computes in double"));
    EXPECT_TRUE(has(refusal([&] { solve(with_differences(), {.method = "taylor"}); }), "calls the function 'sine'"));
    EXPECT_TRUE(has(with_differences().describe(), "sine(phi)"));
}

TEST(External, ThatThrowsReachesTheCaller) {
    struct Odd {
        double at;
    };
    std::atomic<double> limit = 0.5;
    Model m("odd");
    auto x = m.unknown("x");
    m.equation(der(x) == m.external("f", [&limit](double t) {
        if (t > limit) throw Odd{t};
        return 1.0;
    })(m.t()));
    m.start(x == 0);
    m.interval(0, 1);
    const Problem problem(m, {.method = "dopri54"});
    EXPECT_THROW(problem.solve(), Odd);
    const Solution kept = problem.solve({.throw_on_failure = false});
    EXPECT_EQ(kept.status, Status::failed);
    EXPECT_FALSE(kept.t.empty());
    EXPECT_THROW(std::rethrow_exception(kept.error), Odd);
    limit = 2;
    EXPECT_NEAR(problem.solve().column("x").back(), 1, 1e-12) << "it stays usable";
    limit = -1;
    EXPECT_THROW(problem.solve(), Odd) << "also at the start point";
    limit = 2;
    EXPECT_NEAR(problem.solve().column("x").back(), 1, 1e-12);
}

TEST(External, WithoutAValueMakesStepsSmaller) {
    // x' = -sqrt(x): NaN for x < 0, which trial steps meet
    for (const bool throws : {false, true}) {
        Model m("root");
        auto x = m.unknown("x");
        m.equation(der(x) == m.external("f", [throws](double a) {
            if (throws && a < 0) throw EvaluationFailed("negative");
            return a < 0 ? NAN : -std::sqrt(a);
        })(x));
        m.start(x == 1);
        m.interval(0, 1.9);
        EXPECT_NEAR(solve(m, {.method = "dopri54", .rtol = 1e-8}).column("x").back(), 0.0025, 1e-7);
        const std::string text = test::message<SolveFailed>([&] { solve(m, {.method = "dopri54", .to = 3}); });
        EXPECT_TRUE(has(text, "f(x)")) << text;
    }
}

TEST(External, OfAnotherSizeIsNamed) {
    Model m("size");
    auto x = m.unknown("x"), y = m.unknown("y");
    std::atomic<std::size_t> size = 3;
    const External f = m.external("f", {.n_arguments = 1, .n_results = 2, .f = [&size](std::span<const double> in) {
                                            return std::vector<double>(size, in[0]);
                                        }});
    const std::vector<Expr> results = f.all({m.t()});
    m.equation(der(x) == results[0]);
    m.equation(der(y) == results[1]);
    m.start(x == 0);
    m.start(y == 0);
    m.interval(0, 1);
    const Problem problem(m);
    EXPECT_TRUE(has(refusal([&] { problem.solve(); }), "the function 'f' gave 3 numbers instead of 2"));
    size = 1;
    EXPECT_TRUE(has(refusal([&] { problem.solve(); }), "the function 'f' gave 1 number instead of 2"));
    size = 2;
    EXPECT_NEAR(problem.solve().column("y").back(), 0.5, 1e-12);
}

TEST(External, GoesOnFromACheckpoint) {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("external_test_{}", getpid());
    std::filesystem::create_directory(folder);
    const std::string path = (folder / "run.checkpoint").string();
    const Problem problem(
        with_differences(),
        {.method = "radau5", .rtol = 1e-8, .checkpoint = path, .checkpoint_every = 0, .checkpoint_steps = 5});
    const auto look = [](const StepView&) {}; // steps that are looked at are made for it
    const Solution whole = problem.solve({.on_step = look});
    const Solution begun =
        problem.solve({.on_step = [](const StepView& step) { return step.number() == 12 ? Next::stop : Next::go_on; }});
    EXPECT_EQ(begun.status, Status::stopped);
    const Solution rest = problem.solve({.resume = path, .on_step = look});
    EXPECT_EQ(rest.t.back(), whole.t.back());
    EXPECT_EQ(rest.column("phi").back(), whole.column("phi").back());
    EXPECT_EQ(rest.stats.steps, whole.stats.steps);
    std::filesystem::remove_all(folder);
}

TEST(External, InEightThreads) {
    const Problem problem(with_differences(), {.method = "radau5", .to = 1});
    const Solution alone = problem.solve();
    std::atomic<int> n_other = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                const Solution s = problem.solve();
                n_other += s.numbers != alone.numbers || s(0.37) != alone(0.37);
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(n_other, 0);
}

// ---- systems ----

// Robertson's reactions, y1' = -0.04 y1 + 1e4 y2 y3, …
const auto robertson = [](const auto& /*t*/, auto y, auto out) {
    out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    out[2] = 3e7 * y[1] * y[1];
    out[1] = -1.0 * out[0] - out[2];
};

CallableSystem reactions() {
    CallableSystem s;
    s.name = "reactions";
    s.unknowns = {{"y1"}, {"y2"}, {"y3"}};
    s.start = {{"y1", 1}, {"y2", 0}, {"y3", 0}};
    s.to = 40;
    s.depends_on_t = false;
    return s;
}
constexpr double y1_at_40 = 0.7158270687;

TEST(CallableProblem, SolvesARightSideInAllForms) {
    CallableSystem any = reactions(), numbers = reactions(), both = reactions();
    any.rhs = robertson;
    EXPECT_TRUE(any.rhs.takes_formulas());
    numbers.rhs = [](double t, std::span<const double> y, std::span<double> out) { robertson(t, y, out); };
    EXPECT_FALSE(numbers.rhs.takes_formulas());
    numbers.scale = {1, 1, 1e-5, 1e-5, 1, 1};
    both = numbers;
    both.df = [](double, std::span<const double> y, std::span<double> d) {
        const double columns[] = {-0.04,      0.04,       0,           1e4 * y[2], -1e4 * y[2] - 6e7 * y[1],
                                  6e7 * y[1], 1e4 * y[1], -1e4 * y[1], 0};
        std::ranges::copy(columns, d.begin());
    };
    for (const CallableSystem* s : {&any, &numbers, &both})
        for (const std::string method : {"radau5", "auto", "dae_radau5"}) {
            const Solution sol = solve(*s, {.method = method, .rtol = 1e-7, .atol = 1e-10});
            EXPECT_NEAR(sol.column("y1").back(), y1_at_40, 1e-6) << method;
        }
    EXPECT_EQ(solve(any, {.rtol = 1e-7, .atol = 1e-10, .to = 1, .precision = "quad"}).status, Status::success);
}

TEST(CallableProblem, SolvesAResidual) {
    // x' + x y = 0, x + y = 2: index 1
    CallableSystem s;
    s.name = "residual";
    s.unknowns = {{"x", 1}, {"y", 0}};
    s.f = [](double, std::span<const double> z, std::span<double> f) { // x, x', y
        f[0] = z[1] + z[0] * z[2];
        f[1] = z[0] + z[2] - 2;
    };
    s.start = {{"x", 1}};
    s.guess = {{"y", 1}};
    s.to = 1;
    // x' = -x (2 - x): x = 2 / (1 + e^{2t})
    const double exact = 2 / (1 + std::exp(2.0));
    for (const std::string method : {"dopri54", "radau5", "dae_radau5", "bdf3"}) {
        const Solution sol = solve(s, {.method = method, .rtol = 1e-8, .step = method == "bdf3" ? 1e-3 : 0.0});
        EXPECT_NEAR(sol.column("x").back(), exact, 1e-6) << method;
    }
    const Problem problem(s, {.method = "dopri54"});
    Integrator run = problem.begin();
    run.advance(0.5);
    EXPECT_NEAR(run["x"], 2 / (1 + std::exp(1.0)), 1e-5);
    EXPECT_NEAR(run["x"] + run["y"], 2, 1e-9);
}

// The pendulum with rhs, a multiplier and its constraint.
template <class F, class G> CallableSystem hanging(const F& f, const G& g) {
    CallableSystem s;
    s.name = "pendulum";
    s.unknowns = {{"x", 2}, {"y", 2}, {"lambda", 0}};
    s.rhs = f;
    s.constraints = CallablePart{.n = 1, .f = g};
    s.start = {{"x", 0.6}, {"y", -0.8}, {"x'", 0}, {"y'", 0}};
    s.to = 1;
    s.depends_on_t = false;
    return s;
}
const auto pull = [](const auto& /*t*/, auto y, auto out) { // x, x', y, y', lambda
    out[0] = -1.0 * y[4] * y[0];
    out[1] = -1.0 * y[4] * y[2] - 9.81;
};
const auto rod = [](const auto& /*t*/, auto y, auto out) { out[0] = y[0] * y[0] + y[2] * y[2] - 1; };

TEST(CallableProblem, FindsHiddenConstraintsOfTemplates) {
    const Solution sol = solve(hanging(pull, rod), {.rtol = 1e-10});
    EXPECT_LT(sol.constraint_residual_max, 1e-13);
    const Solution same =
        solve(Model::parse("unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                           "start x = 0.6, y = -0.8, x' = 0, y' = 0\nsolve t = 0 .. 1\n"),
              {.rtol = 1e-10});
    EXPECT_EQ(sol.system.hidden_constraints, same.system.hidden_constraints);
    EXPECT_NEAR(sol.column("x").back(), same.column("x").back(), 1e-9);
}

TEST(CallableProblem, SaysWhatHiddenConstraintsNeed) {
    using In = std::span<const double>;
    using Out = std::span<double>;
    CallableSystem s = hanging(pull, [](double t, In y, Out f) { rod(t, y, f); });
    // without a pattern everything depends on everything, lambda included
    EXPECT_TRUE(has(refusal([&] { Problem(s).solve(); }), "detect_pattern"));
    const std::vector<double> point{0.6, 0.1, -0.8, 0.2, 3};
    s.constraints->pattern = detect_pattern(s.constraints->f, 1, 0, point);
    EXPECT_EQ(s.constraints->pattern->n_entries(), 2);
    const std::string text = refusal([&] { Problem(s).solve(); });
    EXPECT_TRUE(has(text, "the function 'constraints'"));
    EXPECT_TRUE(has(text, "give its derivative"));
    EXPECT_TRUE(has(text, "[](auto …)"));
    s.constraints->df = [](double, In y, Out d) {
        d[0] = 2 * y[0];
        d[1] = 2 * y[2];
    };
    const Solution sol = solve(s, {.method = "dopri54", .rtol = 1e-8});
    EXPECT_LT(sol.constraint_residual_max, 1e-12);
    EXPECT_NEAR(sol.column("x").back(), solve(hanging(pull, rod), {.rtol = 1e-10}).column("x").back(), 1e-6);
}

TEST(CallableProblem, KeepsInvariantsAndMeetsEvents) {
    CallableSystem s;
    s.name = "oscillator";
    s.unknowns = {{"x", 2}};
    s.rhs = [](double, std::span<const double> y, std::span<double> out) { out[0] = -y[0]; };
    s.invariants = CallablePart{.n = 1, .f = [](double, std::span<const double> y, std::span<double> out) {
                                    out[0] = y[0] * y[0] + y[1] * y[1];
                                }};
    s.events = {{.name = "middle",
                 .f = [](double, std::span<const double> y, std::span<double> out) { out[0] = y[0]; },
                 .crossing = Crossing::rising,
                 .is_stop = true}};
    s.start = {{"x", 1}, {"x'", 0}};
    s.to = 10;
    const Solution sol = solve(s, {.rtol = 1e-8});
    EXPECT_NEAR(sol.t.back(), 1.5 * M_PI, 1e-6);
    EXPECT_LT(sol.invariant_drift_max, 1e-12);
    EXPECT_EQ(sol.system.invariants, 1);
}

// The heat equation: a tridiagonal right side.
CallableSystem heat(int n) {
    CallableSystem s;
    s.name = "heat";
    for (int k = 1; k <= n; ++k) {
        s.unknowns.push_back({"u" + std::to_string(k)});
        s.start.emplace_back("u" + std::to_string(k), std::sin(M_PI * k / (n + 1)));
    }
    s.rhs = [n](double, std::span<const double> u, std::span<double> out) {
        const double h = 1.0 / (n + 1);
        for (int k = 0; k < n; ++k) {
            const auto at = static_cast<std::size_t>(k);
            out[at] = ((k > 0 ? u[at - 1] : 0) - 2 * u[at] + (k + 1 < n ? u[at + 1] : 0)) / (h * h);
        }
    };
    s.depends_on_t = false;
    s.to = 0.1;
    return s;
}

TEST(CallableProblem, FindsPatternsAndColoursThem) {
    constexpr int n = 30;
    CallableSystem s = heat(n);
    const std::vector<double> point(n, 0.5);
    const SparsePattern found = detect_pattern(s.rhs, n, 0, point);
    EXPECT_EQ(found.n_entries(), 3 * n - 2);
    std::atomic<int> n_calls = 0;
    s.rhs = [f = s.rhs, &n_calls](double t, std::span<const double> u, std::span<double> out) {
        ++n_calls;
        f(t, u, out);
    };
    const Solution full = solve(s, {.method = "radau5", .rtol = 1e-6});
    const int n_full = n_calls.exchange(0);
    s.pattern = found;
    const Solution sparse = solve(s, {.method = "radau5", .rtol = 1e-6});
    EXPECT_NEAR(sparse.column("u15").back(), full.column("u15").back(), 1e-8);
    const double lambda = 4 * (n + 1) * (n + 1) * std::pow(std::sin(M_PI / 2 / (n + 1)), 2);
    EXPECT_NEAR(sparse.column("u15").back(), std::sin(M_PI * 15 / (n + 1)) * std::exp(-0.1 * lambda), 1e-5);
    EXPECT_LT(n_calls, n_full / 2);
}

TEST(CallableProblem, RefusesWhatMakesNoSense) {
    const auto text = [](const auto& change) {
        CallableSystem s = reactions();
        s.rhs = robertson;
        change(s);
        return refusal([&] { Problem(s).solve(); });
    };
    EXPECT_TRUE(has(text([](CallableSystem& s) { s.rhs = {}; }), "neither f nor rhs is set"));
    EXPECT_TRUE(has(text([](CallableSystem& s) { s.f = s.rhs; }), "both f and rhs are set"));
    EXPECT_TRUE(has(text([](CallableSystem& s) { s.unknowns = {}; }), "it has no unknowns"));
    EXPECT_TRUE(has(text([](CallableSystem& s) { s.start.emplace_back("y4", 1); }), "'y4'"));
    EXPECT_TRUE(has(text([](CallableSystem& s) {
                        s.unknowns = {{"y1", 0}};
                        s.start = {};
                    }),
                    "all of them have order 0"));
    EXPECT_TRUE(has(text([](CallableSystem& s) { s.scale = {1}; }), "scale has 1 elements"));
    EXPECT_TRUE(has(text([](CallableSystem& s) {
                        s.rhs = [](double, std::span<const double> y) {
                            return std::vector<double>(y.begin(), y.end() - 1);
                        };
                    }),
                    "the function 'rhs' gave 2 numbers instead of 3"));
    EXPECT_TRUE(has(text([](CallableSystem& s) {
                        s.rhs = [](double, std::span<const double>, std::span<double> out) { out[0] = 1; };
                    }),
                    "rhs[2]"));
    EXPECT_TRUE(has(text([](CallableSystem& s) { s.to.reset(); }), "interval"));
}

} // namespace
} // namespace vessiot::external_test
