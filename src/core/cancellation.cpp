#include "core/cancellation.hpp"

#include <utility>

namespace vessiot {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int calls_between_looks = 16; // at the clock
constexpr auto pause = std::chrono::milliseconds(100);

thread_local Cancellation* current = nullptr;

} // namespace

Cancellation::Cancellation(std::function<bool()> is_wanted)
    : is_wanted_(std::move(is_wanted)), outer_(std::exchange(current, this)), next_(Clock::now() + pause) {}

Cancellation::~Cancellation() {
    current = outer_;
}

void Cancellation::ask() {
    if (++n_calls_ < calls_between_looks) return;
    n_calls_ = 0;
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + pause;
    if (!is_wanted_()) throw Cancelled();
}

void check_cancelled() {
    if (current) current->ask();
}

} // namespace vessiot
