// Options as the text that a person would give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "solve/options/settings.hpp"

namespace vessiot {

std::string option_text(const std::string& value);
std::string option_text(double value);
std::string option_text(std::int64_t value);
std::string option_text(bool value);
std::string option_text(const std::vector<double>& values);
std::string option_text(const std::vector<std::string>& values);
std::string option_text(const std::vector<std::pair<std::string, double>>& values);
std::string option_text(const std::optional<std::string>& partition);
template <class E> std::string option_text(const Choice<E>& value) {
    return std::string(value.word());
}
template <class T> std::string option_text(const std::optional<T>& value) {
    return value ? option_text(*value) : "";
}
template <class Entry> std::string option_text(const Entry* entry) {
    return std::string(name_or_auto(entry));
}
template <class Other> std::string option_text(const Other& value) {
    if constexpr (std::is_enum_v<Other>)
        return std::string(word(value));
    else
        return ""; // no text on the command line
}

struct GivenOption {
    std::string_view name, help;
    std::string text;
};

// Those that are given and not the default.
std::vector<GivenOption> given_options(const SolveOptions& options);
// Those that are not at their defaults.
std::vector<GivenOption> changed_settings(const Settings& settings);

} // namespace vessiot
