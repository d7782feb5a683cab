#include "projection/ray/partition.hpp"

#include <fmt/format.h>

namespace vessiot {

namespace {

constexpr std::size_t most_names = 6; // of a set

std::string set_text(const std::vector<std::int32_t>& set, const CoordinateName& name) {
    std::string result;
    for (std::size_t l = 0; l < set.size(); ++l) {
        if (l == most_names && set.size() > most_names + 1) {
            result += ", …";
            l = set.size() - 1;
        }
        result += fmt::format("{}{}", result.empty() ? "" : ", ", name ? name(set[l]) : std::to_string(set[l]));
    }
    return fmt::format("[{}]", result);
}

} // namespace

std::string text(const Partition& partition, const CoordinateName& name) {
    std::string result;
    for (const auto& set : partition.sets) result += (result.empty() ? "" : ", ") + set_text(set, name);
    return fmt::format("[{}]", result);
}

} // namespace vessiot
