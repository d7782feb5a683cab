#include "expr/graph/collect.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace vessiot::expr {

namespace {

constexpr double cancelled = 1e-14;
constexpr double largest_whole = 1e6;

struct Summand {
    NodeId node;
    Quad factor, size; // the sum of the factors, and of their absolute values
};

Quad absolute(Quad x) {
    return x < 0 ? -x : x;
}

class Terms {
public:
    explicit Terms(const Graph& g) : g_(g) {}

    void add(NodeId n, Quad factor) {
        struct Part {
            NodeId node;
            Quad factor;
        };
        std::vector<Part> open{{n, factor}};
        while (!open.empty()) {
            const auto [node, by] = open.back();
            open.pop_back();
            const Node& x = g_.node(node);
            // NOTE: the operand that comes first is pushed last, so that terms keep their order
            switch (x.op) {
            case Op::add:
                open.push_back({x.b, by});
                open.push_back({x.a, by});
                break;
            case Op::sub:
                open.push_back({x.b, -by});
                open.push_back({x.a, by});
                break;
            case Op::neg: open.push_back({x.a, -by}); break;
            case Op::mul:
                if (g_.is_constant(x.a))
                    open.push_back({x.b, by * g_.value(x.a)});
                else if (g_.is_constant(x.b))
                    open.push_back({x.a, by * g_.value(x.b)});
                else
                    put(node, by);
                break;
            case Op::div:
                if (g_.is_constant(x.b))
                    open.push_back({x.a, by / g_.value(x.b)});
                else
                    put(node, by);
                break;
            default: put(node, by);
            }
        }
    }

    // Those that did not cancel. A number is a term like any other: the factor of 1.
    std::vector<Summand> left() const {
        std::vector<Summand> result;
        for (const Summand& t : terms_)
            if (absolute(t.factor) > Quad(cancelled) * t.size) result.push_back(t);
        return result;
    }

private:
    void put(NodeId node, Quad factor) {
        if (g_.is_constant(node)) {
            factor *= g_.value(node);
            node = none;
        }
        const auto [at, is_new] = place_.try_emplace(node, terms_.size());
        if (is_new) terms_.push_back({node, 0, 0});
        terms_[at->second].factor += factor;
        terms_[at->second].size += absolute(factor);
    }

    const Graph& g_;
    std::vector<Summand> terms_;
    std::unordered_map<NodeId, std::size_t> place_;
};

std::vector<Summand> terms_of(const Graph& g, NodeId body) {
    Terms terms(g);
    terms.add(body, 1);
    return terms.left();
}

NodeId sum(Graph& g, const std::vector<Summand>& terms) {
    NodeId result = g.zero();
    bool is_first = true;
    for (const Summand& t : terms) {
        const Quad size = is_first ? t.factor : absolute(t.factor);
        const NodeId term = t.node == none ? g.constant(size) : g.mul(g.constant(size), t.node);
        result = is_first ? term : t.factor < 0 ? g.sub(result, term) : g.add(result, term);
        is_first = false;
    }
    return result;
}

bool is_whole(Quad x) {
    return absolute(x) <= Quad(largest_whole) && x == Quad(static_cast<std::int64_t>(x));
}

// By which number all factors are to be divided.
Quad divisor(const std::vector<Summand>& terms) {
    Quad smallest = absolute(terms[0].factor);
    for (const Summand& t : terms) smallest = std::min(smallest, absolute(t.factor));
    const Quad sign = terms[0].factor < 0 ? -1 : 1;
    const auto fits = [&](Quad by) {
        return std::ranges::all_of(terms, [&](const Summand& t) { return is_whole(t.factor / by); });
    };
    if (fits(smallest)) return sign * smallest;
    if (!fits(1)) return sign;
    std::int64_t common = 0;
    for (const Summand& t : terms) common = std::gcd(common, static_cast<std::int64_t>(t.factor));
    return sign * Quad(common);
}

} // namespace

NodeId collect(Graph& g, NodeId body) {
    return sum(g, terms_of(g, body));
}

NodeId collect_equation(Graph& g, NodeId body) {
    std::vector<Summand> terms = terms_of(g, body);
    if (terms.empty()) return g.zero();
    const Quad by = divisor(terms);
    for (Summand& t : terms) t.factor /= by;
    return sum(g, terms);
}

} // namespace vessiot::expr
