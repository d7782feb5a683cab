// vessiot ensemble MODEL and vessiot merge OUT FILE…: reads what varies, runs, and writes what came out.
#include <chrono>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/gallery.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"
#include "core/error.hpp"
#include "core/text_list.hpp"
#include "io/members/members.hpp"
#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/problem.hpp"
#include "vessiot/ensemble.hpp"

namespace vessiot::cli {

namespace {

constexpr OptionSpec own_options[] = {
    {"--vary", "NAME=VALUES",
     "what varies: a parameter, an element m[2], or start:x'. VALUES: a..b:N, log(a..b):N, [v1,v2], uniform(a,b), "
     "normal(m,s), lognormal(m,s), triangular(a,b,c), file.csv:column (repeatable: grids multiply)",
     "Members"},
    {"--zip", "", "go through the grids together instead of multiplying them"},
    {"--samples", "N", "how many random members, for each point of the grids"},
    {"--seed", "S", "of random members (0)"},
    {"--sampling", "WORD", "random, latin, sobol: how random members are chosen"},
    {"--members", "FILE", "a .csv table instead, one member a row; its first line names what varies"},
    {"--record", "WORD", "last, all, events: what is kept of each member; points with --every or --at", "Results"},
    {"--outputs", "NAMES", "unknowns and outputs that are kept, as in x,y (all)"},
    {"--reduce", "LIST", "over members: mean, std, min, max, quantile(p,…), histogram(NAME,a..b,bins)"},
    {"--out", "FILE", "write the members to a .csv or .h5 file (repeatable); with --shard a .part file"},
    {"--plot", "FILE",
     "draw the members into a .svg or .png file: quantiles over t, values over what varied (repeatable)"},
    {"--json", "", "one JSON object on standard output, for programs"},
    {"--quiet", "", "no summary"},
    {"--progress", "WORD", "auto, always, never: show how far it is"},
    {"--threads", "N", "how many run at the same time (all cores)", "Where it runs"},
    {"--device", "WORD", "auto, cpu, gpu: where steps are made, with the same bits"},
    {"--lanes", "WORD", "auto, 1, 8: how many a thread runs side by side, with the same bits"},
    {"--shard", "I/N", "the I-th of N parts, I = 0 .. N-1, for many machines; 'vessiot merge' puts them together"},
    {"--max-failures", "N", "end after N failed members"},
    {"--checkpoint", "FILE", "write there what is done, to go on with after a kill"},
    {"--resume", "FILE", "go on from a checkpoint, with the other options as they were"},
    {"--set", "name=value", "give a parameter another value in all members (repeatable)"},
    {"--parameters", "FILE", "values of parameters in all members from a .json file (repeatable)"},
    {"--max-instances", "N", "allow loops and arrays of up to N elements"},
    {"--model", "NAME", "of a Base Modelica text with several models: which one (the last)"},
    {"--variables", "NAMES", "of Base Modelica: what is in the results beside the unknowns, as in a.v,frame_?.r*"},
};

// Options of 'solve' that belong to one run with one result.
bool is_of_one_run(std::string_view name) {
    constexpr std::string_view names[] = {"--checkpoint-every", "--checkpoint-steps", "--sensitivity",
                                          "--sensitivity-control"};
    return std::ranges::find(names, name) != std::end(names);
}

bool is_own(std::string_view name) {
    return std::ranges::any_of(own_options, [&](const OptionSpec& o) { return o.name == name; });
}

std::int64_t whole_number(std::string_view option, const std::string& text, std::int64_t least) {
    const double value = parse_number(option, text);
    if (!(value >= static_cast<double>(least) && value <= 9e15 &&
          value == static_cast<double>(static_cast<std::int64_t>(value))))
        throw InvalidInput(fmt::format("{} needs a whole number, at least {}, but found '{}'", option, least, text));
    return static_cast<std::int64_t>(value);
}

template <class Value, std::size_t N>
Value word(std::string_view option, const std::string& text, const std::pair<std::string_view, Value> (&words)[N]) {
    std::string known;
    for (const auto& [name, value] : words) {
        if (name == text) return value;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
    }
    throw InvalidInput(fmt::format("{} is one of {}, but found '{}'", option, known, text));
}

void read_shard(const std::string& text, EnsembleOptions& options) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos)
        throw InvalidInput(
            fmt::format("--shard needs a part and how many there are, as in --shard 0/4, but found '{}'", text));
    options.shard = whole_number("--shard", text.substr(0, slash), 0);
    options.n_shards = whole_number("--shard", text.substr(slash + 1), 1);
    if (options.shard >= options.n_shards)
        throw InvalidInput(
            fmt::format("--shard {}: parts of {} are numbered 0 to {}", text, options.n_shards, options.n_shards - 1));
}

