#include "solve/options/option_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "solve/options/options.hpp"

namespace vessiot {

std::string option_text(const std::string& value) {
    return value;
}

std::string option_text(double value) {
    return fmt::format("{}", value);
}

std::string option_text(std::int64_t value) {
    return fmt::format("{}", value);
}

std::string option_text(bool value) {
    return value ? "on" : "off";
}

std::string option_text(const std::optional<std::string>& name) {
    return name.value_or(std::string(automatic_word));
}

std::string option_text(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += fmt::format("{}{}", text.empty() ? "" : ",", value);
    return text;
}

std::string option_text(const std::vector<std::string>& values) {
    return fmt::format("{}", fmt::join(values, ","));
}

std::string option_text(const std::vector<std::pair<std::string, double>>& values) {
    std::string text;
    for (const auto& [name, value] : values) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
    return text;
}

std::vector<GivenOption> given_options(const SolveOptions& options) {
    std::vector<GivenOption> all;
    const Settings usual;
    visit_option_members([&](const OptionField& field, auto given, auto used) {
        if (!field.is_text) return;
        if constexpr (requires { (options.*given).has_value(); })
            if (!(options.*given).has_value()) return;
        const std::string text = option_text(options.*given);
        if (text != option_text(usual.*used)) all.push_back({field.name, field.help, text});
    });
    return all;
}

std::vector<GivenOption> changed_settings(const Settings& settings) {
    std::vector<GivenOption> all;
    const Settings usual;
    visit_option_members([&](const OptionField& field, auto, auto used) {
        if (!field.is_text) return;
        const std::string text = option_text(settings.*used);
        if (text != option_text(usual.*used)) all.push_back({field.name, field.help, text});
    });
    return all;
}

} // namespace vessiot
