// help and version, made from the table of commands.
#include <algorithm>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "system/describe/text_layout.hpp"
#include "vessiot/version.hpp"

namespace vessiot::cli {

namespace {

std::string call_text(const Command& c) {
    return c.arguments.empty() ? std::string(c.name) : fmt::format("{} {}", c.name, c.arguments);
}

// Two columns: what is said on the left, its meaning on the right.
std::string columns(const std::vector<std::pair<std::string, std::string_view>>& rows) {
    std::size_t width = 0;
    for (const auto& [left, right] : rows) width = std::max(width, text_width(left));
    std::string text;
    for (const auto& [left, right] : rows) text += fmt::format("  {}   {}\n", padded(left, width), right);
    return text;
}

// A list, under its heading, for each group.
std::string options_help(std::span<const OptionSpec> options) {
    std::string text;
    std::string_view group = "Options";
    std::vector<std::pair<std::string, std::string_view>> rows;
    const auto finish_group = [&] {
        if (!rows.empty()) text += fmt::format("\n{}\n{}", group, columns(rows));
        rows.clear();
    };
    for (const OptionSpec& o : options) {
        if (o.help.empty()) continue;
        if (!o.group.empty() && o.group != group) {
            finish_group();
            group = o.group;
        }
        rows.emplace_back(o.value.empty() ? std::string(o.name) : fmt::format("{} {}", o.name, o.value), o.help);
    }
    finish_group();
    return text;
}

} // namespace

std::string general_help() {
    std::vector<std::pair<std::string, std::string_view>> rows;
    for (const Command& c : commands()) rows.emplace_back(call_text(c), c.summary);
    return fmt::format("Vessiot: differential equations as curves on manifolds.\n\n"
                       "usage: vessiot COMMAND [ARGUMENTS] [OPTIONS]\n\n"
                       "{}\n"
                       "'vessiot help COMMAND' says more. To begin: vessiot solve pendulum\n",
                       columns(rows));
}

std::string command_help(const Command& command) {
    std::string text = fmt::format("usage: vessiot {}{}\n\n{}\n", call_text(command),
                                   command.options.empty() ? "" : " [OPTIONS]", command.details);
    text += options_help(command.options);
    std::vector<std::pair<std::string, std::string_view>> rows;
    for (const auto& [line, meaning] : command.examples) rows.emplace_back(std::string(line), meaning);
    return text + "\nExamples\n" + columns(rows);
}

std::string unknown_command_text(std::string_view word) {
    if (word.ends_with(".ves")) {
        return fmt::format("'{0}' is not a command of vessiot; to solve the model: vessiot solve {0}", word);
    }
    std::vector<std::string_view> known{"--help", "--version"};
    for (const Command& c : commands()) known.push_back(c.name);
    const auto near = nearest(word, known);
    return fmt::format("'{}' is not {} of vessiot{} 'vessiot help' lists what it has.", word,
                       word.starts_with('-') ? "an option" : "a command",
                       near ? fmt::format("; did you mean '{}'?", *near) : ".");
}

int run_help(const Arguments& arguments) {
    if (arguments.positional.empty()) {
        write_output(general_help());
        return exit_success;
    }
    const Command* command = find_command(arguments.positional[0]);
    if (!command) throw InvalidInput(unknown_command_text(arguments.positional[0]));
    write_output(command_help(*command));
    return exit_success;
}

int run_version(const Arguments&) {
    write_output(fmt::format("vessiot {}\n", version()));
    return exit_success;
}

} // namespace vessiot::cli
