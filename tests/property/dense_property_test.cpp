// The curve between the steps lies on the constraints, and what is reported at given times is that curve, up to and
// including the last step, which an event may have cut: for every method, on problems of the gallery.
//
// VESSIOT_ALL_DENSE asks for every method on every problem that it fits; without it every method is tried on a few
// problems, and every problem with one method.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "method/registry.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/prepare.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot {
namespace {

using method::MethodInfo;

constexpr double rtol = 1e-6;

// n times between from and to; the same for the same n.
std::vector<double> random_times(double from, double to, int n) {
    std::uint64_t random = 20261115;
    std::vector<double> times;
    for (int k = 0; k < n; ++k) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        times.push_back(from + (to - from) * static_cast<double>(random >> 11) * 0x1p-53);
    }
    return times;
}

// A part of the model's interval, with constant steps where the method has no others.
SolveOptions options_for(const System& system, const std::string& method, double part, int n_times) {
    SolveOptions o = model_options(system);
    o.method = method;
    o.rtol = rtol;
    o.atol = 1e-9;
    o.step = 0;
    o.h_first = 0;
    o.at.clear();
    o.every = 0;
    o.projection = "auto";
    o.throw_on_failure = false;
    o.backend = "interpreter";
    o.max_steps = 3000;
    o.dense = false;
    const auto [from, to] = interval(system, settled(o));
    const double a = static_cast<double>(from), b = a + part * static_cast<double>(to - from);
    o.from = a;
    o.to = b;
    o.at = random_times(a, b, n_times);
    return o;
}

// Group preserving steps without a projection, and SHAKE, whose velocities are off the hidden constraints by design.
bool is_unprojected(std::string_view method) {
    return method == "gps" || method == "hgps" || method == "shake";
}

// The residual at these times, all constraints included, or -1 where the method does not fit.
double residual(const System& system, const std::string& method, double part, int n_times, std::size_t& n_points) {
    try {
        const Solution s = solve_system(system, options_for(system, method, part, n_times));
        n_points += s.t.size();
        return s.constraint_residual_max;
    } catch (const InvalidInput&) {
        return -1;
    }
}

bool is_small(const std::string& name) {
    static const std::set<std::string> large{"heat",       "heat_dae",          "hanging_chain", "mech",
                                             "mech_table", "mech_table_energy", "n_pendulum",    "ring_springs"};
    return !large.contains(name);
}

std::vector<std::string> tested_methods() {
    std::vector<std::string> names;
    for (const MethodInfo& m : method::methods())
        if (!method::is_direct(m) && !is_unprojected(m.name)) names.emplace_back(m.name); // those project nothing
    return names;
}

TEST(DenseOutput, LiesOnTheConstraintsWithEveryMethod) {
    std::size_t n_points = 0;
    const bool is_all = std::getenv("VESSIOT_ALL_DENSE") != nullptr;
    const std::vector<std::string> few{"pendulum", "hairer_index2", "euler_top", "attitude", "kepler"};
    for (const std::string& name : is_all ? test::gallery_names() : few) {
        const System system = test::gallery_system(name);
        if (system.has_ends()) continue; // on another interval: another problem
        std::size_t n_methods = 0;
        for (const std::string& method : tested_methods()) {
            const double found = residual(system, method, 0.05, is_all ? 10'000 : 300, n_points);
            n_methods += found >= 0;
            EXPECT_LE(found, rtol) << name << ", " << method;
        }
        EXPECT_GT(n_methods, 10U) << name;
    }
    EXPECT_GT(n_points, 50'000U);
}

TEST(DenseOutput, LiesOnTheConstraintsOfEveryProblem) {
    std::size_t n_points = 0;
    for (const std::string& name : test::gallery_names()) {
        if (!is_small(name) || test::gallery_system(name).has_ends()) continue; // on another interval: another problem
        const double found = residual(test::gallery_system(name), "dopri54", 0.05, 10'000, n_points);
        EXPECT_LE(found, rtol) << name;
    }
    EXPECT_GT(n_points, 300'000U);
}

// sol(t) is what --at says, and where the run ends the curve ends.
TEST(DenseOutput, IsWhatIsReportedUpToAnEvent) {
    const System system = lang::read_model(
        lang::Source("pendulum.ves", "unknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
                                     "start x = 0.6, y = -0.8, x' = 0, y' = 0\nsolve t = 0 .. 3\n"
                                     "event low: x = 0.1 falling then x' = -0.9*x'\nevent late: x + t = 1.1 stop\n"));
    std::size_t n_methods = 0;
    for (const std::string& method : tested_methods()) {
        SolveOptions o = options_for(system, method, 1, 200);
        o.dense = true;
        o.rtol = 1e-3; // some are of order 1
        o.atol = 1e-5;
        o.max_steps = 100'000;
        Solution s;
        try {
            s = solve_system(system, o);
        } catch (const InvalidInput&) {
            continue;
        }
        ++n_methods;
        ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
        ASSERT_FALSE(s.t.empty()) << method;
        for (std::size_t k = 0; k < s.t.size(); ++k) {
            const std::vector<double> curve = s(s.t[k]);
            for (std::size_t j = 0; j < curve.size(); ++j)
                EXPECT_NEAR(curve[j], s.row(k)[j], 1e-12 * (1 + std::fabs(curve[j]))) << method << " at " << s.t[k];
        }
        const EventPoint& last = s.events.back();
        EXPECT_EQ(last.name, "late") << method;
        EXPECT_LE(s.t.back(), last.t) << method;
        EXPECT_NEAR(s(last.t)[0] + last.t, 1.1, 1e-12) << method;
        EXPECT_THROW(s(last.t + 1e-3), InvalidInput) << method; // the curve ends there
        for (const EventPoint& e : s.events) {
            if (e.values_after.empty()) continue;
            EXPECT_NEAR(e.values[0], 0.1, 1e-12) << method;
            EXPECT_NEAR(e.values_after[1], -0.9 * e.values[1], 1e-12) << method;
        }
    }
    EXPECT_GT(n_methods, 40U);
}

} // namespace
} // namespace vessiot
