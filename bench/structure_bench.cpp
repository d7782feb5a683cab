// Steps of methods that keep structure beside programs written by hand for the same method (support/structure_by_hand):
// RATTLE on the hanging chain, magnus4 on SO(3). In turns, nine rounds, in time of the processor; the median of the
// ratios and their spread. Ends with status 1 where the end points differ.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lang/model.hpp"
#include "solve/problem/solve.hpp"
#include "support/structure_by_hand.hpp"

namespace {

using namespace vessiot;

struct Result {
    double seconds;
    std::vector<double> end;
};

Result ours(const System& system, const std::string& method, double h, std::int64_t steps) {
    const double to = h * static_cast<double>(steps);
    SolveOptions o{.method = method, .step = h, .from = 0.0, .to = to, .at = {to}};
    o.backend = "jit";
    o.dense = false;
    double start = 0; // of the first step: code is compiled before
    o.progress = [&](const Progress& p) {
        if (p.steps == 0) start = bench::thread_seconds();
        return true;
    };
    const Solution s = solve_system(system, o);
    return {bench::thread_seconds() - start, std::vector<double>(s.numbers.begin(), s.numbers.end())};
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t k = 0; k < b.size(); ++k) largest = std::max(largest, std::fabs(a[k] - b[k]));
    return largest;
}

template <class Ours, class ByHand>
bool compare(const std::string& name, std::int64_t steps, double tolerance, const Ours& ours, const ByHand& by_hand) {
    std::vector<double> ratios, times, hand_times;
    double difference = 0;
    for (int round = 0; round < 9; ++round) {
        const Result a = ours(), b = by_hand();
        difference = std::max(difference, largest_difference(a.end, b.end));
        ratios.push_back(a.seconds / b.seconds);
        times.push_back(a.seconds / static_cast<double>(steps));
        hand_times.push_back(b.seconds / static_cast<double>(steps));
    }
    for (auto* list : {&ratios, &times, &hand_times}) std::ranges::sort(*list);
    fmt::print(
        "{:<24} {:>9.3g} us a step, by hand {:>9.3g} us: ratio {:.2f} ({:.2f} .. {:.2f}), ends differ by {:.1e}\n",
        name, 1e6 * times[4], 1e6 * hand_times[4], ratios[4], ratios.front(), ratios.back(), difference);
    return difference <= tolerance;
}

} // namespace

int main() {
    bool is_good = true;
    for (const std::int64_t n : {std::int64_t{50}, std::int64_t{1000}}) {
        const double h = 1e-4; // until shortly before the end is whipped around
        const std::int64_t steps = n < 100 ? 10'000 : 2'000;
        lang::Settings settings;
        settings.set = {{"n", std::to_string(n)}};
        const System chain = lang::load_model(VESSIOT_SOURCE_DIR "/gallery/hanging_chain.ves", settings);
        const auto by_hand = [&] {
            Result r;
            r.seconds = bench::rattle_by_hand(n, h, steps, r.end);
            return r;
        };
        const auto us = [&] { // x, x', y, y', ..
            Result r = ours(chain, "rattle", h, steps);
            const auto m = static_cast<std::ptrdiff_t>(n);
            r.end.erase(r.end.begin() + m, r.end.begin() + 2 * m);
            r.end.resize(2 * static_cast<std::size_t>(n));
            return r;
        };
        is_good &= compare(fmt::format("rattle, chain of {}", n), steps, 1e-6, us, by_hand);
    }
    const System rotation = lang::read_model(lang::Source(
        "rotation.ves", "matrix Y[3,3] in SO(3)\nY' = skew(cos(t), sin(t), 1/2)*Y\nstart Y = identity(3)\n"));
    const double h = 0.01;
    const std::int64_t steps = 100'000;
    is_good &= compare(
        "magnus4, SO(3)", steps, 1e-9, [&] { return ours(rotation, "magnus4", h, steps); },
        [&] {
            Result r;
            r.seconds = bench::magnus_by_hand(h, steps, r.end);
            return r;
        });
    return is_good ? 0 : 1;
}
