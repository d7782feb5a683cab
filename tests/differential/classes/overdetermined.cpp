// More equations than unknowns: a system beside consequences of its own. Total derivatives of its equations, sums and
// multiples of them, in any order.
#include <algorithm>

#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {
namespace {

Formula whole(const Equation& e) {
    return e.moved ? e.left + e.moved : e.left;
}

Equation consequence(Choice& choice, const System& system) {
    const Formula one = whole(choice.of(system.equations)), other = whole(choice.of(system.equations));
    switch (choice.below(4)) {
    case 0: return {.left = one + choice.decimal(-1, 1) * other};
    case 1: return {.left = total_derivative(one) + choice.decimal(-1, 1) * other};
    default: return {.left = total_derivative(one)};
    }
}

} // namespace

System overdetermined_system(Choice& choice) {
    System system = choice.chance(0.3)   ? explicit_system(choice)
                    : choice.chance(0.3) ? implicit_system(choice)
                                         : hessenberg_system(choice, choice.integer(1, 3));
    const int n = choice.integer(1, 3);
    for (int k = 0; k < n; ++k) {
        Equation more = consequence(choice, system);
        if (size(more.left) < 120) system.equations.push_back(std::move(more));
    }
    for (std::size_t k = system.equations.size(); k > 1; --k)
        std::swap(system.equations[k - 1], system.equations[choice.below(k)]);
    system.fit.is_square = false;
    system.fit.has_constraints = true;
    return system;
}

} // namespace vessiot::differential
