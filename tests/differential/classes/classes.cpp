#include "differential/classes/classes.hpp"

#include <algorithm>
#include <array>

namespace vessiot::differential {
namespace {

template <int index> System hessenberg(Choice& choice) {
    return hessenberg_system(choice, index);
}

System attempt(const ClassInfo& info, std::uint64_t seed, std::uint64_t number) {
    Choice choice(seed + 0x51ed2701u * number);
    System system = info.make(choice);
    system.class_name = info.name;
    system.seed = seed;
    return system;
}

} // namespace

std::span<const ClassInfo> classes() {
    static constexpr std::array list{
        ClassInfo{"explicit", explicit_system, "solved for the highest derivatives"},
        ClassInfo{"separable", separable_system, "q' of p, p' of q"},
        ClassInfo{"stiff", stiff_system, "with rates of decay up to 1e5"},
        ClassInfo{"implicit", implicit_system, "not solved for the derivatives, which are unique"},
        ClassInfo{"roots", roots_system, "derivatives or algebraic unknowns with several roots, and guesses"},
        ClassInfo{"index1", hessenberg<1>, "with algebraic unknowns"},
        ClassInfo{"index2", hessenberg<2>, "of index 2 in Hessenberg form"},
        ClassInfo{"index3", hessenberg<3>, "of index 3"},
        ClassInfo{"index4", hessenberg<4>, "of index 4"},
        ClassInfo{"overdetermined", overdetermined_system, "beside their own consequences"},
        ClassInfo{"mechanical", mechanical_system, "a lagrangian with moving constraints and forces"},
        ClassInfo{"pendulum", pendulum_system, "a lagrangian with points on circles and spheres"},
        ClassInfo{"family", family_system, "arrays, loops and sums, with algebraic families"},
        ClassInfo{"chain", chain_system, "a lagrangian of arrays with families of constraints"},
        ClassInfo{"invariant", invariant_system, "rotations with their invariants"},
        ClassInfo{"false_invariant", false_invariant_system, "invariants that are none", true},
        ClassInfo{"switching", switching_system, "another right side beyond a level"},
        ClassInfo{"kinks", kinks_system, "abs, min, max and conditions of unknowns"},
        ClassInfo{"clock", clock_system, "conditions of t: pulses, kinks, stairs"},
        ClassInfo{"jump", jump_system, "events that move an unknown"},
        ClassInfo{"mode", mode_system, "a discrete quantity that an event sets chooses the right side"},
        ClassInfo{"sampled", sampled_system, "a control that is set at equal intervals"},
        ClassInfo{"bounce", bounce_system, "events that turn a speed"},
    };
    return list;
}

const ClassInfo* find_class(std::string_view name) {
    const auto found = std::ranges::find(classes(), name, &ClassInfo::name);
    return found == classes().end() ? nullptr : &*found;
}

System make_system(const ClassInfo& info, std::uint64_t seed) {
    System system = attempt(info, seed, 0);
    for (std::uint64_t n = 1; n < 100 && !complaint(system).empty(); ++n) system = attempt(info, seed, n);
    return system;
}

std::vector<Formula> formulas(const System& system) {
    std::vector<Formula> result;
    for (const Unknown& u : system.unknowns)
        for (int order = 0; order < std::max(1, u.start_orders); ++order) result.push_back(unknown(u.name, order));
    return result;
}

} // namespace vessiot::differential
