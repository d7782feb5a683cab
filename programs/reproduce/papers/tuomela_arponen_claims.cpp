#include "reproduce/papers/tuomela_arponen_claims.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace vessiot::reproduce::arponen {

namespace {

// The stiff pendulum with eps = 0.1, as far as x = 20.
RunSetting pendulum(const std::string& method, const std::string& tolerance) {
    return {.model = "stiff_pendulum_reduced",
            .options = {{"method", method},
                        {"control", "tuomela"},
                        {"newton_stop", "sound"},
                        {"rtol", tolerance},
                        {"atol", tolerance},
                        {"start", "y3=-17.65"}}};
}

Claim rkf45_claim() {
    return {"6.3, Remark 6.2", "RKF45 is dissipative for all reasonable stepsizes", [](Runner& runner) -> Finding {
                std::string text = "Of the energy 1.125 of the stiff pendulum (eps = 0.1) is left at x = 20:";
                bool is_dissipative = false;
                for (const char* tolerance : {"1e-4", "1e-5"}) {
                    const Solution& fehlberg = runner.run(pendulum("rkf45", tolerance));
                    const Solution& dopri = runner.run(pendulum("dopri54", tolerance));
                    if (fehlberg.status != Status::success) return {Standing::not_computed, fehlberg.message};
                    if (dopri.status != Status::success) return {Standing::not_computed, dopri.message};
                    const double e = fehlberg.column("E").back(), d = dopri.column("E").back();
                    text += fmt::format(" {:.4f} with rkf45 and {:.4f} with dopri54 at tol {} ({} and {} steps);", e, d,
                                        tolerance, fehlberg.stats.steps, dopri.stats.steps);
                    is_dissipative |= e < d - 0.05;
                }
                return {is_dissipative ? Standing::holds : Standing::does_not_hold,
                        text + " a loss that is 0.05 larger than that of dopri54 would be called dissipative."};
            }};
}

constexpr const char* turn_event = "event turn: y1*y2' - y2*y1' = 0\n";
constexpr const char* energy_invariant =
    "invariant m1*(y1'^2 + y2'^2)/2 + m2*(y3'^2 + y4'^2)/2 + gamma*(m1*y2 + m2*y4)\n";

// From a turning point of the first bar to the next but one; 0 where there are not so many. The start is one, too.
double period(const Solution& s) {
    constexpr double start = 1e-3;
    std::vector<double> t;
    for (const EventPoint& e : s.events)
        if (e.t > start) t.push_back(e.t);
    return t.size() < 3 ? 0 : t[2] - t[0];
}

Claim four_bar_claim() {
    return {"6.4, (6.7)", "the energy of the four bar system is constant; without it the period is too short",
            [](Runner& runner) -> Finding {
                const Solution& without = runner.run(four_bar_setting("0.8", false));
                const Solution& with = runner.run(four_bar_setting("0.8", true));
                const Solution& free = runner.run(four_bar_setting("0", false));
                for (const Solution* s : {&without, &with, &free})
                    if (s->status != Status::success) return {Standing::not_computed, s->message};
                const std::vector<double> e = without.column("E");
                const auto [low, high] = std::ranges::minmax(e);
                const bool is_constant = high - low < 1e-6 * std::abs(high);
                return {
                    is_constant ? Standing::holds : Standing::does_not_hold,
                    fmt::format("Along the equations of motion, at tolerances of 1e-9, E runs from {:.4f} to {:.3f}: "
                                "dE/dx = T theta', the torque T does work. The period is {:.2f} without (6.7) and "
                                "{:.2f} with it; without the torque it is {:.2f}.",
                                low, high, period(without), period(with), period(free))};
            }};
}

Claim crossed_claim() {
    return {"6.4", "with g2 there is no problem in passing through points y4 = 0", [](Runner& runner) -> Finding {
                const Solution& s = runner.run({.model = "four_bar_crossed", .options = {{"rtol", "1e-9"}}});
                std::string times;
                for (const EventPoint& e : s.events) times += fmt::format("{}{:.3f}", times.empty() ? "" : ", ", e.t);
                if (s.status != Status::success) return {Standing::not_computed, s.message};
                return {s.events.empty() ? Standing::does_not_hold : Standing::holds,
                        fmt::format("The motion passes them at x = {}.", times)};
            }};
}

constexpr const char* right_solution = "(-2/3*t^2 - 4/9*t - 4/27 + 58/27*exp(3*t))";
constexpr const char* printed_solution = "(-t^2 - 2/3*t - 2/9 + 20/9*exp(3*t))";

Claim solution_claim() {
    return {"6.1", "the solution of y1 - 3y - 2x^2 = 0, y(0) = 2, is -x^2 - 2/3 x - 2/9 + 20/9 e^(3x)",
            [](Runner& runner) -> Finding {
                RunSetting run{.model = "simple_linear",
                               .options = {{"to", "0.01"}, {"at", "0.01"}, {"rtol", "1e-12"}, {"atol", "1e-14"}},
                               .lines = fmt::format("output right = y - {}\noutput printed = y - {}\n", right_solution,
                                                    printed_solution)};
                const Solution& s = runner.run(run);
                if (s.status != Status::success) return {Standing::not_computed, s.message};
                const double off = std::abs(s.column("printed").back()), right = std::abs(s.column("right").back());
                return {off < 1e-10 ? Standing::holds : Standing::does_not_hold,
                        fmt::format("At x = 0.01 it is off by {:.1e} from a run at tolerances of 1e-12; "
                                    "-2/3 x^2 - 4/9 x - 4/27 + 58/27 e^(3x) is off by {:.0e}. (It solves "
                                    "y1 - 3y - 3x^2 = 0.)",
                                    off, right)};
            }};
}

} // namespace

RunSetting order_setting(int k, double length) {
    RunSetting run;
    run.model = "simple_linear";
    run.lines = fmt::format("output error = y - {}\n", right_solution);
    run.options = {{"method", "dopri54"},
                   {"precision", "quad"},
                   {"formulation", "general"},
                   {"parametrisation", "arclength"},
                   {"project", "stages"},
                   {"projection", "newton"},
                   {"step", fmt::format("{}", std::ldexp(1.0, -k))},
                   {"to", "1"},
                   {"to_s", fmt::format("{}", length)}};
    return run;
}

RunSetting four_bar_setting(const std::string& torque, bool has_energy) {
    RunSetting run{.model = "four_bar", .set = {{"T", torque}}, .options = {{"rtol", "1e-9"}, {"atol", "1e-9"}}};
    run.lines = turn_event;
    if (!has_energy) return run;
    run.lines += energy_invariant;
    // NOTE: V is not tangent to this manifold, so that the order is 1, and another projection leads to another curve:
    // short steps, and the nearest points of the paper.
    run.options = {
        {"step", "1e-3"}, {"invariants", "impose"}, {"projection", "newton"}, {"project", "stages"}, {"every", "0.01"}};
    return run;
}

std::vector<Claim> claims() {
    return {solution_claim(), rkf45_claim(), four_bar_claim(), crossed_claim()};
}

} // namespace vessiot::reproduce::arponen
