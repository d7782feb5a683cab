#include "linalg/dense/jacobi_svd.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

template <class S>
JacobiSvd<S>::JacobiSvd(int rows, int cols)
    : rows_(rows), cols_(cols), a_(at(std::int64_t{rows} * cols)), v_(at(std::int64_t{cols} * cols)), norm_(at(cols)),
      sigma_(at(cols)), order_(at(cols)) {}

// Makes columns p and q orthogonal: tan of the angle from zeta = (|a_q|^2 - |a_p|^2) / (2 a_p . a_q). False where they
// are already.
template <class S> bool JacobiSvd<S>::rotate(int p, int q) {
    S* x = a_.data() + std::int64_t{p} * rows_;
    S* y = a_.data() + std::int64_t{q} * rows_;
    S xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < rows_; ++i) {
        xx += x[i] * x[i];
        yy += y[i] * y[i];
        xy += x[i] * y[i];
    }
    // a column of round-off has no direction
    if (xx <= negligible_ || yy <= negligible_) return false;
    if (absolute(xy) <= S(4) * epsilon<S>() * square_root(xx * yy)) return false;
    const S zeta = (yy - xx) / (S(2) * xy);
    const S t = (zeta < S(0) ? S(-1) : S(1)) / (absolute(zeta) + square_root(S(1) + zeta * zeta));
    const S c = S(1) / square_root(S(1) + t * t), s = c * t;
    const auto turn = [&](S* a, S* b, int n) {
        for (int i = 0; i < n; ++i) {
            const S old = a[i];
            a[i] = c * old - s * b[i];
            b[i] = s * old + c * b[i];
        }
    };
    turn(x, y, rows_);
    turn(v_.data() + std::int64_t{p} * cols_, v_.data() + std::int64_t{q} * cols_, cols_);
    return true;
}

template <class S> bool JacobiSvd<S>::factor() {
    std::fill(v_.begin(), v_.end(), S(0));
    for (int j = 0; j < cols_; ++j) v_[at(std::int64_t{j} * cols_ + j)] = S(1);
    if (!all_finite(a_.data(), static_cast<std::int64_t>(a_.size()))) return false;
    negligible_ = 0;
    for (const S x : a_) negligible_ += x * x;
    negligible_ *= S(cols_) * S(cols_) * epsilon<S>() * epsilon<S>();
    bool is_done = false;
    for (int sweep = 0; sweep < 60 && !is_done; ++sweep) {
        is_done = true;
        for (int p = 0; p < cols_; ++p)
            for (int q = p + 1; q < cols_; ++q) is_done &= !rotate(p, q);
    }
    for (int j = 0; j < cols_; ++j) {
        S sum = 0;
        for (int i = 0; i < rows_; ++i)
            sum += a_[at(std::int64_t{j} * rows_ + i)] * a_[at(std::int64_t{j} * rows_ + i)];
        norm_[at(j)] = square_root(sum);
    }
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::sort(order_, [&](int p, int q) { return norm_[at(p)] > norm_[at(q)]; });
    for (int k = 0; k < cols_; ++k) sigma_[at(k)] = norm_[at(order_[at(k)])];
    return is_done;
}

template <class S> int JacobiSvd<S>::rank(S tolerance) const {
    int r = 0;
    while (r < std::min(rows_, cols_) && sigma_[at(r)] > tolerance * sigma_[0]) ++r;
    return r;
}

template class JacobiSvd<double>;
template class JacobiSvd<Quad>;

} // namespace vessiot::linalg
