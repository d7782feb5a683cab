#include <type_traits>

#include <fmt/format.h>

#include "bind.hpp"
#include "solve/options/options.hpp"

namespace vessiot::python {

namespace {

bool is_sequence(nb::handle value) {
    return PyUnicode_Check(value.ptr()) == 0 && PySequence_Check(value.ptr()) == 1;
}

// Options that are no text on the command line.
template <class T> void set_member(T& member, nb::handle value) {
    if constexpr (std::is_same_v<T, std::vector<std::shared_ptr<PointStream>>>)
        member = to_streams(value);
    else if constexpr (std::is_same_v<T, std::string>)
        member = nb::cast<std::string>(nb::str(value));
    else if constexpr (std::is_arithmetic_v<T>)
        member = nb::cast<T>(value);
}

bool set_untexted(SolveOptions& options, std::string_view name, nb::handle value) {
    bool is_found = false;
    fields(options, [&](const OptionField& field, auto& member) {
        if (field.is_text || field.name != name) return;
        is_found = true;
        try {
            set_member(member, value);
        } catch (const nb::cast_error&) {
            throw InvalidInput(fmt::format("{} cannot be {}", name, nb::cast<std::string>(nb::repr(value))));
        }
    });
    return is_found;
}

} // namespace

std::string option_value_text(nb::handle value) {
    if (PyBool_Check(value.ptr())) return value.is(nb::handle(Py_True)) ? "on" : "off";
    if (PyFloat_Check(value.ptr())) return fmt::format("{}", PyFloat_AsDouble(value.ptr()));
    if (is_sequence(value)) {
        std::string text = "[";
        for (const nb::handle item : value) text += (text.size() > 1 ? ", " : "") + option_value_text(item);
        return text + "]";
    }
    return nb::cast<std::string>(nb::str(value));
}

std::vector<std::shared_ptr<PointStream>> to_streams(nb::handle paths) {
    std::vector<std::shared_ptr<PointStream>> streams;
    const auto add = [&](nb::handle path) {
        const std::string name = nb::cast<std::string>(nb::str(path));
        if (name.ends_with(".csv"))
            streams.push_back(csv_stream(name));
        else if (name.ends_with(".h5"))
            streams.push_back(hdf5_stream(name));
        else
            throw InvalidInput(fmt::format("streams writes .csv and .h5 files, but found '{}'", name));
    };
    if (is_sequence(paths))
        for (const nb::handle path : paths) add(path);
    else
        add(paths);
    return streams;
}

SolveOptions to_options(const nb::dict& given) {
    SolveOptions options;
    for (const auto& [key, value] : given) {
        if (value.is_none()) continue;
        const std::string name = nb::cast<std::string>(key);
        if (set_untexted(options, name, value)) continue;
        if (PyDict_Check(value.ptr())) { // start = {"x": 1}
            for (const auto& [item, number] : nb::cast<nb::dict>(value))
                apply_option(options, name,
                             fmt::format("{}={}", nb::cast<std::string>(nb::str(item)), option_value_text(number)));
            continue;
        }
        apply_option(options, name, option_value_text(value));
    }
    check(options);
    return options;
}

} // namespace vessiot::python
