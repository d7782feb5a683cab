// The product of the groups of a system.
#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "linalg/matrix.hpp"
#include "linalg/scalar.hpp"
#include "method/lie.hpp"
#include "method/number.hpp"
#include "system/groups.hpp"

namespace vessiot::method {

using linalg::at;

namespace {

// B_k / k!
constexpr std::array<float128, 11> bernoulli{1,           -1_q / 2, 1_q / 12,       0, -1_q / 720,    0,
                                             1_q / 30240, 0,        -1_q / 1209600, 0, 1_q / 47900160};

} // namespace

template <class S>
LieProduct<S>::LieProduct(const Parts<S>& parts, Field<S>& field) : field_(field), dx_(field.size()) {
    const Prolongation& p = parts.prolongation;
    std::vector<std::int64_t> state_at(at(p.z.size), -1);
    for (std::size_t k = 0; k < p.state.size(); ++k) state_at[at(p.state[k])] = static_cast<std::int64_t>(k);
    std::vector<char> is_taken(p.state.size(), 0);
    std::int64_t largest = 0;
    for (const MatrixUnknown& m : parts.system.matrices) {
        const auto jet = static_cast<std::size_t>(std::ranges::find(p.z.jets, m.array) - p.z.jets.begin());
        const std::int64_t first = state_at[at(p.z.first[jet])];
        for (std::int64_t e = 0; e < m.rows * m.columns; ++e) is_taken[at(first + e)] = 1;
        blocks_.push_back(
            {first, size_, MatrixGroupNumbers<S>(m.group, m.rows, m.columns), linalg::Exponential<S>(m.rows)});
        size_ += m.rows * m.rows;
        largest = std::max(largest, m.rows * m.rows);
        n_group_equations_ += count_group_equations(m);
    }
    first_additive_ = size_;
    for (std::size_t k = 0; k < is_taken.size(); ++k)
        if (!is_taken[k]) additive_.push_back(static_cast<std::int64_t>(k));
    size_ += std::ssize(additive_);
    work_.resize(at(largest));
    next_.resize(at(largest));
}

template <class S> PointStatus LieProduct<S>::slope(S t, const S* x, S* g) {
    const PointStatus status = field_.direction(t, x, dx_.data());
    if (status != PointStatus::good) return status;
    for (Block& b : blocks_)
        if (!b.group.algebra(dx_.data() + b.at, x + b.at, g + b.first))
            return linalg::all_finite(dx_.data(), dx_.size()) ? PointStatus::singular : PointStatus::not_finite;
    for (std::size_t k = 0; k < additive_.size(); ++k)
        g[first_additive_ + static_cast<std::int64_t>(k)] = dx_[additive_[k]];
    return linalg::all_finite(g, size_) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> void LieProduct<S>::move(const S* g, const S* x, S* out) {
    for (Block& b : blocks_) {
        b.exponential(g + b.first, b.group.is_orthogonal(), work_.data());
        linalg::multiply(b.group.rows(), b.group.rows(), b.group.columns(), work_.data(), x + b.at, next_.data());
        std::copy_n(next_.data(), b.group.rows() * b.group.columns(), out + b.at);
    }
    for (std::size_t k = 0; k < additive_.size(); ++k)
        out[additive_[k]] = x[additive_[k]] + g[first_additive_ + static_cast<std::int64_t>(k)];
}

template <class S> void LieProduct<S>::dexpinv(const S* omega, int q, S* g) {
    for (Block& b : blocks_) {
        const std::int64_t n = b.group.rows(), size = n * n;
        S* a = g + b.first;
        std::copy_n(a, size, work_.data());
        for (int k = 1; k <= std::min(q, 10); ++k) {
            linalg::commutator(n, omega + b.first, work_.data(), next_.data()); // ad^k
            std::copy_n(next_.data(), size, work_.data());
            const S factor = static_cast<S>(bernoulli[static_cast<std::size_t>(k)]);
            if (factor == S(0)) continue;
            for (std::int64_t e = 0; e < size; ++e) a[e] += factor * work_[at(e)];
        }
    }
}

template <class S> void LieProduct<S>::commutator(const S* a, const S* b, S* c) const {
    for (const Block& block : blocks_)
        linalg::commutator(block.group.rows(), a + block.first, b + block.first, c + block.first);
    std::fill(c + first_additive_, c + size_, S(0));
}

template <class S> S LieProduct<S>::norm(const S* g) const {
    S largest = 0;
    for (const Block& b : blocks_) {
        const std::int64_t n = b.group.rows();
        S size = 0;
        if (n == 3 && b.group.is_orthogonal()) {
            const S* a = g + b.first; // the angle
            size = linalg::square_root(a[7] * a[7] + a[2] * a[2] + a[3] * a[3]);
        } else {
            size = linalg::row_norm(n, g + b.first);
        }
        if (!(size <= largest)) largest = size; // NaN stays
    }
    return largest;
}

template <class S> void LieProduct<S>::tangent(const S* g, const S* x, S* dx) const {
    for (const Block& b : blocks_)
        linalg::multiply(b.group.rows(), b.group.rows(), b.group.columns(), g + b.first, x + b.at, dx + b.at);
    for (std::size_t k = 0; k < additive_.size(); ++k)
        dx[additive_[k]] = g[first_additive_ + static_cast<std::int64_t>(k)];
}

template <class S> void LieProduct<S>::correct(S* x) {
    for (Block& b : blocks_) b.group.correct(x + b.at);
}

template <class S> void LieProduct<S>::example(S* g) {
    std::fill_n(g, size_, S(0));
    for (Block& b : blocks_) {
        const std::int64_t n = b.group.rows();
        for (std::int64_t e = 0; e < n * n; ++e) g[b.first + e] = (S((7 * e + 3) % 11) - S(5)) / S(17 * n);
        b.group.to_algebra(g + b.first);
    }
}

template class LieProduct<double>;
template class LieProduct<float128>;

} // namespace vessiot::method
