// The nouns of the library: a Problem that threads share, an Integrator, what they refuse.
#include <gtest/gtest.h>

#include <malloc.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"

namespace vessiot::problem_test {
namespace {

Model gallery(const std::string& name, const TextSettings& settings = {}) {
    return Model::load(std::filesystem::path(VESSIOT_SOURCE_DIR) / "gallery" / (name + ".ves"), settings);
}

bool has_bits_of(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(Problem, SolvesWithOtherParametersAndStartValues) {
    const Problem problem(gallery("pendulum"), {.method = "dop853", .rtol = 1e-9, .to = 2});
    for (const double g : {9.81, 3.7, 1.62, 9.81}) {
        const Solution warm = problem.solve({.parameters = {{"g", g}}, .start = {{"x", 0.6}, {"y", -0.8}}});
        const Solution cold = solve(gallery("pendulum", {.set = {{"g", std::to_string(g)}}}),
                                    {.method = "dop853", .rtol = 1e-9, .to = 2, .start = {{"x", 0.6}, {"y", -0.8}}});
        EXPECT_TRUE(has_bits_of(warm.numbers, cold.numbers)) << g;
        EXPECT_TRUE(has_bits_of(warm(1.3), cold(1.3))) << g;
    }
}

TEST(Problem, FollowsWhatIsComputedFromParameters) {
    const Model model = Model::parse("parameter a = 2, b = a^2\nunknown x\nx' = b\nstart x = 0\nsolve t = 0 .. a\n");
    const Problem problem(model);
    EXPECT_NEAR(problem.solve().column("x").back(), 8, 1e-12);
    EXPECT_NEAR(problem.solve({.parameters = {{"a", 3}}}).column("x").back(), 27, 1e-12);
    EXPECT_NEAR(problem.solve({.parameters = {{"b", 1}}}).column("x").back(), 2, 1e-12);
    EXPECT_NEAR(problem.solve().column("x").back(), 8, 1e-12);
}

// Where it is written belongs to a run, how often to the problem.
TEST(Problem, RunsHaveCheckpointsOfTheirOwn) {
    const std::string path = (std::filesystem::temp_directory_path() / "vessiot_problem_test.checkpoint").string();
    const Model model = gallery("pendulum");
    const SolveOptions options{.to = 2, .checkpoint_every = 0, .checkpoint_steps = 5};
    const Solution whole = Problem(model, options).solve({.checkpoint = path});
    SolveOptions few = options;
    few.max_steps = 12;
    few.throw_on_failure = false;
    EXPECT_EQ(Problem(model, few).solve({.checkpoint = path}).status, Status::failed);
    const Solution rest = Problem(model, options).solve({.resume = path});
    EXPECT_TRUE(has_bits_of(whole.numbers, rest.numbers));
    std::filesystem::remove(path);
    EXPECT_NE(test::refusal([&] { solve(model, options); }).find("--checkpoint"), std::string::npos);
}

TEST(Problem, SetsArraysAndElements) {
    const Model model = Model::parse("parameter n = 2, m[2] = [1, 2]\nunknown x[2]\nfor i = 1..n: x[i]' = m[i]\n"
                                     "for i = 1..n: start x[i] = 0\nsolve t = 0 .. 1\n");
    const Problem problem(model);
    EXPECT_NEAR(problem.solve({.parameters = {{"m", {3, 4}}}}).column("x[2]").back(), 4, 1e-12);
    EXPECT_NEAR(problem.solve({.parameters = {{"m[2]", 7}}}).column("x[2]").back(), 7, 1e-12);
    EXPECT_NEAR(problem.solve({.parameters = {{"m[2]", 7}}}).column("x[1]").back(), 1, 1e-12);
    const auto refused = [&](const RunOptions& o) { return test::refusal([&] { problem.solve(o); }); };
    EXPECT_NE(refused({.parameters = {{"m", {1, 2, 3}}}}).find("has 2 elements, but 3 were given"), std::string::npos);
    EXPECT_NE(refused({.parameters = {{"m[3]", 1}}}).find("m[1] to m[2]"), std::string::npos);
    EXPECT_NE(refused({.parameters = {{"n", 3}}}).find("sizes an array or bounds a loop"), std::string::npos);
    EXPECT_NE(refused({.parameters = {{"k", 3}}}).find("'k' is no parameter"), std::string::npos);
    EXPECT_NE(refused({.parameters = {{"m[1]", NAN}}}).find("not finite"), std::string::npos);
    EXPECT_NE(refused({.start = {{"z", 1}}}).find("'z' is no unknown"), std::string::npos);
    EXPECT_NEAR(problem.solve().column("x[2]").back(), 2, 1e-12) << "it stays usable";
}

TEST(Problem, ParametersThatDecideTheClassAreLookedAtAgain) {
    // with m = 0 the equation is algebraic in x'': another system, in which x follows from y
    const Model model = Model::parse("parameter m = 1\nunknown x, y\nm*x'' = y - x\ny' = 1\nstart x = 0, y = 0\n"
                                     "start x' = 0\nsolve t = 0 .. 1\n");
    const Problem problem(model, {.rtol = 1e-9});
    for (const double m : {1.0, 0.0, 2.0, 0.0, 1.0}) {
        std::optional<Solution> warm, cold;
        std::string text_warm, text_cold;
        try {
            warm = problem.solve({.parameters = {{"m", m}}});
        } catch (const InvalidInput& e) {
            text_warm = e.what();
        }
        try {
            cold = solve(Model::parse("parameter m = " + std::to_string(m) +
                                      "\nunknown x, y\nm*x'' = y - x\ny' = 1\nstart x = 0, y = 0\nstart x' = 0\n"
                                      "solve t = 0 .. 1\n"),
                         {.rtol = 1e-9});
        } catch (const InvalidInput& e) {
            text_cold = e.what();
        }
        EXPECT_EQ(text_warm, text_cold) << m;
        EXPECT_EQ(warm.has_value(), cold.has_value()) << m;
        if (warm && cold) {
            EXPECT_TRUE(has_bits_of(warm->numbers, cold->numbers)) << m;
        }
    }
}

TEST(Problem, GivesTheStartPointForAnIntervalOfLengthZero) {
    const Problem problem(gallery("pendulum"));
    const Solution s = problem.solve({.from = 0, .to = 0});
    EXPECT_EQ(s.status, Status::success);
    EXPECT_EQ(s.message, "reached t = 0");
    ASSERT_EQ(s.t.size(), 1U);
    EXPECT_EQ(s.column("x"), std::vector<double>{1});
}

TEST(Problem, StaysUsableAfterARunThatFailed) {
    const Problem problem(Model::parse("unknown x\nx' = x^2\nstart x = 1\nsolve t = 0 .. 0.5\n"));
    const Solution before = problem.solve();
    EXPECT_THROW(problem.solve({.to = 2}), SolveFailed);
    EXPECT_THROW(problem.solve({.start = {{"x", INFINITY}}}), InvalidInput);
    EXPECT_TRUE(has_bits_of(problem.solve().numbers, before.numbers));
}

TEST(Problem, SaysWhereAStartValueIsOutsideOfTheDomain) {
    const Problem problem(Model::parse("unknown x\nx' = -sqrt(x)\nstart x = 1\nsolve t = 0 .. 1\n"));
    const Solution before = problem.solve();
    const std::string text = test::refusal([&] { problem.solve({.start = {{"x", -1}}}); });
    EXPECT_TRUE(test::has(text, "sqrt(x)")) << "what has no value";
    EXPECT_TRUE(test::has(text, "x = -1")) << "where";
    EXPECT_TRUE(has_bits_of(problem.solve().numbers, before.numbers)) << "it stays usable";
}

TEST(Problem, StopsWhereATokenAsksForIt) {
    const Problem problem(gallery("pendulum"), {.step = 1e-5, .to = 1000});
    std::stop_source source;
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        source.request_stop();
    });
    const Solution s = problem.solve({.dense = false, .stop = source.get_token()});
    later.join();
    EXPECT_EQ(s.status, Status::interrupted);
}

TEST(Problem, OneForEightThreads) {
    const Problem problem(gallery("pendulum"), {.method = "dopri54", .to = 1});
    const Solution alone = problem.solve(), moon = problem.solve({.parameters = {{"g", 1.62}}});
    std::atomic<int> n_other = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k)
        threads.emplace_back([&, k] {
            for (int i = 0; i < 200; ++i) {
                const bool is_moon = (i + k) % 3 == 0;
                const Solution s = is_moon ? problem.solve({.parameters = {{"g", 1.62}}}) : problem.solve();
                n_other += !has_bits_of(s.numbers, is_moon ? moon.numbers : alone.numbers);
                if (i % 20 == 0) n_other += !has_bits_of(s(0.37), is_moon ? moon(0.37) : alone(0.37));
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(n_other, 0);
}

TEST(Problem, TenThousandSolvesLeaveNothingBehind) {
    const Problem problem(gallery("pendulum_wall"), {.method = "dopri54", .rtol = 1e-3, .to = 0.3});
    const auto in_use = [] { return static_cast<double>(mallinfo2().uordblks); };
    const auto solve_many = [&](int n) {
        for (int k = 0; k < n; ++k) problem.solve({.dense = k % 2 == 0});
    };
    solve_many(100);
    const double before = in_use();
    solve_many(10'000);
    EXPECT_LT(in_use() - before, 1e6);
}

TEST(Integrator, MakesTheStepsOfASolve) {
    const Problem problem(gallery("pendulum"), {.method = "dop853", .rtol = 1e-9, .to = 2});
    const Solution whole = problem.solve();
    Integrator run = problem.begin();
    std::vector<double> t{run.t()}, x{run["x"]};
    while (run.step()) {
        t.push_back(run.t());
        x.push_back(run["x"]);
        EXPECT_LT(run.residual(), 1e-12);
        problem.solve({.to = 0.01}); // others in the same thread do not disturb it
    }
    EXPECT_TRUE(run.is_over());
    EXPECT_EQ(run.status(), Status::success);
    EXPECT_TRUE(has_bits_of(t, whole.t));
    EXPECT_TRUE(has_bits_of(x, whole.column("x")));
    EXPECT_TRUE(has_bits_of(run.solution()(1.1), whole(1.1)));
}

TEST(Problem, GivesTheStartPointAloneBesideConditions) {
    const Problem problem(Model::parse("unknown x\nx' = if(t > 1, 1, -x)\nstart x = 2\nsolve t = 0 .. 3\n"));
    for (const double t : {0.0, 1.0, 3.0}) {
        const Solution s = problem.solve({.from = t, .to = t});
        EXPECT_EQ(s.t, std::vector<double>{t});
        EXPECT_EQ(s.numbers.at(0), 2);
    }
}

TEST(Integrator, GivesASolutionToTheEndOfItsLastStep) {
    Integrator run = Problem(gallery("pendulum"), {.method = "dop853", .to = 10}).begin();
    ASSERT_TRUE(run.advance(0.5)); // within a step
    const Solution part = run.solution();
    EXPECT_GT(part.t.back(), 0.5);
    EXPECT_EQ(part.status, Status::interrupted);
    EXPECT_EQ(part.message, fmt::format("at t = {}, on the way to 10", part.t.back()));
}

TEST(Integrator, AdvancesToATime) {
    const Problem problem(gallery("pendulum"), {.method = "dop853", .rtol = 1e-9, .to = 10});
    const Solution whole = problem.solve();
    Integrator run = problem.begin();
    for (const double t : {0.5, 0.50001, 3.7, 9.99, 10.0}) {
        ASSERT_TRUE(run.advance(t)) << t;
        EXPECT_EQ(run.t(), t);
        EXPECT_TRUE(has_bits_of({run.point().begin(), run.point().end()}, whole(t))) << t;
        EXPECT_LT(run.residual(), 1e-12);
    }
    EXPECT_TRUE(run.is_over());
    EXPECT_NE(test::refusal([&] { run.advance(3); }).find("cannot advance to 3"), std::string::npos);
}

TEST(Integrator, HasTheDirectionOfTheCurve) {
    const Problem problem(gallery("pendulum"), {.rtol = 1e-9, .to = 2});
    Integrator run = problem.begin();
    run.advance(0.7);
    const std::vector<double> rates = run.direction();
    const Solution whole = problem.solve({.dense = true});
    for (std::size_t k = 0; k < 4; ++k) { // x, x', y, y'
        const double slope = (whole(0.7 + 1e-5)[k] - whole(0.7 - 1e-5)[k]) / 2e-5;
        EXPECT_NEAR(rates[k], slope, 1e-4) << run.names()[k];
    }
    EXPECT_TRUE(std::isnan(rates[4])); // lambda
}

TEST(Integrator, OfARunThatCannotGoOn) {
    const Problem problem(Model::parse("unknown x\nx' = x^2\nstart x = 1\nsolve t = 0 .. 2\n"));
    Integrator run = problem.begin();
    EXPECT_FALSE(run.advance(1.5));
    EXPECT_EQ(run.status(), Status::failed);
    EXPECT_NEAR(run.t(), 1, 1e-2);
    EXPECT_GT(run.solution().t.size(), 5U);
}

} // namespace
} // namespace vessiot::problem_test
