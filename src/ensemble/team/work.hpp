// Members of an ensemble that are being computed.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vessiot/ensemble.hpp"

namespace vessiot::ensemble {

// A block of them, or a part of one.
struct Work {
    MemberBlock block;
    std::vector<std::vector<double>> rows, row_t; // of ragged members
    std::vector<std::vector<std::string>> row_event;
    std::int64_t remaining = 0;
    std::int64_t grant = 0; // number under which rank 0 gave it
    std::mutex messages;    // of the block

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

// The next one: none where there are no more, or where others have to be done before.
struct Taken {
    std::optional<Member> member{};
    bool is_end = false;
};

// What a thread that has many members under way asks the ensemble for.
struct MemberCalls {
    std::function<Taken(bool waits)> take;                    // waits for those that have to be done before
    std::function<RunOptions(const Member&)> run;             // what it is told
    std::function<void(const Member&, const Solution&)> keep; // it reached its end
    std::function<void(const Member&)> compute;               // alone
    std::function<void(const Member&)> done;
    std::function<bool()> is_stopped;
};

} // namespace vessiot::ensemble
