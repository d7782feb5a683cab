// vessiot solve MODEL: reads the model and the options, runs, and writes what came out.
#include <algorithm>
#include <deque>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/component.hpp"
#include "cli/files.hpp"
#include "cli/gallery.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/text_list.hpp"
#include "io/format.hpp"
#include "io/json.hpp"
#include "io/summary.hpp"
#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "solve/run/cone_outputs.hpp"
#include "system/functions.hpp"
#include "vessiot/methods.hpp"

namespace vessiot::cli {

namespace {

// Beside those of the library, which stand before them in each group. {} are the endings of files that an option takes.
constexpr OptionSpec own_run_options[] = {
    {"--tableau", "FILE", "a Runge-Kutta method from a JSON file with a, b, b_hat, c; its order is found"},
    {"--multistep", "FILE", "a linear multistep method from a JSON file with alpha, beta; its order is found"},
    {"--set", "name=value", "give a parameter another value: a number, [1,2,3], file.csv:column (repeatable)"},
    {"--parameters", "FILE", "values of parameters from a .json file, an object of names and values (repeatable)"},
    {"--component", "WORD",
     "solve on a component of the constraints: auto, a number; other, or 2,1, changes at a meeting"},
    {"--time-limit", "SECONDS", "how long Singular may take for --component (60)"},
    {"--max-instances", "N", "allow loops and arrays of up to N elements"},
    {"--model", "NAME", "of a Base Modelica text with several models: which one (the last)"},
    {"--variables", "NAMES", "of Base Modelica: what is in the results beside the unknowns, as in a.v,frame_?.r*"},
};
constexpr OptionSpec own_result_options[] = {
    {"--out", "FILE", "write all points to a {} file (repeatable)"},
    {"--plot", "FILE", "draw the solution and the run into a {} file (repeatable)"},
    {"--axes", "X,Y", "what --plot draws against each other: two or three unknowns or outputs; repeatable"},
    {"--report", "FILE", "an {} page to look at the solution and the run in a browser (repeatable)"},
    {"--cone", "", "of gps and mgps with --step: |x| and the element G of SO(n, 1) of each step, as outputs"},
    {"--json", "", "one JSON object on standard output, for programs"},
    {"--quiet", "", "no summary"},
    {"--progress", "WORD", "auto, always, never: show how far the run is"},
    {"--checkpoint", "FILE", "write there, every few seconds, what a run needs to go on"},
    {"--resume", "FILE", "go on from a checkpoint, with the other options as they were"},
};

std::string command_line_name(std::string_view name) {
    std::string result = "--" + std::string(name);
    std::ranges::replace(result, '_', '-');
    return result;
}

// Built from the list of the library, which owns no text in the form of the command line.
class SolveOptionTable {
public:
    SolveOptionTable() {
        const auto is_in = [](OptionGroup group) { return [group](const OptionField& f) { return f.group == group; }; };
        add(is_in(OptionGroup::run), "The run");
        for (const OptionSpec& o : own_run_options) specs_.push_back(o);
        add(is_in(OptionGroup::result), "Results");
        for (const OptionSpec& o : own_result_options) specs_.push_back(with_endings(o));
        add(is_in(OptionGroup::how), "How it is solved");
    }
    std::span<const OptionSpec> specs() const { return specs_; }

private:
    template <class Filter> void add(const Filter& is_wanted, std::string_view group) {
        visit_option_members([&](const OptionField& field, auto, auto) {
            if (field.is_text && is_wanted(field))
                specs_.push_back({keep(command_line_name(field.name)), field.value, keep(help_text(field)), group});
        });
    }
    static std::string help_text(const OptionField& field) {
        std::string text;
        for (const std::string_view word : field.words()) text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
        return text.empty() ? std::string(field.help) : fmt::format("{}: {}", text, field.help);
    }
    OptionSpec with_endings(OptionSpec option) {
        const std::size_t place = option.help.find("{}");
        if (place == option.help.npos) return option;
        option.help = keep(std::string(option.help).replace(place, 2, io::endings(option.name, "or")));
        return option;
    }
    std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

