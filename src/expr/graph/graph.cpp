// Storage of the graph: arrays, interning, walks. The simplifying constructors are in simplify.cpp.
#include "expr/graph/graph.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "core/cancellation.hpp"

namespace vessiot::expr {

namespace {

std::size_t hash(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint64_t h = static_cast<std::uint64_t>(op) * 0x9e3779b97f4a7c15ULL;
    h = (h ^ a) * 0xff51afd7ed558ccdULL;
    h = (h ^ (h >> 32) ^ b) * 0xc4ceb9fe1a85ec53ULL;
    h = (h ^ (h >> 29) ^ c) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(h ^ (h >> 31));
}

} // namespace

Graph::Graph() : slots_(1024, none) {}

ArrayId Graph::add_array(Array a) {
    if (a.lo.size() < a.extent.size()) a.lo.resize(a.extent.size(), 1);
    a.varies = a.role != ArrayRole::parameter;
    arrays_.push_back(std::move(a));
    return static_cast<ArrayId>(arrays_.size() - 1);
}

ArrayId Graph::derivative(ArrayId unknown) {
    if (arrays_[unknown].derivative == none) {
        Array next = arrays_[unknown];
        next.order += 1;
        const ArrayId id = add_array(std::move(next));
        arrays_[unknown].derivative = id;
    }
    return arrays_[unknown].derivative;
}

ArrayId Graph::define(std::string name, std::vector<std::int64_t> lo, std::vector<std::int64_t> extent,
                      std::vector<Contribution> contributions, bool is_disjoint) {
    // a zero among disjoint ones is an element like any other: it is stored
    if (!is_disjoint) std::erase_if(contributions, [&](const Contribution& c) { return is_constant(c.body, 0); });
    bool varies = false;
    for (const Contribution& c : contributions) varies |= nodes_[c.body].varies;
    const ArrayId id = add_array({.name = std::move(name),
                                  .role = ArrayRole::defined,
                                  .lo = std::move(lo),
                                  .extent = std::move(extent),
                                  .is_disjoint = is_disjoint,
                                  .definition = std::move(contributions)});
    arrays_[id].varies = varies;
    return id;
}

std::int64_t Graph::address(ArrayId a, ListId indices, const Env& env) const {
    const Array& x = arrays_[a];
    std::int64_t position = 0;
    const auto forms = index_.forms(indices);
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const std::int64_t i = index_.value(forms[k], env) - x.lo[k];
        if (i < 0 || i >= x.extent[k]) return -1;
        position = position * x.extent[k] + i;
    }
    return position;
}

ListId Graph::indices_at(ArrayId a, std::int64_t address) {
    const Array& x = arrays_[a];
    std::vector<FormId> indices(x.extent.size());
    for (std::size_t d = x.extent.size(); d-- > 0; address /= x.extent[d])
        indices[d] = index_.constant(address % x.extent[d] + x.lo[d]);
    return index_.list(indices);
}

FormId Graph::address_form(ArrayId a, ListId indices) {
    const std::vector<FormId> forms(index_.forms(indices).begin(), index_.forms(indices).end());
    FormId position = index_.constant(0);
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const FormId i = index_.add(forms[k], index_.constant(-arrays_[a].lo[k]));
        position = index_.add(index_.scale(position, arrays_[a].extent[k]), i);
    }
    return position;
}

void Graph::grow() {
    slots_.assign(slots_.size() * 2, none);
    for (NodeId n = 0; n < nodes_.size(); ++n) {
        const Node& x = nodes_[n];
        std::size_t s = hash(x.op, x.a, x.b, x.c) & (slots_.size() - 1);
        while (slots_[s] != none) s = (s + 1) & (slots_.size() - 1);
        slots_[s] = n;
    }
}

NodeId Graph::find(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (std::size_t s = hash(op, a, b, c) & (slots_.size() - 1); slots_[s] != none;
         s = (s + 1) & (slots_.size() - 1)) {
        const Node& x = nodes_[slots_[s]];
        if (x.op == op && x.a == a && x.b == b && x.c == c) return slots_[s];
    }
    return none;
}

NodeId Graph::commutative(Op op, NodeId a, NodeId b) {
    const NodeId swapped = find(op, b, a, 0);
    return swapped != none ? swapped : intern(op, a, b, 0);
}

