// A polynomial between two points of a curve x' = V(tau, x), of any order: Hermite's, raised. [EJNT86]
//
// p_3 is the cubic with the points and directions of both ends, off by O(h^4). p_d, of degree d, has besides the
// directions h V(tau + c_i h, p_(d-1)(c_i)) at d - 3 places c_i: these are off by h O(h^d), and so is p_d, by
// O(h^(d+1)). That makes 1 + 2 + .. + (q - 3) evaluations of V for an interpolant of order q; the points themselves
// must be as good as that.
//
// p_d is computed as p_(d-1) and what it takes to have these directions, so that round-off counts for little.
//
// The conditions x(0), x(1), x'(0), x'(1), x'(c_i) determine p_d unless the integral of (theta - 0)(theta - 1) prod
// (theta - c_i) vanishes, which it does for an odd number of places that lie symmetrically. So for an odd number the
// last place of the next larger set is left out.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/vector.hpp"
#include "manifold/field.hpp"

namespace vessiot::method {

template <class S> class RaisedHermite {
public:
    // For curves of n coordinates; order >= 3.
    RaisedHermite(std::int64_t n, int order);

    int degree() const { return order_; }

    struct Ends {
        S tau, h;
        const S *x_0, *k_0, *x_1, *k_1; // points and directions
    };
    // x(theta) = d_0 + sum_k theta^k d_k; `evaluate(tau, x, dx)` is V, and says its status. Does not allocate.
    template <class Evaluate> PointStatus operator()(const Ends& ends, const Evaluate& evaluate, S* coefficients) {
        begin(ends, coefficients);
        for (int d = 4; d <= order_; ++d) {
            const Nodes& nodes = nodes_[static_cast<std::size_t>(d - 4)];
            for (std::size_t i = 0; i < nodes.places.size(); ++i) { // on the polynomial before
                at(nodes.places[i], d - 1, coefficients);
                const PointStatus status = evaluate(ends.tau + nodes.places[i] * ends.h, point_.data(), direction(i));
                if (status != PointStatus::good) return status;
            }
            raise(nodes, d, ends.h, coefficients);
        }
        return PointStatus::good;
    }

private:
    struct Nodes {
        std::vector<S> places;  // c_i
        std::vector<S> weights; // d x (d - 3): of h x'(c_i) in d_k, k = 1 .. d
    };
    static Nodes make_nodes(int degree);

    S* direction(std::size_t i) { return directions_.data() + static_cast<std::int64_t>(i) * linalg::padded(n_); }
    void at(S theta, int degree, const S* coefficients);
    void begin(const Ends& ends, S* coefficients);
    void raise(const Nodes& nodes, int degree, S h, S* coefficients);

    std::int64_t n_;
    int order_;
    std::vector<Nodes> nodes_; // of degrees 4, 5, ..
    linalg::Vector<S> point_, directions_;
};

extern template class RaisedHermite<double>;
extern template class RaisedHermite<Quad>;

} // namespace vessiot::method
