#include "solve/options/settings.hpp"

#include <type_traits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "method/taylor/taylor.hpp"
#include "solve/options/options.hpp"

namespace vessiot {

namespace {

// One for each type of what is given and what is used.
struct Taker {
    template <class T> void operator()(const OptionField&, const T& given, T& used) const { used = given; }
    template <class T> void operator()(const OptionField&, const std::optional<T>& given, T& used) const {
        if (given) used = *given;
    }
    template <class E> void operator()(const OptionField&, const Chosen<E>& given, E& used) const {
        if (given) used = given->value();
    }
    void operator()(const OptionField&, const std::optional<std::string>& given,
                    std::optional<std::string>& used) const {
        if (given && *given != automatic_word) used = given;
    }
    void operator()(const OptionField&, const std::optional<std::string>& given,
                    const method::MethodInfo*& used) const {
        if (given) used = *given == automatic_word ? nullptr : &method::find_method(*given);
    }
    void operator()(const OptionField& field, const std::optional<std::string>& given,
                    const ProjectionKind*& used) const {
        if (given) used = find_choice(projection_table(), field.name, *given);
    }
    void operator()(const OptionField& field, const std::optional<std::string>& given,
                    const DistributionKind*& used) const {
        if (given) used = find_choice(distribution_table(), field.name, *given);
    }
    void operator()(const OptionField& field, const std::optional<std::string>& given, const ControlKind*& used) const {
        if (given) used = find_choice(control_table(), field.name, *given);
    }
};

bool is_given(const SolveOptions& options, std::string_view name) {
    bool result = false;
    visit_option_members([&](const OptionField& field, auto given, auto) {
        if (field.name != name) return;
        if constexpr (requires { (options.*given).has_value(); })
            result = (options.*given).has_value();
        else if constexpr (requires { (options.*given).empty(); })
            result = !(options.*given).empty();
    });
    return result;
}

// Below it a step of order 8 is worth more than its twelve stages (docs/decisions/0039-the-choice-of-auto.md).
constexpr double many_digits = 1e-6, too_many_digits = 1e-25; // more than quadruple precision has

} // namespace

Settings filled(const SolveOptions& given) {
    Settings settings;
    visit_option_members(
        [&](const OptionField& field, auto from, auto to) { Taker{}(field, given.*from, settings.*to); });
    return settings;
}

Settings settled(const SolveOptions& given) {
    Settings settings = filled(given);
    const ControlSettings control = control_of(settings, choose_method(settings));
    if (control.has_one_tolerance || !control.options.empty()) {
        SolveOptions all = given;
        for (const OptionSetting& s : control.options)
            if (!is_given(given, s.name)) apply_option(all, s.name, s.text);
        if (control.has_one_tolerance && !given.atol) all.atol = settings.rtol;
        settings = filled(all);
    }
    if (!settings.projection) settings.projection = projection_table().find(choose_method(settings).projection);
    if (settings.project == Projected::automatic && settings.projection->can.has_charts)
        settings.project = Projected::stages;
    if (settings.newton_stop == StopRule::automatic) settings.newton_stop = StopRule::sound;
    return settings;
}

bool wants_high_order(const Settings& settings) {
    const bool is_plain = settings.step == 0 && !settings.control && !settings.is_arclength() &&
                          settings.continuation == Continuation::automatic;
    return is_plain && settings.rtol < many_digits && settings.rtol > too_many_digits;
}

const method::MethodInfo& choose_method(const Settings& settings) {
    const method::MethodInfo& info =
        settings.method ? *settings.method : method::find_method(wants_high_order(settings) ? "dop853" : "dopri54");
    if (info.least_order > 0)
        return method::of_order(info, settings.order > 0 ? static_cast<int>(settings.order)
                                                         : method::taylor_order(settings.rtol));
    return info;
}

ControlSettings control_of(const Settings& s, const method::MethodInfo& method) {
    return control_settings({s.control, s.safety, s.factor_min, s.factor_max, s.error_norm}, method);
}

} // namespace vessiot