void read_members_options(const Arguments& arguments, EnsembleOptions& options) {
    for (const auto& [name, value] : arguments.options) {
        if (name == "--vary") options.vary.push_back(read_vary(value));
        if (name == "--zip") options.zip = true;
        if (name == "--samples") options.samples = whole_number(name, value, 1);
        if (name == "--seed") options.seed = static_cast<std::uint64_t>(whole_number(name, value, 0));
        if (name == "--sampling")
            options.sampling = word<Sampling>(
                name, value, {{"random", Sampling::random}, {"latin", Sampling::latin}, {"sobol", Sampling::sobol}});
        if (name == "--members") read_members(value, options);
    }
}

void read_result_options(const Arguments& arguments, const SolveOptions& run, EnsembleOptions& options) {
    const bool has_points = !run.at.empty() || run.every > 0;
    options.record = has_points ? Record::points : run.section && !run.section->empty() ? Record::all : Record::last;
    for (const auto& [name, value] : arguments.options) {
        if (name == "--record") {
            const Record record =
                word<Record>(name, value, {{"last", Record::last}, {"all", Record::all}, {"events", Record::events}});
            if (options.record != Record::last && record == Record::last)
                throw InvalidInput(
                    "--record last keeps one point of each member, but --every, --at or --section ask for more");
            options.record = record;
        }
        if (name == "--outputs") options.outputs = name_list(value);
        if (name == "--reduce") {
            const std::vector<Reduction> more = read_reductions(value);
            options.reduce.insert(options.reduce.end(), more.begin(), more.end());
        }
        if (name == "--threads")
            options.threads = static_cast<int>(std::min<std::int64_t>(whole_number(name, value, 1), 4096));
        if (name == "--device")
            options.device =
                word<Device>(name, value, {{"auto", Device::automatic}, {"cpu", Device::cpu}, {"gpu", Device::gpu}});
        if (name == "--lanes")
            options.lanes =
                word<Lanes>(name, value, {{"auto", Lanes::automatic}, {"1", Lanes::one}, {"8", Lanes::eight}});
        if (name == "--shard") read_shard(value, options);
        if (name == "--max-failures") options.max_failures = whole_number(name, value, 1);
        if (name == "--checkpoint") options.checkpoint = value;
        if (name == "--resume") options.resume = value;
    }
}

void add_stream(const std::string& path, bool is_shard, EnsembleOptions& options) {
    if (is_shard) {
        if (!path.ends_with(".part"))
            throw InvalidInput(
                fmt::format("a shard writes a part for 'vessiot merge', --out FILE.part, but found '{}'", path));
        if (!options.checkpoint.empty() && options.checkpoint != path)
            throw InvalidInput(
                "the part of a shard is its checkpoint: leave --checkpoint out, and go on with --resume FILE.part");
        options.checkpoint = path;
    } else if (path.ends_with(".csv")) {
        options.streams.push_back(members_csv(path));
    } else if (path.ends_with(".h5")) {
        options.streams.push_back(members_hdf5(path));
    } else {
        throw InvalidInput(fmt::format("--out writes .csv and .h5 files, but found '{}'", path));
    }
}

// What varies has its values from there alone.
void check_set(const Arguments& arguments, const EnsembleOptions& options) {
    for (const std::string& text : arguments.values("--set")) {
        const std::string name = text.substr(0, text.find('='));
        const bool varies = std::ranges::any_of(options.vary, [&](const Vary& v) { return v.name == name; }) ||
                            std::ranges::find(options.table_names, name) != options.table_names.end();
        if (varies)
            throw InvalidInput(
                fmt::format("--set {}: {} varies between members: leave one of the two out", text, name));
    }
}

// The table of --vary NAME=FILE.csv:COLUMN; empty where values are given otherwise.
std::string table_of(const std::string& vary) {
    const std::size_t equals = vary.find('='), colon = vary.rfind(':');
    if (equals == std::string::npos || colon == std::string::npos || colon < equals) return "";
    std::string path = vary.substr(equals + 1, colon - equals - 1);
    path.erase(0, path.find_first_not_of(" \t"));
    return path.ends_with(".csv") ? path : "";
}

