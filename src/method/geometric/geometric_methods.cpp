// Methods along rays, group preserving schemes, splitting, and those that Liu's schemes are compared with.
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "method/geometric/group_preserving.hpp"
#include "method/geometric/split_coefficients.hpp"
#include "method/geometric/splitting.hpp"
#include "method/implicit/linearly_implicit.hpp"
#include "method/registry.hpp"

namespace vessiot::method {

namespace {

MethodInfo one_step(std::string_view name, const Family& family, int order, View needs, std::string_view projection,
                    std::string_view cite) {
    return {.name = name,
            .family = &family,
            .n_stages = 1,
            .n_effective_stages = 1,
            .order = order,
            .needs = needs,
            .projection = projection,
            .cite = cite,
            .tableau = {}};
}

// NOTE: energies are not projected unless that is asked for: it would end what makes these methods worth having.
MethodInfo splitting(std::string_view name, const Family& family, int order, std::span<const Quad> parts,
                     std::string_view cite) {
    MethodInfo info = one_step(name, family, order, View::separable, "none", cite);
    info.n_stages = info.n_effective_stages = parts.size();
    info.parts = parts;
    return info;
}

} // namespace

std::span<const MethodInfo> ray_methods() {
    static std::deque<std::string> names; // which never move
    static const std::vector<MethodInfo> list = [] {
        std::vector<MethodInfo> all;
        for (const MethodInfo& method : explicit_methods()) {
            MethodInfo& info = all.emplace_back(method);
            info.name = names.emplace_back("m").append(method.name);
            info.needs = View::constraints;
            info.projection = "ray";
            info.cite = "Liu06";
        }
        return all;
    }();
    return list;
}

std::span<const MethodInfo> geometric_methods() {
    static const std::array list{
        one_step("gps", group_preserving_family, 1, View::any, "none", "Liu01"),
        one_step("mgps", group_preserving_family, 1, View::constraints, "ray", "Liu06"),
        one_step("hgps", hamiltonian_group_family, 1, View::one_constraint, "none", "Liu06"),
        one_step("hmgps", hamiltonian_group_family, 1, View::one_constraint, "gradient-ray", "Liu06"),
        splitting("verlet", kick_first_family, 2, verlet_parts, "HLW06"),
        splitting("forest_ruth", drift_first_family, 4, triple_jump_parts, "FR90"),
        splitting("yoshida4", kick_first_family, 4, triple_jump_parts, "Yos90"),
        splitting("yoshida6", kick_first_family, 6, yoshida6_parts, "Yos90"),
        splitting("yoshida8", kick_first_family, 8, yoshida8_parts, "SU93"),
        one_step("kahan", kahan_family, 2, View::quadratic, "none", "Kah93"),
        one_step("projected_midpoint", projected_midpoint_family, 2, View::any, "simplified", "AP91"),
    };
    return list;
}

} // namespace vessiot::method
