// Events that set values. The solution has a piece before and one after each; the equations hold for both.
#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {
namespace {

double some_time(Choice& choice, const System& system) {
    return std::round(100 * choice.between(0.2, 0.8) * system.to) / 100;
}

} // namespace

// y rises to a level, where it is moved by c (or an event at a time does so). Others see it, smoothly.
System jump_system(Choice& choice) {
    System system;
    system.to = choice.decimal(1, 2.5);
    const double at = some_time(choice, system), move = choice.decimal(0.2, 1.5);
    const Formula t = time(), y = unknown("y");
    const Formula rising = t + 0.3 * call("sin", {choice.decimal(0.5, 2) * t});
    system.unknowns.push_back({.name = "y", .solution = rising + choose(t, "<", number(at), number(0), number(move))});
    const bool is_timed = choice.chance(0.3);
    Event event{.name = "hit", .left = is_timed ? t : y, .then = {{y, y + number(move)}}, .times = {at}};
    event.level = is_timed ? at : evaluate(rising, {.t = at});
    if (choice.chance(0.5)) event.crossing = "rising";
    system.events.push_back(event);
    std::vector<Formula> seen{y};
    if (choice.chance(0.6)) {
        system.unknowns.push_back({.name = "w", .solution = smooth_function(choice, 1)});
        seen.push_back(unknown("w"));
    }
    // alone it does not see itself, and needs no condition of t
    system.equations.push_back(
        {.left = unknown("y", 1), .moved = choice.chance(0.5) ? number(0) : coupling(choice, seen, 0.5, 1)});
    if (seen.size() > 1)
        system.equations.push_back(
            {.left = unknown("w", 1), .moved = coupling(choice, seen, 0.7, choice.integer(1, 2))});
    if (choice.chance(0.3)) {
        system.unknowns.push_back({.name = "z", .solution = {}, .start_orders = 0});
        // an algebraic unknown that jumps with it
        system.unknowns.back().solution = solved(system, 0.5 * y) + smooth_function(choice, 0);
        system.equations.push_back({.left = unknown("z") - 0.5 * y});
        system.fit.has_constraints = true;
    }
    system.breaks = {at};
    return system;
}

// h falls to 0, and goes up again with c times the speed: h1 = (T - t) p, h2 = c p(T) (t - T) q with q(T) = 1.
System bounce_system(Choice& choice) {
    System system;
    system.to = choice.decimal(1, 2.5);
    const double at = some_time(choice, system), back = choice.decimal(0.3, 1);
    const Formula t = time(), h = unknown("h"), speed = unknown("h", 1);
    const Formula falling = (number(at) - t) * positive_function(choice);
    const double hit = evaluate(total_derivative(falling), {.t = at}); // < 0
    const Formula rising = number(-back * hit) * (t - number(at)) * (number(1) + 0.2 * call("sin", {t - number(at)}));
    system.unknowns.push_back(
        {.name = "h", .solution = choose(t, "<", number(at), falling, rising), .start_orders = 2});
    const bool has_friction = choice.chance(0.5);
    system.equations.push_back(
        {.left = unknown("h", 2), .moved = has_friction ? choice.decimal(0.1, 1) * speed + 0.5 * h : number(0)});
    system.events.push_back({.name = "impact",
                             .left = h,
                             .crossing = choice.chance(0.7) ? "falling" : "",
                             .then = {{speed, -back * speed}},
                             .times = {at}});
    if (choice.chance(0.5)) {
        system.unknowns.push_back({.name = "w", .solution = smooth_function(choice, 1)});
        system.equations.push_back({.left = unknown("w", 1), .moved = coupling(choice, {h, unknown("w")}, 0.7, 2)});
    }
    system.breaks = {at};
    return system;
}

} // namespace vessiot::differential
