// The blocks of members that are under way in this process, and which of their members nobody has taken.
//
// A process that is alone, and rank 0 of several, opens blocks one after another, and they leave in their order. Rank 0
// gives some of their members to others. On those ranks a block is what was given, and leaves when it is done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "ensemble/team/work.hpp"

namespace vessiot::ensemble {

class OpenBlocks {
public:
    struct Calls {
        std::function<std::unique_ptr<Work>(std::int64_t first, std::int64_t count)> make;
        std::function<void(Work&)> make_room{}; // before its first member
        std::function<void(Work&)> sum_up{};    // a block that is complete, before it leaves
        std::function<void(Work&)> leave;       // one at a time
        std::function<bool()> is_stopped;
    };
    struct Limits {
        std::int64_t first = 0, end = 0; // blocks that are opened here
        std::int64_t n_members = 0;      // of the ensemble
        std::size_t most_open = 64;      // one member may take long
    };

    explicit OpenBlocks(Calls calls) : calls_(std::move(calls)) {}

    // Before the threads.
    void begin(const Limits& limits);
    void begin_with_given(); // by add()

    Taken take(bool waits);
    TakenRange take_many(std::int64_t most, bool waits); // of one block
    void done(Work& work, std::int64_t count = 1);
    void wake() { room_.notify_all(); } // after a stop
    std::int64_t n_done() const;        // members
    // What is still open, after a stop.
    std::deque<std::unique_ptr<Work>>& left();

    // Rank 0: up to so many members for another rank, which comes back by fill() or give_back().
    std::vector<MemberRange> give(std::int64_t count);
    void fill(const MemberRange& range, MemberBlock part);
    void give_back(const MemberRange& range);

    // Other ranks.
    void add(std::int64_t first, std::int64_t count, std::int64_t grant);
    void end_of_members();
    std::int64_t n_untaken() const;

private:
    bool open_next();
    void make_room(Work& work);
    bool is_over() const { return limits_.first == limits_.end && n_given_ == 0 && !is_waiting_; }
    void deliver();
    std::unique_ptr<Work> next_that_leaves();

    Calls calls_;
    Limits limits_;
    mutable std::mutex mutex_;
    std::condition_variable room_;
    std::deque<std::unique_ptr<Work>> open_; // in the order of their members, but for what was given
    std::deque<MemberRange> untaken_;
    std::int64_t n_given_ = 0, n_done_ = 0;
    bool is_in_order_ = true, is_waiting_ = false, is_delivering_ = false;
};

} // namespace vessiot::ensemble
