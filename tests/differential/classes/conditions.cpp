// Right sides that are not smooth.
#include "differential/classes/classes.hpp"
#include "differential/functions.hpp"

namespace vessiot::differential {
namespace {

// An unknown that goes through `level` at t = at from below to above, with speeds of about 1 on both sides.
struct Crossing {
    Formula before, after;
};
Crossing crossing(Choice& choice, double level, double at) {
    const Formula distance = time() - number(at);
    return {number(level) + distance * positive_function(choice), number(level) + distance * positive_function(choice)};
}

} // namespace

// y' = if(y < L, y1' - k (y - y1), y2' - m (y - y2)): y1 up to the level, y2 beyond it.
System switching_system(Choice& choice) {
    System system;
    system.to = choice.decimal(1, 2.5);
    const double at = std::round(100 * choice.between(0.2, 0.8) * system.to) / 100, level = choice.decimal(-1, 1);
    const Crossing path = crossing(choice, level, at);
    const Formula y = unknown("y");
    const auto follow = [&](const Formula& known) {
        return total_derivative(known) + choice.decimal(-1, 1) * (known - y);
    };
    system.unknowns.push_back({.name = "y", .solution = choose(time(), "<", number(at), path.before, path.after)});
    system.equations.push_back(
        {.left = unknown("y", 1), .right = choose(y, "<", number(level), follow(path.before), follow(path.after))});
    if (choice.chance(0.5)) {
        system.unknowns.push_back({.name = "w", .solution = smooth_function(choice, 1)});
        system.equations.push_back({.left = unknown("w", 1), .moved = coupling(choice, {y, unknown("w")}, 0.8, 2)});
    }
    system.breaks = {at};
    return system;
}

// The solution is smooth, the right sides have kinks where unknowns cross levels. Jumps occur only in the equation of
// an unknown that the condition does not depend on: else an arbitrarily small error may take another way.
System kinks_system(Choice& choice) {
    System system;
    system.unknowns.push_back({.name = "y", .solution = smooth_function(choice)});
    system.unknowns.push_back({.name = "w", .solution = smooth_function(choice)});
    const Formula y = unknown("y"), w = unknown("w"), level = number(choice.decimal(-0.5, 0.5));
    Formula kink;
    switch (choice.below(4)) {
    case 0: kink = call("abs", {y - level}); break;
    case 1: kink = call("max", {y, level}); break;
    case 2: kink = call("min", {y, choice.decimal(-1, 1) * w}); break;
    default: kink = choose(y, ">", level, 0.8 * (y - level), 0.2 * (level - y)); break;
    }
    system.equations.push_back({.left = unknown("y", 1), .moved = choice.decimal(-1, 1) * kink});
    Formula jump = number(0);
    if (kink->name != "min") {
        if (choice.chance(0.5))
            jump = choose(y, ">", level, call("sin", {w}), number(0.5));
        else if (choice.chance(0.3))
            jump = 0.3 * call("floor", {2 * y});
    }
    system.equations.push_back({.left = unknown("w", 1), .moved = coupling(choice, {y, w}, 0.8, 1) + jump});
    system.to = choice.decimal(0.5, 2.5);
    return system;
}

// Pulses, kinks and stairs of t in the right sides, integrated in the solution.
System clock_system(Choice& choice) {
    System system;
    system.to = choice.decimal(1, 3);
    const Formula t = time();
    const double at = std::round(100 * choice.between(0.1, 0.8) * system.to) / 100;
    const Formula since = call("max", {t - number(at), number(0)});
    Formula integral;
    switch (choice.below(4)) {
    case 0: { // a pulse of height 1 / width
        const double width = std::pow(10.0, -choice.integer(0, 2));
        integral = number(1 / width) * call("min", {since, number(width)});
        break;
    }
    case 1: integral = choice.decimal(0.5, 2) * power(since, choice.integer(1, 3)); break;
    case 2: integral = 0.5 * call("abs", {t - number(at)}) * (t - number(at)); break;
    default: { // floor(k t) integrated: n t - n (n + 1)/(2 k) with n = floor(k t)
        const double k = choice.integer(2, 20);
        const Formula n = call("floor", {k * t});
        integral = n * t - n * (n + number(1)) / number(2 * k);
        break;
    }
    }
    system.unknowns.push_back({.name = "y", .solution = smooth_function(choice, 1) + integral});
    system.equations.push_back({.left = unknown("y", 1), .moved = coupling(choice, {unknown("y")}, 0.5, 1)});
    if (choice.chance(0.4)) {
        system.unknowns.push_back({.name = "z", .solution = smooth_function(choice, 1), .start_orders = 0});
        system.equations.push_back({.left = unknown("z") + 0.3 * call("sin", {unknown("y")})});
        system.fit.has_constraints = true;
    }
    return system;
}

} // namespace vessiot::differential