    std::deque<std::string> texts_; // which never move
    std::vector<OptionSpec> specs_;
};

std::string command_line(const Arguments& arguments) {
    std::string text = "vessiot solve " + shell_word(arguments.positional[0]);
    for (const auto& [name, value] : arguments.options)
        text += fmt::format(" {}{}", name, value.empty() ? "" : " " + shell_word(value));
    return text;
}

// How many points stay in memory, for the summary and for plots. JSON needs all.
constexpr std::int64_t most_kept = 100'000;

// The options that write files, and what messages say that they do.
constexpr std::pair<std::string_view, std::string_view> writers[] = {
    {"--out", "writes"}, {"--plot", "draws"}, {"--report", "writes"}};

// Calls visit(format, path) for every file that is to be written.
template <class Visit> void for_files(const Arguments& arguments, const Visit& visit) {
    for (const auto& [option, verb] : writers)
        for (const std::string& path : arguments.values(option)) visit(*io::find_format(option, path), path);
}

// Tables grow with the run. With a checkpoint, too, memory must not, whatever is written at the end.
void set_streams(SolveOptions& options, const io::FileContext& context, const Arguments& arguments) {
    bool needs_all = arguments.has("--json");
    for_files(arguments, [&](const io::Format& format, const std::string& path) {
        if (format.stream) options.streams.push_back(format.stream(path, context));
        needs_all |= format.needs_all;
    });
    for (const std::string& path : arguments.values("--checkpoint")) options.checkpoint = path;
    for (const std::string& path : arguments.values("--resume")) options.resume = path;
    const bool has_checkpoint = !options.checkpoint.empty() || !options.resume.empty();
    if (has_checkpoint || !needs_all) options.keep = most_kept;
}

// Before anything is computed.
void check_files(const Arguments& arguments) {
    for (const auto& [option, verb] : writers)
        for (const std::string& path : arguments.values(option))
            if (!io::find_format(option, path))
                throw InvalidInput(
                    fmt::format("{} {} {} files, but found '{}'", option, verb, io::endings(option, "and"), path));
    for (const std::string_view option : {"--checkpoint", "--resume"})
        for (const std::string& path : arguments.values(option))
            if (path.empty()) throw InvalidInput(fmt::format("{} needs the name of a file", option));
}

// Before anything is written: no file of the run is another one of it.
void check_overwriting(const std::string& model, const Arguments& arguments) {
    using Use = CommandFile::Use;
    std::vector<CommandFile> files{{"", model, Use::read}};
    for (const auto& [name, value] : arguments.options) {
        if (std::ranges::any_of(writers, [&](const auto& writer) { return writer.first == name; }))
            files.push_back({name, value, Use::written});
        if (name == "--checkpoint" || name == "--resume") files.push_back({name, value, Use::checkpoint});
    }
    check_distinct(files);
}

std::vector<std::vector<std::string>> axes_of(const System& system, const Arguments& arguments) {
    if (!arguments.has("--axes")) return {};
    if (!arguments.has("--plot")) throw InvalidInput("--axes says what --plot draws, but there is no --plot");
    Coordinates values;
    for (const Unknown& u : system.unknowns) {
        expr::ArrayId jet = u.array;
        for (int k = 0; k < std::max(u.order, 1); ++k, jet = system.graph->derivative(jet)) values.jets.push_back(jet);
    }
    std::vector<std::string> names = coordinate_names(system, values);
    for (const Output& o : system.outputs) names.push_back(o.name);
    names.push_back(system.independent_name);
    std::vector<std::vector<std::string>> all;
    for (const std::string& text : arguments.values("--axes")) {
        all.push_back(name_list(text));
        if (all.back().size() < 2 || all.back().size() > 3)
            throw InvalidInput(
                fmt::format("--axes names two unknowns or outputs, or three, as in --axes x,y, but found '{}'", text));
        for (const std::string& axis : all.back()) {
            if (std::ranges::find(names, axis) != names.end()) continue;
            const auto meant = nearest(axis, std::vector<std::string_view>(names.begin(), names.end()));
            throw InvalidInput(fmt::format("--axes names unknowns and outputs, but '{}' is none of {}{}", axis,
                                           system.name, meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
        }
    }
    if (all.size() > io::most_axes)
        throw InvalidInput(fmt::format("--axes is given {} times, but a picture has room for {}; draw a second picture",
                                       all.size(), io::most_axes));
    return all;
}

// The method of a file, over that of the model.
void take_method_file(const Arguments& arguments, SolveOptions& options) {
    const std::vector<std::string> tableaux = arguments.values("--tableau"), formulas = arguments.values("--multistep");
    if (tableaux.empty() && formulas.empty()) return;
    const std::string_view by = tableaux.empty() ? "--multistep" : "--tableau";
    const bool has_several = tableaux.size() + formulas.size() > 1;
    if (has_several || arguments.has("--method"))
        throw InvalidInput(fmt::format("a run has one method, but {}: leave out all but one of them",
                                       has_several && !tableaux.empty() && !formulas.empty()
                                           ? "it was given with --tableau and with --multistep"
                                       : has_several ? fmt::format("there are several files with {}", by)
                                                     : fmt::format("it was given with --method and with {}", by)));
    for (const std::string_view option : {"--checkpoint", "--resume"})
        if (arguments.has(option))
            throw InvalidInput(fmt::format("{} knows a method by its name, which says nothing about the file of {}: "
                                           "leave one of them out",
                                           option, by));
    options.method = tableaux.empty() ? load_multistep(formulas[0]).name : load_tableau(tableaux[0]).name;
}

SolveOptions options_of(const System& system, const Arguments& arguments) {
    SolveOptions options = model_options(system);
    for (const auto& [name, value] : arguments.options)
        if (is_library_option(name)) apply_option(options, name, value);
    take_method_file(arguments, options);
    check(options);
    options.throw_on_failure = false;
    // A picture of few long steps shows the curve between them. A long run has steps enough, and its curve would need
    // much memory.
    constexpr std::int64_t few_steps = 1000;
    options.dense = false;
    for_files(arguments, [&](const io::Format& format, const std::string&) { options.dense |= format.has_curve; });
    options.dense_limit = few_steps;
    return options;
}

Solution run(const System& system, SolveOptions options, bool has_progress) {
    ProgressLine line(has_progress);
    options.progress = [&](const Progress& progress) {
        line.show(progress);
        return !is_interrupted();
    };
    Solution solution = solve_system(system, options);
    solution.stats.seconds.total = seconds_since_start();
    return solution;
}

// A run that ended early can go on.
void tell_about_checkpoint(const Solution& solution, const SolveOptions& options) {
    const std::string& path = options.checkpoint.empty() ? options.resume : options.checkpoint;
    const bool has_file = !path.empty() && solution.stats.steps >= settled(options).steps_between_seams();
    if (solution.status == Status::success || !has_file || !std::filesystem::exists(path)) return;
    write_message(fmt::format("vessiot: to continue, repeat the command with --resume {}", shell_word(path)));
}

// All that can be written is written; what could not be turns a success into a failure that says so.
void write_files(Solution& solution, const io::FileContext& context, const Arguments& arguments) {
    std::string problems;
    for_files(arguments, [&](const io::Format& format, const std::string& path) {
        if (!format.write) return;
        try {
            format.write(solution, path, context);
        } catch (const OutputFailed& e) {
            write_message(fmt::format("vessiot: {}", e.what()));
            problems += fmt::format("; {}", e.what());
        }
    });
    if (problems.empty()) return;
    if (solution.status == Status::success) solution.status = Status::failed;
    solution.message += problems;
}

void write_result(const Solution& solution, const Arguments& arguments) {
    if (arguments.has("--json")) {
        io::TextWriter out([](std::string_view text) { write_json_output(text); });
        io::write_json(solution, out);
    } else if (!arguments.has("--quiet") && !(solution.status != Status::success && solution.t.empty())) {
        write_output(io::summary_text(solution, true));
    }
}

// After the summary, which ends with the reason: once is enough where both go to the same screen.
void write_reason(const std::string& reason, const Solution& solution, const Arguments& arguments) {
    const bool is_in_summary = !arguments.has("--json") && !arguments.has("--quiet") && !solution.t.empty();
    const bool is_seen = is_in_summary && ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
    if (!is_seen) write_message(fmt::format("vessiot: {}", reason));
}

} // namespace

bool is_library_option(std::string_view name) {
    const auto is_own = [&](const OptionSpec& o) { return o.name == name; };
    return std::ranges::none_of(own_run_options, is_own) && std::ranges::none_of(own_result_options, is_own);
}

// A word for the shell: in quotes where it needs them.
std::string shell_word(const std::string& word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

std::span<const OptionSpec> solve_options() {
    static const SolveOptionTable table;
    return table.specs();
}

namespace {

int solve_once(const Arguments& given) {
    check_files(given);
    const std::vector<std::string> progress = given.values("--progress");
    const bool has_progress = wants_progress(progress.empty() ? "auto" : progress.back());
    const std::filesystem::path model = resolve_model(given.positional[0]);
    check_overwriting(model.string(), given);
    const ComponentModel component = on_component(lang::Source::load(model), given);
    const lang::Source& source = component.source;
    const Arguments& arguments = component.arguments;
    System system = read_system(source, arguments);
    for (const std::string& warning : system.warnings) write_message(warning);
    SolveOptions options = options_of(system, arguments);
    if (arguments.has("--cone")) add_cone_outputs(system, options);
    io::FileContext files{.model_source = std::string(source.text()), .command = command_line(given)};
    files.axes = axes_of(system, arguments);
    set_streams(options, files, arguments);
    catch_interrupt();
    Solution solution = run(system, options, has_progress);
    solution.notes.insert(solution.notes.begin(), component.notes.begin(), component.notes.end());
    const bool has_failed = solution.status != Status::success;
    const std::string reason = solution.message; // before what cannot be written, which is said at once
    const io::ReportContext report{.system = system,
                                   .options = options,
                                   .model_text = files.model_source,
                                   .command_line = files.command,
                                   .is_section = !solution.section.empty()};
    files.report = &report;
    write_files(solution, files, arguments);
    if (!arguments.has("--json")) // the warnings of the model are on the screen already
        std::erase_if(solution.notes, [&](const std::string& note) {
            return std::ranges::any_of(system.warnings, [&](const std::string& w) { return first_line(w) == note; });
        });
    const auto say_the_rest = [&] {
        if (has_failed) write_reason(reason, solution, arguments);
        tell_about_checkpoint(solution, options);
    };
    try {
        write_result(solution, arguments);
    } catch (...) { // standard output is full
        say_the_rest();
        throw;
    }
    say_the_rest();
    switch (solution.status) {
    case Status::stopped:
    case Status::success: return is_interrupted() ? interrupt_status() : exit_success; // while it was written
    case Status::failed: return exit_failed;
    case Status::interrupted: return interrupt_status();
    }
    return exit_failed;
}

} // namespace

int run_solve(const Arguments& arguments) {
    return run_with_singular(arguments, solve_once);
}

} // namespace vessiot::cli
