// Rotations x' = w(t) y, y' = -w(t) x with w = W': x = r cos W, y = -r sin W, and x^2 + y^2 is kept. And systems with
// an invariant that they do not have: a run must not follow it and call that a success.
#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {

System invariant_system(Choice& choice) {
    System system;
    const Formula angle = smooth_function(choice), rate = total_derivative(angle);
    const Formula x = unknown("x"), y = unknown("y");
    const double r = choice.decimal(0.5, 2);
    system.unknowns.push_back({.name = "x", .solution = r * call("cos", {angle})});
    system.unknowns.push_back({.name = "y", .solution = -r * call("sin", {angle})});
    system.equations.push_back({.left = unknown("x", 1), .right = rate * y});
    system.equations.push_back({.left = unknown("y", 1), .right = number(-1) * rate * x});
    system.invariants.push_back(power(x, 2) + power(y, 2));
    if (choice.chance(0.5)) {
        system.unknowns.push_back({.name = "w", .solution = smooth_function(choice, 1)});
        system.equations.push_back({.left = unknown("w", 1), .moved = coupling(choice, {x, y, unknown("w")}, 0.8, 2)});
    }
    system.to = choice.decimal(0.5, 3);
    system.fit.has_constraints = true;
    return system;
}

System false_invariant_system(Choice& choice) {
    System system = explicit_system(choice);
    const std::vector<Formula> all = formulas(system);
    Formula quantity = power(all[0], 2);
    for (std::size_t k = 1; k < all.size(); ++k) quantity = quantity + choice.decimal(0.2, 2) * power(all[k], 2);
    // its rate vanishes at the start, as it may by chance: multiplied by a function with a double zero there
    if (choice.chance(0.5)) quantity = quantity * power(time() - number(system.from), choice.integer(2, 4));
    system.invariants.push_back(quantity);
    system.fit.has_constraints = true;
    return system;
}

} // namespace vessiot::differential
