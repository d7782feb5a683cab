// Lagrangians. Motion and multipliers are chosen; forces make them satisfy d/dt L_q' - L_q + G^T lambda = force
// (system.cpp).
#include <string>

#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {
namespace {

Formula kinetic(Choice& choice, const std::vector<Formula>& q) {
    Formula result = number(0);
    for (const Formula& one : q) result = result + choice.decimal(0.5, 2) / 2 * power(unknown(one->name, 1), 2);
    if (q.size() > 1 && choice.chance(0.4)) {
        const double small = 0.2; // beside masses of 0.5 and more: the mass matrix stays positive
        result = result + small * call("cos", {q[0] - q[1]}) * unknown(q[0]->name, 1) * unknown(q[1]->name, 1);
    }
    return result;
}

} // namespace

// Constraints q_k + g(other positions) = its value along the motion.
System mechanical_system(Choice& choice) {
    System system;
    std::vector<Formula> q;
    const int n = choice.integer(1, 4), n_constraints = choice.integer(0, n - 1);
    for (int k = 1; k <= n; ++k) {
        system.unknowns.push_back(
            {.name = "q" + std::to_string(k), .solution = smooth_function(choice, 1), .start_orders = 2});
        q.push_back(unknown("q" + std::to_string(k)));
    }
    system.lagrangian = kinetic(choice, q) - coupling(choice, q, 0.8, choice.integer(1, 2));
    const std::vector<Formula> rest(q.begin() + n_constraints, q.end());
    for (int k = 0; k < n_constraints; ++k) {
        Formula left = q[static_cast<std::size_t>(k)] + coupling(choice, rest, 0.5, 1);
        if (choice.chance(0.3)) left = left + 0.1 * power(q[static_cast<std::size_t>(k)], 3);
        system.constraints.push_back({.left = left});
        system.multipliers.push_back(smooth_function(choice, 1));
    }
    system.to = choice.decimal(0.5, 2);
    system.index = n_constraints > 0 ? 3 : 0;
    system.fit = {.has_constraints = n_constraints > 0, .is_mechanical = true};
    return system;
}

// Points at constant distance from the origin or from each other, in the plane.
System pendulum_system(Choice& choice) {
    System system;
    const int n = choice.integer(1, 2);
    std::vector<Formula> q;
    Formula from_x = number(0), from_y = number(0), at_x = number(0), at_y = number(0);
    for (int k = 1; k <= n; ++k) {
        const std::string number_of = std::to_string(k);
        const double length = choice.decimal(0.5, 1.5);
        const Formula angle = smooth_function(choice, 0);
        at_x = at_x + length * call("cos", {angle});
        at_y = at_y + length * call("sin", {angle});
        system.unknowns.push_back({.name = "x" + number_of, .solution = at_x, .start_orders = 2});
        system.unknowns.push_back({.name = "y" + number_of, .solution = at_y, .start_orders = 2});
        const Formula x = unknown("x" + number_of), y = unknown("y" + number_of);
        // NOTE: the square as a number that is written shortly; cos^2 + sin^2 = 1 is known to people only
        const double square = std::round(100 * length * length) / 100;
        system.constraints.push_back({.left = power(x - from_x, 2) + power(y - from_y, 2), .right = number(square)});
        system.multipliers.push_back(smooth_function(choice, 1));
        q.push_back(x);
        q.push_back(y);
        from_x = x;
        from_y = y;
    }
    system.lagrangian = kinetic(choice, q) - 9.81 * q[1];
    system.to = choice.decimal(0.5, 1.5);
    system.index = 3;
    system.fit = {.has_constraints = true, .is_mechanical = true};
    return system;
}

} // namespace vessiot::differential
