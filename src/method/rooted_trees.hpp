// Rooted trees and the order conditions of Runge-Kutta methods. [HNW93, II.2; But16, 3]
//
// The Taylor series of the exact and of the numerical solution are sums over rooted trees. A method with coefficients
// a and weights b has order p if and only if, for each tree t with up to p nodes,
//
//     sum_i b_i Phi_i(t) = 1 / gamma(t)
//     Phi_i(o) = 1,    Phi_i([t_1 .. t_m]) = prod_k sum_j a_ij Phi_j(t_k)
//
// and dense output b(theta) has order p if the same sum is theta^|t| / gamma(t) at each theta.
//
// Notation: o the tree with one node; [t_1 .. t_m] a root to which the trees t_1 .. t_m are attached; |t| the number
// of nodes; gamma the density, gamma([t_1 .. t_m]) = |t| gamma(t_1) .. gamma(t_m); sigma the symmetry, the number of
// permutations of nodes that leave the tree as it is.
//
// Cost: for T trees and s stages, O(T s^2). There are 1205 trees with up to 10 nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/quad.hpp"

namespace vessiot::method {

struct RootedTree {
    int order = 1;                     // |t|
    std::vector<std::size_t> children; // places in the list the tree is in, ascending
    std::int64_t density = 1;          // gamma
    std::int64_t symmetry = 1;         // sigma
};

// The list of all trees with up to `max_order` nodes, by ascending order; each tree comes after those it is made of.
// 1 <= max_order <= 16, so that gamma and sigma fit.
std::vector<RootedTree> rooted_trees(int max_order);

// "o", "[o o]", "[[o] o]"
std::string to_string(const std::vector<RootedTree>& trees, std::size_t tree);

// Phi_i(t) for all trees: element [t * n_stages + i]. `a` is the square matrix by rows, explicit or not.
template <class T>
std::vector<T> elementary_weights(const std::vector<RootedTree>& trees, std::span<const T> a, std::size_t n_stages);

// sum_i b_i Phi_i(t) - theta^|t| / gamma(t) for all trees; `b` may be shorter than the number of stages.
template <class T>
std::vector<T> order_residuals(const std::vector<RootedTree>& trees, std::span<const T> phi, std::size_t n_stages,
                               std::span<const T> b, T theta = 1);

// Both are defined for double and Quad.
extern template std::vector<double> elementary_weights(const std::vector<RootedTree>&, std::span<const double>,
                                                       std::size_t);
extern template std::vector<Quad> elementary_weights(const std::vector<RootedTree>&, std::span<const Quad>,
                                                     std::size_t);
extern template std::vector<double> order_residuals(const std::vector<RootedTree>&, std::span<const double>,
                                                    std::size_t, std::span<const double>, double);
extern template std::vector<Quad> order_residuals(const std::vector<RootedTree>&, std::span<const Quad>, std::size_t,
                                                  std::span<const Quad>, Quad);

} // namespace vessiot::method
