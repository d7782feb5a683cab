// solve() on random runs: a model of the gallery, start values moved at random, random options, a short interval and
// few steps. Nothing may crash, hang or throw anything but InvalidInput; what is reported fits together, and a success
// means finite values on the constraints. VESSIOT_RANDOM_RUNS=<n> asks for more runs, VESSIOT_RANDOM_SEED=<seed> for
// others; run k is run 0 of the run with seed + k.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "method/registry.hpp"
#include "solve/options/option_text.hpp"
#include "solve/options/options.hpp"
#include "support/gallery.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::test::solve_random_test {
namespace {

using Clock = std::chrono::steady_clock;

// Of one run. Most take milliseconds; a sanitizer and a loaded machine make that hundreds of times more.
constexpr double time_limit_s = 60;

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Choice {
public:
    explicit Choice(std::uint64_t seed) : engine_(seed) {}

    double between(double a, double b) { return a + (b - a) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(between(0, static_cast<double>(n))); }
    bool chance(double p) { return between(0, 1) < p; }
    double power(double low, double high) { return std::pow(10.0, between(low, high)); }
    template <class List> std::string of(const List& list) {
        return std::string(std::begin(list)[below(std::size(list))]);
    }

private:
    std::mt19937_64 engine_;
};

// What a run of this model looks like without any options: where it starts.
struct Case {
    std::string name;
    Model model;
    double from = 0, length = 1;
    std::vector<std::string> names;
    std::vector<double> start;
};

// Small instances, so that reading a model and analysing it takes little of the time.
std::vector<Case> cases() {
    const std::map<std::string, std::vector<std::pair<std::string, std::string>>> sizes = {
        {"heat", {{"n", "8"}}},
        {"heat_dae", {{"n", "8"}}},
        {"mech", {{"n", "6"}}},
        {"hanging_chain", {{"n", "6"}}},
        {"chain_in_space", {{"n", "3"}}}};
    // seconds each; and those with values at both ends, whose start and interval are not theirs to move (ends_test)
    const std::vector<std::string> left_out = {"mhd",
                                               "plug_flow",
                                               "six_piece_ring",
                                               "bratu",
                                               "bratu_upper",
                                               "ellipsoid_geodesic",
                                               "figure_eight",
                                               "mathieu",
                                               "optimal_control_ends",
                                               "pendulum_upright",
                                               "troesch"};
    std::vector<Case> result;
    for (const std::string& name : gallery_names()) {
        if (std::ranges::find(left_out, name) != left_out.end()) continue;
        const std::string path = std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + name + ".ves";
        const auto size = sizes.find(name);
        Model model = Model::load(path, {.set = size == sizes.end() ? decltype(size->second){} : size->second});
        Case c{name, std::move(model), 0, 1, {}, {}};
        try {
            const Solution s = solve(c.model, {.parametrisation = "time", .max_steps = 1, .throw_on_failure = false});
            c.from = s.t.empty() ? 0 : s.t[0];
            c.names = s.names;
            if (!s.t.empty()) c.start.assign(s.row(0).begin(), s.row(0).end());
        } catch (const InvalidInput&) { // some can only be refused
        }
        result.push_back(std::move(c));
    }
    return result;
}

void choose_points(Choice& choice, SolveOptions& o, double from, double to) {
    if (choice.chance(0.2)) o.every = std::fabs(to - from) / choice.between(0.5, 30);
    if (choice.chance(0.3))
        for (std::size_t n = 1 + choice.below(5); n > 0; --n) o.at.push_back(from + choice.between(0, 1) * (to - from));
}

SolveOptions random_options(Choice& choice, const Case& c) {
    SolveOptions o{.max_steps = static_cast<std::int64_t>(1 + choice.below(120)), .throw_on_failure = false};
    const auto& methods = method::methods();
    const method::MethodInfo& method = methods[choice.below(methods.size())];
    o.method = choice.chance(0.3) ? "auto" : std::string(method.name);
    // few models are matrix equations: methods for those would mostly be refused
    const bool is_lie = method.needs == method::View::lie || method.needs == method::View::linear_lie;
    if (is_lie && !choice.chance(0.1)) o.method = "auto";
    const bool is_adaptive = o.method == "auto" || method.is_adaptive;
    o.rtol = choice.power(-13, -2);
    o.atol = *o.rtol * choice.power(-3, 1);
    const double length = c.length * choice.power(-3, 1);
    o.from = c.from;
    o.to = c.from + (choice.chance(0.25) ? -length : length);
    if (!is_adaptive || choice.chance(0.2)) o.step = length / choice.between(0.7, 100);
    choose_points(choice, o, *o.from, *o.to);
    for (std::size_t k = 0; k < c.names.size() && k < 20; ++k)
        if (choice.chance(0.2))
            o.start.emplace_back(c.names[k], c.start[k] + choice.between(-1, 1) * choice.power(-9, 0.5));
    o.projection = choice.of(projection_table().words());
    // methods on the equations as they stand refuse one: most of their runs shall begin
    const bool is_direct = o.method->starts_with("dae_") || o.method->starts_with("bdf");
    if (is_direct && choice.chance(0.9)) o.projection = "none";
    if (o.projection == "group" && !choice.chance(0.1)) o.projection = "simplified";
    if (o.projection != "none") o.project = choice.of(words_of<Projected>());
    if (choice.chance(0.5)) o.distribution = choice.of(distribution_table().words());
    if (choice.chance(0.5)) o.parametrisation = choice.of(words_of<Parametrisation>());
    if (choice.chance(0.2)) o.formulation = choice.of(words_of<Formulation>());
    if (o.parametrisation == "arclength" && choice.chance(0.5)) o.to_s = choice.power(-3, 2);
    if (choice.chance(0.3)) o.invariants = "impose";
    if (choice.chance(0.1)) o.continuation = "low";
    if (choice.chance(0.1)) o.h_max = length / choice.between(1, 50);
    if (choice.chance(0.1)) o.h_min = length * choice.power(-12, -1);
    if (o.h_max > 0 && o.h_min > o.h_max) o.h_min = 0;
    // kernels of a hundred unknowns take seconds a step in quadruple precision
    const bool is_quad = choice.chance(0.15);
    if (is_quad && c.names.size() < 50) o.precision = "quad";
    o.backend = choice.chance(0.9) ? "interpreter" : "auto";
    o.dense = choice.chance(0.5);
    return o;
}

// As on the command line, to try it there.
std::string describe(const std::string& model, const SolveOptions& o) {
    std::string text = "solve " + model;
    for (const GivenOption& given : given_options(o))
        if (given.name != "start") text += fmt::format(" --{} {}", given.name, given.text);
    for (const auto& [name, value] : o.start) text += fmt::format(" --start \"{}={}\"", name, value);
    return text;
}

bool all_finite(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

void check_message(const std::string& message) {
    EXPECT_FALSE(message.empty());
    for (const std::string word : {"prolong", "offset", " tops", " top ", "pivot", "assert", "nan "})
        EXPECT_EQ(message.find(word), std::string::npos) << message;
}

void check_points(const Solution& s, const SolveOptions& o) {
    const bool is_arclength = s.method.parametrisation == "arclength";
    EXPECT_EQ(s.numbers.size(), s.t.size() * s.names.size());
    EXPECT_EQ(s.output_numbers.size(), s.t.size() * s.output_names.size());
    EXPECT_EQ(s.s.size(), is_arclength ? s.t.size() : 0);
    EXPECT_TRUE(all_finite(s.t) && all_finite(s.s));
    const double low = std::min(*o.from, *o.to), high = std::max(*o.from, *o.to);
    for (std::size_t k = 0; k < s.t.size() && !is_arclength; ++k) {
        EXPECT_TRUE(s.t[k] >= low && s.t[k] <= high) << s.t[k];
        const double ahead = k == 0 ? 1 : (s.t[k] - s.t[k - 1]) * (*o.to - *o.from);
        // small steps in quad round to the same t, and an event that sets values has two points
        const bool may_repeat = o.precision == "quad" || std::ranges::any_of(s.events, [&](const EventPoint& e) {
                                    return e.t == s.t[k] && !e.values_after.empty();
                                });
        EXPECT_TRUE(ahead > 0 || (ahead == 0 && may_repeat)) << s.t[k];
    }
    EXPECT_LE(s.stats.steps + s.stats.rejected, *o.max_steps);
    EXPECT_EQ(s.stats.rejected, s.stats.rejected_error + s.stats.rejected_projection + s.stats.rejected_direction +
                                    s.stats.rejected_iteration);
}

void check_success(const Solution& s, const SolveOptions& o) {
    const bool is_time = s.method.parametrisation == "time"; // else y' may be infinite, where t turns
    EXPECT_TRUE(!is_time || all_finite(s.numbers));
    // the projection works to round-off, whatever the tolerances of a step; where it could not, a note says so
    const bool has_stray = std::ranges::any_of(
        s.notes, [](const std::string& note) { return note.find("no point on the constraints") != note.npos; });
    // NOTE: constant steps may explode: beside values of 1e56 the sizes of rows are no measure any more
    const bool explodes = std::ranges::any_of(s.numbers, [](double x) { return std::fabs(x) > 1e15; });
    // one step of Newton's method does not get there
    const bool is_rough = s.method.projection == "none" || s.method.projection == "post";
    EXPECT_TRUE(is_rough || has_stray || explodes || s.constraint_residual_max <= 1e-9) << s.constraint_residual_max;
    EXPECT_TRUE(std::isfinite(s.constraint_residual_max) && std::isfinite(s.invariant_drift_max));
    if (!is_time || !o.dense) return;
    EXPECT_TRUE(all_finite(s(*o.from + 0.5 * (s.trace.back().t - *o.from))));
}

// The status of the run, "invalid" for one that was refused.
std::string check_run(const Case& c, SolveOptions o) {
    const auto started = Clock::now();
    const auto elapsed_s = [&] { return std::chrono::duration<double>(Clock::now() - started).count(); };
    o.progress = [&](const Progress&) { return elapsed_s() < time_limit_s; };
    std::string status = "invalid";
    try {
        const Solution s = solve(c.model, o);
        status = name(s.status);
        EXPECT_NE(s.status, Status::interrupted) << "took too long";
        check_message(s.message);
        check_points(s, o);
        if (s.status == Status::success) check_success(s, o);
    } catch (const InvalidInput& e) {
        check_message(e.what());
    } catch (const std::exception& e) {
        ADD_FAILURE() << "threw " << e.what();
    }
    EXPECT_LT(elapsed_s(), time_limit_s);
    return status;
}

TEST(Solve, RandomRunsEndWithAnAnswerOrAMessage) {
    const std::uint64_t first_seed = number_from_environment("VESSIOT_RANDOM_SEED", 20260411);
    const std::uint64_t n = number_from_environment("VESSIOT_RANDOM_RUNS", 1500);
    fmt::print("{} runs, seed {}\n", n, first_seed);
    const std::vector<Case> all = cases();
    std::map<std::string, int> counts;
    int n_failures = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + n && n_failures < 5; ++seed) {
        Choice choice(seed);
        const Case& c = all[choice.below(all.size())];
        const SolveOptions o = random_options(choice, c);
        SCOPED_TRACE(fmt::format("seed {}: {}", seed, describe(c.name, o)));
        ++counts[check_run(c, o)];
        n_failures += testing::Test::HasFailure(); // and goes on for some, which may be more of the same
    }
    for (const auto& [status, count] : counts) fmt::print("{} {}\n", count, status);
    EXPECT_GT(counts["success"], static_cast<int>(n / 4)); // the runs are not all refused
}

} // namespace
} // namespace vessiot::test::solve_random_test
