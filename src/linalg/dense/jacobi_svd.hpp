// The singular values and right singular vectors of a small dense matrix, by one-sided Jacobi rotations: columns of A
// are turned in pairs until all are orthogonal,
//
//   A V = U diag(sigma),   V orthogonal
//
// Accurate also for small singular values. Cost a few sweeps of 3 m n^2. [GV13, 8.6.3]
#pragma once

#include <vector>

#include "core/quad.hpp"

namespace vessiot::linalg {

template <class S> class JacobiSvd {
public:
    JacobiSvd(int rows, int cols);

    // Column-major, rows x cols: to be filled before every factor(), which overwrites it.
    S* matrix() { return a_.data(); }
    // False where the rotations do not come to an end (entries that are not finite). Does not allocate.
    bool factor();
    // The singular values, largest first; cols of them, those beyond the rows are 0.
    const std::vector<S>& values() const { return sigma_; }
    // The right singular vector of value k, a unit vector of cols numbers.
    const S* vector(int k) const {
        return v_.data() + static_cast<std::ptrdiff_t>(order_[static_cast<std::size_t>(k)]) * cols_;
    }
    // Singular values above tolerance times the largest.
    int rank(S tolerance) const;

private:
    bool rotate(int p, int q);

    int rows_, cols_;
    std::vector<S> a_, v_, norm_, sigma_;
    std::vector<int> order_;
    S negligible_ = 0; // square of a length
};

extern template class JacobiSvd<double>;
extern template class JacobiSvd<Quad>;

} // namespace vessiot::linalg
