// Entries of the registry from formulas, and formulas from entries: `parts` of theirs are alpha, then beta.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "method/multistep/formula.hpp"
#include "method/registry.hpp"

namespace vessiot::method {

// Linear multistep methods by name, on the manifold.
std::span<const MethodInfo> multistep_methods();
// BDF of order 1 to 6 on the equations as they stand.
MethodInfo direct_bdf(std::string_view name, int order);

// Does it go on from several points, not from one?
bool is_multistep(const MethodInfo& info);

inline std::span<const Quad> alpha_of(const MethodInfo& info) {
    return info.parts.first(info.parts.size() / 2);
}
inline std::span<const Quad> beta_of(const MethodInfo& info) {
    return info.parts.last(info.parts.size() / 2);
}
inline MultistepFormula formula_of(const MethodInfo& info) {
    return {{alpha_of(info).begin(), alpha_of(info).end()}, {beta_of(info).begin(), beta_of(info).end()}};
}

// alpha, then beta, which an entry points to.
std::vector<Quad> parts_of_formula(const MultistepFormula& formula);
// They must outlive the entry. `is_direct`: on the equations as they stand.
MethodInfo multistep_entry(std::string_view name, std::span<const Quad> parts, int order, bool is_direct,
                           std::string_view cite);

} // namespace vessiot::method
