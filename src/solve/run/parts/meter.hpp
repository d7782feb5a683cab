// What a run counts and how long it takes.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "distribution/distribution.hpp"
#include "method/stepper.hpp"
#include "projection/projection.hpp"

namespace vessiot {

// What a run counts, beside steps.
struct RunCounts {
    StepperCounts stepper{};
    DistributionCounts distribution{};
    ProjectionCounts projection{};
    std::array<std::int64_t, 10> steps_by_order{};
    double seconds = 0;

    void add(const RunCounts& other);
    void subtract(const RunCounts& other);
    template <class Archive> void exchange(Archive& archive) {
        const auto all = [&]<class Counts>(const char* name, Counts& counts) {
            archive.part(name, 1, [&] {
                Counts::visit([&](const char* of, std::int64_t Counts::* count) { archive(of, counts.*count); });
            });
        };
        all("stepper", stepper);
        all("distribution", distribution);
        all("projection", projection);
        archive("newton_max", stepper.newton_max);
        archive("first_fallback", projection.first_fallback);
        archive("steps_by_order", steps_by_order);
        archive("seconds", seconds);
    }
};

// Attempts, of which some are timed, and the clock. Each of the first 16 is, of the next every 4th, later every 64th:
// short runs know where their time goes, and long ones do not spend it on clocks.
class Meter {
public:
    using Clock = std::chrono::steady_clock;

    std::int64_t n_attempts = 0, n_covered = 0; // n_covered: those that the timed ones stand for
    std::int64_t first_attempt = 0;             // of this process
    RunCounts before;                           // of the processes before it

    void begin() { started_ = last_told_ = Clock::now(); }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }
    // Seconds that are not those of steps.
    void leave_out(double seconds) {
        const auto time = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        started_ += time;
        last_told_ += time;
    }
    // One more attempt; for how many it stands where it is timed, else 0.
    int count() {
        const int every = n_attempts < 16 ? 1 : n_attempts < sample_every ? 4 : sample_every;
        const int weight = n_attempts % every == 0 ? every : 0;
        n_covered += weight;
        ++n_attempts;
        return weight;
    }
    // Many more, of which the first may be timed.
    bool is_sampled(std::int64_t n) const { return n_attempts % sample_every + n >= sample_every; }
    void count(std::int64_t n, bool samples) {
        n_covered += weight(samples);
        n_attempts += n;
    }
    static int weight(bool samples) { return samples ? sample_every : 0; }
    // All attempts by those that the timed ones stand for.
    double factor() const {
        return n_covered > 0 ? static_cast<double>(n_attempts) / static_cast<double>(n_covered) : 0.0;
    }
    // Is it time to tell how far the run is, about ten times a second?
    bool is_due() { return n_attempts >= next_look_ && look(); }

private:
    static constexpr int sample_every = 64;

    bool look();

    std::int64_t next_look_ = 0;
    Clock::time_point started_, last_told_;
};

} // namespace vessiot
