#include "cli/settings.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text_list.hpp"
#include "lang/model.hpp"
#include "modelica/model.hpp"

namespace vessiot::cli {

namespace {

std::pair<std::string, std::string> parse_setting(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string_view all = text;
    std::pair<std::string, std::string> setting;
    if (equals != std::string::npos)
        setting = {std::string(trimmed(all.substr(0, equals))), std::string(trimmed(all.substr(equals + 1)))};
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

// A file of parameters: an object of names and values.
nlohmann::json read_parameters(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        throw InvalidInput(fmt::format("--parameters {}: the file cannot be read: {}", path, std::strerror(errno)));
    try {
        nlohmann::json values = nlohmann::json::parse(file, nullptr, true, true); // comments are taken
        if (!values.is_object())
            throw InvalidInput(
                fmt::format("--parameters {}: an object is needed, as in {{\"g\": 9.81, \"m\": [1, 2]}}", path));
        return values;
    } catch (const nlohmann::json::exception& e) {
        throw InvalidInput(fmt::format("--parameters {}: {}", path, e.what()));
    }
}

// Numbers and arrays of numbers, as they are written in a model.
std::string value_text(const nlohmann::json& value, const std::string& where) {
    if (value.is_number()) return value.dump();
    if (!value.is_array() || value.empty())
        throw InvalidInput(
            fmt::format("{}: a number, an array of numbers, \"file.csv:column\" or an object of a part is "
                        "needed, but found {}",
                        where, value.dump()));
    std::string text;
    for (const auto& element : value) text += (text.empty() ? "[" : ", ") + value_text(element, where);
    return text + "]";
}

// {"a": {"l": 2}} is a.l = 2.
void add_values(const nlohmann::json& values, const std::string& prefix, const std::string& file,
                std::vector<std::pair<std::string, std::string>>& set) {
    for (const auto& [name, value] : values.items()) {
        const std::string where = fmt::format("--parameters {}: {}{}", file, prefix, name);
        if (value.is_object())
            add_values(value, prefix + name + ".", file, set);
        else if (value.is_string())
            set.emplace_back(prefix + name, value.get<std::string>());
        else
            set.emplace_back(prefix + name, value_text(value, where));
    }
}

} // namespace

lang::Settings model_settings(const Arguments& arguments) {
    lang::Settings settings;
    for (const std::string& file : arguments.values("--parameters"))
        add_values(read_parameters(file), "", file, settings.set);
    for (const std::string& text : arguments.values("--set")) settings.set.push_back(parse_setting(text));
    for (const std::string& text : arguments.values("--max-instances")) settings.max_instances = parse_limit(text);
    return settings;
}

System read_system(const lang::Source& source, const Arguments& arguments) {
    const lang::Settings settings = model_settings(arguments);
    if (modelica::is_modelica(source)) {
        modelica::ReadSettings all{.parameters = settings};
        for (const std::string& name : arguments.values("--model")) all.model = name;
        for (const std::string& list : arguments.values("--variables"))
            for (const std::string& name : modelica::name_patterns(list)) all.outputs.push_back(name);
        return modelica::read_model(source, all);
    }
    for (const std::string_view option : {"--model", "--variables"})
        if (arguments.has(option))
            throw InvalidInput(
                fmt::format("{} is of Base Modelica (.bmo, .mo), but {} is no such text", option, source.name()));
    return lang::read_model(source, settings);
}

} // namespace vessiot::cli
