#include "modelica/linear_form.hpp"

#include <algorithm>

namespace vessiot::modelica {

using namespace expr;

void LinearForm::add(NodeId atom, Quad factor) {
    const auto it = std::ranges::find(terms, atom, &std::pair<NodeId, Quad>::first);
    if (it == terms.end()) {
        terms.emplace_back(atom, factor);
        return;
    }
    const Quad before = it->second;
    it->second += factor;
    const Quad size = before < 0 ? -before : before, left = it->second < 0 ? -it->second : it->second;
    if (left <= Quad(1e-14) * size) terms.erase(it);
}

bool LinearForm::make(Graph& g, NodeId root, std::size_t most, LinearForm& form) {
    form.constant = g.zero();
    form.terms.clear();
    std::vector<std::pair<NodeId, Quad>> open{{root, 1}};
    std::size_t n = 0;
    while (!open.empty()) {
        const auto [node, factor] = open.back();
        open.pop_back();
        if (++n > 8 * most + 64) return false;
        const Node x = g.node(node);
        if (!x.varies) {
            form.constant = g.add(form.constant, g.mul(g.constant(factor), node));
            continue;
        }
        switch (x.op) {
        case Op::add:
            open.emplace_back(x.b, factor);
            open.emplace_back(x.a, factor);
            continue;
        case Op::sub:
            open.emplace_back(x.b, -factor);
            open.emplace_back(x.a, factor);
            continue;
        case Op::neg: open.emplace_back(x.a, -factor); continue;
        case Op::mul:
            if (g.is_constant(x.a)) {
                open.emplace_back(x.b, factor * g.value(x.a));
                continue;
            }
            break;
        case Op::div:
            if (g.is_constant(x.b) && g.value(x.b) != 0) {
                open.emplace_back(x.a, factor / g.value(x.b));
                continue;
            }
            break;
        default: break;
        }
        const auto it = std::ranges::find(form.terms, node, &std::pair<NodeId, Quad>::first);
        if (it != form.terms.end())
            it->second += factor;
        else
            form.terms.emplace_back(node, factor);
        if (form.terms.size() > most) return false;
    }
    std::erase_if(form.terms, [](const auto& term) { return term.second == 0; });
    return true;
}

} // namespace vessiot::modelica
