// A second estimate, for embedded pairs that cannot see the error of quadratures.
//
// Where b and b_hat have the same sum over the stages at each node c, as those of Feagin's methods, their difference
// vanishes for y' = g(t), whatever g: and nearly so where x' = V(t, x) depends on x a little only. What such a pair
// does to a quadrature is the rule with the nodes theta_0 < .. < theta_(m-1) whose weights (sums of b) are not 0. Its
// error is found from the divided differences D_k of the stages there, g as a function of theta:
//
//     H = |(D_(m-1), D_(m-2))|,  L = |(D_(m-3), D_(m-4))|          the two highest, and the two before
//     r^2 = H / L                                                  the step over the radius of convergence
//     e = 2 c_p h H r^(p - m + 2),   c_p = |sum_i b_i c_i^p - 1 / (p + 1)|
//
// since D_k ~ r^k for a g with a pole at the distance h / r, and the error of the rule, of order p, is c_p h r^p then;
// of an entire function it is less. Two differences each, since one alone vanishes at some phase of an oscillation. In
// each coordinate by itself: one that varies slowly says nothing about another.
//
// Of other pairs it is a second look: in a first step, about which nothing else is known, |b - b_hat| alone may be
// small by accident far from any asymptotics. Stages of order 2 are off by O(h^3), and so are D_(m-1) and D_(m-2); e
// falls as h^q, q = 4 + (7 - m) (p - m + 2) / 2. It is one where q is not below p (dopri54: 6, of 5 nodes).
//
// Stages at these nodes are nearer to the solution than D_(m-2) asks for (Feagin's: off by O(h^6), where D_4 is
// O(h^4)), so that for x' = V(t, x) this is an estimate of order p, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "method/registry.hpp"

namespace vessiot::method {

// Does b - b_hat vanish for all quadratures? False where there is no b_hat.
bool is_blind_to_quadratures(const TableauView& tableau);

template <class S> class QuadratureEstimate {
public:
    // Nothing where it is neither needed nor a second look.
    explicit QuadratureEstimate(const TableauView& tableau, int order);

    bool is_needed() const { return is_needed_; } // in every step: the pair is blind
    bool is_second_look() const { return is_second_look_; }

    // e, n numbers; stage(i) is where stage i of the step is.
    template <class Stage> void operator()(const Stage& stage, std::int64_t n, S h, S* e) const {
        const S* k[most_nodes];
        for (std::size_t j = 0; j < nodes_.size(); ++j) k[j] = stage(nodes_[j]);
        for (std::int64_t i = 0; i < n; ++i) {
            S d[4] = {};
            for (std::size_t j = 0; j < nodes_.size(); ++j)
                for (std::size_t q = 0; q < 4; ++q) d[q] += weights_[4 * j + q] * k[j][i];
            e[i] = size(h, d);
        }
    }

private:
    static constexpr std::size_t most_nodes = 16;
    S size(S h, const S* differences) const; // D_(m-1), D_(m-2), D_(m-3), D_(m-4)

    std::vector<std::size_t> nodes_; // a stage at each
    std::vector<S> weights_;         // of each node, in the four differences
    S factor_ = 0, exponent_ = 0;    // 2 c_p, (p - m + 2) / 2
    bool is_needed_ = false, is_second_look_ = false;
};

} // namespace vessiot::method
