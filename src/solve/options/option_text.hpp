// Options as the text that a person would give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vessiot/solve.hpp"

namespace vessiot {

std::string option_text(const std::string& value);
std::string option_text(double value);
std::string option_text(std::int64_t value);
std::string option_text(bool value);
std::string option_text(const std::optional<double>& value);
std::string option_text(const std::vector<double>& values);
std::string option_text(const std::vector<std::string>& values);
std::string option_text(const std::vector<std::pair<std::string, double>>& values);
template <class Other> std::string option_text(const Other& /*value*/) {
    return ""; // no text on the command line
}

struct GivenOption {
    std::string_view name, help;
    std::string text;
};

// Those that are not at their defaults.
std::vector<GivenOption> given_options(const SolveOptions& options);

} // namespace vessiot
