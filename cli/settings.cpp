#include "cli/settings.hpp"

#include <charconv>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot::cli {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::pair<std::string, std::string> parse_setting(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::pair<std::string, std::string> setting;
    if (equals != std::string::npos) setting = {trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
    if (setting.first.empty() || setting.second.empty()) {
        throw InvalidInput(fmt::format("--set gives a parameter a value, as in --set n=1000, but '{}' has no {}", text,
                                       equals == std::string::npos ? "'='"
                                       : setting.first.empty()     ? "name"
                                                                   : "value"));
    }
    return setting;
}

std::int64_t parse_limit(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
        throw InvalidInput(fmt::format(
            "--max-instances needs a positive whole number, as in --max-instances 1000000000, but found '{}'", text));
    }
    return value;
}

} // namespace

lang::Settings model_settings(const Arguments& arguments) {
    lang::Settings settings;
    for (const std::string& text : arguments.values("--set")) settings.set.push_back(parse_setting(text));
    for (const std::string& text : arguments.values("--max-instances")) settings.max_instances = parse_limit(text);
    return settings;
}

} // namespace vessiot::cli
