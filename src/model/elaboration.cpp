// The walk through formulas, and the loops around them. Indices and conditions are in elaboration_indices.cpp.
#include "model/elaboration.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "core/error.hpp"
#include "model/decimal.hpp"
#include "model/elaboration_scope.hpp"

namespace vessiot {

using expr::NodeId;
using expr::Op;

namespace {

constexpr int max_depth = 1000;                         // sums, products and if_ inside of each other
constexpr std::int64_t max_work = 200'000'000;          // formulas put into the graph
constexpr std::size_t longest_chain = 16;               // longer ones become balanced trees
constexpr std::size_t max_derivative_nodes = 5'000'000; // that one der may add
constexpr std::int64_t longest_product = 100'000;

bool is_sum(const DraftNode& n) {
    return n.kind == DraftKind::operation && (n.op == Op::add || n.op == Op::sub);
}

bool is_product(const DraftNode& n) {
    return n.kind == DraftKind::operation && (n.op == Op::mul || n.op == Op::div);
}

} // namespace

// ---- loops ----

Elaboration::Statement::Statement(Elaboration& owner, std::span<const std::uint32_t> loops)
    : owner_(owner), frame_(owner.index_), outer_(owner.frame_) {
    owner.frame_ = &frame_;
    try {
        for (const std::uint32_t loop : loops) owner.open_loop(loop);
    } catch (...) {
        owner.frame_ = outer_;
        throw;
    }
    if (!loops.empty()) frame_.scopes.emplace_back();
}

Elaboration::Statement::~Statement() {
    owner_.frame_ = outer_;
}

void Elaboration::open_loop(std::uint32_t loop) {
    const DraftLoop& range = draft_.loop(loop);
    for (const auto& [other, var] : frame_->open) {
        if (draft_.loop(other).name == range.name) {
            throw InvalidInput(fmt::format(
                "'{}' is already the index of a loop around this one; choose another name for this index", range.name));
        }
    }
    const expr::FormId from = form(range.from), to = form(range.to);
    std::string problem;
    const auto var = frame_->nest.open(range.name, from, to, problem);
    if (!var) {
        // the limit is not an option here
        if (const auto advice = problem.find(", which --max-instances raises"); advice != std::string::npos) {
            problem.resize(advice);
        }
        throw InvalidInput(problem);
    }
    frame_->open.emplace(loop, *var);
}

// ---- the walk ----

const NodeId* Elaboration::find(std::uint32_t formula) const {
    if (draft_.node(formula).free == 0) {
        return formula < closed_.size() && closed_[formula] != expr::none ? &closed_[formula] : nullptr;
    }
    for (const auto& scope : std::views::reverse(frame_->scopes)) // from the innermost one
        if (const auto known = scope.find(formula); known != scope.end()) return &known->second;
    return nullptr;
}

void Elaboration::store(std::uint32_t formula, NodeId node) {
    if (draft_.node(formula).free != 0) {
        frame_->scopes.back().emplace(formula, node);
        return;
    }
    if (closed_.size() <= formula) closed_.resize(std::max<std::size_t>(draft_.n_nodes(), formula + 1), expr::none);
    closed_[formula] = node;
}

// The formulas that must be in the graph before this one, from left to right. Of a chain a + b - c + ..., which C++
// makes as ((a + b) - c) + ..., these are its terms, as far as nothing else uses its parts.
void Elaboration::operands(std::uint32_t formula, std::vector<std::uint32_t>& out) const {
    out.clear();
    const DraftNode* n = &draft_.node(formula);
    const auto is_link = is_sum(*n) ? is_sum : is_product;
    if (is_link(*n)) {
        while (true) {
            out.push_back(n->b);
            const DraftNode& left = draft_.node(n->a);
            if (!is_link(left) || left.n_uses > 1 || find(n->a)) break;
            n = &left;
        }
        out.push_back(n->a);
        std::ranges::reverse(out);
    } else if (n->kind == DraftKind::operation || n->kind == DraftKind::diff) {
        for (const std::uint32_t operand : {n->a, n->b, n->c})
            if (operand != Draft::none) out.push_back(operand);
    } else if (n->kind == DraftKind::der) {
        out.push_back(n->a);
    } else if (n->kind == DraftKind::call || n->kind == DraftKind::look_up) {
        out = draft_.arguments(*n);
    }
}

NodeId Elaboration::evaluate(std::uint32_t root) {
    std::vector<std::uint32_t> stack{root}, parts;
    while (!stack.empty()) {
        const std::uint32_t formula = stack.back();
        if (find(formula)) {
            stack.pop_back();
            continue;
        }
        const DraftNode n = draft_.node(formula);
        if (is_whole(n)) {
            const NodeId node = evaluate_whole(formula);
            store(formula, node);
            stack.pop_back();
            continue;
        }
        operands(formula, parts);
        const std::size_t before = stack.size();
        for (std::size_t k = parts.size(); k-- > 0;)
            if (!find(parts[k])) stack.push_back(parts[k]);
        if (stack.size() > before) continue;
        if (++work_ > max_work) {
            throw InvalidInput(
                fmt::format("with all its branches written out this formula has more than {} operations", max_work));
        }
        store(formula, combine(formula, parts));
        stack.pop_back();
    }
    return *find(root);
}

// Leaves, and what opens a scope of its own.
bool Elaboration::is_whole(const DraftNode& n) const {
    return n.kind != DraftKind::operation && n.kind != DraftKind::der && n.kind != DraftKind::diff &&
           n.kind != DraftKind::call && n.kind != DraftKind::look_up;
}

NodeId Elaboration::evaluate_whole(std::uint32_t formula) {
    const DraftNode n = draft_.node(formula);
    switch (n.kind) {
    case DraftKind::number: return graph_.constant(decimal_value(draft_.number(n)));
    case DraftKind::read: return read(n);
    case DraftKind::index_value: return graph_.index_value(form(n.a));
    case DraftKind::comparison: return graph_.condition(index_condition(formula));
    default: break;
    }
    // NOTE: what depends on no loop around it is made outside of all of them: whether these are empty does not matter.
    if (n.free == 0 && !frame_->nest.vars().empty()) {
        const Statement outside(*this, {});
        return evaluate_whole(formula);
    }
    const Nesting nesting(depth_);
    if (depth_ > max_depth) {
        throw InvalidInput(fmt::format("sums, products and if_ are nested more than {} deep", max_depth));
    }
    switch (n.kind) {
    case DraftKind::sum: return sum(n);
    case DraftKind::product: return product(n);
    default: return choice(n);
    }
}

// The operation itself; its operands (or the terms of its chain) are in the graph.
NodeId Elaboration::combine(std::uint32_t formula, const std::vector<std::uint32_t>& parts) {
    const DraftNode& n = draft_.node(formula);
    const auto at = [&](std::size_t k) { return *find(parts[k]); };
    if (n.kind == DraftKind::der) return derivative(at(0), n.b);
    if (n.kind == DraftKind::diff) return partial(at(0), at(1));
    if (n.kind == DraftKind::call || n.kind == DraftKind::look_up) {
        std::vector<NodeId> arguments;
        for (std::size_t k = 0; k < parts.size(); ++k) arguments.push_back(at(k));
        if (n.kind == DraftKind::look_up) return draft_.table(n)(graph_, arguments);
        return graph_.call(graph_.add_external(draft_.external(n)), n.c, graph_.list(arguments));
    }
    if (is_sum(n) || is_product(n)) {
        // the operator before each term, from the last one back
        std::vector<bool> is_inverse(parts.size(), false);
        const DraftNode* link = &n;
        for (std::size_t k = parts.size(); k-- > 1; link = &draft_.node(link->a))
            is_inverse[k] = link->op == Op::sub || link->op == Op::div;
        const bool is_long = parts.size() > longest_chain;
        if (is_sum(n)) {
            std::vector<NodeId> terms;
            terms.reserve(parts.size());
            for (std::size_t k = 0; k < parts.size(); ++k) terms.push_back(is_inverse[k] ? graph_.neg(at(k)) : at(k));
            if (is_long) return graph_.sum(terms);
            NodeId result = terms[0];
            for (std::size_t k = 1; k < terms.size(); ++k) result = graph_.add(result, terms[k]);
            return result;
        }
        if (is_long) {
            std::vector<NodeId> above, below;
            for (std::size_t k = 0; k < parts.size(); ++k) (is_inverse[k] ? below : above).push_back(at(k));
            return graph_.div(product_of(std::move(above)), product_of(std::move(below)));
        }
        NodeId result = at(0);
        for (std::size_t k = 1; k < parts.size(); ++k)
            result = is_inverse[k] ? graph_.div(result, at(k)) : graph_.mul(result, at(k));
        return result;
    }
    switch (expr::arity(n.op)) {
    case 1: return graph_.apply(n.op, at(0));
    case 2: return graph_.apply(n.op, at(0), at(1));
    default: return graph_.select(at(0), at(1), at(2));
    }
}

// ---- leaves and derivatives ----

NodeId Elaboration::read(const DraftNode& n) {
    const DraftArray& x = draft_.array(n.a);
    if (x.kind == DraftArrayKind::multipliers && x.array == expr::none) {
        throw InvalidInput(
            "the multipliers follow from the constraints of a lagrangian or hamiltonian; they can be used in "
            "output, event, start and guess, but not here");
    }
    if (x.kind == DraftArrayKind::parameter) used_.insert(n.a);
    return graph_.read(x.array, index_.list(element_forms(n)));
}

NodeId Elaboration::derivative(NodeId node, std::uint32_t order) {
    const std::size_t before = graph_.n_nodes();
    for (std::uint32_t k = 0; k < order; ++k) {
        const expr::Node x = graph_.node(node);
        const bool is_unknown = x.op == Op::read && graph_.array(x.a).role == expr::ArrayRole::unknown;
        node = is_unknown ? graph_.read(graph_.derivative(x.a), x.b) : total_(node);
        if (graph_.n_nodes() - before > max_derivative_nodes) {
            throw InvalidInput(fmt::format("this derivative has more than {} operations", max_derivative_nodes));
        }
    }
    return node;
}

NodeId Elaboration::partial(NodeId of, NodeId by) {
    const expr::Node x = graph_.node(by);
    return expr::partial_derivative(graph_, of, x.a, x.b);
}

// ---- sums and products ----

NodeId Elaboration::sum(const DraftNode& first) {
    const Scope scope(*this);
    // sums of sums are one sum over several indices
    DraftNode n = first;
    while (true) {
        open_loop(n.a);
        if (n.b != Draft::none) frame_->nest.add_condition(index_condition(n.b));
        if (draft_.node(n.c).kind != DraftKind::sum || draft_.node(n.c).free == 0) break;
        n = draft_.node(n.c);
    }
    const NodeId term = evaluate(n.c);
    if (frame_->nest.is_empty()) return graph_.zero();
    const auto& mark = scope.mark();
    return graph_.sum(frame_->nest.domain_since(mark, graph_.node(term).levels), mark.n_vars, term);
}

// There is no reduction for products: their factors are written out.
NodeId Elaboration::product(const DraftNode& n) {
    const Scope scope(*this);
    open_loop(n.a);
    const expr::VarId var = frame_->nest.vars().back();
    const expr::LoopVar range = index_.loop_var(var);
    expr::CondId condition = index_.always();
    if (n.b != Draft::none) {
        condition = index_condition(n.b);
        frame_->nest.add_condition(condition);
    }
    // where a bound depends on an outer index, factors beyond it are 1
    condition = index_.both(condition, index_.complement(index_.less(index_.var(var), range.lo)));
    condition = index_.both(condition, index_.complement(index_.less(range.hi, index_.var(var))));
    const NodeId factor = evaluate(n.c);
    std::vector<std::int64_t> lo, hi;
    if (!index_.bounding_box(frame_->nest.loops(), lo, hi)) return graph_.one();
    if (hi.back() - lo.back() >= longest_product) {
        throw InvalidInput(fmt::format("the product over '{}' has {} factors; at most {} are allowed",
                                       draft_.loop(n.a).name, hi.back() - lo.back() + 1, longest_product));
    }
    std::vector<NodeId> factors;
    for (std::int64_t i = lo.back(); i <= hi.back(); ++i) {
        const expr::VarMap at{{var, index_.constant(i)}};
        const expr::CondId holds = index_.substitute_cond(condition, at);
        if (holds == index_.never()) continue;
        factors.push_back(graph_.select(graph_.condition(holds), graph_.substitute(factor, at), graph_.one()));
    }
    return product_of(std::move(factors));
}

NodeId Elaboration::product_of(std::vector<NodeId> factors) {
    if (factors.empty()) return graph_.one();
    while (factors.size() > 1) {
        std::size_t out = 0;
        for (std::size_t k = 0; k + 1 < factors.size(); k += 2) factors[out++] = graph_.mul(factors[k], factors[k + 1]);
        if (factors.size() % 2 != 0) factors[out++] = factors.back();
        factors.resize(out);
    }
    return factors.front();
}

} // namespace vessiot
