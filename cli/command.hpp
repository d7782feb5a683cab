// The commands of the program, as one table: parsing, help and messages all read it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vessiot::cli {

struct OptionSpec {
    std::string_view name;    // with its dashes
    std::string_view value;   // what it takes, for help and messages: "name=value"; empty: nothing
    std::string_view help;    // empty: known, but not shown
    std::string_view group{}; // under which it stands in the help; of all that follow it, too
};

struct Arguments {
    std::vector<std::string> positional{};
    std::vector<std::pair<std::string_view, std::string>> options{}; // in the order given; values of flags are empty

    bool has(std::string_view option) const;
    std::vector<std::string> values(std::string_view option) const;
};

struct Command {
    std::string_view name;
    std::string_view arguments; // "MODEL", "[NAME]"
    std::string_view summary;   // in the list of commands
    std::string_view details;   // of its own help
    std::span<const OptionSpec> options;
    std::span<const std::pair<std::string_view, std::string_view>> examples; // command line, what it shows
    std::size_t least, most;                                                 // how many arguments
    int (*run)(const Arguments&);
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

// Throws InvalidInput, with the nearest known option where one is unknown.
Arguments parse_arguments(const Command& command, std::span<const std::string_view> words);

std::string general_help();
std::string command_help(const Command& command);
// "'slove' is not a command of vessiot; did you mean 'solve'?"
std::string unknown_command_text(std::string_view word);

// The options of solve: those of the library, and those of the command line alone.
std::span<const OptionSpec> solve_options();
// Those of the library that 'ensemble' has as well, and those that are its own.
std::span<const OptionSpec> ensemble_options();
// Is it an option of the library, not of the command line alone?
bool is_library_option(std::string_view name);
// A word for the shell: in quotes where it needs them.
std::string shell_word(const std::string& word);

int run_solve(const Arguments& arguments);
int run_ensemble(const Arguments& arguments);
int run_merge(const Arguments& arguments);
int run_inspect(const Arguments& arguments);
int run_convert(const Arguments& arguments);
int run_methods(const Arguments& arguments);
int run_decompose(const Arguments& arguments);
int run_gallery(const Arguments& arguments);
int run_reproduce(const Arguments& arguments);
int run_help(const Arguments& arguments);
int run_version(const Arguments& arguments);

} // namespace vessiot::cli