NodeId Graph::intern(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (2 * nodes_.size() >= slots_.size()) grow();
    std::size_t s = hash(op, a, b, c) & (slots_.size() - 1);
    for (; slots_[s] != none; s = (s + 1) & (slots_.size() - 1)) {
        const Node& x = nodes_[slots_[s]];
        if (x.op == op && x.a == a && x.b == b && x.c == c) return slots_[s];
    }
    Node n{op, false, 0, a, b, c};
    if (op == Op::read) {
        n.varies = arrays_[a].varies;
        n.levels = static_cast<std::uint16_t>(index_.list_levels(b));
    } else if (op == Op::index_value) {
        n.levels = static_cast<std::uint16_t>(index_.levels(a));
    } else if (op != Op::constant) {
        const std::uint32_t operands[] = {a, b, c};
        for (int k = 0; k < arity(op); ++k) {
            n.varies |= nodes_[operands[k]].varies;
            n.levels |= nodes_[operands[k]].levels;
        }
    }
    nodes_.push_back(n);
    slots_[s] = static_cast<std::uint32_t>(nodes_.size() - 1);
    return slots_[s];
}

NodeId Graph::constant(Quad value) {
    if (value == 0) value = 0; // one zero: -0 in a formula is 0
    std::array<std::uint64_t, 2> bits{};
    std::memcpy(bits.data(), &value, sizeof value);
    auto it = constant_nodes_.find(bits);
    if (it != constant_nodes_.end()) return it->second;
    constants_.push_back(value);
    const NodeId n = intern(Op::constant, static_cast<std::uint32_t>(constants_.size() - 1), 0, 0);
    constant_nodes_.emplace(bits, n);
    return n;
}

bool Graph::is_constant(NodeId n, double value) const {
    return is_constant(n) && this->value(n) == value;
}

NodeId Graph::read(ArrayId a, ListId indices) {
    // an array that nothing contributes to is zero
    if (arrays_[a].role == ArrayRole::defined && arrays_[a].definition.empty()) return zero();
    return intern(Op::read, a, indices, 0);
}

NodeId Graph::index_value(FormId f) {
    if (auto c = index_.constant_value(f)) return integer(*c);
    return intern(Op::index_value, f, 0, 0);
}

NodeId Graph::condition(CondId condition) {
    const Cond c = index_.cond(condition);
    switch (c.kind) {
    case Cond::Kind::yes: return one();
    case Cond::Kind::no: return zero();
    case Cond::Kind::negative: return apply(Op::less, index_value(c.a), zero());
    case Cond::Kind::zero: return apply(Op::equal, index_value(c.a), zero());
    case Cond::Kind::both: return apply(Op::logical_and, this->condition(c.a), this->condition(c.b));
    case Cond::Kind::complement: return apply(Op::logical_not, this->condition(c.a));
    }
    return zero();
}

// ---- functions of the user ----

std::uint32_t Graph::add_external(std::shared_ptr<const External> function) {
    const auto known = std::find(externals_.begin(), externals_.end(), function);
    if (known == externals_.end()) {
        externals_.push_back(std::move(function));
        return static_cast<std::uint32_t>(externals_.size() - 1);
    }
    return static_cast<std::uint32_t>(known - externals_.begin());
}

NodeId Graph::list(const std::vector<NodeId>& arguments) {
    NodeId list = arguments.front();
    for (std::size_t k = 1; k < arguments.size(); ++k) list = intern(Op::argument, list, arguments[k], 0);
    return list;
}

NodeId Graph::call(std::uint32_t external, std::int64_t result, NodeId list) {
    return intern(Op::call, list, external, static_cast<std::uint32_t>(result));
}

std::vector<NodeId> Graph::arguments(NodeId call) const {
    std::vector<NodeId> found(static_cast<std::size_t>(externals_[nodes_[call].b]->n_arguments()));
    NodeId list = nodes_[call].a;
    for (std::size_t k = found.size(); k-- > 1; list = nodes_[list].a) found[k] = nodes_[list].b;
    found[0] = list;
    return found;
}

NodeId Graph::call_derivative(NodeId call, std::size_t k) {
    const Node x = nodes_[call];
    const std::shared_ptr<const External> function = externals_[x.b];
    const std::int64_t entry = function->entry(x.c, static_cast<std::int64_t>(k));
    return entry < 0 ? zero() : this->call(add_external(function->derivative()), entry, x.a);
}

NodeId Graph::sum(const std::vector<NodeId>& terms) {
    if (terms.empty()) return zero();
    std::vector<NodeId> level = terms;
    while (level.size() > 1) {
        std::size_t out = 0;
        for (std::size_t k = 0; k + 1 < level.size(); k += 2) level[out++] = add(level[k], level[k + 1]);
        if (level.size() % 2) level[out++] = level.back();
        level.resize(out);
    }
    return level[0];
}

