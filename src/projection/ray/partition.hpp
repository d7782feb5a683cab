// Sets of coordinates whose lengths satisfy constraints: of the projection `ray`, and of group preserving schemes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vessiot {

struct Partition {
    std::vector<std::vector<std::int32_t>> sets{}; // coordinates, each in one set at most
    bool is_chosen = false;                        // by the program, which may choose again along a run

    friend bool operator==(const Partition&, const Partition&) = default;
};

using CoordinateName = std::function<std::string(std::int32_t)>;

// "[[x, y], [z]]"; of long sets the beginning and the end.
std::string text(const Partition& partition, const CoordinateName& name);

} // namespace vessiot
