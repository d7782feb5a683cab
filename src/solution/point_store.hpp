// The points of a run that stay in memory: all, or, of long runs whose points go to a file, every 2^k-th.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "vessiot/stream.hpp"

namespace vessiot {

// Which elements of a growing list stay, where at most `most` may (0: all). Those whose number is a multiple of a
// stride, which doubles when they become too many, and always the last one.
class Thinning {
public:
    explicit Thinning(std::int64_t most = 0) : most_(most) {}

    // Before an element is appended to a list that has n: calls drop_last() where the last one was there only for being
    // the last, and halve(), which leaves every second one.
    template <class DropLast, class Halve>
    void make_room(std::int64_t n, const DropLast& drop_last, const Halve& halve) {
        if (has_extra_) {
            drop_last();
            --n;
        }
        if (most_ > 0 && n >= most_ && is_on_stride()) {
            halve();
            stride_ *= 2;
        }
        has_extra_ = !is_on_stride();
        ++count_;
    }
    // The same for so many at once, where they are just appended: false, and nothing has happened, where they are not.
    bool takes(std::int64_t n, std::int64_t more) {
        if (has_extra_ || stride_ > 1 || (most_ > 0 && n + more > most_)) return false;
        count_ += more;
        return true;
    }
    std::int64_t count() const { return count_; } // appended in all
    std::int64_t stride() const { return stride_; }

    template <class Archive> void exchange(Archive& archive) {
        archive("most", most_);
        archive("count", count_);
        archive("stride", stride_);
        archive("has_extra", has_extra_);
    }

private:
    bool is_on_stride() const { return (count_ & (stride_ - 1)) == 0; }

    std::int64_t most_, count_ = 0, stride_ = 1; // the stride is a power of 2
    bool has_extra_ = false;
};

// Writes points, steps and events into a Solution.
class PointStore {
public:
    // `most` points, and so many numbers in all that 16 MiB hold them; 0: all points, and a million steps.
    explicit PointStore(std::int64_t most = 0) : keep_(most) {}

    void begin(const StreamHead& head);
    void add(Solution& solution, const StreamPoint& point);
    void add_step(Solution& solution, const StepTrace& step);
    // step(k), k = 0 .. n-1
    template <class Step> void add_steps(Solution& solution, std::int64_t n, const Step& step) {
        if (steps_.takes(std::ssize(solution.trace), n))
            for (std::int64_t k = 0; k < n; ++k) solution.trace.push_back(step(k));
        else
            for (std::int64_t k = 0; k < n; ++k) add_step(solution, step(k));
    }
    void add_event(Solution& solution, EventPoint event);
    // Says what was left out.
    void end(Solution& solution) const;

    template <class Archive> void exchange(Archive& archive) {
        archive.part("points", 1, [&] { points_.exchange(archive); });
        archive.part("steps", 1, [&] { steps_.exchange(archive); });
        archive("n_events", n_events_);
    }

private:
    std::int64_t keep_;
    bool has_s_ = false;
    Thinning points_, steps_;
    std::int64_t most_events_ = 0, n_events_ = 0;
};

} // namespace vessiot
