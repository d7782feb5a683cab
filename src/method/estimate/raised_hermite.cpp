#include "method/estimate/raised_hermite.hpp"

#include <quadmath.h>

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"

namespace vessiot::method {

namespace {

// The inverse of a matrix of n rows, by Gauss and Jordan with pivots.
std::vector<Quad> inverse(std::vector<Quad> a, std::size_t n) {
    std::vector<Quad> b(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) b[i * n + i] = 1;
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t pivot = c;
        for (std::size_t i = c; i < n; ++i)
            if (linalg::absolute(a[i * n + c]) > linalg::absolute(a[pivot * n + c])) pivot = i;
        for (std::size_t j = 0; j < n; ++j) {
            std::swap(a[c * n + j], a[pivot * n + j]);
            std::swap(b[c * n + j], b[pivot * n + j]);
        }
        const Quad scale = a[c * n + c];
        for (std::size_t j = 0; j < n; ++j) {
            a[c * n + j] /= scale;
            b[c * n + j] /= scale;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (i == c) continue;
            const Quad factor = a[i * n + c];
            for (std::size_t j = 0; j < n; ++j) {
                a[i * n + j] -= factor * a[c * n + j];
                b[i * n + j] -= factor * b[c * n + j];
            }
        }
    }
    return b;
}

} // namespace

template <class S> typename RaisedHermite<S>::Nodes RaisedHermite<S>::make_nodes(int degree) {
    const auto n = static_cast<std::size_t>(degree), m = n - 3;
    const std::size_t all = m + m % 2; // an even number, symmetric: inner extrema of Chebyshev's polynomial
    const Quad pi = acosq(-1);
    std::vector<Quad> places{0, 1};
    for (std::size_t i = 1; i <= m; ++i)
        places.push_back((1 - cosq(pi * static_cast<Quad>(i) / static_cast<Quad>(all + 1))) / 2);
    // rows: sum_k d_k = x(1) - x(0), then sum_k k c^(k-1) d_k = h x'(c)
    std::vector<Quad> conditions(n * n, 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
        Quad power = 1;
        for (std::size_t k = 0; k < n; ++k, power *= places[i])
            conditions[(i + 1) * n + k] = static_cast<Quad>(k + 1) * power;
    }
    Nodes nodes;
    for (std::size_t i = 2; i < places.size(); ++i) nodes.places.push_back(static_cast<S>(places[i]));
    const std::vector<Quad> weights = inverse(std::move(conditions), n);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < m; ++i) nodes.weights.push_back(static_cast<S>(weights[k * n + 3 + i]));
    return nodes;
}

template <class S>
RaisedHermite<S>::RaisedHermite(std::int64_t n, int order)
    : n_(n), order_(order), point_(n), directions_(linalg::padded(n) * std::max(order - 3, 0)) {
    for (int d = 4; d <= order; ++d) nodes_.push_back(make_nodes(d));
}

template <class S> void RaisedHermite<S>::at(S theta, int degree, const S* coefficients) {
    const std::int64_t stride = linalg::padded(n_);
    std::copy_n(coefficients + degree * stride, n_, point_.data());
    for (int k = degree - 1; k >= 0; --k) {
        const S* d = coefficients + k * stride;
        for (std::int64_t i = 0; i < n_; ++i) point_[i] = d[i] + theta * point_[i];
    }
}

// d_1 = h k_0,  d_2 = 3 (x_1 - x_0) - h (2 k_0 + k_1),  d_3 = h (k_0 + k_1) - 2 (x_1 - x_0)
template <class S> void RaisedHermite<S>::begin(const Ends& ends, S* coefficients) {
    const std::int64_t stride = linalg::padded(n_);
    std::fill_n(coefficients, (order_ + 1) * stride, S(0));
    S* d = coefficients;
    for (std::int64_t i = 0; i < n_; ++i, ++d) {
        const S move = ends.x_1[i] - ends.x_0[i], v_0 = ends.h * ends.k_0[i], v_1 = ends.h * ends.k_1[i];
        d[0] = ends.x_0[i];
        d[stride] = v_0;
        d[2 * stride] = 3 * move - (2 * v_0 + v_1);
        d[3 * stride] = (v_0 + v_1) - 2 * move;
    }
}

// What the directions are off those of p_(d-1) is added.
template <class S> void RaisedHermite<S>::raise(const Nodes& nodes, int degree, S h, S* coefficients) {
    const std::int64_t stride = linalg::padded(n_);
    const std::size_t m = nodes.places.size();
    for (std::size_t j = 0; j < m; ++j) {
        S* v = direction(j);
        for (std::int64_t i = 0; i < n_; ++i) {
            S slope = 0;
            for (int k = degree - 1; k >= 1; --k) slope = S(k) * coefficients[k * stride + i] + nodes.places[j] * slope;
            v[i] = h * v[i] - slope;
        }
    }
    for (int k = 1; k <= degree; ++k) {
        const S* w = nodes.weights.data() + static_cast<std::size_t>(k - 1) * m;
        S* d = coefficients + k * stride;
        for (std::size_t j = 0; j < m; ++j) {
            const S* v = direction(j);
            for (std::int64_t i = 0; i < n_; ++i) d[i] += w[j] * v[i];
        }
    }
}

template class RaisedHermite<double>;
template class RaisedHermite<Quad>;

} // namespace vessiot::method
