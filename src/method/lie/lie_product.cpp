// The product of the groups of a system.
#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "linalg/dense/rotation.hpp"
#include "linalg/scalar.hpp"
#include "method/lie/lie.hpp"
#include "method/lie/rotation_step.hpp"
#include "method/number.hpp"
#include "system/groups.hpp"

namespace vessiot::method {

using linalg::at;
using linalg::cross;

namespace {

// B_k / k!
constexpr std::array<Quad, 11> bernoulli{1,           -1_q / 2, 1_q / 12,       0, -1_q / 720,    0,
                                         1_q / 30240, 0,        -1_q / 1209600, 0, 1_q / 47900160};

// The vector of F Y^T: half the sum of y_j x f_j over the columns.
template <class S> void angular_velocity(const S* f, const S* y, S* a) {
    a[0] = a[1] = a[2] = 0;
    for (int j = 0; j < 3; ++j) {
        const S u[3] = {y[j], y[3 + j], y[6 + j]}, v[3] = {f[j], f[3 + j], f[6 + j]};
        S c[3];
        cross(u, v, c);
        for (int i = 0; i < 3; ++i) a[i] += c[i] / S(2);
    }
}

} // namespace

template <class S>
LieProduct<S>::LieProduct(const Parts<S>& parts, Field<S>& field, bool is_cayley)
    : is_cayley_(is_cayley), field_(field), dx_(field.size()), columns_(field.size()) {
    const Prolongation& p = parts.prolongation;
    std::vector<std::int64_t> state_at(at(p.z.size), -1);
    for (std::size_t k = 0; k < p.state.size(); ++k) state_at[at(p.state[k])] = static_cast<std::int64_t>(k);
    std::vector<char> is_taken(p.state.size(), 0);
    std::int64_t largest = 0;
    for (const MatrixUnknown& m : parts.system.matrices) {
        const auto jet = static_cast<std::size_t>(std::ranges::find(p.z.jets, m.array) - p.z.jets.begin());
        const std::int64_t first = state_at[at(p.z.first[jet])], size = m.rows * m.columns;
        const std::int64_t n = count_matrices(parts.system, m);
        for (std::int64_t e = 0; e < n * size; ++e) is_taken[at(first + e)] = 1;
        const bool is_rotation =
            m.rows == 3 && m.columns == 3 && (m.group == MatrixGroup::o || m.group == MatrixGroup::so);
        for (std::int64_t k = 0; k < n; ++k) {
            blocks_.push_back({first + k * size, size_, is_rotation, MatrixGroupNumbers<S>(m.group, m.rows, m.columns),
                               linalg::Exponential<S>(m.rows), linalg::Cayley<S>(m.rows)});
            size_ += is_rotation ? 3 : m.rows * m.rows;
        }
        has_identity_ &= m.rows == m.columns;
        largest = std::max(largest, m.rows * m.rows);
        n_group_equations_ += count_group_equations(parts.system, m);
    }
    first_additive_ = size_;
    for (std::size_t k = 0; k < is_taken.size(); ++k)
        if (!is_taken[k]) additive_.push_back(static_cast<std::int64_t>(k));
    size_ += std::ssize(additive_);
    has_identity_ &= additive_.empty();
    work_.resize(at(largest));
    next_.resize(at(largest));
}

template <class S> PointStatus LieProduct<S>::slope(S t, const S* x, S* g) {
    const PointStatus status = field_.direction(t, x, dx_.data());
    if (status != PointStatus::good) return status;
    for (Block& b : blocks_)
        if (b.is_rotation)
            angular_velocity(dx_.data() + b.at, x + b.at, g + b.first);
        else if (!b.group.algebra(dx_.data() + b.at, x + b.at, g + b.first))
            return linalg::all_finite(dx_.data(), dx_.size()) ? PointStatus::singular : PointStatus::not_finite;
    for (std::size_t k = 0; k < additive_.size(); ++k)
        g[first_additive_ + static_cast<std::int64_t>(k)] = dx_[additive_[k]];
    return linalg::all_finite(g, size_) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> void LieProduct<S>::set_identity(S* x) const {
    for (const Block& b : blocks_)
        for (std::int64_t i = 0; i < b.group.rows(); ++i)
            for (std::int64_t j = 0; j < b.group.rows(); ++j) x[b.at + i * b.group.rows() + j] = S(i == j);
}

// A = F Y^-1 = F
template <class S> PointStatus LieProduct<S>::slope_at_identity(const S* dx, S* g) {
    for (Block& b : blocks_) {
        if (b.is_rotation) {
            linalg::skew_vector(dx + b.at, g + b.first);
            continue;
        }
        std::copy_n(dx + b.at, b.group.rows() * b.group.rows(), g + b.first);
        b.group.to_algebra(g + b.first);
    }
    return linalg::all_finite(g, size_) ? PointStatus::good : PointStatus::not_finite;
}

// A (e_j, e_j+1, ..) are the columns j, j + 1, .. of A.
template <class S> PointStatus LieProduct<S>::linear_slope(S t, S* g) {
    std::int64_t n_points = 1;
    for (const Block& b : blocks_)
        n_points = std::max(n_points, (b.group.rows() + b.group.columns() - 1) / b.group.columns());
    for (std::int64_t point = 0; point < n_points; ++point) {
        const auto first_of = [&](const Block& b) {
            return std::min(point * b.group.columns(), b.group.rows() - b.group.columns());
        };
        for (const Block& b : blocks_)
            for (std::int64_t i = 0; i < b.group.rows(); ++i)
                for (std::int64_t j = 0; j < b.group.columns(); ++j)
                    columns_[b.at + i * b.group.columns() + j] = S(i == first_of(b) + j);
        if (const PointStatus status = field_.direction(t, columns_.data(), dx_.data()); status != PointStatus::good)
            return status;
        for (const Block& b : blocks_) {
            if (b.is_rotation) {
                linalg::skew_vector(dx_.data() + b.at, g + b.first);
                continue;
            }
            for (std::int64_t i = 0; i < b.group.rows(); ++i)
                std::copy_n(dx_.data() + b.at + i * b.group.columns(), b.group.columns(),
                            g + b.first + i * b.group.rows() + first_of(b));
        }
    }
    for (Block& b : blocks_)
        if (!b.is_rotation) b.group.to_algebra(g + b.first);
    return linalg::all_finite(g, size_) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> bool LieProduct<S>::move(const S* g, const S* x, S* out) {
    for (Block& b : blocks_) {
        const linalg::Algebra kind = b.group.algebra_kind();
        if (b.is_rotation) {
            rotate(g + b.first, is_cayley_ ? RotationMap::cayley : RotationMap::exponential, x + b.at, out + b.at);
            continue;
        }
        if (!is_cayley_)
            b.exponential(g + b.first, kind, work_.data());
        else if (!b.cayley(g + b.first, kind, work_.data()))
            return false;
        linalg::multiply(b.group.rows(), b.group.rows(), b.group.columns(), work_.data(), x + b.at, next_.data());
        std::copy_n(next_.data(), b.group.rows() * b.group.columns(), out + b.at);
    }
    for (std::size_t k = 0; k < additive_.size(); ++k)
        out[additive_[k]] = x[additive_[k]] + g[first_additive_ + static_cast<std::int64_t>(k)];
    return true;
}

template <class S> void LieProduct<S>::inverse_differential(const S* omega, int q, S* g) {
    for (Block& b : blocks_) {
        if (is_cayley_)
            dcayinv(b, omega + b.first, g + b.first);
        else
            dexpinv(b, omega + b.first, q, g + b.first);
    }
}

template <class S> void LieProduct<S>::dexpinv(Block& b, const S* omega, int q, S* a) {
    const std::int64_t n = b.group.rows(), size = b.is_rotation ? 3 : n * n;
    std::copy_n(a, size, work_.data());
    for (int k = 1; k <= std::min(q, 10); ++k) {
        bracket(b, omega, work_.data(), next_.data()); // ad^k
        std::copy_n(next_.data(), size, work_.data());
        const S factor = static_cast<S>(bernoulli[static_cast<std::size_t>(k)]);
        if (factor == S(0)) continue;
        for (std::int64_t e = 0; e < size; ++e) a[e] += factor * work_[at(e)];
    }
}

// (1 - Omega/2) A (1 + Omega/2); of vectors a - omega x a/2 + (omega a) omega/4, since Omega A Omega = -(omega a) Omega
template <class S> void LieProduct<S>::dcayinv(Block& b, const S* omega, S* a) {
    const std::int64_t n = b.group.rows(), size = n * n;
    if (b.is_rotation) {
        S c[3];
        cross(omega, a, c);
        const S dot = (omega[0] * a[0] + omega[1] * a[1] + omega[2] * a[2]) / S(4);
        for (int i = 0; i < 3; ++i) a[i] += dot * omega[i] - c[i] / S(2);
        return;
    }
    linalg::multiply(n, n, n, omega, a, work_.data());
    for (std::int64_t e = 0; e < size; ++e) a[e] -= work_[at(e)] / S(2);
    linalg::multiply(n, n, n, a, omega, work_.data());
    for (std::int64_t e = 0; e < size; ++e) a[e] += work_[at(e)] / S(2);
}

template <class S> void LieProduct<S>::bracket(const Block& b, const S* x, const S* y, S* z) {
    if (b.is_rotation)
        cross(x, y, z); // [A, B] is the matrix of a x b
    else
        linalg::commutator(b.group.rows(), x, y, z);
}

template <class S> void LieProduct<S>::commutator(const S* a, const S* b, S* c) const {
    for (const Block& block : blocks_) bracket(block, a + block.first, b + block.first, c + block.first);
    std::fill(c + first_additive_, c + size_, S(0));
}

template <class S> bool LieProduct<S>::is_chart(const S* omega) const {
    const S pi = S(3.14159265358979323846);
    for (const Block& b : blocks_) {
        const std::int64_t n = b.group.rows();
        const S* a = omega + b.first;
        const bool is_turning = b.group.algebra_kind() != linalg::Algebra::general;
        S size = 0;
        if (b.is_rotation) {
            size = linalg::square_root(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); // the angle
        } else if (b.group.group() == MatrixGroup::se) {
            for (std::int64_t i = 0; i < n - 1; ++i) { // of the rotation alone
                S sum = 0;
                for (std::int64_t j = 0; j < n - 1; ++j) sum += linalg::absolute(a[i * n + j]);
                size = std::max(size, sum);
            }
            if (n == 4) size = linalg::square_root(a[9] * a[9] + a[2] * a[2] + a[4] * a[4]);
        } else {
            size = linalg::row_norm(n, a);
        }
        const bool is_inside = is_cayley_ ? (is_turning ? linalg::is_finite(size) : size < S(2)) : size < pi;
        if (!is_inside) return false;
    }
    return true;
}

template <class S> void LieProduct<S>::tangent(const S* g, const S* x, S* dx) const {
    for (const Block& b : blocks_) {
        if (!b.is_rotation) {
            linalg::multiply(b.group.rows(), b.group.rows(), b.group.columns(), g + b.first, x + b.at, dx + b.at);
            continue;
        }
        const S *a = g + b.first, *y = x + b.at;
        for (int j = 0; j < 3; ++j) { // column by column
            const S column[3] = {y[j], y[3 + j], y[6 + j]};
            S c[3];
            cross(a, column, c);
            for (int i = 0; i < 3; ++i) dx[b.at + 3 * i + j] = c[i];
        }
    }
    for (std::size_t k = 0; k < additive_.size(); ++k)
        dx[additive_[k]] = g[first_additive_ + static_cast<std::int64_t>(k)];
}

template <class S> S LieProduct<S>::correct(S* x) {
    S largest = 0;
    for (Block& b : blocks_) largest = std::max(largest, b.group.correct(x + b.at));
    return largest;
}

template <class S> void LieProduct<S>::example(S* g) {
    std::fill_n(g, size_, S(0));
    for (Block& b : blocks_) {
        const std::int64_t n = b.group.rows(), size = b.is_rotation ? 3 : n * n;
        for (std::int64_t e = 0; e < size; ++e) g[b.first + e] = (S((7 * e + 3) % 11) - S(5)) / S(17 * n);
        if (!b.is_rotation) b.group.to_algebra(g + b.first);
    }
}

template class LieProduct<double>;
template class LieProduct<Quad>;

} // namespace vessiot::method
