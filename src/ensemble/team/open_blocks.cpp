#include "ensemble/team/open_blocks.hpp"

#include <algorithm>

#include "ensemble/statistics.hpp"

namespace vessiot::ensemble {

void OpenBlocks::begin(const Limits& limits) {
    limits_ = limits;
}

void OpenBlocks::begin_with_given() {
    is_in_order_ = false;
    is_waiting_ = true;
}

bool OpenBlocks::open_next() {
    if (limits_.first == limits_.end || open_.size() >= limits_.most_open) return false;
    const std::int64_t first = block_size * limits_.first++;
    open_.push_back(calls_.make(first, std::min(block_size, limits_.n_members - first)));
    untaken_.push_back({open_.back().get(), 0, open_.back()->block.size()});
    return true;
}

Taken OpenBlocks::take(bool waits) {
    const TakenRange taken = take_many(1, waits);
    if (taken.range.count == 0) return {.is_end = taken.is_end};
    return {.member = Member{taken.range.place, taken.range.work}};
}

TakenRange OpenBlocks::take_many(std::int64_t most, bool waits) {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (calls_.is_stopped()) return {.is_end = true};
        if (!untaken_.empty()) {
            MemberRange& range = untaken_.front();
            const MemberRange taken{range.work, range.place, std::min(most, range.count)};
            range.place += taken.count;
            range.count -= taken.count;
            if (range.count == 0) untaken_.pop_front();
            lock.unlock();
            make_room(*taken.work);
            return {.range = taken};
        }
        if (open_next()) continue;
        if (is_over()) return {.is_end = true};
        if (!waits) return {};
        room_.wait(lock);
    }
}

// By the first thread that has members of it: memory takes longer than all else here.
void OpenBlocks::make_room(Work& work) {
    if (calls_.make_room) std::call_once(work.has_room, [&] { calls_.make_room(work); });
}

std::deque<std::unique_ptr<Work>>& OpenBlocks::left() {
    for (const std::unique_ptr<Work>& work : open_) make_room(*work);
    return open_;
}

// NOTE: a block that is complete is summed up by the thread that completed it, beside others.
void OpenBlocks::done(Work& work, std::int64_t count) {
    {
        const std::lock_guard lock(mutex_);
        n_done_ += count;
        if ((work.remaining -= count) > 0) return;
    }
    if (calls_.sum_up) calls_.sum_up(work);
    {
        const std::lock_guard lock(mutex_);
        work.is_complete = true;
    }
    deliver();
}

std::int64_t OpenBlocks::n_done() const {
    const std::lock_guard lock(mutex_);
    return n_done_;
}

std::unique_ptr<Work> OpenBlocks::next_that_leaves() {
    const auto is_done = [](const std::unique_ptr<Work>& work) { return work->is_complete; };
    const auto found = is_in_order_ ? open_.begin() : std::ranges::find_if(open_, is_done);
    if (found == open_.end() || !is_done(*found)) return nullptr;
    std::unique_ptr<Work> work = std::move(*found);
    open_.erase(found);
    return work;
}

// By one thread at a time, while the others go on.
void OpenBlocks::deliver() {
    std::unique_lock lock(mutex_);
    if (is_delivering_) return;
    is_delivering_ = true;
    while (!calls_.is_stopped()) {
        const std::unique_ptr<Work> work = next_that_leaves();
        if (!work) break;
        lock.unlock();
        calls_.leave(*work);
        lock.lock();
        room_.notify_all();
    }
    is_delivering_ = false;
}

std::vector<MemberRange> OpenBlocks::give(std::int64_t count) {
    const std::lock_guard lock(mutex_);
    std::vector<MemberRange> result;
    while (count > 0 && !calls_.is_stopped() && (!untaken_.empty() || open_next())) {
        MemberRange& range = untaken_.front();
        result.push_back({range.work, range.place, std::min(count, range.count)});
        range.place += result.back().count;
        range.count -= result.back().count;
        count -= result.back().count;
        if (range.count == 0) untaken_.pop_front();
        ++n_given_;
    }
    return result;
}

void OpenBlocks::fill(const MemberRange& range, MemberBlock part) {
    {
        const std::lock_guard lock(mutex_);
        --n_given_;
    }
    make_room(*range.work);
    put(*range.work, range.place, std::move(part));
    done(*range.work, range.count);
    wake(); // it may have been the last one
}

void OpenBlocks::give_back(const MemberRange& range) {
    {
        const std::lock_guard lock(mutex_);
        --n_given_;
        untaken_.push_front(range);
    }
    wake();
}

void OpenBlocks::add(std::int64_t first, std::int64_t count, std::int64_t grant) {
    {
        const std::lock_guard lock(mutex_);
        open_.push_back(calls_.make(first, count));
        open_.back()->grant = grant;
        untaken_.push_back({open_.back().get(), 0, count});
    }
    wake();
}

void OpenBlocks::end_of_members() {
    {
        const std::lock_guard lock(mutex_);
        is_waiting_ = false;
    }
    wake();
}

std::int64_t OpenBlocks::n_untaken() const {
    const std::lock_guard lock(mutex_);
    std::int64_t n = 0;
    for (const MemberRange& range : untaken_) n += range.count;
    return n;
}

} // namespace vessiot::ensemble
