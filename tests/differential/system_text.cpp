// A system as a model file.
#include "differential/system.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

namespace vessiot::differential {
namespace {

bool has_derivative(const Formula& f) {
    bool found = false;
    visit(f, [&](const Node& node) { found = found || (node.op == Op::unknown && node.order > 0); });
    return found;
}

std::string declarations(const System& system) {
    std::map<std::string, double> parameters;
    const auto collect = [&](const Formula& f) {
        if (f)
            visit(f, [&](const Node& n) {
                if (n.op == Op::parameter) parameters[n.name] = n.value;
            });
    };
    for (const std::vector<Equation>* list : {&system.equations, &system.constraints})
        for (const Equation& e : *list) {
            collect(e.left);
            collect(right_side(system, e));
        }
    for (const Formula& f : system.invariants) collect(f);
    collect(system.lagrangian);
    std::string result;
    for (const auto& [name, value] : parameters) result += fmt::format("parameter {} = {}\n", name, text(value));
    std::string names;
    for (const Unknown& u : system.unknowns) {
        if (u.is_discrete) {
            result += fmt::format("discrete {} = {}\n", u.name, text(evaluate(u.solution, {.t = system.from})));
            continue;
        }
        names += (names.empty() ? "" : ", ") + u.name + (u.size > 0 ? fmt::format("[{}]", u.size) : "");
    }
    return result + "unknown " + names + "\n";
}

std::string equation_text(const System& system, const Equation& e, const std::string& before, double disturbance) {
    const std::string loop = e.loop > 0 ? fmt::format("for i = 1..{}: ", e.loop) : "";
    Formula right = right_side(system, e);
    if (disturbance != 0 && has_derivative(e.left))
        right = right + disturbance * call("cos", {3 * time() + number(static_cast<double>(size(e.left)))});
    return fmt::format("{}{}{} = {}\n", loop, before, text(e.left), text(right));
}

std::string start_text(const System& system, double disturbance) {
    std::string result;
    int sign = 1;
    const auto line = [&](const Unknown& u, Formula index, int order) {
        const Node leaf{.op = Op::unknown,
                        .name = u.name,
                        .order = order,
                        .operands = index ? std::vector{index} : std::vector<Formula>{}};
        const double value = evaluate(solution_of_leaf(system, leaf), {.t = system.from});
        sign = -sign;
        if (order < u.start_orders)
            result += fmt::format("start {} = {}\n", name_of(leaf), text(value + sign * disturbance));
        else if (u.is_guessed)
            result += fmt::format("guess {} = {}\n", name_of(leaf), text(std::round(100 * value) / 100));
    };
    for (const Unknown& u : system.unknowns)
        for (int order = u.is_discrete ? u.start_orders + 1 : 0; order <= u.start_orders; ++order) {
            if (u.size == 0) line(u, nullptr, order);
            for (int i = 1; i <= u.size; ++i) line(u, number(i), order);
        }
    return result;
}

std::string event_text(const Event& e) {
    std::string result = e.every > 0 ? fmt::format("event {}: every {}", e.name, text(e.every))
                                     : fmt::format("event {}: {} = {}", e.name, text(e.left), text(e.level));
    if (!e.crossing.empty()) result += " " + e.crossing;
    for (std::size_t k = 0; k < e.then.size(); ++k)
        result += fmt::format("{} {} = {}", k == 0 ? " then" : ",", text(e.then[k].first), text(e.then[k].second));
    return result + "\n";
}

} // namespace

std::string model_text(const System& system, const Disturbance& disturbance) {
    std::string result = declarations(system);
    if (system.lagrangian) {
        result += "lagrangian " + text(system.lagrangian) + "\n";
        for (const Equation& c : system.constraints) result += equation_text(system, c, "constraint ", 0);
        for (const Force& f : forces(system)) {
            const Formula value = f.value + disturbance.equations * call("cos", {3 * time()});
            if (value->op != Op::number || value->value != 0)
                result += fmt::format("force {} = {}\n", name_of(f.position), text(value));
        }
    }
    for (const Equation& e : system.equations) result += equation_text(system, e, "", disturbance.equations);
    for (const Formula& f : system.invariants) result += "invariant " + text(f) + "\n";
    result += start_text(system, disturbance.start);
    result += fmt::format("solve t = {} .. {}\n", text(system.from), text(system.to));
    for (const Event& e : system.events) result += event_text(e);
    return result;
}

} // namespace vessiot::differential
