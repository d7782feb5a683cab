// Ensembles: members, statistics, threads, shards, logs.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.hpp"
#include "ensemble/members.hpp"
#include "ensemble/quantiles.hpp"
#include "ensemble/random.hpp"
#include "support/refusal.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/model.hpp"

namespace vessiot::ensemble_test {
namespace {

using ensemble::Members;
using test::has;
using test::refusal;

constexpr const char* decay = R"(
parameter k = 1
parameter a = 2
unknown x
x' = -k*x
start x = a
output twice = 2*x
solve t = 0..1
)";

constexpr const char* pendulum = R"(
parameter g = 9.81
unknown x, y, lambda
x'' = -lambda*x
y'' = -lambda*y - g
x^2 + y^2 = 1
start x = 1, y = 0, x' = 0, y' = 0
solve t = 0..2
event low: y' = 0
)";

Problem problem_of(const char* text, SolveOptions options = {}) {
    options.throw_on_failure = false;
    return Problem(Model::parse(text), options);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<double> values_of(const Members& members, std::int64_t k) {
    std::vector<double> values(members.names().size());
    members.values(k, values);
    return values;
}

TEST(Members, TheLastGridVariesFastestAndSamplesFastestOfAll) {
    const EnsembleOptions grids{.vary = {Vary::list("a", {1, 2}), Vary::linear("b", 0, 1, 3)}};
    const Members members(grids);
    ASSERT_EQ(members.size(), 6);
    EXPECT_EQ(values_of(members, 1), (std::vector<double>{1, 0.5}));
    EXPECT_EQ(values_of(members, 5), (std::vector<double>{2, 1}));
    const EnsembleOptions sampled{.vary = {Vary::list("a", {1, 2}), Vary::random("u", Vary::Kind::uniform, {0, 1})},
                                  .samples = 10};
    const Members random(sampled);
    ASSERT_EQ(random.size(), 20);
    EXPECT_EQ(values_of(random, 9)[0], 1);
    EXPECT_EQ(values_of(random, 10)[0], 2);
    EXPECT_NE(values_of(random, 9)[1], values_of(random, 19)[1]);
}

TEST(Members, ZipGoesThroughGridsTogether) {
    const EnsembleOptions options{.vary = {Vary::list("a", {1, 2}), Vary::list("b", {3, 4})}, .zip = true};
    const Members members(options);
    ASSERT_EQ(members.size(), 2);
    EXPECT_EQ(values_of(members, 1), (std::vector<double>{2, 4}));
    const EnsembleOptions uneven{.vary = {Vary::list("a", {1, 2}), Vary::list("b", {3})}, .zip = true};
    EXPECT_TRUE(has(refusal([&] { Members{uneven}; }), "--zip"));
}

TEST(Members, GridsNeedNoMemoryAndHaveTheirEnds) {
    const EnsembleOptions options{.vary = {Vary::logarithmic("a", 1e-3, 1e3, 1'000'000'000'001)}};
    const Members members(options);
    EXPECT_EQ(values_of(members, 0)[0], 1e-3);
    EXPECT_NEAR(values_of(members, 500'000'000'000)[0], 1, 1e-12);
    EXPECT_EQ(values_of(members, 1'000'000'000'000)[0], 1e3);
}

TEST(Members, WrongNumbersAreNamed) {
    const auto why = [](Vary v, std::int64_t samples) {
        return refusal([&] {
            const EnsembleOptions options{.vary = {v}, .samples = samples};
            Members{options};
        });
    };
    EXPECT_TRUE(has(why(Vary::random("g", Vary::Kind::uniform, {2, 1}), 5), "uniform(2,1) needs a < b"));
    EXPECT_TRUE(has(why(Vary::random("g", Vary::Kind::normal, {2, 0}), 5), "deviation"));
    EXPECT_TRUE(has(why(Vary::random("g", Vary::Kind::triangular, {0, 1, 2}), 5), "peak"));
    EXPECT_TRUE(has(why(Vary::random("g", Vary::Kind::normal, {0, 1}), 0), "--samples"));
    EXPECT_TRUE(has(why(Vary::list("g", {1}), 5), "nothing is random"));
    EXPECT_TRUE(has(why(Vary::list("g", {}), 0), "no members"));
    EXPECT_TRUE(has(why(Vary::linear("g", 0, 1, 0), 0), "no members"));
    EXPECT_TRUE(has(why(Vary::logarithmic("g", 0, 1, 5), 0), "positive"));
}

TEST(Random, MomentsOfTheDistributions) {
    using Kind = Vary::Kind;
    const auto moments = [](Kind kind, std::vector<double> numbers) {
        const int n = 200'000;
        double sum = 0, squares = 0;
        for (int k = 0; k < n; ++k) {
            const double x = ensemble::quantile(kind, numbers, ensemble::uniform(7, static_cast<std::uint64_t>(k), 3));
            sum += x;
            squares += x * x;
        }
        const double mean = sum / n;
        return std::pair{mean, std::sqrt(squares / n - mean * mean)};
    };
    const auto [um, us] = moments(Kind::uniform, {-1, 3});
    EXPECT_NEAR(um, 1, 0.01);
    EXPECT_NEAR(us, 4 / std::sqrt(12.0), 0.01);
    const auto [nm, ns] = moments(Kind::normal, {5, 2});
    EXPECT_NEAR(nm, 5, 0.02);
    EXPECT_NEAR(ns, 2, 0.02);
    const auto [tm, ts] = moments(Kind::triangular, {0, 3, 1});
    EXPECT_NEAR(tm, 4.0 / 3, 0.01);
    EXPECT_NEAR(ts, std::sqrt((0 + 9 + 1 - 0 - 0 - 3) / 18.0), 0.01);
    const auto [lm, ls] = moments(Kind::lognormal, {0, 0.5});
    EXPECT_NEAR(lm, std::exp(0.125), 0.01);
    EXPECT_GT(ls, 0);
}

TEST(Random, NormalQuantilesAreRightToFifteenDigits) {
    const std::vector<double> standard{0, 1};
    EXPECT_NEAR(ensemble::quantile(Vary::Kind::normal, standard, 0.975), 1.959963984540054, 1e-14);
    EXPECT_NEAR(ensemble::quantile(Vary::Kind::normal, standard, 1e-10), -6.361340902404056, 1e-13);
    EXPECT_NEAR(ensemble::quantile(Vary::Kind::normal, standard, 1e-300), -37.0471, 1e-4);
}

TEST(Random, LatinHypercubesHaveOneSampleInEachPart) {
    for (const std::uint64_t n : {1, 2, 7, 64, 1000}) {
        std::set<std::uint64_t> first, second;
        for (std::uint64_t k = 0; k < n; ++k) {
            first.insert(static_cast<std::uint64_t>(ensemble::latin(1, 0, k, n, 0) * static_cast<double>(n)));
            second.insert(static_cast<std::uint64_t>(ensemble::latin(1, 5, k, n, 1) * static_cast<double>(n)));
        }
        EXPECT_EQ(first.size(), n);
        EXPECT_EQ(second.size(), n);
    }
}

TEST(Random, SobolIsEvenInEveryDimensionAndInPairs) {
    for (std::uint64_t d = 0; d < ensemble::sobol_dimensions; ++d) {
        std::set<int> parts;
        for (std::uint64_t k = 0; k < 1024; ++k) parts.insert(static_cast<int>(ensemble::sobol(3, k, d) * 1024));
        EXPECT_EQ(parts.size(), 1024u) << d;
    }
    // the first two dimensions are a (0, 10, 2)-net: every box of area 1/1024 has one point
    for (int m = 0; m <= 10; ++m) {
        std::set<std::pair<int, int>> boxes;
        for (std::uint64_t k = 0; k < 1024; ++k)
            boxes.emplace(static_cast<int>(ensemble::sobol(0, k, 0) * (1 << m)),
                          static_cast<int>(ensemble::sobol(0, k, 1) * (1 << (10 - m))));
        EXPECT_EQ(boxes.size(), 1024u) << m;
    }
}

TEST(Quantiles, AreExactThenRightToAThousandth) {
    ensemble::Quantiles few;
    for (const double x : {3.0, 1.0, 2.0, 4.0}) few.add(x);
    EXPECT_EQ(few.at({0, 0.5, 1}), (std::vector<double>{1, 2.5, 4}));
    for (const bool is_sorted : {false, true}) {
        ensemble::Quantiles many;
        const std::uint64_t n = 3'000'000;
        for (std::uint64_t k = 0; k < n; ++k)
            many.add(is_sorted ? (static_cast<double>(k) + 0.5) / static_cast<double>(n) : ensemble::uniform(1, k, 0));
        EXPECT_FALSE(many.is_exact());
        const std::vector<double> p{0.001, 0.05, 0.5, 0.95, 0.999};
        const std::vector<double> q = many.at(p);
        for (std::size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(q[k], p[k], 1.5e-3) << is_sorted;
    }
}

TEST(Ensemble, MembersAreTheRunsThemselves) {
    const Problem problem = problem_of(pendulum);
    const EnsembleResult all = problem.ensemble({.vary = {Vary::linear("g", 1, 20, 50)}});
    ASSERT_EQ(all.counts[0], 50);
    for (const std::int64_t k : {0, 17, 49}) {
        const double g = all.members.varied[static_cast<std::size_t>(k)];
        const Solution alone = problem.solve({.parameters = {{"g", g}}});
        for (const std::string& name : alone.names) EXPECT_EQ(all.value(k, name), alone.column(name).back()) << name;
        EXPECT_EQ(all.members.steps[static_cast<std::size_t>(k)], alone.stats.steps);
    }
}

TEST(Ensemble, NothingDependsOnThreads) {
    const Problem problem = problem_of(pendulum);
    const auto run = [&](int threads) {
        return problem.ensemble(
            {.vary = {Vary::random("g", Vary::Kind::normal, {9.81, 1}), Vary::linear("start:x'", 0, 1, 2)},
             .samples = 1500,
             .run = {.every = 0.5},
             .record = Record::points,
             .reduce = read_reductions("mean,std,quantile(0.1,0.9),histogram(y,-1..0,10)"),
             .threads = threads});
    };
    const EnsembleResult one = run(1);
    ASSERT_EQ(one.done(), 3000);
    ASSERT_EQ(one.head.t.size(), 5u);
    for (const int threads : {2, 5}) {
        const EnsembleResult many = run(threads);
        EXPECT_TRUE(same_bits(one.members.values, many.members.values));
        for (std::size_t k = 0; k < one.statistics.size(); ++k) {
            EXPECT_EQ(one.statistics[k].mean, many.statistics[k].mean);
            EXPECT_EQ(one.statistics[k].deviation, many.statistics[k].deviation);
            EXPECT_EQ(one.statistics[k].quantiles, many.statistics[k].quantiles);
        }
        for (std::size_t k = 0; k < one.histograms.size(); ++k)
            EXPECT_EQ(one.histograms[k].counts, many.histograms[k].counts);
    }
}

TEST(Ensemble, StatisticsAreThoseOfTheMembers) {
    const Problem problem = problem_of(decay, {.rtol = 1e-10, .atol = 1e-12});
    const EnsembleResult all = problem.ensemble({.vary = {Vary::linear("k", 0, 2, 2001)},
                                                 .outputs = {"twice"},
                                                 .reduce = read_reductions("mean,min,max,quantile(0.5)")});
    // mean of 4 exp(-k) over 0..2 by the trapezoidal rule; each member to 1e-9
    double sum = 0;
    for (int k = 0; k <= 2000; ++k) sum += 4 * std::exp(-k / 1000.0);
    const ColumnStatistics& s = all.statistic("twice");
    EXPECT_EQ(s.count, 2001);
    EXPECT_NEAR(s.mean, sum / 2001, 1e-8);
    EXPECT_NEAR(s.greatest, 4, 1e-12);
    EXPECT_NEAR(s.least, 4 * std::exp(-2.0), 1e-8);
    EXPECT_NEAR(s.quantiles[0], 4 * std::exp(-1.0), 1e-8);
}

TEST(Ensemble, FailedMembersKeepTheirStatusAndLastPoint) {
    const Problem problem = problem_of("parameter a = 1\nunknown x\nx' = a*x^2\nstart x = 1\nsolve t = 0..1\n");
    const EnsembleResult all =
        problem.ensemble({.vary = {Vary::list("a", {0.5, 2, 4, 0.1})}, .reduce = read_reductions("mean")});
    EXPECT_EQ(all.counts[0], 2);
    EXPECT_EQ(all.counts[1], 2);
    ASSERT_EQ(all.failures.size(), 1u); // alike but for their numbers
    EXPECT_EQ(all.failures[0].count, 2);
    EXPECT_EQ(all.failures[0].first, 1);
    EXPECT_NEAR(all.members.t[1], 0.5, 1e-3);
    EXPECT_GT(all.value(1, "x"), 100);
    EXPECT_EQ(all.statistic("x").count, 2);
}

TEST(Ensemble, MembersWithoutAStartPointAreAStatus) {
    const Problem problem =
        problem_of("parameter r = 1\nunknown x, y\nx' = y\nx^2 + y^2 = r\nstart x = 0.5, y = 0.8\nsolve t = 0..0.1\n");
    const EnsembleResult all = problem.ensemble({.vary = {Vary::list("r", {1, -1, 2})}});
    EXPECT_EQ(all.members.status[1], MemberStatus::no_start);
    EXPECT_EQ(all.counts[0], 2);
    EXPECT_TRUE(std::isnan(all.value(1, "x")));
}

TEST(Ensemble, EndsAfterSoManyFailures) {
    const Problem problem = problem_of("parameter a = 1\nunknown x\nx' = a*x^2\nstart x = 1\nsolve t = 0..1\n");
    for (const int threads : {1, 3}) {
        const EnsembleResult all =
            problem.ensemble({.vary = {Vary::linear("a", 0, 10, 5000)}, .threads = threads, .max_failures = 3});
        EXPECT_EQ(all.status, MemberStatus::failed);
        EXPECT_EQ(all.counts[1], 3);
        EXPECT_EQ(all.counts[0], 500); // a < 1
    }
}

TEST(Ensemble, EventsAndAllPointsHaveRowsOfTheirOwn) {
    const Problem problem = problem_of(pendulum);
    const EnsembleResult events = problem.ensemble({.vary = {Vary::list("g", {1, 20})}, .record = Record::events});
    const Solution fast = problem.solve({.parameters = {{"g", 20}}});
    ASSERT_EQ(events.members.row_count.size(), 2u);
    EXPECT_EQ(events.members.row_count[1], static_cast<std::int64_t>(fast.events.size()));
    EXPECT_EQ(events.members.row_t.back(), fast.events.back().t);
    const EnsembleResult points =
        problem.ensemble({.vary = {Vary::list("g", {1, 20})}, .record = Record::all, .outputs = {"y"}});
    EXPECT_EQ(points.members.row_count[1], static_cast<std::int64_t>(fast.t.size()));
    EXPECT_EQ(points.members.values.back(), fast.column("y").back());
}

TEST(Ensemble, GoesOnAfterAKillWithTheSameBits) {
    const TemporaryFolder folder;
    const Problem problem = problem_of(decay);
    const std::string path = folder.path().string() + "/log.part";
    EnsembleOptions options{.vary = {Vary::linear("k", 0, 2, 5000)},
                            .reduce = read_reductions("mean,std,quantile(0.3)"),
                            .checkpoint = path};
    const EnsembleResult whole = problem.ensemble(options);
    const auto size = std::filesystem::file_size(path);
    for (const double part : {0.05, 0.3, 0.77}) { // somewhere in the middle of a record
        std::filesystem::resize_file(path, static_cast<std::uintmax_t>(part * static_cast<double>(size)));
        EnsembleOptions again = options;
        again.checkpoint.clear();
        again.resume = path;
        const EnsembleResult resumed = problem.ensemble(again);
        EXPECT_TRUE(same_bits(whole.members.values, resumed.members.values));
        EXPECT_EQ(whole.statistics[0].mean, resumed.statistics[0].mean);
        EXPECT_EQ(whole.statistics[0].quantiles, resumed.statistics[0].quantiles);
        EXPECT_EQ(std::filesystem::file_size(path), size);
    }
    EnsembleOptions other = options;
    other.vary = {Vary::linear("k", 0, 3, 5000)};
    other.resume = path;
    EXPECT_TRUE(has(refusal([&] { problem.ensemble(other); }), "another ensemble"));
}

TEST(Ensemble, StopsAndKeepsWhatIsDone) {
    const Problem problem = problem_of(pendulum);
    std::atomic<int> calls = 0;
    const EnsembleResult some =
        problem.ensemble({.vary = {Vary::linear("g", 1, 20, 100'000)},
                          .progress = [&](const EnsembleProgress& p) { return p.done < 100 || ++calls < 2; }});
    EXPECT_EQ(some.status, MemberStatus::interrupted);
    EXPECT_GE(some.counts[0], 100);
    EXPECT_LT(some.counts[0], 100'000);
}

TEST(Ensemble, ShardsMergeToTheWhole) {
    const TemporaryFolder folder;
    const Problem problem = problem_of(decay);
    EnsembleOptions options{.vary = {Vary::linear("k", 0, 2, 5000)},
                            .run = {.every = 0.25},
                            .record = Record::points,
                            .reduce = read_reductions("mean,std")};
    const EnsembleResult whole = problem.ensemble(options);
    std::vector<std::string> parts;
    for (int k = 0; k < 3; ++k) {
        options.shard = k;
        options.n_shards = 3;
        options.checkpoint = parts.emplace_back(fmt::format("{}/{}.part", folder.path().string(), k));
        problem.ensemble(options);
    }
    const EnsembleResult merged = merge_parts({parts[2], parts[0], parts[1]}, {});
    EXPECT_TRUE(same_bits(whole.members.values, merged.members.values));
    EXPECT_EQ(whole.statistics.back().deviation, merged.statistics.back().deviation);
    EXPECT_TRUE(has(refusal([&] { merge_parts({parts[0], parts[1]}, {}); }), "shard 2/3 is missing"));
    EXPECT_TRUE(
        has(refusal([&] { merge_parts({parts[0], parts[1], parts[1]}, {}); }), "shard 1/3 is given more than once"));
    options.vary = {Vary::linear("k", 0, 3, 5000)};
    options.checkpoint = folder.path().string() + "/other.part";
    problem.ensemble(options);
    EXPECT_TRUE(
        has(refusal([&] { merge_parts({parts[0], parts[1], options.checkpoint}, {}); }), "different ensembles"));
    std::filesystem::resize_file(parts[1], std::filesystem::file_size(parts[1]) - 7);
    EXPECT_TRUE(has(refusal([&] { merge_parts(parts, {}); }), "not complete"));
}

// What the model reports of a single run is another matter.
TEST(Ensemble, TheLastPointIsWhereARunEndedWhateverTheModelReports) {
    const std::string text = "parameter a = 1\nunknown x\nx' = a\nstart x = 0\nsolve t = 0..4\nevent q: x = 1\n";
    for (const std::string wish : {"output at 1\n", "output every 3\n", "output section q\n"}) {
        const Problem problem = problem_of((text + wish).c_str());
        const EnsembleResult all = problem.ensemble({.vary = {Vary::list("a", {1, 2})}});
        EXPECT_EQ(all.members.t, (std::vector<double>{4, 4})) << wish;
        EXPECT_NEAR(all.value(0, "x"), 4, 1e-9) << wish;
        EXPECT_NEAR(all.value(1, "x"), 8, 1e-9) << wish;
    }
}

// Points are those that are asked for, not those that the first member came to.
TEST(Ensemble, MembersThatEventsStopHaveThePointsBefore) {
    const char* text = "parameter a = 1\nunknown x\nx' = a\nstart x = 0\nsolve t = 0..4\nevent edge: x = 2 stop\n";
    for (const std::vector<double>& a : {std::vector<double>{0.8, 0.1}, {0.1, 0.8}}) {
        const EnsembleResult all =
            problem_of(text).ensemble({.vary = {Vary::list("a", a)}, .run = {.every = 1}, .record = Record::points});
        EXPECT_EQ(all.counts[0], 2);
        ASSERT_EQ(all.head.t.size(), 5u);
        for (std::int64_t k = 0; k < 2; ++k) {
            const double rate = a[static_cast<std::size_t>(k)];
            EXPECT_NEAR(all.value(k, "x", 2), 2 * rate, 1e-9);
            EXPECT_EQ(std::isnan(all.value(k, "x", 3)), rate > 0.5);
        }
    }
    // the first members fail before the first point
    const EnsembleResult late =
        problem_of("parameter a = 1\nunknown x\nx' = a*x^2\nstart x = 1\nsolve t = 0..2\n")
            .ensemble({.vary = {Vary::list("a", {4, 3, 0.1})}, .run = {.every = 0.5}, .record = Record::points});
    EXPECT_EQ(late.counts[0], 1);
    EXPECT_NEAR(late.value(2, "x", 4), 1 / 0.8, 1e-5);
}

TEST(Ensemble, MembersThatAnObserverStopsAreNotThoseThatReachedTheEnd) {
    const auto low = [](const StepView& step) { return step["x"] < 1 ? Next::stop : Next::go_on; };
    const EnsembleResult all =
        problem_of(decay).ensemble({.vary = {Vary::list("k", {0.1, 2, 3})}, .run = {.on_step = low}});
    EXPECT_EQ(all.counts[static_cast<std::size_t>(MemberStatus::success)], 1);
    EXPECT_EQ(all.counts[static_cast<std::size_t>(MemberStatus::stopped)], 2);
    EXPECT_EQ(all.members.status[1], MemberStatus::stopped);
    EXPECT_EQ(name(all.members.status[1]), "stopped");
    EXPECT_EQ(all.done(), 3);
    EXPECT_LT(all.members.t[2], 1);
    EXPECT_LT(all.value(2, "x"), 1);
    EXPECT_TRUE(all.failures.empty());
}

TEST(Ensemble, ALogBelongsToTheIntervalAndTheSection) {
    const TemporaryFolder folder;
    const std::string path = folder.path().string() + "/log.part";
    const std::string text = "parameter a = 1\nunknown x\nx' = a\nstart x = 0\nevent p: x = 1\nevent q: x = 0.5\n";
    const auto run = [&](const std::string& rest, EnsembleOptions options) {
        options.vary = {Vary::linear("a", 1, 2, 10)};
        problem_of((text + rest).c_str()).ensemble(options);
    };
    const auto why = [&](const std::string& rest, EnsembleOptions options) {
        options.resume = path;
        return refusal([&] { run(rest, options); });
    };
    const std::string other = "' belongs to another ensemble";
    run("solve t = 0..2\n", {.checkpoint = path});
    run("solve t = 0..2\n", {.resume = path}); // it is its own
    const std::string longer = why("solve t = 0..9\n", {});
    EXPECT_TRUE(has(longer, other));
    EXPECT_FALSE(has(longer, "damaged"));
    run("solve t = 0..2\noutput section p\n", {.record = Record::all, .checkpoint = path});
    EXPECT_TRUE(has(why("solve t = 0..2\noutput section q\n", {.record = Record::all}), other));
    run("solve t = 0..2\n", {.run = {.section = "p"}, .record = Record::all, .checkpoint = path});
    EXPECT_TRUE(has(why("solve t = 0..2\n", {.run = {.section = "q"}, .record = Record::all}), other));
}

TEST(Ensemble, NotesOfMembersAreSaidOnce) {
    const Problem problem = problem_of(pendulum);
    const EnsembleResult all = problem.ensemble({.vary = {Vary::list("start:y", {0, 0.5, 0.6})}});
    EXPECT_EQ(all.counts[0], 3);
    ASSERT_EQ(all.notes.size(), 1u);
    EXPECT_TRUE(has(all.notes[0], "2 members, first member 1: start: "));
    EXPECT_TRUE(has(all.notes[0], "moved"));
    EXPECT_TRUE(all.failures.empty());
}

// What a model is asked for when it is read, its parameters are asked for in every run.
TEST(Ensemble, TimesBetweenEventsArePositive) {
    const char* text = "parameter d = 1\nunknown x\ndiscrete n = 0\nx' = 1\nstart x = 0\nsolve t = 0..2\n"
                       "event tick: every d then n = n + 1\n";
    const EnsembleResult all = problem_of(text).ensemble({.vary = {Vary::list("d", {0.5, 0, -1})}});
    EXPECT_EQ(all.value(0, "n"), 5);
    EXPECT_EQ(all.members.status[1], MemberStatus::no_start);
    EXPECT_EQ(all.members.status[2], MemberStatus::no_start);
    EXPECT_TRUE(has(all.failures.at(0).message, "the time between the events 'tick' must be positive, but it is 0"));
    const Problem reports =
        problem_of("parameter h = 1\nunknown x\nx' = 1\nstart x = 0\nsolve t = 0..2\noutput every h\n");
    EXPECT_TRUE(has(refusal([&] { reports.solve({.parameters = {{"h", 0}}}); }), "must be positive"));
}

TEST(Ensemble, ImpossibleStatisticsAreRefused) {
    const Problem problem = problem_of(decay);
    const auto why = [&](Reduction r) {
        return refusal([&] { problem.ensemble({.vary = {Vary::list("k", {1, 2})}, .reduce = {r}}); });
    };
    using Kind = Reduction::Kind;
    EXPECT_TRUE(has(why({.kind = Kind::quantile, .levels = {1.5}}), "between 0 and 1"));
    EXPECT_TRUE(has(why({.kind = Kind::histogram, .name = "x", .from = 0, .to = 1, .bins = -1}), "bins"));
    EXPECT_TRUE(has(why({.kind = Kind::histogram, .name = "x", .from = -1e308, .to = 1e308, .bins = 3}), "bins"));
}

TEST(Ensemble, RefusesWhatCannotVary) {
    const Problem problem = problem_of(
        "parameter n = 3\nunknown x[n]\nfor i = 1..n: x[i]' = -x[i]\nfor i = 1..n: start x[i] = i\nsolve t = 0..1\n");
    const auto why = [&](EnsembleOptions options) { return refusal([&] { problem.ensemble(options); }); };
    EXPECT_TRUE(has(why({.vary = {Vary::list("n", {3, 4})}}), "sizes an array"));
    EXPECT_TRUE(has(why({.vary = {Vary::list("m", {3, 4})}}), "no parameter"));
    EXPECT_TRUE(has(why({.vary = {Vary::list("start:z", {3, 4})}}), "z"));
    EXPECT_TRUE(has(why({.vary = {Vary::list("start:x[1]", {3, 4})}, .outputs = {"y"}}), "y"));
    EXPECT_TRUE(has(why({}), "nothing varies"));
}

TEST(EnsembleText, ReadsWhatVaries) {
    EXPECT_EQ(read_vary("g=1..2:3").count, 3);
    EXPECT_EQ(read_vary("m[2]=[1,2,pi]").numbers[2], 3.141592653589793);
    EXPECT_EQ(read_vary("start:x'=normal(0, 2)").kind, Vary::Kind::normal);
    EXPECT_EQ(read_vary("a=log(1..100):3").kind, Vary::Kind::logarithmic);
    for (const char* wrong : {"g", "=1..2:3", "g=1..2", "g=1..2:x", "g=1..2:2.5", "g=uniform(1)", "g=[]", "g=foo(1,2)",
                              "g=nothing.csv:x", "g=1..2:0"})
        EXPECT_FALSE(refusal([&] { read_vary(wrong); }).empty()) << wrong;
    EXPECT_EQ(read_reductions("mean, std,quantile(0.1,0.5),histogram(x[1,2],-1..1,4)").size(), 4u);
    for (const char* wrong : {"", "median", "quantile(2)", "histogram(x,1..0,3)", "histogram(x,0..1,0)", "histogram(x)",
                              "histogram(x,-1e308..1e308,3)"})
        EXPECT_FALSE(refusal([&] { read_reductions(wrong); }).empty()) << wrong;
}

TEST(EnsembleText, TablesOfMembers) {
    const TemporaryFolder folder;
    const std::string path = folder.path().string() + "/table.csv";
    const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
    write("k,a\n1,2\n\n3,4\n");
    EnsembleOptions options;
    read_members(path, options);
    EXPECT_EQ(problem_of(decay).ensemble(options).counts[0], 2);
    EXPECT_EQ(read_vary("k=" + path + ":a").numbers, (std::vector<double>{2, 4}));
    EXPECT_TRUE(has(refusal([&] { read_vary("k=" + path + ":b"); }), "no column 'b'"));
    write("k,a\n1\n");
    EXPECT_TRUE(has(refusal([&] { read_members(path, options); }), ":2:"));
    write("k,a\n1,word\n");
    EXPECT_TRUE(has(refusal([&] { read_members(path, options); }), "word"));
    write("");
    EXPECT_TRUE(has(refusal([&] { read_members(path, options); }), "empty"));
}

} // namespace
} // namespace vessiot::ensemble_test
