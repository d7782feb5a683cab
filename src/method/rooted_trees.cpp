#include "method/rooted_trees.hpp"

#include <ranges>
#include <stdexcept>

namespace vessiot::method {
namespace {

// A tree from the trees at its root; children ascending.
RootedTree join(const std::vector<RootedTree>& trees, const std::vector<std::size_t>& children) {
    RootedTree tree{.children = children};
    std::int64_t n_equal = 0;
    for (std::size_t k = 0; k < children.size(); ++k) {
        const RootedTree& child = trees[children[k]];
        // sigma = prod over distinct children, of multiplicity m, of m! sigma(child)^m
        n_equal = k > 0 && children[k] == children[k - 1] ? n_equal + 1 : 1;
        tree.symmetry *= n_equal * child.symmetry;
        tree.density *= child.density;
        tree.order += child.order;
    }
    tree.density *= tree.order;
    return tree;
}

// Appends the trees whose root carries `children` and others of the list, from place `first` on, with `left` nodes.
void attach(std::vector<RootedTree>& trees, std::vector<std::size_t>& children, std::size_t first, int left) {
    if (left == 0) {
        trees.push_back(join(trees, children));
        return;
    }
    // The list is by ascending order, and what is appended here is of higher order than any child.
    for (std::size_t k = first; trees[k].order <= left; ++k) {
        children.push_back(k);
        attach(trees, children, k, left - trees[k].order);
        children.pop_back();
    }
}

} // namespace

std::vector<RootedTree> rooted_trees(int max_order) {
    if (max_order < 1 || max_order > 16) throw std::out_of_range("rooted_trees: max_order must be from 1 to 16");
    std::vector<RootedTree> trees{RootedTree{}};
    std::vector<std::size_t> children;
    for (int order = 2; order <= max_order; ++order) attach(trees, children, 0, order - 1);
    return trees;
}

std::string to_string(const std::vector<RootedTree>& trees, std::size_t tree) {
    const auto& children = trees[tree].children;
    if (children.empty()) return "o";
    std::string text = "[";
    for (const std::size_t child : children | std::views::reverse) {
        if (text.size() > 1) text += ' ';
        text += to_string(trees, child);
    }
    text += ']';
    return text;
}

template <class T>
std::vector<T> elementary_weights(const std::vector<RootedTree>& trees, std::span<const T> a, std::size_t n_stages) {
    const std::size_t s = n_stages;
    if (a.size() != s * s) throw std::invalid_argument("elementary_weights: a must be a square matrix");
    std::vector<T> phi(trees.size() * s, T(1));
    std::vector<T> a_phi(trees.size() * s, T(0)); // sum_j a_ij Phi_j(t), the factor of t in the trees that carry it
    for (std::size_t t = 0; t < trees.size(); ++t) {
        for (std::size_t i = 0; i < s; ++i)
            for (const std::size_t child : trees[t].children) phi[t * s + i] *= a_phi[child * s + i];
        for (std::size_t i = 0; i < s; ++i)
            for (std::size_t j = 0; j < s; ++j) a_phi[t * s + i] += a[i * s + j] * phi[t * s + j];
    }
    return phi;
}

template <class T>
std::vector<T> order_residuals(const std::vector<RootedTree>& trees, std::span<const T> phi, std::size_t n_stages,
                               std::span<const T> b, T theta) {
    if (phi.size() != trees.size() * n_stages || b.size() > n_stages)
        throw std::invalid_argument("order_residuals: sizes do not agree");
    std::vector<T> residuals(trees.size());
    for (std::size_t t = 0; t < trees.size(); ++t) {
        T sum = 0;
        for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * phi[t * n_stages + i];
        T power = 1;
        for (int k = 0; k < trees[t].order; ++k) power *= theta;
        residuals[t] = sum - power / static_cast<T>(trees[t].density);
    }
    return residuals;
}

template std::vector<double> elementary_weights(const std::vector<RootedTree>&, std::span<const double>, std::size_t);
template std::vector<Quad> elementary_weights(const std::vector<RootedTree>&, std::span<const Quad>, std::size_t);
template std::vector<double> order_residuals(const std::vector<RootedTree>&, std::span<const double>, std::size_t,
                                             std::span<const double>, double);
template std::vector<Quad> order_residuals(const std::vector<RootedTree>&, std::span<const Quad>, std::size_t,
                                           std::span<const Quad>, Quad);

} // namespace vessiot::method
