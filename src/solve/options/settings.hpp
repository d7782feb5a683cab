// The options of a run with nothing left open: what the caller and the model gave, else the defaults. Names are looked
// up: what is a pointer here stands in its table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "control/settings.hpp"
#include "core/text.hpp"
#include "distribution/kind.hpp"
#include "method/registry.hpp"
#include "projection/kind.hpp"
#include "solve/options/choice.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

struct Settings {
    const method::MethodInfo* method = nullptr; // null: auto
    double rtol = 1e-6, atol = 1e-9, step = 0;
    std::optional<double> from{}, to{}, to_s{};
    std::vector<double> at{};
    double every = 0;
    std::string section{};
    std::vector<std::pair<std::string, double>> start{}, guess{}, homotopy{};
    std::vector<std::string> sensitivity{};
    OnOff sensitivity_control = OnOff::on;
    const ProjectionKind* projection = nullptr; // null: auto, until it is settled
    Projected project = Projected::automatic;
    const DistributionKind* distribution = nullptr; // null: auto
    Parametrisation parametrisation = Parametrisation::automatic;
    Formulation formulation = Formulation::automatic;
    BrokenInvariants invariants = BrokenInvariants::check;
    Switchings conditions = Switchings::locate;
    Precision precision = Precision::double_;
    Backend backend = Backend::automatic;
    Continuation continuation = Continuation::automatic;
    OnOff init = OnOff::on;
    NewtonStart newton_start = NewtonStart::a;
    StopRule newton_stop = StopRule::automatic;
    double newton_tol = 0;
    std::vector<double> forcing{};          // eps_0 and its decay
    std::optional<std::string> partition{}; // not there: auto
    Fallback fallback = Fallback::orthogonal;
    const ControlKind* control = nullptr; // null: auto
    double safety = 0, factor_min = 0, factor_max = 0;
    NormKind error_norm = NormKind::rms;
    double h_first = 0, h_min = 0, h_max = 0;
    std::int64_t order = 0, max_order = 0;
    std::int64_t max_steps = 10'000'000, max_events = 1'000'000;
    bool dense = true, throw_on_failure = true;
    std::int64_t dense_limit = 0;
    std::vector<std::shared_ptr<PointStream>> streams{};
    std::int64_t keep = 0;
    std::string checkpoint{}, resume{};
    double checkpoint_every = 10;
    std::optional<std::int64_t> checkpoint_steps{}; // not there: as the checkpoint has it, else 1000
    std::function<bool(const Progress&)> progress{};
    Observer<StepView> on_step{};
    Observer<EventView> on_event{};
    std::stop_token stop{};

    std::int64_t steps_between_seams() const { return checkpoint_steps.value_or(1000); }
    bool is_arclength() const { return parametrisation == Parametrisation::arclength; }
    bool is_projected() const { return projection && projection->can.projects; }
};

// What is given, and the defaults. Throws InvalidInput for a name that no table has.
Settings filled(const SolveOptions& given);
// The same, and what the name of the control stands for where that is not given, and the projection of the method.
Settings settled(const SolveOptions& given);

// The method that is asked for; of `auto` the one that a run begins with.
const method::MethodInfo& choose_method(const Settings& settings);
// Does `auto` take methods of high order: dop853 and radau9, not dopri54 and radau5?
bool wants_high_order(const Settings& settings);
// How it controls its steps.
ControlSettings control_of(const Settings& settings, const method::MethodInfo& method);

// The entry of that name, a value of this option; null for `auto`. Throws InvalidInput where there is none.
template <class Entry>
const Entry* find_choice(const Table<Entry>& table, std::string_view option, const std::string& name) {
    if (name == automatic_word) return nullptr;
    const Entry* found = table.find(name);
    if (!found) throw InvalidInput(unknown_word_text(option, table.words(), name));
    return found;
}

// "dopri54", "auto"
template <class Entry> std::string_view name_or_auto(const Entry* entry) {
    return entry ? entry->name : "auto";
}

} // namespace vessiot
