// Derivatives of expressions and of defined arrays. All of them are exact, symbolic and again expressions over
// families; the cost is proportional to the size of the templates.
//
//   local_gradient   d body / d (each element the body reads), by reverse accumulation
//   Direction        directional derivatives: d f(u), d2 f(u, v), ... and the total derivative D along jets
//   gradient         of a scalar, or of sum mu_i f_i, with respect to whole arrays, by reverse accumulation
//   jacobian         sparse: templates of the nonzeros and where each of them goes (jacobian.hpp)
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/graph/graph.hpp"

namespace vessiot::expr {

struct Partial {
    NodeId read = 0;  // a node that reads one element
    NodeId value = 0; // the derivative with respect to it
};

// d body / d read for every read of an array that `is_active`; ascending by read, zeros left out.
std::vector<Partial> local_gradient(Graph& g, NodeId body, const std::function<bool(ArrayId)>& is_active);

// Which input arrays move, and how: the tangent of an array is another array of the same shape, or the constant 1.
class Direction {
public:
    static constexpr std::uint32_t unit = none - 1; // the tangent of t for the total derivative

    // tangent(array): an array, `unit`, or `none` for an array that does not move.
    Direction(Graph& g, std::function<std::uint32_t(ArrayId)> tangent, std::string suffix)
        : graph_(g), tangent_(std::move(tangent)), suffix_(std::move(suffix)) {}

    // Of derivatives of derivatives the size grows with a power of their order, not exponentially: see forward().
    NodeId operator()(NodeId body);
    // The derivative of a whole array; `none` if it does not move.
    ArrayId array(ArrayId a);

private:
    std::uint32_t tangent(ArrayId a);
    NodeId backward(NodeId body);
    NodeId forward(NodeId body);

    Graph& graph_;
    std::function<std::uint32_t(ArrayId)> tangent_;
    std::string suffix_;
    std::map<ArrayId, std::uint32_t> known_;
    std::map<NodeId, NodeId> done_;
    std::unordered_map<NodeId, NodeId> moved_; // by forward(): of every node below
    std::unordered_map<NodeId, int> times_;    // how often a node was differentiated here
};

// D: t -> 1, x -> x', x' -> x'', ...; parameters and auxiliary arrays stay.
Direction total_derivative(Graph& g);

// The adjoint of contributions: how sum_k w_k[target] * body depends on the arrays `wrt` names. `weight` of a root is
// an array of the shape of its targets, or `none`; `factor` multiplies all of them, or is `none` for 1. The result is a
// list of contributions for each array of `wrt` (not yet an array: `assemble` makes one, `jacobian` takes the list as
// it is).
struct Weighted {
    std::vector<Contribution> contributions;
    ArrayId weight = none;
    NodeId factor = none;
};
std::map<ArrayId, std::vector<Contribution>> adjoint(Graph& g, const std::vector<Weighted>& roots,
                                                     const std::function<bool(ArrayId)>& wrt);

// Brings contributions into the form in which each element is computed where it is stored: contributions whose target
// runs through a range once are turned around (i -> target), and ranges are cut where the set of contributions
// changes, so that every piece is one template without accumulation. Several instances with one target become a sum.
// What cannot be turned around is kept. `whole`: the array contributed to, if its shape may be used.
std::vector<Contribution> gather(Graph& g, const std::vector<Contribution>& contributions,
                                 const Array* whole = nullptr);

// The gradient of a scalar as arrays of the shapes of `wrt`; `none` where it is zero.
std::map<ArrayId, ArrayId> gradient(Graph& g, NodeId scalar, const std::function<bool(ArrayId)>& wrt);

// d scalar / d array[indices] for an expression that may depend on loop variables (`diff` of the model language).
NodeId partial_derivative(Graph& g, NodeId body, ArrayId a, ListId indices);

// Arrays on which an expression or an array depends, definitions included; in an order in which definitions come first.
std::vector<ArrayId> dependencies(const Graph& g, const std::vector<NodeId>& roots);

} // namespace vessiot::expr
