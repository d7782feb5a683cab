#include "vessiot/solution.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace vessiot {

std::string_view name(Status status) {
    switch (status) {
    case Status::success: return "success";
    case Status::failed: return "failed";
    case Status::interrupted: return "interrupted";
    case Status::stopped: return "stopped";
    }
    return "";
}

std::size_t Solution::column_of(std::string_view name) const {
    const auto it = std::ranges::find(names, name);
    if (it != names.end()) return static_cast<std::size_t>(it - names.begin());
    if (std::ranges::find(output_names, name) != output_names.end()) {
        throw InvalidInput(
            fmt::format("'{}' is an output of the model, not an unknown: column(\"{}\") has its values", name, name));
    }
    const auto near = nearest(name, names);
    throw InvalidInput(
        fmt::format("the solution has no value '{}'{}", name, near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

std::size_t Solution::sensitivity_of(std::string_view variable) const {
    const auto it = std::ranges::find(sensitivity_names, variable);
    if (it != sensitivity_names.end()) return static_cast<std::size_t>(it - sensitivity_names.begin());
    if (sensitivity_names.empty())
        throw InvalidInput(
            fmt::format("the solution has no derivatives: solve with .sensitivity = {{\"{}\"}}", variable));
    const auto near = nearest(variable, sensitivity_names);
    throw InvalidInput(fmt::format("the solution has no derivatives by '{}'{}", variable,
                                   near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

std::vector<double> Solution::sensitivity(std::string_view name, std::string_view variable) const {
    const auto output = std::ranges::find(output_names, name);
    const bool is_output = output != output_names.end();
    const std::size_t n = is_output ? output_names.size() : names.size();
    const std::size_t j = is_output ? static_cast<std::size_t>(output - output_names.begin()) : column_of(name);
    const std::size_t place = sensitivity_of(variable) * n + j, stride = sensitivity_names.size() * n;
    const std::vector<double>& from = is_output ? output_sensitivities : sensitivities;
    std::vector<double> result(t.size());
    for (std::size_t k = 0; k < t.size(); ++k) result[k] = from[k * stride + place];
    return result;
}

StridedView Solution::view(std::string_view name) const {
    const auto output = std::ranges::find(output_names, name);
    if (output != output_names.end()) return outputs().column(static_cast<std::size_t>(output - output_names.begin()));
    return values().column(column_of(name));
}

std::vector<double> Solution::column(std::string_view name) const {
    const StridedView column = view(name);
    return {column.begin(), column.end()};
}

} // namespace vessiot
