#include "method/multistep/past_points.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/quad.hpp"
#include "linalg/scalar.hpp"
#include "method/multistep/formula.hpp"

namespace vessiot::method {

namespace {

// Steps of a constant size differ by round-off of t.
template <class S> constexpr double same_size = std::is_same_v<S, double> ? 1e-9 : 1e-18;

// Coefficients, lowest first, of the polynomial through values at nodes, by Newton's divided differences; where a node
// is there twice its second value is the derivative.
template <class S> void newton_polynomial(const std::vector<S>& nodes, const std::vector<S>& values, S* coefficients) {
    std::array<S, most_multistep_order + 1> column{}, differences{};
    const std::size_t n = nodes.size();
    const auto is_second = [&](std::size_t i) { return i > 0 && nodes[i] == nodes[i - 1]; };
    for (std::size_t i = 0; i < n; ++i) column[i] = values[is_second(i) ? i - 1 : i];
    differences[0] = column[0];
    for (std::size_t order = 1; order < n; ++order) {
        for (std::size_t i = 0; i + order < n; ++i) {
            const bool is_slope = order == 1 && is_second(i + 1);
            column[i] = is_slope ? values[i + 1] : (column[i + 1] - column[i]) / (nodes[i + order] - nodes[i]);
        }
        differences[order] = column[0];
    }
    std::fill_n(coefficients, n, S(0)); // Horner's scheme, from the highest difference
    coefficients[0] = differences[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) {
        for (std::size_t m = n - 1; m > 0; --m) coefficients[m] = coefficients[m - 1] - nodes[i] * coefficients[m];
        coefficients[0] = differences[i] - nodes[i] * coefficients[0];
    }
}

} // namespace

template <class S>
PastPoints<S>::PastPoints(std::int64_t n, int capacity, bool keeps_directions) : n_(n), points_(index(capacity)) {
    for (Point& p : points_) {
        p.x = linalg::Vector<S>(n);
        if (keeps_directions) p.v = linalg::Vector<S>(n);
    }
}

template <class S> void PastPoints<S>::add(S h, const S* x) {
    std::rotate(points_.begin(), points_.end() - 1, points_.end());
    points_[0].h = h;
    std::copy_n(x, n_, points_[0].x.data());
    n_points_ = std::min(n_points_ + 1, static_cast<int>(points_.size()));
}

template <class S> void PastPoints<S>::set_direction(const S* v) {
    std::copy_n(v, n_, points_[0].v.data());
}

template <class S> bool PastPoints<S>::is_even(S h, int k) const {
    for (int j = 0; j + 1 < k; ++j)
        if (!(linalg::absolute(points_[index(j)].h - h) <= S(same_size<S>) * linalg::absolute(h))) return false;
    return true;
}

template <class S> void PastPoints<S>::places(S h, std::vector<S>& theta) const {
    theta.clear();
    S place = -1;
    const bool is_even_all = is_even(h, n_points_);
    for (int j = 0; j < n_points_; ++j) {
        theta.push_back(is_even_all ? S(-1 - j) : place);
        place -= points_[index(j)].h / h;
    }
}

template <class S> void PastPoints<S>::polynomial(S h, const S* x_1, const S* v_1, int degree, S* coefficients) {
    const auto n_pieces = static_cast<std::size_t>(degree) + 1;
    nodes_.clear();
    values_.clear();
    is_direction_.clear();
    const auto add = [&](S node, const S* x, const S* v) {
        if (values_.size() < n_pieces) {
            nodes_.push_back(node);
            values_.push_back(x);
            is_direction_.push_back(0);
        }
        if (v && values_.size() < n_pieces) {
            nodes_.push_back(node);
            values_.push_back(v);
            is_direction_.push_back(1);
        }
    };
    add(S(1), x_1, v_1);
    S place = 0;
    for (int j = 0; j < n_points_; ++j) {
        add(place, x(j), v_1 ? v(j) : nullptr);
        place -= points_[index(j)].h / h;
    }
    // d_m = sum_i weight_mi value_i: the polynomial of each value alone
    const std::size_t n = nodes_.size();
    weights_.assign(n * n, S(0));
    for (std::size_t i = 0; i < n; ++i) {
        table_.assign(n, S(0));
        table_[i] = is_direction_[i] ? h : S(1);
        newton_polynomial(nodes_, table_, weights_.data() + i * n);
    }
    const std::int64_t stride = linalg::padded(n_);
    for (std::size_t m = 0; m < n; ++m) {
        S* d = coefficients + static_cast<std::int64_t>(m) * stride;
        std::fill_n(d, stride, S(0));
        for (std::size_t i = 0; i < n; ++i) {
            const S weight = weights_[i * n + m];
            for (std::int64_t c = 0; c < n_; ++c) d[c] += weight * values_[i][c];
        }
    }
    std::copy_n(x(0), n_, coefficients); // exactly
}

template class PastPoints<double>;
template class PastPoints<Quad>;

} // namespace vessiot::method
