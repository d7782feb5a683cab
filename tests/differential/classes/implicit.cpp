// Systems in which nothing is solved for a derivative: F(t, y, y') = F(t, y*, y*'). F has a derivative by the highest
// derivatives that is regular everywhere, or several roots that a guess tells apart.
#include <string>

#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {

System implicit_system(Choice& choice) {
    System system;
    const int n = choice.integer(1, 3);
    for (int k = 1; k <= n; ++k)
        system.unknowns.push_back({.name = "x" + std::to_string(k),
                                   .solution = smooth_function(choice),
                                   .start_orders = choice.chance(0.8) ? 1 : 2});
    const std::vector<Formula> all = formulas(system);
    for (std::size_t k = 0; k < system.unknowns.size(); ++k) {
        const Unknown& u = system.unknowns[k];
        const Formula top = unknown(u.name, u.start_orders);
        Formula left = top + coupling(choice, all, 0.7, choice.integer(0, 2));
        // monotone in the own derivative, and little of those of the others: one root, and a regular matrix
        switch (choice.below(4)) {
        case 0: left = left + 0.3 * power(top, 3); break;
        case 1: left = left + 0.5 * call("sin", {top}); break;
        case 2: left = left + 0.4 * call("tanh", {unknown(u.name)}) * top; break;
        default: left = left * (number(1.5) + 0.3 * call("cos", {choice.of(all)})); break;
        }
        if (n > 1) {
            const Unknown& other = system.unknowns[(k + 1) % system.unknowns.size()];
            left = left + 0.1 * call("sin", {unknown(other.name, other.start_orders)});
        }
        system.equations.push_back({.left = left});
    }
    system.to = choice.decimal(0.5, 2);
    return system;
}

// y'^2 = …, y'^3 - y' = …, z^2 + z = … : the root is said by a guess, and stays apart from the others.
System roots_system(Choice& choice) {
    System system;
    const Formula t = time();
    // y' between 0.7 and 1.3: far from 0, where the roots of y'^2 meet
    const Formula slope_one = t + 0.3 * call("sin", {t});
    const double sign = choice.chance(0.5) ? 1 : -1;
    system.unknowns.push_back({.name = "y", .solution = sign * slope_one, .start_orders = 1, .is_guessed = true});
    const Formula y = unknown("y"), top = unknown("y", 1);
    Formula left = choice.chance(0.5) ? power(top, 2) : power(top, 3) - 0.3 * top;
    if (choice.chance(0.5)) left = left + 0.3 * call("cos", {y});
    system.equations.push_back({.left = left});
    if (choice.chance(0.6)) {
        system.unknowns.push_back(
            {.name = "z",
             .solution = (choice.chance(0.5) ? 1.0 : -1.0) * (number(1.5) + 0.4 * call("sin", {y})),
             .start_orders = 0,
             .is_guessed = true});
        // NOTE: the solution is written in t alone
        system.unknowns.back().solution = solved(system, system.unknowns.back().solution);
        system.equations.push_back({.left = power(unknown("z"), 2) + 0.2 * y * unknown("z")});
    }
    system.to = choice.decimal(0.5, 2);
    system.index = 1;
    return system;
}

} // namespace vessiot::differential
