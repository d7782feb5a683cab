#include "ensemble/whole/whole_gpu.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "core/error.hpp"
#include "ensemble/statistics.hpp"

namespace vessiot::ensemble {

// The state of rounds, their fixed inputs, what varies, what is recorded.
lanes::WholeRounds whole_rounds(const WholeLists& lists) {
    const auto number = [](std::size_t k) { return static_cast<std::uint32_t>(k); };
    const std::uint32_t fixed = number(lanes::n_state(lists.n)), given = fixed + number(lists.fixed.size());
    const std::uint32_t made = given + number(lists.n_varied);
    const std::uint32_t point = lanes::point_place, direction = lanes::direction_place(lists.n);
    return {.start = {lists.start, {given, 0, point, direction, fixed}},
            .record = {lists.record, {given, point, made}},
            .round = lists.round,
            .n = lists.n,
            .given = given,
            .n_given = number(lists.n_varied),
            .made = made,
            .n_made = number(lists.n_columns),
            .n_numbers = made + number(lists.n_columns)};
}

WholeGpu::WholeGpu(const WholeLists& lists, const std::vector<int>& devices) : rounds_(whole_rounds(lists)) {
    for (const int device : devices) parts_.push_back({.device = device});
    parts_[0].crew = std::make_unique<lanes::WholeCrew>(parts_[0].device, rounds_);
}

bool WholeGpu::make_room() {
    return std::ranges::all_of(parts_, [&](Part& part) { return part.crew->make_room(part_size_); });
}

std::int64_t WholeGpu::begin(std::int64_t n_threads, std::int64_t n_runs) {
    const auto [n_parts, size] = shares_of(n_runs, parts_.size());
    parts_.resize(n_parts);
    part_size_ = size;
    try {
        for (Part& part : parts_)
            if (!part.crew) part.crew = std::make_unique<lanes::WholeCrew>(part.device, rounds_);
        while (!make_room()) part_size_ = halved(part_size_);
        for (Part& part : parts_) part.runs.emplace(rounds_, part_size_);
    } catch (const lanes::GpuFailure& e) {
        throw InvalidInput(e.what());
    }
    all_.emplace(n_threads);
    return static_cast<std::int64_t>(part_size_ * parts_.size());
}

void WholeGpu::do_without(std::int64_t n_threads) {
    for (; n_threads > 0; --n_threads) all_->arrive_and_drop();
}

double WholeGpu::seconds() const {
    double most = 0;
    for (const Part& part : parts_) most = std::max(most, part.crew->seconds());
    return most;
}

// All threads fill, one lets the processors work, all end what they find. One that fails stops the ensemble, and
// leaves.
void WholeGpu::work(ProblemCore& /*core*/, const MemberCalls& calls) {
    std::barrier<>& all = *all_;
    const bool is_leader = n_threads_here_++ == 0;
    MemberRange left;
    try {
        for (bool has_more = true; has_more;) {
            fill(calls, left);
            all.arrive_and_wait();
            // NOTE: nobody takes or leaves members before the next wait
            has_more = (has_more_ || n_left_ > 0) && !calls.is_stopped() && !is_broken_;
            if (is_leader && !calls.is_stopped()) run(calls);
            all.arrive_and_wait();
            end(calls);
            all.arrive_and_wait();
            if (is_leader) {
                placed_.clear();
                n_placed_ = 0;
                next_ = 0;
            }
            all.arrive_and_wait();
        }
    } catch (...) {
        is_broken_ = true; // NOTE: what the others would find is not what was computed
        all.arrive_and_drop();
        throw;
    }
    all.arrive_and_drop();
}

// Members of a block at a time, while there are places; `left` are those that found none.
void WholeGpu::fill(const MemberCalls& calls, MemberRange& left) {
    for (;;) {
        const bool was_left = left.count > 0;
        MemberRange range = std::exchange(left, MemberRange());
        std::unique_lock lock(mutex_);
        if (range.count == 0) {
            if (n_placed_ == part_size_ * parts_.size()) return;
            const bool is_first = n_placed_ == 0 && n_left_ == 0; // nobody is on its way: others may have to be done
            if (!is_first) lock.unlock();                         // NOTE: memory for a block takes its time
            const TakenRange taken = calls.take_many(block_size, is_first);
            if (!is_first) lock.lock();
            if (taken.is_end) has_more_ = false;
            range = taken.range;
            if (range.count == 0) return;
        }
        if (was_left) --n_left_;
        const std::size_t room = part_size_ * parts_.size() - n_placed_, in_part = part_size_ - n_placed_ % part_size_;
        const auto fits = std::min(range.count, static_cast<std::int64_t>(std::min(room, in_part)));
        const Placed placed{{range.work, range.place, fits}, n_placed_};
        n_placed_ += static_cast<std::size_t>(fits);
        if (fits > 0) placed_.push_back(placed);
        if (fits < range.count) {
            left = {range.work, range.place + fits, range.count - fits};
            ++n_left_;
        }
        lock.unlock();
        if (fits == 0) return;
        give(placed, calls);
    }
}

void WholeGpu::give(const Placed& placed, const MemberCalls& calls) {
    lanes::WholeRuns& runs = *parts_[placed.first / part_size_].runs;
    for (std::int64_t k = 0; k < placed.range.count; ++k) {
        const std::size_t m = placed.first % part_size_ + static_cast<std::size_t>(k);
        const std::span<const double> values = calls.varied({placed.range.place + k, placed.range.work});
        for (std::size_t v = 0; v < values.size(); ++v) runs.given[v * runs.size + m] = values[v];
    }
}

void WholeGpu::run_part(std::size_t part, const MemberCalls& calls) {
    const std::size_t first = part * part_size_;
    if (n_placed_ <= first) return;
    try {
        parts_[part].crew->work(*parts_[part].runs, std::min(part_size_, n_placed_ - first),
                                [&] { return !calls.is_stopped(); });
    } catch (const lanes::GpuFailure& e) {
        throw InvalidInput(e.what());
    }
}

// All processors at the same time, each with a thread that waits for it.
void WholeGpu::run(const MemberCalls& calls) {
    std::vector<std::future<void>> others;
    for (std::size_t k = 1; k < parts_.size(); ++k)
        others.push_back(std::async(std::launch::async, [&, k] { run_part(k, calls); }));
    run_part(0, calls);
    for (std::future<void>& other : others) other.get();
}

void WholeGpu::end(const MemberCalls& calls) {
    for (std::size_t k = next_++; k < placed_.size() && !calls.is_stopped() && !is_broken_; k = next_++)
        end(placed_[k], calls);
}

void WholeGpu::end(const Placed& placed, const MemberCalls& calls) {
    const lanes::WholeRuns& runs = *parts_[placed.first / part_size_].runs;
    std::vector<double> row(rounds_.n_made);
    for (std::int64_t k = 0; k < placed.range.count; ++k) {
        const Member member{placed.range.place + k, placed.range.work};
        const std::size_t m = placed.first % part_size_ + static_cast<std::size_t>(k);
        if (runs.outcome(m) != lanes::Outcome::ended) {
            calls.compute(member);
            if (calls.is_stopped()) return;
            continue;
        }
        for (std::size_t v = 0; v < row.size(); ++v) row[v] = runs.made[v * runs.size + m];
        calls.keep_row(member, static_cast<std::int64_t>(runs.steps[m]), row);
    }
    calls.done_many(*placed.range.work, placed.range.count);
}

} // namespace vessiot::ensemble
