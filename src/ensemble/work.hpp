// Members of an ensemble that are being computed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vessiot/ensemble.hpp"

namespace vessiot::ensemble {

// A block of them.
struct Work {
    MemberBlock block;
    std::vector<std::vector<double>> rows, row_t; // of ragged members
    std::vector<std::vector<std::string>> row_event;
    std::int64_t remaining = 0;
};

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
