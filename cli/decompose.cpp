// vessiot decompose MODEL: the components of its constraints, and a model file for one of them.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/component.hpp"
#include "cli/files.hpp"
#include "cli/gallery.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"
#include "core/error.hpp"
#include "decompose/describe.hpp"
#include "solution/output_file.hpp"

namespace vessiot::cli {

namespace {

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The file that was asked for; else one in this folder, where it overwrites nothing but what it wrote itself.
std::string write_model(const decompose::Decomposition& d, const Arguments& arguments) {
    const std::vector<std::string> asked = arguments.values("--out");
    const bool is_wanted = !asked.empty() || arguments.has("--component") || d.is_worth_writing();
    if (!d.model || !is_wanted) return "";
    const std::string path =
        asked.empty() ? fmt::format("{}_component_{}.ves", d.model_name, *d.chosen + 1) : asked.back();
    std::error_code error;
    if (asked.empty() && std::filesystem::exists(path, error)) {
        if (content(path) == d.model->text) return path;
        throw OutputFailed(fmt::format("{0} is there already, with other text, and is left as it is; --out {0} "
                                       "overwrites it, --out FILE gives another name",
                                       path));
    }
    OutputFile file(path);
    file.write(d.model->text);
    file.finish();
    return path;
}

void check_files(const Arguments& arguments, const std::filesystem::path& model) {
    for (const std::string& path : arguments.values("--out"))
        check_distinct({{"", model.string(), CommandFile::Use::read}, {"--out", path, CommandFile::Use::written}});
}

int run_once(const Arguments& arguments) {
    catch_interrupt();
    const decompose::Options options = component_options(arguments);
    const std::filesystem::path model = resolve_model(arguments.positional[0]);
    check_files(arguments, model);
    const decompose::Decomposition d =
        decompose::decompose(lang::Source::load(model), model_settings(arguments), options);
    for (const std::string& warning : d.warnings) write_message(warning);
    std::string written, problem;
    try {
        written = write_model(d, arguments);
    } catch (const OutputFailed& e) {
        problem = e.what();
    }
    if (arguments.has("--json")) {
        nlohmann::ordered_json json = decompose::to_json(d, written);
        if (!problem.empty()) {
            json["status"] = "failed";
            json["message"] = problem;
        }
        write_json(json);
    } else {
        write_output(decompose::to_text(d, written, arguments.has("--full")));
    }
    if (problem.empty() && !d.model && !arguments.values("--out").empty())
        problem = fmt::format("{} is not written: it is not clear which component is meant; choose one with "
                              "--component K",
                              arguments.values("--out").back());
    if (problem.empty()) return exit_success;
    write_message(fmt::format("vessiot: {}", problem));
    return exit_failed;
}

} // namespace

int run_decompose(const Arguments& arguments) {
    return run_with_singular(arguments, run_once);
}

} // namespace vessiot::cli
