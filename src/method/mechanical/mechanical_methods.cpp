#include <algorithm>
#include <array>

#include "method/geometric/compositions.hpp"
#include "method/mechanical/constrained_euler.hpp"
#include "method/mechanical/lobatto3ab.hpp"
#include "method/mechanical/rattle.hpp"
#include "method/registry.hpp"

namespace vessiot::method {

namespace {

MethodInfo mechanical(std::string_view name, const Family& family, int order, std::size_t n_stages,
                      std::string_view cite) {
    return {.name = name,
            .family = &family,
            .n_stages = n_stages,
            .n_effective_stages = n_stages,
            .order = order,
            .dense_order = std::min(order, 3),
            .needs = View::mechanical,
            .cite = cite,
            .tableau = {}};
}

MethodInfo rattle(std::string_view name, int order, std::span<const Quad> parts, std::string_view cite) {
    MethodInfo info = mechanical(name, rattle_family, order, parts.size(), cite);
    info.parts = parts;
    return info;
}

// Its velocities are off the hidden constraint: with a projection they are those of RATTLE.
MethodInfo shake() {
    MethodInfo info = mechanical("shake", shake_family, 2, 1, "RCB77");
    info.projection = "none";
    return info;
}

} // namespace

std::span<const MethodInfo> mechanical_methods() {
    static const std::array list{
        mechanical("symplectic_euler", symplectic_euler_family, 1, 1, "Hai11"),
        mechanical("constrained_euler", constrained_euler_family, 1, 1, "Hai11"),
        shake(),
        rattle("rattle", 2, rattle_parts, "And83"),
        rattle("rattle4", 4, rattle4_parts, "Suz90"),
        rattle("rattle6", 6, rattle6_parts, "KL97"),
        rattle("rattle8", 8, rattle8_parts, "KL97"),
        mechanical("lobatto3ab", lobatto3ab_family, 4, 3, "Jay96"),
    };
    return list;
}

} // namespace vessiot::method
