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
    static const std::vector<Known> list{};
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
