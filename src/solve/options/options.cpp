#include "solve/options/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/text_list.hpp"
#include "lang/model.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "lang/syntax/parser.hpp"
#include "method/registry.hpp"

namespace vessiot {

namespace {

// --h-max as h_max
std::string member_name(std::string_view name) {
    if (!name.starts_with("--")) return std::string(name);
    std::string result(name.substr(2));
    std::ranges::replace(result, '-', '_');
    return result;
}

// As the user would write it: h_max with a value, or --h-max.
std::string shown_name(std::string_view field, bool is_command_line) {
    if (!is_command_line) return std::string(field);
    std::string result = "--" + std::string(field);
    std::ranges::replace(result, '_', '-');
    return result;
}

[[noreturn]] void fail_unknown_option(std::string_view name) {
    const bool is_command_line = name.starts_with("--");
    std::vector<std::string> known;
    visit_option_members([&](const OptionField& field, auto, auto) {
        if (field.is_text) known.push_back(shown_name(field.name, is_command_line));
    });
    const auto near = nearest(name, known);
    throw InvalidInput(fmt::format("there is no option {}{} 'vessiot help solve' lists them.", name,
                                   near ? fmt::format("; did you mean {}?", *near) : "."));
}

void check_word(std::string_view name, const OptionField& field, std::string_view word) {
    const std::span<const std::string_view> words = field.words();
    if (!words.empty() && std::ranges::find(words, word) == words.end())
        throw InvalidInput(unknown_word_text(name, words, word));
}

// A double in decimal notation, and nothing else.
bool read_plain(std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

// The text of a list, without its brackets, cut at the commas outside of brackets.
std::vector<std::string_view> list_items(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    return split_at_commas(text);
}

// x[3]' = 0.5
std::pair<std::string, double> parse_start(std::string_view name, bool is_parameter, std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view target = trimmed(text.substr(0, equals));
    const std::string_view value = equals == std::string_view::npos ? "" : trimmed(text.substr(equals + 1));
    if (target.empty() || value.empty()) {
        throw InvalidInput(fmt::format("{} gives {}, but '{}' has no {}", name,
                                       is_parameter ? "a parameter the value to begin with, as in \"mu=1\""
                                                    : "an unknown its start value, as in \"x[3]'=0.5\"",
                                       text,
                                       equals == std::string_view::npos ? "'='"
                                       : target.empty()                 ? "name"
                                                                        : "value"));
    }
    std::string compact(target);
    std::erase_if(compact, [](char c) { return c == ' ' || c == '\t'; });
    return {compact, parse_number(fmt::format("{} {}", name, target), value)};
}

// One for each type of a member; the last argument is its new value as text.
struct Reader {
    std::string_view name; // as the user called it
    std::string_view text;

    void operator()(const OptionField& field, std::optional<std::string>& member) const {
        check_word(name, field, text);
        if (text.empty()) throw InvalidInput(fmt::format("{} needs a name", name));
        member = text;
    }
    template <class E> void operator()(const OptionField& field, Chosen<E>& member) const {
        check_word(name, field, text);
        member = text;
    }
    void operator()(const OptionField&, std::optional<double>& member) const { member = parse_number(name, text); }
    void operator()(const OptionField&, std::optional<std::int64_t>& member) const {
        const double value = parse_number(name, text);
        if (value != std::floor(value) || std::abs(value) > 1e18) {
            throw InvalidInput(fmt::format("{} must be a whole number up to 1e18, but found '{}'", name, text));
        }
        member = static_cast<std::int64_t>(value);
    }
    void operator()(const OptionField&, std::vector<double>& member) const {
        member.clear();
        for (const std::string_view item : list_items(text)) member.push_back(parse_number(name, item));
    }
    void operator()(const OptionField& field, std::vector<std::pair<std::string, double>>& member) const {
        member.push_back(parse_start(name, field.name == "homotopy", text));
    }
    void operator()(const OptionField&, std::vector<std::string>& member) const {
        member.clear();
        for (const std::string_view item : list_items(text)) {
            if (item.empty())
                throw InvalidInput(fmt::format("{} needs names with commas between them, but found '{}'", name, text));
            member.emplace_back(item);
        }
    }
    template <class Other> void operator()(const OptionField&, Other&) const {}
};

// One for each type of a member.
struct Checker {
    static void number(const OptionField& field, double value) {
        const bool is_wrong =
            !std::isfinite(value) || value < 0 || (value == 0 && field.range == OptionRange::positive);
        if (std::isfinite(value) && (!is_wrong || field.range == OptionRange::any)) return;
        const std::string_view need = field.range == OptionRange::any        ? "a finite number"
                                      : field.range == OptionRange::positive ? "positive and finite"
                                                                             : "positive and finite, or 0";
        throw InvalidInput(fmt::format("{} = {}, but it must be {} ({} on the command line)", field.name, value, need,
                                       shown_name(field.name, true)));
    }

    void operator()(const OptionField& field, const std::optional<std::string>& value) const {
        if (value) check_word(field.name, field, *value);
    }
    void operator()(const OptionField& field, double value) const { number(field, value); }
    void operator()(const OptionField& field, std::int64_t value) const { number(field, static_cast<double>(value)); }
    void operator()(const OptionField& field, const std::optional<double>& value) const {
        if (value) number(field, *value);
    }
    void operator()(const OptionField& field, const std::optional<std::int64_t>& value) const {
        if (value) number(field, static_cast<double>(*value));
    }
    void operator()(const OptionField& field, const std::vector<double>& values) const {
        for (const double value : values) number(field, value);
    }
    void operator()(const OptionField&, const std::vector<std::pair<std::string, double>>& start) const {
        for (const auto& [name, value] : start)
            if (!std::isfinite(value)) {
                throw InvalidInput(fmt::format("the start value {} = {} is not a finite number", name, value));
            }
    }
    template <class Other> void operator()(const OptionField&, const Other&) const {}
};

void check_order(const Settings& o) {
    if (o.order == 0) return;
    const method::MethodInfo& info = o.method ? *o.method : choose_method(o);
    if (info.least_order == 0)
        throw InvalidInput(fmt::format(
            "order = {} chooses the order of the method taylor, but the method is {}{}: leave "
            "one of them out, or use --method taylor",
            o.order, name_or_auto(o.method), o.method ? fmt::format(", which has order {}", info.order) : ""));
    if (o.order < info.least_order || o.order > info.order)
        throw InvalidInput(fmt::format("order = {}, but the method {} has the orders {} to {}", o.order, info.name,
                                       info.least_order, info.order));
}

void check_forcing(const Settings& o) {
    if (o.forcing.empty()) return;
    if (o.forcing.size() == 2 && o.forcing[0] < 1 && o.forcing[1] <= 1) return;
    throw InvalidInput(fmt::format("forcing = {}, but it must be two numbers: eps_0 below 1, to which the first linear "
                                   "system is solved, and the factor by which that falls, at most 1, as in 0.5,0.8",
                                   fmt::join(o.forcing, ",")));
}

void check_contradictions(const Settings& o) {
    check_order(o);
    check_forcing(o);
    if (o.projection && !o.is_projected() && o.project == Projected::stages) {
        throw InvalidInput("project = stages says what is projected, but projection = none projects nothing: leave "
                           "one of them out");
    }
    if (o.precision == Precision::quad && o.backend == Backend::jit) {
        throw InvalidInput("native code (backend = jit) computes in double, but precision = quad was asked for: "
                           "use backend = auto or interpreter");
    }
    if (o.to_s && !o.is_arclength()) {
        throw InvalidInput(fmt::format("to_s = {} ends a run at an arclength: it needs parametrisation = arclength "
                                       "(--parametrisation arclength), not {}",
                                       *o.to_s, word(o.parametrisation)));
    }
    if (!o.section.empty() && (!o.at.empty() || o.every > 0)) {
        throw InvalidInput(
            fmt::format("section = {} reports the crossings of an event and nothing else, but points were "
                        "asked for with {} too: leave one of them out",
                        o.section, o.at.empty() ? "every" : "at"));
    }
    if (o.h_max > 0 && o.h_min > o.h_max) {
        throw InvalidInput(fmt::format("h_min = {} is larger than h_max = {}", o.h_min, o.h_max));
    }
    if (o.h_max > 0 && o.h_first > o.h_max) {
        throw InvalidInput(fmt::format("h_first = {} is larger than h_max = {}", o.h_first, o.h_max));
    }
}

// Puts one over the other where it is given. What a model has no words for is the caller's alone.
struct Overlay {
    template <class T> void operator()(const std::optional<T>& given, std::optional<T>& option) const {
        if (given) option = given;
    }
    template <class T> void operator()(const std::vector<T>& given, std::vector<T>& option) const {
        if (!given.empty()) option = given;
    }
    template <class T> void operator()(const T& given, T& option) const { option = given; }
};

} // namespace

double parse_number(std::string_view what, std::string_view text) {
    double value = 0;
    text = trimmed(text);
    if (read_plain(text, value)) {
        if (std::isfinite(value)) return value;
        throw InvalidInput(fmt::format("{} needs a finite number, but found '{}'", what, text));
    }
    // A formula: the language reads it, as the value of a parameter.
    const std::string form = "a number or a formula of numbers, such as 2*pi";
    try {
        lang::parse_expression(lang::Source(std::string(what), std::string(text)));
    } catch (const lang::ModelError& e) {
        throw InvalidInput(fmt::format("{} needs {}, but found '{}': {}", what, form, text, e.message()));
    } catch (const InvalidInput&) { // no text at all
        throw InvalidInput(fmt::format("{} needs {}, but found '{}'", what, form, text));
    }
    try {
        const std::string model = fmt::format("parameter value = ({})\nunknown x\nx' = value\n", text);
        value = static_cast<double>(lang::read_model(lang::Source(std::string(what), model)).parameters[0].values[0]);
    } catch (const InvalidInput&) { // a name, or no finite number
        throw InvalidInput(fmt::format("{} needs {}, but '{}' is none", what, form, text));
    }
    if (!std::isfinite(value)) {
        throw InvalidInput(fmt::format("{} needs a finite number, but '{}' is {}", what, text, value));
    }
    return value;
}

void apply_option(SolveOptions& options, std::string_view name, std::string_view text) {
    const std::string wanted = member_name(name);
    const Reader read{name, trimmed(text)};
    bool is_known = false;
    fields(options, [&](const OptionField& field, auto& member) {
        if (!field.is_text || field.name != wanted) return;
        is_known = true;
        read(field, member);
    });
    if (!is_known) fail_unknown_option(name);
}

void check(const SolveOptions& options) {
    fields(options, Checker{});
    check_contradictions(filled(options));
}

void check(const Settings& settings) {
    fields(settings, Checker{});
    check_contradictions(settings);
}

SolveOptions model_options(const System& system) {
    SolveOptions options;
    for (const Option& line : system.options) {
        try {
            if (line.name == "start")
                throw InvalidInput("start values are a statement of their own: write start, not option start");
            apply_option(options, line.name, line.value);
            fields(options, Checker{}); // here, where the line is known
        } catch (const InvalidInput& e) {
            if (line.where.line == 0) throw;
            throw InvalidInput(fmt::format("line {} of {}: {}", line.where.line, system.name, e.what()));
        }
    }
    return options;
}

SolveOptions with_model_options(const System& system, const SolveOptions& given) {
    SolveOptions options = model_options(system);
    visit_option_members([&](const OptionField&, auto member, auto) { Overlay{}(given.*member, options.*member); });
    return options;
}

} // namespace vessiot
