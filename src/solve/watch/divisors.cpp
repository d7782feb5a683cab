#include "solve/watch/divisors.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t most_divisors = 1'000'000'000;

// Divisors that stand in the equations for the tops, each as a row of its own.
class Search {
public:
    explicit Search(const Analysis& analysis) : g_(*analysis.system.graph) {
        const Prolongation& p = analysis.prolongation;
        for (std::size_t k = 0; k < p.z.jets.size(); ++k) {
            const std::int64_t first = p.z.first[k], end = first + g_.array(p.z.jets[k]).size();
            if (std::ranges::any_of(p.top, [&](std::int64_t at) { return at >= first && at < end; }))
                has_tops_.insert(p.z.jets[k]);
        }
        std::vector<NodeId> roots;
        for (const RowFamily& f : p.tops.families) {
            look(f.domain, f.residual);
            roots.push_back(f.residual);
        }
        for (const ArrayId a : dependencies(g_, roots))
            for (const Contribution& c : std::vector(g_.array(a).definition)) look(c.domain, c.body);
    }
    std::vector<RowTemplate> take() { return std::move(found_); }

private:
    void look(DomainId domain, NodeId root) {
        std::vector<NodeId> open{root};
        std::set<NodeId> seen;
        while (!open.empty()) {
            const NodeId n = open.back();
            open.pop_back();
            const Node node = g_.node(n);
            if (!node.varies || !seen.insert(n).second || node.op == Op::select) continue;
            if (node.op == Op::div) add(domain, node.b);
            if (node.op == Op::pow && g_.is_constant(node.b) && g_.value(node.b) < 0) add(domain, node.a);
            if (node.op == Op::tan) add(domain, g_.apply(Op::cos, node.a));
            const int n_operands = arity(node.op);
            if (n_operands > 0) open.push_back(node.a);
            if (n_operands > 1) open.push_back(node.b);
        }
    }

    // Factor by factor; what has no sign to change is left out.
    void add(DomainId domain, NodeId divisor) {
        const Node node = g_.node(divisor);
        if (!node.varies || is_sum_of_squares(divisor)) return;
        switch (node.op) {
        case Op::mul:
            add(domain, node.a);
            if (node.b != node.a) add(domain, node.b);
            return;
        case Op::div:
        case Op::neg:
        case Op::abs:
        case Op::sqrt: return add(domain, node.a);
        case Op::pow:
            if (g_.is_constant(node.b)) return add(domain, node.a);
            break;
        default: break;
        }
        if (std::ranges::any_of(dependencies(g_, {divisor}), [&](ArrayId a) { return has_tops_.contains(a); })) return;
        const bool is_known =
            std::ranges::any_of(found_, [&](const RowTemplate& r) { return r.domain == domain && r.value == divisor; });
        if (!is_known) found_.push_back({domain, divisor});
    }

    // Of sums, not of what is squared in them, which may be 0 by itself.
    bool is_sum_of_squares(NodeId n) const {
        const Node& node = g_.node(n);
        return node.op == Op::add && is_square(node.a) && is_square(node.b);
    }
    bool is_square(NodeId n) const {
        const Node& node = g_.node(n);
        if (node.op == Op::constant) return g_.value(n) >= 0;
        return (node.op == Op::mul && node.a == node.b) || is_sum_of_squares(n);
    }

    Graph& g_;
    std::set<ArrayId> has_tops_; // arrays with elements that are no coordinates
    std::vector<RowTemplate> found_;
};

Selection all_rows(std::int64_t n) {
    Selection s{n, 0, std::vector<std::int32_t>(static_cast<std::size_t>(n)), {}};
    std::iota(s.row.begin(), s.row.end(), 0);
    return s;
}

} // namespace

template <class S> DivisorWatch<S>::DivisorWatch(Compiled<S>& problem, bool has_constant_steps) : problem_(problem) {
    const Analysis& analysis = problem.analysis();
    if (!has_constant_steps || analysis.is_arclength || analysis.augmentation) return;
    const std::vector<RowTemplate> rows = Search(analysis).take();
    if (rows.empty()) return;
    Graph& g = *analysis.system.graph;
    for (const RowTemplate& row : rows)
        node_.insert(node_.end(), static_cast<std::size_t>(g.index().count(row.domain, most_divisors)), row.value);
    const auto n = static_cast<std::int64_t>(node_.size());
    EvaluatorOptions evaluator;
    evaluator.backend = expr::Backend::interpreter; // a few operations a step
    function_.emplace(g, problem.jets(), rows, all_rows(n), RowFunctionOptions{evaluator, false, {}});
    values_ = linalg::Vector<S>(n);
    sign_.resize(static_cast<std::size_t>(n));
}

template <class S> std::optional<std::int64_t> DivisorWatch<S>::changed(S t, const S* u) {
    if (!is_on()) return std::nullopt;
    (*function_)(problem_.jets().at(t, u), values_.data(), nullptr);
    std::optional<std::int64_t> first;
    for (std::size_t k = 0; k < sign_.size(); ++k) {
        const S value = values_[static_cast<std::int64_t>(k)];
        if (!linalg::is_finite(value)) continue;
        const char sign = value > S(0) ? 1 : 0;
        if (is_known_ && sign != sign_[k] && !first) first = static_cast<std::int64_t>(k);
        sign_[k] = sign;
    }
    is_known_ = true;
    return first;
}

template <class S> bool DivisorWatch<S>::is_positive(std::int64_t divisor, S t, const S* u) {
    (*function_)(problem_.jets().at(t, u), values_.data(), nullptr);
    return values_[divisor] > S(0);
}

template <class S> S DivisorWatch<S>::root(std::int64_t divisor, const std::function<S(S, S*)>& curve) {
    linalg::Vector<S> u(problem_.n_state() + 1);
    const auto side = [&](S theta) {
        const S t = curve(theta, u.data());
        return is_positive(divisor, t, u.data());
    };
    S low = 0, high = 1;
    const bool first = side(low);
    while (high - low > S(4) * linalg::epsilon<S>()) {
        const S middle = (low + high) / S(2);
        (side(middle) == first ? low : high) = middle;
    }
    return low;
}

template <class S> std::string DivisorWatch<S>::text(std::int64_t divisor) const {
    return problem_.system().graph->print(node_[static_cast<std::size_t>(divisor)]);
}

template class DivisorWatch<double>;
template class DivisorWatch<Quad>;

} // namespace vessiot
