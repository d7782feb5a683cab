// Zeros of functions along steps: each found once, in order, with its kind, whatever the steps are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "event/ticks.hpp"
#include "event/watch.hpp"
#include "event/zeno.hpp"
#include "expr/range/range.hpp"

namespace vessiot::event_watch_test {
namespace {

using std::numbers::pi;

struct Function {
    std::function<double(double)> g;
    EventDirection direction = EventDirection::both;
    double terms = 1;
    std::function<expr::Range(double, double)> range{}; // of g and g' between two times
};

struct Met {
    std::size_t event;
    double t;
    ZeroKind kind;
};

struct Probe {
    const std::vector<Function>& functions;
    double tau, h;
    std::size_t n_exact = 0, n_rough = 0, n_ranges = 0;
    double rtol = 1e-8, atol = 1e-10;
    void all(double theta, double* v) const {
        for (std::size_t e = 0; e < functions.size(); ++e) v[e] = functions[e].g(tau + theta * h);
    }
    void values(double theta, double* v) {
        ++n_exact;
        all(theta, v);
    }
    void rough(double theta, double* v) {
        ++n_rough;
        all(theta, v);
    }
    void terms(double, double* v) const {
        for (std::size_t e = 0; e < functions.size(); ++e) v[e] = functions[e].terms;
    }
    bool has_range(std::size_t e) const { return static_cast<bool>(functions[e].range); }
    expr::Range range(std::size_t e, double a, double b) {
        ++n_ranges;
        const expr::Range r = functions[e].range(tau + a * h, tau + b * h);
        const double p = r.slope.lo * h, q = r.slope.hi * h;
        return {r.value, {std::min(p, q), std::max(p, q)}};
    }
};

struct Walk {
    std::vector<Met> met;
    std::vector<char> was_flat;
    std::size_t n_exact = 0, n_rough = 0, n_ranges = 0;
    bool was_unsure = false;
};

Walk walk(const std::vector<Function>& functions, double from, double to, int n) {
    std::vector<Event> events;
    for (const Function& f : functions) events.push_back({.name = "e", .value = 0, .direction = f.direction});
    EventWatch<double> watch(events);
    std::vector<double> v(functions.size());
    std::vector<EventCrossing<double>> found;
    const double h = (to - from) / n;
    Probe{functions, from, h}.all(0, v.data());
    watch.begin(v.data());
    Walk result;
    result.was_flat.assign(functions.size(), 0);
    for (int k = 0; k < n; ++k) {
        const double tau = from + k * h, end = k == n - 1 ? to : from + (k + 1) * h;
        Probe probe{functions, tau, end - tau};
        probe.all(1, v.data());
        watch.find(probe, tau, end - tau, v.data(), k == n - 1 ? StepEnd::last : StepEnd::inside, found);
        for (const auto& c : found) result.met.push_back({c.event, tau + c.theta * (end - tau), c.kind});
        for (std::size_t e = 0; e < functions.size(); ++e) result.was_flat[e] |= static_cast<char>(watch.is_flat(e));
        result.n_exact += probe.n_exact;
        result.n_rough += probe.n_rough;
        result.n_ranges += probe.n_ranges;
        result.was_unsure |= watch.is_unsure();
    }
    return result;
}

void expect_times(const Walk& w, const std::vector<double>& times, double tolerance, const std::string& what) {
    ASSERT_EQ(w.met.size(), times.size()) << what;
    for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(w.met[k].t, times[k], tolerance) << what << ", " << k;
}

TEST(EventWatch, FindsSimpleZerosToRoundOffWithAnySteps) {
    std::vector<double> times;
    for (int k = 1; k <= 6; ++k) times.push_back(k * pi);
    for (const int n : {4, 7, 20, 40, 1000})
        expect_times(walk({{[](double t) { return std::sin(t); }}}, 0, 20, n), times, 1e-14 * 20,
                     "steps: " + std::to_string(n));
}

TEST(EventWatch, DirectionsAreThoseOfTravel) {
    const auto sine = [](double t) { return std::sin(t); };
    const Walk w = walk({{sine, EventDirection::rising}, {sine, EventDirection::falling}}, 0, 10, 9);
    ASSERT_EQ(w.met.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(w.met[k].event, k == 1 ? 0U : 1U);
    const Walk back = walk({{sine, EventDirection::rising}}, 10, 0, 9); // t from 10 down
    ASSERT_EQ(back.met.size(), 2U);
    EXPECT_NEAR(back.met[0].t, 3 * pi, 1e-13);
    EXPECT_NEAR(back.met[1].t, pi, 1e-13);
}

TEST(EventWatch, PairsInsideOfAStepAreNotMissed) {
    // above zero for a part `width` of one step
    for (const double width : {0.3, 0.1, 1e-2, 1e-3}) {
        const auto g = [=](double t) { return (t - 1.37) * (t - 1.37 - width); };
        const Walk w = walk({{g}}, 0, 4, 4);
        expect_times(w, {1.37, 1.37 + width}, 1e-15 / width * 100 + 1e-14, "width " + std::to_string(width));
    }
}

TEST(EventWatch, TouchesAreFoundOnceAndHaveNoDirection) {
    struct Case {
        std::string name;
        std::function<double(double)> g;
    };
    const std::vector<Case> cases{{"square", [](double t) { return (t - 1.3) * (t - 1.3); }},
                                  {"negative", [](double t) { return -std::pow(std::sin(t - 1.3), 2); }},
                                  {"cosine", [](double t) { return std::cos(t - 1.3) - 1; }},
                                  {"fourth power", [](double t) { return std::pow(t - 1.3, 4); }},
                                  {"just not", [](double t) { return (t - 1.3) * (t - 1.3) + 1e-11; }},
                                  {"just over", [](double t) { return (t - 1.3) * (t - 1.3) - 1e-11; }},
                                  {"kink", [](double t) { return std::fabs(t - 1.3); }}};
    for (const Case& c : cases)
        for (const int n : {1, 2, 3, 4, 5, 8, 13, 26, 30}) { // 13 and 26: at the end of a step
            const std::string what = c.name + ", steps " + std::to_string(n);
            const Walk w = walk({{c.g}, {c.g, EventDirection::rising}, {c.g, EventDirection::falling}}, 0, 2.6, n);
            // where a double root is, its function knows to the root of its own error
            expect_times(w, {1.3}, c.name == "fourth power" ? 1e-2 : 1e-5, what);
            if (!w.met.empty()) {
                EXPECT_EQ(w.met[0].kind, ZeroKind::touch) << what;
            }
        }
    const auto above = [](double t) { return (t - 1.3) * (t - 1.3) + 1e-6; };
    EXPECT_TRUE(walk({{above}}, 0, 2.6, 3).met.empty());
}

// sin(w t) and its derivative, by their ranges.
Function fast_sine(double w) {
    return {[w](double t) { return std::sin(w * t); }, EventDirection::both, 1,
            [w](double a, double b) {
                const expr::Range t{{std::min(a, b), std::max(a, b)}, {1, 1}};
                return expr::apply(expr::Op::sin, expr::apply(expr::Op::mul, expr::Range::constant(w), t, {}), {}, {});
            }};
}

TEST(EventWatch, WithRangesEveryZeroIsFoundHoweverManyThereAre) {
    for (const double w : {3.0, 50.0, 1000.0, 20000.0})
        for (const int n : {1, 3, 40}) {
            const Walk walked = walk({fast_sine(w)}, 0, 10, n);
            const auto expected = static_cast<std::size_t>(10 * w / pi);
            ASSERT_EQ(walked.met.size(), expected) << "w = " << w << ", steps " << n;
            for (std::size_t k = 0; k < expected; k += 1 + expected / 100)
                EXPECT_NEAR(walked.met[k].t, static_cast<double>(k + 1) * pi / w, 1e-13) << "w = " << w;
            EXPECT_FALSE(walked.was_unsure);
        }
}

TEST(EventWatch, WithRangesManyTouchesAreFoundOnce) {
    const Function fast = fast_sine(40);
    const Function squared{[g = fast.g](double t) { return g(t) * g(t); }, EventDirection::both, 1,
                           [r = fast.range](double a, double b) {
                               const expr::Range s = r(a, b);
                               return expr::apply(expr::Op::pow, s, expr::Range::constant(2), {});
                           }};
    const Walk w = walk({squared}, 0.01, 5, 2);
    ASSERT_EQ(w.met.size(), 63U);
    for (std::size_t k = 0; k < w.met.size(); ++k) {
        EXPECT_NEAR(w.met[k].t, static_cast<double>(k + 1) * pi / 40, 1e-5);
        EXPECT_EQ(w.met[k].kind, ZeroKind::touch);
    }
}

TEST(EventWatch, TooManyZerosAreSaidToBe) {
    EXPECT_TRUE(walk({fast_sine(3e5)}, 0, 10, 1).was_unsure);
    const auto g = [](double t) { return std::sin(1e4 * t); };
    EXPECT_TRUE(walk({{g}}, 0, 10, 1).was_unsure); // without a range
}

TEST(EventWatch, AFunctionThatStaysAwayCostsOneRangeAStep) {
    const auto range = [](double a, double b) { return expr::Range{{a + 5, b + 5}, {1, 1}}; };
    const Walk w = walk({{[](double t) { return t + 5; }, EventDirection::both, 1, range}}, 0, 10, 20);
    EXPECT_EQ(w.n_ranges, 20U);
    EXPECT_EQ(w.n_rough + w.n_exact, 0U);
}

TEST(EventWatch, AStepThatContradictsTheRateAtItsBeginningIsReported) {
    std::vector<Event> events{{.name = "e", .value = 0}};
    EventWatch<double> watch(events);
    const std::vector<Function> functions{{[](double t) { return -t; }}};
    const double zero = 0, rate = 1, end = -1;
    std::vector<EventCrossing<double>> found;
    watch.begin(&zero, &rate);
    Probe probe{functions, 0, 1};
    watch.find(probe, 0, 1, &end, StepEnd::inside, found);
    EXPECT_TRUE(watch.is_lead_lost(0));
    EXPECT_TRUE(found.empty());
    const std::vector<Function> right{{[](double t) { return t * (0.1 - t); }}};
    const double end_right = -0.9;
    watch.begin(&zero, &rate);
    Probe good{right, 0, 1};
    watch.find(good, 0, 1, &end_right, StepEnd::inside, found);
    EXPECT_FALSE(watch.is_lead_lost(0));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].theta, 0.1, 1e-14);
}

TEST(EventWatch, SmallOscillationsAreCrossingsNotTouches) {
    for (const double size : {1e-6, 1e-9, 1e-12, 1e-200}) {
        const Walk w = walk({{[=](double t) { return size * std::sin(t); }, EventDirection::both, size}}, 1, 20, 13);
        ASSERT_EQ(w.met.size(), 6U) << size;
        for (const Met& m : w.met) EXPECT_NE(m.kind, ZeroKind::touch) << size;
    }
}

TEST(EventWatch, AZeroAtTheStartIsLeftAndOneAtACommonEndIsMetOnce) {
    for (const double off : {0.0, 1e-17, -1e-17}) // the start point is known to round-off
        expect_times(walk({{[=](double t) { return std::sin(t) + off; }}}, 0, 4, 3), {pi}, 1e-14, "start");
    expect_times(walk({{[](double t) { return t - 2; }}}, 0, 4, 4), {2}, 0, "common end");
    expect_times(walk({{[](double t) { return t - 2; }}}, 0, 2, 4), {2}, 0, "end of the run");
    expect_times(walk({{[](double t) { return t * (t - 1e-5); }}}, 0, 1, 1), {1e-5}, 1e-15, "comes back at once");
    expect_times(walk({{[](double t) { return t * (t - 1e-9); }}}, 0, 1, 1), {1e-9}, 1e-15, "comes back at once");
}

TEST(EventWatch, SeveralEventsOfOneStepAreInOrder) {
    std::vector<Function> functions;
    for (const double at : {0.7, 0.2, 0.5, 0.2, 0.9})
        functions.push_back({[=](double t) { return std::exp(t) - std::exp(at); }});
    const Walk w = walk(functions, 0, 1, 1);
    expect_times(w, {0.2, 0.2, 0.5, 0.7, 0.9}, 1e-15, "five");
    const std::vector<std::size_t> order{1, 3, 2, 0, 4};
    for (std::size_t k = 0; k < w.met.size(); ++k) EXPECT_EQ(w.met[k].event, order[k]);
}

TEST(EventWatch, AFunctionThatStaysZeroIsMetWhenItGetsThere) {
    for (const int n : {1, 3, 4, 7, 10}) {
        const Walk w = walk({{[](double t) { return t < 1.25 ? 1.25 - t : t > 2.5 ? 2.5 - t : 0.0; }}}, 0, 4, n);
        ASSERT_EQ(w.met.size(), 1U) << n;
        if (n > 1) {
            EXPECT_NEAR(w.met[0].t, 1.25, 1e-13) << n;
        }
        EXPECT_EQ(w.met[0].kind, ZeroKind::falling);
    }
    // zero up to round-off all the time: noise is no crossing
    const Walk noise = walk({{[](double t) { return 1e-16 * std::sin(1e6 * t); }}}, 0, 4, 100);
    EXPECT_TRUE(noise.met.empty());
    EXPECT_TRUE(noise.was_flat[0]);
    EXPECT_FALSE(walk({{[](double t) { return 1 + 1e-16 * t; }}}, 0, 4, 100).was_flat[0]);
}

TEST(EventWatch, JumpsAndKinksAreCrossingsToo) {
    const Walk jump = walk({{[](double t) { return t < 1.3 ? -1.0 : 2.0; }}}, 0, 4, 3);
    ASSERT_EQ(jump.met.size(), 1U);
    EXPECT_NEAR(jump.met[0].t, 1.3, 1e-14);
    const Walk kink = walk({{[](double t) { return std::fabs(t - 1.3) - 0.01; }}}, 0, 4, 2);
    expect_times(kink, {1.29, 1.31}, 1e-14, "kink");
}

TEST(EventWatch, AFunctionWithoutValuesIsPassedOver) {
    const Walk w = walk({{[](double t) { return std::log(t - 1); }}}, 0, 4, 7); // none before 1, zero at 2
    ASSERT_EQ(w.met.size(), 1U);
    EXPECT_NEAR(w.met[0].t, 2, 1e-14);
    EXPECT_TRUE(walk({{[](double) { return NAN; }}}, 0, 4, 7).met.empty());
}

TEST(EventWatch, StepsFarFromZeroCostLittle) {
    const Walk far = walk({{[](double t) { return 1.5 + std::sin(t); }}}, 0, 20, 40);
    EXPECT_EQ(far.n_exact, 0U);
    EXPECT_EQ(far.n_rough, 120U);
    const Walk near = walk({{[](double t) { return std::sin(t); }}}, 0.5, 20, 40); // 6 of 40 steps have a zero
    EXPECT_LE(near.n_exact, 6U * 40);
}

TEST(EventWatch, RandomPolynomialsLoseNoZero) {
    // zeros at known places, steps that do not know them
    std::uint64_t random = 20261115;
    const auto next = [&] {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(random >> 11) * 0x1p-53;
    };
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<double> zeros;
        double at = 0;
        const int n = 1 + static_cast<int>(8 * next());
        for (int k = 0; k < n; ++k) zeros.push_back(at += 0.02 + next());
        const double end = at + 0.5;
        const auto g = [=](double t) {
            double product = 1;
            for (const double z : zeros) product *= t - z;
            return product;
        };
        const int steps = 2 + static_cast<int>(9 * next());
        const Walk w = walk({{g}}, 0, end, steps);
        ASSERT_EQ(w.met.size(), zeros.size()) << "trial " << trial << ", " << steps << " steps";
        for (std::size_t k = 0; k < zeros.size(); ++k) EXPECT_NEAR(w.met[k].t, zeros[k], 1e-9) << "trial " << trial;
    }
}

