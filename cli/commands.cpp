// The table of commands.
#include <algorithm>

#include "cli/command.hpp"

namespace vessiot::cli {

namespace {

using Example = std::pair<std::string_view, std::string_view>;

constexpr OptionSpec inspect_options[] = {
    {"--set", "name=value", "give a parameter another value (repeatable)"},
    {"--json", "", "one JSON object on standard output, for programs"},
    {"--full", "", "shorten nothing"},
    {"--compile", "", "make native code as well: its size, the time it takes"},
    {"--max-instances", "N", "allow loops and arrays of up to N elements"},
};
constexpr Example inspect_examples[] = {
    {"vessiot inspect gallery/pendulum.ves", "a model file"},
    {"vessiot inspect pendulum", "by its name in the gallery"},
    {"vessiot inspect mech --set n=1000 --set c=2", "with other parameters"},
    {"vessiot inspect pendulum --json | jq .class", "for a program"},
};

constexpr OptionSpec gallery_options[] = {{"--json", "", "one JSON object on standard output, for programs"}};
constexpr Example gallery_examples[] = {
    {"vessiot gallery", "the list: name and title of each model"},
    {"vessiot gallery pendulum", "the text of one"},
    {"vessiot gallery pendulum > my.ves", "a copy to change"},
};

constexpr Example help_examples[] = {
    {"vessiot help", "the list of commands"},
    {"vessiot help inspect", "the same as vessiot inspect --help"},
};

constexpr Example version_examples[] = {{"vessiot version", "the same as vessiot --version"}};

constexpr Command table[] = {
    {"inspect", "MODEL", "what a model is: class, order, equations, structure",
     "Says what a model is, without solving it: its class and order, the unknowns and\n"
     "their roles, the equations, those derived from a lagrangian or hamiltonian too,\n"
     "the parameters and the start point, the nonzeros of the first and second\n"
     "derivatives (df, d2f) of the equations, and how many operations they take.\n"
     "\n"
     "MODEL is a file, or the name of a model of the gallery.",
     inspect_options, inspect_examples, 1, 1, run_inspect},
    {"gallery", "[NAME]", "the worked models that come with Vessiot",
     "Lists the models that come with Vessiot, or shows the text of one.", gallery_options, gallery_examples, 0, 1,
     run_gallery},
    {"help",
     "[COMMAND]",
     "this list, or how to use one command",
     "Says how to use vessiot, or one of its commands.",
     {},
     help_examples,
     0,
     1,
     run_help},
    {"version",
     "",
     "the version of the program",
     "Prints the version of the program.",
     {},
     version_examples,
     0,
     0,
     run_version},
};

constexpr std::string_view planned[] = {"solve", "methods", "reproduce", "decompose"};

} // namespace

std::span<const Command> commands() {
    return table;
}

std::span<const std::string_view> planned_commands() {
    return planned;
}

const Command* find_command(std::string_view name) {
    const auto it = std::ranges::find(table, name, &Command::name);
    return it == std::end(table) ? nullptr : it;
}

} // namespace vessiot::cli
