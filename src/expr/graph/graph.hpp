// The expression graph: hash-consed nodes over arrays, one graph for text, C++ and Python models.
//
// A node is a number that may depend on loop variables: the template of a family. Its leaves read elements of
// arrays, `x[i+1]'`. An array is given from outside (parameters, the jets x, x', x'' of an unknown, directions) or
// defined by contributions
//     A[target(d)] += body(d)   for every instance d of a domain,
// which covers `let` families (one contribution, target = the loop indices), sums (several instances with one
// target) and assembled gradients. Nothing is ever expanded to scalars here: size and differentiation cost do not
// depend on the range of the loops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/graph/external.hpp"
#include "expr/graph/index.hpp"
#include "expr/graph/op.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

using NodeId = std::uint32_t;
using ArrayId = std::uint32_t;
inline constexpr std::uint32_t none = 0xffffffffU;

struct Node {
    Op op;
    bool varies;           // depends on more than parameters, constants and loop indices
    std::uint16_t levels;  // bit k: depends on the loop variable of level k
    std::uint32_t a, b, c; // operands; constant: a = number; read: array, index list; index_value: form; call: op.hpp
};

enum class ArrayRole : std::uint8_t {
    parameter,
    independent, // t
    unknown,     // x, or one of its derivatives
    auxiliary,   // a direction, a multiplier vector: given at evaluation, constant for differentiation in t
    defined,     // by contributions
};

struct Contribution {
    DomainId domain = 0;
    ListId target = 0;
    NodeId body = 0;
};

struct Array {
    std::string name;
    ArrayRole role = ArrayRole::parameter;
    std::vector<std::int64_t> lo{}, extent{}; // of each dimension: first index, number of indices
    int order = 0;                            // unknown: how often differentiated
    ArrayId derivative = none;                // unknown: the next jet, once somebody asked for it
    bool varies = true;                       // as Node::varies
    bool is_disjoint = false;                 // defined: by construction no two instances share a target
    std::vector<Contribution> definition{};

    std::int64_t size() const {
        std::int64_t n = 1;
        for (auto e : extent) n *= e;
        return n;
    }
};

class Graph {
public:
    Graph();

    // Index arithmetic of this graph.
    IndexSpace& index() { return index_; }
    const IndexSpace& index() const { return index_; }

    // ---- arrays ----
    ArrayId add_array(Array a);
    // The array of derivatives of an unknown (x -> x' -> x''), made on first use.
    ArrayId derivative(ArrayId unknown);
    // Defines an array by contributions; contributions with body 0 are dropped. `is_disjoint`: no two instances share
    // a target, and elements without one are never read.
    ArrayId define(std::string name, std::vector<std::int64_t> lo, std::vector<std::int64_t> extent,
                   std::vector<Contribution> contributions, bool is_disjoint = false);
    const Array& array(ArrayId a) const { return arrays_[a]; }
    std::size_t n_arrays() const { return arrays_.size(); }
    // Position of an element in row-major order; -1 when an index is outside.
    std::int64_t address(ArrayId a, ListId indices, const Env& env) const;
    // The same as a form.
    FormId address_form(ArrayId a, ListId indices);
    // The other way round: the indices of the element at a position.
    ListId indices_at(ArrayId a, std::int64_t address);

    // ---- nodes; each simplifies what can be simplified exactly ----
    NodeId constant(Quad value);
    NodeId integer(std::int64_t value) { return constant(static_cast<Quad>(value)); }
    NodeId zero() { return constant(0); }
    NodeId one() { return constant(1); }
    NodeId read(ArrayId a, ListId indices);
    NodeId read(ArrayId a) { return read(a, index_.list({})); }
    NodeId index_value(FormId f);
    // 1 where it holds, else 0. Only indices and numbers occur in it: `if` on such a condition cuts the family there.
    NodeId condition(CondId c);

    NodeId add(NodeId a, NodeId b);
    NodeId sub(NodeId a, NodeId b);
    NodeId mul(NodeId a, NodeId b);
    NodeId div(NodeId a, NodeId b);
    NodeId neg(NodeId a);
    NodeId pow(NodeId a, NodeId b);
    NodeId select(NodeId condition, NodeId a, NodeId b);
    NodeId mod(NodeId a, NodeId b);
    // Any other operation by its name.
    NodeId apply(Op op, NodeId a);
    NodeId apply(Op op, NodeId a, NodeId b);

    // A result of a function of the user, which is registered first; the same function has the same number.
    std::uint32_t add_external(std::shared_ptr<const External> function);
    NodeId list(const std::vector<NodeId>& arguments); // at least one
    NodeId call(std::uint32_t external, std::int64_t result, NodeId list);
    const std::shared_ptr<const External>& external(std::uint32_t number) const { return externals_[number]; }
    bool has_externals() const { return !externals_.empty(); }
    std::vector<NodeId> arguments(NodeId call) const;
    // d call / d (argument number k)
    NodeId call_derivative(NodeId call, std::size_t k);

    NodeId square(NodeId a) { return mul(a, a); }
    NodeId sum(const std::vector<NodeId>& terms); // balanced, so that long sums stay shallow
    // sum over the last variables of a domain: a defined array over the other (free) variables, and its element.
    NodeId sum(DomainId domain, std::size_t n_free, NodeId body);

    const Node& node(NodeId n) const { return nodes_[n]; }
    std::size_t n_nodes() const { return nodes_.size(); }
    Quad value(NodeId constant_node) const { return constants_[nodes_[constant_node].a]; }
    bool is_constant(NodeId n) const { return nodes_[n].op == Op::constant; }
    bool is_constant(NodeId n, double value) const;

    // The nodes below the roots (roots included) in ascending order: operands come first.
    std::vector<NodeId> cone(const std::vector<NodeId>& roots) const;
    // Replaces loop variables everywhere in an expression.
    NodeId substitute(NodeId n, const VarMap& map);
    // The operation of a node on what its operands became.
    NodeId rebuild_with(NodeId n, const std::unordered_map<NodeId, NodeId>& image);

    // Text of an expression, in the model language.
    std::string print(NodeId n) const;
    std::string print_read(ArrayId a, ListId indices) const;

private:
    NodeId intern(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c);
    NodeId find(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) const; // none: not there yet
    NodeId commutative(Op op, NodeId a, NodeId b);            // a op b in the order in which it was first written
    NodeId make(Op op, NodeId a, NodeId b = 0, NodeId c = 0); // folds constants, then interns
    NodeId integer_power(NodeId a, std::int64_t n);
    NodeId rebuild(const Node& n, NodeId a, NodeId b, NodeId c);
    void grow();

    IndexSpace index_;
    std::vector<Array> arrays_;
    std::vector<Node> nodes_;
    std::vector<Quad> constants_;
    std::vector<std::shared_ptr<const External>> externals_;
    std::vector<std::uint32_t> slots_; // open addressing: node numbers, none = empty
    struct HashBits {
        std::size_t operator()(const std::array<std::uint64_t, 2>& bits) const {
            return static_cast<std::size_t>((bits[0] ^ (bits[1] * 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL >> 7);
        }
    };
    std::unordered_map<std::array<std::uint64_t, 2>, NodeId, HashBits> constant_nodes_;
    std::map<std::tuple<DomainId, std::size_t, NodeId>, NodeId> sums_;
    mutable std::vector<std::uint32_t> mark_; // scratch of cone(): the last walk that met a node
    mutable std::uint32_t walk_ = 0;
};

} // namespace vessiot::expr
