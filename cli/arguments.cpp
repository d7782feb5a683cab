#include <algorithm>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace vessiot::cli {

namespace {

[[noreturn]] void fail_unknown_option(const Command& command, std::string_view word) {
    std::vector<std::string_view> known{"--help"};
    for (const OptionSpec& o : command.options) known.push_back(o.name);
    const auto near = nearest(word, known);
    throw InvalidInput(fmt::format("'vessiot {0}' has no option '{1}'{2} 'vessiot help {0}' lists what it has.",
                                   command.name, word, near ? fmt::format("; did you mean '{}'?", *near) : "."));
}

void check_count(const Command& command, const Arguments& arguments) {
    const std::size_t n = arguments.positional.size();
    if (n < command.least) {
        throw InvalidInput(fmt::format("'vessiot {0}' needs {1}, for example: {2}", command.name,
                                       command.arguments == "MODEL" ? "a model" : command.arguments,
                                       command.examples[0].first));
    }
    if (n > command.most) {
        throw InvalidInput(fmt::format("'{}' is one argument too many: vessiot {}{}{}",
                                       arguments.positional[command.most], command.name,
                                       command.arguments.empty() ? "" : " ", command.arguments));
    }
}

} // namespace

bool Arguments::has(std::string_view option) const {
    return std::ranges::any_of(options, [&](const auto& o) { return o.first == option; });
}

std::vector<std::string> Arguments::values(std::string_view option) const {
    std::vector<std::string> result;
    for (const auto& [name, value] : options)
        if (name == option) result.push_back(value);
    return result;
}

Arguments parse_arguments(const Command& command, std::span<const std::string_view> words) {
    Arguments result;
    bool are_options_over = false; // after "--"
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::string_view word = words[k];
        if (are_options_over || !word.starts_with('-') || word == "-") {
            result.positional.emplace_back(word);
            continue;
        }
        if (word == "--") {
            are_options_over = true;
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const auto option = std::ranges::find(command.options, name, &OptionSpec::name);
        if (option == command.options.end()) fail_unknown_option(command, name);
        const bool has_value = equals != std::string_view::npos;
        if (option->value.empty() && has_value) {
            throw InvalidInput(fmt::format("the option {} takes no value, but '{}' gives one", name, word));
        }
        if (option->value.empty() || has_value) {
            result.options.emplace_back(option->name, has_value ? word.substr(equals + 1) : "");
        } else if (k + 1 < words.size()) {
            result.options.emplace_back(option->name, words[++k]);
        } else {
            throw InvalidInput(fmt::format("the option {0} needs a value: {0} {1}", name, option->value));
        }
    }
    check_count(command, result);
    return result;
}

} // namespace vessiot::cli