void check_overwriting(const std::string& model, const Arguments& arguments) {
    using Use = CommandFile::Use;
    std::vector<CommandFile> files{{"", model, Use::read}};
    for (const auto& [name, value] : arguments.options) {
        if (name == "--members") files.push_back({name, value, Use::read});
        if (name == "--vary" && !table_of(value).empty()) files.push_back({name, table_of(value), Use::read});
        if (name == "--plot") files.push_back({name, value, Use::written});
        if (name == "--out") files.push_back({name, value, value.ends_with(".part") ? Use::checkpoint : Use::written});
        if (name == "--checkpoint" || name == "--resume") files.push_back({name, value, Use::checkpoint});
    }
    check_distinct(files);
}

SolveOptions options_of(const System& system, const Arguments& arguments) {
    SolveOptions options = model_options(system);
    for (const auto& [name, value] : arguments.options)
        if (!is_own(name)) apply_option(options, name, value);
    check(options);
    options.throw_on_failure = false;
    options.dense = false;
    return options;
}

// 42 %   420000 members, 3 failed   12300 a second   47 s left
class MembersLine {
public:
    explicit MembersLine(bool is_shown) : is_shown_(is_shown), is_terminal_(::isatty(STDERR_FILENO) == 1) {}
    MembersLine(const MembersLine&) = delete;
    MembersLine& operator=(const MembersLine&) = delete;
    ~MembersLine() {
        if (has_line_ && is_terminal_) std::fputs("\r\033[K", stderr);
    }
    void show(const EnsembleProgress& p) {
        const double wait = is_terminal_ ? 0.1 : 1; // seconds between lines
        if (!is_shown_ || p.seconds < 0.5 || (has_line_ && p.seconds < last_ + wait)) return;
        const double rate = static_cast<double>(p.done) / p.seconds;
        const double left = rate > 0 ? static_cast<double>(p.all - p.done) / rate : 0;
        const std::string failed = p.failed > 0 ? fmt::format(", {} failed", p.failed) : "";
        fmt::print(stderr, "{}  {:.0f} %   {} members{}   {:.3g} a second   {:.0f} s left{}",
                   is_terminal_ ? "\r\033[K" : "", 100.0 * static_cast<double>(p.done) / static_cast<double>(p.all),
                   p.done, failed, rate, left, is_terminal_ ? "" : "\n");
        std::fflush(stderr);
        has_line_ = true;
        last_ = p.seconds;
    }

private:
    bool is_shown_, is_terminal_, has_line_ = false;
    double last_ = 0;
};

// Says how large files get before they do, and refuses those that a disk has no room for.
class Announcement final : public MemberStream {
public:
    explicit Announcement(std::vector<std::string> files) : files_(std::move(files)) {}
    std::string name() const override { return "the screen"; }
    void begin(const EnsembleHead& head) override {
        const double numbers = static_cast<double>(head.varied.size() + head.n_points() * head.columns.size() + 3);
        const double members = static_cast<double>(head.n_members) / static_cast<double>(head.n_shards);
        const double bytes = 8 * numbers * members;
        if (bytes < 1e9 || head.is_ragged()) return;
        const std::string size =
            fmt::format("{:.0f} members with {} values at {} points: {:.3g} GB in an .h5 file or a log", members,
                        head.columns.size(), head.n_points(), 1e-9 * bytes);
        for (const std::string& file : files_)
            if (const double room = room_for(file); bytes > room)
                throw InvalidInput(
                    fmt::format("{}, but there is room for {:.3g} GB where {} is written: keep fewer values "
                                "(--outputs), statistics only (--reduce without --out), or shards",
                                size, 1e-9 * room, file));
        write_message("vessiot: " + size);
    }
    void add(const MemberBlock& /*block*/) override {}
    void end(const EnsembleResult& /*result*/) override {}

private:
    // Bytes; infinity where nobody knows.
    static double room_for(const std::string& file) {
        std::error_code error;
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        const std::filesystem::space_info space = std::filesystem::space(folder.empty() ? "." : folder, error);
        return error ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available);
    }

    std::vector<std::string> files_;
};

// vessiot solve MODEL with the values of a member.
std::string repeat_command(const EnsembleResult& result, const Arguments& arguments) {
    if (result.failures.empty()) return "";
    const EnsembleFailure& failure = *std::ranges::min_element(result.failures, {}, &EnsembleFailure::first);
    std::string text = "vessiot solve " + shell_word(arguments.positional[0]);
    for (const auto& [name, value] : arguments.options)
        if (name == "--set" || name == "--parameters" || name == "--max-instances" || name == "--model" ||
            name == "--variables" || !is_own(name))
            text += fmt::format(" {}{}", name, value.empty() ? "" : " " + shell_word(value));
    constexpr std::string_view start = "start:";
    for (std::size_t j = 0; j < result.head.varied.size(); ++j) {
        const std::string& name = result.head.varied[j];
        const double value = failure.values[j];
        const bool is_start = name.starts_with(start);
        text += fmt::format(" {} {}", is_start ? "--start" : "--set",
                            shell_word(fmt::format("{}={}", is_start ? name.substr(start.size()) : name, value)));
    }
    return text;
}

