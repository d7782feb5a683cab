// Discrete quantities: constant between the events that set them.
#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {

// y' = if(mode < 0.5, y1' - k (y - y1), y2' - m (y - y2)); mode becomes 1 where y reaches the level in which both meet.
System mode_system(Choice& choice) {
    System system;
    system.to = choice.decimal(1, 2.5);
    const double at = std::round(100 * choice.between(0.2, 0.8) * system.to) / 100, level = choice.decimal(-1, 1);
    const Formula t = time(), y = unknown("y"), mode = unknown("mode");
    const Formula before = number(level) + (t - number(at)) * positive_function(choice);
    const double turn = choice.chance(0.5) ? 1 : -1; // it goes on, or back: it does not stay near the level
    const Formula after = number(level) + turn * (t - number(at)) * positive_function(choice);
    const auto follow = [&](const Formula& known) {
        return total_derivative(known) + choice.decimal(-1, 1) * (known - y);
    };
    system.unknowns.push_back({.name = "y", .solution = choose(t, "<", number(at), before, after)});
    system.unknowns.push_back(
        {.name = "mode", .solution = choose(t, "<", number(at), number(0), number(1)), .is_discrete = true});
    system.equations.push_back(
        {.left = unknown("y", 1), .right = choose(mode, "<", number(0.5), follow(before), follow(after))});
    system.events.push_back(
        {.name = "hit", .left = y, .level = level, .crossing = "rising", .then = {{mode, number(1)}}, .times = {at}});
    if (choice.chance(0.5)) {
        system.unknowns.push_back({.name = "w", .solution = smooth_function(choice, 1)});
        system.equations.push_back({.left = unknown("w", 1), .moved = coupling(choice, {y, unknown("w")}, 0.8, 2)});
    }
    system.breaks = {at};
    return system;
}

// y' = u, u = -k y set every d: with n = floor(t/d) and r = 1 - k d, y = r^n (1 - k (t - n d)) and u = -k r^n.
System sampled_system(Choice& choice) {
    System system;
    const double every = choice.of(std::vector<double>{0.125, 0.25, 0.5}), rate = choice.decimal(0.2, 1.5);
    system.to = every * (choice.integer(2, 8) + 0.5);
    const Formula t = time(), n = call("floor", {(1 / every) * t});
    const Formula decayed = call("exp", {std::log(1 - rate * every) * n});
    system.unknowns.push_back({.name = "y", .solution = decayed * (number(1) - rate * (t - every * n))});
    system.unknowns.push_back({.name = "u", .solution = -rate * decayed, .is_discrete = true});
    system.equations.push_back({.left = unknown("y", 1), .right = unknown("u")});
    Event tick{.name = "tick", .every = every, .then = {{unknown("u"), -rate * unknown("y")}}};
    for (double at = 0; at < system.to; at += every) {
        tick.times.push_back(at);
        system.breaks.push_back(at);
    }
    system.events.push_back(tick);
    if (choice.chance(0.5)) {
        system.unknowns.push_back({.name = "w", .solution = smooth_function(choice, 1)});
        system.equations.push_back(
            {.left = unknown("w", 1), .moved = coupling(choice, {unknown("y"), unknown("w")}, 0.8, 1)});
    }
    return system;
}

} // namespace vessiot::differential
