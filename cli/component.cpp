#include "cli/component.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"
#include "core/error.hpp"
#include "decompose/describe.hpp"
#include "lang/model.hpp"
#include "modelica/model.hpp"
#include "solve/options/options.hpp"

namespace vessiot::cli {

namespace {

int report_end(const Arguments& arguments, const std::string& text, std::string_view status, int exit) {
    write_message(fmt::format("vessiot: {}", text));
    if (arguments.has("--json")) {
        const nlohmann::ordered_json object{{"status", status}, {"message", text}};
        write_json(object);
    }
    return exit;
}

void check_start(const decompose::Decomposition& d) {
    std::vector<std::string> on;
    for (const std::size_t k : d.start.on) on.push_back(std::to_string(k + 1));
    if (!d.chosen)
        throw InvalidInput(fmt::format(
            "--component: {}. --component N says which one the run is on, and 'vessiot decompose' shows them",
            on.empty() ? "the start point is on no component"
                       : fmt::format("components {} meet at the start point, and its velocity does not decide",
                                     fmt::join(on, " and "))));
    if (decompose::has_no_real_points(d.answer.components[*d.chosen].generators))
        throw InvalidInput(fmt::format("component {} is empty: it has no real points ({} = 0)", *d.chosen + 1,
                                       fmt::join(d.generators(*d.chosen), " = 0; ")));
    if (std::ranges::find(d.start.on, *d.chosen) == d.start.on.end())
        throw InvalidInput(fmt::format(
            "the start point is not on component {}: {}. Start lines, or --start, with a point of that component are "
            "needed{}",
            *d.chosen + 1,
            on.empty() ? "it is on none of them" : fmt::format("it is on component {}", fmt::join(on, " and ")),
            on.empty() ? ""
                       : fmt::format(", or --component {},{} to change to it where they meet", on[0], *d.chosen + 1)));
}

// What --set and --parameters gave stands in the new text; a parameter that is in numbers only now has left it.
Arguments with_settings_of(const lang::Source& source, const Arguments& arguments) {
    const System system = lang::read_model(source, {});
    Arguments result{arguments.positional, {}};
    for (const auto& [name, value] : arguments.options) {
        const std::string parameter = value.substr(0, value.find_first_of("=["));
        const bool is_there =
            std::ranges::any_of(system.parameters, [&](const Parameter& p) { return p.name == parameter; });
        if (name == "--parameters" || (name == "--set" && !is_there)) continue;
        result.options.emplace_back(name, value);
    }
    return result;
}

} // namespace

decompose::Options component_options(const Arguments& arguments) {
    decompose::Options options;
    for (const std::string& text : arguments.values("--time-limit")) {
        double seconds = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        const bool is_number = error == std::errc{} && end == text.data() + text.size();
        if (!is_number || !(seconds > 0) || !std::isfinite(seconds))
            throw InvalidInput(fmt::format("--time-limit needs a number of seconds above 0, but found '{}'", text));
        options.singular.time_limit_s = std::min(seconds, 1e9);
    }
    for (const std::string& text : arguments.values("--component")) options.component = text;
    options.singular.is_interrupted = is_interrupted;
    return options;
}

ComponentModel on_component(lang::Source source, const Arguments& arguments) {
    decompose::Options options = component_options(arguments);
    if (!arguments.has("--component")) {
        if (arguments.has("--time-limit"))
            throw InvalidInput("--time-limit says how long the decomposition of --component may take, which is not "
                               "given");
        return {std::move(source), arguments, {}};
    }
    if (modelica::is_modelica(source))
        throw InvalidInput(fmt::format("--component decomposes the constraints of a .ves model, but {} is Base "
                                       "Modelica",
                                       source.name()));
    SolveOptions run;
    for (const std::string& text : arguments.values("--start")) apply_option(run, "--start", text);
    options.start = run.start;
    catch_interrupt();
    const decompose::Decomposition d = decompose::decompose(source, model_settings(arguments), options);
    check_start(d);
    const std::string then = d.then ? fmt::format(", then on component {} from where they meet", *d.then + 1) : "";
    ComponentModel result{lang::Source(source.name(), d.model->text), {}, d.notes};
    result.notes.insert(result.notes.begin(),
                        fmt::format("on component {} of {} of the constraints{}: {} = 0", *d.chosen + 1,
                                    d.answer.components.size(), then, fmt::join(d.generators(*d.chosen), " = 0; ")));
    result.arguments = with_settings_of(result.source, arguments);
    return result;
}

int run_with_singular(const Arguments& arguments, int (*run)(const Arguments&)) {
    try {
        return run(arguments);
    } catch (const decompose::Interrupted& e) {
        return report_end(arguments, e.what(), "interrupted", interrupt_status());
    } catch (const decompose::SingularFailed& e) {
        return report_end(arguments, e.what(), "failed", exit_failed);
    }
}

} // namespace vessiot::cli
