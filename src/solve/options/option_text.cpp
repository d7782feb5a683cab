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

std::string option_text(const std::optional<double>& value) {
    return value ? option_text(*value) : "";
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
    const SolveOptions usual;
    visit_option_members([&](const OptionField& field, auto member) {
        if (!field.is_text) return;
        const std::string text = option_text(options.*member);
        if (text != option_text(usual.*member)) all.push_back({field.name, field.help, text});
    });
    return all;
}

} // namespace vessiot
