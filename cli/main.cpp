// vessiot COMMAND …: finds the command, runs it, and turns what goes wrong into one message and an exit status.
#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "lang/syntax/diagnostic.hpp"

namespace vessiot::cli {

namespace {

using Words = std::span<const std::string_view>;

bool wants(Words words, std::string_view option) {
    const auto end = std::ranges::find(words, "--");
    return std::find(words.begin(), end, option) != end;
}

int run(Words words) {
    if (words.empty())
        throw InvalidInput("a command is missing, for example: vessiot inspect pendulum. 'vessiot help' lists all.");
    std::string_view word = words[0];
    if (word == "--help" || word == "-h") word = "help";
    if (word == "--version") word = "version";
    const Command* command = find_command(word);
    if (!command) throw InvalidInput(unknown_command_text(word));
    const Words rest = words.subspan(1);
    if (wants(rest, "--help") || wants(rest, "-h")) {
        write_output(command_help(*command));
        return exit_success;
    }
    return command->run(parse_arguments(*command, rest));
}

// The message for people, and for programs too, if they asked for JSON. A message about a place in a model begins with
// that place, any other one with the name of the program.
int report_invalid(Words words, const std::string& message, bool has_place) {
    write_message(has_place ? message : fmt::format("vessiot: {}", message));
    if (!wants(words, "--json")) return exit_invalid;
    const nlohmann::ordered_json object{{"status", "invalid"}, {"message", message}};
    write_json(object);
    return exit_invalid;
}

int run_and_report(Words words) {
    try {
        return run(words);
    } catch (const lang::ModelError& e) {
        return report_invalid(words, e.what(), true);
    } catch (const InvalidInput& e) {
        return report_invalid(words, e.what(), false);
    } catch (const std::bad_alloc&) {
        return report_invalid(words, "the model is too large for the memory of this machine", false);
    }
}

} // namespace

} // namespace vessiot::cli

int main(int argc, char** argv) {
    using namespace vessiot::cli;
    limit_memory();
    const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
    try {
        return run_and_report(words);
    } catch (const std::exception& e) { // standard output cannot be written, or a mistake of ours
        write_message(fmt::format("vessiot: {}", e.what()));
    }
    return is_interrupted() ? interrupt_status() : exit_failed;
}
