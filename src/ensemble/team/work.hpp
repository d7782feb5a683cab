// Members of an ensemble that are being computed.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ensemble/statistics.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot::ensemble {

// A block of them, or a part of one.
struct Work {
    MemberBlock block;
    std::vector<std::vector<double>> rows, row_t; // of ragged members
    std::vector<std::vector<std::string>> row_event;
    std::int64_t remaining = 0;
    bool is_complete = false;
    std::vector<Moments> sums; // of all values, where they are wanted
    std::int64_t grant = 0;    // number under which rank 0 gave it
    std::mutex messages;       // of the block
    std::once_flag has_room;

    void add_message(std::int64_t k, std::string text) {
        const std::lock_guard lock(messages);
        block.messages.emplace_back(k, std::move(text));
    }
};

// Members that were computed elsewhere, as those from `place` on.
void put(Work& work, std::int64_t place, MemberBlock part);
// Rows of ragged members one after another, messages in order.
void close(Work& work);

using Member = std::pair<std::int64_t, Work*>; // its number in the block

// Members that follow each other.
struct MemberRange {
    Work* work = nullptr;
    std::int64_t place = 0, count = 0; // the first one in its block
};

// The next one: none where there are no more, or where others have to be done before.
struct Taken {
    std::optional<Member> member{};
    bool is_end = false;
};
// The next ones, likewise.
struct TakenRange {
    MemberRange range{};
    bool is_end = false;
};

// What a thread that has many members under way asks the ensemble for.
struct MemberCalls {
    std::function<Taken(bool waits)> take;                              // waits for those that have to be done before
    std::function<TakenRange(std::int64_t most, bool waits)> take_many; // likewise
    std::function<std::span<double>(const Member&)> varied;             // its numbers
    // Its last values, where it reached its end by lists (whole/whole_lists.hpp).
    std::function<void(const Member&, std::int64_t steps, std::span<const double> row)> keep_row;
    std::function<void(Work&, std::int64_t)> done_many;
    std::function<RunOptions(const Member&)> run;             // what it is told
    std::function<void(const Member&, const Solution&)> keep; // it reached its end
    std::function<void(const Member&)> compute;               // alone
    std::function<void(const Member&)> done;
    std::function<bool()> is_stopped;
};

} // namespace vessiot::ensemble
