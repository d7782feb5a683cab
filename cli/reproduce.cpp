// vessiot reproduce [PAPER [TABLE]]: recomputes published tables and puts both sides together.
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/gallery.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "reproduce/drawing.hpp"
#include "reproduce/report.hpp"
#include "solution/output_file.hpp"

namespace vessiot::cli {

namespace {

namespace fs = std::filesystem;
using namespace reproduce;

std::vector<const Paper*> wanted_papers(const std::string& name) {
    std::vector<const Paper*> result;
    if (name != "all") return {&find_paper(name)};
    for (const Paper& paper : papers()) result.push_back(&paper);
    return result;
}

// What is run, where it is a long one, on one line of standard error.
class Watcher {
public:
    explicit Watcher(bool is_shown) : is_shown_(is_shown) {}

    void begin(const std::string& what) {
        line_.reset(); // which erases it
        if (is_shown_) write_message(fmt::format("vessiot: {}", what));
        line_.emplace(is_shown_);
    }
    bool operator()(const Progress& progress) {
        if (line_) line_->show(progress);
        return !is_interrupted();
    }

private:
    bool is_shown_;
    std::optional<ProgressLine> line_;
};

// The table that was asked for, or all of the papers with their claims.
std::vector<PaperResult> compute_all(const Arguments& arguments, Runner& runner, Watcher& watcher) {
    const auto begin = [&](const std::string& what) { watcher.begin(what); };
    std::vector<PaperResult> results;
    for (const Paper* paper : wanted_papers(arguments.positional[0])) {
        if (arguments.positional.size() < 2) {
            results.push_back(compute(*paper, runner, begin));
            continue;
        }
        const reproduce::Table& table = find_table(*paper, arguments.positional[1]);
        begin(fmt::format("{} {}", paper->name, table.name));
        results.push_back({paper, {compute(*paper, table, runner)}, {}});
    }
    return results;
}

void write_file(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    file.finish();
}

void draw(const std::string& folder, const std::vector<PaperResult>& results, Runner& runner, Watcher& watcher) {
    std::error_code error;
    fs::create_directories(folder, error);
    for (const PaperResult& result : results)
        for (const Drawing& drawing : result.paper->drawings) {
            watcher.begin(fmt::format("{} {}", result.paper->name, drawing.name));
            const fs::path path = fs::path(folder) / fmt::format("{}-{}.svg", result.paper->name, drawing.name);
            write_figure(drawing.draw(runner), path.string());
        }
}

std::string text_of(const std::vector<PaperResult>& results) {
    std::string text;
    for (const PaperResult& result : results) {
        for (const TableResult& table : result.tables) text += table_text(table) + "\n";
        if (!result.claims.empty())
            text += fmt::format("{}, in words\n{}\n", result.paper->name, claims_text(result.claims));
        text += fmt::format("{}: {} (= to the printed digits, ≈ within 10 %)\n", result.paper->name,
                            counts_text(result.tables));
    }
    return text;
}

std::string json_of(const std::vector<PaperResult>& results) {
    std::vector<TableResult> tables;
    for (const PaperResult& result : results) tables.insert(tables.end(), result.tables.begin(), result.tables.end());
    return json_text(tables);
}

// Numbers and claims that no run of ours answered.
std::size_t count_missing(const std::vector<PaperResult>& results) {
    std::size_t n = 0;
    for (const PaperResult& result : results) {
        for (const TableResult& table : result.tables)
            for (const Entry& entry : table.entries) n += std::isnan(entry.computed);
        for (const ClaimResult& claim : result.claims) n += claim.finding.standing == Standing::not_computed;
    }
    return n;
}

fs::path model_path(const std::string& name) {
    if (const auto path = find_gallery_model(name)) return *path;
    throw InvalidInput(fmt::format("the gallery has no model '{}', which the tables need", name));
}

} // namespace

int run_reproduce(const Arguments& arguments) {
    if (arguments.positional.empty()) {
        write_output(arguments.has("--json") ? list_json() : list_text());
        return exit_success;
    }
    catch_interrupt();
    const std::vector<std::string> progress = arguments.values("--progress");
    Watcher watcher(wants_progress(progress.empty() ? "auto" : progress.back()));
    Runner runner(model_path, [&](const RunSetting&, const Progress& p) { return watcher(p); });
    try {
        const std::vector<PaperResult> results = compute_all(arguments, runner, watcher);
        for (const std::string& path : arguments.values("--markdown")) write_file(path, markdown(results));
        for (const std::string& folder : arguments.values("--plot")) draw(folder, results, runner, watcher);
        write_output(arguments.has("--json") ? json_of(results) : text_of(results));
        if (const std::size_t n = count_missing(results); n > 0) {
            write_message(fmt::format("vessiot: {} of the numbers and claims could not be computed", n));
            return exit_failed;
        }
    } catch (const Interrupted&) {
        write_message("vessiot: interrupted");
        return interrupt_status();
    } catch (const OutputFailed& e) {
        write_message(fmt::format("vessiot: {}", e.what()));
        return exit_failed;
    }
    return exit_success;
}

} // namespace vessiot::cli
