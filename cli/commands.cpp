// The table of commands.
#include <algorithm>

#include "cli/command.hpp"

namespace vessiot::cli {

namespace {

using Example = std::pair<std::string_view, std::string_view>;

constexpr Example solve_examples[] = {
    {"vessiot solve pendulum", "a model of the gallery, with a summary of the run"},
    {"vessiot solve my.ves --rtol 1e-10 --method dop853", "a file, to ten digits"},
    {"vessiot solve pendulum --set g=1.62 --start x=0.6 --start y=-0.8", "on the moon, from another point"},
    {"vessiot solve pendulum --plot pendulum.svg", "a picture of the solution and of the run"},
    {"vessiot solve pendulum --report pendulum.html", "a page for the browser, to zoom, choose and turn"},
    {"vessiot solve pendulum --every 0.01 --out pendulum.csv", "a table"},
    {"vessiot solve pendulum --at 1,2,pi --json | jq .values.x", "for a program"},
};

constexpr Example ensemble_examples[] = {
    {"vessiot ensemble pendulum --vary g=1..20:100 --out g.csv",
     "a hundred values of a parameter, where each run ended"},
    {"vessiot ensemble pendulum --vary \"start:x'=normal(0,0.1)\" --samples 10000 --reduce mean,std",
     "statistics over random start values"},
    {"vessiot ensemble lorenz.ves --vary rho=0..30:200 --every 0.1 --out lorenz.h5",
     "points at multiples of 0.1, in an HDF5 file"},
    {"vessiot ensemble my.ves --members designs.csv --json", "a table of members, for a program"},
    {"vessiot ensemble my.ves --vary a=0..1:1000000 --shard 3/16 --out a.3.part",
     "one of sixteen parts, for a cluster"},
};
constexpr OptionSpec merge_options[] = {
    {"--json", "", "one JSON object on standard output, for programs"},
    {"--quiet", "", "no summary"},
};
constexpr Example merge_examples[] = {
    {"vessiot merge all.h5 a.0.part a.1.part a.2.part", "the parts of an ensemble as one file"},
};

constexpr OptionSpec methods_options[] = {
    {"--tableau", "FILE", "the method of a JSON file, as --tableau of solve reads it: its order, and what it is"},
    {"--multistep", "FILE", "the same of a linear multistep method, as --multistep of solve reads it"},
    {"--json", "", "one JSON object on standard output, for programs"}};
constexpr Example methods_examples[] = {
    {"vessiot methods", "the table, and the works the methods come from"},
    {"vessiot methods --json | jq '.methods[].name'", "for a program"},
};

constexpr OptionSpec inspect_options[] = {
    {"--set", "name=value", "give a parameter another value: a number, [1,2,3], file.csv:column (repeatable)"},
    {"--parameters", "FILE", "values of parameters from a .json file, an object of names and values (repeatable)"},
    {"--json", "", "one JSON object on standard output, for programs"},
    {"--full", "", "shorten nothing"},
    {"--compile", "", "make native code as well: its size, the time it takes"},
    {"--max-instances", "N", "allow loops and arrays of up to N elements"},
    {"--model", "NAME", "of a Base Modelica text with several models: which one (the last)"},
    {"--variables", "NAMES", "of Base Modelica: what is in the results beside the unknowns, as in a.v,frame_?.r*"},
};
constexpr Example inspect_examples[] = {
    {"vessiot inspect gallery/pendulum.ves", "a model file"},
    {"vessiot inspect pendulum", "by its name in the gallery"},
    {"vessiot inspect mech --set n=1000 --set c=2", "with other parameters"},
    {"vessiot inspect pendulum --json | jq .class", "for a program"},
};

constexpr OptionSpec convert_options[] = {
    {"--out", "FILE", "write the model there; without it: on standard output"},
    {"--set", "name=value", "give a parameter another value (repeatable)"},
    {"--model", "NAME", "of a text with several models: which one (the last)"},
    {"--variables", "NAMES", "what is in the results beside the unknowns, as in a.v,frame_?.r*"},
};
constexpr Example convert_examples[] = {
    {"vessiot convert Fourbar1.bmo > fourbar.ves",
     "what is left of a flat Modelica model, as a model to read and change"},
    {"vessiot convert Fourbar1.bmo --variables 'j1.*' --out fourbar.ves", "with these variables as outputs"},
};

constexpr OptionSpec decompose_options[] = {
    {"--out", "FILE", "write the model there; without it: NAME_component_K.ves, in this folder"},
    {"--component", "K",
     "write the model of component K, not of the one of the start point; K,L changes where they meet"},
    {"--time-limit", "SECONDS", "how long Singular may take (60)"},
    {"--set", "name=value", "give a parameter another value: a number, [1,2,3], file.csv:column (repeatable)"},
    {"--parameters", "FILE", "values of parameters from a .json file, an object of names and values (repeatable)"},
    {"--json", "", "one JSON object on standard output, for programs"},
    {"--full", "", "shorten nothing"},
    {"--max-instances", "N", "allow loops and arrays of up to N elements"},
};
constexpr Example decompose_examples[] = {
    {"vessiot decompose four_bar_singular", "two components, and a model of the one of the start point"},
    {"vessiot decompose my.ves --out crossed.ves", "the same for a file, into a file of this name"},
    {"vessiot decompose my.ves --component 1", "a model of another component"},
    {"vessiot decompose my.ves --json | jq '.components[].generators'", "for a program"},
};

constexpr OptionSpec gallery_options[] = {{"--json", "", "one JSON object on standard output, for programs"}};
constexpr Example gallery_examples[] = {
    {"vessiot gallery", "the list: name and title of each model"},
    {"vessiot gallery pendulum", "the text of one"},
    {"vessiot gallery pendulum > my.ves", "a copy to change"},
};

constexpr OptionSpec reproduce_options[] = {
    {"--json", "", "a list of objects on standard output, one for each number"},
    {"--markdown", "FILE", "write a page with all tables"},
    {"--plot", "FOLDER", "draw the figures into this folder"},
    {"--progress", "WORD", "auto, always, never: show what is computed"},
};
constexpr Example reproduce_examples[] = {
    {"vessiot reproduce", "the papers and their tables"},
    {"vessiot reproduce tuomela-normi 7", "one table"},
    {"vessiot reproduce tuomela-normi --json | jq '.[].verdict'", "for a program"},
    {"vessiot reproduce all --markdown reproduction.md --plot figures", "all of it"},
};

constexpr Example help_examples[] = {
    {"vessiot help", "the list of commands"},
    {"vessiot help solve", "the same as vessiot solve --help"},
};

constexpr Example version_examples[] = {{"vessiot version", "the same as vessiot --version"}};

std::span<const Command> table() {
    static const Command list[] = {
        {"solve", "MODEL", "the solution of a model, and how the run went",
         "Solves a model: finds its hidden constraints and a consistent start point,\n"
         "follows the solution without leaving the constraints, and says in a few lines\n"
         "what was found and done. Option lines of the model give defaults for the\n"
         "options below, written with _ for -.\n"
         "\n"
         "MODEL is a file, or the name of a model of the gallery. Ctrl-C ends a run and\n"
         "writes what there is. Exit status: 0 success, 1 the run ended early or a file\n"
         "could not be written, 2 wrong input, 130 Ctrl-C.",
         solve_options(), solve_examples, 1, 1, run_solve},
        {"ensemble", "MODEL", "many runs of a model, with other parameters and start values",
         "Runs a model many times, on all cores: grids of parameters and start values,\n"
         "random ones, or a table. Its members are numbered from 0; member i has the bits\n"
         "of 'vessiot solve' with its values, whatever the number of threads or shards.\n"
         "\n"
         "A member that fails keeps its status and what it computed, and the others go on.\n"
         "Exit status: 0 all members reached the end, 1 some did not, 2 wrong input,\n"
         "130 Ctrl-C.",
         ensemble_options(), ensemble_examples, 1, 1, run_ensemble},
        {"merge", "OUT FILE...", "the parts of an ensemble as one result",
         "Puts together what the shards of an ensemble wrote (ensemble --shard i/n --out\n"
         "FILE.part), checks that they belong together and that none is missing, and\n"
         "writes OUT, a .csv or .h5 file: the one that a run without shards writes.",
         merge_options, merge_examples, 2, 1'000'000, run_merge},
        {"methods", "", "the methods, with their orders and sources",
         "Lists the methods that --method of solve can name: order, order of the dense\n"
         "output (what is between the steps), stages, whether they choose their own\n"
         "steps, what they need of a system, and where they come from. Then the names that\n"
         "--projection, --distribution and --control can be.",
         methods_options, methods_examples, 0, 0, run_methods},
        {"inspect", "MODEL", "what a model is: class, order, equations, structure",
         "Says what a model is, without solving it: its class and order, the unknowns and\n"
         "their roles, the equations, those derived from a lagrangian or hamiltonian too,\n"
         "the parameters and the start point, the nonzeros of the first and second\n"
         "derivatives (df, d2f) of the equations, and how many operations they take.\n"
         "\n"
         "MODEL is a file, or the name of a model of the gallery.",
         inspect_options, inspect_examples, 1, 1, run_inspect},
        {"convert", "MODEL", "a Base Modelica text as a model file",
         "Writes the model of a Base Modelica text (.bmo, .mo) in the language of Vessiot:\n"
         "what is left of it when constants, aliases and definitions are eliminated, with\n"
         "the original names in comments. Solving it gives the same results.",
         convert_options, convert_examples, 1, 1, run_convert},
        {"decompose", "MODEL", "the components of constraints, each by itself",
         "Splits the constraints on positions of a model (equations without derivatives)\n"
         "into irreducible components: for each its equations, its dimension, whether it\n"
         "is smooth, where it meets the others, and whether the start point is on it. A\n"
         "new model has the equations of that component in place of the constraints:\n"
         "where two components meet, the constraints of the old one are dependent, those\n"
         "of the new one are not.\n"
         "\n"
         "Constraints may have +, -, *, /, whole powers, and sin, cos, tan of sums of\n"
         "unknowns; parameters have their values. The work is done by the program Singular\n"
         "(Debian: apt-get install singular). MODEL is a file, or the name of a model of\n"
         "the gallery. Exit status: 0 success, 1 Singular failed or a file could not be\n"
         "written, 2 wrong input, 130 Ctrl-C.",
         decompose_options, decompose_examples, 1, 1, run_decompose},
        {"gallery", "[NAME]", "the worked models that come with Vessiot",
         "Lists the models that come with Vessiot, or shows the text of one.", gallery_options, gallery_examples, 0, 1,
         run_gallery},
        {"reproduce", "[PAPER [TABLE]]", "published tables, recomputed",
         "Recomputes tables of papers, and puts the printed and the computed numbers side\n"
         "by side: = where they agree to the printed digits, ≈ within 10 %, ≠ beyond, with\n"
         "the reason if it is known. Without PAPER it lists what there is; with \"all\" it\n"
         "takes all papers. CPU times are compared as ratios.",
         reproduce_options, reproduce_examples, 0, 2, run_reproduce},
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
    return list;
}

} // namespace

std::span<const Command> commands() {
    return table();
}

const Command* find_command(std::string_view name) {
    const auto it = std::ranges::find(table(), name, &Command::name);
    return it == table().end() ? nullptr : &*it;
}

} // namespace vessiot::cli
