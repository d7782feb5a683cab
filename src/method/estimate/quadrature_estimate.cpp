#include "method/estimate/quadrature_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "linalg/scalar.hpp"
#include "method/tableau.hpp"

namespace vessiot::method {

namespace {

// Of weights over the stages: their sum at each node, and a stage there.
struct Node {
    Quad sum = 0;
    std::size_t stage = 0;
};

// NOTE: of several stages at a node the one whose weight is the sum, for it is the best of them.
std::map<Quad, Node> by_nodes(const TableauView& t, const std::vector<Quad>& weights) {
    std::map<Quad, Node> nodes;
    for (std::size_t i = 0; i < t.n_stages; ++i) {
        Node& node = nodes[t.c[i]];
        node.sum += weights[i];
        if (weights[i] != 0) node.stage = i;
    }
    std::erase_if(nodes, [](const auto& node) { return is_close(node.second.sum, 0); });
    return nodes;
}

// The weights of the divided difference over the nodes first .. last: 1 / prod (theta_j - theta_l).
Quad divided_weight(const std::vector<Quad>& theta, std::size_t first, std::size_t last, std::size_t j) {
    if (j < first || j > last) return 0;
    Quad product = 1;
    for (std::size_t l = first; l <= last; ++l)
        if (l != j) product *= theta[j] - theta[l];
    return 1 / product;
}

constexpr double most_growth = 100; // of r^2: where L happens to vanish

} // namespace

bool is_blind_to_quadratures(const TableauView& t) {
    if (t.b_hat.empty()) return false;
    for (std::size_t i = 0; i < t.n_stages; ++i) {
        Quad sum = 0; // over the stages at this node
        for (std::size_t j = 0; j < t.n_stages; ++j)
            if (t.c[j] == t.c[i]) sum += t.b[j] - t.b_hat[j];
        if (!is_close(sum, 0)) return false;
    }
    return true;
}

template <class S> QuadratureEstimate<S>::QuadratureEstimate(const TableauView& t, int order) {
    if (t.b_hat.empty()) return;
    is_needed_ = is_blind_to_quadratures(t);
    std::vector<Quad> theta;
    Quad moment = 0; // sum_i b_i c_i^p
    for (const auto& [c, node] : by_nodes(t, {t.b.begin(), t.b.end()})) {
        theta.push_back(c);
        nodes_.push_back(node.stage);
        Quad power = node.sum;
        for (int k = 0; k < order; ++k) power *= c;
        moment += power;
    }
    const std::size_t m = nodes_.size();
    if (is_needed_ && (m < 5 || m > most_nodes))
        throw std::logic_error("an embedded pair without an estimate for quadratures");
    const int n = static_cast<int>(m), rest = order - n + 2;
    is_second_look_ = !is_needed_ && n >= 5 && n <= 7 && rest >= 0 && 8 + (7 - n) * rest >= 2 * order;
    if (!is_needed_ && !is_second_look_) return;
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t q = 0; q < 4; ++q) { // the nodes in the middle
            const std::size_t first = q / 2, last = first + (m - 1 - q);
            weights_.push_back(static_cast<S>(divided_weight(theta, first, last, j)));
        }
    factor_ = static_cast<S>(2 * absolute(moment - Quad(1) / (order + 1)));
    exponent_ = S(rest) / S(2);
}

template <class S> S QuadratureEstimate<S>::size(S h, const S* d) const {
    const S high = linalg::square_root(d[0] * d[0] + d[1] * d[1]);
    const S low = linalg::square_root(d[2] * d[2] + d[3] * d[3]);
    if (high == S(0)) return S(0);
    const double ratio = static_cast<double>(high / std::max(low, high / S(most_growth)));
    return factor_ * h * high * S(std::pow(ratio, static_cast<double>(exponent_)));
}

template class QuadratureEstimate<double>;
template class QuadratureEstimate<Quad>;

} // namespace vessiot::method
