// Is what was made, or shrunk, what it says? Only numbers tell: mistakes in this program, and candidates that shrinking
// made from nothing, are found here and are no findings.
#include "differential/system.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace vessiot::differential {
namespace {

constexpr int n_samples = 41;

double sample(const System& system, int k, int n) {
    return system.from + (system.to - system.from) * (k + 0.37) / n;
}

std::string complaint_of_solution(const System& system) {
    for (const Node& node : positions(system)) {
        for (int order = 0; order <= 2; ++order) {
            Node leaf = node;
            leaf.order = order;
            const Formula f = solution_of_leaf(system, leaf);
            for (int k = 0; k < n_samples; ++k) {
                const double value = evaluate(f, {.t = sample(system, k, n_samples)});
                if (!(std::fabs(value) < 1e3)) return fmt::format("{} = {} is large", name_of(leaf), value);
            }
        }
    }
    return "";
}

// What is integrated is continuous, except where an event sets values.
std::string complaint_of_continuity(const System& system) {
    const double h = (system.to - system.from) / 1000;
    const auto is_set = [&](const Node& leaf, double t) {
        return std::ranges::any_of(system.events, [&](const Event& e) {
            const bool sets_it =
                std::ranges::any_of(e.then, [&](const auto& one) { return name_of(*one.first) == name_of(leaf); });
            return sets_it &&
                   std::ranges::any_of(e.times, [&](double at) { return std::fabs(at - t) < 2 * std::fabs(h); });
        });
    };
    for (Node leaf : positions(system)) {
        const auto found = std::ranges::find(system.unknowns, leaf.name, &Unknown::name);
        for (leaf.order = 0; leaf.order < found->start_orders; ++leaf.order) {
            const Formula f = solution_of_leaf(system, leaf), slope = total_derivative(f);
            for (double t = system.from; std::fabs(t - system.from) < std::fabs(system.to - system.from) - std::fabs(h);
                 t += h) {
                if (is_set(leaf, t)) continue;
                const double change = evaluate(f, {.t = t + h}) - evaluate(f, {.t = t});
                const double rate = std::max(std::fabs(evaluate(slope, {.t = t + 1e-3 * h})),
                                             std::fabs(evaluate(slope, {.t = t + 0.999 * h})));
                if (std::fabs(change) > 3 * std::fabs(h) * (rate + 1))
                    return fmt::format("{} jumps at t = {}", name_of(leaf), t);
            }
        }
    }
    return "";
}

std::string complaint_of_equations(const System& system, const std::vector<Equation>& equations) {
    for (const Equation& e : equations) {
        const Formula left = solved(system, e.left);
        const Formula right = solved(system, right_side(system, e));
        if (contains_unknown(left) || contains_unknown(right)) return "an equation of an unknown that is not there";
        for (int k = 0; k < n_samples; ++k) {
            const Point point{.t = sample(system, k, n_samples), .indices = {{"i", 1.0}}};
            const double a = evaluate(left, point), b = evaluate(right, point);
            if (!(std::fabs(a) < 1e6) || std::fabs(a - b) > 1e-9 * (1 + std::fabs(a)))
                return fmt::format("{} = {}, not {}, at t = {}", text(e.left), a, b, point.t);
        }
    }
    return "";
}

// The rate of y that its equation gives right behind t with the values from right before it: as if no event had
// happened.
std::optional<double> rate_without_event(const System& system, const Node& y, double t, double tiny) {
    const auto is_of_y = [&](const Equation& e) {
        return e.loop == 0 && e.left->op == Op::unknown && e.left->name == y.name && e.left->order == y.order + 1;
    };
    const auto found = std::ranges::find_if(system.equations, is_of_y);
    if (y.op != Op::unknown || !y.operands.empty() || found == system.equations.end()) return std::nullopt;
    const Formula right = replace(right_side(system, *found), [&](const Node& node) -> Formula {
        const Formula known = node.op == Op::unknown ? solution_of_leaf(system, node) : nullptr;
        return known ? number(evaluate(known, {.t = t - tiny})) : nullptr;
    });
    return contains_unknown(right) ? std::nullopt : std::optional(evaluate(right, {.t = t + tiny}));
}

// The signs of left - level along the solution change where the event says, and nowhere else.
std::string complaint_of_event(const System& system, const Event& e) {
    if (e.every > 0) return "";
    const Formula left = solved(system, e.left);
    bool is_known = !contains_unknown(left);
    for (const auto& [what, value] : e.then)
        is_known = is_known && !contains_unknown(solved(system, what)) && !contains_unknown(solved(system, value));
    if (!is_known) return "an event of an unknown that is not there";
    const double direction = system.to > system.from ? 1 : -1, length = std::fabs(system.to - system.from);
    const auto at = [&](double t) { return evaluate(left, {.t = t}) - e.level; };
    const auto counts = [&](double a, double b) {
        return e.crossing == "rising" ? a < 0 && b > 0 : e.crossing == "falling" ? a > 0 && b < 0 : (a < 0) != (b < 0);
    };
    constexpr int n = 2000;
    double last = system.from;
    for (const double t : e.times) {
        const double margin = 1e-4 * length;
        if ((t - last) * direction < 10 * margin) return "an event follows another one at once";
        if ((system.to - t) * direction < margin) return "an event after the end";
        last = t;
    }
    for (int k = 1; k < n; ++k) {
        const double a = system.from + (system.to - system.from) * k / n;
        const double b = system.from + (system.to - system.from) * (k + 1) / n;
        const bool is_announced = std::ranges::any_of(
            e.times, [&](double t) { return (t - a) * direction >= 0 && (b - t) * direction >= 0; });
        if (!is_announced && counts(at(a), at(b))) return fmt::format("{} is met at t = {}", e.name, a);
        if (is_announced && e.then.empty() && !counts(at(a), at(b)))
            return fmt::format("{} is not met at t = {}", e.name, a);
    }
    const double tiny = 1e-9 * length * direction;
    for (const double t : e.times) {
        // it comes to its level, and with a speed
        const double before = at(t - tiny), earlier = at(t - 1e5 * tiny);
        const bool is_right_side = e.crossing == "rising" ? earlier < 0 : e.crossing != "falling" || earlier > 0;
        if (!is_right_side || std::fabs(before) > 1e-6 || std::fabs(earlier) < 1e-5 * length)
            return fmt::format("{} is not met at t = {}", e.name, t);
        // a right side that depends on t jumps there too: who comes an instant too late must not be turned back
        const auto rate = rate_without_event(system, *e.left, t, tiny);
        if (!e.then.empty() && rate && *rate * direction * -earlier < 0.1 * std::fabs(earlier))
            return fmt::format("{} is missed by an error however small at t = {}", e.name, t);
    }
    for (const double t : e.times)
        for (const auto& [what, value] : e.then) {
            const double set = evaluate(solved(system, value), {.t = t - tiny});
            const double after = evaluate(solved(system, what), {.t = t + tiny});
            if (std::fabs(set - after) > 1e-6) return fmt::format("{} sets {}, not {}", e.name, set, after);
        }
    return "";
}

} // namespace

std::string complaint(const System& system) {
    if (system.unknowns.empty()) return "no unknowns";
    for (const Formula& f : system.invariants)
        if (contains_unknown(solved(system, f))) return "an invariant of an unknown that is not there";
    if (system.lagrangian && contains_unknown(solved(system, expand(system.lagrangian))))
        return "a lagrangian of an unknown that is not there";
    std::string result = complaint_of_solution(system);
    if (result.empty()) result = complaint_of_continuity(system);
    if (result.empty()) result = complaint_of_equations(system, system.equations);
    if (result.empty()) result = complaint_of_equations(system, system.constraints);
    for (const Event& e : system.events)
        if (result.empty()) result = complaint_of_event(system, e);
    return result;
}

} // namespace vessiot::differential
