// What a name of the option `control` stands for.
//
//     auto         the method's own settings: PI control below order 8, elementary control from there on
//     pi           PI control
//     elementary   elementary control
//     doubling     as auto, with errors estimated by doubling (method/doubling.hpp)
//     tuomela      the conventions that reproduce the tables of [Tuomela, Arponen, Normi]
//
// Errors are those of the embedded method; by doubling where there is none.
#pragma once

#include <span>
#include <string_view>

#include "control/controller.hpp"
#include "core/table.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"

namespace vessiot {

// An option of a run by its name in a model, and the text that it is set to.
struct OptionSetting {
    std::string_view name, text;
};

// How steps are controlled, and what goes with it.
struct ControlSettings {
    ControllerOptions controller{};
    Estimate estimate = Estimate::by_weights;
    NormKind norm = NormKind::rms;
    bool has_one_tolerance = false;           // atol is rtol, if it is not given
    bool goes_past_end = false;               // the step that crosses the end is not shortened, and not counted
    std::span<const OptionSetting> options{}; // further ones that the name stands for, if they are not given
};

// A name of the option `control`.
struct ControlKind {
    std::string_view name;
    std::string_view help; // half a line
    ControlSettings (*settings)(const method::MethodInfo& info);
};

// In the order of help.
Table<ControlKind>& control_table();

// What is asked for; a number that is 0 is that of the kind.
struct ControlChoice {
    const ControlKind* control = nullptr; // null: the method's own settings
    double safety = 0, factor_min = 0, factor_max = 0;
    NormKind error_norm = NormKind::rms;
};

// The conventions of the tables. For dopri54: stages and steps are projected, e = p5 - p4 of the projected points,
//
//     h_new = h min(factor_max, max(0.2, 0.9 |e|^(-1/5)))       factor_max = 1 after a rejection, else 5
//
// in the norm rms over all coordinates, t among them, with atol = rtol; the point of order 5 goes on. For euler: two
// half steps against one, exponent -1/2, and the point of the two goes on; other methods as the one or the other, with
// their exponent. The curve has unit speed, Newton's projection stops by the printed rule, and a run counts the steps
// that end within the interval.
//
// NOTE: 5 is factor_max of most tables; 4 belongs to the plug flow, 2.5 to the magnetohydrodynamics.
ControlSettings tuomela(const method::MethodInfo& info);

// Throws InvalidInput for numbers out of range.
ControlSettings control_settings(const ControlChoice& choice, const method::MethodInfo& info);

} // namespace vessiot
