#include "control/settings.hpp"

#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot {

namespace {

constexpr std::array<OptionSetting, 4> tuomela_options{{
    {"parametrisation", "arclength"},
    {"projection", "newton"},
    {"project", "stages"},
    {"newton_stop", "printed"},
}};

Estimate estimate_of(const method::MethodInfo& info, Estimate wanted) {
    return info.is_adaptive ? wanted : Estimate::by_doubling;
}

ControlSettings usual(const method::MethodInfo& info, Estimate wanted = Estimate::by_weights) {
    ControlSettings settings;
    settings.estimate = estimate_of(info, wanted);
    settings.controller = controller_options(info, settings.estimate);
    return settings;
}

ControlSettings pi(const method::MethodInfo& info) {
    ControlSettings settings = usual(info);
    settings.controller.beta = usual_beta(settings.controller.exponent);
    return settings;
}

ControlSettings elementary(const method::MethodInfo& info) {
    ControlSettings settings = usual(info);
    settings.controller.beta = 0;
    return settings;
}

ControlSettings doubling(const method::MethodInfo& info) {
    return usual(info, Estimate::by_doubling);
}

// Takes the number if one is given.
void take(std::string_view name, double given, double above, double below, double& value) {
    if (given == 0) return;
    // NOTE: the comparisons are false for NaN.
    if (!(given > above && given < below)) {
        const std::string need = std::isinf(below) ? fmt::format("finite and larger than {}", above)
                                                   : fmt::format("between {} and {}", above, below);
        throw InvalidInput(fmt::format("{} = {}, but it must be {}, or 0 for that of the method", name, given, need));
    }
    value = given;
}

} // namespace

ControlSettings tuomela(const method::MethodInfo& info) {
    ControlSettings settings;
    settings.estimate = estimate_of(info, Estimate::by_projected_points);
    settings.controller = {.safety = 0.9,
                           .factor_min = 0.2,
                           .factor_max = 5,
                           .beta = 0,
                           .exponent = controller_options(info, settings.estimate).exponent};
    settings.has_one_tolerance = true;
    settings.goes_past_end = true;
    settings.options = tuomela_options;
    return settings;
}

Table<ControlKind>& control_table() {
    static Table<ControlKind> table{
        {"pi", "PI control", pi},
        {"elementary", "elementary control", elementary},
        {"doubling", "errors estimated by two steps of half the size", doubling},
        {"tuomela", "the conventions of the tables of Tuomela, Arponen and Normi", tuomela},
    };
    return table;
}

ControlSettings control_settings(const ControlChoice& choice, const method::MethodInfo& info) {
    ControlSettings settings = choice.control ? choice.control->settings(info) : usual(info);
    take("safety", choice.safety, 0, 1, settings.controller.safety);
    take("factor_min", choice.factor_min, 0, 1, settings.controller.factor_min);
    take("factor_max", choice.factor_max, 1, INFINITY, settings.controller.factor_max);
    settings.norm = choice.error_norm;
    return settings;
}

} // namespace vessiot
