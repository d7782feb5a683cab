// Arrays of unknowns, in loops and sums.
#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {
namespace {

Formula mean(const char* array, int n) {
    return sum("j", number(1), number(n), element(array, index("j"))) / number(n);
}

} // namespace

// Neighbours are coupled, all by their mean; perhaps with an algebraic unknown for each, or one for all.
System family_system(Choice& choice) {
    System system;
    const int n = choice.integer(2, 6);
    const Formula i = index("i"), own = element("x", i), next = element("x", i + number(1));
    system.unknowns.push_back({.name = "x", .solution = smooth_family(choice), .size = n});
    const bool has_algebraic = choice.chance(0.5), has_common = choice.chance(0.4);
    std::vector<Formula> seen{own, next};
    Formula last = 0.5 * element("x", number(n));
    if (has_algebraic) {
        system.unknowns.push_back({.name = "z", .solution = smooth_family(choice), .size = n, .start_orders = 0});
        seen.push_back(element("z", i));
        system.equations.push_back(
            {.left = element("z", i) + 0.3 * call("sin", {element("z", i)}) + coupling(choice, {own}, 0.5, 1),
             .loop = n});
    }
    // the one for all keeps the mean: of index 2
    const Formula force = has_common ? unknown("mu") : number(0);
    system.equations.push_back({.left = element("x", i, 1),
                                .moved = coupling(choice, seen, 0.6, choice.integer(1, 3)) + 0.4 * mean("x", n) - force,
                                .loop = n - 1});
    system.equations.push_back({.left = element("x", number(n), 1), .moved = last - force});
    if (has_common) {
        system.unknowns.push_back({.name = "mu", .solution = smooth_function(choice, 1), .start_orders = 0});
        system.equations.push_back({.left = mean("x", n)});
    }
    system.to = choice.decimal(0.5, 2);
    system.index = has_common ? 2 : has_algebraic ? 1 : 0;
    system.fit.has_constraints = has_common || has_algebraic;
    return system;
}

// A lagrangian of two arrays with springs between neighbours, y[i] tied to x[i] or to both neighbours.
System chain_system(Choice& choice) {
    System system;
    const int n = choice.integer(2, 4), n_tied = choice.integer(1, n - 1);
    const Formula i = index("i"), x = element("x", i), y = element("y", i);
    const auto loop = [&](int to, const Formula& term) { return sum("i", number(1), number(to), term); };
    for (const char* name : {"x", "y"})
        system.unknowns.push_back({.name = name, .solution = smooth_family(choice), .size = n, .start_orders = 2});
    system.lagrangian = loop(n, 0.5 * (power(element("x", i, 1), 2) + power(element("y", i, 1), 2))) -
                        choice.decimal(0.2, 2) * loop(n - 1, power(element("x", i + number(1)) - x, 2) + power(y, 2));
    const Formula tie = choice.chance(0.5) ? 0.3 * power(x, 2) : 0.3 * call("sin", {x - element("x", i + number(1))});
    system.constraints.push_back({.left = y + tie, .loop = n_tied});
    for (int k = 0; k < n_tied; ++k) system.multipliers.push_back(smooth_function(choice, 0));
    system.to = choice.decimal(0.5, 1.5);
    system.index = 3;
    system.fit = {.has_constraints = true, .is_mechanical = true};
    return system;
}

} // namespace vessiot::differential
