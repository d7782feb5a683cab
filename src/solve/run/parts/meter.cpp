#include "solve/run/parts/meter.hpp"

#include <algorithm>

namespace vessiot {

namespace {

// What is a sum: a becomes a + sign b.
template <class Counts> void accumulate(Counts& a, const Counts& b, int sign) {
    Counts::visit([&](const char*, std::int64_t Counts::* count) { a.*count += sign * b.*count; });
}

void accumulate(RunCounts& a, const RunCounts& b, int sign) {
    accumulate(a.stepper, b.stepper, sign);
    accumulate(a.distribution, b.distribution, sign);
    accumulate(a.projection, b.projection, sign);
    for (std::size_t k = 0; k < a.steps_by_order.size(); ++k) a.steps_by_order[k] += sign * b.steps_by_order[k];
    a.seconds += sign * b.seconds;
}

} // namespace

void RunCounts::add(const RunCounts& other) {
    if (other.projection.fallbacks > 0) projection.first_fallback = other.projection.first_fallback; // it came before
    stepper.newton_max = std::max(stepper.newton_max, other.stepper.newton_max);
    accumulate(*this, other, 1);
}

// NOTE: newton_max, a maximum, stays, and so does first_fallback.
void RunCounts::subtract(const RunCounts& other) {
    accumulate(*this, other, -1);
}

// Clocks are read about a thousand times a second.
bool Meter::look() {
    const auto now = Clock::now();
    const double since = std::chrono::duration<double>(now - started_).count();
    const auto rate = static_cast<double>(n_attempts - first_attempt) / (since + 1e-9);
    next_look_ = n_attempts + std::clamp<std::int64_t>(static_cast<std::int64_t>(1e-3 * rate), 1, 1000);
    if (std::chrono::duration<double>(now - last_told_).count() < 0.1 && n_attempts > 0) return false;
    last_told_ = now;
    return true;
}

} // namespace vessiot