TEST(ZenoWatch, FindsAccumulationsAndNothingElse) {
    const auto first_found = [](const std::function<double(int)>& interval, int n) {
        ZenoWatch watch;
        double t = 0;
        for (int k = 0; k < n; ++k) {
            t += interval(k);
            if (const auto found = watch.add(interval(k))) return std::pair(k, t + found->rest);
        }
        return std::pair(-1, 0.0);
    };
    for (const double r : {0.3, 0.9, 0.99}) {
        const auto [k, end] = first_found([=](int i) { return std::pow(r, i); }, 5000);
        EXPECT_GT(k, 0) << r;
        EXPECT_NEAR(end, 1 / (1 - r), 1e-4 / (1 - r)) << r;
    }
    // two events in turn
    const auto turns = [](int i) { return (i % 2 == 0 ? 1 : 0.1) * std::pow(0.8, i / 2); };
    EXPECT_GT(first_found(turns, 1000).first, 0);
    EXPECT_NEAR(first_found(turns, 1000).second, 1.1 / 0.2, 1e-4);
    EXPECT_EQ(first_found([](int) { return 0.5; }, 5000).first, -1);
    EXPECT_EQ(first_found([](int i) { return 1.0 / (i + 1); }, 100000).first, -1); // goes on for ever
    EXPECT_EQ(first_found([](int i) { return i % 7 == 3 ? 1e-9 : 1.0; }, 5000).first, -1);
}

TEST(Ticks, AreCountedAndIncludeBothEnds) {
    for (const double sign : {1.0, -1.0}) {
        Ticks<double> ticks(2, 2 + sign * 100);
        ticks.add(0, 0.1);
        ticks.add(1, 0.3);
        std::vector<std::size_t> events;
        std::size_t n[2] = {0, 0};
        double last = 0;
        for (int k = 0; const auto t = ticks.next(); ++k) {
            EXPECT_NEAR(*t, 2 + sign * 0.1 * k, 1e-13);
            events.clear();
            ticks.take(*t, events);
            ASSERT_FALSE(events.empty());
            for (const std::size_t e : events) ++n[e];
            EXPECT_EQ(events.size(), k % 3 == 0 ? 2U : 1U) << k;
            last = *t;
        }
        EXPECT_EQ(n[0], 1001U);
        EXPECT_EQ(n[1], 334U);
        EXPECT_EQ(last, 2 + sign * 100);
    }
}

} // namespace
} // namespace vessiot::event_watch_test