void write_result(const EnsembleResult& result, const Arguments& arguments, const std::string& repeat) {
    if (arguments.has("--json"))
        write_json_output(io::members_json(result));
    else if (!arguments.has("--quiet"))
        write_output(io::members_summary(result, repeat));
}

int exit_status(const EnsembleResult& result) {
    if (is_interrupted()) return interrupt_status();
    return result.status == MemberStatus::success && result.counts[0] == result.done() ? exit_success : exit_failed;
}

} // namespace

std::span<const OptionSpec> ensemble_options() {
    static const std::vector<OptionSpec> specs = [] {
        std::vector<OptionSpec> all(std::begin(own_options), std::end(own_options));
        bool is_first = true;
        for (const OptionSpec& o : solve_options()) {
            if (is_own(o.name) || !is_library_option(o.name) || is_of_one_run(o.name)) continue;
            all.push_back(o);
            all.back().group = is_first ? "Each run, as in 'vessiot solve'" : "";
            is_first = false;
        }
        return all;
    }();
    return specs;
}

namespace {

// On rank 0 of several, or alone: what is written. Others help, and are quiet.
int run_with(const std::shared_ptr<Ranks>& ranks, const Arguments& arguments) {
    const bool is_first = !ranks || ranks->rank() == 0;
    const std::vector<std::string> shown = arguments.values("--progress");
    const bool has_progress = wants_progress(shown.empty() ? "auto" : shown.back()) && is_first;
    const std::filesystem::path model = resolve_model(arguments.positional[0]);
    check_overwriting(model.string(), arguments);
    const lang::Source source = lang::Source::load(model);
    const System system = read_system(source, arguments);
    for (const std::string& warning : system.warnings)
        if (is_first) write_message(warning);
    const SolveOptions run = options_of(system, arguments);
    EnsembleOptions options;
    options.ranks = ranks;
    read_members_options(arguments, options);
    read_result_options(arguments, run, options);
    std::vector<std::string> files = arguments.values("--out");
    for (const std::string& path : arguments.values("--checkpoint")) files.push_back(path);
    if (!files.empty()) options.streams.push_back(std::make_shared<Announcement>(files));
    for (const std::string& path : arguments.values("--out")) add_stream(path, arguments.has("--shard"), options);
    for (const std::string& path : arguments.values("--plot")) options.streams.push_back(members_plot(path));
    options.keeps_members = false;
    check_set(arguments, options);
    options.attributes = {{"model_source", std::string(source.text())}};
    catch_interrupt();
    MembersLine line(has_progress);
    options.progress = [&](const EnsembleProgress& progress) {
        line.show(progress);
        return !is_interrupted();
    };
    const EnsembleResult result = ProblemAccess::make(system, run).ensemble(options);
    if (!is_first) return exit_success;
    write_result(result, arguments, repeat_command(result, arguments));
    return exit_status(result);
}

} // namespace

int run_ensemble(const Arguments& arguments) {
    // shards are runs of their own, whoever starts them
    const std::shared_ptr<Ranks> ranks = arguments.has("--shard") ? nullptr : mpi_ranks();
    try {
        return run_with(ranks, arguments);
    } catch (const std::exception& e) {
        if (ranks) leave(*ranks, e.what());
        // NOTE: rank 0 says why and with which status; a launcher would take the one of whoever ends first
        if (ranks && ranks->rank() > 0 && ranks->is_whole()) return exit_success;
        throw;
    }
}

int run_merge(const Arguments& arguments) {
    const std::string out = arguments.positional[0];
    const std::vector<std::string> parts(arguments.positional.begin() + 1, arguments.positional.end());
    EnsembleOptions options;
    add_stream(out, false, options);
    std::vector<CommandFile> files{{"OUT", out, CommandFile::Use::written}};
    for (const std::string& part : parts) files.push_back({"", part, CommandFile::Use::read});
    check_distinct(files);
    const EnsembleResult result = merge_parts(parts, options.streams, false);
    write_result(result, arguments, "");
    return exit_status(result);
}

} // namespace vessiot::cli
