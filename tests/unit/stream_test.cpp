// Points that go to files as they are computed, and what stays in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "solution/point_store.hpp"
#include "solve/run/report_times.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

namespace fs = std::filesystem;

// Native code is made in a thread of its own, and its library takes memory when it likes.
const int without_jit = ::setenv("VESSIOT_JIT", "off", 1);

const std::string oscillator = "unknown x\nx'' = -x\nstart x = 1, x' = 0\noutput E = x^2 + x'^2\nsolve t = 0 .. 10\n";
const std::string y_impasse = "unknown y\ny*y' = -1/2\nstart y = 1\nsolve t = 0 .. 2\n";

std::string file_name(const std::string& name) {
    return (fs::temp_directory_path() / ("vessiot_stream_" + std::to_string(::getpid()) + "_" + name)).string();
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Counts what it is given.
class Counter final : public PointStream {
public:
    std::string name() const override { return "counter"; }
    void begin(const StreamHead& head) override {
        ++n_begun;
        n_points = n_events = 0;
        names = head.names;
        has_s = head.has_s;
    }
    void add(const StreamPoint& point) override {
        ++n_points;
        last_t = point.t;
        EXPECT_EQ(point.values.size(), names.size());
        if (n_points == fails_at) throw OutputFailed("counter cannot be written: it is full");
    }
    void add_event(const StreamEvent&) override { ++n_events; }
    void end(const Solution& solution) override {
        ++n_ended;
        status = solution.status;
    }
    std::vector<std::int64_t> position() const override { return {n_points}; }
    void sync() override {}
    void resume(const StreamHead&, std::span<const std::int64_t>) override {}

    int n_begun = 0, n_ended = 0;
    std::int64_t n_points = 0, n_events = 0, fails_at = -1;
    double last_t = 0;
    bool has_s = false;
    Status status{};
    std::vector<std::string> names;
};

TEST(Stream, GetsEveryPointOnce) {
    const auto counter = std::make_shared<Counter>();
    const Solution s = solve(Model::parse(oscillator + "event up: x = 0 rising\n"), {.streams = {counter}});
    EXPECT_EQ(counter->n_begun, 1);
    EXPECT_EQ(counter->n_ended, 1);
    EXPECT_EQ(counter->n_points, std::ssize(s.t));
    EXPECT_EQ(counter->n_points, s.stats.steps + 1);
    EXPECT_EQ(counter->n_events, 1); // at 3 pi / 2
    EXPECT_EQ(counter->last_t, 10);
    EXPECT_EQ(counter->status, Status::success);
    EXPECT_EQ(s.n_points, std::ssize(s.t));
}

TEST(Stream, GetsTheRunInArclengthWhereThatOneCounts) {
    const auto counter = std::make_shared<Counter>();
    const Solution s = solve(Model::parse(y_impasse), {.streams = {counter}});
    EXPECT_EQ(s.method.parametrisation, "arclength");
    EXPECT_EQ(counter->n_begun, 2);
    EXPECT_TRUE(counter->has_s);
    EXPECT_EQ(counter->n_points, std::ssize(s.t));
}

TEST(Stream, ThatFailsEndsTheRun) {
    const auto counter = std::make_shared<Counter>();
    counter->fails_at = 11;
    const Solution s = solve(Model::parse(oscillator), {.throw_on_failure = false, .streams = {counter}});
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_EQ(s.message.find("counter cannot be written: it is full; the run ended at t = "), 0u) << s.message;
    EXPECT_EQ(s.t.size(), 11u);
    EXPECT_EQ(counter->n_ended, 1);
}

TEST(Stream, WritesTheSameTableAsTheSolution) {
    const std::string a = file_name("a.csv"), b = file_name("b.csv");
    const Solution s = solve(Model::parse(oscillator), {.streams = {csv_stream(a)}});
    s.write_csv(b);
    EXPECT_EQ(content(a), content(b));
    EXPECT_EQ(content(a).substr(0, 9), "t,x,x',E\n");
    fs::remove(a);
    fs::remove(b);
}

TEST(Stream, OfAFullDiskHasCompleteLines) {
    const Solution full =
        solve(Model::parse(oscillator), {.throw_on_failure = false, .streams = {csv_stream("/dev/full")}});
    EXPECT_EQ(full.status, Status::failed);
    EXPECT_EQ(full.message, "/dev/full cannot be written: No space left on device; nothing was computed");
    const Solution nowhere =
        solve(Model::parse(oscillator), {.throw_on_failure = false, .streams = {csv_stream("/no/folder/a.csv")}});
    EXPECT_EQ(nowhere.message, "/no/folder/a.csv cannot be written: No such file or directory; nothing was computed");
}

TEST(PointStore, KeepsSomeEvenlyAndAlwaysTheFirstAndTheLast) {
    for (const std::int64_t most : {2, 3, 10, 100})
        for (const int n : {1, 2, 3, 9, 10, 11, 100, 101, 1000, 4097}) {
            Solution s;
            s.names = {"x", "y"};
            PointStore store(most);
            StreamHead head;
            head.names = s.names;
            head.has_s = true;
            store.begin(head);
            for (int k = 0; k < n; ++k) {
                const double values[] = {double(k), double(-k)};
                store.add(s, {double(k), double(10 * k), values, {}});
                store.add_step(s, {double(k), 1, 0});
                ASSERT_EQ(s.t.back(), k);
                ASSERT_LE(std::ssize(s.t), most + 1);
            }
            ASSERT_EQ(s.n_points, n);
            ASSERT_EQ(s.t.front(), 0);
            ASSERT_EQ(s.numbers.size(), 2 * s.t.size());
            ASSERT_EQ(s.s.size(), s.t.size());
            ASSERT_EQ(s.trace.size(), s.t.size());
            for (std::size_t k = 0; k < s.t.size(); ++k) {
                ASSERT_EQ(s.numbers[2 * k], s.t[k]);
                ASSERT_EQ(s.numbers[2 * k + 1], -s.t[k]);
                ASSERT_EQ(s.s[k], 10 * s.t[k]);
                if (k >= 2 && k + 1 < s.t.size()) {
                    ASSERT_EQ(s.t[k] - s.t[k - 1], s.t[1] - s.t[0]);
                }
            }
            ASSERT_GE(std::ssize(s.t), std::min<std::int64_t>(n, most / 2));
        }
}

// Resident memory of this process, in KiB.
long resident() {
    std::ifstream file("/proc/self/statm");
    long total = 0, pages = 0;
    file >> total >> pages;
    return pages * (::sysconf(_SC_PAGESIZE) / 1024);
}

// A grid of which nothing is stored is the list of its points.
TEST(ReportTimes, OfAGridAreThoseOfItsList) {
    for (const double step : {0.1, -0.25})
        for (const std::int64_t n : {1, 2, 7}) {
            const double from = 3, to = from + step * (static_cast<double>(n) - 0.3);
            const ReportTimes<double> grid(from, step, n, to);
            std::vector<double> points;
            for (std::size_t k = 0; k < grid.size(); ++k) points.push_back(grid[k]);
            ASSERT_EQ(std::ssize(points), n + 1);
            EXPECT_EQ(points.front(), from);
            EXPECT_EQ(points.back(), to);
            const ReportTimes<double> list(points);
            for (int i = -3; i < 40; ++i)
                for (int j = -3; j < 40; ++j) {
                    const double a = from + step * i / 4, b = from + step * j / 4;
                    ASSERT_EQ(grid.between(a, b), list.between(a, b)) << step << " " << n << " " << a << " " << b;
                }
        }
}

TEST(ReportTimes, OfALongRunAreNotStored) {
    const auto counter = std::make_shared<Counter>();
    const long before = resident();
    // two billion points asked for; the run ends after a thousand steps
    const Solution s = solve(Model::parse(oscillator), {.step = 0.01,
                                                        .to = 2e6,
                                                        .every = 0.001,
                                                        .max_steps = 1000,
                                                        .throw_on_failure = false,
                                                        .streams = {counter},
                                                        .keep = 100});
    EXPECT_EQ(counter->n_points, 10'001);
    EXPECT_EQ(s.n_points, 10'001);
    EXPECT_LT(resident() - before, 8 * 1024);
}

// A million steps by default; VESSIOT_STREAM_STEPS says another number.
TEST(Stream, NeedsNoMemoryForManyPoints) {
    const char* setting = std::getenv("VESSIOT_STREAM_STEPS");
    const double n = setting ? std::atof(setting) : 1e6;
    const auto counter = std::make_shared<Counter>();
    const std::string csv = file_name("many.csv");
    const Model model = Model::parse(oscillator);
    solve(model, {.method = "rk4",
                  .step = 1e-3,
                  .to = 10.0,
                  .backend = "interpreter",
                  .streams = {csv_stream(csv)},
                  .keep = 1000});
    const long before = resident();
    const Solution s = solve(model, {.method = "rk4",
                                     .step = 1e-3,
                                     .to = 1e-3 * n,
                                     .backend = "interpreter",
                                     .max_steps = std::int64_t{1} << 40,
                                     .streams = {counter, csv_stream(csv)},
                                     .keep = 1000});
    EXPECT_EQ(counter->n_points, std::int64_t(n) + 1);
    EXPECT_EQ(s.n_points, counter->n_points);
    EXPECT_LE(s.t.size(), 1001u);
    EXPECT_LE(s.trace.size(), 1001u);
    EXPECT_LT(resident() - before, 8 * 1024); // 40 MB would be t and the values of a million points
    const auto bytes = fs::file_size(csv);
    EXPECT_GT(static_cast<double>(bytes), 40 * n);
    fs::remove(csv);
}

} // namespace
} // namespace vessiot
