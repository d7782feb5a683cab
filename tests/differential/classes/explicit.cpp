// Systems that are solved for their highest derivatives: x^(k) = -f(t, …) + [x^(k) + f](known solution).
#include <string>

#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {

void add_explicit_equations(Choice& choice, System& system, double size) {
    const std::vector<Formula> all = formulas(system);
    for (const Unknown& u : system.unknowns)
        system.equations.push_back(
            {.left = unknown(u.name, u.start_orders), .moved = coupling(choice, all, size, choice.integer(0, 3))});
}

// Of orders 1 to 3, forwards or backwards, from 0 or elsewhere.
System explicit_system(Choice& choice) {
    System system;
    const int n = choice.integer(1, 4);
    for (int k = 1; k <= n; ++k)
        system.unknowns.push_back({.name = "x" + std::to_string(k),
                                   .solution = smooth_function(choice),
                                   .start_orders = choice.chance(0.7) ? 1 : choice.integer(2, 3)});
    add_explicit_equations(choice, system, choice.decimal(0.3, 1.5));
    if (choice.chance(0.3)) system.from = choice.decimal(-1, 1);
    system.to = system.from + choice.decimal(0.5, 3) * (choice.chance(0.25) ? -1 : 1);
    int counter = 0;
    if (choice.chance(0.5)) {
        Equation& e = system.equations[0];
        e.moved = e.moved + coefficient(choice, choice.decimal(-1, 1), counter) * unknown("x1");
    }
    return system;
}

// q_k' = a(t, p), p_k' = b(t, q).
System separable_system(Choice& choice) {
    System system;
    std::vector<Formula> q, p;
    const int n = choice.integer(1, 2);
    for (int k = 1; k <= n; ++k) {
        system.unknowns.push_back({.name = "q" + std::to_string(k), .solution = smooth_function(choice)});
        system.unknowns.push_back({.name = "p" + std::to_string(k), .solution = smooth_function(choice)});
        q.push_back(unknown("q" + std::to_string(k)));
        p.push_back(unknown("p" + std::to_string(k)));
    }
    for (int k = 1; k <= n; ++k) {
        system.equations.push_back(
            {.left = unknown("q" + std::to_string(k), 1),
             .moved = number(-1) * p[static_cast<std::size_t>(k - 1)] + coupling(choice, p, 0.5, 1)});
        system.equations.push_back(
            {.left = unknown("p" + std::to_string(k), 1), .moved = coupling(choice, q, 1, choice.integer(1, 2))});
    }
    system.to = choice.decimal(0.5, 3);
    system.fit.is_separable = true;
    return system;
}

// x' = -K (x - x*) + x*' + slow coupling, K up to 1e5.
System stiff_system(Choice& choice) {
    System system;
    const int n = choice.integer(1, 3);
    for (int k = 1; k <= n; ++k)
        system.unknowns.push_back({.name = "x" + std::to_string(k), .solution = smooth_function(choice)});
    add_explicit_equations(choice, system, 0.5);
    for (std::size_t k = 0; k < system.equations.size(); ++k) {
        const double rate = std::round(std::pow(10.0, choice.between(0, 5)));
        Equation& e = system.equations[k];
        e.moved = e.moved + rate * unknown(system.unknowns[k].name);
    }
    system.to = choice.decimal(0.5, 2);
    return system;
}

} // namespace vessiot::differential
