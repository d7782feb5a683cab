// Linear multistep methods by name: Adams and Bashforth, Adams and Moulton, and BDF.
#include <deque>
#include <string>
#include <vector>

#include "method/multistep/direct_multistep.hpp"
#include "method/multistep/multistep.hpp"
#include "method/multistep/multistep_entries.hpp"

namespace vessiot::method {

namespace {

// They never move, nor do the entries that point to them.
std::span<const Quad> kept_parts(MultistepFormula (*make)(int), int k) {
    static std::deque<std::vector<Quad>> all;
    return all.emplace_back(parts_of_formula(make(k)));
}

} // namespace

bool is_multistep(const MethodInfo& info) {
    return info.family == &explicit_multistep_family || info.family == &implicit_multistep_family ||
           info.family == &direct_multistep_family;
}

std::vector<Quad> parts_of_formula(const MultistepFormula& formula) {
    std::vector<Quad> parts = formula.alpha;
    parts.insert(parts.end(), formula.beta.begin(), formula.beta.end());
    return parts;
}

MethodInfo multistep_entry(std::string_view name, std::span<const Quad> parts, int order, bool is_direct,
                           std::string_view cite) {
    MethodInfo info{.name = name,
                    .family = is_direct           ? &direct_multistep_family
                              : parts.back() == 0 ? &explicit_multistep_family
                                                  : &implicit_multistep_family,
                    .n_stages = 1,
                    .n_effective_stages = 1,
                    .order = order,
                    .embedded_order = order, // that of the polynomial through the past points
                    .dense_order = order,
                    .is_adaptive = true,
                    .cite = cite,
                    .tableau = {},
                    .parts = parts};
    if (!is_direct) return info;
    info.needs = View::square;
    info.projection = "none";
    info.max_index = root_condition(beta_of(info)).holds_strictly ? 3 : 1;
    return info;
}

MethodInfo direct_bdf(std::string_view name, int order) {
    return multistep_entry(name, kept_parts(bdf_formula, order), order, true, "HW96");
}

std::span<const MethodInfo> multistep_methods() {
    static const std::vector<MethodInfo> list = [] {
        static std::deque<std::string> names;
        std::vector<MethodInfo> all;
        const auto add = [&](const char* name, MultistepFormula (*make)(int), int k, int order) {
            names.push_back(name + std::to_string(order));
            const char* cite = make == bdf_formula ? "HW96" : "HNW93";
            all.push_back(multistep_entry(names.back(), kept_parts(make, k), order, false, cite));
        };
        for (int k = 2; k <= 6; ++k) add("ab", adams_bashforth_formula, k, k);
        for (int k = 2; k <= 5; ++k) add("am", adams_moulton_formula, k, k + 1);
        for (int k = 2; k <= 6; ++k) add("gear", bdf_formula, k, k);
        return all;
    }();
    return list;
}

} // namespace vessiot::method
