#include "cli/settings.hpp"

#include <charconv>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text_list.hpp"

namespace vessiot::cli {

namespace {

std::pair<std::string, std::string> parse_setting(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string_view all = text;
    std::pair<std::string, std::string> setting;
    if (equals != std::string::npos)
        setting = {std::string(trimmed(all.substr(0, equals))), std::string(trimmed(all.substr(equals + 1)))};
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
