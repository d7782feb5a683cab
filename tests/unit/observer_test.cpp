// Observers of runs: what they see, how they end a run, what becomes of what they throw. Guesses and stop tokens.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"

namespace vessiot::observer_test {
namespace {

Model gallery(const std::string& name) {
    return Model::load(std::filesystem::path(VESSIOT_SOURCE_DIR) / "gallery" / (name + ".ves"));
}

Model growth() {
    return Model::parse("unknown x\nx' = x\nstart x = 1\nsolve t = 0 .. 1\n");
}

TEST(Observer, SeesEveryStep) {
    for (const std::string method : {"dopri54", "radau5", "dop853", "rattle"}) {
        const Problem problem(gallery("pendulum"),
                              {.method = method, .rtol = 1e-8, .step = method == "rattle" ? 0.01 : 0.0, .to = 1});
        std::vector<double> t, x;
        std::int64_t last = 0;
        double worst = 0;
        const Solution s = problem.solve({.on_step = [&](const StepView& step) {
            EXPECT_EQ(step.number(), ++last);
            EXPECT_LT(step.from(), step.t());
            EXPECT_NEAR(step.h(), step.t() - step.from(), 1e-12);
            t.push_back(step.t());
            x.push_back(step["x"]);
            worst = std::max(worst, step.residual());
        }});
        EXPECT_EQ(last, s.stats.steps) << method;
        ASSERT_EQ(s.t.size(), t.size() + 1) << method;
        EXPECT_EQ(t, std::vector<double>(s.t.begin() + 1, s.t.end())) << method;
        const std::vector<double> column = s.column("x");
        EXPECT_EQ(x, std::vector<double>(column.begin() + 1, column.end())) << method;
        EXPECT_LT(worst, 1e-9) << method;
    }
}

TEST(Observer, ReadsTheCurveInsideAStep) {
    const Problem problem(gallery("pendulum"), {.method = "dopri54", .rtol = 1e-9, .to = 1});
    std::vector<std::pair<double, double>> read;
    double off = 0;
    const Solution s = problem.solve({.on_step = [&](const StepView& step) {
        const double t = (step.from() + step.t()) / 2;
        const std::vector<double> point = step(t);
        const std::vector<double> same = step.at(0.5);
        for (std::size_t k = 0; k < point.size(); ++k) EXPECT_NEAR(point[k], same[k], 1e-12);
        const double x = point[step.place_of("x")], y = step(t, "y");
        off = std::max(off, std::abs(x * x + y * y - 1));
        read.emplace_back(t, x);
        EXPECT_EQ(step.at(1).size(), step.names().size());
        EXPECT_THROW(step(step.t() + 1), InvalidInput);
        EXPECT_THROW(step.at(1.5), InvalidInput);
        EXPECT_TRUE(test::has(test::refusal([&] { step["lamda"]; }), "did you mean"));
    }});
    EXPECT_LT(off, 1e-12) << "on the constraints";
    for (const auto& [t, x] : read) EXPECT_EQ(s(t, "x"), x) << "the curve of the solution";
}

TEST(Observer, ChangesNothing) {
    const Problem problem(gallery("pendulum"), {.method = "radau5", .to = 2});
    const Solution alone = problem.solve();
    const Solution seen = problem.solve({.on_step = [](const StepView& step) { step.at(0.3), step.values(); }});
    EXPECT_EQ(alone.numbers, seen.numbers);
    EXPECT_EQ(alone.stats.steps, seen.stats.steps);
}

TEST(Observer, StopsARunWithItsStep) {
    const Problem problem(growth(), {.rtol = 1e-8});
    const Solution s =
        problem.solve({.on_step = [](const StepView& step) { return step["x"] > 1.5 ? Next::stop : Next::go_on; }});
    EXPECT_EQ(s.status, Status::stopped);
    EXPECT_EQ(name(s.status), "stopped");
    EXPECT_TRUE(test::has(s.message, "stopped by an observer at t = "));
    EXPECT_GT(s.column("x").back(), 1.5);
    EXPECT_LT(s.column("x")[s.t.size() - 2], 1.5);
    EXPECT_EQ(problem.solve().status, Status::success);
}

TEST(Observer, ThrowsThroughASolve) {
    const Problem problem(growth(), {.rtol = 1e-8});
    const Solution before = problem.solve();
    struct Odd {
        int number;
    };
    const auto throwing = [](const StepView& step) {
        if (step.t() > 0.5) throw Odd{7};
    };
    try {
        problem.solve({.on_step = throwing});
        FAIL() << "nothing was thrown";
    } catch (const Odd& odd) {
        EXPECT_EQ(odd.number, 7);
    }
    const Solution kept = problem.solve({.throw_on_failure = false, .on_step = throwing});
    EXPECT_EQ(kept.status, Status::failed);
    EXPECT_GT(kept.t.back(), 0.5);
    EXPECT_THROW(std::rethrow_exception(kept.error), Odd);
    EXPECT_EQ(kept.column("x").size(), kept.t.size());
    EXPECT_EQ(problem.solve().numbers, before.numbers) << "the problem stays usable";
}

TEST(Observer, OfAnIntegratorThrowsThroughItsStep) {
    const Problem problem(growth());
    Integrator run = problem.begin({.on_step = [](const StepView& step) {
        if (step.number() == 3) throw std::runtime_error("enough");
    }});
    EXPECT_TRUE(run.step());
    EXPECT_TRUE(run.step());
    EXPECT_THROW(run.step(), std::runtime_error);
    EXPECT_TRUE(run.is_over());
    EXPECT_FALSE(run.step());
    EXPECT_EQ(run.solution().t.size(), 4U) << "the points are kept";
}

TEST(Observer, SeesEvents) {
    const Problem problem(Model::parse("unknown x, v\nx' = v\nv' = -9.81\nstart x = 1, v = 0\nsolve t = 0 .. 2\n"
                                       "event hit: x = 0 falling then v = -0.8*v\nevent top: v = 0 falling\n"));
    std::vector<std::string> names;
    std::vector<double> t;
    const Solution s = problem.solve({.on_event = [&](const EventView& e) {
        names.emplace_back(e.name);
        t.push_back(e.t);
        EXPECT_EQ(e.values.size(), e.names.size());
        ASSERT_EQ(e.values_after.empty(), e.name == "top");
        EXPECT_NEAR(e.values_after.empty() ? 0 : e.values_after[1] + 0.8 * e.values[1], 0, 1e-9);
    }});
    ASSERT_EQ(names.size(), s.events.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
        EXPECT_EQ(names[k], s.events[k].name);
        EXPECT_EQ(t[k], s.events[k].t);
    }
    int n = 0;
    const Solution ended =
        problem.solve({.on_event = [&](const EventView&) { return ++n == 2 ? Next::stop : Next::go_on; }});
    EXPECT_EQ(ended.status, Status::stopped);
    EXPECT_EQ(ended.events.size(), 2U);
}

TEST(Observer, WorksInQuadAndInArclength) {
    int n = 0;
    const Solution quad =
        solve(growth(), {.precision = "quad", .on_step = [&](const StepView& step) {
                             EXPECT_NEAR(step(step.t() - step.h() / 3, "x"), std::exp(step.t() - step.h() / 3), 1e-5);
                             ++n;
                         }});
    EXPECT_EQ(n, quad.stats.steps);
    n = 0;
    const Solution curve = solve(Model::parse("unknown x\nx' = -t/x\nstart x = 1\nsolve t = 0 .. 0.9\n"),
                                 {.parametrisation = "arclength", .on_step = [&](const StepView& step) {
                                      const std::vector<double> p = step.at(0.5);
                                      EXPECT_EQ(p.size(), step.names().size());
                                      EXPECT_THROW(step(step.t()), InvalidInput);
                                      ++n;
                                  }});
    EXPECT_EQ(n, curve.stats.steps);
}

TEST(Observer, OfManyThreads) {
    const Problem problem(gallery("pendulum"), {.method = "dopri54", .to = 1});
    const Solution alone = problem.solve();
    std::atomic<std::int64_t> n_other = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                std::vector<double> t{0};
                problem.solve({.dense = false, .on_step = [&](const StepView& step) { t.push_back(step.t()); }});
                n_other += t != alone.t;
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(n_other, 0);
}

TEST(Guess, ChoosesABranch) {
    // y^2 = 1 + x: two branches
    const Problem problem(
        Model::parse("unknown x, y\nx' = 1\ny^2 = 1 + x\nstart x = 0\nguess y = 1\nsolve t = 0 .. 1\n"));
    EXPECT_NEAR(problem.solve().column("y").back(), std::sqrt(2.0), 1e-6);
    for (int k = 0; k < 2; ++k) {
        EXPECT_NEAR(problem.solve({.guess = {{"y", -2}}}).column("y").back(), -std::sqrt(2.0), 1e-6);
        EXPECT_NEAR(problem.solve({.guess = {{"y", 2}}}).column("y").back(), std::sqrt(2.0), 1e-6);
    }
    EXPECT_TRUE(test::has(test::refusal([&] { problem.solve({.guess = {{"z", 1}}}); }), "'z' is no unknown"));
    EXPECT_THROW(problem.solve({.guess = {{"y", NAN}}}), InvalidInput);
    EXPECT_NEAR(problem.solve().column("y").back(), std::sqrt(2.0), 1e-6) << "it stays usable";
}

TEST(StopToken, EndsARunAtTheNextStep) {
    const Problem problem(growth(), {.step = 1e-6});
    std::stop_source source;
    const Solution s = problem.solve({.dense = false, .stop = source.get_token(), .on_step = [&](const StepView& step) {
                                          if (step.number() == 10) source.request_stop();
                                      }});
    EXPECT_EQ(s.status, Status::interrupted);
    EXPECT_EQ(s.stats.steps, 10);
}

} // namespace
} // namespace vessiot::observer_test
