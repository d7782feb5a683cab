#include "differential/known.hpp"

#include <algorithm>

namespace vessiot::differential {
namespace {

bool has(const RunOptions& run, std::string_view name, std::string_view value) {
    const std::string* const given = run.find(std::string(name));
    if (!given) return false;
    return value.ends_with('*') ? given->starts_with(value.substr(0, value.size() - 1)) : *given == value;
}

} // namespace

const std::vector<Known>& known_problems() {
    static const std::vector<Known> list{
        {"clock", {}, {}, "conditions of t are stepped over"},
        {"kinks", {}, {}, "conditions of unknowns are not located"},
        {"switching", {}, {}, "conditions of unknowns are not located"},
        {"jump", {}, {}, "conditions of t are stepped over"},
        {"bounce", {}, {}, "conditions of t are stepped over; events of methods with dense output of low order"},
        {"false_invariant", {}, {}, "an invariant whose rate vanishes at the start is believed"},
        {"overdetermined", {}, {}, "some consequences beside their equations end the process"},
        {"", {{"method", "feagin108"}}, {}, "its estimate of the error vanishes for quadratures"},
        {"", {{"method", "mfeagin108"}}, {}, "its estimate of the error vanishes for quadratures"},
        {"stiff",
         {{"method", "radau_i*"}},
         {"error"},
         "not A-stable: doubling is blind where R(z/2)^2 = R(z), z = -21"},
        {"", {}, {"between"}, "implicit methods: the polynomial between steps is less accurate than their ends"},
    };
    return list;
}

const Known* known_problem(const System& system, const RunOptions& run, const Outcome& outcome) {
    for (const Known& known : known_problems()) {
        const bool is_all =
            std::ranges::all_of(known.options, [&](const auto& o) { return has(run, o.first, o.second); });
        const bool is_kind =
            known.reasons.empty() || std::ranges::find(known.reasons, outcome.reason) != known.reasons.end();
        if (is_all && is_kind && (known.class_name.empty() || known.class_name == system.class_name)) return &known;
    }
    return nullptr;
}

} // namespace vessiot::differential
