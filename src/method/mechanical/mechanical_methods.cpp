#include <algorithm>
#include <array>

#include "method/geometric/compositions.hpp"
#include "method/registry.hpp"

namespace vessiot::method {

namespace {

MethodInfo mechanical(std::string_view name, Family family, int order, std::size_t n_stages, std::string_view cite) {
    return {.name = name,
            .family = family,
            .n_stages = n_stages,
            .n_effective_stages = n_stages,
            .order = order,
            .dense_order = std::min(order, 3),
            .needs = View::mechanical,
            .cite = cite,
            .tableau = {}};
}

MethodInfo rattle(std::string_view name, int order, std::span<const float128> parts, std::string_view cite) {
    MethodInfo info = mechanical(name, Family::rattle, order, parts.size(), cite);
    info.parts = parts;
    return info;
}

// Its velocities are off the hidden constraint: with a projection they are those of RATTLE.
MethodInfo shake() {
    MethodInfo info = mechanical("shake", Family::shake, 2, 1, "RCB77");
    info.projection = "none";
    return info;
}

} // namespace

std::span<const MethodInfo> mechanical_methods() {
    static const std::array list{
        mechanical("symplectic_euler", Family::symplectic_euler, 1, 1, "Hai11"),
        mechanical("constrained_euler", Family::implicit_mechanical, 1, 1, "Hai11"),
        shake(),
        rattle("rattle", 2, rattle_parts, "And83"),
        rattle("rattle4", 4, rattle4_parts, "Suz90"),
        rattle("rattle6", 6, rattle6_parts, "KL97"),
        rattle("rattle8", 8, rattle8_parts, "KL97"),
        mechanical("lobatto3ab", Family::lobatto_pair, 4, 3, "Jay96"),
    };
    return list;
}

} // namespace vessiot::method
