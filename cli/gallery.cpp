#include "cli/gallery.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "lang/syntax/source.hpp"

namespace vessiot::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view ending = ".ves";

std::optional<fs::path> gallery_folder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    for (const fs::path& folder :
         {program.parent_path().parent_path() / VESSIOT_INSTALLED_GALLERY, fs::path(VESSIOT_SOURCE_GALLERY)})
        if (fs::is_directory(folder, error)) return folder;
    return std::nullopt;
}

std::string title_of(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    for (int n = 0; n < 20 && std::getline(file, line); ++n) {
        if (!line.starts_with('#')) continue;
        line.erase(0, std::min(line.find_first_not_of("# "), line.size()));
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        return line;
    }
    return "";
}

[[noreturn]] void fail_unknown_model(const std::string& name, const std::string& prefix) {
    std::vector<std::string> names;
    for (const GalleryModel& m : gallery_models()) names.push_back(m.name);
    const auto near = nearest(name, names);
    throw InvalidInput(fmt::format("{}the gallery has no model '{}'{} 'vessiot gallery' lists them.", prefix, name,
                                   near ? fmt::format("; did you mean '{}'?", *near) : "."));
}

std::string without_ending(const std::string& name) {
    return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : name;
}

} // namespace

std::vector<GalleryModel> gallery_models() {
    const auto folder = gallery_folder();
    if (!folder) {
        throw InvalidInput(
            "the gallery is not found: it belongs into share/vessiot/gallery beside the folder of the program");
    }
    std::vector<GalleryModel> models;
    for (const fs::directory_entry& entry : fs::directory_iterator(*folder))
        if (entry.path().extension() == ending)
            models.push_back({entry.path().stem().string(), title_of(entry.path()), entry.path()});
    std::ranges::sort(models, {}, &GalleryModel::name);
    return models;
}

std::optional<fs::path> find_gallery_model(const std::string& name) {
    const auto folder = gallery_folder();
    if (!folder || name.empty() || name.find('/') != std::string::npos) return std::nullopt;
    const fs::path path = *folder / (name + std::string(ending));
    std::error_code error;
    return fs::is_regular_file(path, error) ? std::optional(path) : std::nullopt;
}

fs::path resolve_model(const std::string& model) {
    std::error_code error;
    const bool may_be_name = model.find('/') == std::string::npos && !model.ends_with(ending);
    if (!may_be_name || fs::exists(model, error)) return model;
    if (const auto path = find_gallery_model(model)) return *path;
    if (!gallery_folder()) return model; // which does not exist, as reading it will say
    fail_unknown_model(model, fmt::format("there is no file '{}', and ", model));
}

int run_gallery(const Arguments& arguments) {
    using Json = nlohmann::ordered_json;
    const bool is_json = arguments.has("--json");
    if (arguments.positional.empty()) {
        const std::vector<GalleryModel> models = gallery_models();
        std::size_t width = 0;
        for (const GalleryModel& m : models) width = std::max(width, m.name.size());
        std::string text;
        Json list = Json::array();
        for (const GalleryModel& m : models) {
            text += fmt::format("{:{}}   {}\n", m.name, width, m.title);
            list.push_back({{"name", m.name}, {"title", m.title}, {"path", m.path.string()}});
        }
        is_json ? write_json(Json{{"models", list}}) : write_output(text);
        return exit_success;
    }
    const std::string name = without_ending(arguments.positional[0]);
    const auto path = find_gallery_model(name);
    if (!path) fail_unknown_model(name, "");
    const lang::Source source = lang::Source::load(*path);
    const std::string text(source.text());
    const Json object{{"name", name}, {"title", title_of(*path)}, {"path", path->string()}, {"text", text}};
    is_json ? write_json(object) : write_output(text);
    return exit_success;
}

} // namespace vessiot::cli
