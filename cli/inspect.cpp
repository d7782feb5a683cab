#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/gallery.hpp"
#include "cli/output.hpp"
#include "completion/describe_structure.hpp"
#include "completion/structure.hpp"
#include "core/error.hpp"
#include "lang/model.hpp"
#include "system/describe.hpp"

namespace vessiot::cli {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::pair<std::string, std::string> parse_setting(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::pair<std::string, std::string> setting;
    if (equals != std::string::npos) setting = {trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
    if (setting.first.empty() || setting.second.empty()) {
        throw InvalidInput(fmt::format("--set gives a parameter a value, as in --set n=1000, but '{}' has no {}", text,
                                       equals == std::string::npos ? "'='"
                                       : setting.first.empty()     ? "name"
                                                                   : "value"));
    }
    return setting;
}

std::int64_t parse_limit(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
        throw InvalidInput(fmt::format(
            "--max-instances needs a positive whole number, as in --max-instances 1000000000, but found '{}'", text));
    }
    return value;
}

} // namespace

int run_inspect(const Arguments& arguments) {
    lang::Settings settings;
    for (const std::string& text : arguments.values("--set")) settings.set.push_back(parse_setting(text));
    for (const std::string& text : arguments.values("--max-instances")) settings.max_instances = parse_limit(text);
    const System system = lang::load_model(resolve_model(arguments.positional[0]), settings);
    for (const std::string& warning : system.warnings) write_message(warning);
    const Description description = describe(system, {.compile = arguments.has("--compile")});
    const StructureText structure = describe(system, description.classification, analyse(system));
    if (arguments.has("--json")) {
        nlohmann::ordered_json json = to_json(description);
        json.update(to_json(structure));
        write_output(json.dump(2) + "\n");
    } else {
        const TextOptions options{.full = arguments.has("--full")};
        write_output(to_text(description, options) + "\n" + to_text(structure, options));
    }
    return exit_success;
}

} // namespace vessiot::cli
