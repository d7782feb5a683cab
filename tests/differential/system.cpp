#include "differential/system.hpp"

#include <algorithm>

namespace vessiot::differential {
namespace {

Formula derivative(Formula f, int order) {
    for (int k = 0; k < order; ++k) f = total_derivative(f);
    return f;
}

std::vector<Formula> instances(const std::vector<Equation>& equations) {
    std::vector<Formula> result;
    for (const Equation& e : equations) {
        if (e.loop == 0) result.push_back(expand(e.left));
        for (int i = 1; i <= e.loop; ++i) result.push_back(expand(replace_index(e.left, "i", number(i))));
    }
    return result;
}

} // namespace

Formula solution_of_leaf(const System& system, const Node& leaf) {
    if (leaf.name == "lambda" && leaf.operands.size() == 1 && system.lagrangian) {
        const auto k = static_cast<std::size_t>(evaluate(leaf.operands[0], {}));
        return k >= 1 && k <= system.multipliers.size() ? derivative(system.multipliers[k - 1], leaf.order) : nullptr;
    }
    const auto found = std::ranges::find(system.unknowns, leaf.name, &Unknown::name);
    if (found == system.unknowns.end()) return nullptr;
    const Formula result = derivative(found->solution, leaf.order);
    return leaf.operands.empty() ? result : replace_index(result, "i", leaf.operands[0]);
}

std::vector<Node> positions(const System& system) {
    std::vector<Node> result;
    for (const Unknown& u : system.unknowns) {
        if (u.size == 0) result.push_back({.op = Op::unknown, .name = u.name});
        for (int i = 1; i <= u.size; ++i)
            result.push_back({.op = Op::unknown, .name = u.name, .operands = {number(i)}});
    }
    return result;
}

std::vector<Force> forces(const System& system) {
    std::vector<Force> result;
    const Formula L = expand(system.lagrangian);
    const std::vector<Formula> g = instances(system.constraints);
    for (const Node& q : positions(system)) {
        Node speed = q;
        speed.order = 1;
        Formula force = total_derivative(partial_derivative(L, speed)) - partial_derivative(L, q);
        for (std::size_t k = 0; k < g.size() && k < system.multipliers.size(); ++k)
            force = force + partial_derivative(g[k], q) * system.multipliers[k];
        result.push_back({q, solved(system, force)});
    }
    return result;
}

Formula right_side(const System& system, const Equation& e) {
    if (e.right) return e.right;
    return e.moved ? solved(system, e.left + e.moved) - e.moved : solved(system, e.left);
}

Formula solved(const System& system, const Formula& formula) {
    return replace(formula, [&](const Node& node) -> Formula {
        return node.op == Op::unknown ? solution_of_leaf(system, node) : nullptr;
    });
}

Formula solution_of(const System& system, const std::string& name) {
    const std::size_t prime = name.find('\''), bracket = name.find('[');
    Node leaf{.op = Op::unknown, .name = name.substr(0, std::min(prime, bracket))};
    if (prime != name.npos) leaf.order = static_cast<int>(name.size() - prime);
    if (bracket != name.npos) leaf.operands = {number(std::stod(name.substr(bracket + 1)))};
    return solution_of_leaf(system, leaf);
}

} // namespace vessiot::differential