NodeId Graph::sum(DomainId domain, std::size_t n_free, NodeId body) {
    if (is_constant(body, 0)) return zero();
    if (auto it = sums_.find({domain, n_free, body}); it != sums_.end()) return it->second;
    // Only the free variables that matter become dimensions: a sum that does not depend on the outer loop is
    // computed once.
    const Domain dom = index_.domain(domain);
    std::uint32_t needed = nodes_[body].levels | index_.cond_levels(dom.cond);
    std::vector<VarId> kept;
    for (std::size_t k = dom.vars.size(); k-- > 0;) {
        const LoopVar& v = index_.loop_var(dom.vars[k]);
        if (k < n_free && !(needed >> v.level & 1U)) continue;
        needed |= index_.levels(v.lo) | index_.levels(v.hi);
        kept.insert(kept.begin(), dom.vars[k]);
    }
    const std::size_t n_bound = dom.vars.size() - n_free;
    const std::vector<VarId> outer(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(n_bound));
    std::vector<std::int64_t> lo, hi;
    NodeId result = zero();
    if (index_.bounding_box(index_.domain(outer), lo, hi)) {
        std::vector<FormId> target;
        std::vector<std::int64_t> extent;
        for (std::size_t k = 0; k < outer.size(); ++k) {
            target.push_back(index_.var(outer[k]));
            extent.push_back(hi[k] - lo[k] + 1);
        }
        const ListId element = index_.list(target);
        const ArrayId s = define("sum", lo, extent, {{index_.domain(kept, dom.cond), element, body}});
        result = read(s, element);
    }
    sums_.emplace(std::tuple{domain, n_free, body}, result);
    return result;
}

std::vector<NodeId> Graph::cone(const std::vector<NodeId>& roots) const {
    check_cancelled(); // whatever is done with expressions begins here
    if (mark_.size() < nodes_.size()) mark_.resize(std::max(nodes_.size(), 2 * mark_.size()), 0);
    ++walk_;
    std::vector<NodeId> found, stack;
    const auto visit = [&](NodeId n) {
        if (mark_[n] == walk_) return;
        mark_[n] = walk_;
        stack.push_back(n);
        found.push_back(n);
    };
    for (NodeId r : roots) visit(r);
    while (!stack.empty()) {
        const Node& x = nodes_[stack.back()];
        stack.pop_back();
        const std::uint32_t operands[] = {x.a, x.b, x.c};
        for (int k = 0; k < arity(x.op); ++k) visit(operands[k]);
    }
    std::sort(found.begin(), found.end());
    return found;
}

NodeId Graph::substitute(NodeId root, const VarMap& map) {
    if (nodes_[root].levels == 0 || map.empty()) return root;
    const std::vector<NodeId> order = cone({root});
    std::unordered_map<NodeId, NodeId> done;
    for (NodeId n : order) {
        const Node x = nodes_[n];
        if (x.levels == 0)
            done[n] = n;
        else if (x.op == Op::read)
            done[n] = read(x.a, index_.substitute_list(x.b, map));
        else if (x.op == Op::index_value)
            done[n] = index_value(index_.substitute(x.a, map));
        else
            done[n] = rebuild_with(n, done);
    }
    return done.at(root);
}

NodeId Graph::rebuild_with(NodeId n, const std::unordered_map<NodeId, NodeId>& image) {
    const Node x = nodes_[n];
    const NodeId a = image.at(x.a), b = arity(x.op) > 1 ? image.at(x.b) : 0, c = arity(x.op) > 2 ? image.at(x.c) : 0;
    return a == x.a && b == x.b && c == x.c ? n : rebuild(x, a, b, c);
}

NodeId Graph::rebuild(const Node& n, NodeId a, NodeId b, NodeId c) {
    switch (n.op) {
    case Op::add: return add(a, b);
    case Op::sub: return sub(a, b);
    case Op::mul: return mul(a, b);
    case Op::div: return div(a, b);
    case Op::neg: return neg(a);
    case Op::pow: return pow(a, b);
    case Op::select: return select(a, b, c);
    case Op::argument: return intern(Op::argument, a, b, 0);
    case Op::call: return intern(Op::call, a, n.b, n.c);
    default: return arity(n.op) == 1 ? apply(n.op, a) : apply(n.op, a, b);
    }
}

} // namespace vessiot::expr
