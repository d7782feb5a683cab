#include "modelica/semilinear.hpp"

#include <map>
#include <optional>
#include <tuple>

#include "modelica/linear_form.hpp"
#include "modelica/meaning/logic.hpp"

namespace vessiot::modelica {

using namespace expr;

namespace {

// sign*y = semiLinear(x, a, b)
struct Link {
    std::size_t row;
    NodeId y, x, a, b;
    int sign;
};

class LinkReader {
public:
    explicit LinkReader(Graph& g) : g_(g) {}

    std::optional<Link> read(std::size_t row, NodeId residual) {
        LinearForm form;
        if (!LinearForm::make(g_, residual, 2, form) || form.terms.size() != 2 || !g_.is_constant(form.constant, 0))
            return {};
        for (const std::size_t k : {0, 1}) {
            const auto& [y, of_y] = form.terms[k];
            const auto& [choice, of_choice] = form.terms[1 - k];
            if (g_.node(y).op != Op::read || (of_y != of_choice && of_y != -of_choice)) continue;
            std::optional<Link> link = read_choice(choice);
            if (!link) continue;
            link->row = row;
            link->y = y;
            if (of_y == of_choice) link->sign = -link->sign;
            return link;
        }
        return {};
    }

private:
    // if(0 <= ±x, ±x*a, ±x*b)
    std::optional<Link> read_choice(NodeId node) {
        const Node choice = g_.node(node);
        if (choice.op != Op::select) return {};
        const Node condition = g_.node(choice.a);
        if (condition.op != Op::less_equal || !g_.is_constant(condition.a, 0)) return {};
        const Node along = g_.node(condition.b);
        const bool is_negative = along.op == Op::neg;
        const NodeId x = is_negative ? along.a : condition.b;
        if (g_.node(x).op != Op::read) return {};
        const auto a = over(choice.b, x), b = over(choice.c, x);
        if (!a || !b) return {};
        // with -x: if(x <= 0, x*a, x*b) is semiLinear(x, b, a)
        if (is_negative) return normal({0, 0, x, *b, *a, 1});
        return normal({0, 0, x, *a, *b, 1});
    }

    // -semiLinear(x, a, b) where both are negative
    std::optional<Link> normal(Link link) {
        const auto is_negative = [&](NodeId n) { return g_.node(n).op == Op::neg; };
        if (is_negative(link.a) && (is_negative(link.b) || g_.is_constant(link.b))) return turned(link);
        if (is_negative(link.b) && g_.is_constant(link.a)) return turned(link);
        return link;
    }
    std::optional<Link> turned(Link link) {
        link.a = g_.neg(link.a);
        link.b = g_.neg(link.b);
        link.sign = -link.sign;
        return link;
    }

    // node/x, where that is a factor of it
    std::optional<NodeId> over(NodeId node, NodeId x) {
        const Node n = g_.node(node);
        if (node == x) return g_.one();
        if (g_.is_constant(node, 0)) return node;
        if (n.op == Op::neg) {
            const auto inner = over(n.a, x);
            return inner ? std::optional(g_.neg(*inner)) : std::nullopt;
        }
        if (n.op != Op::mul) return {};
        if (n.a == x) return n.b;
        if (n.b == x) return n.a;
        if (const auto inner = over(n.b, x); inner && g_.is_constant(n.a)) return g_.mul(n.a, *inner);
        return {};
    }

    Graph& g_;
};

// The links in their order, from one that nothing leads to; empty where they are no chain.
std::vector<Link> in_order(const std::vector<Link>& links) {
    std::map<NodeId, std::size_t> from, to;
    for (std::size_t k = 0; k < links.size(); ++k)
        if (!from.emplace(links[k].a, k).second || !to.emplace(links[k].b, k).second) return {};
    std::vector<Link> chain;
    for (const Link& link : links) {
        if (to.contains(link.a)) continue;
        if (!chain.empty()) return {}; // two of them
        for (auto at = from.find(link.a); at != from.end(); at = from.find(chain.back().b))
            chain.push_back(links[at->second]);
    }
    return chain.size() == links.size() ? chain : std::vector<Link>{};
}

} // namespace

std::vector<SemiLinearRow> join_semilinear(Graph& g, const std::vector<NodeId>& residuals) {
    LinkReader reader(g);
    std::map<std::tuple<NodeId, NodeId, int>, std::vector<Link>> groups; // by y, x and sign
    for (std::size_t k = 0; k < residuals.size(); ++k)
        if (const auto link = reader.read(k, residuals[k])) groups[{link->y, link->x, link->sign}].push_back(*link);
    std::vector<SemiLinearRow> result;
    for (const auto& [key, links] : groups) {
        if (links.size() < 2) continue;
        const std::vector<Link> chain = in_order(links);
        if (chain.empty()) continue;
        const NodeId x = chain.front().x, a = chain.front().a, b = chain.back().b;
        const auto chosen = [&](NodeId p, NodeId q) { return choose(g, compare(g, Op::less_equal, g.zero(), x), p, q); };
        const NodeId y = chain.front().sign > 0 ? chain.front().y : g.neg(chain.front().y);
        result.push_back({chain.front().row, y, chosen(g.mul(x, a), g.mul(x, b))});
        for (std::size_t k = 1; k < chain.size(); ++k) result.push_back({chain[k].row, chain[k].a, chosen(a, b)});
    }
    return result;
}

} // namespace vessiot::modelica
